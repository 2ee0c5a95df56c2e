import type { Change } from '../changelog/element.ts'
import type { Offset, Position } from '../changelog/position.ts'
import { parseRowKind, type RowKind } from '../row/row-kind.ts'
import { AdjacentPairs } from './adjacent-pairs.ts'
import type { Decoder, Emit, Format, InputRecord } from './format.ts'
import { noOptions } from './format-option.ts'
import {
  isJsonObject,
  type JsonObject,
  malformed,
  member,
  type ParsedRecord,
  parseRecord,
  requireObject,
  textMember,
} from './parse-record.ts'

/**
 * Flink's changelog-json, one change a line:
 *
 *     {"op":"+I","data":{…}}
 *
 * with, if wanted, `"table"`, `"group"` and `"position"` beside it (`"ts"` is for people). `kind` and `row` are taken for
 * `op` and `data`, as recordings and dead letters have them. A `-U` and the `+U` that is the next record are the two halves
 * of one update (rule K6), unless they were recorded from different subtasks or tables. Control lines:
 *
 *     {"groupEnd":id}  {"watermark":ts}  {"truncate":"table"}
 */
export const changelogJson: Format = {
  name: 'changelog-json',
  changelogMode: 'unknown',
  groupEnd: 'marker',
  detect: (samples) => {
    const likely = samples.filter(({ value }) => isJsonObject(value) && (isChangeLine(value) || isControlLine(value)))
    return samples.length > 0 && likely.length === samples.length ? 1 : 0
  },
  createDecoder: (options, problems) => {
    noOptions('changelog-json', options, problems)
    return new ChangelogJsonDecoder()
  },
}

const kindNames: ReadonlyMap<unknown, RowKind> = new Map([
  ['INSERT', '+I'],
  ['UPDATE_BEFORE', '-U'],
  ['UPDATE_AFTER', '+U'],
  ['DELETE', '-D'],
])

class ChangelogJsonDecoder implements Decoder {
  readonly #pairs = new AdjacentPairs()

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const line = requireObject(record)
    if (isControlLine(line)) {
      this.#pairs.release(emit)
      emitControl(record, line, emit)
    } else {
      this.#pairs.push(changeOf(record, line), member(line, 'subtask'), emit)
    }
  }

  end(emit: Emit): void {
    this.#pairs.release(emit)
  }
}

function isChangeLine(line: JsonObject): boolean {
  return kindOf(line) !== undefined && isJsonObject(rowOf(line))
}

function isControlLine(line: JsonObject): boolean {
  return rowOf(line) === undefined && ('groupEnd' in line || 'watermark' in line || 'truncate' in line)
}

function kindOf(line: JsonObject): RowKind | undefined {
  const op = line['op'] ?? line['kind']
  return parseRowKind(op) ?? kindNames.get(op)
}

function rowOf(line: JsonObject): unknown {
  return line['data'] ?? line['row']
}

function changeOf(record: ParsedRecord, line: JsonObject): Change {
  const kind = kindOf(line)
  if (kind === undefined) throw malformed(record, 'has no row kind in "op"', 'it is one of +I, -U, +U, -D')
  const row = rowOf(line)
  if (!isJsonObject(row)) throw malformed(record, 'has no object in "data"')
  return {
    kind,
    row,
    table: textMember(line, 'table'),
    group: textMember(line, 'group'),
    position: positionOf(line) ?? record.position,
    record: record.record,
  }
}

function emitControl(record: ParsedRecord, line: JsonObject, emit: Emit): void {
  const common = { position: positionOf(line) ?? record.position, record: record.record }
  if ('groupEnd' in line) {
    if (!isName(line['groupEnd'])) throw malformed(record, 'has a "groupEnd" that is no id of a group')
    emit({ type: 'group-end', group: textMember(line, 'groupEnd'), ...common })
    return
  }
  if ('truncate' in line) {
    const { truncate } = line
    // a line that does not say it clearly must not empty a table
    if (truncate !== true && (typeof truncate !== 'string' || truncate === '')) {
      throw malformed(record, 'has a "truncate" that names no table', 'write {"truncate":"orders"}')
    }
    const table = truncate === true ? textMember(line, 'table') : truncate
    emit({ type: 'truncate', table, group: textMember(line, 'group'), ...common })
    return
  }
  const { watermark } = line
  if (typeof watermark !== 'number' && (typeof watermark !== 'string' || Number.isNaN(Date.parse(watermark)))) {
    throw malformed(record, 'has a "watermark" that is neither a number nor a time in ISO 8601')
  }
  emit({ type: 'watermark', timestamp: watermark, ...common })
}

function isName(id: unknown): boolean {
  return typeof id === 'number' || typeof id === 'bigint' || (typeof id === 'string' && id !== '')
}

/** `{"partition":…,"offset":…}`, or the offset alone where there is one partition. */
function positionOf(line: JsonObject): Position | undefined {
  const position = member(line, 'position')
  if (position === undefined || position === null) return undefined
  if (typeof position === 'bigint') return { partition: '', offset: position.toString() }
  if (!isJsonObject(position)) return { partition: '', offset: position as Offset }
  const { partition, offset } = position
  if ((typeof partition === 'string' || typeof partition === 'number') && offset !== undefined) {
    return { partition: String(partition), offset: offset as Offset }
  }
  return { partition: '', offset: position }
}
