// The engine of an auction house: bidders leave the most they would pay, and the house bids for them, step by step.
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

struct Bidder {
    std::string name;
    long budget;
};

struct Bid {
    uint32_t lot;
    uint64_t time;
    long amount;
    std::string bidder, channel;
    bool automatic;
};

class Catalogue {
public:
    explicit Catalogue(size_t lots) {
        for (size_t i = 0; i < lots; i++)
            estimates_.push_back(100 + static_cast<long>(i * 37 % 900));
    }
    long estimate(uint32_t lot) const { return estimates_[lot]; }
    size_t size() const { return estimates_.size(); }

private:
    std::vector<long> estimates_;
};

class Lot {
public:
    Lot(uint32_t id, long start) : id_(id), price_(start) {}

    void leave_limit(const Bidder &bidder, long limit, uint64_t now) {
        limits_[bidder.name] = limit;
        settle(now);
    }
    long price() const { return price_; }
    const std::string &leader() const { return leader_; }
    size_t bids() const { return bids_.size(); }
    std::string last_bids(size_t count) const {
        std::string page;
        for (size_t i = bids_.size(); i > 0 && i + count > bids_.size(); i--)
            page += bids_[i - 1].bidder + ": " + std::to_string(bids_[i - 1].amount) + "\n";
        return page;
    }

private:
    static long step(long price) { return price < 500 ? 5 : price < 2000 ? 10 : 50; }

    void settle(uint64_t now) {
        for (bool raised = true; raised;) {
            raised = false;
            for (const auto &[name, limit] : limits_)
                if (name != leader_ && limit >= price_ + step(price_)) {
                    accept(name, price_ + step(price_), now, true);
                    raised = true;
                }
        }
        for (auto it = limits_.begin(); it != limits_.end();)
            it = it->second < price_ ? limits_.erase(it) : std::next(it);
    }
    void accept(const std::string &name, long amount, uint64_t now, bool automatic) {
        price_ = amount;
        leader_ = name;
        bids_.push_back(Bid{id_, now, amount, name, automatic ? "proxy-bidding-service" : "saleroom", automatic}); // guilty
    }

    uint32_t id_;
    long price_;
    std::string leader_;
    std::map<std::string, long> limits_;
    std::vector<Bid> bids_;
};

class House {
public:
    explicit House(const Catalogue &catalogue) : catalogue_(catalogue) {
        for (int i = 0; i < 400; i++)
            bidders_.push_back({"bidder-" + std::to_string(10000 + i) + "@post.example", 5000});
    }
    void day(std::mt19937 &random) {
        for (uint32_t id = 0; id < catalogue_.size(); id++) {
            auto &lot = lots_[id];
            if (!lot)
                lot = std::make_unique<Lot>(id, catalogue_.estimate(id) / 2);
            for (int n = 0; n < 6; n++) {
                const Bidder &bidder = bidders_[random() % bidders_.size()];
                lot->leave_limit(bidder, lot->price() + static_cast<long>(random() % 300), ++now_);
                mailed_ += lot->last_bids(40).size();
            }
        }
    }
    void report() const {
        size_t bids = 0;
        long turnover = 0;
        for (const auto &[id, lot] : lots_) {
            bids += lot->bids();
            turnover += lot->price();
        }
        std::printf("%zu lots, %zu bids, %ld, %zu bytes mailed\n", lots_.size(), bids, turnover, mailed_);
    }

private:
    const Catalogue &catalogue_;
    std::vector<Bidder> bidders_;
    std::unordered_map<uint32_t, std::unique_ptr<Lot>> lots_;
    uint64_t now_ = 0;
    size_t mailed_ = 0;
};

int main() {
    Catalogue catalogue(1500);
    House house(catalogue);
    std::mt19937 random(5);
    for (int day = 0; day < 4; day++)
        house.day(random);
    house.report();
}
