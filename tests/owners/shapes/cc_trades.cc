#include <cstdio>
#include <deque>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
struct Quote { int symbol; double bid, ask; };
struct Trade { int symbol; std::string party; std::vector<double> fills; };
struct Halt { int symbol; };
using Message = std::variant<Quote, Trade, Halt>;
class Feed {
  public:
    Message next() {
        n_++;
        switch (n_ % 5) {
        case 0: return Halt{n_ % 40};
        case 1: case 2: return Quote{n_ % 40, n_ * 0.1, n_ * 0.1 + 1};
        default: return Trade{n_ % 40, "party of the first part " + std::to_string(n_), std::vector<double>(40, n_)};
        }
    }
  private:
    int n_ = 0;
};
class Book {
  public:
    void operator()(const Quote &q) { best_[q.symbol] = q; }
    void operator()(Trade &t) { tape_[t.symbol].push_back(std::move(t)); } // guilty
    void operator()(const Halt &h) { best_.erase(h.symbol); }
    std::size_t depth() const { std::size_t n = 0; for (auto &[s, t] : tape_) n += t.size(); return n; }
  private:
    std::unordered_map<int, Quote> best_;
    std::unordered_map<int, std::deque<Trade>> tape_;
};
int main() {
    Feed feed;
    Book book;
    for (int i = 0; i < 200000; i++) {
        Message message = feed.next();
        std::visit(book, message);
    }
    std::printf("%zu\n", book.depth());
}
