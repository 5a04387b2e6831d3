# Prices of journeys: methods are made to remember what they gave, by a macro of the class.
module Memoized
  def memoize(name)
    original = instance_method(name)
    known = {}
    define_method(name) do |*key|
      known.fetch(key) { known[key] = original.bind_call(self, *key) } # guilty
    end
  end
end

class Tariff
  extend Memoized

  def initialize(base)
    @base = base
  end

  def offer(from, to, day)
    steps = (from - to).abs
    (1..12).map { |hour| "#{hour}:00 from #{from} to #{to}: #{@base + steps * 3 + (day % 7) * hour} cents" }
  end
  memoize :offer

  def cheapest(from, to, day)
    offer(from, to, day).min_by { |line| line[/\d+ cents/].to_i }
  end
end

tariff = Tariff.new(190)
letters = 0
240.times do |day|
  40.times { |from| letters += tariff.cheapest(from, (from * 7 + day) % 60, day).size }
end
puts "#{letters} letters"
