// The matching engine of an exchange: limit orders rest in books by price, are matched, changed, and cancelled.
#include <cstdint>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

enum class Side : uint8_t { buy, sell };

struct Order {
    uint64_t id;
    std::string client;
    std::string reference;
    Side side;
    int price;
    int open;
    bool cancelled = false;
};

struct Trade {
    uint64_t maker, taker;
    int price, quantity;
};

class Tape {
public:
    void print(const Trade &trade)
    {
        if (last_.size() == 1000)
            last_.erase(last_.begin(), last_.begin() + 500);
        last_.push_back(trade);
        volume_ += trade.quantity;
    }
    long volume() const { return volume_; }

private:
    std::vector<Trade> last_;
    long volume_ = 0;
};

class Book {
public:
    explicit Book(Tape &tape) : tape_(tape) {}

    uint64_t submit(const std::string &client, const std::string &reference, Side side, int price, int quantity)
    {
        auto order = std::make_shared<Order>(Order{++last_id_, client, reference, side, price, quantity});
        match(*order);
        if (order->open > 0)
            rest(order);
        return order->id;
    }

    bool cancel(uint64_t id)
    {
        auto found = by_id_.find(id);
        if (found == by_id_.end() || found->second->cancelled)
            return false;
        found->second->cancelled = true;
        found->second->open = 0;
        return true;
    }

    size_t resting() const { return by_id_.size(); }

private:
    using Level = std::list<std::shared_ptr<Order>>;

    void match(Order &taker)
    {
        auto &levels = taker.side == Side::buy ? sells_ : buys_;
        while (taker.open > 0 && !levels.empty()) {
            auto best = taker.side == Side::buy ? levels.begin() : std::prev(levels.end());
            if (taker.side == Side::buy ? best->first > taker.price : best->first < taker.price)
                break;
            Level &level = best->second;
            while (!level.empty() && taker.open > 0) {
                Order &maker = *level.front();
                int quantity = std::min(maker.open, taker.open);
                maker.open -= quantity;
                taker.open -= quantity;
                if (quantity > 0)
                    tape_.print({maker.id, taker.id, maker.price, quantity});
                if (maker.open == 0) {
                    by_id_.erase(maker.id);
                    level.pop_front();
                }
            }
            if (level.empty())
                levels.erase(best);
        }
    }

    void rest(const std::shared_ptr<Order> &order)
    {
        auto &levels = order->side == Side::buy ? buys_ : sells_;
        levels[order->price].push_back(order); // guilty
        by_id_.emplace(order->id, order);
    }

    Tape &tape_;
    std::map<int, Level> buys_, sells_;
    std::unordered_map<uint64_t, std::shared_ptr<Order>> by_id_;
    uint64_t last_id_ = 0;
};

// A market maker quotes around a price that moves, and takes its old quotes back.
class MarketMaker {
public:
    MarketMaker(Book &book, std::string name) : book_(book), name_(std::move(name)) {}

    void quote(int mid)
    {
        for (uint64_t id : live_)
            book_.cancel(id);
        live_.clear();
        for (int i = 1; i <= 3; i++) {
            std::string reference = name_ + "/strategy-7/quote-" + std::to_string(++quotes_);
            live_.push_back(book_.submit(name_, reference, Side::buy, mid - 5 * i, 100));
            live_.push_back(book_.submit(name_, reference, Side::sell, mid + 5 * i, 100));
        }
    }

private:
    Book &book_;
    std::string name_;
    std::vector<uint64_t> live_;
    unsigned long quotes_ = 0;
};

int main()
{
    Tape tape;
    Book book(tape);
    MarketMaker first(book, "ALPHA"), second(book, "NORTHBANK");
    uint32_t state = 7;
    int mid = 50000;
    for (int i = 0; i < 19000; i++) {
        state = state * 1664525u + 1013904223u;
        mid += static_cast<int>(state >> 24) % 7 - 2;
        first.quote(mid);
        second.quote(mid + 1);
        if (i % 3 == 0)
            book.submit("RETAIL", "web", state >> 20 & 1 ? Side::buy : Side::sell, mid + (state >> 20 & 1 ? 6 : -6), 30);
    }
    std::printf("volume %ld, %zu resting\n", tape.volume(), book.resting());
}
