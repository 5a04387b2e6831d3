// Ways for robots in a warehouse: A* over places and times, so that no two meet.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <memory_resource>
#include <queue>
#include <set>
#include <unordered_set>
#include <vector>

struct Cell {
    int x, y, t;
    bool operator<(const Cell& o) const { return std::tie(x, y, t) < std::tie(o.x, o.y, o.t); }
};

struct Step {
    Cell at;
    int cost;
    const Step* before;
    std::array<int, 8> loads;
};

class Warehouse {
public:
    explicit Warehouse(int size) : size_(size) {}
    bool is_free(const Cell& c) const {
        if (c.x < 0 || c.y < 0 || c.x >= size_ || c.y >= size_) return false;
        if (c.x % 4 == 2 && c.y % 9 != 0) return false;
        return taken_.count(c) == 0;
    }
    void reserve(const std::vector<Cell>& way) {
        taken_.clear();
        taken_.insert(way.begin(), way.end());
    }

private:
    int size_;
    std::set<Cell> taken_;
};

class Planner {
public:
    explicit Planner(Warehouse& house) : house_(house) {}

    std::vector<Cell> plan(Cell from, Cell to) {
        auto worse = [&](const Step* a, const Step* b) { return a->cost + far(a->at, to) > b->cost + far(b->at, to); };
        std::priority_queue<const Step*, std::vector<const Step*>, decltype(worse)> open(worse);
        std::unordered_set<long> seen;
        open.push(start(from));
        while (!open.empty()) {
            const Step* best = open.top();
            open.pop();
            if (best->at.x == to.x && best->at.y == to.y) return way_of(best);
            if (!seen.insert(best->at.x * 1000L + best->at.y).second) continue;
            expand(*best, [&](const Step* s) { open.push(s); });
        }
        return {};
    }

private:
    static int far(const Cell& a, const Cell& b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y); }

    template <class... A>
    Step* make(A&&... a) {
        void* place = arena_.allocate(sizeof(Step), alignof(Step));
        return new (place) Step{std::forward<A>(a)...};
    }

    const Step* start(Cell from) { return make(from, 0, nullptr, std::array<int, 8>{}); }

    void expand(const Step& s, const std::function<void(const Step*)>& found) {
        static constexpr int moves[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
        for (auto [dx, dy] : moves) {
            Cell c{s.at.x + dx, s.at.y + dy, s.at.t + 1};
            if (house_.is_free(c)) found(make(c, s.cost + 1, &s, s.loads));  // guilty
        }
    }

    static std::vector<Cell> way_of(const Step* s) {
        std::vector<Cell> way;
        for (; s; s = s->before) way.push_back(s->at);
        std::reverse(way.begin(), way.end());
        return way;
    }

    Warehouse& house_;
    std::pmr::monotonic_buffer_resource arena_{1 << 16};
};

int main() {
    Warehouse house(120);
    Planner planner(house);
    std::size_t steps = 0;
    for (int robot = 0; robot < 170; ++robot) {
        auto way = planner.plan({robot % 4 * 4, robot * 7 % 110, 0}, {100 + robot % 4 * 4, robot * 13 % 110, 0});
        steps += way.size();
        house.reserve(way);
    }
    std::cout << steps << " steps\n";
}
