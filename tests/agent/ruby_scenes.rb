# Allocates at known stacks of Ruby, and prints what Ruby says of each: one JSON list a line, of the size of the block and the
# frames as [label, file, line], innermost first. Labels, files and lines are those of caller_locations; whose method it is says
# rb_profile_frames, which libruby exports for profilers. Usage: ruby_scenes.rb FOLDER [SCENE...]
require "fiddle"
require "json"

LIMIT = 5000
def imported(name, arguments, result) = Fiddle::Function.new(Fiddle::Handle::DEFAULT[name], arguments, result, need_gvl: true)
FRAMES = imported("rb_profile_frames", [Fiddle::TYPE_INT, Fiddle::TYPE_INT, Fiddle::TYPE_VOIDP, Fiddle::TYPE_VOIDP], Fiddle::TYPE_INT)
CLASS, IS_SINGLETON, PATH, METHOD = %w[classpath singleton_method_p absolute_path method_name].map do |what|
  imported("rb_profile_frame_#{what}", [Fiddle::TYPE_VOIDP], Fiddle::TYPE_INTPTR_T)
end
BUFFER = Fiddle::Pointer.malloc(LIMIT * Fiddle::SIZEOF_VOIDP, Fiddle::RUBY_FREE)

$kept, $told, $size = [], [], 200_000

def asked(function, frame) = Fiddle.dlunwrap(function.call(frame))

def label_of(at, frame)
  owner = asked(CLASS, frame)
  return at.label if owner.nil? || owner.start_with?("#<") || !at.label.end_with?(at.base_label)
  at.label.delete_suffix(at.base_label) + owner + (asked(IS_SINGLETON, frame) ? "." : "#") + at.base_label
end

# Functions of C are left out. rb_profile_frames also lists their blocks, which caller_locations does not.
def tell(size)
  locations, told = caller_locations(0), []
  count = FRAMES.call(0, LIMIT, BUFFER, nil)
  BUFFER[0, count * Fiddle::SIZEOF_VOIDP].unpack("J*").drop(1).each do |frame| # without the call of FRAMES itself
    if asked(PATH, frame) == "<cfunc>"
      locations.shift if locations.first&.label == asked(METHOD, frame)
    elsif (at = locations.shift)
      told << [label_of(at, frame), at.absolute_path || at.path, at.lineno]
    end
  end
  $told << [size, told.drop(1)]
end

def both
  size = $size += 64; $kept << "x" * (size - 1); tell(size)
  1
end

def recurse(depth) = depth.zero? ? both : recurse(depth - 1)

def recurse_in_block(depth)
  return both if depth.zero?
  [depth].each { |n| recurse_in_block(n - 1) }
end

def defaults(a = both, *more, key: both, **others, &block)
  both
  block&.call
end

def plain_calls
  both
  [1, 7, 90, 700].each { |depth| recurse(depth) }
  recurse_in_block(20)
  defaults
  defaults(1, 2, key: 3) { both }
  -> { both }.call
  proc { |x| both }.(1)
  nested = -> { [1].each { 1.times { both } } }
  nested.call
  method(:both).call
  method(:both).to_proc.call
  send(:both)
  count = 0
  while (count += 1) < 3
    both
  end
  if count > 100
    both
  elsif both
    both
  end
  value = [
    1,
    both,
    [2, both],
  ]
  case value when both then 1 else both end
  "#{both} and #{both}"
  both &&
    both
end

class Ledger
  attr_writer :state
  include Comparable

  def initialize(*) = both
  def post = both
  def self.open(n) = new.tap { |l| l.post }
  def <=>(other) = both
  def to_s = (both; "ledger")
  def each
    both
    yield 1
    both
  end
  include Enumerable
  def method_missing(name, *more) = name == :anything ? both : super
  def respond_to_missing?(*) = true
  def [](key) = both
  def []=(key, value)
    both
  end
  def +(other) = both
  def coerce(other) = (both; [1, 2])
  define_method(:defined) { |x = 1| both; [1].each { both } }
  define_method(:made, instance_method(:post))
  alias renamed post
  protected def guarded = both
  private def hidden = both
  def reaches = (guarded; hidden)
  class << self
    def inner = both
    attr_accessor :kept
  end
  class Entry
    def initialize = both
    class Deep
      def self.make = both
    end
  end
  both
end

module Audit
  def post = (both; super)
  def self.check = both
  module_function def checked = both
end

class Audited < Ledger
  prepend Audit
  def post = (super(); both)
end

module Finer
  refine Ledger do
    def finer = both
  end
end
using Finer

def objects
  ledger = Ledger.new
  Ledger.open(1)
  ledger.post
  Audited.new.post
  ledger == Ledger.new
  "#{ledger}"
  ledger.map { |x| both }
  ledger.anything
  ledger[1] = ledger[2]
  ledger + 1
  ledger.defined
  ledger.made
  ledger.renamed
  ledger.reaches
  ledger.finer
  Ledger.inner
  Ledger::Entry.new
  Ledger::Entry::Deep.make
  Audit.check
  Audit.checked
  def ledger.own = both
  ledger.own
  nameless = Class.new { def post = both }
  nameless.new.post
  nameless.class_eval { def self.post = both }
  nameless.post
  Class.new(Ledger) { def post = super }.new.post
  Struct.new(:a) { def post = both }.new(1).post
  ledger.instance_eval { both }
  Ledger.class_exec { both }
  ledger.public_send(:post)
  ledger.instance_exec(1) { |x| post }
  Object.new.extend(Audit).method(:checked).unbind
end

