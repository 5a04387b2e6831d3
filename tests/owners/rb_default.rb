# Words by their letters: a hash that makes what it does not have, by a block.
class Words
  def initialize
    @by_letters = Hash.new { |all, letters| all[letters] = describe(letters) } # guilty
  end

  def of(letters)
    @by_letters[letters].first.size
  end

  private

  def describe(letters)
    letters.chars.each_cons(3).map { |part| "#{part.join} is a part of #{letters}, which has #{letters.size} letters" }
  end
end

class Reader
  def initialize(words)
    @words = words
    @seed = 7
  end

  def word
    Array.new(9) { (97 + (@seed = (@seed * 69_069 + 1) % 4_294_967_296) / 65_536 % 26).chr }.join
  end

  def read(count)
    count.times.sum { @words.of(word) }
  end
end

puts Reader.new(Words.new).read(15_000)
