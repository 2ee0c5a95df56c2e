import { once } from 'node:events'
import type { TableWriteResult, WriteBatch } from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter } from '../../src/connector/connector.ts'
import { countChanges } from '../../src/connector/count-changes.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { toJsonText } from '../../src/row/json-text.ts'

/** The part of a Node stream that is used. */
interface TextStream {
  write(text: string): boolean
  once(event: 'drain', listener: () => void): unknown
}

export class PrintWriter implements SinkWriter {
  readonly server = 'print'
  readonly #tables: readonly TablePlan[]
  readonly #stream: TextStream

  constructor({ tables, client }: OpenContext) {
    this.#tables = tables
    const toError = tables[0]?.connectorOptions['standard-error'] === true
    this.#stream = (client as TextStream | undefined) ?? (toError ? process.stderr : process.stdout)
  }

  async write(batch: WriteBatch): ReturnType<SinkWriter['write']> {
    const results: TableWriteResult[] = []
    let text = ''
    for (const ofTable of batch.tables) {
      const { table, truncate, waves } = ofTable
      const plan = this.#tables[table] as TablePlan
      if (truncate) text += `${prefix(plan)}truncate\n`
      for (const wave of waves) for (const change of wave) text += `${lineOf(plan, change)}\n`
      results.push({ written: countChanges(ofTable), stale: 0 })
    }
    if (text !== '' && !this.#stream.write(text)) await once(this.#stream as never, 'drain')
    return { tables: results }
  }

  async close(): Promise<void> {}
}

function lineOf(plan: TablePlan, change: MergeChange): string {
  const values = change.row
    .slice(0, plan.merge.declaredCount)
    .map((value) => (value === undefined ? '?' : toJsonText(value)))
  return `${prefix(plan)}${kinds[change.op]}[${values.join(', ')}]`
}

/** Whether an upsert inserts or updates is not known here: a sink with a key never asks (rule K1). */
const kinds: Record<MergeChange['op'], string> = { insert: '+I', upsert: '+U', delete: '-D', retract: '-U' }

function prefix({ connectorOptions }: TablePlan): string {
  const identifier = connectorOptions['print-identifier']
  return identifier === undefined ? '' : `${String(identifier)}> `
}
