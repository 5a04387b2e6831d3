# Sells the seats of a cinema: halls, showings, holds that run out, payments by a gateway, prices by rules, and a report by film.
module Numbered
  def self.included(base)
    base.extend(ClassMethods)
  end

  module ClassMethods
    def next_number
      @next_number = (@next_number || 0) + 1
    end
  end
end

class Random::Steps
  def initialize(seed)
    @state = seed
  end

  def below(n)
    @state = (@state * 1103515245 + 12345) % 2**31
    (@state >> 8) % n
  end
end

Seat = Struct.new(:row, :place) do
  def to_s
    "#{(65 + row).chr}#{place}"
  end
end

class Hold
  include Numbered
  attr_reader :number, :seats, :visitor, :minute, :note
  attr_accessor :state

  def initialize(seats, visitor, minute, note)
    @number = self.class.next_number
    @seats = seats
    @visitor = visitor
    @minute = minute
    @note = note
    @state = :open
  end

  def run_out?(now)
    state == :open && now - minute > 10
  end
end

class Showing
  attr_reader :film, :start, :sold

  def initialize(film, start, rows, places)
    @film = film
    @start = start
    @rows = rows
    @places = places
    @taken = {}
    @holds = []
    @sold = 0
  end

  # The best seats beside each other, from the middle of the hall.
  def free_seats(count)
    row = (0...@rows).min_by { |r| [(r - @rows / 2).abs + (row_count(r) + count > @places ? 1000 : 0), r] }
    free = (1..@places).reject { |p| @taken[row * 100 + p] }
    free.size < count ? [] : free.first(count).map { |p| Seat.new(row, p) }
  end

  def hold(count, visitor, now)
    seats = free_seats(count)
    return if seats.empty?

    hold = Hold.new(seats, visitor, now, "#{film} at #{start}: #{seats.join(', ')} held for #{visitor} since #{now}")
    seats.each { |s| @taken[s.row * 100 + s.place] = hold.number }
    @holds << hold # guilty
    hold
  end

  def release_old(now)
    @holds.last(80).each do |hold|
      next unless hold.run_out?(now)

      hold.state = :gone
      hold.seats.each { |s| @taken.delete(s.row * 100 + s.place) }
    end
  end

  def pay(hold)
    hold.state = :paid
    @sold += hold.seats.size
  end

  private

  def row_count(row)
    (1..@places).count { |p| @taken[row * 100 + p] }
  end
end

class Prices
  RULES = {
    ->(showing, _) { showing.start < 300 } => 0.8,
    ->(_, hold) { hold.seats.size > 3 } => 0.9,
    ->(_, hold) { hold.seats.first.row > 9 } => 1.2
  }.freeze

  def cents(showing, hold)
    RULES.reduce(950.0 * hold.seats.size) { |sum, (rule, factor)| rule.call(showing, hold) ? sum * factor : sum }.round
  end
end

class Cinema
  attr_reader :income, :refused

  def initialize(steps)
    @steps = steps
    @prices = Prices.new
    @receipts = []
    @showings = %w[Vertigo Solaris Amarcord Ran].flat_map { |film| [200, 500].map { |start| Showing.new(film, start, 14, 20) } }
    @income = 0
    @refused = 0
  end

  def minute(now)
    @showings.each { |s| s.release_old(now) }
    14.times do |i|
      showing = @showings[@steps.below(@showings.size)]
      hold = showing.hold(1 + @steps.below(5), "visitor #{now}.#{i}", now)
      hold ? settle(showing, hold) : @refused += 1
    end
  end

  def report
    @showings.group_by(&:film).transform_values { |all| all.sum(&:sold) }
  end

  private

  def settle(showing, hold)
    return if hold.seats.any? { |s| s.row == 3 } && @steps.below(3).zero?

    cents = @prices.cents(showing, hold)
    return if @steps.below(450).positive?

    showing.pay(hold)
    @receipts = @receipts.last(99) << "#{hold.number}: #{cents}"
    @income += cents
  end
end

cinema = Cinema.new(Random::Steps.new(16))
2600.times { |now| cinema.minute(now) }
puts "#{cinema.income / 100} euros, #{cinema.refused} refused, #{cinema.report}"
