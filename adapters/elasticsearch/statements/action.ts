import { must } from '../../../src/assert.ts'
import type { ErrorCode } from '../../../src/errors.ts'
import type { CollectDelta, ContributionRow, MergeChange, ProductStep } from '../../../src/merge/merge-change.ts'
import type { AggregateRule, MergePlan } from '../../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../../src/plan/plan.ts'
import type { Value } from '../../../src/row/value.ts'
import { createMembersText, createValueText, isSendable, type MembersText } from '../document.ts'
import { idFault } from '../document-id.ts'
import type { SearchOptions } from '../options.ts'
import type { Target } from '../target.ts'

/** One change as the lines of a bulk request. */
export interface Action {
  readonly index: string
  /** The lines, each with its line end. */
  readonly lines: string
  /** What a 404 of the document means. */
  readonly missing: MissingDocument
  /** What a 409 means: something newer is stored, or another writer came between reading and writing. */
  readonly conflict: 'stale' | 'again'
}

/** `done`: nothing is left to do. `rejected`: a retract came before any row. `impossible`: the action makes the document. */
export type MissingDocument = 'done' | 'rejected' | 'impossible'

/** Why a change cannot be sent. */
export interface ActionFault {
  readonly reason: string
  readonly code?: ErrorCode | undefined
}

export interface ActionEncoder {
  /** `rowId` names the document of a row without a primary key, the same in every try. */
  encode(change: MergeChange, rowId: string): Action | ActionFault
}

/** How the changes of a table go out. Pure. */
export function createActionEncoder(plan: TablePlan, target: Target): ActionEncoder {
  const { merge } = plan
  const options = plan.connectorOptions as unknown as SearchOptions
  const body = createBody(plan, target, options)
  return {
    encode(change, rowId) {
      const index = target.index.indexOf(change.row)
      if (index === undefined) return { reason: 'the key makes no name that an index can have' }
      const id = target.documentId === undefined ? rowId : target.documentId(change.row)
      const fault = idFault(id)
      if (fault !== undefined) return { reason: fault }
      const lacking = change.replace ? lackingColumn(plan, change.row) : undefined
      if (lacking !== undefined) return { reason: `column ${lacking} is NOT NULL and would have no value` }
      const made = body(change, `"_index":${JSON.stringify(index)},"_id":${JSON.stringify(id)}`)
      if ('reason' in made) return made
      if (!isSendable(made.lines)) return { reason: 'a text holds half of a surrogate pair' }
      return { index, ...made }
    },
  }

  function lackingColumn({ schema }: TablePlan, row: ContributionRow): string | undefined {
    return schema.columns.find(
      ({ nullable }, at) => !nullable && at !== merge.deletedFlag && (row[at] ?? null) === null,
    )?.name
  }
}

type Body = (change: MergeChange, address: string) => Omit<Action, 'index'> | ActionFault

function createBody(plan: TablePlan, target: Target, options: SearchOptions): Body {
  const { merge } = plan
  if (target.version !== undefined) return externalBody(merge, target)
  if (merge.key.length === 0) return wholeBody(merge, 'index')
  if (merge.engine === 'first-row') return wholeBody(merge, 'create')
  const script = scriptBody(
    merge,
    must(target.script, 'a plan with a key has a script').id,
    options['retry-on-conflict'],
  )
  if (merge.engine !== 'deduplicate' || merge.sequence !== undefined) return script
  const whole = wholeBody(merge, 'index')
  const tombstone = tombstoneBody(merge)
  return (change, address) => {
    if (change.op === 'upsert' && change.replace) return whole(change, address)
    if (change.op !== 'delete' || merge.deleteMode === 'soft' || merge.deletedAt !== undefined)
      return script(change, address)
    if (merge.deleteMode === 'tombstone') return tombstone(change, address)
    return { lines: `{"delete":{${address}}}\n`, missing: 'done', conflict: 'again' }
  }
}

/** Columns that a record brings. */
function writtenColumns({ rules, declaredCount }: MergePlan): readonly number[] {
  return rules
    .slice(0, declaredCount)
    .flatMap(({ kind }, position) => (kind === 'deleted-flag' || kind === 'deleted-at' ? [] : [position]))
}

function flagText({ columns, deletedFlag }: MergePlan, deleted: boolean): string {
  if (deletedFlag === undefined) return ''
  return `,${JSON.stringify(must(columns[deletedFlag], 'the flag column').name)}:${deleted}`
}

/** The document is the row. */
function wholeBody(merge: MergePlan, action: 'index' | 'create'): Body {
  const members = createMembersText(merge, writtenColumns(merge), { absentAsNull: true })
  const flag = flagText(merge, false)
  return ({ row }, address) => ({
    lines: `{"${action}":{${address}}}\n{${members(row)}${flag}}\n`,
    missing: 'impossible',
    conflict: action === 'create' ? 'stale' : 'again',
  })
}

/** Of a table without a sequence: nothing is left but the key. */
function tombstoneBody(merge: MergePlan): Body {
  const members = createMembersText(merge, merge.key, { absentAsNull: true })
  const flag = flagText(merge, true)
  return ({ row }, address) => ({
    lines: `{"index":{${address}}}\n{${members(row)}${flag}}\n`,
    missing: 'impossible',
    conflict: 'again',
  })
}

