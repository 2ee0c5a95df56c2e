import { must } from '../../src/assert.ts'
import type { CheckFinding, OpenContext } from '../../src/connector/connector.ts'
import type { Problem } from '../../src/errors.ts'
import { RedisFailure } from './failures.ts'
import { type Link, openLink } from './link.ts'
import type { RedisOptions } from './options.ts'
import { type ServerFacts, serverFacts } from './server-facts.ts'
import { prepareTable, type RedisTable } from './table.ts'
import { ledgerKeyOf, ledgerProblems, serverProblems, sharedKeys } from './writer.ts'

/** What of the server would lose rows or refuse them. There are no tables to compare: a key comes with its row. */
export async function checkServer({ tables: plans, plan, client }: OpenContext): Promise<readonly CheckFinding[]> {
  const options = must(plans[0], 'a domain has a table').connectorOptions as RedisOptions
  const tables = plans.map(prepareTable)
  const link = await openLink(client, options)
  try {
    const facts = await serverFacts(link)
    const ledger = ledgerKeyOf(plan, options)
    const findings = [
      ...[...serverProblems(facts, options), ...sharedKeys(tables), ...ledgerProblems(facts, tables, ledger)].map(
        asError,
      ),
      ...evictionFindings(facts),
      ...persistenceFindings(facts),
      ...replicaFindings(facts, options),
      ...(await typeFindings(link, tables)),
      ...(await rightFindings(link, tables)),
      ...(ledger === undefined ? [] : await ledgerRights(link, ledger)),
    ]
    return findings.length > 0 ? findings : [{ severity: 'ok', subject: facts.name, message: 'fits the plan' }]
  } finally {
    await link.close()
  }
}

function asError({ subject, message, fix }: Problem): CheckFinding {
  return { severity: 'error', subject, message, fix }
}

function evictionFindings({ info }: ServerFacts): readonly CheckFinding[] {
  const policy = info.get('maxmemory_policy') ?? 'noeviction'
  const limit = info.get('maxmemory') ?? '0'
  if (policy === 'noeviction') return []
  const when = limit === '0' ? 'once maxmemory is set' : 'when memory is short'
  const message = `is ${policy}: ${when}, rows and tombstones vanish without a word`
  return [{ severity: 'warning', subject: 'maxmemory-policy', message, fix: 'CONFIG SET maxmemory-policy noeviction' }]
}

/** Both servers say `aof_enabled:0` and no time of a save where nothing reaches the disk. */
function persistenceFindings({ info }: ServerFacts): readonly CheckFinding[] {
  if (info.get('aof_enabled') === '1') return []
  const message = 'is off: what was written since the last snapshot, if there is one, is lost with the server'
  const fix = 'CONFIG SET appendonly yes; with appendfsync always nothing is acknowledged before it is on the disk'
  return [{ severity: 'warning', subject: 'appendonly', message, fix }]
}

function replicaFindings({ info }: ServerFacts, options: RedisOptions): readonly CheckFinding[] {
  const found = Number(info.get('connected_slaves') ?? 0)
  const wanted = options['wait.replicas']
  if (info.get('role') === 'slave') {
    const message = 'is a replica, and takes no writes'
    return [{ severity: 'error', subject: 'server', message, fix: 'name the master in url' }]
  }
  if (found >= wanted) return []
  const message = `is ${wanted}, and the server has ${found}`
  return [{ severity: 'error', subject: 'wait.replicas', message, fix: 'add replicas, or lower it' }]
}

/** Where one key of a table stands for many, what is there must be of its type. */
async function typeFindings(link: Link, tables: readonly RedisTable[]): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = []
  for (const { plan, template } of tables) {
    if (plan.merge.key.length > 0) continue
    const type = String(await link.send(['TYPE', template.prefix], template.prefix))
    if (type === 'none' || type === 'stream') continue
    const message = `is a ${type}, and rows of ${plan.name} are appended to a stream`
    findings.push({ severity: 'error', subject: `key ${template.prefix}`, message, fix: "set another 'key'" })
  }
  return findings
}

