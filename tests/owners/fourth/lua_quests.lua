-- The quests of a game: a journal, events that quests wait for, and a state that can be saved.
local Journal = {}
Journal.__index = Journal

function Journal.new()
  return setmetatable({ entries = {}, saved = {} }, Journal)
end

function Journal:write(text)
  if #self.entries >= 200 then
    table.remove(self.entries, 1)
  end
  self.entries[#self.entries + 1] = text
end

local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local out = {}
  for k, v in pairs(value) do
    out[k] = copy(v)
  end
  return out
end

local Bus = { handlers = {} }

function Bus.on(event, handler)
  Bus.handlers[event] = Bus.handlers[event] or {}
  table.insert(Bus.handlers[event], handler)
end

function Bus.fire(event, ...)
  for _, handler in ipairs(Bus.handlers[event] or {}) do
    handler(...)
  end
end

local World = { time = 0, quests = {}, people = {} }

function World.populate(count)
  for i = 1, count do
    World.people[i] = { name = "Person " .. i, mood = i % 7, home = { x = i % 64, y = i // 64 } }
  end
end

function World.add_quest(title, steps)
  local quest = { title = title, steps = {}, at = 1 }
  for i = 1, steps do
    quest.steps[i] = { text = title .. ", step " .. i, done = false, reward = i * 10 }
  end
  World.quests[#World.quests + 1] = quest
end

-- A save for each step that is done, of all quests, and none is ever overwritten.
local function autosave(journal)
  local save = { time = World.time, quests = copy(World.quests) } -- guilty
  journal.saved[#journal.saved + 1] = save
end

local function advance(quest)
  quest.steps[quest.at].done = true
  quest.at = quest.at % #quest.steps + 1
  Bus.fire("step", quest)
end

local function preview(quest)
  local what_if = copy(quest)
  what_if.at = 1
  return #what_if.steps
end

local function main()
  local journal = Journal.new()
  World.populate(4000)
  for i = 1, 30 do
    World.add_quest("Quest " .. i, 8)
  end
  Bus.on("step", function(quest) journal:write(quest.title .. " at " .. quest.at) end)
  Bus.on("step", function() autosave(journal) end)
  local steps = 0
  for tick = 1, 900 do
    World.time = tick
    local quest = World.quests[tick % #World.quests + 1]
    steps = steps + preview(quest)
    if tick % 2 == 0 then
      advance(quest)
    end
  end
  print(#journal.saved .. " saves", steps .. " steps", #journal.entries .. " entries")
end

main()
