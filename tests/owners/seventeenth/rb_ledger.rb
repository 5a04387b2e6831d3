# Account ledger on events: commands produce events, projections read them.
class Event
  attr_reader :seq, :type, :account, :data

  def initialize(seq, type, account, data)
    @seq = seq
    @type = type
    @account = account
    @data = data
  end
end

class EventBus
  def initialize
    @seq = 0
    @handlers = []
    @published = []
  end

  def on_event(&block)
    @handlers << block
  end

  def publish(type, account, data)
    @seq += 1
    event = Event.new(@seq, type, account, data)
    @published << event # guilty
    @handlers.each { |h| h.call(event) }
    event
  end

  def latest
    @published.last
  end
end

class Balances
  def initialize
    @cents = Hash.new(0)
  end

  def apply(event)
    sign = event.type == :deposit ? 1 : -1
    @cents[event.account] += sign * event.data[:cents]
  end

  def [](account)
    @cents[account]
  end

  def total
    @cents.values.sum
  end
end

class Teller
  def initialize(bus, balances, rng)
    @bus = bus
    @balances = balances
    @rng = rng
  end

  def work
    account = @rng.rand(500)
    cents = 100 + @rng.rand(50_000)
    memo = format('terminal %d receipt %08x', @rng.rand(90), @rng.rand(2**32))
    if @balances[account] > cents && @rng.rand(2).zero?
      @bus.publish(:withdraw, account, { cents: cents, memo: memo })
    else
      @bus.publish(:deposit, account, { cents: cents, memo: memo })
    end
  end
end

rng = Random.new(3)
bus = EventBus.new
balances = Balances.new
bus.on_event { |e| balances.apply(e) }
teller = Teller.new(bus, balances, rng)
190_000.times do |i|
  teller.work
  sleep 0.008 if (i % 1200).zero?
end
puts "total #{balances.total} last #{bus.latest.seq}"
sleep 0.2
