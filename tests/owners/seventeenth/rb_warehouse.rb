# Warehouse robots fetch shelves; tasks look each other up by class registry.
class Task
  @registry = []

  class << self
    attr_reader :registry

    def open_count
      @registry.last(200).count { |t| !t.done? }
    end
  end

  attr_reader :shelf, :route

  def initialize(shelf, route)
    @shelf = shelf
    @route = route
    @done = false
    Task.registry << self # guilty
  end

  def finish
    @done = true
  end

  def done?
    @done
  end
end

class Floor
  def initialize(width, height)
    @width = width
    @height = height
  end

  def cell(rng)
    [rng.rand(@width), rng.rand(@height)]
  end

  def path(from, to)
    x, y = from
    steps = []
    until x == to[0] && y == to[1]
      if x == to[0]
        y += to[1] <=> y
      else
        x += to[0] <=> x
      end
      steps << [x, y]
    end
    steps
  end
end

class Robot
  attr_reader :moved

  def initialize(position)
    @position = position
    @moved = 0
    @task = nil
  end

  def idle?
    @task.nil?
  end

  def assign(task)
    @task = task
    @at = 0
  end

  def drive(speed)
    @at += speed
    @moved += speed
    return if @at < @task.route.size

    @position = @task.shelf
    @task.finish
    @task = nil
  end

  def plan(floor, rng)
    target = floor.cell(rng)
    Task.new(target, floor.path(@position, target))
  end
end

rng = Random.new(9)
floor = Floor.new(60, 60)
robots = Array.new(30) { Robot.new(floor.cell(rng)) }
open = 0
4000.times do |tick|
  robots.each do |r|
    r.idle? ? r.assign(r.plan(floor, rng)) : r.drive(8)
  end
  open += Task.open_count if (tick % 50).zero?
  sleep 0.006 if (tick % 20).zero?
end
puts "moved #{robots.sum(&:moved)} open #{open}"
sleep 0.2
