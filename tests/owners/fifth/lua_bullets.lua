-- A shooter: ships, bullets from a pool, and particles. Classes by a small helper.
local function class(parent)
  local c = {}
  c.__index = c
  return setmetatable(c, {
    __index = parent,
    __call = function(_, ...)
      local object = setmetatable({}, c)
      if c.init then
        c.init(object, ...)
      end
      return object
    end,
  })
end

local Vector = class()

function Vector:init(x, y)
  self.x, self.y = x, y
end

function Vector:add(other, scale)
  return Vector(self.x + other.x * scale, self.y + other.y * scale)
end

local Entity = class()

function Entity:init(position, velocity)
  self.position, self.velocity, self.alive = position, velocity, true
end

function Entity:update(dt)
  self.position = self.position:add(self.velocity, dt)
end

local Bullet = class(Entity)

function Bullet:reset(position, velocity)
  self.position, self.velocity, self.alive, self.age = position, velocity, true, 0
  return self
end

function Bullet:update(dt)
  Entity.update(self, dt)
  self.age = self.age + dt
  self.alive = self.age < 1
end

local Pool = class()

function Pool:init(make)
  self.make, self.free, self.made = make, {}, 0
end

function Pool:obtain()
  local n = #self.free
  if n > 0 then
    return table.remove(self.free, n)
  end
  self.made = self.made + 1
  return self.make()
end

function Pool:release(object)
  self.free[#self.free + 1] = object
end

local Trail = class()

function Trail:init()
  self.points = {}
end

-- The trail of a ship is drawn from its last twenty points.
function Trail:extend(position, heat)
  self.points[#self.points + 1] = { at = Vector(position.x, position.y), heat = heat } -- guilty
end

function Trail:visible()
  local n = #self.points
  return math.min(20, n)
end

local Ship = class(Entity)

function Ship:init(game, x, y)
  Entity.init(self, Vector(x, y), Vector(y % 7 - 3, x % 5 - 2))
  self.game, self.trail, self.reload = game, Trail(), x % 3
end

function Ship:update(dt)
  Entity.update(self, dt)
  self.trail:extend(self.position, self.reload)
  self.reload = self.reload - dt
  if self.reload < 0 then
    self.reload = 1.5
    self.game:shoot(self.position, self.velocity)
  end
end

local Game = class()

function Game:init(ships)
  self.entities, self.shots = {}, 0
  self.bullets = Pool(function() return Bullet(Vector(0, 0), Vector(0, 0)) end)
  for i = 1, ships do
    self.entities[i] = Ship(self, i * 13 % 200, i * 29 % 150)
  end
end

function Game:shoot(position, velocity)
  self.shots = self.shots + 1
  local bullet = self.bullets:obtain():reset(position, Vector(velocity.x * 9, velocity.y * 9))
  self.entities[#self.entities + 1] = bullet
end

function Game:update(dt)
  for i = #self.entities, 1, -1 do
    local entity = self.entities[i]
    entity:update(dt)
    if not entity.alive then
      table.remove(self.entities, i)
      self.bullets:release(entity)
    end
  end
end

local game = Game(60)
local drawn = 0
for frame = 1, 2100 do
  game:update(1 / 30)
  if frame % 100 == 0 then
    drawn = drawn + game.entities[1].trail:visible()
  end
end
print(game.shots .. " shots, " .. game.bullets.made .. " bullets, " .. drawn .. " points")
