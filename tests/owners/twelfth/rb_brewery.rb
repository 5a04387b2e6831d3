# frozen_string_literal: true

# A brewery: tanks that ferment, probes in them, and a brewer who tastes and decides.

Reading = Struct.new(:hour, :celsius, :gravity, :pressure)

class Recipe
  attr_reader :name, :original, :final, :warmth

  def initialize(name, original, final, warmth)
    @name = name
    @original = original
    @final = final
    @warmth = warmth
  end

  def days
    ((original - final) * 250).ceil
  end
end

class Probe
  def initialize(random)
    @random = random
  end

  def read(tank, hour)
    celsius = tank.celsius + @random.rand * 0.4 - 0.2
    Reading.new(hour, celsius.round(2), tank.gravity + @random.rand * 0.001, 1.0 + tank.activity * 0.8)
  end
end

class Tank
  attr_reader :number, :celsius, :gravity, :recipe, :batch

  def initialize(number)
    @number = number
    @celsius = 12.0
    @gravity = 1.0
  end

  def empty?
    @recipe.nil?
  end

  def fill(recipe, batch)
    @recipe = recipe
    @batch = batch
    @gravity = recipe.original
    @celsius = recipe.warmth - 1
  end

  def activity
    return 0.0 if empty?

    left = @gravity - @recipe.final
    left.positive? ? left * 12 : 0.0
  end

  def ferment
    return if empty?

    @gravity -= activity * 0.0009
    @celsius += activity * 0.05 - (@celsius > @recipe.warmth ? 0.12 : 0.0)
  end

  def done?
    !empty? && @gravity < @recipe.final + 0.004
  end

  def drain
    @recipe = nil
  end
end

class Cellar
  attr_reader :alarms

  def initialize(tanks, random)
    @tanks = Array.new(tanks) { |i| Tank.new(i) }
    @probe = Probe.new(random)
    @logs = Hash.new { |logs, batch| logs[batch] = [] }
    @alarms = Hash.new(0)
    @finished = []
  end

  def free_tank
    @tanks.find(&:empty?)
  end

  def log(tank, reading)
    @logs[tank.batch] << reading # guilty
  end

  def watch(tank, reading)
    @alarms[:warm] += 1 if reading.celsius > tank.recipe.warmth + 1.2
    last = @logs[tank.batch].last(6)
    stuck = last.size == 6 && last.map(&:gravity).minmax.reduce(:-).abs < 0.0002
    @alarms[:stuck] += 1 if stuck && !tank.done?
  end

  def hour(now)
    @tanks.each do |tank|
      next if tank.empty?

      tank.ferment
      reading = @probe.read(tank, now)
      watch(tank, reading) if (now % 6).zero?
      log(tank, reading)
      finish(tank) if tank.done?
    end
  end

  def finish(tank)
    last = @logs[tank.batch].last
    strength = (tank.recipe.original - last.gravity) * 131.25
    @finished << format('%s: %.1f %% after %d readings', tank.recipe.name, strength, @logs[tank.batch].size)
    tank.drain
  end

  def summary
    "#{@finished.size} batches, #{@finished.last}, #{alarms}"
  end
end

class Brewer
  RECIPES = [Recipe.new('Pale', 1.048, 1.010, 19), Recipe.new('Bock', 1.068, 1.016, 11), Recipe.new('Wheat', 1.050, 1.012, 21)].freeze

  def initialize(cellar, random)
    @cellar = cellar
    @random = random
    @batch = 0
    @tastings = []
  end

  def plan
    tank = @cellar.free_tank
    return unless tank

    @batch += 1
    tank.fill(RECIPES.sample(random: @random), @batch)
  end

  def taste(now)
    @tastings << "#{now}: #{%w[sweet dry sour clean].sample(random: @random)}"
    @tastings.shift if @tastings.size > 20
  end
end

random = Random.new(16)
cellar = Cellar.new(32, random)
brewer = Brewer.new(cellar, random)
9_000.times do |now|
  brewer.plan if (now % 5).zero?
  brewer.taste(now) if (now % 24).zero?
  cellar.hour(now)
end
puts cellar.summary
