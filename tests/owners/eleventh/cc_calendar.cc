// A calendar server: appointments repeat by rules, and clients ask what happens between two days.
#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace cal {

struct Rule {
    int first, interval, count;
    unsigned weekdays; // a bit for each
};

struct Event {
    int id;
    std::string title;
    Rule rule;
    std::vector<int> except;
};

struct Occurrence {
    int event, day, minute;
    std::string title;
};

std::string day_name(int day) {
    static const char *const names[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
    return std::string(names[day % 7]) + " " + std::to_string(day / 7);
}

class Expander {
public:
    std::vector<Occurrence> expand(const Event &event, int from, int to) const {
        std::vector<Occurrence> found;
        int left = event.rule.count;
        for (int day = event.rule.first; day < to && left > 0; day++) {
            if (!happens(event.rule, day))
                continue;
            left--;
            if (day >= from && !std::count(event.except.begin(), event.except.end(), day))
                found.push_back({event.id, day, 540 + event.id % 16 * 30, event.title + " on " + day_name(day)});
        }
        return found;
    }

private:
    static bool happens(const Rule &rule, int day) {
        return (rule.weekdays >> day % 7 & 1) && (day - rule.first) / 7 % rule.interval == 0;
    }
};

class Calendar {
public:
    void add(Event event) { events_.push_back(std::move(event)); }
    size_t size() const { return events_.size(); }

    const std::vector<Occurrence> &occurrences(size_t index, int from, int to) {
        const Event &event = events_[index];
        auto key = std::make_tuple(event.id, from, to);
        auto known = expanded_.find(key);
        if (known == expanded_.end())
            known = expanded_.emplace(key, expander_.expand(event, from, to)).first; // guilty
        return known->second;
    }
    void cancel(size_t index, int day) {
        events_[index].except.push_back(day);
        for (auto it = expanded_.begin(); it != expanded_.end();)
            it = std::get<0>(it->first) == events_[index].id ? expanded_.erase(it) : std::next(it);
    }

private:
    std::vector<Event> events_;
    Expander expander_;
    std::map<std::tuple<int, int, int>, std::vector<Occurrence>> expanded_;
};

class Agenda {
public:
    explicit Agenda(Calendar &calendar) : calendar_(calendar) {}

    std::string text(int from, int to, size_t first) {
        std::vector<const Occurrence *> all;
        for (size_t i = first; i < calendar_.size(); i += 10)
            for (const Occurrence &o : calendar_.occurrences(i, from, to))
                all.push_back(&o);
        std::sort(all.begin(), all.end(), earlier);
        std::string out;
        for (const Occurrence *o : all)
            out += std::to_string(o->minute / 60) + ":" + std::to_string(o->minute % 60) + " " + o->title + "\n";
        return out;
    }

private:
    static bool earlier(const Occurrence *a, const Occurrence *b) {
        return std::tie(a->day, a->minute) < std::tie(b->day, b->minute);
    }
    Calendar &calendar_;
};

Calendar make_team_calendar(std::mt19937 &random) {
    static const char *const titles[] = {"Stand-up meeting", "One to one with the lead", "Planning of the quarter", "Training"};
    Calendar calendar;
    for (int id = 0; id < 200; id++)
        calendar.add({id, titles[random() % 4], {static_cast<int>(random() % 60), 1 + static_cast<int>(random() % 3), 150, static_cast<unsigned>(random() % 31 + 1)}, {}});
    return calendar;
}

} // namespace cal

int main() {
    std::mt19937 random(17);
    cal::Calendar calendar = cal::make_team_calendar(random);
    cal::Agenda agenda(calendar);
    size_t sent = 0;
    for (int request = 0; request < 4200; request++) {
        int from = static_cast<int>(random() % 300), to = from + 7 + static_cast<int>(random() % 21);
        sent += agenda.text(from, to, request % 10).size();
        if (request % 100 == 99)
            calendar.cancel(random() % calendar.size(), from);
    }
    std::printf("%zu bytes sent\n", sent);
}
