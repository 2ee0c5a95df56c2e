/** The engines that keep one version of a row: the newest by arrival or behind a gate (rules G1, G2, G6, K2), or the first. */
export const luaDeduplicate = `
-- by sequence; absent counts as null
local function order_of(sequence, a, a_columns, b, b_columns)
  for field, kind in ipairs(sequence.kinds) do
    local order = compare_nullable(kind, sequence.descending, a(a_columns[field]), b(b_columns[field]))
    if order ~= 0 then return order end
  end
  return 0
end

local function value_in(change)
  return function(at) return change.values[at] or false end
end

local function value_of(row)
  return function(at) return get(row, at) end
end

local function compare_sequence(sequence, change, row)
  return order_of(sequence, value_in(change), sequence.columns, value_of(row), sequence.columns)
end

local function passes(sequence, order)
  return order > 0 or (order == 0 and sequence.later_wins)
end

local function carries_sequence(sequence, change)
  for _, at in ipairs(sequence.columns) do
    if change.values[at] ~= nil then return true end
  end
  return false
end

local function put_key(row, change)
  for _, at in ipairs(row.spec.key) do put(row, at, change.values[at]) end
end

-- deletes in the way of the plan; from tells the sequence that stays behind
local function delete_row(row, change, from)
  local spec = row.spec
  if spec.delete_mode == 'hard' then
    if row.exists then remove_row(row) end
    return
  end
  local sequence = {}
  for _, at in ipairs(spec.sequence and spec.sequence.columns or {}) do sequence[at] = from(at) end
  local flagged = is_flagged(row)
  if not row.exists or not (flagged or spec.delete_mode == 'soft') then
    start_over(row, false)
    put_key(row, change)
    row.exists = true
  end
  for at, value in pairs(sequence) do put(row, at, value) end
  put(row, spec.flag, 'true')
end

local function write_row(row, change)
  local live = row.exists and not is_flagged(row)
  local replaces = change.replaces or not live
  if replaces then
    start_over(row, live)
    put_key(row, change)
  end
  for _, at in ipairs(row.spec.payload) do
    local value = change.values[at]
    if value ~= nil then put(row, at, value) end
  end
  row.exists = true
  if not live and row.spec.declared_flag then put(row, row.spec.flag, 'false') end
  return replaces and lacking(row)
end

-- the image carries nothing that differs from the stored row
local function agrees(row, change)
  for _, at in ipairs(row.spec.payload) do
    local value = change.values[at]
    if value ~= nil and value ~= get(row, at) then return false end
  end
  return true
end

local function retract_version(row, change, sequence)
  local gated = sequence and carries_sequence(sequence, change)
  if not row.exists then
    if gated then delete_row(row, change, value_in(change)) end
    return 'written'
  end
  if gated then
    local order = compare_sequence(sequence, change, row)
    if order < 0 then return 'stale' end
    if order > 0 then
      delete_row(row, change, value_in(change))
      return 'written'
    end
  end
  if is_flagged(row) then return 'written' end
  if not agrees(row, change) then return 'stale' end
  delete_row(row, change, value_of(row))
  return 'written'
end

local function delete_ungated(row, change, sequence)
  local carried = sequence and carries_sequence(sequence, change)
  if not row.exists then
    if carried then delete_row(row, change, value_in(change)) end
    return 'written'
  end
  local newer = carried and compare_sequence(sequence, change, row) > 0
  delete_row(row, change, newer and value_in(change) or value_of(row))
  return 'written'
end

local function deduplicate(row, change)
  local spec, op = row.spec, change.op
  local sequence = spec.sequence
  if op == 'u' then
    if row.exists and sequence and not passes(sequence, compare_sequence(sequence, change, row)) then return 'stale' end
    return 'written', write_row(row, change)
  end
  if op == 'r' then return retract_version(row, change, sequence) end
  if op == 'x' then return delete_ungated(row, change, sequence) end
  if row.exists and sequence and compare_sequence(sequence, change, row) < 0 then return 'stale' end
  if not row.exists and spec.delete_mode == 'soft' and not sequence then return 'written' end
  delete_row(row, change, value_in(change))
  return 'written'
end

local function first_row(row, change)
  if row.exists then return 'stale' end
  return 'written', write_row(row, change)
end
`
