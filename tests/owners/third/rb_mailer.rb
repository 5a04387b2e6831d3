# A queue of mails with templates and retries: what was sent is kept in the list of deliveries, as a framework does for tests.
module Templates
  SOURCES = {
    'welcome' => 'Dear %<name>s, welcome. ' * 20,
    'invoice' => 'Dear %<name>s, this is to be paid: %<sum>d. ' * 20
  }.freeze

  def self.fill(name, values)
    format(SOURCES.fetch(name), values)
  end
end

class Mail
  attr_reader :to, :body
  attr_accessor :tries

  def initialize(to, body)
    @to = to
    @body = body
    @tries = 0
  end
end

class Transport
  def initialize
    @sent_bytes = 0
    @last = []
  end
  attr_reader :sent_bytes

  def send_out(mail)
    wire = "To: #{mail.to}\r\n\r\n#{mail.body}"
    @sent_bytes += wire.bytesize
    @last.push(wire)
    @last.shift if @last.size > 100
    mail.tries += 1
    (mail.to.sum % 10).positive? || mail.tries > 1
  end
end

class Mailer
  attr_reader :deliveries

  def initialize(transport)
    @transport = transport
    @queue = []
    @deliveries = []
  end

  def enqueue(to, template, **values)
    @queue << Mail.new(to, Templates.fill(template, values))
  end

  def keep(mail)
    @deliveries << "#{mail.to} #{mail.body}".upcase # guilty
  end

  def run
    until @queue.empty?
      mail = @queue.shift
      if @transport.send_out(mail)
        keep(mail)
      else
        @queue.push(mail)
      end
    end
  end
end

def customers(count)
  Array.new(count) { |number| "customer#{number}@example.org" }
end

transport = Transport.new
mailer = Mailer.new(transport)
customers(20_000).each_slice(100) do |slice|
  slice.each_with_index do |to, number|
    mailer.enqueue(to, number.even? ? 'welcome' : 'invoice', name: to, sum: number)
  end
  mailer.run
end
puts transport.sent_bytes
$stdout.flush
exit!(0)
