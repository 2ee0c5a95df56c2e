export type { MergeChange } from '../merge/merge-change.ts'
export type { AggregateFunction, MergePlan } from '../merge/merge-plan.ts'
export { duration, flag, integer, list, memorySize, oneOf, text } from '../options/option.ts'
export type { OptionTable, Resolved } from '../options/option-table.ts'
export type { SinkPlan, TablePlan } from '../plan/plan.ts'
export { type DataType, formatDataType } from '../row/data-type.ts'
export { toJsonRow } from '../row/json-value.ts'
export type { Row } from '../row/row.ts'
export { createRowKeyCodec, type FoldKey } from '../row/row-key.ts'
export { createRowReader } from '../row/row-reader.ts'
export { type Column, createSchema, type Schema } from '../row/schema.ts'
export { compareNullable, equalValues, type Value } from '../row/value.ts'
export type {
  RejectedChange,
  TableBatch,
  TableWriteResult,
  Wave,
  WriteBatch,
  WriteResult,
} from './batch.ts'
export { bisect } from './bisect.ts'
export type { BatchShape, Capabilities } from './capabilities.ts'
export type {
  CheckFinding,
  Connector,
  ConnectorOptions,
  FailureClass,
  OpenContext,
  PlannedTable,
  SinkWriter,
  StatementText,
  TypeMapping,
  WriteContext,
} from './connector.ts'
export { importDriver } from './import-driver.ts'
