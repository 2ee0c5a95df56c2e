import { didYouMean } from '../did-you-mean.ts'
import { type Problem, problemsError } from '../errors.ts'
import type { CreateSinkOptions, CreateSinksOptions } from './create-sink-options.ts'
import { isObject } from './malformed-change.ts'

type Members<Options> = { readonly [Name in keyof Options]-?: (value: unknown) => string | undefined }

const anything = (): undefined => undefined

const shared = {
  client: anything,
  connectors: list,
  source: object,
  signal: (value) => (hasMethod(value, 'addEventListener') ? undefined : 'is no AbortSignal'),
  onEvent: (value) => (typeof value === 'function' ? undefined : 'is no function'),
  failureHandler: (value) => (hasMethod(value, 'handle') ? undefined : 'has no method handle(letters)'),
  observer: object,
} satisfies Members<Omit<CreateSinkOptions, 'table' | 'name'>>

const ofOne: Members<CreateSinkOptions> = {
  ...shared,
  table: (value) => (typeof value === 'string' || isObject(value) ? undefined : 'is neither DDL text nor a table'),
  name: (value) => (typeof value === 'string' ? undefined : 'is no text'),
}

const ofSeveral: Members<CreateSinksOptions> = {
  ...shared,
  clients: object,
  tables: (value) =>
    typeof value === 'string' || Array.isArray(value) ? undefined : 'is neither DDL text nor a list of tables',
}

/** Of callers that types do not hold back. Throws `OPTION_INVALID` with everything that is wrong. */
export function checkSinkOptions(options: CreateSinkOptions): void {
  check('createSink', options, 'table', ofOne)
}

/** As `checkSinkOptions`. */
export function checkSinksOptions(options: CreateSinksOptions): void {
  check('createSinks', options, 'tables', ofSeveral)
}

function check(call: string, given: object, required: string, members: Members<Record<string, unknown>>): void {
  const problems: Problem[] = []
  const values = isObject(given) ? given : {}
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    const fault = member === undefined ? 'is not taken here' : member(value)
    if (fault !== undefined)
      problems.push({ subject: name, message: fault, fix: member ? undefined : fixOf(name, members) })
  }
  if (!Object.entries(values).some(([name, value]) => name === required && value !== undefined)) {
    problems.push({
      subject: required,
      message: 'is missing',
      fix: `${call}({ ${required}: 'CREATE TABLE …' }), or ${required === 'table' ? 'a table' : 'tables'} made by defineTable`,
    })
  }
  if (problems.length > 0) throw problemsError(`${call} cannot be called so:`, problems, { code: 'OPTION_INVALID' })
}

function fixOf(name: string, members: object): string {
  const near = didYouMean(name, Object.keys(members))
  return near === undefined ? `members are ${Object.keys(members).join(', ')}` : `did you mean ${near}?`
}

function list(value: unknown): string | undefined {
  return Array.isArray(value) ? undefined : 'is no list'
}

function object(value: unknown): string | undefined {
  return isObject(value) ? undefined : 'is no object'
}

function hasMethod(value: unknown, name: string): boolean {
  return isObject(value) && typeof (value as Record<string, unknown>)[name] === 'function'
}
