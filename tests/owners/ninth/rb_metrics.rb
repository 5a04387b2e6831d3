# frozen_string_literal: true

# An agent that takes measurements of an application, aggregates them, and sends percentiles every ten seconds.

class Measurement
  attr_reader :name, :value, :tags

  def initialize(name, value, tags)
    @name = name
    @value = value
    @tags = tags
  end
end

# Parses "name:value|ms|#tag:value,tag:value".
class Parser
  LINE = /\A([^:]+):([\d.]+)\|(ms|c|g)(?:\|#(.*))?\z/.freeze

  def parse(line)
    match = LINE.match(line) or return
    tags = (match[4] || '').split(',').to_h { |tag| tag.split(':', 2) }
    [match[3], Measurement.new(match[1], match[2].to_f, tags)]
  end
end

class Timings
  def initialize
    @values = Array.new(64, 0.0) # the last ones
    @count = 0
    @sum = 0.0
  end

  attr_reader :count

  def add(value)
    @values[@count % @values.size] = value
    @count += 1
    @sum += value
  end

  def percentile(share)
    sorted = @values.first(@count).sort
    sorted[(share * (sorted.size - 1)).round] || 0
  end

  def reset
    @count = 0
    @sum = 0.0
  end
end

class Aggregator
  def initialize
    @timings = {}
    @counters = Hash.new(0)
    @gauges = {}
  end

  def take(kind, measurement)
    case kind
    when 'ms' then timing(measurement)
    when 'c' then @counters[measurement.name] += measurement.value
    when 'g' then @gauges[measurement.name] = measurement.value
    end
  end

  def timing(measurement)
    key = "#{measurement.name};#{measurement.tags.sort.map { |name, value| "#{name}=#{value}" }.join(';')}"
    timings = @timings[key] ||= Timings.new # guilty
    timings.add(measurement.value)
  end

  def flush
    lines = @counters.map { |name, value| "#{name} #{value}" }
    @timings.each do |key, timings|
      next if timings.count.zero?

      lines << "#{key} p50=#{timings.percentile(0.5)} p99=#{timings.percentile(0.99)}"
      timings.reset
    end
    @counters.clear
    lines
  end

  def size
    @timings.size
  end
end

# What could not be sent yet; the oldest goes when it is full.
class Outbox
  LIMIT = 8000

  def initialize
    @lines = []
  end

  def push(lines)
    @lines.concat(lines)
    @lines.shift(@lines.size - LIMIT) if @lines.size > LIMIT
  end
end

class Application
  ROUTES = %w[orders#index orders#show baskets#update sessions#create].freeze

  def initialize
    @random = Random.new(8)
    @users = 0
  end

  def lines
    @users += 1 if @random.rand < 0.6
    route = ROUTES[@random.rand(4)]
    user = @random.rand < 0.6 ? @users : @random.rand(300)
    yield "request.duration:#{@random.rand(900) + 1}.5|ms|#route:#{route},user:#{user},host:web-#{@random.rand(3)}"
    yield 'request.count:1|c'
    yield "workers.busy:#{@random.rand(16)}|g"
  end
end

def main
  parser = Parser.new
  aggregator = Aggregator.new
  outbox = Outbox.new
  application = Application.new
  50_000.times do |request|
    application.lines do |line|
      kind, measurement = parser.parse(line)
      aggregator.take(kind, measurement) if kind
    end
    outbox.push(aggregator.flush) if request % 10_000 == 9999
  end
  puts "#{aggregator.size} series"
end

main
