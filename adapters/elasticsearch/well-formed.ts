/** Half of a surrogate pair has no form in UTF-8: it would arrive as another character. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text)
}
