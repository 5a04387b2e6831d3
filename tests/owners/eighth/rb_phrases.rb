# frozen_string_literal: true

# The letters of a shop in several languages: phrases with places for names and numbers, put together for each order.

module Phrases
  LANGUAGES = %w[en de fr pl].freeze
  TERMS = "If something is missing or broken, write to us within two weeks. We send it again, or you have your money back.\n" * 6
  KINDS = %w[received packed sent delivered].freeze

  def self.load
    LANGUAGES.to_h do |language|
      texts = KINDS.to_h { |kind| [kind, "#{language}: dear customer, order %{order} is #{kind} on %{day}.\n" + TERMS] }
      400.times { |number| texts["help.#{number}"] = "#{language}: answer to question #{number}. " * 30 }
      [language, texts]
    end
  end
end

class Translator
  attr_reader :misses

  def initialize(phrases)
    @phrases = phrases
    @misses = 0
    @made = {}
  end

  def translate(language, kind, values)
    key = [language, kind, values]
    @made.fetch(key) do
      @misses += 1
      @made[key] = interpolate(language, kind, values) # guilty
    end
  end

  def plain(language, kind)
    @phrases.fetch(language).fetch(kind)
  end

  private

  def interpolate(language, kind, values)
    text = @phrases.fetch(language).fetch(kind)
    text.gsub(/%\{(\w+)\}/) { values.fetch(Regexp.last_match(1).to_sym).to_s }
  end
end

Customer = Struct.new(:number, :language)

# Customers are known for good.
class Directory
  def initialize(count)
    @customers = Array.new(count) do |number|
      Customer.new(number, Phrases::LANGUAGES[number % 4])
    end
  end

  def of(order)
    @customers[order * 13 % @customers.size]
  end
end

# Sends, and forgets what is sent.
class Outbox
  attr_reader :sent, :bytes

  def initialize
    @waiting = []
    @sent = @bytes = 0
  end

  def post(address, subject, body)
    @waiting << [address, subject, body]
    flush if @waiting.size >= 50
  end

  def flush
    @waiting.each { |_, subject, body| @bytes += subject.bytesize + body.bytesize }
    @sent += @waiting.size
    @waiting.clear
  end
end

class Letters
  def initialize(translator, directory, outbox)
    @translator = translator
    @directory = directory
    @outbox = outbox
  end

  def order_moved(order, kind)
    customer = @directory.of(order)
    values = { order: order, day: "2026-11-#{order % 28 + 1}" }
    body = @translator.translate(customer.language, kind, values)
    help = @translator.plain(customer.language, "help.#{order % 400}")
    @outbox.post("#{customer.number}@example.org", "Order #{order}", "#{body}\n\n#{help}")
  end
end

def main
  translator = Translator.new(Phrases.load)
  outbox = Outbox.new
  letters = Letters.new(translator, Directory.new(30_000), outbox)
  10_000.times do |order|
    Phrases::KINDS.each { |kind| letters.order_moved(order, kind) }
  end
  outbox.flush
  puts "#{outbox.sent} letters, #{outbox.bytes} bytes, #{translator.misses} phrases made"
end

main
