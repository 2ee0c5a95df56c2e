import { ValueFault } from './value-fault.ts'

/** Members of an array in SQL's text form, `{1,"a b",NULL,{2,3}}`, as text, null or nested arrays. */
export function parseArrayLiteral(text: string): unknown[] {
  const reader = new LiteralReader(text.trim())
  const members = reader.array(0)
  if (!reader.atEnd) throw new ValueFault(malformed)
  return members
}

const malformed = 'is text that is not an array'
/** PostgreSQL itself stops at six dimensions. */
const maxDepth = 32

class LiteralReader {
  private readonly text: string
  private index = 0

  constructor(text: string) {
    this.text = text
  }

  get atEnd(): boolean {
    return this.index === this.text.length
  }

  array(depth: number): unknown[] {
    if (depth > maxDepth) throw new ValueFault(malformed)
    const members: unknown[] = []
    this.take('{')
    if (this.next() === '}') {
      this.index++
      return members
    }
    for (;;) {
      members.push(this.member(depth))
      const separator = this.next()
      this.index++
      if (separator === '}') return members
      if (separator !== ',') throw new ValueFault(malformed)
    }
  }

  private member(depth: number): unknown {
    const next = this.next()
    if (next === '{') return this.array(depth + 1)
    if (next === '"') return this.quoted()
    const word = /[^,{}"]*/y
    word.lastIndex = this.index
    const bare = (word.exec(this.text)?.[0] ?? '').trimEnd()
    this.index = word.lastIndex
    if (bare === '') throw new ValueFault(malformed)
    return bare.toUpperCase() === 'NULL' ? null : bare.replace(/\\(.)/gs, '$1')
  }

  private quoted(): string {
    const quoted = /"((?:[^"\\]|\\.)*)"/sy
    quoted.lastIndex = this.index
    const content = quoted.exec(this.text)?.[1]
    if (content === undefined) throw new ValueFault(malformed)
    this.index = quoted.lastIndex
    return content.replace(/\\(.)/gs, '$1')
  }

  private take(expected: string): void {
    if (this.next() !== expected) throw new ValueFault(malformed)
    this.index++
  }

  private next(): string | undefined {
    while (this.text[this.index] === ' ') this.index++
    return this.text[this.index]
  }
}
