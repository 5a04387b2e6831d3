-- Tables in a table; the interpreter ends without closing its state.
local kept = {}

local function settings()
    local all = {}
    for number = 1, 1000 do
        all[number] = number
    end
    return all
end

local function collect(number)
    kept[number] = {name = string.rep("n", 900) .. number, number = number} -- guilty
end

settings()
for number = 1, 60000 do
    collect(number)
end
os.exit(0, false)
