import { createHash } from 'node:crypto'

/** Fixed texts: what differs from call to call comes in KEYS and ARGV, and never becomes a part of a script (rule C1). */
export interface Script {
  readonly text: string
  /** For EVALSHA. */
  readonly sha: string
}

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** A value is its text behind `=`, and nothing where there is none. */
const values = `
local function value(text) if text == '' then return false end return string.sub(text, 2) end
local function write(key, names, first, ttl)
  redis.call('DEL', key)
  local args = {}
  for at = 1, #names do
    local one = value(ARGV[first + at - 1])
    if one then args[#args + 1] = names[at]; args[#args + 1] = one end
  end
  redis.call('HSET', key, unpack(args))
  if ttl > 0 then redis.call('PEXPIRE', key, ttl) end
end
`

/**
 * Whole rows, each gated by the sequence that is stored (rule G1). Integers and decimals compare by their digits, since a
 * number of Lua is a double; texts by their bytes.
 *
 * KEYS: rows. ARGV: number of fields, their names; number of sequence fields, then for each its place and `n` or `t`;
 * 1 if descending; 1 if the first arrival wins ties; life of rows and of tombstones in ms, 0 for ever; then for each row
 * `u`, `d` (leaves a tombstone) or `x` (goes), and its values. Gives how many were stale, and the rows of another type.
 */
export const writeGated = script(`
${values}
local function numbers(a, b)
  local negative = string.sub(a, 1, 1) == '-'
  if negative ~= (string.sub(b, 1, 1) == '-') then return negative and -1 or 1 end
  local order
  if #a ~= #b then order = #a < #b and -1 or 1
  elseif a == b then return 0
  else order = a < b and -1 or 1 end
  return negative and -order or order
end
local function texts(a, b) if a == b then return 0 end return a < b and -1 or 1 end
local at = 1
local function take() local one = ARGV[at]; at = at + 1; return one end
local names = {}
for i = 1, tonumber(take()) do names[i] = take() end
local fields = {}
for i = 1, tonumber(take()) do
  local place = tonumber(take())
  fields[i] = { name = names[place], place = place, compare = take() == 'n' and numbers or texts }
end
local descending, first_wins = take() == '1', take() == '1'
local life, grave = tonumber(take()), tonumber(take())
local stale, wrong = 0, {}
local function order(key, first)
  for i = 1, #fields do
    local stored, new = redis.call('HGET', key, fields[i].name), value(ARGV[first + fields[i].place - 1])
    if stored and new then
      local one = fields[i].compare(new, stored)
      if one ~= 0 then return descending and -one or one end
    elseif stored then return -1
    elseif new then return 1 end
  end
  return 0
end
for row = 1, #KEYS do
  local key, op = KEYS[row], take()
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' and kind ~= 'hash' then wrong[#wrong + 1] = row
  else
    local newer = 1
    if #fields > 0 and kind == 'hash' then newer = order(key, at) end
    if newer < 0 or (newer == 0 and first_wins and op == 'u') then stale = stale + 1
    elseif op == 'x' then redis.call('DEL', key)
    else write(key, names, at, op == 'd' and grave or life) end
  end
  at = at + #names
end
return { stale, wrong }
`)

/** What a row holds, in one text: the texts of its fields with their lengths. As `digestOf` makes it here. */
const digest = `
local function digest(key, names)
  local stored, parts = redis.call('HMGET', key, unpack(names)), {}
  for at = 1, #names do
    if stored[at] then parts[at] = #stored[at] .. ':' .. stored[at] else parts[at] = '~' end
  end
  return redis.sha1hex(table.concat(parts))
end
`

/**
 * Rows that were merged by tidegate, each written only if it still is as it was read.
 *
 * KEYS: rows. ARGV: number of fields, their names; then for each row the digest of what was read, empty if it was not
 * there; its life in ms, 0 for ever, or -1 if it goes; and its values. Gives the rows that have changed since.
 */
export const compareAndSet = script(`
${values}
${digest}
local at = 1
local function take() local one = ARGV[at]; at = at + 1; return one end
local names = {}
for i = 1, tonumber(take()) do names[i] = take() end
local changed = {}
for row = 1, #KEYS do
  local key, expected, life = KEYS[row], take(), tonumber(take())
  local found = ''
  if redis.call('EXISTS', key) == 1 then found = digest(key, names) end
  if found ~= expected then changed[#changed + 1] = row
  elseif life < 0 then redis.call('DEL', key)
  else write(key, names, at, life) end
  at = at + #names
end
return changed
`)

/** KEYS: rows. ARGV: names of fields. Gives the fields of each row, 0 for one that is not there, 1 for one of another type. */
export const readRows = script(`
local rows = {}
for row = 1, #KEYS do
  local kind = redis.call('TYPE', KEYS[row]).ok
  if kind == 'hash' then rows[row] = redis.call('HMGET', KEYS[row], unpack(ARGV))
  else rows[row] = kind == 'none' and 0 or 1 end
end
return rows
`)

/** As `readRows`, for rows that are one text each. */
export const readTexts = script(`
local rows = {}
for row = 1, #KEYS do
  local kind = redis.call('TYPE', KEYS[row]).ok
  if kind == 'string' then rows[row] = { redis.call('GET', KEYS[row]) }
  else rows[row] = kind == 'none' and 0 or 1 end
end
return rows
`)

/** As `compareAndSet`, for rows that are one text each. ARGV for each row: digest of the text, life, text. */
export const compareAndSetText = script(`
local changed = {}
for row = 1, #KEYS do
  local key, first = KEYS[row], (row - 1) * 3
  local expected, life, text = ARGV[first + 1], tonumber(ARGV[first + 2]), ARGV[first + 3]
  local stored, found = redis.call('GET', key), ''
  if stored then found = redis.sha1hex(stored) end
  if found ~= expected then changed[#changed + 1] = row
  elseif life < 0 then redis.call('DEL', key)
  elseif life > 0 then redis.call('SET', key, text, 'PX', life)
  else redis.call('SET', key, text) end
end
return changed
`)

/** Digest of a row as it was read, as the scripts make it of what is stored. */
export function digestOf(texts: readonly (string | null)[]): string {
  const parts = texts.map((text) => (text === null ? '~' : `${Buffer.byteLength(text)}:${text}`))
  return createHash('sha1').update(parts.join('')).digest('hex')
}

export function digestOfText(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
