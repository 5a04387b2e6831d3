-- Widgets that listen to a model by closures; a window that is closed leaves its listeners there.
local Model = {}
Model.__index = Model

function Model.new()
  return setmetatable({ listeners = {}, value = 0 }, Model)
end

function Model:listen(callback)
  self.listeners[#self.listeners + 1] = callback -- guilty
end

function Model:set(value)
  self.value = value
  if value % 500 == 0 then
    for _, callback in ipairs(self.listeners) do callback(value) end
  end
end

local function pixels(width)
  local row = {}
  for i = 1, width do row[i] = i * 3 % 256 end
  return row
end

local function open_window(model, number)
  local shown = pixels(64)
  local title = "window " .. number
  model:listen(function(value)
    shown[value % 64 + 1] = value
    title = "window " .. value
  end)
  return { close = function() shown = nil or shown end, title = title }
end

local model = Model.new()
local letters = 0
for number = 1, 20000 do
  local window = open_window(model, number)
  model:set(number)
  letters = letters + #window.title
  window.close()
end
print(letters .. " letters, " .. #model.listeners .. " listeners")
