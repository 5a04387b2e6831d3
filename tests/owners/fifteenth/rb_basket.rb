# Web shop model: price board with observers, baskets that follow prices.

class PriceBoard
  def initialize(count)
    @prices = Array.new(count) { |i| 100 + i }
    @observers = Hash.new { |h, k| h[k] = [] }
  end

  def price(sku)
    @prices[sku]
  end

  def subscribe(sku, &block)
    @observers[sku] << block
    block
  end

  def unsubscribe(sku, block)
    @observers[sku].delete(block)
  end

  def update(sku, value)
    @prices[sku] = value
    @observers[sku].each { |o| o.call(sku, value) }
  end
end

class PriceHistory
  def initialize(board, skus)
    @points = {}
    skus.each do |s|
      @points[s] = []
      board.subscribe(s) { |sku, v| log_point(sku, v) }
    end
  end

  def log_point(sku, value)
    list = @points[sku]
    list << "#{sku}=#{value} at #{list.size} ------------------------"
    list.shift(150) if list.size > 300
  end
end

class Basket
  Line = Struct.new(:sku, :qty, :price, :label)
  attr_reader :lines, :notices

  def initialize(customer)
    @customer = customer
    @lines = []
    @notices = []
  end

  def add(sku, qty, board)
    @lines << Line.new(sku, qty, board.price(sku), "item-#{sku} for #{@customer}")
  end

  def track_prices(board)
    quotes = Hash.new { |h, k| h[k] = [] }
    @lines.each do |line|
      60.times { |i| quotes[line.sku] << "offer #{i} on #{line.label} from seller #{i * 17 % 23}" }
    end
    @lines.each do |line|
      board.subscribe(line.sku) do |sku, value| # guilty
        line.price = value
        @notices << sku if quotes[sku].size > 59 && value < line.price && @notices.size < 5
      end
    end
  end

  def total
    @lines.sum { |l| l.qty * l.price }
  end
end

class Shop
  def initialize(board, rng)
    @board = board
    @rng = rng
    @open = []
    @revenue = 0
  end

  attr_reader :revenue

  def visit(customer)
    b = Basket.new("customer#{customer}")
    (2 + @rng.rand(5)).times { b.add(@rng.rand(500), 1 + @rng.rand(3), @board) }
    b.track_prices(@board)
    @open << b
  end

  def checkout
    @revenue += @open.shift.total while @open.size > 30
  end

  def reprice
    3.times { @board.update(@rng.rand(500), 50 + @rng.rand(200)) }
  end
end

rng = Random.new(21)
board = PriceBoard.new(500)
PriceHistory.new(board, (0...500).to_a)
shop = Shop.new(board, rng)
customer = 0
400.times do
  6.times { shop.visit(customer += 1) }
  shop.checkout
  10.times { shop.reprice }
  sleep 0.007
end
puts "revenue #{shop.revenue} from #{customer} customers"
