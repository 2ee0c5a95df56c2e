/** Milliseconds in the largest unit that says them exactly: `2s`, `1min`, `1500ms`. */
export function durationText(millis: number): string {
  return exactText(millis, [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
    [1, 'ms'],
  ])
}

/** Bytes in the largest unit that says them exactly: `8mb`, `1536kb`. */
export function memorySizeText(bytes: number): string {
  return exactText(bytes, [
    [1024 ** 3, 'gb'],
    [1024 ** 2, 'mb'],
    [1024, 'kb'],
    [1, 'b'],
  ])
}

function exactText(count: number, units: readonly (readonly [factor: number, unit: string])[]): string {
  const found = units.find(([factor]) => count >= factor && count % factor === 0)
  return found === undefined ? String(count) : `${count / found[0]}${found[1]}`
}
