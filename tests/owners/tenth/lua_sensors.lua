-- A gateway in a greenhouse: decodes frames of sensors, smooths what they measure, opens valves, and reports to the gardener.

local function checksum(frame)
    local sum = 0
    for i = 1, #frame do
        sum = (sum * 31 + frame:byte(i)) % 65521
    end
    return sum
end

local function decode(line)
    local frame, sum = line:match("^(.-)%*(%d+)$")
    if not frame or checksum(frame) ~= tonumber(sum) then
        return nil, "bad checksum"
    end
    local sensor, kind, value, battery = frame:match("^(%w+);(%a+);([%d.]+);(%d+)$")
    if not sensor then
        return nil, "bad frame"
    end
    return { sensor = sensor, kind = kind, value = tonumber(value), battery = tonumber(battery) }
end

local Average = {}
Average.__index = Average

function Average.new(weight)
    return setmetatable({ weight = weight, value = nil }, Average)
end

function Average:add(value)
    self.value = self.value and self.value + (value - self.value) * self.weight or value
    return self.value
end

local Gateway = {}
Gateway.__index = Gateway

function Gateway.new()
    return setmetatable({ averages = {}, valves = {}, pending = {}, errors = {}, sent = 0 }, Gateway)
end

function Gateway:receive(line, time)
    local reading, problem = decode(line)
    if not reading then
        self.errors[problem] = (self.errors[problem] or 0) + 1
        return
    end
    reading.time = time
    self:smooth(reading)
    self:control(reading)
    self:queue(reading)
end

function Gateway:smooth(reading)
    local key = reading.sensor .. "/" .. reading.kind
    local average = self.averages[key]
    if not average then
        average = Average.new(0.2)
        self.averages[key] = average
    end
    reading.smooth = average:add(reading.value)
end

function Gateway:control(reading)
    if reading.kind == "soil" then
        self.valves[reading.sensor] = reading.smooth < 30
    end
end

-- What could not be sent is sent when the connection is back.
function Gateway:queue(reading)
    local list = self.pending[reading.sensor]
    if not list then
        list = {}
        self.pending[reading.sensor] = list
    end
    list[#list + 1] = reading -- guilty
end

function Gateway:send(online)
    if not online then
        return 0
    end
    local count = 0
    for sensor, list in pairs(self.pending) do
        count = count + #list
        self.pending[sensor] = nil
    end
    self.sent = self.sent + count
    return count
end

function Gateway:report()
    local open, waiting = 0, 0
    for _, valve in pairs(self.valves) do
        open = open + (valve and 1 or 0)
    end
    for _, list in pairs(self.pending) do
        waiting = waiting + #list
    end
    return ("%d valves open, %d sent, %d waiting, %d bad"):format(open, self.sent, waiting, self.errors["bad checksum"] or 0)
end

local function transmit(number)
    local kinds = { "soil", "air", "light" }
    local frame = ("bed%d;%s;%.1f;%d"):format(number % 120, kinds[number % 3 + 1], 20 + number * 7 % 400 / 10, 100 - number // 5000)
    return frame .. "*" .. checksum(frame) + (number % 500 == 0 and 1 or 0)
end

local gateway = Gateway.new()
for number = 1, 130000 do
    gateway:receive(transmit(number), number * 2)
    if number % 1000 == 0 then
        gateway:send(number < 8000)
    end
end
print(gateway:report())