/** The sequence is the version; the server drops what is older by itself. */
function externalBody(merge: MergePlan, { version }: Target): Body {
  const written = writtenColumns(merge)
  const whole = createMembersText(merge, written, { absentAsNull: true })
  const left = createMembersText(merge, [...merge.key, ...(merge.sequence?.columns ?? [])], { absentAsNull: true })
  const [shown, deleted] = [flagText(merge, false), flagText(merge, true)]
  const since = merge.deletedAt === undefined ? undefined : must(merge.columns[merge.deletedAt], 'a stored column').name
  return ({ op, row, replace }, address) => {
    if (op === 'retract') return { reason: 'a -U cannot be compared with the stored row under external versions' }
    const number = version?.(row)
    if (number === undefined) return { reason: 'the sequence is null or out of the range of a version, 0 to 2^63-1' }
    const versioned = `${address},"version":${number},"version_type":"external_gte"`
    if (op === 'delete' && merge.deleteMode === 'hard') return stale(`{"delete":{${versioned}}}\n`, 'done')
    if (op === 'delete') {
      const at = since === undefined ? '' : `,${JSON.stringify(since)}:"${new Date().toISOString()}"`
      return stale(`{"index":{${versioned}}}\n{${left(row)}${deleted}${at}}\n`, 'impossible')
    }
    if (!replace && written.some((position) => row[position] === undefined)) {
      return {
        reason: "the change lacks columns, and external versions take whole rows; take 'versioning' = 'internal'",
      }
    }
    return stale(`{"index":{${versioned}}}\n{${whole(row)}${shown}}\n`, 'impossible')
  }
}

function stale(lines: string, missing: MissingDocument): Omit<Action, 'index'> {
  return { lines, missing, conflict: 'stale' }
}

/** The stored script with the change as its parameters. */
function scriptBody(merge: MergePlan, scriptId: string, retryOnConflict: number): Body {
  const members = createContributions(merge)
  const opening = `"script":{"id":${JSON.stringify(scriptId)},"params":{`
  return (change, address) => {
    const { op, row, replace, ungated } = change
    const cleared = clearedColumns(merge, row)
    const parameters = [
      `"op":"${op}"`,
      ...(replace ? ['"replace":true'] : []),
      ...(ungated === true ? ['"ungated":true'] : []),
      ...(cleared.length > 0 ? [`"cleared":${JSON.stringify(cleared)}`] : []),
      `"row":{${members(row)}}`,
    ]
    const missing = missingDocument(merge, change)
    const upsert = missing === 'impossible' ? '"scripted_upsert":true,"upsert":{},' : ''
    return {
      lines: `{"update":{${address},"retry_on_conflict":${retryOnConflict}}}\n{${upsert}${opening}${parameters.join()}}}}\n`,
      missing,
      conflict: 'again',
    }
  }
}

/** What the merge function says of a change that finds no row (rules A4, G6). */
function missingDocument(merge: MergePlan, { op, row, ungated }: MergeChange): MissingDocument {
  if (op === 'upsert') return 'impossible'
  const sequence = merge.sequence?.columns ?? []
  const isSequenced = sequence.some((position) => row[position] !== undefined)
  if (merge.engine !== 'deduplicate' && op === 'retract')
    return merge.deletedFlag === undefined ? 'rejected' : 'impossible'
  if (merge.deleteMode === 'hard' || merge.deletedFlag === undefined) return 'done'
  if (merge.engine !== 'deduplicate') return ungated === true ? 'done' : 'impossible'
  if (merge.sequence !== undefined) return isSequenced ? 'impossible' : 'done'
  return op === 'delete' && merge.deleteMode === 'tombstone' ? 'impossible' : 'done'
}

function clearedColumns({ columns, rules }: MergePlan, row: ContributionRow): readonly string[] {
  return rules.flatMap((rule, position) =>
    rule.kind === 'aggregate' && isCleared(row[position]) ? [must(columns[position], 'a stored column').name] : [],
  )
}

function isCleared(
  contribution: ContributionRow[number],
): contribution is { cleared: true; value: Value | null | undefined } {
  return typeof contribution === 'object' && contribution !== null && 'cleared' in contribution
}

/** The members of `row` in the parameters: values, and for the functions that take steps what they take. */
function createContributions(merge: MergePlan): MembersText {
  const texts = merge.columns.map(({ name, type }, position) => {
    const rule = merge.rules[position]
    const value = createValueText(type)
    return {
      prefix: `${JSON.stringify(name)}:`,
      text: rule?.kind === 'aggregate' ? contributionText(rule, value) : value,
      skip: rule?.kind === 'deleted-flag' || rule?.kind === 'deleted-at',
    }
  })
  return (row) => {
    const members: string[] = []
    for (const [position, { prefix, text, skip }] of texts.entries()) {
      const contribution = row[position]
      if (contribution === undefined || skip) continue
      members.push(prefix + (contribution === null ? 'null' : text(contribution as Value)))
    }
    return members.join()
  }
}

type Text = (contribution: Value) => string

function contributionText(rule: AggregateRule, value: Text): Text {
  switch (rule.function) {
    case 'product':
      return (contribution) => {
        const { product, by } = contribution as unknown as ProductStep
        return `{"by":${value(by)}${product === 'divide' ? ',"divides":true' : ''}}`
      }
    case 'collect':
      return (contribution) => {
        const { add, remove } = contribution as unknown as CollectDelta
        return `{"removed":${value(remove)}${add === undefined ? '' : `,"added":${value(add)}`}}`
      }
    case 'last_value':
    case 'last_non_null_value':
      return (contribution) => {
        if (!isCleared(contribution)) return value(contribution)
        const inner = contribution.value ?? null
        return inner === null ? 'null' : value(inner)
      }
    default:
      return value
  }
}
