import { createRowKeyCodec, type RowKeyCodec } from '../row/row-key.ts'
import type { Column, Schema } from '../row/schema.ts'
import type { TypeMapping } from './connector.ts'

/** Keys that are equal exactly where the store holds them equal. */
export function storeKeyCodec(typeMapping: TypeMapping, schema: Schema): RowKeyCodec {
  const normalizers = schema.primaryKey.map((position) =>
    typeMapping.keyNormalizer((schema.columns[position] as Column).type),
  )
  return createRowKeyCodec(schema, normalizers)
}
