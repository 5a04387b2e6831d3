-- The traders of a game in space: stations with stock and prices, ships that buy and sell, and pilots who recall deals.

local seed = 23

local function below(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return math.floor(seed / 65536) % n
end

local GOODS = { "ore", "water", "tools", "spice", "medicine", "robots" }

local Station = {}
Station.__index = Station

function Station.new(name, x, y)
  local self = setmetatable({ name = name, x = x, y = y, stock = {}, base = {} }, Station)
  for i, good in ipairs(GOODS) do
    self.stock[good] = 50 + below(200)
    self.base[good] = 10 * i + below(20)
  end
  return self
end

function Station:price(good)
  local scarce = 100 / (20 + self.stock[good])
  return math.floor(self.base[good] * (0.5 + scarce) * 100) / 100
end

function Station:produce()
  for _, good in ipairs(GOODS) do
    local change = below(7) - 3
    self.stock[good] = math.max(0, math.min(400, self.stock[good] + change))
  end
end

local Pilot = {}
Pilot.__index = Pilot

function Pilot.new(name)
  return setmetatable({ name = name, deals = {}, profit = 0 }, Pilot)
end

-- A pilot likes stations where the last deals were good.
function Pilot:opinion(station)
  local sum, n = 0, 0
  for i = #self.deals, math.max(1, #self.deals - 8), -1 do
    local deal = self.deals[i]
    if deal.station == station.name then
      sum = sum + deal.gain
      n = n + 1
    end
  end
  return n > 0 and sum / n or 1
end

function Pilot:recall(station, good, amount, price, gain, day)
  local deal = { station = station.name, good = good, amount = amount, price = price, gain = gain, day = day }
  deal.stock = {}
  for name, units in pairs(station.stock) do
    deal.stock[name] = units
  end
  self.deals[#self.deals + 1] = deal -- guilty
  self.profit = self.profit + gain
end

local Ship = {}
Ship.__index = Ship

function Ship.new(pilot, station)
  return setmetatable({ pilot = pilot, at = station, cargo = {}, money = 2000, room = 40 }, Ship)
end

function Ship:sell(day)
  for good, lot in pairs(self.cargo) do
    local price = self.at:price(good)
    if price > lot.price or below(10) == 0 then
      self.at.stock[good] = self.at.stock[good] + lot.amount
      self.money = self.money + lot.amount * price
      self.room = self.room + lot.amount
      self.pilot:recall(self.at, good, lot.amount, price, (price - lot.price) * lot.amount, day)
      self.cargo[good] = nil
    end
  end
end

function Ship:buy(day)
  local best, bargain = nil, 0
  for _, good in ipairs(GOODS) do
    local ratio = self.at.base[good] / self.at:price(good)
    if ratio > bargain and not self.cargo[good] then
      best, bargain = good, ratio
    end
  end
  if not best then
    return
  end
  local price = self.at:price(best)
  local amount = math.min(self.room, self.at.stock[best], math.floor(self.money / price))
  if amount > 0 then
    self.at.stock[best] = self.at.stock[best] - amount
    self.money = self.money - amount * price
    self.room = self.room - amount
    self.cargo[best] = { amount = amount, price = price }
    self.pilot:recall(self.at, best, -amount, price, 0, day)
  end
end

function Ship:travel(stations)
  local choices = {}
  for i = 1, 3 do
    local station = stations[1 + below(#stations)]
    local far = math.abs(station.x - self.at.x) + math.abs(station.y - self.at.y)
    choices[i] = { station = station, value = self.pilot:opinion(station) - far / 50 }
  end
  table.sort(choices, function(a, b)
    return a.value > b.value
  end)
  self.at = choices[1].station
end

local function universe(stations, ships)
  local all = { stations = {}, ships = {} }
  for i = 1, stations do
    all.stations[i] = Station.new("Port " .. i, below(100), below(100))
  end
  for i = 1, ships do
    all.ships[i] = Ship.new(Pilot.new("Pilot " .. i), all.stations[1 + below(stations)])
  end
  return all
end

local function headline(all, day)
  local words = { "day " .. day }
  for i = 1, 5 do
    local station = all.stations[i]
    words[#words + 1] = station.name .. " pays " .. station:price("spice") .. " for spice"
  end
  return table.concat(words, ", ")
end

local all = universe(20, 60)
local letters, deals, richest = 0, 0, nil
for day = 1, 1400 do
  for _, station in ipairs(all.stations) do
    station:produce()
  end
  for _, ship in ipairs(all.ships) do
    ship:sell(day)
    ship:buy(day)
    ship:travel(all.stations)
  end
  letters = letters + #headline(all, day)
end
for _, ship in ipairs(all.ships) do
  deals = deals + #ship.pilot.deals
  if not richest or ship.pilot.profit > richest.profit then
    richest = ship.pilot
  end
end
print(string.format("%d deals, %s earned %d, %d letters of news", deals, richest.name, math.floor(richest.profit), letters))
