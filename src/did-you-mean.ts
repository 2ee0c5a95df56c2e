/**
 * The candidate that `word` was probably meant to be, or undefined when none is near: at most one slip in four
 * characters, and one in a word of three, where a slip is a wrong, missing, extra or swapped character. Case is ignored.
 */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(wanted.length < 3 ? 0 : 1, Math.floor(wanted.length / 4)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Optimal string alignment: Levenshtein, with a swap of neighbours as one step. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitution = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      let cost = Math.min(substitution, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
      if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? Number.POSITIVE_INFINITY) + 1)
      }
      current.push(cost)
    }
    ;[beforeLast, last] = [last, current]
  }
  return last[b.length] ?? 0
}
