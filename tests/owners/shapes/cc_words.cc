#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>
namespace text {
static std::vector<std::string> tokens(const std::string &line) {
    std::istringstream in(line);
    return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}
class Concordance {
  public:
    void read(const std::string &line, int number) {
        auto words = tokens(line);
        std::transform(words.begin(), words.end(), std::back_inserter(entries_), // guilty
                       [number](const std::string &w) { return Entry{w + " as it stands on line", number}; });
        lines_++;
    }
    std::size_t size() const { return entries_.size(); }
  private:
    struct Entry { std::string word; int line; };
    std::vector<Entry> entries_;
    int lines_ = 0;
};
static std::size_t count(const std::string &line) { return tokens(line).size(); }
}
int main() {
    text::Concordance concordance;
    std::size_t words = 0;
    for (int i = 0; i < 40000; i++) {
        std::string line = "the quick brown fox number " + std::to_string(i) + " jumps over " + std::to_string(i * 7);
        words += text::count(line);
        concordance.read(line, i);
    }
    std::printf("%zu %zu\n", words, concordance.size());
}
