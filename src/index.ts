// the declarations name Node's streams: a project that lists no types finds them all the same
/// <reference types="node" preserve="true" />
export type { Account } from './buffer/account.ts'
export type { ChangelogMode } from './changelog/changelog-mode.ts'
export type {
  Change,
  ChangelogElement,
  GroupEnd,
  Image,
  PositionMark,
  SchemaChange,
  Truncate,
  Watermark,
} from './changelog/element.ts'
export type { Offset, Position, Positions } from './changelog/position.ts'
export type { DeadLetter, FailureHandler } from './delivery/failure-handler.ts'
export type { SinkEvent, SinkEventListener } from './delivery/sink-event.ts'
export { UnwrittenError } from './delivery/unwritten-error.ts'
export { type ErrorCode, type Problem, TidegateError } from './errors.ts'
export { type DecodeOptions, decode } from './format/decode.ts'
export type { Explanation } from './plan/explain.ts'
export { explainText } from './plan/explain-text.ts'
export type { RowObject } from './row/row.ts'
export type { RowKind } from './row/row-kind.ts'
export { createSink, createSinks } from './sink/create-sink.ts'
export type { CreateSinkOptions, CreateSinksOptions } from './sink/create-sink-options.ts'
export { explainTables } from './sink/explain-tables.ts'
export type { FlushReport, Sink } from './sink/sink.ts'
export { defineTable, type TableInput } from './table/define-table.ts'
