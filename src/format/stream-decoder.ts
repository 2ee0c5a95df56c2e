import type { Change } from '../changelog/element.ts'
import { NextIdGroups } from '../changelog/next-id-groups.ts'
import { keyOfColumns } from '../changelog/pair-delete-create.ts'
import { UpdateEncoding } from '../changelog/update-encoding.ts'
import { type Problem, problemsError, TidegateError } from '../errors.ts'
import type { Decoder, Emit, Format, FormatOptions, InputRecord } from './format.ts'
import { detectFormat, findFormat } from './registry.ts'

/** What becomes of a record that cannot be read: the error is thrown, the record is skipped and counted, or yours to say. */
export type OnMalformed = 'fail' | 'skip' | ((error: TidegateError, record: InputRecord) => void)

export interface StreamDecoderOptions {
  /** A format or its name; undefined: found out from the first records. */
  readonly format?: Format | string | undefined
  /** `<format>.*` options without their prefix. */
  readonly options?: FormatOptions['options'] | undefined
  readonly primaryKey?: FormatOptions['primaryKey']
  /** `source.update-encoding`. Default `auto` for the formats in which Flink writes updates as delete and create, else `update`. */
  readonly updateEncoding?: 'auto' | 'update' | 'delete-create' | undefined
  /** Equal (as a Map sees it) exactly for one row of one table; by default taken from `primaryKey`. */
  readonly keyOf?: ((change: Change) => unknown) | undefined
  /** Default `fail`, or `skip` with the format's option `ignore-parse-errors` = true. */
  readonly onMalformed?: OnMalformed | undefined
}

/** Records looked at before a format that is not recognised is given up. */
const sampleMax = 20

/**
 * Decodes one input stream: finds out its format where it is not named, and deals with records that cannot be read. Throws
 * `FORMAT_UNKNOWN`, `OPTION_INVALID` for the format's options, and, under `fail`, `INPUT_MALFORMED`.
 */
export class StreamDecoder {
  /** Records that could not be read. */
  malformedCount = 0
  recordCount = 0
  readonly #options: StreamDecoderOptions
  readonly #onMalformed: OnMalformed
  #format: Format | undefined
  #decoder: Decoder | undefined
  #groups: NextIdGroups | undefined
  #updateEncoding: UpdateEncoding | undefined
  /** The stages in front of the last `emit`: most callers pass the same one with each record. */
  #staged: { readonly emit: Emit; readonly through: Emit } | undefined
  /** First records, while the format is not known. */
  #samples: InputRecord[] = []

  constructor(options: StreamDecoderOptions = {}) {
    this.#options = options
    const ignores = options.options?.['ignore-parse-errors']?.trim().toLowerCase() === 'true'
    this.#onMalformed = options.onMalformed ?? (ignores ? 'skip' : 'fail')
    const { format } = options
    if (format !== undefined) this.#start(typeof format === 'string' ? findFormat(format) : format)
  }

  /** Undefined until it is found out. */
  get format(): Format | undefined {
    return this.#format
  }

  /** How groups end in this stream; undefined until the format is known. */
  get groupEnd(): Format['groupEnd'] | undefined {
    return this.#decoder?.groupEnd ?? this.#format?.groupEnd
  }

  decode(record: InputRecord, emit: Emit): void {
    this.recordCount++
    if (this.#decoder !== undefined) {
      this.#decodeOne(this.#decoder, record, emit)
      return
    }
    this.#samples.push(record)
    this.#detect(this.#samples.length >= sampleMax, emit)
  }

  /** Nothing follows for now: a delete that waits for the create of an update is let go. */
  release(emit: Emit): void {
    this.#updateEncoding?.release(emit)
  }

  /** The input has ended. */
  end(emit: Emit): void {
    if (this.#decoder === undefined && this.#samples.length > 0) this.#detect(true, emit)
    this.#decoder?.end(this.#through(emit))
    this.#groups?.end(emit)
    this.release(emit)
  }

  /** What the decoder gives out passes the stages that the format asks for. */
  #through(emit: Emit): Emit {
    if (this.#staged?.emit !== emit) {
      const [groups, updateEncoding] = [this.#groups, this.#updateEncoding]
      const paired: Emit = updateEncoding === undefined ? emit : (element) => updateEncoding.push(element, emit)
      this.#staged = { emit, through: groups === undefined ? paired : (element) => groups.push(element, paired) }
    }
    return this.#staged.through
  }

  #detect(isLastChance: boolean, emit: Emit): void {
    let format: Format
    try {
      format = detectFormat(this.#samples)
    } catch (error) {
      if (isLastChance || !(error instanceof TidegateError)) throw error
      return
    }
    const decoder = this.#start(format)
    const samples = this.#samples
    this.#samples = []
    for (const record of samples) this.#decodeOne(decoder, record, emit)
  }

  #start(format: Format): Decoder {
    const problems: Problem[] = []
    const { options = {}, primaryKey } = this.#options
    const decoder = format.createDecoder({ options, primaryKey }, problems)
    if (problems.length > 0) {
      throw problemsError(`the options of the format ${format.name} cannot be used:`, problems, {
        code: 'OPTION_INVALID',
      })
    }
    this.#format = format
    this.#decoder = decoder
    if (this.groupEnd === 'next-id') this.#groups = new NextIdGroups()
    this.#updateEncoding = this.#updateEncodingOf(format)
    return decoder
  }

  #updateEncodingOf(format: Format): UpdateEncoding | undefined {
    const { updateEncoding = 'auto', primaryKey, keyOf = primaryKey && keyOfColumns(primaryKey) } = this.#options
    // without a key nobody can tell the create of an update from that of another row
    const isUsed = updateEncoding === 'auto' ? format.mayWriteDeleteCreate && keyOf !== undefined : true
    return isUsed && updateEncoding !== 'update' ? new UpdateEncoding(updateEncoding, keyOf) : undefined
  }

  #decodeOne(decoder: Decoder, record: InputRecord, emit: Emit): void {
    try {
      decoder.decode(record, this.#through(emit))
    } catch (error) {
      if (!(error instanceof TidegateError) || error.code !== 'INPUT_MALFORMED') throw error
      this.malformedCount++
      if (this.#onMalformed === 'fail') throw error
      if (this.#onMalformed !== 'skip') this.#onMalformed(error, record)
    }
  }
}
