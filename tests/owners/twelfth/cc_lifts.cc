// Compares ways to steer the lifts of an office tower: people call, lifts move floor by floor, and waits are counted.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

struct Person {
    int from, to, since;
};

class Lift {
public:
    explicit Lift(int number) : name_("lift " + std::to_string(number)) {}
    void call(int floor) { stops_.insert(floor); }
    int floor() const { return floor_; }
    int direction() const { return direction_; }
    size_t load() const { return inside_.size(); }
    const std::set<int> &stops() const { return stops_; }
    const std::string &name() const { return name_; }

    void board(std::deque<Person> &queue, int now, std::vector<int> &waits) {
        while (!queue.empty() && inside_.size() < 10) {
            waits.push_back(now - queue.front().since);
            stops_.insert(queue.front().to);
            inside_.push_back(queue.front());
            queue.pop_front();
        }
    }

    size_t leave() {
        auto out = std::partition(inside_.begin(), inside_.end(), [&](const Person &p) { return p.to != floor_; });
        size_t n = static_cast<size_t>(inside_.end() - out);
        inside_.erase(out, inside_.end());
        stops_.erase(floor_);
        return n;
    }

    void move() {
        if (stops_.empty()) {
            direction_ = 0;
            return;
        }
        bool above = *stops_.rbegin() > floor_, below = *stops_.begin() < floor_;
        if (direction_ == 0 || (direction_ > 0 && !above) || (direction_ < 0 && !below))
            direction_ = above ? 1 : below ? -1 : 0;
        floor_ += direction_;
    }

private:
    std::string name_;
    int floor_ = 0, direction_ = 0;
    std::set<int> stops_;
    std::vector<Person> inside_;
};

class Strategy {
public:
    virtual ~Strategy() = default;
    virtual Lift &choose(std::vector<Lift> &lifts, const Person &p) = 0;
};

class Nearest : public Strategy {
public:
    Lift &choose(std::vector<Lift> &lifts, const Person &p) override {
        return *std::min_element(lifts.begin(), lifts.end(), [&](const Lift &a, const Lift &b) { return cost(a, p) < cost(b, p); });
    }

private:
    static int cost(const Lift &lift, const Person &p) {
        int far = std::abs(lift.floor() - p.from);
        bool away = lift.direction() * (p.from - lift.floor()) < 0;
        return far + (away ? 20 : 0) + static_cast<int>(lift.load());
    }
};

class Fewest : public Strategy {
public:
    Lift &choose(std::vector<Lift> &lifts, const Person &p) override {
        Lift *best = nullptr;
        size_t stops = std::numeric_limits<size_t>::max();
        for (auto &lift : lifts)
            if (lift.stops().size() + (lift.floor() == p.from ? 0 : 1) < stops) {
                best = &lift;
                stops = lift.stops().size() + (lift.floor() == p.from ? 0 : 1);
            }
        return *best;
    }
};

// What the panel in the lobby shows, and a player that can go back a little.
class Recorder {
public:
    void record(int now, const std::vector<Lift> &lifts) {
        Moment moment{now, {}};
        for (const auto &lift : lifts)
            moment.lifts.push_back({lift.floor(), lift.load(), {lift.stops().begin(), lift.stops().end()}});
        moments_.push_back(std::move(moment)); // guilty
    }
    std::string panel(const std::vector<Lift> &lifts) const {
        std::string text;
        const auto &last = moments_.back().lifts;
        for (size_t i = 0; i < last.size(); i++)
            text += lifts[i].name() + " at " + std::to_string(last[i].floor) + ", " + std::to_string(last[i].stops.size()) + " stops; ";
        return text;
    }
    int travelled(size_t lift, size_t back) const {
        int floors = 0;
        for (size_t i = moments_.size() > back ? moments_.size() - back : 1; i < moments_.size(); i++)
            floors += std::abs(moments_[i].lifts[lift].floor - moments_[i - 1].lifts[lift].floor);
        return floors;
    }

private:
    struct State {
        int floor;
        size_t load;
        std::vector<int> stops;
    };
    struct Moment {
        int second;
        std::vector<State> lifts;
    };
    std::vector<Moment> moments_;
};

class Tower {
public:
    Tower(std::unique_ptr<Strategy> strategy, int lifts, int floors) : strategy_(std::move(strategy)), queues_(static_cast<size_t>(floors)) {
        for (int i = 0; i < lifts; i++)
            lifts_.emplace_back(i);
    }

    void run(int seconds, std::mt19937 &random) {
        for (int now = 0; now < seconds; now++) {
            if (random() % 2 == 0)
                arrive(now, random);
            for (auto &lift : lifts_) {
                if (lift.stops().count(lift.floor())) {
                    carried_ += lift.leave();
                    lift.board(queues_[static_cast<size_t>(lift.floor())], now, waits_);
                }
                lift.move();
            }
            recorder_.record(now, lifts_);
            if (now % 60 == 0)
                letters_ += recorder_.panel(lifts_).size() + static_cast<size_t>(recorder_.travelled(0, 60));
            if (waits_.size() > 2000)
                waits_.erase(waits_.begin(), waits_.begin() + 1000);
        }
    }

    void report(const char *name) {
        std::sort(waits_.begin(), waits_.end());
        std::printf("%s: %zu carried, median wait %d s, worst %d s, %zu\n", name, carried_, waits_[waits_.size() / 2], waits_.back(), letters_);
    }

private:
    void arrive(int now, std::mt19937 &random) {
        int floors = static_cast<int>(queues_.size());
        Person p{random() % 2 ? 0 : static_cast<int>(random() % queues_.size()), 0, now};
        do
            p.to = static_cast<int>(random()) & 0xffff;
        while ((p.to %= floors) == p.from);
        queues_[static_cast<size_t>(p.from)].push_back(p);
        strategy_->choose(lifts_, p).call(p.from);
    }

    std::unique_ptr<Strategy> strategy_;
    std::vector<Lift> lifts_;
    std::vector<std::deque<Person>> queues_;
    std::vector<int> waits_;
    Recorder recorder_;
    size_t carried_ = 0, letters_ = 0;
};

int main() {
    std::mt19937 random(9);
    Tower by_distance(std::make_unique<Nearest>(), 6, 28), by_stops(std::make_unique<Fewest>(), 6, 28);
    by_distance.run(36000, random);
    by_stops.run(36000, random);
    by_distance.report("nearest");
    by_stops.report("fewest stops");
}
