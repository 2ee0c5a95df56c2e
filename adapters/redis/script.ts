import { createHash } from 'node:crypto'
import { luaColumnwise } from './lua/columnwise.ts'
import { luaDeduplicate } from './lua/deduplicate.ts'
import { luaMain } from './lua/main.ts'
import { luaRows } from './lua/rows.ts'
import { luaValues } from './lua/values.ts'

/** A script of fixed text: what varies comes as KEYS and ARGV (rule C1). */
export interface Script {
  readonly text: string
  /** By which EVALSHA calls it. */
  readonly sha: string
}

/** Applies the changes of one call, all or nothing. */
export const applyScript = scriptOf([luaValues, luaRows, luaDeduplicate, luaColumnwise, luaMain].join(''))

/** The rows of KEYS: for a hash (ARGV[1]) the fields ARGV[2…], else the string; 0 for a key of another type. */
export const readScript = scriptOf(`
local replies = {}
for i, key in ipairs(KEYS) do
  local reply = ARGV[1] == 'hash' and redis.pcall('HMGET', key, unpack(ARGV, 2)) or redis.pcall('GET', key)
  if type(reply) == 'table' and reply.err then reply = 0 end
  replies[i] = reply
end
return replies
`)

/**
 * The ledger of an exactly-once sink (rule R5). `take`: the writer of ARGV[2] takes over. `ask`: it goes on under a new epoch,
 * so that what it has sent before is refused; nothing comes back if another has taken over.
 */
export const ledgerScript = scriptOf(`
if ARGV[1] == 'take' then redis.call('HSET', KEYS[1], 'writer', ARGV[2])
elseif redis.call('HGET', KEYS[1], 'writer') ~= ARGV[2] then return {} end
redis.call('HINCRBY', KEYS[1], 'epoch', 1)
return redis.call('HGETALL', KEYS[1])
`)

function scriptOf(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
