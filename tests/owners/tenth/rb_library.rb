# frozen_string_literal: true

# The catalogue of a public library: finds books by words, lends them, and recommends what others lent too.

class Book
  attr_reader :isbn, :title, :author, :words
  attr_accessor :lent_to

  def initialize(isbn, title, author)
    @isbn = isbn
    @title = title
    @author = author
    @words = "#{title} #{author}".downcase.split
  end
end

class Catalogue
  def initialize
    @books = {}
    @by_word = Hash.new { |hash, word| hash[word] = [] }
  end

  def add(book)
    @books[book.isbn] = book
    book.words.each { |word| @by_word[word] << book }
  end

  def search(text)
    found = text.downcase.split.map { |word| @by_word.key?(word) ? @by_word[word] : [] }
    found.reduce { |all, books| all & books } || []
  end

  def [](isbn)
    @books[isbn]
  end
end

# Ranks what is found; the ranking takes long, so that it is kept for the next page of the same query.
class Ranking
  def initialize(loans)
    @loans = loans
    @ranked = {}
  end

  def page(reader, query, books, number)
    key = "#{reader}/#{query.strip.downcase}"
    ranked = @ranked[key] ||= rank(reader, books) # guilty
    ranked[number * 10, 10] || []
  end

  private

  def rank(reader, books)
    scored = books.map { |book| [book, @loans.count(book.isbn) + (@loans.lent_before?(reader, book.author) ? 5 : 0)] }
    scored.sort_by { |book, score| [-score, book.title] }
  end
end

class Loans
  def initialize
    @counts = Hash.new(0)
    @authors = Hash.new { |hash, reader| hash[reader] = {} }
  end

  def lend(book, reader)
    return false if book.lent_to

    book.lent_to = reader
    @counts[book.isbn] += 1
    @authors[reader][book.author] = true if @authors[reader].size < 12
    true
  end

  def give_back(book)
    book.lent_to = nil
  end

  def count(isbn)
    @counts[isbn]
  end

  def lent_before?(reader, author)
    @authors.key?(reader) && @authors[reader].key?(author)
  end
end

class Library
  SUBJECTS = %w[garden history river bread music winter island physics painting letters].freeze

  def initialize
    @catalogue = Catalogue.new
    @loans = Loans.new
    @ranking = Ranking.new(@loans)
  end

  def stock(count)
    count.times do |number|
      title = "#{SUBJECTS[number % 10]} and #{SUBJECTS[number / 10 % 10]} volume#{number % 80}"
      @catalogue.add(Book.new(format('978%010d', number), title, "Author#{number % 300}"))
    end
  end

  def visit(reader, query)
    page = @ranking.page(reader, query, @catalogue.search(query), 0)
    book = page.map(&:first).find { |candidate| candidate.lent_to.nil? }
    return 0 unless book

    @loans.lend(book, reader)
    @loans.give_back(book) if reader.end_with?('7')
    page.size
  end
end

def main
  library = Library.new
  library.stock(4000)
  shown = 0
  5500.times do |visit|
    reader = "reader-#{visit * 13 % 3001}"
    shown += library.visit(reader, "author#{visit % 300}")
    shown += library.visit(reader, "volume#{visit % 80}")
  end
  puts "#{shown} shown"
end

main
