import { counted } from '../counted.ts'
import { findFormat } from '../format/registry.ts'
import type { Cases, InspectReport, TableReport } from './inspect-report.ts'

/** What the findings mean for a sink, most important first. */
export function adviceOf(report: Omit<InspectReport, 'advice'>): readonly string[] {
  return [
    ...malformedAdvice(report),
    ...otherTablesAdvice(report),
    ...report.tables.flatMap(upsertKeyAdvice),
    ...encodingAdvice(report),
    ...modeAdvice(report),
    ...report.tables.flatMap(sequenceAdvice),
    ...report.tables.flatMap(keyedAdvice),
    ...imageAdvice(report),
    ...report.tables.flatMap(columnAdvice),
    ...groupAdvice(report),
    ...keyAdvice(report),
  ]
}

/** `lines 3, 7, …`. */
export function linesText({ count, lines }: Cases): string {
  if (lines.length === 0) return ''
  const more = count > lines.length ? ', …' : ''
  return `${lines.length === 1 && more === '' ? 'line' : 'lines'} ${lines.join(', ')}${more}`
}

function malformedAdvice({ malformed }: Omit<InspectReport, 'advice'>): string[] {
  if (malformed.count === 0) return []
  return [
    `${counted(malformed.count, 'record')} cannot be read: tidegate run ends there, or goes on with --on-malformed skip`,
  ]
}

function otherTablesAdvice({ otherTables }: Omit<InspectReport, 'advice'>): string[] {
  if (otherTables.changes === 0) return []
  const names = otherTables.names.map((name) => name || 'records without a table name').join(', ')
  return [
    `${counted(otherTables.changes, 'change')} of tables that the DDL does not declare (${names}) would not be written; 'source.table' says which table of the stream is meant`,
  ]
}

/** Rule O2, from the data alone. */
function upsertKeyAdvice({ name, keyed }: TableReport): string[] {
  if (keyed === null || keyed.unmatched.count === 0) return []
  const of = name === null ? '' : ` of ${name}`
  const key = keyed.key.join(', ')
  const found = `${counted(keyed.unmatched.count, 'retraction')}${of} with another row than the current one of the key (${linesText(keyed.unmatched)})`
  const cause =
    keyed.keysInSeveralPartitions > 0
      ? `${counted(keyed.keysInSeveralPartitions, 'key')} with changes in several partitions, between which there is no order`
      : `changes of one key are out of order, or the stream is unique by other columns than ${key}`
  return [
    `${found}: ${cause}. If the upsert key of the producer is not ${key} (a join on a foreign key), match rows whole by 'sink.upsert-key' = 'none' and 'sink.on-conflict' = 'deduplicate'; else name a 'sequence.field'`,
  ]
}

function encodingAdvice({ updates, format }: Omit<InspectReport, 'advice'>): string[] {
  if (updates.encoding !== 'delete-create') return []
  const found = `updates are written as delete and create (${counted(updates.deleteCreatePairs, 'time')})`
  const isDefault = format.name !== null && findFormat(format.name).mayWriteDeleteCreate === true
  return isDefault
    ? [`${found}, as Flink's encoders do: for this input they become updates again ('source.update-encoding' = 'auto')`]
    : [`${found}: with 'source.update-encoding' = 'delete-create' they become updates again, and a reader sees no gap`]
}

function modeAdvice({ changes, format }: Omit<InspectReport, 'advice'>): string[] {
  if (changes.total === 0 || format.name !== 'changelog-json') return []
  const mode = changes['-U'] > 0 ? 'retract' : changes['+U'] + changes['-D'] > 0 ? 'upsert' : 'insert-only'
  return [
    `this input carries ${mode} changes: with 'source.changelog-mode' = '${mode}' the plan is checked before the first record`,
  ]
}

function sequenceAdvice({ sequence, columns }: TableReport): string[] {
  if (sequence === null) return []
  const absent = sequence.columns.filter((name) => !columns.some((column) => column.name === name))
  if (absent.length > 0) {
    const has = columns.map(({ name }) => name).join(', ')
    return [`no record has ${absent.join(' or ')}: nothing can be said of the order; the columns are ${has}`]
  }
  const names = sequence.columns.join(', ')
  if (sequence.older.count === 0) return [`by ${names} nothing is out of order`]
  return [
    `${counted(sequence.older.count, 'change')} older by ${names} than one that came before (${linesText(sequence.older)}): 'sequence.field' = '${sequence.columns.join(',')}' keeps them from overwriting it`,
  ]
}

function keyedAdvice({ keyed }: TableReport): string[] {
  if (keyed === null) return []
  const lines: string[] = []
  if (keyed.withoutKey.count > 0) {
    lines.push(
      `${counted(keyed.withoutKey.count, 'change')} without the key ${keyed.key.join(', ')} (${linesText(keyed.withoutKey)}) would be rejected`,
    )
  }
  if (keyed.loneUpdateBefores.count > 0) {
    lines.push(
      `${keyed.loneUpdateBefores.count} -U without a +U of their key behind it (${linesText(keyed.loneUpdateBefores)}): under 'sink.ignore.update-before' = 'auto' such a -U deletes that version (K2)`,
    )
  }
  if (keyed.redelivered.count > 0) {
    lines.push(
      `${counted(keyed.redelivered.count, 'change')} as the one before of the key (${linesText(keyed.redelivered)}): harmless for upserts, and if it was sent twice, counted twice by sum, product, listagg and collect`,
    )
  }
  return lines
}

function imageAdvice({ images, deletes, updates, changes }: Omit<InspectReport, 'advice'>): string[] {
  const lines: string[] = []
  if (images.partial > 0) {
    lines.push(
      `${counted(images.partial, 'change')} with some of the columns only: what is absent is never written and keeps its value`,
    )
  }
  if (deletes.keyOnly > 0) {
    lines.push(
      `${counted(deletes.keyOnly, 'delete')} with the key only: where there is a sequence, 'sink.delete.without-sequence' says what these do (G6)`,
    )
  }
  if (updates.withoutBefore > 0 && changes['-U'] < changes['+U']) {
    lines.push(
      `${counted(updates.withoutBefore, 'update')} without the image before: a table without a primary key, or an aggregation that has to take it back, cannot use this input`,
    )
  }
  return lines
}

function columnAdvice({ undeclared, neverSent }: TableReport): string[] {
  const extra = Object.keys(undeclared ?? {})
  return [
    ...(extra.length > 0 ? [`not declared, so not written: ${extra.join(', ')}`] : []),
    ...((neverSent ?? []).length > 0 ? [`declared, and never sent: ${(neverSent ?? []).join(', ')}`] : []),
  ]
}

function groupAdvice({ groups, numbersAbove2to53 }: Omit<InspectReport, 'advice'>): string[] {
  const lines: string[] = []
  if (groups.changes > 0) {
    lines.push("the changes come in groups: 'sink.flush.align' = 'group' lets readers see each of them whole (B2)")
  }
  if (groups.open > 0)
    lines.push(`${counted(groups.open, 'group')} without an end in this input: aligned to groups, that stays unwritten`)
  if (numbersAbove2to53.count > 0) {
    lines.push(
      `numbers that JSON.parse would change stand in ${numbersAbove2to53.columns.join(', ')}: tidegate keeps them exact, in BIGINT, DECIMAL and STRING columns`,
    )
  }
  return lines
}

function keyAdvice({ tables }: Omit<InspectReport, 'advice'>): string[] {
  return tables.some(({ keyed, undeclared }) => keyed === null && undeclared === null)
    ? ['name the key (--key id, or --sink SINK.sql) to learn of keys, pairs and retractions']
    : []
}
