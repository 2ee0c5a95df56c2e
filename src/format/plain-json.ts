import { emitChanges } from './emit-changes.ts'
import type { Decoder, Emit, Format, InputRecord } from './format.ts'
import { noOptions } from './format-option.ts'
import { parseRecord, requireObject } from './parse-record.ts'

/** Rows without any mark, each an insert: Flink's `json`. Never detected, since any object would do. */
export const plainJson: Format = {
  name: 'json',
  changelogMode: 'insert-only',
  groupEnd: 'none',
  detect: () => 0,
  createDecoder: (options, problems) => {
    noOptions('json', options, problems)
    return plainJsonDecoder
  },
}

const plainJsonDecoder: Decoder = {
  decode(input: InputRecord, emit: Emit) {
    const record = parseRecord(input)
    emitChanges(record, record.value === null ? [] : [{ kind: '+I', row: requireObject(record) }], emit)
  },
  end() {
    // every record is complete by itself
  },
}
