# frozen_string_literal: true

# Keeps the records of a sports club; each change of a record is noted, so that the board can see who did what.

class Member
  FIELDS = %i[name street team fee points].freeze
  attr_reader :number, :values

  def initialize(number, values)
    @number = number
    @values = values
  end

  def update(changes)
    @values = @values.merge(changes)
  end
end

class ChangeLog
  Entry = Struct.new(:member, :author, :before, :after, :time)

  def initialize
    @entries = []
  end

  def record(member, author, before, after, time)
    @entries << Entry.new(member.number, author, before.dup, after.dup, time) # guilty
  end

  def latest(count)
    @entries.last(count).map { |entry| describe(entry) }
  end

  def size
    @entries.size
  end

  private

  def describe(entry)
    changed = entry.after.reject { |field, value| entry.before[field] == value }
    "#{entry.author} set #{changed.map { |field, value| "#{field}=#{value}" }.join(', ')} of #{entry.member}"
  end
end

class Register
  def initialize(log)
    @log = log
    @members = {}
  end

  def enrol(number, values)
    @members[number] = Member.new(number, values)
  end

  def change(number, author, changes, time)
    member = @members.fetch(number)
    before = member.values
    member.update(changes)
    @log.record(member, author, before, member.values, time)
  end

  def ranking(team)
    @members.values.select { |m| m.values[:team] == team }.sort_by { |m| -m.values[:points] }.first(10)
  end
end

class Season
  TEAMS = %w[chess rowing tennis].freeze

  def initialize(register, random)
    @register = register
    @random = random
  end

  def start(count)
    count.times do |n|
      @register.enrol(n, name: "Member #{n}", street: "Lake road #{n % 90}", team: TEAMS[n % 3], fee: 120, points: 0)
    end
  end

  def round(day, games)
    games.times do |game|
      number = @random.rand(600)
      @register.change(number, "referee #{game % 5}", { points: @random.rand(2000) }, day * 86_400 + game)
    end
    TEAMS.sum { |team| @register.ranking(team).sum { |m| m.values[:points] } }
  end
end

log = ChangeLog.new
register = Register.new(log)
season = Season.new(register, Random.new(3))
season.start(600)
shown = 0
160.times do |day|
  season.round(day, 320)
  shown += log.latest(100).sum(&:length)
end
puts "#{log.size} changes, #{shown} bytes shown"
