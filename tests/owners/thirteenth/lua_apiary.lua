-- Keeps the books of an apiary: hives on scales, weather, swarms, harvests, treatments, and advice from the last days.
local random = { state = 20 }

function random.below(n)
    random.state = (random.state * 1103515245 + 12345) % 2147483648
    return (random.state // 256) % n
end

local Weather = {}
Weather.__index = Weather

function Weather.new()
    return setmetatable({ warm = 15, rain = 0 }, Weather)
end

function Weather:hour(day, hour)
    local season = 12 * math.sin((day - 100) / 365 * 2 * math.pi)
    local daily = 5 * math.sin((hour - 8) / 24 * 2 * math.pi)
    if random.below(60) == 0 then
        self.rain = 6
    end
    self.rain = math.max(0, self.rain - 1)
    self.warm = 12 + season + daily + random.below(30) / 10 - (self.rain > 0 and 3 or 0)
    return self
end

function Weather:bees_fly()
    return self.warm > 12 and self.rain == 0
end

local Scale = {}
Scale.__index = Scale

function Scale.new(number)
    return setmetatable({ number = number, battery = 100 }, Scale)
end

-- What the scale below a hive sends each hour.
function Scale:measure(hive, weather, day, hour)
    self.battery = self.battery > 5 and self.battery - 0.004 or 100
    return {
        day = day,
        hour = hour,
        grams = hive.grams + random.below(40) - 20,
        inside = 34 + random.below(15) / 10,
        outside = weather.warm,
        battery = self.battery,
    }
end

local Hive = {}
Hive.__index = Hive

function Hive.new(number)
    return setmetatable({ number = number, grams = 24000, bees = 15000, swarmed = 0, treated = -100, scale = Scale.new(number), log = {} }, Hive)
end

function Hive:live(weather, hour)
    if weather:bees_fly() and hour > 7 and hour < 20 then
        self.grams = self.grams + self.bees // 400 + random.below(30)
    else
        self.grams = self.grams - self.bees // 1200
    end
    self.bees = math.min(60000, self.bees + math.floor((weather.warm - 10) * 2))
    self.bees = math.max(6000, self.bees)
    self.grams = math.max(9000, self.grams)
end

function Hive:note(reading)
    self.log[#self.log + 1] = reading -- guilty
end

-- What it gained over the last two days, in grams.
function Hive:gain()
    local now, before = self.log[#self.log], self.log[math.max(1, #self.log - 48)]
    return now and now.grams - before.grams or 0
end

-- A swarm takes half of the bees and two kilos along.
function Hive:swarm()
    if self.bees > 55000 and random.below(300) == 0 then
        self.bees = self.bees // 2
        self.grams = self.grams - 2000
        self.swarmed = self.swarmed + 1
    end
end

local Harvest = {}
Harvest.__index = Harvest

function Harvest.new()
    return setmetatable({ grams = 0, times = 0, jars = {} }, Harvest)
end

function Harvest:take(hive, day)
    if hive.grams < 52000 then
        return
    end
    local honey = (hive.grams - 30000) * 0.8
    hive.grams = hive.grams - honey
    self.grams = self.grams + honey
    self.times = self.times + 1
    local kind = day % 365 < 160 and "blossom" or "forest"
    self.jars[kind] = (self.jars[kind] or 0) + honey // 500
end

local Keeper = {}
Keeper.__index = Keeper

function Keeper.new(hives)
    local keeper = setmetatable({ hives = {}, weather = Weather.new(), harvest = Harvest.new(), advice = {}, fed = 0 }, Keeper)
    for number = 1, hives do
        keeper.hives[number] = Hive.new(number)
    end
    return keeper
end

function Keeper:hour(day, hour)
    local weather = self.weather:hour(day, hour)
    for _, hive in ipairs(self.hives) do
        hive:live(weather, hour)
        hive:swarm()
        hive:note(hive.scale:measure(hive, weather, day, hour))
    end
end

function Keeper:evening(day)
    local lines = {}
    for _, hive in ipairs(self.hives) do
        local gain = hive:gain()
        if gain > 2500 then
            self.harvest:take(hive, day)
        elseif gain < -300 and hive.grams < 14000 then
            hive.grams = hive.grams + 3000
            self.fed = self.fed + 1
        end
        if day - hive.treated > 90 then
            hive.treated = day
            lines[#lines + 1] = string.format("treat hive %d", hive.number)
        end
        if hive.bees > 50000 then
            lines[#lines + 1] = string.format("hive %d may swarm, it gained %.0f g", hive.number, gain)
        end
    end
    self.advice = lines
end

local keeper = Keeper.new(14)
local said = 0
for day = 1, 400 do
    for hour = 0, 23 do
        keeper:hour(day, hour)
    end
    keeper:evening(day)
    said = said + #table.concat(keeper.advice, "\n")
end
local swarms = 0
for _, hive in ipairs(keeper.hives) do
    swarms = swarms + hive.swarmed
end
print(string.format("%.0f kg in %d harvests, %d swarms, %d times fed, %d letters of advice", keeper.harvest.grams // 1000, keeper.harvest.times, swarms, keeper.fed, said))
for kind, jars in pairs(keeper.harvest.jars) do
    print(kind, jars)
end
