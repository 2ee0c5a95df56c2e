/** Rows that are merged column by column, group by group: `partial-update` and `aggregation` (rules G3, G5, A1, A4). */
export const luaColumnwise = `
local function larger(rule, row, value, sign)
  local stored = get(row, rule.at)
  if not stored or comparisons[rule.numbers](value, stored) * sign > 0 then set(row, rule.at, value) end
end

-- the sequence at which the column was set
local function compare_own(rule, sequence, change, row)
  return order_of(sequence, value_in(change), rule.own, value_of(row), rule.own)
end

local function is_unset(rule, row)
  if get(row, rule.at) then return false end
  for _, at in ipairs(rule.own) do
    if get(row, at) then return false end
  end
  return true
end

local function take_with_own(rule, row, change, value)
  set(row, rule.at, value)
  for _, at in ipairs(rule.own) do set(row, at, change.values[at] or false) end
end

local functions = {}

function functions.max(rule, row, value) larger(rule, row, value, 1) end

function functions.min(rule, row, value) larger(rule, row, value, -1) end

function functions.bool_and(rule, row, value)
  set(row, rule.at, (get(row, rule.at) ~= 'false' and value == 'true') and 'true' or 'false')
end

function functions.bool_or(rule, row, value)
  set(row, rule.at, (get(row, rule.at) == 'true' or value == 'true') and 'true' or 'false')
end

-- true: the sum leaves the range of its type
function functions.sum(rule, row, value)
  local stored = get(row, rule.at)
  local sum = add(rule, stored or rule.zero, value)
  if not sum then return true end
  set(row, rule.at, sum)
end

function functions.last_value(rule, row, value, change, at)
  local is_cleared = change.cleared[rule.at]
  if is_cleared then set(row, rule.at, at.in_order and value) elseif at.in_order then set(row, rule.at, value) end
end

function functions.last_non_null_value(rule, row, value, change, at)
  local sequence = at.sequence
  if not sequence then return set(row, rule.at, value) end
  if rule.in_group and not value then
    set(row, rule.at, false)
    for _, own in ipairs(rule.own) do set(row, own, false) end
  elseif change.cleared[rule.at] or (not rule.in_group and is_unset(rule, row))
    or passes(sequence, compare_own(rule, sequence, change, row)) then
    take_with_own(rule, row, change, value)
  end
end

function functions.first_value(rule, row, value, change, at)
  if not at.sequence then return at.fresh and set(row, rule.at, value or false) end
  if is_unset(rule, row) or compare_own(rule, at.sequence, change, row) < 0 then take_with_own(rule, row, change, value) end
end

function functions.first_non_null_value(rule, row, value, change, at)
  if at.sequence then return functions.first_value(rule, row, value, change, at) end
  if not get(row, rule.at) then set(row, rule.at, value) end
end

-- true if the change comes too late for the group; then the column whose sum leaves its range
local function merge_group(group, row, change, fresh, is_new)
  local sequence = group.sequence
  local touches = sequence and change.values[sequence.columns[1]] ~= nil
  local in_order = is_new or not touches or passes(sequence, compare_sequence(sequence, change, row))
  local at = { in_order = in_order, fresh = fresh, sequence = sequence }
  for _, rule in ipairs(group.aggregated) do
    local value = change.values[rule.at]
    -- by arrival, a first record that lacks the column counts as null
    if value ~= nil or (rule.name == 'first_value' and not sequence) then
      if functions[rule.name](rule, row, value, change, at) == true then return not in_order, rule.at end
    end
  end
  if in_order then
    for _, position in ipairs(group.replaced) do
      local value = change.values[position]
      if value ~= nil then set(row, position, value) end
    end
  end
  return not in_order
end

local function columnwise(row, change)
  local adds = change.op == 'u'
  if not adds and not row.exists and row.spec.flag == 0 then return 'absent' end
  local existed = row.exists
  local hidden = not existed or is_flagged(row)
  local is_new, late = not existed or change.replaces, false
  row.changed = is_new
  if is_new then
    start_over(row, existed and not hidden)
    put_key(row, change)
    row.exists = true
  end
  for _, group in ipairs(row.spec.groups) do
    local is_late, overflow = merge_group(group, row, change, hidden or change.replaces, is_new)
    if overflow then return 'overflow', overflow end
    late = late or is_late
  end
  set_flag(row, not adds and (hidden or change.replaces))
  return (late and not row.changed) and 'stale' or 'written', lacking(row)
end
`
