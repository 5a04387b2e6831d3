# The cook book of a canteen: recipes with their parts, a plan for each week, and what has to be bought for it.
Ingredient = Struct.new(:name, :amount, :unit)

class Recipe
  attr_reader :title, :parts

  def initialize(title, parts)
    @title = title
    @parts = parts
  end

  def scaled(people)
    Recipe.new(title, parts.map { |p| Ingredient.new(p.name, p.amount * people, p.unit) })
  end
end

class Book
  include Enumerable

  def initialize
    @recipes = {}
  end

  def load(count)
    count.times do |n|
      parts = Array.new(9) { |i| Ingredient.new("ingredient #{(n * i) % 90}", 0.1 * (i + 1), i.even? ? "kg" : "l") }
      @recipes["recipe #{n}"] = Recipe.new("recipe #{n}", parts)
    end
  end

  def [](title) = @recipes[title]
  def each(&) = @recipes.each_value(&)
end

class Planner
  attr_reader :weeks

  def initialize(book)
    @book = book
    @weeks = []
  end

  # A list of what to buy is enough, but the plan keeps the scaled recipes of all weeks.
  def plan_week(number, people)
    titles = @book.first(500).map(&:title).rotate(number).first(21)
    meals = titles.map { |title| @book[title].scaled(people + number % 7) } # guilty
    @weeks << meals
    meals
  end
end

class ShoppingList
  def initialize
    @sums = Hash.new(0)
  end

  def add(recipe)
    recipe.parts.each { |part| @sums[part.name] += part.amount }
  end

  def to_s = @sums.map { |name, amount| format("%s: %.1f", name, amount) }.first(3).join(", ")
end

def main
  book = Book.new
  book.load(800)
  planner = Planner.new(book)
  list = nil
  1500.times do |number|
    list = ShoppingList.new
    planner.plan_week(number, 40 + number % 60).each { |recipe| list.add(recipe) }
  end
  puts "#{planner.weeks.size} weeks; #{list}"
end

main
