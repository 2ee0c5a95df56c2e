import { didYouMean } from '../did-you-mean.ts'
import { TidegateError } from '../errors.ts'
import { canalJson } from './canal-json.ts'
import { changelogJson } from './changelog-json.ts'
import { debeziumJson, debeziumUnwrapped } from './debezium-json.ts'
import type { Format, InputRecord, Sample } from './format.ts'
import { materializeSubscribe } from './materialize-subscribe.ts'
import { maxwellJson } from './maxwell-json.ts'
import { oggJson } from './ogg-json.ts'
import { isJsonObject, parseRecord } from './parse-record.ts'
import { pgoutput } from './pgoutput.ts'
import { plainJson } from './plain-json.ts'
import { risingwaveSubscription } from './risingwave-subscription.ts'
import { upsertKafka } from './upsert-kafka.ts'

/** Every input format, in the order in which messages name them. */
export const formats: readonly Format[] = [
  changelogJson,
  debeziumJson,
  debeziumUnwrapped,
  canalJson,
  maxwellJson,
  oggJson,
  upsertKafka,
  materializeSubscribe,
  risingwaveSubscription,
  pgoutput,
  plainJson,
]

/** Throws `FORMAT_UNKNOWN` for a name that no format has. */
export function findFormat(name: string): Format {
  const format = formats.find((candidate) => candidate.name === name.toLowerCase())
  if (format !== undefined) return format
  const nearest = didYouMean(name, names())
  const hint = nearest === undefined ? `formats are ${names().join(', ')}` : `did you mean ${nearest}?`
  throw new TidegateError(`there is no format named ${JSON.stringify(name)}; ${hint}`, { code: 'FORMAT_UNKNOWN', hint })
}

/**
 * The format of some first records. Throws `FORMAT_UNKNOWN`, saying which members were seen, where none fits or where two
 * fit equally well. Records that are not JSON are passed over: the decoder reports them.
 */
export function detectFormat(records: readonly InputRecord[]): Format {
  const samples = records.flatMap(sampleOf)
  const scored = formats
    .map((format) => ({ format, score: samples.length === 0 ? 0 : format.detect(samples) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
  const [best, second] = scored
  if (best !== undefined && (second === undefined || second.score < best.score)) return best.format
  const fitting = scored.map(({ format }) => format.name)
  const problem =
    fitting.length > 1 ? `could be ${fitting.join(' or ')}` : `is not recognised: ${seenIn(records, samples)}`
  throw new TidegateError(`the format of the input ${problem}; name it with 'format' = '…' (${names().join(', ')})`, {
    code: 'FORMAT_UNKNOWN',
    hint: "name it with 'format' = '…'",
  })
}

function names(): string[] {
  return formats.map((format) => format.name)
}

function sampleOf(record: InputRecord): Sample[] {
  try {
    const { value, key } = parseRecord(record)
    return [{ value, key }]
  } catch (error) {
    if (error instanceof TidegateError) return []
    throw error
  }
}

const membersShown = 12

/** Names of members, never their values (rule C2). */
function seenIn(records: readonly InputRecord[], samples: readonly Sample[]): string {
  if (records.length === 0) return 'there is no record'
  if (samples.length === 0) return `none of its first ${records.length} records is JSON`
  const object = samples.map(({ value }) => value).find(isJsonObject)
  if (object === undefined) return 'its first records are no JSON objects'
  const members = Object.keys(object)
  const more = members.length > membersShown ? ', …' : ''
  return `its records have the members ${members.slice(0, membersShown).join(', ')}${more}`
}
