-- The story engine of a role playing game: quests are made of steps, the world sends events, and a journal tells what happened.

local Journal = {}
Journal.__index = Journal

function Journal.new()
    return setmetatable({ pages = {}, count = 0 }, Journal)
end

-- Players can look up each conversation they had.
function Journal:write(player, quest, text, choices)
    local page = self.pages[player]
    if not page then
        page = {}
        self.pages[player] = page
    end
    page[#page + 1] = { quest = quest, text = text, choices = choices, number = self.count } -- guilty
    self.count = self.count + 1
end

function Journal:last(player)
    local page = self.pages[player]
    return page and page[#page].text or "nothing yet"
end

local Dialogue = {}
Dialogue.__index = Dialogue

function Dialogue.new(lines)
    return setmetatable({ lines = lines }, Dialogue)
end

function Dialogue:fill(line, names)
    return (self.lines[line % #self.lines + 1]:gsub("%$(%w+)", names))
end

function Dialogue:choices(count)
    local choices = {}
    for i = 1, count do
        choices[i] = { label = "answer " .. i, mood = i % 3 - 1 }
    end
    return choices
end

local Quest = {}
Quest.__index = Quest

function Quest.new(name, steps)
    return setmetatable({ name = name, steps = steps, progress = {} }, Quest)
end

function Quest:advance(player)
    local step = (self.progress[player] or 0) + 1
    if step > self.steps then
        self.progress[player] = nil
        return nil
    end
    self.progress[player] = step
    return step
end

local World = {}
World.__index = World

function World.new(players)
    local self = setmetatable({ journal = Journal.new(), quests = {}, inventory = {}, finished = 0 }, World)
    self.dialogue = Dialogue.new({
        "$who, the bridge near $where was burnt. Who saw it?",
        "They say that in $where a wolf speaks. Go and listen, $who.",
        "Bring this letter to $where, $who, and do not open it!",
        "You again, $who? The mill of $where still stands still.",
    })
    for i = 1, 40 do
        self.quests[i] = Quest.new("quest " .. i, 3 + i % 6)
    end
    for i = 1, players do
        self.inventory[i] = { gold = 10, items = {} }
    end
    return self
end

function World:reward(player, quest)
    local inventory = self.inventory[player]
    inventory.gold = inventory.gold + 5 * quest.steps
    inventory.items[(inventory.gold % 12) + 1] = "ring of " .. quest.name
    self.finished = self.finished + 1
end

function World:event(player, number)
    local quest = self.quests[number % #self.quests + 1]
    local step = quest:advance(player)
    if not step then
        self:reward(player, quest)
        return
    end
    local text = self.dialogue:fill(number + step, { who = "hero " .. player, where = "village " .. number % 97 })
    self.journal:write(player, quest.name, text, self.dialogue:choices(1 + number % 2))
end

local function main()
    local world = World.new(300)
    local seed = 99
    for number = 1, 75000 do
        seed = (seed * 1103515245 + 12345) % 2147483648
        world:event(seed // 65536 % 300 + 1, number)
    end
    print(world.journal.count, "pages", world.finished, "quests", world.journal:last(7))
end

main()
