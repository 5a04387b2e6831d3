# frozen_string_literal: true

# Orders go through states; what happens on the way is declared, as libraries for this do.
module States
  def self.included(base)
    base.extend(Declared)
  end

  module Declared
    def transitions
      @transitions ||= {}
    end

    def event(name, from:, to:, &guard)
      transitions[name] = { from: Array(from), to: to }
      define_method(:"may_#{name}?") { transitions_of(name)[:from].include?(state) && (guard.nil? || instance_exec(&guard)) }
      define_method(:"#{name}!") do |**details|
        raise ArgumentError, "#{name} not from #{state}" unless public_send(:"may_#{name}?")

        move(name, transitions_of(name)[:to], **details)
      end
    end
  end

  attr_reader :state

  def transitions_of(name)
    self.class.transitions.fetch(name)
  end

  def move(name, to, **details)
    before = state
    @state = to
    Observers.each { |observer| observer.moved(self, name, before, details) }
  end
end

module Observers
  @all = []
  class << self
    def <<(observer)
      @all << observer
    end

    def each(&block)
      @all.each(&block)
    end
  end
end

class Order
  include States

  attr_reader :id, :lines

  def initialize(id)
    @id = id
    @state = :open
    @lines = Array.new(5) { |i| { sku: "sku-#{id % 90}-#{i}", count: 1 + (id % 4) } }
  end

  event(:pay, from: :open, to: :paid) { lines.sum { |l| l[:count] } < 20 }
  event(:ship, from: %i[paid held], to: :shipped)
  event(:hold, from: :paid, to: :held)
  event(:cancel, from: %i[open paid], to: :cancelled)
end

class Totals
  def initialize
    @counts = Hash.new(0)
  end

  def moved(_order, name, _before, _details)
    @counts[name] += 1
  end

  def to_s
    @counts.map { |name, n| "#{name}: #{n}" }.join(", ")
  end
end

class Mailer
  def initialize
    @outbox = []
  end

  def moved(order, name, _before, details)
    @outbox << "Dear customer, order #{order.id} is now #{name}. #{details.inspect}"
    @outbox.clear if @outbox.size > 100
  end
end

class Journal
  def initialize
    @entries = []
  end

  def moved(order, name, before, details)
    @entries << { event: name, from: before, snapshot: order.lines.map(&:dup), note: "order #{order.id} at #{details[:at]}" } # guilty
  end

  def size
    @entries.size
  end
end

totals = Totals.new
journal = Journal.new
[totals, Mailer.new, journal].each { |observer| Observers << observer }

16_000.times do |i|
  order = Order.new(i)
  order.pay!(at: i, by: "card") if order.may_pay?
  order.hold!(at: i + 1, why: "stock") if i % 5 == 0 && order.may_hold?
  order.ship!(at: i + 2, from: "hall #{i % 3}") if order.may_ship?
  order.cancel!(at: i + 3) if order.may_cancel?
end
puts totals, journal.size
