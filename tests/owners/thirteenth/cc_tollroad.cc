// Charges for a toll road: readings of transponders at gates, journeys from entry to exit, tariffs, invoices, and disputes.
#include <cstdio>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

enum class Class { Car, Van, Lorry };

struct Reading {
    unsigned tag;
    int gate;
    long second;
    Class vehicle;
    std::vector<unsigned char> picture; // a small one of the plate
};

struct Journey {
    unsigned tag;
    int from, to;
    long seconds;
    int cents;
};

class Tariff {
public:
    int cents(int from, int to, Class vehicle, long second) const
    {
        const int sections = from < to ? to - from : from - to;
        const int base = vehicle == Class::Lorry ? 95 : vehicle == Class::Van ? 48 : 31;
        const long hour = second / 3600 % 24;
        return sections * base * (hour >= 7 && hour < 9 ? 12 : 10) / 10;
    }
};

class Accounts {
public:
    void charge(const Journey& journey)
    {
        auto& account = accounts_[journey.tag];
        account.cents += journey.cents;
        account.journeys.push_back(journey);
        if (account.journeys.size() == 8)
            invoice(account);
    }

    long invoiced() const { return invoiced_; }
    size_t letters() const { return letters_; }

private:
    struct Account {
        long cents = 0;
        std::vector<Journey> journeys;
    };

    void invoice(Account& account)
    {
        std::string letter;
        for (const auto& j : account.journeys)
            letter += "gate " + std::to_string(j.from) + " to " + std::to_string(j.to) + ": " + std::to_string(j.cents) + "\n";
        letters_ += letter.size();
        invoiced_ += account.cents;
        account.cents = 0;
        account.journeys.clear();
    }

    std::unordered_map<unsigned, Account> accounts_;
    long invoiced_ = 0;
    size_t letters_ = 0;
};

// Readings that wait for the one at the other end of the journey.
class Matcher {
public:
    explicit Matcher(const Tariff& tariff) : tariff_(tariff) {}

    std::optional<Journey> match(Reading reading)
    {
        auto found = entered_.find(reading.tag);
        if (found != entered_.end()) {
            auto& waiting = found->second;
            for (auto entry = waiting.begin(); entry != waiting.end(); ++entry) {
                const long took = reading.second - entry->second;
                if (entry->gate == reading.gate || took <= 0 || took > 4 * 3600)
                    continue;
                Journey journey{reading.tag, entry->gate, reading.gate, took, tariff_.cents(entry->gate, reading.gate, reading.vehicle, reading.second)};
                waiting.erase(entry);
                if (waiting.empty())
                    entered_.erase(found);
                return journey;
            }
        }
        entered_[reading.tag].push_back(std::move(reading)); // guilty
        return std::nullopt;
    }

    size_t waiting() const { return entered_.size(); }

private:
    const Tariff& tariff_;
    std::unordered_map<unsigned, std::list<Reading>> entered_;
};

class Road {
public:
    explicit Road(int gates) : gates_(gates) {}

    Reading reading(unsigned tag, int gate, long second)
    {
        Reading r{tag, gate, second, static_cast<Class>(tag % 3), {}};
        r.picture.resize(700 + below(500));
        for (size_t i = 0; i < r.picture.size(); ++i)
            r.picture[i] = static_cast<unsigned char>(tag * i);
        return r;
    }

    unsigned below(unsigned n)
    {
        seed_ = seed_ * 1664525u + 1013904223u;
        return (seed_ >> 10) % n;
    }

    int gate() { return static_cast<int>(below(static_cast<unsigned>(gates_))); }

private:
    int gates_;
    unsigned seed_ = 12;
};

class Operator {
public:
    Operator() : matcher_(tariff_) {}

    void receive(Reading reading)
    {
        ++by_gate_[reading.gate];
        if (const auto journey = matcher_.match(std::move(reading))) {
            accounts_.charge(*journey);
            ++journeys_;
            seconds_ += journey->seconds;
        }
    }

    void report() const
    {
        int busiest = 0;
        for (const auto& [gate, n] : by_gate_)
            if (n > by_gate_.at(busiest))
                busiest = gate;
        std::printf("%ld journeys of %ld s, %ld cents invoiced in %zu bytes, gate %d is the busiest, %zu vehicles on the road\n", journeys_, seconds_ / journeys_,
                    accounts_.invoiced(), accounts_.letters(), busiest, matcher_.waiting());
    }

private:
    Tariff tariff_;
    Matcher matcher_;
    Accounts accounts_;
    std::map<int, long> by_gate_;
    long journeys_ = 0, seconds_ = 0;
};

int main()
{
    Road road(24);
    Operator toll;
    long second = 0;
    for (int i = 0; i < 120000; ++i) {
        second += 10 + road.below(20);
        const unsigned tag = 500000 + road.below(30000);
        const int from = road.gate(), to = road.gate();
        toll.receive(road.reading(tag, from, second));
        if (from != to && road.below(4)) // transponders at the exit are read in three of four cases
            toll.receive(road.reading(tag, to, second + 600 + road.below(3000)));
    }
    toll.report();
}
