// Price-time matching for one venue with a synthetic flow of limit and cancel messages.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Order {
    uint64_t id;
    bool buy;
    int price;
    int open;
    std::string account;
    std::string clientRef;
};
using OrderPtr = std::shared_ptr<Order>;

struct Fill {
    uint64_t maker, taker;
    int price, qty;
};

class OrderBook {
public:
    explicit OrderBook(std::string symbol) : symbol_(std::move(symbol)) {}

    std::vector<Fill> submit(uint64_t id, bool buy, int price, int qty, std::string account,
                             std::string ref) {
        auto o = std::make_shared<Order>();
        o->id = id;
        o->buy = buy;
        o->price = price;
        o->open = qty;
        o->account = std::move(account);
        o->clientRef = std::move(ref);
        byId_.emplace(id, o); // guilty
        std::vector<Fill> fills = match(*o);
        if (o->open > 0)
            rest(o);
        return fills;
    }

    bool cancel(uint64_t id) {
        auto it = byId_.find(id);
        if (it == byId_.end() || it->second->open == 0)
            return false;
        it->second->open = 0;
        return true;
    }

    int open(uint64_t id) const {
        auto it = byId_.find(id);
        return it == byId_.end() ? 0 : it->second->open;
    }

    size_t depth() const { return bids_.size() + asks_.size(); }

private:
    std::vector<Fill> match(Order &in) {
        std::vector<Fill> out;
        auto &side = in.buy ? asks_ : bids_;
        while (in.open > 0 && !side.empty()) {
            auto lvl = in.buy ? side.begin() : std::prev(side.end());
            if (in.buy ? lvl->first > in.price : lvl->first < in.price)
                break;
            auto &q = lvl->second;
            while (in.open > 0 && !q.empty()) {
                Order &m = *q.front();
                int n = std::min(in.open, m.open);
                if (n > 0) {
                    m.open -= n;
                    in.open -= n;
                    out.push_back({m.id, in.id, m.price, n});
                }
                if (m.open == 0)
                    q.pop_front();
            }
            if (q.empty())
                side.erase(lvl);
        }
        return out;
    }

    void rest(const OrderPtr &o) { (o->buy ? bids_ : asks_)[o->price].push_back(o); }

    std::string symbol_;
    std::map<int, std::deque<OrderPtr>> bids_, asks_;
    std::unordered_map<uint64_t, OrderPtr> byId_;
};

class Tape {
public:
    void print(const std::vector<Fill> &fills) {
        for (const Fill &f : fills) {
            last_.push_back(f);
            volume_ += f.qty;
            if (last_.size() > 500)
                last_.pop_front();
        }
    }
    long volume() const { return volume_; }

private:
    std::deque<Fill> last_;
    long volume_ = 0;
};

static std::string makeRef(std::mt19937 &g) {
    char buf[64];
    snprintf(buf, sizeof buf, "GW%02u-ALGO-%08x%08x-TWAP", unsigned(g() % 20), unsigned(g()), unsigned(g()));
    return buf;
}

int main() {
    std::mt19937 g(11);
    OrderBook book("XAGU5");
    Tape tape;
    uint64_t id = 0, cancels = 0;
    for (int burst = 0; burst < 200; ++burst) {
        for (int i = 0; i < 1400; ++i) {
            ++id;
            bool buy = g() & 1;
            int price = 10000 + int(g() % 41) - 20;
            tape.print(book.submit(id, buy, price, 1 + int(g() % 50),
                                   "ACC" + std::to_string(g() % 900), makeRef(g)));
            if (g() % 5 == 0 && id > 40)
                cancels += book.cancel(id - g() % 40);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
    }
    printf("orders %llu volume %ld cancels %llu levels %zu\n", (unsigned long long)id, tape.volume(),
           (unsigned long long)cancels, book.depth());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}
