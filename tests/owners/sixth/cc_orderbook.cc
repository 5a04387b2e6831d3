// An exchange for one instrument: orders are matched by price and time.
#include <cstdint>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace exchange {

enum class Side { Buy, Sell };
using Price = std::int64_t;

struct Order {
    std::uint64_t id;
    Side side;
    Price price;
    std::uint32_t quantity;
    std::string owner, note;
};

class Level {
public:
    void add(std::shared_ptr<Order> order) { orders_.push_back(std::move(order)); }
    bool empty() const { return orders_.empty(); }
    std::shared_ptr<Order> front() const { return orders_.front(); }
    void pop() { orders_.pop_front(); }
    bool remove(std::uint64_t id) {
        for (auto it = orders_.begin(); it != orders_.end(); ++it)
            if ((*it)->id == id) {
                orders_.erase(it);
                return true;
            }
        return false;
    }

private:
    std::list<std::shared_ptr<Order>> orders_;
};

struct Fill {
    std::uint64_t taker, maker;
    std::uint32_t quantity;
};

class Book {
public:
    explicit Book(std::function<void(const Fill&)> on_fill) : on_fill_(std::move(on_fill)) {}

    void submit(Order order) {
        auto mine = std::make_shared<Order>(std::move(order));
        match(*mine);
        if (mine->quantity == 0) return;
        levels(mine->side)[mine->price].add(mine);
        live_[mine->id] = mine;
    }

    const Order* cancel(std::uint64_t id, const char* why) {
        auto it = live_.find(id);
        if (it == live_.end()) return nullptr;
        auto order = it->second;
        levels(order->side)[order->price].remove(id);
        live_.erase(it);
        cancelled_.push_back(*order);  // guilty
        cancelled_.back().note = why;
        return &cancelled_.back();
    }

    void amend(std::uint64_t id, Price price) {
        if (const Order* old = cancel(id, "amended by its owner, who asked for another price")) {
            Order next = *old;
            next.price = price;
            submit(next);
        }
    }

    void expire(std::uint64_t before) {
        while (!live_.empty() && live_.begin()->first < before)
            cancel(live_.begin()->first, "expired as its time in force was over");
    }

    std::size_t resting() const { return live_.size(); }

private:
    using Levels = std::map<Price, Level>;
    Levels& levels(Side side) { return side == Side::Buy ? bids_ : asks_; }

    void match(Order& taker) {
        Levels& other = taker.side == Side::Buy ? asks_ : bids_;
        while (taker.quantity > 0 && !other.empty()) {
            auto best = taker.side == Side::Buy ? other.begin() : std::prev(other.end());
            if (best->second.empty()) {
                other.erase(best);
                continue;
            }
            if (taker.side == Side::Buy ? best->first > taker.price : best->first < taker.price) break;
            auto maker = best->second.front();
            auto quantity = std::min(taker.quantity, maker->quantity);
            taker.quantity -= quantity;
            maker->quantity -= quantity;
            on_fill_({taker.id, maker->id, quantity});
            if (maker->quantity == 0) {
                best->second.pop();
                live_.erase(maker->id);
            }
        }
    }

    std::function<void(const Fill&)> on_fill_;
    Levels bids_, asks_;
    std::map<std::uint64_t, std::shared_ptr<Order>> live_;
    std::list<Order> cancelled_;
};

}  // namespace exchange

int main() {
    std::uint64_t filled = 0;
    std::vector<exchange::Fill> last;
    exchange::Book book([&](const exchange::Fill& fill) {
        filled += fill.quantity;
        last.push_back(fill);
        if (last.size() > 100) last.clear();
    });
    std::uint32_t r = 1;
    for (std::uint64_t id = 1; id < 120000; ++id) {
        r = r * 1664525u + 1013904223u;
        auto side = r >> 31 ? exchange::Side::Buy : exchange::Side::Sell;
        exchange::Price price = 10000 + (side == exchange::Side::Buy ? -1 : 1) * static_cast<int>((r >> 8) % 60 + 1);
        book.submit({id, side, price, 1 + (r >> 4) % 90, "participant-number-" + std::to_string(r % 500), ""});
        if (id % 3 == 0 && id > 50) book.amend(id - 3, price + 1);
        if (id % 500 == 0 && id > 1000) book.expire(id - 1000);
        if (id % 900 == 0) book.submit({id + 1000000, exchange::Side::Buy, 10040, 2000, "market-maker-of-the-exchange", ""});
    }
    std::cout << filled << " filled, " << book.resting() << " rest\n";
}
