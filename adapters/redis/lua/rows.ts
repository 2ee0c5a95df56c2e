/**
 * Rows as they are while a call runs. Each is read once; what is done to it stays in memory until nothing of the call has
 * been refused, and is written then. A value is a string, NULL is `false`; in a hash NULL is a field that is not there.
 */
export const luaRows = `
local rows = {}

local function read_hash(key, spec)
  local names = {}
  for i, at in ipairs(spec.load) do names[i] = spec.fields[at] end
  local reply = redis.pcall('HMGET', key, unpack(names))
  if reply.err then return nil end
  local was = {}
  for i, at in ipairs(spec.load) do was[at] = reply[i] end
  return was, was[spec.key[1]] ~= false
end

-- a key or a member of a sorted set with one value
local function read_value(spec, reply)
  if type(reply) == 'table' then return nil end
  local was = {}
  for at = 1, #spec.fields do was[at] = false end
  was[spec.value] = reply
  return was, reply ~= false
end

local function read(key, spec, member)
  if spec.layout == 'hash' then return read_hash(key, spec) end
  if spec.layout == 'string' then return read_value(spec, redis.pcall('GET', key)) end
  local score = redis.pcall('ZSCORE', key, member)
  return read_value(spec, type(score) == 'string' and double_text(tonumber(score)) or score)
end

-- nil if the key holds something of another type
local function row_of(key, spec, member, is_empty)
  local name = member and (key .. '\\0' .. member) or key
  local row = rows[name]
  if row then return row end
  local was, stored = read(key, spec, member)
  if not was then return nil end
  if is_empty then was, stored = {}, false end
  row = { key = key, spec = spec, member = member, was = was, values = {}, dirty = {}, stored = stored, exists = stored }
  row.was_flagged = spec.flag > 0 and was[spec.flag] == 'true'
  rows[name] = row
  rows[#rows + 1] = row
  return row
end

local function get(row, at)
  local value = row.values[at]
  if value == nil then value = row.was[at] end
  if value == nil then
    value = row.stored and redis.call('HGET', row.key, row.spec.fields[at])
    row.was[at] = value
  end
  return value
end

local function put(row, at, value)
  row.values[at] = value
  row.dirty[at], row.is_touched = true, true
end

-- as put, and notes whether anything has changed
local function set(row, at, value)
  if get(row, at) == value then return end
  row.changed = true
  put(row, at, value)
end

-- all columns NULL; unless keeps_rest, fields that are no columns and a time to live go too
local function start_over(row, keeps_rest)
  row.is_touched = true
  if not keeps_rest then row.drops, row.is_gone, row.was_flagged = true, false, false end
  for at = 1, #row.spec.fields do
    row.values[at] = false
    row.dirty[at] = keeps_rest
  end
end

local function is_flagged(row)
  local flag = row.spec.flag
  return flag > 0 and row.exists and get(row, flag) == 'true'
end

local function set_flag(row, deleted)
  local flag = row.spec.flag
  if flag > 0 then set(row, flag, deleted and 'true' or (row.spec.declared_flag and 'false')) end
end

local function remove_row(row)
  start_over(row, false)
  row.exists, row.is_gone = false, true
end

-- the first NOT NULL column without a value, if a reader sees the row
local function lacking(row)
  if not row.exists or is_flagged(row) then return nil end
  for _, at in ipairs(row.spec.required) do
    if not get(row, at) then return at end
  end
end

local function expire(row)
  local spec = row.spec
  if row.is_tombstone or is_flagged(row) then
    if spec.life > 0 and not row.was_flagged then redis.call('PEXPIRE', row.key, spec.life) end
  elseif spec.ttl > 0 then redis.call('PEXPIRE', row.key, spec.ttl)
  elseif spec.life > 0 and row.was_flagged then redis.call('PERSIST', row.key) end
end

local function save_hash(row)
  if row.drops and row.stored then redis.call('DEL', row.key) end
  local fields, written, cleared = row.spec.fields, { 'HSET', row.key }, { 'HDEL', row.key }
  for at = 1, #fields do
    if row.dirty[at] then
      local value = row.values[at]
      if value then
        written[#written + 1] = fields[at]
        written[#written + 1] = value
      elseif row.stored and not row.drops and row.was[at] ~= false then cleared[#cleared + 1] = fields[at] end
    end
  end
  if #cleared > 2 then redis.call(unpack(cleared)) end
  if #written > 2 then redis.call(unpack(written)) end
end

local function save(row)
  if not row.is_touched then return end
  if row.is_gone then
    if not row.stored then return end
    if row.member then redis.call('ZREM', row.key, row.member) else redis.call('DEL', row.key) end
    return
  end
  local value = row.dirty[row.spec.value] and row.values[row.spec.value]
  if row.member then
    if value then redis.call('ZADD', row.key, value, row.member) end
    return
  end
  if row.spec.layout == 'hash' then save_hash(row)
  elseif value then
    if row.drops then redis.call('SET', row.key, value) else redis.call('SET', row.key, value, 'KEEPTTL') end
  end
  expire(row)
end
`
