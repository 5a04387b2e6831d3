# frozen_string_literal: true

require 'json'
require 'time'

# A worker of background jobs: runs them, tries again those that fail, and buries those that fail too often.
module Jobs
  Job = Struct.new(:id, :name, :arguments, :attempts, keyword_init: true)

  class Retry < StandardError; end

  class Registry
    def initialize
      @handlers = {}
    end

    def on(name, &handler)
      @handlers[name] = handler
    end

    def call(job)
      @handlers.fetch(job.name).call(job.arguments)
    end
  end

  # Jobs that nobody tries any more; the administrator can look at the last of them.
  class Morgue
    def initialize
      @dead = []
    end

    def bury(job, error)
      entry = { id: job.id, name: job.name, arguments: job.arguments, attempts: job.attempts, error: error.message,
                backtrace: error.backtrace, at: Time.at(1_700_000_000 + @dead.size).utc.iso8601 }
      @dead << JSON.generate(entry) # guilty
    end

    def size
      @dead.size
    end

    def page(count)
      @dead.last(count).map { |text| JSON.parse(text).values_at('id', 'error').join(': ') }
    end
  end

  class Worker
    MAX_ATTEMPTS = 3

    attr_reader :done

    def initialize(registry, morgue)
      @registry = registry
      @morgue = morgue
      @queue = []
      @done = 0
    end

    def push(name, arguments)
      @id = (@id || 0) + 1
      @queue << Job.new(id: format('%08x', @id), name: name, arguments: arguments, attempts: 0)
    end

    def drain
      while (job = @queue.shift)
        perform(job)
      end
    end

    private

    def perform(job)
      job.attempts += 1
      @registry.call(job)
      @done += 1
    rescue Retry => e
      job.attempts < MAX_ATTEMPTS ? @queue << job : @morgue.bury(job, e)
    end
  end
end

class Templates
  def initialize(count)
    @texts = Array.new(count) { |n| "Dear %<name>s, your order %<order>s of shop #{n} is on its way. " * 12 }
  end

  def render(number, values)
    format(@texts[number % @texts.size], values)
  end
end

class Gateway
  def initialize
    @sent = 0
  end

  def deliver(address, text)
    raise Jobs::Retry, "550 5.1.1 <#{address}>: recipient address rejected, #{text.size} bytes" if address.include?('@old.')

    @sent += 1
  end
end

def registry_of(templates, gateway)
  registry = Jobs::Registry.new
  registry.on('mail') do |arguments|
    text = templates.render(arguments[:shop], name: arguments[:name], order: arguments[:order])
    gateway.deliver(arguments[:to], text)
  end
  registry.on('thumbnail') { |arguments| arguments[:sizes].sum }
  registry
end

morgue = Jobs::Morgue.new
worker = Jobs::Worker.new(registry_of(Templates.new(3000), Gateway.new), morgue)
18_000.times do |n|
  domain = (n % 3).zero? ? 'shop' : 'old'
  lines = Array.new(15) { |k| { article: "A-#{(n * 13) + k}", title: "Article #{k} of order #{n}", amount: k } }
  worker.push('mail', { to: "customer#{n}@#{domain}.example.org", name: "Customer #{n}", order: n, shop: n % 3000, lines: lines })
  worker.push('thumbnail', { sizes: [64, 128, n % 512] }) if (n % 5).zero?
  worker.drain if n % 50 == 49
end
worker.drain
puts "#{worker.done} done, #{morgue.size} dead", morgue.page(1)
