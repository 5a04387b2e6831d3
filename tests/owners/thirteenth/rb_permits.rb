# Handles permits of a building office: applications with plans, rules by zone, hearings of neighbours, fees, and decisions.
require 'set'

class Post
  STREETS = %w[Harbour Mill Castle Garden Station Chapel Bridge].freeze
  WORKS = %w[garage extension dormer fence house workshop].freeze

  def initialize(seed)
    @random = Random.new(seed)
  end

  def application
    plot = @random.rand(3000)
    work = WORKS[@random.rand(WORKS.size)]
    lines = ["plot: #{plot}", "street: #{STREETS[plot % STREETS.size]} Street #{plot / 7}", "work: #{work}", "height: #{20 + @random.rand(90)}",
             "area: #{8 + @random.rand(180)}", "distance: #{@random.rand(60)}"]
    (1..6 + @random.rand(10)).each { |i| lines << "drawing #{i}: #{drawing(i)}" }
    lines.join("\n")
  end

  def objection?
    @random.rand(6).zero?
  end

  private

  def drawing(number)
    Array.new(8 + @random.rand(10)) { |i| "#{@random.rand(1000) / 10.0} #{(number * i) % 90}" }.join(' ')
  end
end

class Application
  attr_reader :fields, :drawings
  attr_accessor :number

  def initialize
    @fields = {}
    @drawings = []
  end

  def self.parse(text)
    application = new
    text.each_line(chomp: true) do |line|
      name, value = line.split(': ', 2)
      if name.start_with?('drawing')
        application.drawings << value.split.map(&:to_f)
      else
        application.fields[name] = value
      end
    end
    application
  end

  def plot = fields['plot'].to_i
  def height = fields['height'].to_i / 10.0
  def area = fields['area'].to_i
  def distance = fields['distance'].to_i / 10.0
end

class Zone
  attr_reader :name

  def initialize(name, height, distance)
    @name = name
    @height = height
    @distance = distance
  end

  def violations(application)
    found = []
    found << :too_high if application.height > @height
    found << :too_near if application.distance < @distance
    found << :too_large if application.area > 150
    found
  end
end

class Zones
  def initialize
    @zones = [Zone.new('centre', 7, 0.5), Zone.new('villas', 4, 2), Zone.new('works', 8, 1)]
  end

  def of(plot)
    @zones[plot % 3]
  end
end

# Cases that cannot be decided before something else has happened.
class Pending
  def initialize
    @cases = Hash.new { |all, plot| all[plot] = [] }
    @plots = Set.new
  end

  def postpone(application, violations, day)
    @plots << application.plot
    @cases[application.plot] << { application: application, violations: violations, day: day } # guilty
  end

  def due(day)
    plots = @plots.select { |plot| @cases[plot].last[:day] + 10 == day }
    plots.each { |plot| @plots.delete(plot) }
    plots.map { |plot| @cases[plot].last }
  end

  def waiting
    @plots.size
  end
end

class Fees
  attr_reader :total

  def initialize
    @total = 0
  end

  def charge(application, decision)
    @total += decision == :granted ? 80 + application.area * 2 : 45
  end
end

class Office
  def initialize(post)
    @post = post
    @zones = Zones.new
    @pending = Pending.new
    @fees = Fees.new
    @decisions = Hash.new(0)
    @number = 0
    @letters = 0
  end

  def day(day, count)
    count.times { receive(Application.parse(@post.application), day) }
    @pending.due(day).each { |waiting| hear(waiting) }
  end

  def report
    puts "#{@number} applications, #{@decisions}, #{@pending.waiting} plots wait, #{@fees.total} of fees, #{@letters} letters of text"
  end

  private

  def receive(application, day)
    application.number = (@number += 1)
    violations = @zones.of(application.plot).violations(application)
    if violations.empty?
      decide(application, :granted)
    elsif violations.size == 3
      decide(application, :refused)
    else
      @pending.postpone(application, violations, day)
    end
  end

  def hear(waiting)
    decision = @post.objection? || waiting[:violations].include?(:too_high) ? :refused : :granted
    decide(waiting[:application], decision)
  end

  def decide(application, decision)
    @decisions[decision] += 1
    @fees.charge(application, decision)
    span = application.drawings.map { |d| d.max - d.min }.max
    @letters += "No. #{application.number}, #{application.fields['street']}: #{application.fields['work']} #{decision}, plan of #{span.round} m".size
  end
end

office = Office.new(Post.new(77))
240.times { |day| office.day(day, 52) }
office.report
