// Looks for journeys with up to three changes; what is found on the way to an airport is kept as a chain of legs.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

struct Flight {
    int from, to, departs, arrives, fare;
    std::string number;
};

class Timetable {
public:
    Timetable(int airports, int flights) : by_airport_(airports) {
        std::mt19937 random(12);
        for (int i = 0; i < flights; i++) {
            int from = static_cast<int>(random() % airports), to = static_cast<int>(random() % airports);
            int departs = static_cast<int>(random() % 2880);
            by_airport_[from].push_back({from, to, departs, departs + 60 + static_cast<int>(random() % 300), 40 + static_cast<int>(random() % 400), "XY" + std::to_string(100 + i)});
        }
    }
    const std::vector<Flight> &departures(int airport) const { return by_airport_[airport]; }
    int airports() const { return static_cast<int>(by_airport_.size()); }

private:
    std::vector<std::vector<Flight>> by_airport_;
};

struct Label {
    std::shared_ptr<const Label> before;
    const Flight *flight;
    int airport, time, fare, legs;
    std::string airlines;
};

using LabelRef = std::shared_ptr<const Label>;

struct Cheaper {
    bool operator()(const LabelRef &a, const LabelRef &b) const { return a->fare > b->fare; }
};

struct Journey {
    std::vector<std::string> numbers;
    int fare, minutes;
};

class Search {
public:
    explicit Search(const Timetable &timetable) : timetable_(timetable) {}

    std::vector<Journey> journeys(int from, int to, int earliest, size_t most) {
        std::vector<Journey> found;
        std::priority_queue<LabelRef, std::vector<LabelRef>, Cheaper> open;
        open.push(std::make_shared<Label>(Label{nullptr, nullptr, from, earliest, 0, 0, ""}));
        while (!open.empty() && found.size() < most) {
            LabelRef label = open.top();
            open.pop();
            if (label->airport == to) {
                found.push_back(journey(*label, earliest));
                continue;
            }
            if (label->legs < 4 && settle(label))
                for (const Flight &flight : timetable_.departures(label->airport))
                    if (flight.departs >= label->time + 30 && flight.departs < label->time + 480)
                        open.push(extend(label, flight));
        }
        return found;
    }
    size_t settled() const {
        size_t count = 0;
        for (const auto &entry : settled_)
            count += entry.second.size();
        return count;
    }

private:
    static LabelRef extend(const LabelRef &before, const Flight &flight) {
        return std::make_shared<Label>(Label{before, &flight, flight.to, flight.arrives, before->fare + flight.fare, before->legs + 1, before->airlines + flight.number + "/"});
    }
    /* False if one that is settled is as early, as cheap and as short. */
    bool settle(const LabelRef &label) {
        auto &bag = settled_[{label->airport, query_of(*label)}];
        for (const LabelRef &other : bag)
            if (other->time <= label->time && other->fare <= label->fare && other->legs <= label->legs)
                return false;
        bag.push_back(label); // guilty
        return true;
    }
    static int query_of(const Label &label) {
        const Label *first = &label;
        while (first->before)
            first = first->before.get();
        return first->airport * 10000 + first->time;
    }
    static Journey journey(const Label &label, int earliest) {
        Journey j{{}, label.fare, label.time - earliest};
        for (const Label *l = &label; l->flight; l = l->before.get())
            j.numbers.insert(j.numbers.begin(), l->flight->number);
        return j;
    }
    const Timetable &timetable_;
    std::map<std::pair<int, int>, std::vector<LabelRef>> settled_;
};

class Desk {
public:
    explicit Desk(const Timetable &timetable) : timetable_(timetable), search_(timetable) {}
    void serve(int requests) {
        std::mt19937 random(31);
        for (int i = 0; i < requests; i++) {
            int from = static_cast<int>(random() % timetable_.airports()), to = static_cast<int>(random() % timetable_.airports());
            for (const Journey &j : search_.journeys(from, to, static_cast<int>(random() % 1200), 3)) {
                offers_++;
                changes_ += j.numbers.empty() ? 0 : j.numbers.size() - 1;
            }
        }
        std::printf("%zu offers with %zu changes, %zu settled\n", offers_, changes_, search_.settled());
    }

private:
    const Timetable &timetable_;
    Search search_;
    size_t offers_ = 0, changes_ = 0;
};

int main() {
    Timetable timetable(120, 6000);
    Desk desk(timetable);
    desk.serve(900);
}
