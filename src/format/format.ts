import type { ChangelogMode } from '../changelog/changelog-mode.ts'
import type { ChangelogElement } from '../changelog/element.ts'
import type { Problem } from '../errors.ts'

/** One message of a source: a line of a file, a Kafka record, a row of a subscription. */
export interface InputRecord {
  /** Undecoded text or bytes, or an object that a client has decoded; null is a Kafka tombstone. */
  readonly value: string | Uint8Array | object | null
  readonly key?: string | Uint8Array | object | null | undefined
  readonly headers?: Readonly<Record<string, unknown>> | undefined
  readonly topic?: string | undefined
  readonly partition?: string | number | undefined
  readonly offset?: string | number | undefined
  /** Number of the record in its input, from 1. */
  readonly record?: number | undefined
  /** Why whoever read the input could not read this record; the decoder raises it as `INPUT_MALFORMED`. */
  readonly fault?: string | undefined
}

export type Emit = (element: ChangelogElement) => void

/** How a group ends: a mark, the next id within one partition, or not at all (rule B2). */
export type GroupEndMarking = 'marker' | 'next-id' | 'none'

/** State of one input stream (pairs, held rows, relations). Decoding is synchronous and in order. */
export interface Decoder {
  /** Where the format's options change it, how groups end; else as the format says. */
  readonly groupEnd?: GroupEndMarking | undefined
  /** Throws `TidegateError` `INPUT_MALFORMED` for a record that cannot be read; the decoder stays usable. */
  decode(record: InputRecord, emit: Emit): void
  /** The input has ended: gives out what was held, save groups whose end never came. */
  end(emit: Emit): void
}

/** A format: what it carries, and how a decoder is made. */
export interface Format {
  readonly name: string
  /** Mode of the stream, unless `source.changelog-mode` says otherwise (rule K7). */
  readonly changelogMode: ChangelogMode
  /** How a group ends, unless the decoder knows better. */
  readonly groupEnd: GroupEndMarking
  /** Flink's encoder of this format writes an update as a delete and a create (`source.update-encoding`). */
  readonly mayWriteDeleteCreate?: true
  /** 0 (not this format) to 1, from some first records whose texts are parsed. */
  readonly detect: (samples: readonly Sample[]) => number
  /** Problems in `options` are pushed, with the option's full name as subject. */
  readonly createDecoder: (options: FormatOptions, problems: Problem[]) => Decoder
}

/** What detection sees of a record: its value parsed and out of its Kafka envelope, and its key. */
export interface Sample {
  readonly value: unknown
  readonly key: unknown
}

/** What a decoder is told beside its own options. */
export interface FormatOptions {
  /** `<format>.*` options without their prefix, e.g. `decimal.handling.mode`. */
  readonly options: Readonly<Record<string, string>>
  /** Primary key columns of the declared table, if there is just one table; a decoder may need them to complete key-only deletes. */
  readonly primaryKey?: readonly string[] | undefined
}
