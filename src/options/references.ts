import { readFileSync } from 'node:fs'
import type { Parsed } from './quantity.ts'

/** Where `${env:NAME}` and `${file:path}` look. */
export interface ReferenceSource {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Throws where the file cannot be read. */
  readonly readFile: (path: string) => string
}

/** The environment of the process and files relative to its working directory. */
export const processReferences: ReferenceSource = {
  get env() {
    return process.env
  },
  readFile: (path) => readFileSync(path, 'utf8'),
}

const reference = /\$\{(env|file):([^}]*)\}/g

export function hasReference(text: string): boolean {
  return /\$\{(?:env|file):/.test(text)
}

/** True if the text is one reference and nothing else, so that it gives nothing away. */
export function isReference(text: string): boolean {
  return /^\$\{(?:env|file):[^}]*\}$/.test(text)
}

/**
 * Puts what they refer to in the place of `${env:NAME}` and `${file:path}`; a file's last line break is left off. What is
 * put in is not looked at again. A problem names the reference, never a content.
 */
export function expandReferences(text: string, source: ReferenceSource = processReferences): Parsed<string> {
  if (!hasReference(text)) return { value: text }
  const problems: string[] = []
  const value = text.replace(reference, (whole, kind: string, name: string) => {
    const content = kind === 'env' ? variable(source, name) : readOrUndefined(source, name)
    if (content === undefined) {
      problems.push(kind === 'env' ? `${whole}: the variable is not set` : `${whole}: the file cannot be read`)
    }
    return content ?? ''
  })
  if (hasReference(text.replace(reference, ''))) problems.push('a reference is not closed by }')
  return problems.length > 0 ? { problem: problems.join('; ') } : { value }
}

function variable({ env }: ReferenceSource, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}

function readOrUndefined(source: ReferenceSource, path: string): string | undefined {
  try {
    return source.readFile(path).replace(/\r?\n$/, '')
  } catch {
    return undefined
  }
}
