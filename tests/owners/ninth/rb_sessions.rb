# frozen_string_literal: true

require 'digest'

# A small web framework with sessions in memory. Crawlers and health checks do not send the cookie back.
class SessionPool
  def initialize
    @sessions = {}
    @counter = 0
  end

  def find(id)
    @sessions[id]
  end

  def create(request)
    @counter += 1
    id = Digest::SHA1.hexdigest("#{@counter}-secret")
    session = { id: id, csrf: Digest::SHA1.hexdigest(id), started: 1_700_000_000 + @counter, address: request[:address].dup, # guilty
                agent: request[:agent].dup, basket: [], flash: {}, visited: [request[:path].dup] }
    @sessions[id] = session
    session
  end

  def delete(id)
    @sessions.delete(id)
  end

  def size
    @sessions.size
  end
end

class SessionMiddleware
  def initialize(app, pool)
    @app = app
    @pool = pool
  end

  def call(request)
    session = @pool.find(request[:cookie]) || @pool.create(request)
    request[:session] = session
    response = @app.call(request)
    @pool.delete(session[:id]) if request[:path] == '/logout'
    response[:headers]['set-cookie'] = "sid=#{session[:id]}" unless request[:cookie] == session[:id]
    response
  end
end

class Fragments
  def initialize(limit)
    @limit = limit
    @texts = {}
  end

  def fetch(key)
    return @texts[key] if @texts.key?(key)

    @texts.shift if @texts.size >= @limit
    @texts[key] = yield
  end
end

class Shop
  def initialize
    @fragments = Fragments.new(900)
    @articles = Array.new(8000) { |n| { number: n, title: "Article #{n}", text: "A fine thing, number #{n}. " * 12 } }
  end

  def call(request)
    case request[:path]
    when %r{\A/article/(\d+)\z} then article(request, Regexp.last_match(1).to_i)
    when '/health' then respond('ok')
    else respond('bye')
    end
  end

  private

  def article(request, number)
    session = request[:session]
    session[:basket] << number if (number % 7).zero? && session[:basket].size < 20
    body = @fragments.fetch(number) do
      item = @articles[number % @articles.size]
      "<h1>#{item[:title]}</h1><p>#{item[:text]}</p>" * 4
    end
    respond(body)
  end

  def respond(body)
    { status: 200, headers: { 'content-length' => body.bytesize.to_s }, body: body }
  end
end

class Browser
  def initialize(number)
    @agent = "Mozilla/5.0 (X11; Linux x86_64; rv:#{90 + (number % 30)}.0) Gecko/20100101 Firefox/#{90 + (number % 30)}.0"
    @address = "10.#{number % 200}.#{number / 200}.7"
  end

  def get(app, path)
    response = app.call({ path: path, address: @address, agent: @agent, cookie: @cookie })
    @cookie = response[:headers].fetch('set-cookie', "sid=#{@cookie}").delete_prefix('sid=')
    response
  end
end

pool = SessionPool.new
app = SessionMiddleware.new(Shop.new, pool)
bytes = 0
browsers = Array.new(150) { |n| Browser.new(n) }
30_000.times do |n|
  bytes += browsers[n % 150].get(app, "/article/#{n * 17 % 1300}")[:body].bytesize
  browsers[n % 150].get(app, '/logout') if n % 400 == 399
  crawler = { path: "/article/#{n % 1100}", address: "203.0.113.#{n % 250}", agent: 'ExampleBot/2.1 (+https://bot.example.org/about)' }
  bytes += app.call(crawler)[:body].bytesize if n.even?
  app.call({ path: '/health', address: '10.0.0.2', agent: 'probe/1.0', cookie: nil }) if (n % 3).zero?
end
puts "#{pool.size} sessions, #{bytes / 1_000_000} MB"
