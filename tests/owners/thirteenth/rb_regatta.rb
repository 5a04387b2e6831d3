# Times a sailing regatta: boats with handicaps, positions from trackers, legs around marks, protests, and results by class.
class Dice
  def initialize(seed)
    @state = seed
  end

  def below(n)
    @state = (@state * 6364136223846793005 + 1442695040888963407) % 2**64
    (@state >> 33) % n
  end
end

Mark = Struct.new(:name, :x, :y) do
  def distance(x, y)
    Math.hypot(self.x - x, self.y - y)
  end
end

class Fix
  attr_reader :boat, :second, :x, :y, :speed

  def initialize(boat, second, x, y, speed)
    @boat = boat
    @second = second
    @x = x
    @y = y
    @speed = speed
  end

  def self.parse(line)
    boat, second, x, y, speed = line.split(',')
    raise ArgumentError, line unless speed

    new(boat, second.to_i, x.to_f, y.to_f, speed.to_f)
  end
end

class Wind
  def initialize(dice)
    @dice = dice
    @knots = 12.0
    @gust = 0
  end

  def blow
    @gust = @dice.below(100) < 8 ? 6 : [@gust - 1, 0].max
    @knots = (@knots + (@dice.below(21) - 10) / 40.0).clamp(6.0, 22.0)
    @knots + @gust
  end
end

class Boat
  attr_reader :sail, :handicap, :division
  attr_accessor :x, :y, :leg, :finished

  def initialize(sail, division, handicap)
    @sail = sail
    @division = division
    @handicap = handicap
    start
  end

  def start
    @x = 0.0
    @y = 0.0
    @leg = 0
    @finished = nil
  end

  def sail_towards(mark, knots, dice)
    far = mark.distance(@x, @y)
    speed = knots * 0.5 / @handicap * (90 + dice.below(20)) / 100.0
    along = [speed * 5 / far, 1.0].min
    @x += (mark.x - @x) * along
    @y += (mark.y - @y) * along
    format('%s,%%d,%.1f,%.1f,%.2f', @sail, @x, @y, speed)
  end
end

class Tracks
  def initialize
    @fixes = Hash.new { |all, sail| all[sail] = [] }
  end

  def add(fix)
    @fixes[fix.boat] << fix # guilty
  end

  # The speed over the last minute.
  def speed(sail)
    last = @fixes[sail].last(12)
    last.empty? ? 0.0 : last.sum(&:speed) / last.size
  end

  def closest(sail, mark)
    @fixes[sail].last(40).map { |f| mark.distance(f.x, f.y) }.min
  end
end

class Course
  attr_reader :marks

  def initialize(marks)
    @marks = marks
  end

  def round(boat, fix)
    return if boat.finished || marks[boat.leg].distance(fix.x, fix.y) > 15

    boat.leg += 1
    boat.finished = fix.second if boat.leg == marks.size
  end
end

class Race
  attr_reader :protests

  def initialize(number, boats, course, tracks, dice)
    @number = number
    @boats = boats
    @course = course
    @tracks = tracks
    @dice = dice
    @wind = Wind.new(dice)
    @protests = []
  end

  def sail(limit)
    @boats.each(&:start)
    (5..limit).step(5) do |second|
      knots = @wind.blow
      @boats.each { |boat| move(boat, second, knots) unless boat.finished }
      break if @boats.all?(&:finished)
    end
  end

  def corrected
    @boats.select(&:finished).map { |b| [b.finished * 100 / b.handicap / 100, b] }.sort_by(&:first)
  end

  private

  def move(boat, second, knots)
    mark = @course.marks[boat.leg]
    fix = Fix.parse(format(boat.sail_towards(mark, knots, @dice), second))
    @tracks.add(fix)
    @course.round(boat, fix)
    return unless @dice.below(4000).zero?

    @protests << "race #{@number}: #{boat.sail} at #{format('%.1f', @tracks.speed(boat.sail))} knots, #{@tracks.closest(boat.sail, mark).round} m from #{mark.name}"
  end
end

class Series
  def initialize
    @points = Hash.new(0)
  end

  def score(race)
    race.corrected.each_with_index { |(_, boat), place| @points[[boat.division, boat.sail]] += place + 1 }
  end

  def leaders
    @points.group_by { |(division, _), _| division }.transform_values { |rows| rows.min_by(&:last).first.last }
  end
end

dice = Dice.new(2)
boats = Array.new(36) { |i| Boat.new("GER#{100 + i}", %w[dinghy keelboat cruiser][i % 3], 0.9 + dice.below(30) / 100.0) }
course = Course.new([Mark.new('windward', 300, 2600), Mark.new('wing', 1900, 1200), Mark.new('leeward', 0, 300), Mark.new('finish', 600, 2000)])
tracks = Tracks.new
series = Series.new
protests = 0
30.times do |number|
  race = Race.new(number, boats, course, tracks, dice)
  race.sail(3600)
  series.score(race)
  protests += race.protests.size
  puts race.protests.first if race.protests.size > 2
end
puts "#{protests} protests, leaders: #{series.leaders}"
