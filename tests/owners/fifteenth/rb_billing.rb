# Billing run: workers render invoices from a queue; receipts are mailed.
require 'digest/md5'
require 'digest/sha1'

Invoice = Struct.new(:id, :customer, :lines, :total)

class TemplateCache
  LIMIT = 150

  def initialize
    @templates = {}
    @lock = Mutex.new
  end

  def template_for(region)
    @lock.synchronize do
      @templates.shift if @templates.size >= LIMIT && !@templates.key?(region)
      @templates[region] ||= Array.new(160) { |i| "row #{i} of #{region}: %s ................." }
    end
  end
end

class Mailer
  attr_reader :sent

  def initialize
    @sent = 0
  end

  def deliver(receipt)
    body = receipt[:text].join("\n")
    Digest::MD5.hexdigest(body)
    @sent += 1
  end
end

class BillingRun
  attr_reader :resent

  def initialize(workers)
    @queue = SizedQueue.new(100)
    @templates = TemplateCache.new
    @mailer = Mailer.new
    @receipts = {}
    @lock = Mutex.new
    @resent = 0
    @workers = Array.new(workers) { Thread.new { work } }
  end

  def <<(invoice)
    @queue << invoice
  end

  def finish
    @workers.size.times { @queue << nil }
    @workers.each(&:join)
    @mailer.sent
  end

  private

  def work
    while (invoice = @queue.pop)
      receipt = render(invoice)
      @mailer.deliver(receipt)
      file_receipt(invoice, receipt)
    end
  end

  def render(invoice)
    tpl = @templates.template_for(invoice.customer % 400)
    text = invoice.lines.each_with_index.map { |l, i| format(tpl[i % tpl.size], l[:name]) }
    { text: text, total: invoice.total }
  end

  def file_receipt(invoice, receipt)
    copy = {
      number: format('R-%08d', invoice.id),
      total: receipt[:total],
      text: receipt[:text].map { |t| t.sub('of', 'for') + '  ' },
      digest: Digest::SHA1.hexdigest(receipt[:text].first)
    }
    @lock.synchronize do
      @resent += 1 if @receipts.key?(copy[:number])
      @receipts[copy[:number]] = copy # guilty
    end
  end
end

rng = Random.new(3)
run = BillingRun.new(2)
id = 0
200.times do
  20.times do
    id += 1
    lines = Array.new(30 + rng.rand(50)) { |i| { name: "article #{rng.rand(9000)}", qty: i, price: rng.rand(100) } }
    run << Invoice.new(id, rng.rand(2000), lines, lines.sum { |l| l[:qty] * l[:price] })
  end
  sleep 0.006
end
puts "mailed #{run.finish} invoices, #{run.resent} resent"
