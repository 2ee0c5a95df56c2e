/**
 * Order and sums of values as they are stored, in text. Numbers of Lua are doubles, which lose digits beyond 2^53, and its
 * `<` on strings goes by the server's locale, so both are done here: number texts have one form each (no leading zeros, one
 * scale a column), and bytes are compared as bytes, which for UTF-8 is the order of code points.
 */
export const luaValues = `
local byte, sub, find, format = string.byte, string.sub, string.find, string.format

local function compare_bytes(a, b)
  if a == b then return 0 end
  for i = 1, math.min(#a, #b) do
    local x, y = byte(a, i), byte(b, i)
    if x ~= y then return x - y end
  end
  return #a - #b
end

-- longer is larger; equal lengths compare digit by digit
local function compare_numbers(a, b)
  if a == b then return 0 end
  local negative = byte(a) == 45
  if negative ~= (byte(b) == 45) then return negative and -1 or 1 end
  local order = #a - #b
  if order == 0 then order = compare_bytes(a, b) end
  return negative and -order or order
end

local function to_double(text)
  if text == 'Infinity' then return math.huge end
  if text == '-Infinity' then return -math.huge end
  if text == 'NaN' then return 0 / 0 end
  return tonumber(text)
end

local function double_text(value)
  if value ~= value then return 'NaN' end
  if value == math.huge then return 'Infinity' end
  if value == -math.huge then return '-Infinity' end
  return format('%.17g', value + 0)
end

local function compare_doubles(a, b)
  if a == b then return 0 end
  if a == 'NaN' then return 1 end
  if b == 'NaN' then return -1 end
  local x, y = to_double(a), to_double(b)
  return x < y and -1 or (x > y and 1 or 0)
end

local function year_sign(text)
  local first = byte(text)
  return first == 45 and -1 or (first == 43 and 1 or 0)
end

-- years beyond 9999 and before 0 have a sign in front
local function compare_dates(a, b)
  local x, y = year_sign(a), year_sign(b)
  if x ~= y then return x - y end
  if x == 0 then return compare_bytes(a, b) end
  local _, p = find(a, '^[+-]%d+')
  local _, q = find(b, '^[+-]%d+')
  local c, d = tonumber(sub(a, 1, p)), tonumber(sub(b, 1, q))
  if c ~= d then return c < d and -1 or 1 end
  return compare_bytes(sub(a, p + 1), sub(b, q + 1))
end

local comparisons = { bytes = compare_bytes, number = compare_numbers, double = compare_doubles, date = compare_dates }

-- false is null, which is below every value in either order
local function compare_nullable(kind, descending, a, b)
  if not a then return b and -1 or 0 end
  if not b then return 1 end
  local order = comparisons[kind](a, b)
  return descending and -order or order
end

-- in limbs of seven digits, the lowest first
local function limbs_of(text)
  local digits = string.gsub(text, '[-.]', '')
  local limbs = {}
  for i = #digits, 1, -7 do limbs[#limbs + 1] = tonumber(sub(digits, math.max(1, i - 6), i)) end
  return limbs
end

-- the exact sum of two decimals that both have scale digits after the point
local function add_decimals(a, b, scale)
  local x, y = limbs_of(a), limbs_of(b)
  local p, q = byte(a) == 45 and -1 or 1, byte(b) == 45 and -1 or 1
  local sum, sign = {}, 1
  for i = 1, math.max(#x, #y) do
    sum[i] = p * (x[i] or 0) + q * (y[i] or 0)
    -- the highest limb that is not zero outweighs all below it
    if sum[i] ~= 0 then sign = sum[i] < 0 and -1 or 1 end
  end
  local carry = 0
  for i = 1, #sum do
    local limb = sign * sum[i] + carry
    carry = math.floor(limb / 10000000)
    sum[i] = format('%07d', limb - carry * 10000000)
  end
  local digits = carry > 0 and format('%d', carry) or ''
  for i = #sum, 1, -1 do digits = digits .. sum[i] end
  digits = string.gsub(digits, '^0+', '')
  if #digits <= scale then digits = string.rep('0', scale + 1 - #digits) .. digits end
  if scale > 0 then digits = sub(digits, 1, #digits - scale) .. '.' .. sub(digits, -scale) end
  if sign < 0 and find(digits, '[1-9]') then return '-' .. digits end
  return digits
end

-- false if the sum leaves the range of its type
local function add(rule, a, b)
  if rule.numbers == 'double' then
    local sum = to_double(a) + to_double(b)
    if rule.highest ~= '' and (sum > tonumber(rule.highest) or sum < tonumber(rule.lowest)) then return false end
    return double_text(sum)
  end
  local sum = add_decimals(a, b, rule.scale)
  if compare_numbers(sum, rule.lowest) < 0 or compare_numbers(sum, rule.highest) > 0 then return false end
  return sum
end
`
