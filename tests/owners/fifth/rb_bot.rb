# frozen_string_literal: true

# A bot for chats: plugins are blocks that are called for events.
module Bot
  Event = Struct.new(:kind, :from, :channel, :text)

  class Error < StandardError; end

  class Core
    attr_reader :replies

    def initialize
      @handlers = Hash.new { |hash, kind| hash[kind] = [] }
      @replies = 0
    end

    def on(kind, &block)
      raise Error, "no block for #{kind}" unless block

      @handlers[kind] << block
    end

    def plugin(mod, **options)
      mod.install(self, **options)
    end

    def reply(_event, text)
      @replies += text.length
    end

    def dispatch(event)
      @handlers[event.kind].each { |handler| handler.call(event) }
    rescue Error => e
      warn e.message
    end
  end

  module Words
    def self.in(text)
      text.downcase.scan(/[a-z]+|\d+/)
    end
  end

  module Karma
    def self.install(core, limit: 1000)
      points = Hash.new(0)
      core.on(:message) do |event|
        if event.text.end_with?("++")
          name = Words.in(event.text).first
          points[name] += 1 if points.size < limit || points.key?(name)
          core.reply(event, "#{name}: #{points[name]}")
        end
      end
    end
  end

  # What was said, by words, for "!seen WORD"; for as long as the bot runs.
  module Seen
    def self.install(core, **)
      index = {}
      core.on(:message) do |event|
        Words.in(event.text).each do |word|
          (index[word] ||= []) << "#{event.from} said on #{event.channel}: #{event.text}" # guilty
        end
      end
      core.on(:command) do |event|
        found = index.fetch(Words.in(event.text).last, [])
        core.reply(event, found.last || "never")
      end
    end
  end

  module Greeter
    def self.install(core, **)
      core.on(:join) { |event| core.reply(event, "Hello, #{event.from}!") }
    end
  end
end

def events(count)
  return enum_for(:events, count) unless block_given?

  count.times do |n|
    from = "user#{n % 40}"
    channel = "##{%w[ruby linux random][n % 3]}"
    kind = n % 50 == 0 ? :join : n % 31 == 0 ? :command : :message
    text = n % 17 == 0 ? "user#{n % 11}++" : "well I think that number #{n} is a very good one"
    yield Bot::Event.new(kind, from, channel, text)
  end
end

bot = Bot::Core.new
bot.plugin(Bot::Karma, limit: 100)
bot.plugin(Bot::Seen)
bot.plugin(Bot::Greeter)
events(21_000).each { |event| bot.dispatch(event) }
puts "#{bot.replies} characters of replies"
