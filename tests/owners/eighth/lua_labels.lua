-- Counts requests as a monitoring agent does: a series for each set of labels, scraped from time to time.
local Histogram = {}
Histogram.__index = Histogram

local LIMITS = { 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5 }

function Histogram.new()
    local self = setmetatable({ counts = {}, sum = 0, total = 0 }, Histogram)
    for i = 1, #LIMITS + 1 do
        self.counts[i] = 0
    end
    return self
end

function Histogram:observe(value)
    local slot = #LIMITS + 1
    for i, limit in ipairs(LIMITS) do
        if value <= limit then
            slot = i
            break
        end
    end
    self.counts[slot] = self.counts[slot] + 1
    self.sum = self.sum + value
    self.total = self.total + 1
end

local Registry = {}
Registry.__index = Registry

function Registry.new()
    return setmetatable({ families = {}, scraped = 0 }, Registry)
end

local function key_of(labels)
    local parts = {}
    for name, value in pairs(labels) do
        parts[#parts + 1] = name .. '="' .. value .. '"'
    end
    table.sort(parts)
    return table.concat(parts, ",")
end

function Registry:family(name)
    local family = self.families[name]
    if not family then
        family = { name = name, series = {}, count = 0 }
        self.families[name] = family
    end
    return family
end

-- The series of these labels, a new one for labels that never were.
function Registry:series(name, labels)
    local family = self:family(name)
    local key = key_of(labels)
    local series = family.series[key]
    if not series then
        series = { labels = {}, histogram = Histogram.new(), born = os.time() } -- guilty
        for label, value in pairs(labels) do
            series.labels[label] = value
        end
        family.series[key] = series
        family.count = family.count + 1
    end
    return series
end

function Registry:scrape(limit)
    local lines = {}
    for name, family in pairs(self.families) do
        for key, series in pairs(family.series) do
            if #lines >= limit then
                break
            end
            lines[#lines + 1] = string.format("%s{%s} %d", name, key, series.histogram.total)
        end
    end
    self.scraped = self.scraped + 1
    return table.concat(lines, "\n")
end

local Routes = {}
Routes.__index = Routes

-- The site's pages, which each request is matched with.
function Routes.load(count)
    local self = setmetatable({ pages = {}, names = {} }, Routes)
    for i = 1, count do
        local path = "/articles/" .. i
        self.names[i] = path
        self.pages[path] = { title = "Article " .. i, words = string.rep("word " .. i .. " ", 12) }
    end
    return self
end

function Routes:pick(number)
    return self.names[number * 7919 % #self.names + 1]
end

local function middleware(registry, next_handler)
    return function(request)
        local status, took = next_handler(request)
        local labels = { method = request.method, status = tostring(status), client = request.client }
        registry:series("http_request_seconds", labels).histogram:observe(took)
        return status
    end
end

local function page(routes)
    return function(request)
        local found = routes.pages[request.path]
        return found and 200 or 404, #request.path % 17 / 100
    end
end

local function main()
    local registry, routes = Registry.new(), Routes.load(16000)
    local handle = middleware(registry, page(routes))
    local served, size = 0, 0
    for i = 1, 70000 do
        local client = string.format("10.%d.%d.%d", i % 3, i // 7 % 200, i * 31 % 250)
        local request = { method = i % 9 == 0 and "POST" or "GET", path = routes:pick(i), client = client }
        served = served + (handle(request) == 200 and 1 or 0)
        if i % 10000 == 0 then
            size = size + #registry:scrape(500)
        end
    end
    print(served, size, registry:family("http_request_seconds").count)
end

main()
