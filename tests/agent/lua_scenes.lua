-- Allocates at known stacks of Lua, and prints what Lua says of each: one JSON list a line, of the size of the block and the
-- frames as [name, file, line, line where the function begins], innermost first. Usage: lua_scenes.lua SCENE...
local kept, told, size = {}, {}, 200000
local running = {} -- the threads of Lua that wait for another, outermost first
local STRING_BYTES = 25 -- of a string's object, beside its characters

local function frame_of(info)
  local name = info.name
  if info.namewhat == "metamethod" and name:sub(1, 2) ~= "__" then
    name = "__" .. name
  end
  return string.format('[%s, "%s", %d, %d]', name and '"' .. name .. '"' or "null",
    info.source:find("^[@=]") and info.source:sub(2) or "(eval)", info.currentline, info.linedefined)
end

-- Functions of C are left out.
local function tell(bytes)
  local frames = {}
  local function add(info)
    if info.what ~= "C" then
      frames[#frames + 1] = frame_of(info)
    end
  end
  local level = 2
  while debug.getinfo(level, "l") do
    add(debug.getinfo(level, "Snl"))
    level = level + 1
  end
  for i = #running, 1, -1 do
    level = 0
    while debug.getinfo(running[i], level, "l") do
      add(debug.getinfo(running[i], level, "Snl"))
      level = level + 1
    end
  end
  told[#told + 1] = string.format("[%d, [%s]]", bytes, table.concat(frames, ", "))
end

local function both()
  size = size + 64; kept[#kept + 1] = string.rep("x", size - STRING_BYTES); tell(size)
  return 1
end

-- Other threads of Lua say who resumed them.
local resume = coroutine.resume
local function resumed(co, ...)
  running[#running + 1] = coroutine.running()
  local function done(...)
    running[#running] = nil
    return ...
  end
  return done(resume(co, ...))
end

local scenes = {}

local function recurse(depth)
  if depth == 0 then both() else recurse(depth - 1) end
end

local function defaults(a, ...)
  local more = select("#", ...)
  both()
  return a, more, both()
end

function scenes.plain_calls()
  both()
  for _, depth in ipairs({1, 7, 90, 700}) do
    recurse(depth)
  end
  defaults()
  defaults(1, 2, both())
  local nested = function() (function() both() end)() end
  nested()
  local n = 0
  while n < 2 do
    n = n + 1
    both()
  end
  repeat both() until true
  local value = {
    1,
    both(),
    [both()] = 2,
    inner = {
      both(),
    },
  }
  if both() == 2 or
     both() == 1 then
    goto done
  end
  both()
  ::done::
  global_one = function() both() end
  global_one()
  local t = {inner = {deep = both}}
  t.inner.deep()
  t[1] = both; t[1]()
  local key = "inner"
  t[key].deep();
  (value and both or print)()
  return both() + both(),
    both()
end

local Ledger = {}
Ledger.__index = Ledger
function Ledger.open(n)
  both()
  return setmetatable({n = n}, Ledger)
end
function Ledger:post() both(); return self end
function Ledger:posts(n) for _ = 1, n do self:post() end end
for _, event in ipairs({"add", "sub", "mul", "mod", "pow", "div", "idiv", "band", "bor", "bxor", "shl", "shr", "concat", "lt", "le", "eq"}) do
  Ledger["__" .. event] = function() both() return true end
end
function Ledger.__unm() both() return 1 end
Ledger.__bnot, Ledger.__len = Ledger.__unm, Ledger.__unm
function Ledger.__call(self, x) both() return x end
function Ledger.__tostring() both() return "ledger" end
function Ledger.__close() both() end

function scenes.objects()
  local a, b = Ledger.open(1), Ledger.open(2)
  a:post():post()
  a:posts(2)
  local _ = {a + b, a - b, a * b, a % b, a ^ b, a / b, a // b, a & b, a | b, a ~ b, a << b, a >> b, a .. b, a < b, a <= b, a == b}
  _ = {a + 1, 1 + a, a - 2, a * 3, a .. "x", a < 1, a > 1, a <= 1, a >= 1, -a, ~a, #a}
  a(1)
  tostring(a)
  do
    local closed <close> = a
    both()
  end
  local lazy = setmetatable({}, {
    __index = function(_, key) both() return key end,
    __newindex = function(t, key, v) both() rawset(t, key, v) end,
  })
  _ = lazy.x, lazy[1], lazy["y z"]
  lazy.z = 1; lazy[2] = 3
  for _ in setmetatable({}, {__call = function(_, _, i) both() return not i or nil end}) do
    both()
  end
end

local function fail() both() error("no") end

function scenes.native_code()
  table.sort({3, 1, 2}, function(x, y) both() return x < y end)
  string.gsub("abc", "%w", function(c) both() return c end)
  pcall(both)
  pcall(function() both() end)
  pcall(fail)
  xpcall(fail, function(m) both() return m end)
  xpcall(function() pcall(fail) both() end, print)
  assert(load("local b = ...; b()\nlocal function f() b()\nb() end f()"))(both)
  assert(load("local b = ...\n\n  b() b()", "=name"))(both)
  local function nest(n) if n == 0 then both() else pcall(nest, n - 1) end end
  nest(30)
  for w in string.gmatch("a b", "%w") do both() end
  for _, v in pairs({1, 2}) do both() end
  for _, v in (function() both() return next, {1} end)() do both() end
  local _ = select(2, both(), both())
  setmetatable({}, {__gc = function() both() end})
  collectgarbage()
end

local function tail(n) if n > 0 then return tail(n - 1) end return both() end

function scenes.code()
  tail(0); tail(3)
  local lines = {"local both = ..."}
  for i = 1, 400 do
    lines[#lines + 1] = "local t" .. i % 150 .. " = " .. i .. (i % 7 == 0 and ("\n"):rep(i) or "") .. " + #'c" .. i .. "'"
    if i % 150 == 149 then lines[#lines + 1] = "end do" end
    if i % 3 == 0 then lines[#lines + 1] = "both()" end
  end
  lines[1] = lines[1] .. " do"
  lines[#lines + 1] = "end"
  assert(load(table.concat(lines, "\n")))(both)
  local a = {}
  a.
  b = function(...)
    return both(
    )
  end
  a.b(
    both(),
    function() end
  )
  both(both(both()))
end

function scenes.coroutines()
  local function body(n)
    both()
    coroutine.yield(1)
    both()
    if n > 0 then
      local co = coroutine.create(body)
      resumed(co, n - 1)
      resumed(co)
      both()
    end
    return 2
  end
  local co = coroutine.create(body)
  resumed(co, 5)
  resumed(co)
  both()
  -- A yield through C code: what is further out has no native frame afterwards.
  co = coroutine.create(function()
    pcall(function()
      both()
      pcall(function() coroutine.yield() both() end)
      coroutine.yield()
      both()
      recurse(3)
    end)
    both()
    table.sort({2, 1}, function(x, y) both() return x < y end)
    setmetatable({}, {__index = function() coroutine.yield() both() return 1 end}).x = nil
    local _ = setmetatable({}, {__index = function() coroutine.yield() both() return 1 end}).x
    both()
  end)
  while resumed(co) do end
  co = coroutine.create(function() recurse(300) coroutine.yield() recurse(3) end)
  resumed(co)
  resumed(co)
  local many = {}
  for i = 1, 20 do
    many[i] = coroutine.create(function() both() coroutine.yield() both() end)
    resumed(many[i])
  end
  for i = 1, 20 do resumed(many[i]) end
end

for _, name in ipairs(arg) do
  scenes[name]()
end
print(table.concat(told, "\n"))
io.stdout:flush()
os.exit(0, false)
