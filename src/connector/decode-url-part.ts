/** A part of a URL with its `%XX` read; as it is, where that cannot be. */
export function decodeUrlPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
