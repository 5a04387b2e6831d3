# Orders in a hash of a class, which is never emptied.
class Shop
  def initialize
    @orders = {}
  end

  def order(number)
    @orders[number] = { name: "order #{number}", text: 'x' * 900 } # guilty
  end
end

def prices
  (1..1000).map { |number| number * 1.5 }
end

table = prices
shop = Shop.new
60_000.times { |number| shop.order(number) }
Process.kill(:KILL, Process.pid) if table
