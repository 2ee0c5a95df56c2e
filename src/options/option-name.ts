/** Option names with a `*` in them stand for a family, e.g. `fields.*.sequence-group` or `scan.*`. */

/** What the star of `pattern` stands for in `name`; undefined if they don't match. Never empty. */
export function captureOf(pattern: string, name: string): string | undefined {
  const star = pattern.indexOf('*')
  if (star < 0) return undefined
  const [prefix, suffix] = [pattern.slice(0, star), pattern.slice(star + 1)]
  if (name.length <= prefix.length + suffix.length) return undefined
  if (!name.startsWith(prefix) || !name.endsWith(suffix)) return undefined
  return name.slice(prefix.length, name.length - suffix.length)
}

export function matchesName(pattern: string, name: string): boolean {
  return pattern === name || captureOf(pattern, name) !== undefined
}

/**
 * The pattern with its star filled from a name that does not match, so that the two can be compared for a slip:
 * `fields.*.distinct` and `fields.tags.distnict` give `fields.tags.distinct`.
 */
export function fillStar(pattern: string, name: string): string {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern
  const suffix = pattern.slice(star + 1)
  const end = suffix === '' ? name.length : name.lastIndexOf('.')
  return `${pattern.slice(0, star)}${name.slice(star, end) || '*'}${suffix}`
}
