// Judges payments with cards: how fast, how far and how much, against what the card did before.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

struct Payment {
    uint64_t card;
    int64_t second;
    double amount, latitude, longitude;
    std::string merchant;
    bool online;
};

class Profile {
public:
    void observe(const Payment &p) {
        mean_ += (p.amount - mean_) / static_cast<double>(history_.size() + 1);
        history_.push_back(p); // guilty
    }
    const Payment *last() const { return history_.empty() ? nullptr : &history_.back(); }
    double mean() const { return mean_; }
    size_t within(int64_t now, int64_t seconds) const {
        size_t n = 0;
        for (auto it = history_.rbegin(); it != history_.rend() && it->second >= now - seconds; ++it)
            n++;
        return n;
    }

private:
    std::vector<Payment> history_;
    double mean_ = 0;
};

struct Verdict {
    double score = 0;
    std::vector<std::string> reasons;
};

using Rule = std::function<std::optional<std::string>(const Profile &, const Payment &)>;

class RuleBook {
public:
    void add(double weight, Rule rule) { rules_.emplace_back(weight, std::move(rule)); }
    Verdict judge(const Profile &profile, const Payment &payment) const {
        Verdict v;
        for (const auto &[weight, rule] : rules_)
            if (auto reason = rule(profile, payment)) {
                v.score += weight;
                v.reasons.push_back(*reason);
            }
        return v;
    }

private:
    std::vector<std::pair<double, Rule>> rules_;
};

static double kilometres(const Payment &a, const Payment &b) {
    double dy = (a.latitude - b.latitude) * 111, dx = (a.longitude - b.longitude) * 111 * std::cos(a.latitude * 0.01745);
    return std::hypot(dx, dy);
}

static RuleBook bank_rules() {
    RuleBook book;
    book.add(0.4, [](const Profile &profile, const Payment &p) -> std::optional<std::string> {
        size_t n = profile.within(p.second, 600);
        if (n < 4)
            return std::nullopt;
        return std::to_string(n) + " payments in ten minutes";
    });
    book.add(0.5, [](const Profile &profile, const Payment &p) -> std::optional<std::string> {
        const Payment *last = profile.last();
        if (!last || p.online || last->online)
            return std::nullopt;
        double hours = static_cast<double>(p.second - last->second + 60) / 3600, km = kilometres(*last, p);
        if (km / hours < 900)
            return std::nullopt;
        return "travelled " + std::to_string(static_cast<int>(km)) + " km too fast";
    });
    book.add(0.3, [](const Profile &profile, const Payment &p) -> std::optional<std::string> {
        if (profile.mean() == 0 || p.amount < 8 * profile.mean())
            return std::nullopt;
        return "far above the mean of " + std::to_string(profile.mean());
    });
    return book;
}

class Desk {
public:
    explicit Desk(RuleBook book) : book_(std::move(book)) {}
    bool authorise(const Payment &p) {
        auto &profile = profiles_[p.card];
        if (!profile)
            profile = std::make_unique<Profile>();
        Verdict v = book_.judge(*profile, p);
        profile->observe(p);
        if (v.score < 0.5) {
            accepted_++;
            return true;
        }
        declined_++;
        letters_ += std::accumulate(v.reasons.begin(), v.reasons.end(), std::string()).size();
        return false;
    }
    void report() const {
        std::printf("%zu cards, %ld accepted, %ld declined, %zu letters of reasons\n", profiles_.size(), accepted_, declined_, letters_);
    }

private:
    RuleBook book_;
    std::unordered_map<uint64_t, std::unique_ptr<Profile>> profiles_;
    long accepted_ = 0, declined_ = 0;
    size_t letters_ = 0;
};

class Acquirer {
public:
    Payment next() {
        static const char *const shops[] = {"Bakery Lindholm & Daughters", "Fuel 24, motorway east", "Books and more online", "Cafe"};
        clock_ += static_cast<int64_t>(random_() % 3);
        uint64_t card = 4000000000000000ull + random_() % 3000;
        bool online = random_() % 3 == 0, abroad = random_() % 400 == 0;
        return {card, clock_, std::exp(static_cast<double>(random_() % 1000) / 200.0), abroad ? 1.3 : 48 + static_cast<double>(card % 5),
                abroad ? 103.8 : 9.0, std::string(shops[random_() % 4]) + " #" + std::to_string(random_() % 90), online};
    }

private:
    std::mt19937 random_{44};
    int64_t clock_ = 0;
};

int main() {
    Acquirer acquirer;
    Desk desk(bank_rules());
    for (int i = 0; i < 420000; i++)
        desk.authorise(acquirer.next());
    desk.report();
}
