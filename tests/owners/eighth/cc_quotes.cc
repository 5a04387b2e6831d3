// A trading screen: a feed of prices, and views that come and go and listen to some symbols.
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

struct Quote {
    double bid = 0, ask = 0;
    std::uint32_t bid_size = 0, ask_size = 0;
    std::uint64_t sequence = 0;
};

struct Level {
    double price = 0;
    std::uint32_t size = 0;
    std::uint16_t orders = 0;
};

// What a view shows of one symbol.
class Ladder {
public:
    Ladder(const std::string &symbol, std::size_t depth) : symbol_(symbol), bids_(depth), asks_(depth) {}

    void apply(const Quote &quote)
    {
        for (std::size_t i = 0; i < bids_.size(); i++) {
            bids_[i] = {quote.bid - 0.01 * static_cast<double>(i), quote.bid_size, 1};
            asks_[i] = {quote.ask + 0.01 * static_cast<double>(i), quote.ask_size, 1};
        }
        updates_++;
    }
    std::size_t updates() const { return updates_; }
    const std::string &symbol() const { return symbol_; }

private:
    std::string symbol_;
    std::vector<Level> bids_, asks_;
    std::size_t updates_ = 0;
};

class Feed {
public:
    using Listener = std::function<void(const Quote &)>;

    std::uint64_t subscribe(const std::string &symbol, Listener listener)
    {
        listeners_[symbol].emplace(++last_id_, std::move(listener));
        return last_id_;
    }
    void unsubscribe(const std::string &symbol, std::uint64_t id) { listeners_[symbol].erase(id); }

    void publish(const std::string &symbol, const Quote &quote)
    {
        auto &day = history_[symbol];
        if (day.size() < 400)
            day.push_back(quote);
        auto found = listeners_.find(symbol);
        if (found == listeners_.end())
            return;
        for (auto &[id, listener] : found->second)
            listener(quote);
    }
    std::size_t listeners() const
    {
        std::size_t all = 0;
        for (auto &[symbol, some] : listeners_)
            all += some.size();
        return all;
    }

private:
    std::unordered_map<std::string, std::map<std::uint64_t, Listener>> listeners_;
    std::unordered_map<std::string, std::vector<Quote>> history_;
    std::uint64_t last_id_ = 0;
};

class QuoteView {
public:
    QuoteView(Feed &feed, std::string title) : feed_(feed), title_(std::move(title)) {}
    ~QuoteView()
    {
        if (primary_ != 0)
            feed_.unsubscribe(primary_symbol_, primary_);
    }

    void attach(const std::string &symbol)
    {
        auto ladder = std::make_shared<Ladder>(symbol, 40); // guilty
        auto id = feed_.subscribe(symbol, [ladder](const Quote &quote) { ladder->apply(quote); });
        if (primary_ == 0) {
            primary_ = id;
            primary_symbol_ = symbol;
        }
        shown_.push_back(ladder);
    }

    std::string render() const
    {
        std::string text = title_ + ":";
        for (auto &ladder : shown_)
            text += " " + ladder->symbol() + "/" + std::to_string(ladder->updates());
        return text;
    }

private:
    Feed &feed_;
    std::string title_;
    std::string primary_symbol_;
    std::uint64_t primary_ = 0;
    std::vector<std::shared_ptr<Ladder>> shown_;
};

static std::vector<std::string> read_symbols()
{
    std::vector<std::string> symbols;
    for (int i = 0; i < 600; i++)
        symbols.push_back("EQ" + std::to_string(1000 + i) + ".XETR");
    return symbols;
}

int main()
{
    Feed feed;
    const auto symbols = read_symbols();
    std::mt19937 random(5);
    std::size_t drawn = 0;
    auto tick = [&](std::size_t which) {
        double price = 50 + static_cast<double>(random() % 1000) / 100;
        feed.publish(symbols[which], {price, price + 0.02, static_cast<std::uint32_t>(random() % 500), 100, drawn});
    };
    for (int round = 0; round < 250; round++)
        for (std::size_t i = 0; i < symbols.size(); i++)
            tick(i);
    for (int window = 0; window < 7000; window++) {
        QuoteView view(feed, "window " + std::to_string(window));
        for (int i = 0; i < 5; i++)
            view.attach(symbols[random() % symbols.size()]);
        for (int i = 0; i < 1; i++)
            tick(random() % symbols.size());
        drawn += view.render().size();
    }
    std::cout << feed.listeners() << " listeners, " << drawn << " characters drawn\n";
}
