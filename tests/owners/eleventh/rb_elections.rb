# frozen_string_literal: true

# Counts the votes of an election with ranked ballots, district by district, as the boxes come in.

class Ballot
  attr_reader :district, :serial, :choices

  def initialize(district, serial, choices)
    @district = district
    @serial = serial
    @choices = choices
  end

  def first_of(standing)
    @choices.find { |candidate| standing.include?(candidate) }
  end
end

# Reads "district;serial;A>B>C".
class BoxReader
  def parse(line)
    district, serial, ranks = line.chomp.split(';')
    Ballot.new(district, serial, ranks.split('>'))
  end
end

class Tally
  attr_reader :counted

  def initialize(candidates)
    @candidates = candidates
    @ballots = Hash.new { |hash, district| hash[district] = [] }
    @counted = 0
  end

  def accept(ballot)
    return if ballot.choices.empty?

    @ballots[ballot.district] << ballot # guilty
    @counted += 1
  end

  def first_preferences(district, most)
    @ballots[district].last(most).map { |ballot| ballot.choices.first }.tally
  end

  # The instant run-off of a district.
  def winner(district, most)
    standing = @candidates.dup
    ballots = @ballots[district].first(most)
    while standing.size > 1
      votes = ballots.map { |ballot| ballot.first_of(standing) }.tally
      standing.delete(standing.min_by { |candidate| votes.fetch(candidate, 0) })
    end
    standing.first
  end
end

class Station
  CANDIDATES = %w[Abbot Baker Clark Dyer Evans Foster].freeze

  def initialize(random)
    @random = random
    @serial = 0
  end

  def box(size)
    Array.new(size) do
      @serial += 1
      ranks = CANDIDATES.sample(3 + @random.rand(3), random: @random)
      "district-#{@random.rand(12)};#{@serial.to_s.rjust(9, '0')};#{ranks.join('>')}\n"
    end
  end
end

station = Station.new(Random.new(11))
reader = BoxReader.new
tally = Tally.new(Station::CANDIDATES)
screens = []
60.times do |hour|
  station.box(1000).each { |line| tally.accept(reader.parse(line)) }
  district = "district-#{hour % 12}"
  screens << "#{district}: #{tally.first_preferences(district, 1000)}"
  screens.shift if screens.size > 12
end
puts screens.last
puts "#{tally.counted} ballots, #{tally.winner('district-3', 2000)} wins"
