# shoptext - renders shop pages in several languages with a small translation layer.
module Plural
  RULES = {
    "en" => ->(n) { n == 1 ? :one : :other },
    "de" => ->(n) { n == 1 ? :one : :other },
    "pl" => ->(n) { n == 1 ? :one : (2..4).cover?(n % 10) ? :few : :other },
  }.freeze

  def self.form(locale, n)
    RULES.fetch(locale).call(n)
  end
end

class Catalog
  def initialize
    @texts = {}
    %w[en de pl].each { |l| load_locale(l) }
  end

  def lookup(locale, key, form = nil)
    entry = @texts[locale][key]
    entry.is_a?(Hash) ? entry[form] || entry[:other] : entry
  end

  private

  def load_locale(l)
    @texts[l] = {
      "greeting" => "[#{l}] Hello %{name}, welcome back to our shop",
      "basket" => { one: "[#{l}] one article in your basket", few: "[#{l}] %{count} articles in it", other: "[#{l}] %{count} articles in your basket" },
      "arrives" => "[#{l}] Your order %{order} arrives on %{day} between %{from} and %{to}",
      "footer" => "[#{l}] Prices include VAT",
    }
  end
end

class Translator
  def initialize(catalog)
    @catalog = catalog
    @rendered = {}
    @missing = Hash.new(0)
  end

  def t(locale, key, **args)
    @rendered[[locale, key, args]] ||= begin # guilty
      form = args[:count] && Plural.form(locale, args[:count])
      text = @catalog.lookup(locale, key, form)
      text ? interpolate(text, args) : missing(locale, key)
    end
  end

  def missing_count
    @missing.values.sum
  end

  private

  def interpolate(text, args)
    text.gsub(/%\{(\w+)\}/) { args[$1.to_sym].to_s }
  end

  def missing(locale, key)
    @missing["#{locale}.#{key}"] += 1
    "?#{key}"
  end
end

Customer = Struct.new(:id, :name, :locale, :basket)

class Shop
  def initialize(translator)
    @tr = translator
    @recent = []
    @bytes = 0
  end

  attr_reader :bytes

  def page(customer, order)
    parts = header(customer) + body(customer, order) + [@tr.t(customer.locale, "footer"), @tr.t(customer.locale, "imprint")]
    html = parts.map { |p| "<p>#{p}</p>" }.join("\n")
    remember(customer)
    @bytes += html.bytesize
    html
  end

  private

  def header(customer)
    [@tr.t(customer.locale, "greeting", name: customer.name), @tr.t(customer.locale, "basket", count: customer.basket)]
  end

  def body(customer, order)
    [@tr.t(customer.locale, "arrives", order: order, day: "2024-05-#{order % 28 + 1}", from: "#{order % 9 + 8}:00", to: "#{order % 9 + 10}:00")]
  end

  def remember(customer)
    @recent.unshift(customer.id)
    @recent.pop if @recent.size > 200
  end
end

translator = Translator.new(Catalog.new)
shop = Shop.new(translator)
customers = Array.new(400) { |i| Customer.new(i, "Customer #{i}", %w[en de pl][i % 3], i % 12) }
45_000.times do |n|
  c = customers[n * 7919 % customers.size]
  c.basket = (c.basket + n) % 15
  shop.page(c, 100_000 + n)
  sleep 0.008 if n % 250 == 0
end
puts "#{shop.bytes} bytes, missing #{translator.missing_count}"
