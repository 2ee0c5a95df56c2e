import { type Problem, problemsError } from '../../src/errors.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { RedisOptions } from './options.ts'
import { RowCodec } from './row-codec.ts'
import { type KeyTemplate, keyTemplate } from './row-key.ts'

/** A table as the writer sees it. */
export interface Target {
  readonly plan: TablePlan
  readonly prefix: string
  readonly template: KeyTemplate
  readonly codec: RowCodec
  readonly format: 'hash' | 'json'
  /** Milliseconds; 0: rows stay. */
  readonly rowLifeMs: number
  /** Milliseconds; 0: tombstones stay. */
  readonly tombstoneLifeMs: number
}

export function keyPrefix(plan: TablePlan): string {
  return (plan.connectorOptions as RedisOptions)['key.prefix'] ?? `${plan.name}:`
}

/** Throws `PLAN_REFUSED`. */
export function targetOf(plan: TablePlan): Target {
  const options = plan.connectorOptions as RedisOptions
  const hashTag = options['key.hash-tag'] ?? []
  const key = plan.merge.key.map((at) => plan.merge.columns[at]?.name)
  const problems: Problem[] = hashTag
    .filter((name) => !key.includes(name))
    .map((name) => ({ subject: 'key.hash-tag', message: `names ${name}, which is no column of the primary key` }))
  if (/[{}]/.test(keyPrefix(plan)) && hashTag.length > 0) {
    problems.push({ subject: 'key.prefix', message: 'holds a brace, and key.hash-tag puts others behind it' })
  }
  if (problems.length > 0) {
    const where = { code: 'PLAN_REFUSED', connector: 'redis', table: plan.name } as const
    throw problemsError(`table ${plan.name} cannot be held by Redis:`, problems, where)
  }
  const isTombstone = plan.merge.deleteMode === 'tombstone'
  return {
    plan,
    prefix: keyPrefix(plan),
    template: keyTemplate(plan.merge, keyPrefix(plan), hashTag),
    codec: new RowCodec(plan.merge),
    format: options['value.format'],
    rowLifeMs: options['row.ttl'] ?? 0,
    tombstoneLifeMs: isTombstone && plan.tombstoneRetention !== 'forever' ? Math.max(1, plan.tombstoneRetention) : 0,
  }
}
