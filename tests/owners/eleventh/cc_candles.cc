// Makes candles of one minute out of trades; a trade that was an error is taken back by the exchange later.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

struct Trade {
    uint64_t id;
    int64_t time;
    double price;
    uint32_t size;
    char condition;
};

struct Candle {
    int64_t minute;
    double open, high, low, close;
    uint64_t volume;
};

using Listener = std::function<void(const std::string &, const Candle &)>;

class Series {
public:
    explicit Series(std::string symbol) : symbol_(std::move(symbol)) {}

    void trade(const Trade &t, const std::vector<Listener> &listeners) {
        int64_t minute = t.time / 60000;
        if (!candles_.empty() && candles_.back().minute != minute)
            for (const auto &listener : listeners)
                listener(symbol_, candles_.back());
        trades_.push_back(t); // guilty
        fold(t, minute);
        if (candles_.size() > 240)
            candles_.pop_front();
    }
    bool cancel(uint64_t id) {
        auto found = std::find_if(trades_.rbegin(), trades_.rend(), [id](const Trade &t) { return t.id <= id; });
        if (found == trades_.rend() || found->id != id)
            return false;
        int64_t minute = found->time / 60000;
        trades_.erase(std::next(found).base());
        rebuild(minute);
        return true;
    }
    const std::string &symbol() const { return symbol_; }

private:
    void fold(const Trade &t, int64_t minute) {
        if (candles_.empty() || candles_.back().minute < minute)
            candles_.push_back({minute, t.price, t.price, t.price, t.price, 0});
        Candle &c = candles_.back();
        c.high = std::max(c.high, t.price);
        c.low = std::min(c.low, t.price);
        c.close = t.price;
        c.volume += t.size;
    }
    void rebuild(int64_t minute) {
        auto candle = std::find_if(candles_.rbegin(), candles_.rend(), [minute](const Candle &c) { return c.minute == minute; });
        if (candle == candles_.rend())
            return;
        candle->volume = 0;
        for (auto t = trades_.rbegin(); t != trades_.rend() && t->time / 60000 >= minute; ++t)
            if (t->time / 60000 == minute)
                candle->volume += t->size;
    }
    std::string symbol_;
    std::deque<Trade> trades_;
    std::deque<Candle> candles_;
};

class Averages {
public:
    void update(const std::string &symbol, const Candle &c) {
        auto &window = closes_[symbol];
        window.push_back(c.close);
        if (window.size() > 20)
            window.erase(window.begin());
        double sum = 0;
        for (double value : window)
            sum += value;
        crossings_ += c.close > sum / static_cast<double>(window.size());
    }
    size_t crossings() const { return crossings_; }

private:
    std::unordered_map<std::string, std::vector<double>> closes_;
    size_t crossings_ = 0;
};

class Feed {
public:
    void listen(Listener listener) { listeners_.push_back(std::move(listener)); }
    void run(int trades) {
        std::mt19937 random(9);
        for (int s = 0; s < 30; s++)
            series_.push_back(std::make_unique<Series>("SYM" + std::to_string(s)));
        std::vector<double> prices(series_.size(), 100.0);
        int64_t now = 0;
        for (int i = 0; i < trades; i++) {
            size_t s = random() % series_.size();
            now += random() % 40;
            prices[s] += (static_cast<int>(random() % 21) - 10) * 0.01;
            series_[s]->trade({static_cast<uint64_t>(i), now, prices[s], static_cast<uint32_t>(100 * (1 + random() % 9)), '@'}, listeners_);
            if (i % 25 == 24)
                cancelled_ += series_[s]->cancel(static_cast<uint64_t>(i));
        }
    }
    size_t cancelled() const { return cancelled_; }

private:
    std::vector<std::unique_ptr<Series>> series_;
    std::vector<Listener> listeners_;
    size_t cancelled_ = 0;
};

int main() {
    Feed feed;
    Averages averages;
    feed.listen([&averages](const std::string &symbol, const Candle &c) { averages.update(symbol, c); });
    feed.run(1200000);
    std::printf("%zu above the average, %zu cancelled\n", averages.crossings(), feed.cancelled());
}
