# frozen_string_literal: true

# Finds versions of packages that go together, as a dependency manager does: it tries, and goes back where nothing fits.

Requirement = Struct.new(:name, :least, :most) do
  def allows?(version)
    version.between?(least, most)
  end

  def to_s
    "#{name} >= #{least}, <= #{most}"
  end
end

Release = Struct.new(:name, :version, :requirements)

# All releases there are.
class Registry
  def initialize(packages, versions)
    @releases = Hash.new { |all, name| all[name] = [] }
    packages.times { |number| versions.times { |version| add(number, version + 1, packages) } }
  end

  def add(number, version, packages)
    needs = (1..3).filter_map do |step|
      other = number * 2 + step
      Requirement.new("package-#{other}", version % 4 + 1, version % 4 + 6) if other < packages
    end
    @releases["package-#{number}"] << Release.new("package-#{number}", version, needs)
  end

  def of(name)
    @releases[name].sort_by { |release| -release.version }
  end

  def size
    @releases.sum { |_, releases| releases.size }
  end
end

# What was decided so far.
class State
  attr_reader :chosen, :open

  def initialize(chosen, open)
    @chosen = chosen
    @open = open
  end

  def fits?(release)
    release.requirements.all? { |need| !@chosen[need.name] || need.allows?(@chosen[need.name].version) }
  end

  def with(release)
    State.new(@chosen.merge(release.name => release), @open.drop(1) + release.requirements)
  end
end

# Explains at the end why there is no answer.
class Conflicts
  attr_reader :count

  def initialize
    @by_name = Hash.new { |all, name| all[name] = [] }
    @count = 0
  end

  def record(need, release, state)
    @count += 1
    @by_name[need.name] << {
      need: need.to_s,
      release: "#{release.name} #{release.version}",
      chosen: state.chosen.transform_values(&:version), # guilty
      waiting: state.open.size,
    }
  end

  def worst
    name, found = @by_name.max_by { |_, all| all.size }
    found ? "#{name}: #{found.size} times, last #{found.last[:release]}" : "none"
  end
end

class Resolver
  attr_reader :conflicts, :steps

  def initialize(registry, steps)
    @registry = registry
    @steps = steps
    @conflicts = Conflicts.new
  end

  def resolve(state)
    return state.chosen if state.open.empty?
    return nil if (@steps -= 1).negative?

    need = state.open.first
    return resolve(State.new(state.chosen, state.open.drop(1))) if already?(state, need)

    attempt(need, state)
  end

  def already?(state, need)
    release = state.chosen[need.name]
    release && need.allows?(release.version)
  end

  def attempt(need, state)
    @registry.of(need.name).each do |release|
      if need.allows?(release.version) && !state.chosen[need.name] && state.fits?(release)
        found = resolve(state.with(release))
        return found if found
      else
        @conflicts.record(need, release, state)
      end
    end
    nil
  end
end

def main
  registry = Registry.new(1500, 12)
  resolvers = Array.new(16) { Resolver.new(registry, 180) }
  found = resolvers.each_with_index.count do |resolver, number|
    resolver.resolve(State.new({}, [Requirement.new("package-#{number}", 1, 5)]))
  end
  puts "#{found} of #{resolvers.size}, #{registry.size} releases, #{resolvers.sum { |one| one.conflicts.count }} conflicts"
  puts resolvers.last.conflicts.worst
end

main
