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

  /** The input has ended. */
  end(emit: Emit): void {
    if (this.#decoder === undefined && this.#samples.length > 0) this.#detect(true, emit)
    this.#decoder?.end(emit)
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
    return decoder
  }

  #decodeOne(decoder: Decoder, record: InputRecord, emit: Emit): void {
    try {
      decoder.decode(record, emit)
    } catch (error) {
      if (!(error instanceof TidegateError) || error.code !== 'INPUT_MALFORMED') throw error
      this.malformedCount++
      if (this.#onMalformed === 'fail') throw error
      if (this.#onMalformed !== 'skip') this.#onMalformed(error, record)
    }
  }
}
