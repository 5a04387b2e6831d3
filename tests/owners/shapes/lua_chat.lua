local Room = {}
Room.__index = Room
function Room.new(name) return setmetatable({name = name, lines = {}, members = {}}, Room) end
function Room:say(who, text)
  local line = {who = who, text = text, at = #self.lines + 1}
  self.lines[#self.lines + 1] = line -- guilty
  for _, member in ipairs(self.members) do member(line) end
end
function Room:join(callback) table.insert(self.members, callback) end
local function bot(n)
  local heard = 0
  return function(line) heard = heard + #line.text; return heard end
end
local function phrase(n)
  local words = {}
  for i = 1, 12 do words[i] = "word" .. (n * i % 1000) end
  return table.concat(words, " ")
end
local rooms = {}
for i = 1, 10 do
  rooms[i] = Room.new("room " .. i)
  for b = 1, 3 do rooms[i]:join(bot(b)) end
end
for n = 1, 120000 do rooms[n % 10 + 1]:say("guest " .. n % 50, phrase(n)) end
print(#rooms[1].lines)
