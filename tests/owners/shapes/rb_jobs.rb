require 'set'
Job = Struct.new(:id, :payload, :result)
module Traced
  def trace(message)
    (@trace ||= []) << message if message.size < 10
  end
end
class Worker
  include Traced
  def initialize(queue)
    @queue = queue
    @done = []
  end
  def perform(job)
    job.result = job.payload.reverse
    trace("job")
    finish(job)
  end
  def run
    until @queue.empty?
      perform(@queue.shift)
    end
  end
  def finished
    @done.size
  end

  private

  def finish(job)
    @done.push(job) # guilty
  end
end
class Source
  def initialize(count)
    @count = count
  end
  def each
    return to_enum(:each) unless block_given?
    @count.times { |i| yield Job.new(i, "payload #{i} " * 30) }
  end
end
queue = []
worker = Worker.new(queue)
Source.new(20_000).each do |job|
  queue << job
  worker.run if queue.size >= 50
end
worker.run
puts worker.finished
