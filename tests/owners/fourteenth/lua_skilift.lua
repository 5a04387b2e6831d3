-- Lets skiers onto lifts: passes with zones, guests as coroutines, gates that look at the pass, queues by lift, and a plan of the slopes.
local seed = 8

local function rnd(n)
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed // 512 % n + 1
end

-- A ring with room for some values, the oldest of which is written over.
local function ring(room)
    local values, at = {}, 0
    return function(value)
        at = at % room + 1
        values[at] = value
        return #values
    end
end

local lifts = {}

local function new_lift(name, zone, seats, minutes)
    lifts[#lifts + 1] = { name = name, zone = zone, seats = seats, minutes = minutes, queue = {}, first = 1, last = 0, carried = 0 }
end

local function queue_up(lift, guest)
    lift.last = lift.last + 1
    lift.queue[lift.last] = guest
end

local function next_in_line(lift)
    local guest = lift.queue[lift.first]
    if guest then
        lift.queue[lift.first] = nil
        lift.first = lift.first + 1
    end
    return guest
end

-- A gate reads passes. Somebody who passed just before may not pass again at once.
local function make_gate(lift, refusals)
    local passed = {}
    local function used_lately(pass, minute)
        for i = #passed, math.max(1, #passed - 60), -1 do
            if passed[i].pass == pass.number and minute - passed[i].minute < 4 then
                return true
            end
        end
        return false
    end
    local function admit(pass, minute)
        if not pass.zones[lift.zone] then
            refusals(pass.number .. " is not valid at " .. lift.name)
            return false
        end
        if used_lately(pass, minute) then
            refusals(pass.number .. " was here just now")
            return false
        end
        passed[#passed + 1] = { pass = pass.number, minute = minute, photo = string.rep(string.char(64 + rnd(26)), 24 + rnd(16)) } -- guilty
        lift.carried = lift.carried + 1
        return true
    end
    return admit
end

local function sell_pass(number, day)
    local zones = { valley = true }
    if rnd(3) > 1 then
        zones.ridge = true
    end
    if rnd(4) == 1 then
        zones.glacier = true
    end
    return { number = "P" .. day .. "-" .. number, zones = zones }
end

-- What a guest does all day: stand in a queue, ride, ski down, rest.
local function guest_of(pass, skill)
    return coroutine.create(function(minute)
        local runs = 0
        while minute < 480 and runs < 12 do
            local lift = lifts[rnd(#lifts)]
            queue_up(lift, { pass = pass, thread = coroutine.running() })
            local carried
            minute, carried = coroutine.yield("queue")
            if carried then
                runs = runs + 1
                minute = coroutine.yield(lift.minutes + 14 // skill)
            end
            if runs % 6 == 5 then
                minute = coroutine.yield(30)
            end
        end
        return "home"
    end)
end

local sleeping, tired = {}, 0

local function resume(thread, ...)
    local _, what = coroutine.resume(thread, ...)
    if type(what) == "number" then
        sleeping[#sleeping + 1] = { thread = thread, left = what }
    elseif what == "home" then
        tired = tired + 1
    end
end

local function wake(minute)
    local awake = {}
    for i = #sleeping, 1, -1 do
        local s = sleeping[i]
        s.left = s.left - 1
        if s.left <= 0 then
            awake[#awake + 1] = table.remove(sleeping, i).thread
        end
    end
    for _, thread in ipairs(awake) do
        resume(thread, minute)
    end
end

new_lift("Valley Express", "valley", 8, 7)
new_lift("Old Chair", "valley", 2, 12)
new_lift("Ridge", "ridge", 6, 9)
new_lift("Glacier", "glacier", 4, 11)
local refusals, gates = ring(200), {}
for _, lift in ipairs(lifts) do
    gates[lift] = make_gate(lift, refusals)
end
for day = 1, 60 do
    sleeping = {}
    for _, lift in ipairs(lifts) do
        lift.queue, lift.first, lift.last = {}, 1, 0
    end
    for number = 1, 500 do
        resume(guest_of(sell_pass(number, day), rnd(3)), 0)
    end
    for minute = 1, 500 do
        wake(minute)
        for _, lift in ipairs(lifts) do
            for _ = 1, lift.seats do
                local guest = next_in_line(lift)
                if guest then
                    resume(guest.thread, minute, gates[lift](guest.pass, minute))
                end
            end
        end
    end
end
for _, lift in ipairs(lifts) do
    print(lift.name, lift.carried)
end
print(tired .. " went home tired, the last " .. refusals("the end of the season") .. " refusals are known")
