import { must } from '../../src/assert.ts'
import type { CheckFinding } from '../../src/connector/connector.ts'
import { type Problem, problemsError, TidegateError } from '../../src/errors.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { compareValues, type Value } from '../../src/row/value.ts'
import { errorOf, errorTypeOf } from './bulk.ts'
import { compareIndex } from './check.ts'
import type { SearchClient } from './client.ts'
import type { Dialect } from './dialect.ts'
import { SearchFailure, serverFailure } from './failures.ts'
import { fieldPlan } from './field-plan.ts'
import { IndexCap } from './index-cap.ts'
import { readIndexState } from './index-state.ts'
import type { SearchOptions } from './options.ts'
import { type ActionEncoder, createActionEncoder } from './statements/action.ts'
import { createIndex, storeScriptRequest } from './statements/create-index.ts'
import { planTarget, type Target } from './target.ts'

/** A table of the domain, ready to be written. */
export interface WritableTable {
  readonly plan: TablePlan
  readonly target: Target
  readonly encoder: ActionEncoder
  readonly indices: IndexCap
  /** Order of two rows by the key. */
  readonly compare: (a: NamedRow, b: NamedRow) => number
  storeScript(): Promise<void>
}

type NamedRow = Readonly<Record<string, Value | null>>

/** Creates what is to be created, compares the rest with the plan, and stores the scripts. Throws `STORE_MISMATCH` with every difference. */
export async function openTables(
  client: SearchClient,
  dialect: Dialect,
  declared: readonly TablePlan[],
): Promise<{ readonly server: string; readonly tables: readonly WritableTable[] }> {
  const plans = declared.map((plan) => fieldPlan(dialect, plan))
  const targets = plans.map((plan) => planTarget(dialect, plan))
  const server = await askServer(client, dialect)
  const tables: WritableTable[] = []
  const problems: Problem[] = []
  for (const [index, plan] of plans.entries()) {
    const target = must(targets[index], 'a target a table')
    if (plan.createTable) await create(client, plan, target)
    const findings = compareIndex(plan, target, await readIndexState(client, plan, target))
    problems.push(...findings.filter(({ severity }) => severity === 'error').map(problemOf))
    tables.push(writableTable(client, plan, target))
  }
  if (problems.length > 0) {
    throw problemsError(`the target in ${dialect.product} does not fit the plan:`, problems, {
      code: 'STORE_MISMATCH',
      connector: dialect.name,
    })
  }
  for (const { storeScript } of tables) await storeScript()
  return { server, tables }
}

function writableTable(client: SearchClient, plan: TablePlan, target: Target): WritableTable {
  const options = plan.connectorOptions as unknown as SearchOptions
  const key = plan.merge.key.map((position) => must(plan.schema.columns[position], 'a key column'))
  return {
    plan,
    target,
    encoder: createActionEncoder(plan, target),
    indices: new IndexCap(options['index.max-count']),
    compare(a, b) {
      for (const { name, type } of key) {
        const order = compareValues(type, a[name] as Value, b[name] as Value)
        if (order !== 0) return order
      }
      return 0
    },
    storeScript: async () => await storeScript(client, target),
  }
}

function problemOf({ subject, message, fix }: CheckFinding): Problem {
  return { subject, message, fix }
}

/** What the server calls itself. Throws `STORE_MISMATCH` for the other product and for versions that are too old. */
export async function askServer(client: SearchClient, dialect: Dialect): Promise<string> {
  const { status, text } = await client.request({ method: 'GET', path: '/' }).catch((error: unknown) => {
    // the client of Elasticsearch looks at the answer by itself
    throw error instanceof Error && error.name === 'ProductNotSupportedError' ? otherProduct(dialect) : error
  })
  // a user may lack the right to ask
  if (status === 403) return dialect.product
  if (status !== 200) throw serverFailure(status, errorTypeOf(text), 'request')
  const { number, distribution } = versionOf(text)
  if (number === undefined)
    throw mismatch(dialect, `what answers is not ${dialect.product}`, 'look at the option hosts')
  if (!dialect.isDistribution(distribution)) throw otherProduct(dialect)
  if (Number.parseInt(number, 10) < dialect.oldestMajor) {
    throw mismatch(
      dialect,
      `${dialect.product} ${number} is too old`,
      `version ${dialect.oldestMajor} or newer is needed`,
    )
  }
  return `${dialect.product} ${number}`
}

function otherProduct(dialect: Dialect): TidegateError {
  return mismatch(dialect, `the server is not ${dialect.product}`, `use 'connector' = '${dialect.other}'`)
}

function mismatch({ name }: Dialect, message: string, hint: string): TidegateError {
  return new TidegateError(message, { code: 'STORE_MISMATCH', connector: name, hint })
}

function versionOf(text: string): { readonly number?: string | undefined; readonly distribution?: string | undefined } {
  try {
    const { version } = JSON.parse(text) as { version?: { number?: string; distribution?: string } }
    return version ?? {}
  } catch {
    return {}
  }
}

async function create(client: SearchClient, plan: TablePlan, target: Target): Promise<void> {
  const { path, body } = createIndex(plan, target)
  const { status, text } = await client.request({ method: 'PUT', path, body: JSON.stringify(body) })
  if (status === 200) return
  const type = errorTypeOf(text)
  // another sink was faster, or it was there before; an alias can stand for an index too
  if (type === 'resource_already_exists_exception' || (await isAlias(client, target))) return
  throw serverFailure(status, type, 'request')
}

async function isAlias(client: SearchClient, { index }: Target): Promise<boolean> {
  if (index.isDynamic) return false
  const { status } = await client.request({ method: 'GET', path: `/_alias/${encodeURIComponent(index.pattern)}` })
  return status === 200
}

/** With the context, so that the server compiles it; without one it would take any text. */
async function storeScript(client: SearchClient, { script }: Target): Promise<void> {
  if (script === undefined) return
  const path = `/_scripts/${script.id}`
  const found = await client.request({ method: 'GET', path, query: { filter_path: 'found' } })
  if (found.status === 200) return
  const { path: putPath, body } = storeScriptRequest(script)
  const { status, text } = await client.request({ method: 'PUT', path: putPath, body: JSON.stringify(body) })
  if (status === 200) return
  const error = errorOf(text)
  const failure = serverFailure(status, error?.type, 'request')
  // a fault of compiling quotes the script, which holds no values
  const why = error?.caused_by?.reason === undefined ? '' : `: ${error.caused_by.reason}`
  throw new SearchFailure(
    `the script ${script.id} cannot be stored: ${failure.message}${why}`,
    failure.failure,
    failure.storeCode,
  )
}
