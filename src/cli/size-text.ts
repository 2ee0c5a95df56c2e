/** About how many bytes: `512 B`, `1.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/** `0.42 s`, `12.3 s`, `4 min 05 s`. */
export function elapsedText(millis: number): string {
  const seconds = millis / 1000
  if (seconds < 10) return `${seconds.toFixed(2)} s`
  if (seconds < 120) return `${seconds.toFixed(1)} s`
  const rest = Math.floor(seconds % 60)
  return `${Math.floor(seconds / 60)} min ${String(rest).padStart(2, '0')} s`
}
