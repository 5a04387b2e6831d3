# frozen_string_literal: true

require 'set'

# A family register of a parish: who is related to whom, and how nearly.
class Person
  attr_reader :id, :name, :born, :parents, :children

  def initialize(id, name, born, parents)
    @id = id
    @name = name
    @born = born
    @parents = parents
    @children = []
    parents.each { |parent| parent.children << self }
  end

  def to_s
    "#{name} (*#{born})"
  end
end

class Parish
  NAMES = %w[Anna Peter Maria Johann Elsa Karl Greta Hans Ida Otto].freeze

  attr_reader :people

  def initialize(random)
    @random = random
    @people = []
  end

  def grow(founders, generations)
    generation = Array.new(founders) { baptise(1650, []) }
    generations.times do |g|
      couples = generation.shuffle(random: @random).each_slice(2).select { |pair| pair.size == 2 }
      generation = couples.flat_map do |pair|
        Array.new(2 + @random.rand(2)) { baptise(1680 + g * 30 + @random.rand(12), pair) }
      end
      generation = generation.first(170)
    end
    self
  end

  private

  def baptise(year, parents)
    person = Person.new(@people.size, NAMES[@random.rand(NAMES.size)], year, parents)
    @people << person
    person
  end
end

class Kinship
  attr_reader :questions

  def initialize
    @distances = {}
    @questions = 0
  end

  # How many generations each ancestor of a person is away.
  def ancestors(person)
    known = @distances[person]
    return known if known

    found = { person.id => 0 }
    person.parents.each do |parent|
      ancestors(parent).each do |id, steps|
        found[id] = steps + 1 if !found.key?(id) || found[id] > steps + 1
      end
    end
    @distances[person] = found # guilty
  end

  def common(one, other)
    @questions += 1
    mine = ancestors(one)
    ancestors(other).each_with_object([]) do |(id, steps), shared|
      shared << [id, mine[id], steps] if mine.key?(id)
    end
  end

  def degree(one, other)
    common(one, other).map { |_, up, down| up + down }.min
  end
end

class Dispensation
  LIMIT = 4

  def initialize(kinship)
    @kinship = kinship
    @letters = []
    @free = 0
  end

  def ask(bride, groom)
    degree = @kinship.degree(bride, groom)
    if degree && degree <= LIMIT
      @letters << "#{bride} and #{groom} are related in degree #{degree}"
      @letters.shift if @letters.size > 100
    else
      @free += 1
    end
  end

  def report
    "#{@free} without hindrance, #{@letters.size} letters, last: #{@letters.last}"
  end
end

class Chart
  def initialize(people)
    @people = people
  end

  def descendants(person, depth)
    seen = Set.new
    level = [person]
    depth.times do
      level = level.flat_map(&:children).reject { |child| seen.include?(child) }
      seen.merge(level)
    end
    seen.size
  end

  def largest
    @people.first(40).map { |person| descendants(person, 3) }.max
  end
end

random = Random.new(1650)
parish = Parish.new(random).grow(170, 13)
kinship = Kinship.new
office = Dispensation.new(kinship)
living = parish.people.last(1200)
2_500.times do
  bride, groom = living.sample(2, random: random)
  office.ask(bride, groom)
end
puts "#{parish.people.size} people, #{kinship.questions} questions, largest family #{Chart.new(parish.people).largest}"
puts office.report