/** Commands that the scripts and the connection send, each with a key of the table where it takes one. */
const commands: readonly (readonly string[])[] = [
  ['EVALSHA', '0', '1', '<key>'],
  ['EVAL', 'return 0', '1', '<key>'],
  ['HMGET', '<key>', 'f'],
  ['HSET', '<key>', 'f', 'v'],
  ['HDEL', '<key>', 'f'],
  ['GET', '<key>'],
  ['SET', '<key>', 'v'],
  ['ZSCORE', '<key>', 'm'],
  ['ZADD', '<key>', '1', 'm'],
  ['ZREM', '<key>', 'm'],
  ['XADD', '<key>', '*', 'f', 'v'],
  ['TYPE', '<key>'],
  ['DEL', '<key>'],
  ['UNLINK', '<key>'],
  ['PEXPIRE', '<key>', '1'],
  ['PERSIST', '<key>'],
  ['SCAN', '0'],
  ['INFO'],
  ['CLIENT', 'ID'],
  ['CLIENT', 'KILL', 'ID', '1'],
]

/** By `ACL DRYRUN`, which servers know from 7.0 on and users must be allowed; without it nothing is said of rights. */
async function rightFindings(link: Link, tables: readonly RedisTable[]): Promise<readonly CheckFinding[]> {
  const user = await answerOf(link, ['ACL', 'WHOAMI'])
  if (user === undefined) return []
  const findings: CheckFinding[] = []
  for (const { plan, template, format } of tables) {
    const missing: string[] = []
    for (const command of commands.filter((one) => isNeeded(one, format, plan.merge.key.length > 0))) {
      const words = command.map((word) => (word === '<key>' ? `${template.prefix}x` : word))
      const answer = await answerOf(link, ['ACL', 'DRYRUN', user, ...words])
      if (answer === undefined) return []
      if (answer !== 'OK') missing.push(command.filter((word) => /^[A-Z]+$/.test(word)).join(' '))
    }
    if (missing.length === 0) continue
    const rights = missing.map((name) => `+${name.toLowerCase().split(' ').slice(0, 2).join('|')}`).join(' ')
    const message = `may not run ${missing.join(', ')} on keys of ${plan.name}`
    findings.push({
      severity: 'error',
      subject: `user ${user}`,
      message,
      fix: `ACL SETUSER ${user} ~${template.prefix}* ${rights}`,
    })
  }
  return findings
}

async function ledgerRights(link: Link, key: string): Promise<readonly CheckFinding[]> {
  const user = await answerOf(link, ['ACL', 'WHOAMI'])
  if (user === undefined) return []
  const answers = await Promise.all(
    ['HMGET', 'HSET', 'HINCRBY', 'HGETALL', 'HGET'].map(async (name) => {
      const more = { HMGET: ['f'], HGET: ['f'], HSET: ['f', 'v'], HINCRBY: ['f', '1'], HGETALL: [] }[name] ?? []
      return { name, answer: await answerOf(link, ['ACL', 'DRYRUN', user, name, key, ...more]) }
    }),
  )
  const missing = answers.filter(({ answer }) => answer !== undefined && answer !== 'OK').map(({ name }) => name)
  if (missing.length === 0) return []
  const message = `may not run ${missing.join(', ')} on the ledger ${key}`
  const rights = missing.map((name) => `+${name.toLowerCase()}`).join(' ')
  return [{ severity: 'error', subject: `user ${user}`, message, fix: `ACL SETUSER ${user} ~${key} ${rights}` }]
}

const layoutOf: Readonly<Record<string, string>> = {
  HMGET: 'hash',
  HSET: 'hash',
  HDEL: 'hash',
  GET: 'string',
  SET: 'string',
  ZSCORE: 'sorted-set',
  ZADD: 'sorted-set',
  ZREM: 'sorted-set',
  XADD: 'stream',
}

function isNeeded([name = '']: readonly string[], format: RedisTable['format'], hasKey: boolean): boolean {
  const layout = layoutOf[name]
  if (layout === undefined) return true
  if (!hasKey) return layout === 'stream'
  return layout === (format === 'json' ? 'string' : format)
}

/** Undefined: the user may not ask, or the server does not know the command. */
async function answerOf(link: Link, args: readonly string[]): Promise<string | undefined> {
  try {
    return String(await link.send(args))
  } catch (error) {
    if (error instanceof RedisFailure && error.word !== undefined) return undefined
    throw error
  }
}
