# A ledger with operators of its own: entries are added by <<, and what they change is told to observers.
class Ledger
  def initialize
    @entries = []
    @observers = []
  end

  def <<(entry)
    @entries << entry # guilty
    @observers.each { |observer| observer.call(entry) }
    self
  end

  def on_entry(&block)
    @observers << block
  end

  def last(count)
    @entries.last(count)
  end
end

Entry = Struct.new(:account, :amount, :text, keyword_init: true)

class Import
  def initialize(ledger)
    @ledger = ledger
  end

  def line(number)
    "#{number % 50};#{number * 7 % 900 - 300};payment number #{number} of the month for goods and services"
  end

  def run(count)
    count.times do |number|
      account, amount, text = line(number).split(';')
      @ledger << Entry.new(account: account, amount: amount.to_i, text: text)
    end
  end
end

ledger = Ledger.new
sum = 0
ledger.on_entry { |entry| sum += entry.amount }
Import.new(ledger).run(90_000)
puts "#{sum}, #{ledger.last(3).map(&:account).join(' ')}"