def native_code
  [3, 1].each { both }
  [3, 1].map { |x| both; x }
  [3, 1].sort_by { |x| both; x }
  [3, 1].sort { |a, b| both; a <=> b }
  [3, 1].each_with_index { both }
  [3, 1].inject { |a, b| both }
  [3, 1].each_slice(1) { both }
  [3, 1].each.with_index(1).map { both }
  {a: 1}.each { |k, v| both }
  {a: 1}.each_pair { |k, v| both }
  {a: 1}.transform_values { both }
  Hash.new { |h, k| both }[1]
  "aa".gsub(/a/) { both; "b" }
  2.times { both }
  1.upto(2) { both }
  (1..2).each { both }
  (1..2).lazy.map { both }.first(1)
  catch(:done) { both; throw :done }
  loop { both; break }
  [1].each(&method(:recurse_in_block))
  %w[a b].each_with_object([]) { |x, kept| both }
  Array.new(2) { both }
  [1, 2].each_cons(2) { both }
  [[1, 2]].to_h { |a, b| both; [a, b] }
  [2].then { both }
  [1].cycle.lazy.select { both }.first(1)
  Comparable.instance_method(:clamp)
  [1].sum { both }
  [4].min_by { both }
  [:to_s].map(&:to_proc).each { |p| both }
  trap("USR1") { both }
  Process.kill("USR1", $$)
  sleep 0.001 # where signals arrive
end

def raising(depth)
  raising(depth - 1) if depth > 0
  both
  raise ArgumentError, "x" if depth.zero?
rescue ArgumentError
  both
  raise if depth < 3
ensure
  both
end

def cleaning
  [1].each do
    begin
      return both
    ensure
      both
    end
  end
end

def retried
  tries = 0
  begin
    both
    raise "x" if (tries += 1) < 3
  rescue
    recurse(2)
    retry
  else
    both
  ensure
    [1].each { both }
  end
end

class Loud < StandardError
  def initialize(*) = (both; super)
  def message = (both; "loud")
  def self.===(other) = (both; super)
end

def exceptions
  raising(5)
  cleaning
  retried
  begin
    raise Loud
  rescue Loud => e
    e.message
    both
  end
  both rescue both
  (raise "x" rescue both)
  [1].each { begin; raise "y"; rescue; [2].each { both; break }; both; end }
  begin
    [1].each { |x| x.nothing }
  rescue NoMethodError
    both
  end
  catch(:out) do
    [1].each { begin; throw :out; ensure; both; end }
  end
  begin
    Integer("z")
  rescue ArgumentError, *[both && TypeError]
    both
  end
  def deepest = deepest + both
  begin
    deepest
  rescue SystemStackError
    both
  end
  both
end

def code
  File.write("#{$folder}/own.rb", "both\nmodule Own\n  both\n  def self.made = -> { both }\n\n  class In\n    both; def post = both\n  end\nend\n")
  require "#{$folder}/own"
  Own.made.call
  Own::In.new.post
  load "#{$folder}/own.rb"
  load "#{$folder}/own.rb", true
  eval "both"
  eval "both\n\nboth", binding, "elsewhere.rb", 70
  binding.eval "[1].each { both }"
  eval "def evaluated = both\nboth"
  evaluated
  Ledger.class_eval "def evaluated\n  both\nend\nboth"
  Ledger.new.evaluated
  Object.new.instance_eval "both"
  RubyVM::InstructionSequence.compile("\n\nboth").eval
  100.times do |n| # code that dies, and other code in its place
    eval "\n" * (n % 7) + "-> { both }.call"
    GC.start if n % 40 == 9
  end
  # Long code, in whose table of lines are whole blocks.
  eval "def long\n" + (1..2000).map { |n| n % 97 == 3 ? "both\n" : "a = #{n}\n" }.join + "end"
  long
  (1..60).each { |n| eval "def short\n" + "a = 1\n" * n + "both\nend"; short }
end

def in_fiber(depth)
  Fiber.new do
    both
    Fiber.yield recurse(depth)
    both
    [1].each { Fiber.yield both }
  end
end

def fibers
  some = [in_fiber(1), in_fiber(30)]
  3.times { some.each(&:resume); both }
  fiber = Fiber.new { in_fiber(2).resume; both; raise "x" }
  fiber.resume rescue both
  numbers = Enumerator.new { |to| both; to << 1; both; to << 2; both }
  numbers.next
  numbers.next
  both
  numbers.next rescue both
  [1, 2].each_entry.next
end

def threads
  started = Queue.new
  many = 3.times.map do |n|
    Thread.new do
      started << n
      both
      recurse(n * 20)
      [1].each { both }
      Thread.pass
      in_fiber(3).resume
      begin; raise "x"; rescue; both; end
    end
  end
  many.each(&:join)
  both
  Thread.new { Thread.current.report_on_exception = false; both; raise "x" }.join rescue both
end

class Größe
  def größe = both
  def 日本 = [1].each { both }
end

def words
  Größe.new.größe
  Größe.new.日本
  self.class.define_method("with space") { both }
  send("with space")
  eval "def #{"very_" * 45}name = both"
  send("very_" * 45 + "name")
  eval "def question? = both\ndef bang! = both"
  question?
  bang!
end

# Objects that lead to the frames are freed and moved.
def collecting
  both
  GC.start
  recurse(3)
  GC.compact
  recurse(3)
  GC.auto_compact = true
  50.times { |n| eval "def collected_#{n} = both"; GC.start; send("collected_#{n}") }
  GC.auto_compact = false
  GC.stress = true
  Ledger.new.post
  GC.stress = false
  both
end

$folder, *scenes = ARGV
scenes = %w[plain_calls objects native_code exceptions code fibers threads words collecting] if scenes.empty?
scenes.each { |scene| send(scene) }
both
$stdout.write($told.map { |all| JSON.generate(all) + "\n" }.join)
$stdout.flush
Process.kill("KILL", $$)
