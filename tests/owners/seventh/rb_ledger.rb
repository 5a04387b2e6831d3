# frozen_string_literal: true

# Books of accounts: entries are posted in transactions, which are undone if they do not balance.
Entry = Struct.new(:account, :cents, :text, :tags, keyword_init: true)

class Unbalanced < StandardError
  attr_reader :entries

  def initialize(entries)
    @entries = entries
    super("off by #{entries.sum(&:cents)} cents")
  end
end

module Audited
  def self.prepended(base)
    base.extend(Report)
  end

  module Report
    def failures
      @failures ||= Hash.new { |hash, reason| hash[reason] = [] }
    end

    def worst
      failures.max_by { |_, cases| cases.size }&.first
    end
  end

  def post(entries)
    super
  rescue Unbalanced => e
    book_failure(e)
  end

  private

  # What did not balance is shown to the accountants at the end of the year.
  def book_failure(error)
    self.class.failures[error.message] << error.entries.map { |e| "#{e.account} #{e.cents} #{e.text} #{e.tags.join(' ')}" } # guilty
    nil
  end
end

class Ledger
  prepend Audited

  attr_reader :balances

  def initialize
    @balances = Hash.new(0)
    @open = []
  end

  def transaction
    @open.push(@balances.dup)
    yield self
    @open.pop
  rescue Unbalanced
    @balances = @open.pop
    raise
  end

  def post(entries)
    transaction do
      entries.each { |entry| @balances[entry.account] += entry.cents }
      raise Unbalanced, entries unless entries.sum(&:cents).zero?
    end
    entries.size
  end

  def to_s
    @balances.sort.first(3).map { |account, cents| format('%<account>s: %<euros>.2f', account: account, euros: cents / 100.0) }.join(', ')
  end
end

class Bookings
  include Enumerable

  KINDS = %w[rent wages power water paper travel].freeze

  def initialize(count)
    @count = count
  end

  def each
    return to_enum(:each) { @count } unless block_given?

    @count.times { |i| yield booking(i) }
  end

  private

  def booking(i)
    cents = 100 + i * 37 % 90_000
    lost = (i % 5).zero? ? i % 400 : 0
    parts = Array.new(4) { |k| entry("#{4000 + (i + k) % 60}", cents / 4, KINDS[(i + k) % 6], i) }
    parts << entry('1200', -(cents / 4) * 4 + lost, 'bank', i)
  end

  def entry(account, cents, kind, i)
    Entry.new(account: account, cents: cents, text: "#{kind} of booking #{i}, as the letter of that month says", tags: [kind, "year#{2000 + i % 25}"])
  end
end

ledger = Ledger.new
posted = Bookings.new(110_000).each_slice(500).sum do |slice|
  slice.sum { |entries| ledger.post(entries) || 0 }
end
puts "#{posted} posted; #{Ledger.worst}; #{ledger}"
