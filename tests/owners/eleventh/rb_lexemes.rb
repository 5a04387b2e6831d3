# frozen_string_literal: true

# Highlights the source of pages in a wiki of programmers: a lexer, a theme, and a cache of what was highlighted.

class Lexer
  Token = Struct.new(:kind, :text, :line)
  RULES = {
    comment: /#[^\n]*/, string: /"[^"]*"/, number: /\d+/, keyword: /\b(?:def|end|if|while|return)\b/,
    name: /[a-z_]\w*/, space: /\s+/, operator: /./
  }.freeze
  PATTERN = Regexp.union(*RULES.map { |kind, rule| /(?<#{kind}>#{rule})/ })

  def tokens(source)
    line = 1
    found = []
    source.scan(PATTERN) do
      match = Regexp.last_match
      kind = RULES.keys.find { |name| match[name] }
      found << Token.new(kind, match[0], line)
      line += match[0].count("\n")
    end
    found
  end
end

class Theme
  COLOURS = { comment: 'grey', string: 'green', number: 'teal', keyword: 'blue' }.freeze

  def markup(token)
    colour = COLOURS[token.kind]
    colour ? "<span style=\"color:#{colour}\">#{token.text}</span>" : token.text
  end
end

class Highlighter
  def initialize(lexer, theme)
    @lexer = lexer
    @theme = theme
    @known = {}
  end

  def html(source)
    tokens_of(source).map { |token| @theme.markup(token) }.join
  end

  def names(source)
    tokens_of(source).select { |token| token.kind == :name }.map(&:text).uniq
  end

  private

  def tokens_of(source)
    @known[source.hash] ||= @lexer.tokens(source) # guilty
  end
end

class Wiki
  def initialize(highlighter, random)
    @highlighter = highlighter
    @random = random
    @pages = Array.new(40) { |n| example(n) }
  end

  def edit(page, revision)
    lines = @pages[page].lines
    lines[@random.rand(lines.size)] = "  total = count_#{page} + #{revision} # changed\n"
    @pages[page] = lines.join
  end

  def show(page)
    body = @highlighter.html(@pages[page])
    index = @highlighter.names(@pages[page]).sort.join(', ')
    "<pre>#{body}</pre><p>#{index}</p>"
  end

  private

  def example(number)
    Array.new(24) { |n| "def step_#{number}_#{n}\n  return \"text\" if #{n} # why\nend\n" }.join
  end
end

wiki = Wiki.new(Highlighter.new(Lexer.new, Theme.new), Random.new(2))
sent = 0
650.times do |revision|
  page = revision % 40
  wiki.edit(page, revision)
  2.times { sent += wiki.show(page).length }
end
puts "#{sent} bytes sent"
