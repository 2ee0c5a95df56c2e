/**
 * One call: the changes of some tables, all or nothing. Changes are looked at first; only if none is refused and no row has
 * changed since it was read, anything is written. So an error in the middle leaves nothing half done.
 *
 * KEYS: the keys to drop, then one key a change, and last the ledger, if there is one: then the rows count only together with
 * its position, a call of an older writer is refused, and one that comes again is passed over (rule R5). ARGV[1]: what is constant for the tables, as JSON; then the changes one
 * after the other: a word (kind of change, then one letter a column), the member of a sorted set, and the values that the
 * letters announce. Values are only ever compared, added and stored.
 */
export const luaMain = `
local header = cjson.decode(ARGV[1])
local argument, key_at = 1, header.drops
local ledger = header.ledger

if ledger then
  local entry = redis.call('HMGET', KEYS[#KEYS], 'writer', 'epoch', 'batch')
  if entry[1] ~= ledger.writer or entry[2] ~= ledger.epoch then return { 'fenced' } end
  if entry[3] == ledger.batch then return { 'repeated' } end
end

local function next_argument()
  argument = argument + 1
  return ARGV[argument]
end

-- letters: - absent, n NULL, v a value, c cleared, C cleared and then a value, N cleared and then NULL
local function next_change(spec)
  local word = next_argument()
  local change = { op = sub(word, 1, 1), replaces = sub(word, 2, 2) == '+', values = {}, cleared = {} }
  if spec.layout == 'member' then change.member = next_argument() end
  for at = 1, #spec.fields do
    local letter = byte(word, at + 2)
    if letter == 118 then
      local value = next_argument()
      change.values[at] = spec.layout == 'member' and at == spec.value and double_text(tonumber(value)) or value
    elseif letter == 110 then change.values[at] = false
    elseif letter ~= 45 then
      change.cleared[at] = true
      change.values[at] = letter == 67 and next_argument()
    end
  end
  return change
end

-- what was read of the row, in a form that two readings have only if they are equal
local function digest(row)
  local parts = {}
  for i, at in ipairs(row.spec.load) do
    local value = row.was[at]
    parts[i] = value and (#value .. ':' .. value) or '~'
  end
  return redis.sha1hex(table.concat(parts))
end

-- a row that was read, merged and comes back: p puts it, t puts a tombstone, k removes it
local function put_back(row, change, expected)
  if expected ~= '' and expected ~= digest(row) then return 'conflict' end
  if change.op == 'k' then
    if row.exists then remove_row(row) end
    return 'written'
  end
  row.is_tombstone = change.op == 't'
  start_over(row, row.exists and not change.replaces)
  row.was_flagged = row.is_tombstone and not change.replaces
  row.exists = true
  for at = 1, #row.spec.fields do
    if change.values[at] ~= nil then put(row, at, change.values[at]) end
  end
  return 'written'
end

local function append(key, spec, change)
  local entry = { 'XADD', key, '*' }
  for at, name in ipairs(spec.fields) do
    if change.values[at] then
      entry[#entry + 1] = name
      entry[#entry + 1] = change.values[at]
    end
  end
  if #entry == 3 then
    entry[4] = header.empty
    entry[5] = ''
  end
  return entry
end

local engines = { deduplicate = deduplicate, ['first-row'] = first_row, columnwise = columnwise }
local entries, streams, counts, refused, conflicts, ordinal = {}, {}, {}, {}, {}, 0

local function refuse(row, why, column)
  refused[#refused + 1] = ordinal
  refused[#refused + 1] = why
  refused[#refused + 1] = column or 0
  if row then row.is_blocked = true end
end

local function stream_of(key)
  if streams[key] == nil then
    local kind = redis.call('TYPE', key).ok
    streams[key] = kind == 'none' or kind == 'stream'
  end
  return streams[key]
end

local function merge_change(spec, part, count)
  local change, key = next_change(spec), KEYS[key_at]
  if spec.engine == 'append' then
    if not part.is_empty and not stream_of(key) then return refuse(nil, 'type') end
    entries[#entries + 1] = append(key, spec, change)
    count[1] = count[1] + 1
    return
  end
  local expected = part.puts and next_argument()
  local row = row_of(key, spec, change.member, part.is_empty)
  if not row then return refuse(nil, 'type') end
  if row.is_blocked then return refuse(row, 'blocked') end
  local outcome, column
  if part.puts then outcome = put_back(row, change, expected)
  else outcome, column = engines[spec.engine](row, change) end
  if outcome == 'conflict' then conflicts[#conflicts + 1] = ordinal
  elseif outcome == 'absent' or outcome == 'overflow' then refuse(row, outcome, column)
  elseif column then refuse(row, 'null', column)
  elseif outcome == 'stale' then count[2] = count[2] + 1
  else count[1] = count[1] + 1 end
end

for i, part in ipairs(header.parts) do
  local count = { 0, 0 }
  counts[i] = count
  for _ = 1, part.count do
    key_at, ordinal = key_at + 1, ordinal + 1
    merge_change(header.specs[part.spec], part, count)
  end
end

if #conflicts > 0 then return { 'conflict', conflicts } end
if #refused > 0 then return { 'refused', refused } end
for i = 1, header.drops do redis.call('UNLINK', KEYS[i]) end
for _, row in ipairs(rows) do save(row) end
for _, entry in ipairs(entries) do redis.call(unpack(entry)) end
if ledger then
  redis.call('HSET', KEYS[#KEYS], 'batch', ledger.batch)
  for i = 1, #ledger.positions, 2 do redis.call('HSET', KEYS[#KEYS], ledger.positions[i], ledger.positions[i + 1]) end
end
return { 'written', counts }
`
