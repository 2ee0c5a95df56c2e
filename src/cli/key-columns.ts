import type { InputRecord } from '../format/format.ts'
import { isJsonObject, type JsonObject, parseRecord } from '../format/parse-record.ts'

/** The key columns that a record names by itself: in its Kafka key, or as canal, Maxwell and pgoutput write them. */
export function keyColumnsOf(record: InputRecord): readonly string[] | undefined {
  const { key, value } = parseRecord(record)
  if (isJsonObject(key)) return namesOf(keyStruct(key))
  if (!isJsonObject(value)) return undefined
  const { relation } = isJsonObject(value['message']) ? value['message'] : value
  return (
    listOf(value['pkNames']) ??
    listOf(value['primary_key_columns']) ??
    (isJsonObject(relation) ? listOf(relation['keyColumns']) : undefined)
  )
}

/** A key with its Kafka Connect schema has the struct inside. */
function keyStruct(key: JsonObject): JsonObject {
  return isJsonObject(key['payload']) && 'schema' in key ? key['payload'] : key
}

function namesOf(struct: JsonObject): readonly string[] | undefined {
  const names = Object.keys(struct)
  return names.length === 0 ? undefined : names
}

function listOf(names: unknown): readonly string[] | undefined {
  return Array.isArray(names) && names.length > 0 ? names.map(String) : undefined
}
