/** With separators: `1,234,567`. */
export function countText(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

/** `1 change`, `3 changes`, `1,024 flushes`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`
}
