import { type Problem, TidegateError } from '../errors.ts'
import { plainStyle, type TextStyle } from '../text-style.ts'
import { packagePath } from './package-folder.ts'
import { UsageError } from './usage-error.ts'

/** What went wrong and what to do, for people. A stack only where it was asked for, and where the fault is ours. */
export function failureText(error: unknown, debug: boolean, style: TextStyle = plainStyle): string {
  const lines = [...faultLines(error, style), ...(debug ? stackLines(error) : [])]
  return lines.join('\n')
}

/** The same for programs, as `--json` prints it. */
export interface FailureJson {
  readonly error: {
    /** Null: the command line itself, or a fault that tidegate does not know. */
    readonly code: string | null
    readonly message: string
    readonly hint: string | null
    readonly problems: readonly Problem[]
    readonly docs: string | null
  }
}

export function failureJson(error: unknown): FailureJson {
  const isOurs = error instanceof TidegateError
  return {
    error: {
      code: isOurs ? error.code : null,
      message: messageOf(error),
      hint: (isOurs || error instanceof UsageError ? error.hint : undefined) ?? null,
      problems: isOurs ? error.problems : [],
      docs: isOurs ? docsOf(error) : null,
    },
  }
}

function faultLines(error: unknown, style: TextStyle): string[] {
  if (error instanceof TidegateError) {
    return [
      `${style.bad(`error ${error.code}:`)} ${error.message}`,
      ...hintLines(error.hint, error.message),
      style.dim(`  see ${docsOf(error)}`),
    ]
  }
  if (error instanceof UsageError) return [`${style.bad('error:')} ${error.message}`, ...hintLines(error.hint, '')]
  return [
    `${style.bad('fault:')} ${messageOf(error)}`,
    '  tidegate did not foresee this: please report it, with what --debug shows',
  ]
}

function hintLines(hint: string | undefined, message: string): string[] {
  return hint === undefined || message.includes(hint) ? [] : [`  hint: ${hint}`]
}

function docsOf({ code }: TidegateError): string {
  return `${packagePath('docs', 'errors.md')}#${code.toLowerCase()}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function stackLines(error: unknown): string[] {
  const lines: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    lines.push(cause === error ? '' : 'caused by:', cause.stack ?? cause.message)
  }
  return lines
}
