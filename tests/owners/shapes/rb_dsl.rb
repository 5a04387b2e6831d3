class Menu
  attr_reader :dishes
  def initialize(&block)
    @dishes = {}
    @drafts = []
    instance_eval(&block) if block
  end
  def dish(name, **details)
    draft = build(name, details)
    @dishes[name.to_sym] = draft # guilty
  end
  def taste(name, **details)
    build(name, details)[:text].size
  end
  def build(name, details)
    { name: name, text: details.map { |k, v| "#{k} is #{v}" }.join(", ") * 5, price: details.size }
  end
end
class Kitchen
  def initialize(menu)
    @menu = menu
    @tasted = 0
  end
  def day(number)
    menu = @menu
    40.times do |i|
      @tasted += menu.taste("soup", salt: i)
      menu.instance_eval { dish("dish #{number} #{i}", salt: i, pepper: number, oil: i + number) }
    end
  end
  attr_reader :tasted
end
menu = Menu.new { dish "water", salt: 0 }
kitchen = Kitchen.new(menu)
500.times { |d| kitchen.day(d) }
puts kitchen.tasted, menu.dishes.size
