/**
 * How a producer wrote values whose type alone does not tell. Everything is optional: text in the type's usual form is
 * always read. A number in a TIMESTAMP, TIME or DATE column is refused unless its unit is given here.
 */
export interface ValueEncoding {
  /** Unit of a whole number in a TIMESTAMP or TIMESTAMP_LTZ column; `by-precision`: ms to 3 digits, µs to 6, else ns (Debezium's adaptive mode). */
  readonly timestamp?: TimeUnit | 'by-precision' | undefined
  /** Unit of a whole number in a TIME column. */
  readonly time?: TimeUnit | 'by-precision' | undefined
  /** A whole number in a DATE column counts days since 1970-01-01. */
  readonly date?: 'days' | undefined
  /**
   * Text in a DECIMAL column is plain (default), or Base64 of a big-endian two's complement at the column's scale.
   * `either`: whichever it must be; text that could be both is refused.
   */
  readonly decimal?: 'text' | 'base64' | 'either' | undefined
  /** Text in a BINARY, VARBINARY or BYTES column. Default base64. */
  readonly bytes?: 'base64' | 'base64-url' | 'hex' | 'postgres' | undefined
}

export type TimeUnit = 'seconds' | 'millis' | 'micros' | 'nanos'
