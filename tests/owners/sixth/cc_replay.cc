// A match that is recorded: systems send events of several kinds, which listeners visit.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

struct Moved {
    int who;
    float x, y;
};
struct Shot {
    int who, at;
    std::vector<float> path;
};
struct Said {
    int who;
    std::string text;
};
using Event = std::variant<Moved, Shot, Said>;

class Signal {
public:
    template <class L>
    void listen(L& listener) {
        listeners_.push_back([&listener](const Event& e) { std::visit(listener, e); });
    }
    template <class E>
    void emit(E&& e) {
        Event event(std::forward<E>(e));
        for (auto& l : listeners_) l(event);
    }

private:
    std::vector<std::function<void(const Event&)>> listeners_;
};

class Scores {
public:
    void operator()(const Shot& s) { ++hits_[s.who]; }
    void operator()(const Said& s) { words_[s.who] = s.text; }
    template <class Any>
    void operator()(const Any&) {}
    int best() const {
        int b = 0;
        for (auto& [who, n] : hits_) b = std::max(b, n);
        return b;
    }

private:
    std::unordered_map<int, int> hits_;
    std::unordered_map<int, std::string> words_;
};

class Radar {
public:
    void operator()(const Moved& m) {
        auto& t = tracks_[m.who];
        t.push_back(m);
        if (t.size() > 200) t.pop_front();
    }
    void operator()(const Shot& s) { last_ = s.path; }
    void operator()(const Said&) {}

private:
    std::unordered_map<int, std::deque<Moved>> tracks_;
    std::vector<float> last_;
};

class Replay {
public:
    void operator()(const Shot& s) {
        shots_.push_back(s);  // guilty
    }
    void operator()(const Moved& m) {
        if (m.who == 0) camera_ = m;
    }
    void operator()(const Said& s) { line_ = s.text; }
    std::size_t points() const {
        std::size_t n = 0;
        for (auto& s : shots_) n += s.path.size();
        return n;
    }

private:
    std::deque<Shot> shots_;
    Moved camera_{};
    std::string line_;
};

class Arena {
public:
    explicit Arena(Signal& out) : out_(out) {}
    void tick(int t) {
        for (int who = 0; who < 24; ++who) {
            const float x = std::cos(0.01f * static_cast<float>(t + who)) * 100, y = std::sin(0.013f * static_cast<float>(t * who)) * 100;
            out_.emit(Moved{who, x, y});
            if ((t + who) % 9 == 0) out_.emit(shoot(who, (who * 5 + t) % 24, x, y));
            if ((t * 31 + who) % 997 == 0) out_.emit(Said{who, "somebody says something in the heat of the match " + std::to_string(t)});
        }
    }

private:
    static Shot shoot(int who, int at, float x, float y) {
        Shot s{who, at, {}};
        for (int i = 0; i < 40 + at; ++i) {
            s.path.push_back(x + static_cast<float>(i));
            s.path.push_back(y - 0.05f * static_cast<float>(i * i));
        }
        return s;
    }
    Signal& out_;
};

int main() {
    Signal signal;
    Scores scores;
    Radar radar;
    Replay replay;
    signal.listen(scores);
    signal.listen(radar);
    signal.listen(replay);
    Arena arena(signal);
    for (int t = 0; t < 30000; ++t) arena.tick(t);
    std::printf("%d, %zu points\n", scores.best(), replay.points());
}
