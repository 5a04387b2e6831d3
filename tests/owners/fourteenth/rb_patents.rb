# Reads patents: claims that depend on claims as a tree, visitors over it, citations between patents, and the terms of a field.
require 'set'

class Claim
  attr_reader :number, :text, :children

  def initialize(number, text)
    @number = number
    @text = text
    @children = []
  end

  def accept(visitor, depth = 0)
    visitor.visit(self, depth)
    children.each { |child| child.accept(visitor, depth + 1) }
    visitor
  end
end

class Patent
  attr_reader :number, :year, :claims, :cited

  def initialize(number, year)
    @number = number
    @year = year
    @claims = []
    @cited = []
  end

  def roots
    @claims.select { |c| c.text !~ /according to claim/ }
  end
end

class Reader
  CLAIM = /\A(\d+)\. (.*)\z/.freeze

  def each(source)
    return enum_for(:each, source) unless block_given?

    patent = nil
    source.each do |line|
      case line
      when /\APATENT (\w+) (\d+)\z/
        yield patent if patent
        patent = Patent.new($1, $2.to_i)
      when /\ACITES (.*)\z/ then patent.cited.concat($1.split(' '))
      when CLAIM then add_claim(patent, $1.to_i, $2)
      end
    end
    yield patent if patent
  end

  private

  def add_claim(patent, number, text)
    claim = Claim.new(number, text)
    above = text[/according to claim (\d+)/, 1]
    patent.claims[above.to_i - 1].children << claim if above
    patent.claims << claim
  end
end

class Terms
  attr_reader :counts, :deepest

  def initialize(most)
    @most = most
    @counts = Hash.new(0)
    @deepest = 0
  end

  def visit(claim, depth)
    @deepest = depth if depth > @deepest
    weight = depth.zero? ? 3 : 1
    claim.text.scan(/[a-z]{6,}/) { |word| @counts[word] += weight }
    @counts.delete(@counts.min_by(&:last).first) while @counts.size > @most
  end
end

# Which patents are cited by which, with the claim that an examiner compares first.
class Citations
  Reference = Struct.new(:from, :year, :claim)

  def initialize
    @to = Hash.new { |all, number| all[number] = [] }
  end

  def link(patent)
    first = patent.roots.first
    patent.cited.each do |number|
      excerpt = first.text.sub(/\A(\w+ \w+)/) { Regexp.last_match(1).upcase }
      @to[number] << Reference.new(patent.number, patent.year, excerpt) # guilty
    end
  end

  def count(number)
    @to.key?(number) ? @to[number].size : 0
  end

  def newest(number)
    @to[number].last(3).map { |r| "#{r.from} (#{r.year}): #{r.claim[0, 30]}" }
  end

  def most_cited
    @to.max_by { |_, references| references.size }.first
  end
end

class Office
  include Enumerable

  PARTS = %w[housing bearing flange gasket spindle bracket actuator cylinder membrane electrode winding coating].freeze
  VERBS = %w[connected attached coupled welded clamped mounted].freeze

  def initialize(patents, seed)
    @patents = patents
    @random = Random.new(seed)
  end

  def each
    @patents.times do |i|
      yield "PATENT EP#{100_000 + i} #{1990 + i * 30 / @patents}"
      yield "CITES #{Array.new(4 + @random.rand(12)) { "EP#{100_000 + @random.rand(i + 1)}" }.join(' ')}"
      (1..3 + @random.rand(6)).each { |n| yield "#{n}. #{claim(n)}" }
    end
  end

  private

  def claim(number)
    body = Array.new(3) { "a #{PARTS.sample(random: @random)} #{VERBS.sample(random: @random)} to a #{PARTS.sample(random: @random)}" }.join(', ')
    number == 1 || @random.rand(7).zero? ? "Device with #{body}" : "Device according to claim #{1 + @random.rand(number - 1)}, with #{body}"
  end
end

citations = Citations.new
terms = Terms.new(40)
seen = Set.new
Reader.new.each(Office.new(16_000, 7)) do |patent|
  patent.roots.each { |claim| claim.accept(terms) }
  seen << patent.year
  citations.link(patent)
end
top = citations.most_cited
puts "#{seen.size} years, claims up to #{terms.deepest} deep, #{top} was cited #{citations.count(top)} times"
puts citations.newest(top)
puts terms.counts.max_by(3, &:last).to_h
