// Ways through a town by bus. Questions come again, so answers are kept by a template that can do that for any function.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

template <class Sig> class Memo;
template <class R, class... A> class Memo<R(A...)>
{
    std::function<R(A...)> f;
    std::map<std::tuple<A...>, R> known;

public:
    explicit Memo(std::function<R(A...)> f) : f(std::move(f)) {}
    const R &operator()(A... a)
    {
        auto k = std::make_tuple(a...);
        auto it = known.find(k);
        if (it == known.end())
            it = known.emplace(std::move(k), f(a...)).first;
        return it->second;
    }
    size_t size() const { return known.size(); }
};

struct Edge {
    int to, minutes, line;
};

struct Step {
    int from, to, line, departs, arrives;
    double lat, lon;
};

struct Town {
    int w, h;
    std::vector<std::vector<Edge>> edges;

    Town(int w, int h) : w(w), h(h), edges(w * h)
    {
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                if (x + 1 < w)
                    link(y * w + x, y * w + x + 1, 2 + (x * 7 + y) % 5, y);
                if (y + 1 < h)
                    link(y * w + x, (y + 1) * w + x, 3 + (x + y * 5) % 4, 100 + x);
            }
    }
    void link(int a, int b, int minutes, int line)
    {
        edges[a].push_back({b, minutes, line});
        edges[b].push_back({a, minutes, line});
    }
};

class Planner
{
    const Town &town;
    std::vector<int> previous, line_to, arrival;

public:
    Memo<std::vector<Step>(int, int, int)> route;
    Memo<int(int, int)> fare;

    explicit Planner(const Town &town)
        : town(town), previous(town.edges.size()), line_to(town.edges.size()), arrival(town.edges.size()),
          route([this](int a, int b, int t) { return find_route(a, b, t); }), fare([this](int a, int b) { return zone_fare(a, b); })
    {
    }

private:
    // The time is a part of the question, in seconds: hardly any question comes again.
    std::vector<Step> find_route(int from, int to, int time)
    {
        search(from, to, time);
        std::vector<Step> steps;
        for (int at = to; at != from; at = previous[at]) {
            int p = previous[at];
            steps.push_back({p, at, line_to[at], arrival[p], arrival[at], at / town.w * 0.01, at % town.w * 0.01}); // guilty
        }
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    void search(int from, int to, int time)
    {
        using item = std::pair<int, int>;
        std::priority_queue<item, std::vector<item>, std::greater<>> open;
        std::fill(arrival.begin(), arrival.end(), std::numeric_limits<int>::max());
        arrival[from] = time;
        open.push({time, from});
        while (!open.empty()) {
            auto [t, at] = open.top();
            open.pop();
            if (at == to)
                return;
            if (t > arrival[at])
                continue;
            for (const Edge &e : town.edges[at])
                if (int a = t + e.minutes * 60; a < arrival[e.to]) {
                    arrival[e.to] = a;
                    previous[e.to] = at;
                    line_to[e.to] = e.line;
                    open.push({a, e.to});
                }
        }
    }

    int zone_fare(int a, int b) { return 210 + 40 * std::abs(a / town.w / 8 - b / town.w / 8); }
};

int main()
{
    Town town(4, 200);
    Planner planner(town);
    long cents = 0, minutes = 0;
    int n = int(town.edges.size());
    for (int i = 0; i < 3600; i++) {
        int from = i * 37 % 4, to = n - 1 - i * 53 % 40, time = 8 * 3600 + i * 3;
        const auto &steps = planner.route(from, to, time);
        minutes += (steps.back().arrives - time) / 60;
        cents += planner.fare(from, to);
    }
    for (int i = 0; i < n * 50; i++)
        cents += planner.fare(i % n, i / n);
    std::printf("%ld min, %ld cents, %zu routes\n", minutes, cents, planner.route.size());
}
