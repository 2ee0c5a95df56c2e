/**
 * Writes a decimal in PostgreSQL's binary form of `numeric` (numeric_recv: digits of base 10000) and gives the place after
 * it. `text` is canonical: an optional minus, digits, optionally a point and digits.
 */
export function writeNumeric(view: DataView, offset: number, text: string): number {
  const negative = text.charCodeAt(0) === 45
  const start = negative ? 1 : 0
  const point = text.indexOf('.', start)
  const wholeEnd = point < 0 ? text.length : point
  const scale = point < 0 ? 0 : text.length - point - 1
  const wholeGroups = (wholeEnd - start + 3) >> 2
  const fractionGroups = (scale + 3) >> 2

  let at = offset + 8
  let count = 0
  let weight = wholeGroups - 1
  // a group of the whole part may be short on its left, one of the fraction on its right
  for (let group = 0; group < wholeGroups + fractionGroups; group++) {
    const digit =
      group < wholeGroups
        ? groupOf(text, Math.max(start, wholeEnd - (wholeGroups - group) * 4), wholeEnd - (wholeGroups - group - 1) * 4)
        : fractionGroup(text, wholeEnd + 1 + (group - wholeGroups) * 4)
    if (count === 0 && digit === 0) {
      weight--
      continue
    }
    view.setInt16(at, digit)
    at += 2
    count++
  }
  while (count > 0 && view.getInt16(at - 2) === 0) {
    at -= 2
    count--
  }
  view.setInt16(offset, count)
  view.setInt16(offset + 2, count === 0 ? 0 : weight)
  view.setUint16(offset + 4, negative && count > 0 ? 0x4000 : 0)
  view.setInt16(offset + 6, scale)
  return at
}

/** Bytes that `writeNumeric` may touch for a text of `length` characters. */
export function numericRoom(length: number): number {
  return 16 + length
}

function groupOf(text: string, start: number, end: number): number {
  let digit = 0
  for (let at = start; at < end; at++) digit = digit * 10 + text.charCodeAt(at) - 48
  return digit
}

function fractionGroup(text: string, start: number): number {
  let digit = 0
  for (let at = start; at < start + 4; at++) digit = digit * 10 + (at < text.length ? text.charCodeAt(at) - 48 : 0)
  return digit
}
