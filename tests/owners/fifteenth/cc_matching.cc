// Price-time matching engine with a synthetic order flow.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

enum class Side { Buy, Sell };

struct Order {
    uint64_t id;
    Side side;
    int price;
    int qty;
    std::string account;
    std::string fix_text;   // raw message as received
};

struct Trade {
    uint64_t maker, taker;
    int price, qty;
    std::string maker_text, taker_text;
};

class RiskWindow {
public:
    void track_exposure(const std::string& account, int delta) {
        auto& v = recent_[account];
        if (v.size() >= 1500) v.pop_front();
        v.push_back(delta);
    }
private:
    std::map<std::string, std::deque<int>> recent_;
};

class OrderBook {
public:
    void submit(Order o) {
        if (o.side == Side::Buy) match(o, asks_, [&](int p) { return p <= o.price; });
        else match(o, bids_, [&](int p) { return p >= o.price; });
        if (o.qty > 0) rest(std::move(o));
    }
    void sweep_far(int mid) {
        while (!bids_.empty() && bids_.rbegin()->first < mid - 40) bids_.erase(std::prev(bids_.end()));
        while (!asks_.empty() && asks_.rbegin()->first > mid + 40) asks_.erase(std::prev(asks_.end()));
        for (auto& [p, level] : bids_) while (level.size() > 20) level.pop_back();
        for (auto& [p, level] : asks_) while (level.size() > 20) level.pop_back();
    }
    uint64_t volume() const { return volume_; }
    int last_price() const { return tape_.empty() ? 0 : tape_.back()->price; }

private:
    template <class Levels, class Pred>
    void match(Order& o, Levels& levels, Pred crosses) {
        while (o.qty > 0 && !levels.empty() && crosses(levels.begin()->first)) {
            auto& queue = levels.begin()->second;
            Order& top = queue.front();
            int q = std::min(o.qty, top.qty);
            settle_trade(top, o, q);
            o.qty -= q;
            top.qty -= q;
            if (top.qty == 0) queue.pop_front();
            if (queue.empty()) levels.erase(levels.begin());
        }
    }
    void settle_trade(const Order& maker, const Order& taker, int qty) {
        volume_ += uint64_t(qty);
        risk_.track_exposure(maker.account, maker.side == Side::Buy ? qty : -qty);
        risk_.track_exposure(taker.account, taker.side == Side::Buy ? qty : -qty);
        auto t = std::make_unique<Trade>();
        t->maker = maker.id;
        t->taker = taker.id;
        t->price = maker.price;
        t->qty = qty;
        t->maker_text = maker.fix_text; // guilty
        t->taker_text = taker.fix_text;
        tape_.push_back(std::move(t));
    }
    void rest(Order o) {
        if (o.side == Side::Buy) bids_[o.price].push_back(std::move(o));
        else asks_[o.price].push_back(std::move(o));
    }
    std::map<int, std::list<Order>, std::greater<int>> bids_;
    std::map<int, std::list<Order>> asks_;
    std::vector<std::unique_ptr<Trade>> tape_;
    RiskWindow risk_;
    uint64_t volume_ = 0;
};

static std::string encode_fix(uint64_t id, Side s, int px, int qty, const std::string& acct, unsigned salt) {
    std::string m = "8=FIX.4.4|35=D|11=" + std::to_string(id) + "|54=" + (s == Side::Buy ? "1" : "2") +
                    "|44=" + std::to_string(px) + "|38=" + std::to_string(qty) + "|1=" + acct + "|58=";
    m.append(120 + salt % 160, 'n');
    return m;
}

int main() {
    std::mt19937 rng(99);
    OrderBook book;
    uint64_t id = 0;
    int mid = 1000;
    for (int tick = 0; tick < 420; ++tick) {
        mid += int(rng() % 3) - 1;
        for (int i = 0; i < 260; ++i) {
            Side s = rng() % 2 ? Side::Buy : Side::Sell;
            int px = mid + int(rng() % 21) - 10;
            int qty = 1 + int(rng() % 50);
            std::string acct = "ACC" + std::to_string(rng() % 200);
            ++id;
            book.submit({id, s, px, qty, acct, encode_fix(id, s, px, qty, acct, unsigned(rng()))});
        }
        book.sweep_far(mid);
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
    }
    std::printf("orders=%llu volume=%llu last=%d\n", (unsigned long long)id,
                (unsigned long long)book.volume(), book.last_price());
}
