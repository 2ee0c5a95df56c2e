import assert from 'node:assert/strict'
import { type ErrorCode, TidegateError } from '../../errors.ts'
import type { Value } from '../../row/value.ts'
import { type CaseContext, writeAndClose } from '../case-context.ts'
import type { FreeCase } from './free-case.ts'
import { upserts } from './need.ts'

const columnNames = [
  'Mixed Case',
  'select',
  'user',
  'a"b',
  "it's",
  'tick`ed',
  'dotted.name',
  '[bracketed]',
  'back\\slash',
  'semi;colon -- comment',
  '$1',
  '?',
  ':named',
  '%s',
  '\u{1F600}',
  'ünïcödé',
  '__proto__',
  'constructor',
  'xmin',
  ' blank ',
] as const

/** Names are quoted, or refused where they cannot be (rule C1). */
export const identifierCases: readonly FreeCase[] = [
  ...columnNames.map(
    (name, index): FreeCase => ({
      id: `column-name-${index + 1}`,
      title: `C1 a column may be named ${JSON.stringify(name)}, or the name is refused`,
      run: async (context) => {
        const columns = `id INT, ${ticked(name)} STRING, PRIMARY KEY (id) NOT ENFORCED`
        await keptOrRefused(context, columns, rowWith(name, 'value'))
      },
    }),
  ),
  {
    id: 'key-column-name',
    title: 'C1 key columns may have names that need quoting',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(
        '`Order "Id"` INT, `group` STRING, v INT, PRIMARY KEY (`group`, `Order "Id"`) NOT ENFORCED',
      )
      await context.write(table, '+I 1 a 1 | +I 1 b 2 | +U 1 a 3 | -D 1 b 2')
      await context.expectRows(table, ['1 a 3'])
    },
  },
  {
    id: 'table-name',
    title: 'C1 a table may have a name that needs quoting, or it is refused',
    run: async (context) => {
      const name = `Case "${Math.random().toString(36).slice(2, 8)}" it's; a table`
      await keptOrRefused(context, 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED', { id: 1, v: 'a' }, name)
    },
  },
  {
    id: 'long-column-names',
    title: 'C1 column names that differ only after many characters are told apart, or refused',
    run: async (context) => {
      const [a, b] = [`${'x'.repeat(200)}a`, `${'x'.repeat(200)}b`]
      const columns = `id INT, ${a} STRING, ${b} STRING, PRIMARY KEY (id) NOT ENFORCED`
      await keptOrRefused(context, columns, { id: 1, [a]: 'a', [b]: 'b' })
    },
  },
]

async function keptOrRefused(
  context: CaseContext,
  columns: string,
  row: Readonly<Record<string, Value | null>>,
  name?: string,
): Promise<void> {
  const table = await context.table(columns, {}, name)
  const sink = await context.open(table).catch((error: unknown) => {
    assert.ok(error instanceof TidegateError, `a refusal is a TidegateError, not ${String(error)}`)
    assert.ok(refusals.includes(error.code), `a name is refused when the sink is opened, not by ${error.code}`)
    return undefined
  })
  if (sink === undefined) return
  await writeAndClose(sink, [{ kind: '+I', row }])
  await context.expectRows(table, [row])
}

const refusals: readonly ErrorCode[] = ['SCHEMA_INVALID', 'PLAN_REFUSED', 'CAPABILITY_MISSING', 'STORE_MISMATCH']

/** A literal `{ ['__proto__']: … }` would set the prototype. */
function rowWith(name: string, value: string): Record<string, Value | null> {
  return Object.fromEntries([
    ['id', 1],
    [name, value],
  ])
}

function ticked(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
