import type { RowKind } from '../row/row-kind.ts'
import { AdjacentPairs } from './adjacent-pairs.ts'
import type { Decoder, Emit, Format, InputRecord } from './format.ts'
import { noOptions } from './format-option.ts'
import { isJsonObject, malformed, parseRecord, requireObject, textMember } from './parse-record.ts'

/**
 * Rows of a RisingWave subscription cursor: the columns with `op` and `rw_timestamp`. Rows of one timestamp are one group;
 * those of the snapshot have none. The position is the timestamp, to resume with `SINCE`, once its group is complete.
 */
export const risingwaveSubscription: Format = {
  name: 'risingwave-subscription',
  changelogMode: 'retract',
  groupEnd: 'next-id',
  detect: (samples) => {
    const isRow = (value: unknown) => isJsonObject(value) && 'rw_timestamp' in value && kinds.has(value['op'])
    return samples.length > 0 && samples.every(({ value }) => isRow(value)) ? 1 : 0
  },
  createDecoder: (options, problems) => {
    noOptions('risingwave-subscription', options, problems)
    return new RisingwaveDecoder()
  },
}

/** By name, and by the number that servers before 2.0 send. */
const kinds: ReadonlyMap<unknown, RowKind> = new Map<unknown, RowKind>([
  ...(['Insert', '1', 1] as const).map((op) => [op, '+I'] as const),
  ...(['Delete', '2', 2] as const).map((op) => [op, '-D'] as const),
  ...(['UpdateInsert', '3', 3] as const).map((op) => [op, '+U'] as const),
  ...(['UpdateDelete', '4', 4] as const).map((op) => [op, '-U'] as const),
])

class RisingwaveDecoder implements Decoder {
  readonly #pairs = new AdjacentPairs()
  #group: string | undefined

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const { op, rw_timestamp: _, ...row } = requireObject(record)
    const kind = kinds.get(op)
    if (kind === undefined) {
      throw malformed(
        record,
        'has an "op" that RisingWave does not know',
        'it is Insert, UpdateDelete, UpdateInsert or Delete',
      )
    }
    const group = textMember(requireObject(record), 'rw_timestamp')
    if (group !== this.#group) this.end(emit)
    this.#group = group
    this.#pairs.push({ kind, row, group, record: record.record }, undefined, emit)
  }

  end(emit: Emit): void {
    this.#pairs.release(emit)
    const group = this.#group
    this.#group = undefined
    if (group !== undefined) emit({ type: 'group-end', group, position: { partition: '', offset: group } })
  }
}
