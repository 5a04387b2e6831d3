-- Creatures of a strategy game look for their way over a map of tiles; ways that were found are kept for others.

local Map = {}
Map.__index = Map

function Map.new(width, height)
    local self = setmetatable({ width = width, height = height, cost = {} }, Map)
    local seed = 4321
    for i = 1, width * height do
        seed = (seed * 1103515245 + 12345) % 2147483648
        self.cost[i] = seed // 65536 % 10 < 2 and 9 or 1
    end
    return self
end

function Map:index(x, y)
    return y * self.width + x + 1
end

function Map:is_open(x, y)
    return x >= 0 and y >= 0 and x < self.width and y < self.height
end

function Map:step_cost(x, y)
    return self.cost[self:index(x, y)]
end

local Navigator = {}
Navigator.__index = Navigator

function Navigator.new(map)
    return setmetatable({ map = map, paths = {}, count = 0, hits = 0 }, Navigator)
end

-- The neighbour that is nearest to the goal, with what it costs to step there.
function Navigator:next_tile(x, y, gx, gy)
    local best, bx, by
    for dx = -1, 1 do
        for dy = -1, 1 do
            local nx, ny = x + dx, y + dy
            if (dx ~= 0 or dy ~= 0) and self.map:is_open(nx, ny) then
                local price = math.max(math.abs(gx - nx), math.abs(gy - ny)) * 4 + self.map:step_cost(nx, ny)
                if not best or price < best then
                    best, bx, by = price, nx, ny
                end
            end
        end
    end
    return bx, by
end

function Navigator:find(sx, sy, gx, gy)
    local key = sx .. "," .. sy .. ">" .. gx .. "," .. gy
    local path = self.paths[key]
    if path then
        self.hits = self.hits + 1
        return path
    end
    path = {}
    local x, y = sx, sy
    while (x ~= gx or y ~= gy) and #path < 120 do
        x, y = self:next_tile(x, y, gx, gy)
        path[#path + 1] = { x = x, y = y } -- guilty
    end
    self.paths[key] = path
    self.count = self.count + 1
    return path
end

local Creature = {}
Creature.__index = Creature

function Creature.new(id, x, y)
    return setmetatable({ id = id, x = x, y = y, at = 0, path = nil, name = "creature " .. id, log = {} }, Creature)
end

function Creature:send(navigator, gx, gy)
    self.path = navigator:find(self.x, self.y, gx, gy)
    self.at = 0
end

function Creature:update()
    if not self.path then
        return true
    end
    self.at = self.at + 4
    local tile = self.path[math.min(self.at, #self.path)]
    if tile then
        self.x, self.y = tile.x, tile.y
    end
    self.log[#self.log % 30 + 1] = self.x * 1000 + self.y
    return self.at >= #self.path
end

local World = {}
World.__index = World

function World.new(size, creatures)
    local map = Map.new(size, size)
    local self = setmetatable({ map = map, navigator = Navigator.new(map), creatures = {}, seed = 17 }, World)
    for id = 1, creatures do
        self.creatures[id] = Creature.new(id, self:random(size), self:random(size))
    end
    return self
end

function World:random(below)
    self.seed = (self.seed * 1103515245 + 12345) % 2147483648
    return self.seed // 1024 % below
end

function World:tick()
    for _, creature in ipairs(self.creatures) do
        if creature:update() then
            local x = math.max(0, math.min(self.map.width - 1, creature.x + self:random(80) - 40))
            local y = math.max(0, math.min(self.map.height - 1, creature.y + self:random(80) - 40))
            creature:send(self.navigator, x, y)
        end
    end
end

local world = World.new(400, 300)
for _ = 1, 250 do
    world:tick()
end
print(world.navigator.count .. " paths, " .. world.navigator.hits .. " hits, " .. #world.creatures .. " creatures")
