# frozen_string_literal: true

# Plans meals of a canteen: scales recipes, adds up what has to be bought, and tells which weeks would be cheapest.

class Ingredient
  attr_reader :name, :unit, :price

  def initialize(name, unit, price)
    @name = name
    @unit = unit
    @price = price
  end
end

class Recipe
  attr_reader :name, :parts, :kind

  def initialize(name, kind, parts)
    @name = name
    @kind = kind
    @parts = parts
  end

  def scale(persons)
    parts.map { |ingredient, amount| [ingredient, amount * persons] }
  end
end

class Cookbook
  def initialize
    @ingredients = Array.new(240) { |n| Ingredient.new("ingredient-#{n}", n.even? ? 'g' : 'ml', 0.01 + (n % 17 / 100.0)) }
    @recipes = Array.new(300) { |n| Recipe.new("dish-#{n}", %i[meat fish plant][n % 3], parts_of(n)) }
  end

  attr_reader :recipes

  def parts_of(number)
    (0..(5 + (number % 7))).map { |k| [@ingredients[(number * 11 + k * 23) % 240], 20 + (number * k % 130)] }
  end

  def of_kind(kind)
    @recipes.select { |recipe| recipe.kind == kind }
  end
end

# What is bought for a week, by ingredient.
class ShoppingList
  def initialize
    @amounts = Hash.new(0)
  end

  def add(recipe, persons)
    recipe.scale(persons).each { |ingredient, amount| @amounts[ingredient] += amount }
  end

  def price
    @amounts.sum { |ingredient, amount| ingredient.price * amount }
  end

  def to_s
    @amounts.map { |ingredient, amount| "#{amount} #{ingredient.unit} #{ingredient.name}" }.join("\n")
  end
end

Plan = Struct.new(:recipes, :list, :price)

class Planner
  def initialize(cookbook, persons)
    @cookbook = cookbook
    @persons = persons
    @random = Random.new(12)
    @plans = []
  end

  # Tries weeks, and gives the best.
  def best_of(tries)
    tries.times { @plans << week } # guilty
    @plans.min_by(&:price)
  end

  def tried
    @plans.size
  end

  private

  def week
    recipes = %i[plant fish plant meat plant].map { |kind| by_kind(kind).sample(random: @random) }
    list = ShoppingList.new
    recipes.each { |recipe| list.add(recipe, @persons) }
    Plan.new(recipes, list, list.price)
  end

  def by_kind(kind)
    @by_kind ||= {}
    @by_kind[kind] ||= @cookbook.of_kind(kind)
  end
end

class Kitchen
  def initialize
    @served = Hash.new(0)
  end

  def serve(plan)
    plan.recipes.each { |recipe| @served[recipe.name] += 1 }
  end

  def favourite
    @served.max_by { |_, count| count }&.first
  end
end

def main
  planner = Planner.new(Cookbook.new, 180)
  kitchen = Kitchen.new
  bytes = 0
  24.times do
    best = planner.best_of(700)
    kitchen.serve(best)
    bytes += best.list.to_s.size
  end
  puts "#{planner.tried} weeks tried, favourite #{kitchen.favourite}, lists of #{bytes} bytes"
end

main
