// Answers questions about the lines of a city: how far, how many changes, where to meet.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace std;

struct Edge {
    int to, minutes;
};

class Network
{
public:
    explicit Network(int stops) : edges(stops), names(stops)
    {
        for (int i = 0; i < stops; i++)
            names[i] = "Stop " + to_string(i);
    }

    void connect(int a, int b, int minutes)
    {
        edges[a].push_back({b, minutes});
        edges[b].push_back({a, minutes});
    }

    int size() const { return (int)edges.size(); }
    const string &name(int stop) const { return names[stop]; }

    // Once for each stop from which anyone starts.
    const vector<pair<int, int>> &times_from(int start)
    {
        auto known = times.find(start);
        if (known != times.end())
            return known->second;
        vector<pair<int, int>> best(edges.size(), {INT_MAX, -1}); // guilty
        priority_queue<pair<int, int>, vector<pair<int, int>>, greater<>> open;
        best[start] = {0, start};
        open.push({0, start});
        while (!open.empty()) {
            auto [cost, at] = open.top();
            open.pop();
            if (cost > best[at].first)
                continue;
            for (const Edge &e : edges[at])
                if (cost + e.minutes < best[e.to].first) {
                    best[e.to] = {cost + e.minutes, at};
                    open.push({cost + e.minutes, e.to});
                }
        }
        return times[start] = std::move(best);
    }

private:
    vector<vector<Edge>> edges;
    vector<string> names;
    unordered_map<int, vector<pair<int, int>>> times;
};

static int how_long(Network &net, int from, int to)
{
    return net.times_from(from)[to].first;
}

static vector<int> way(Network &net, int from, int to)
{
    vector<int> stops;
    const auto &times = net.times_from(from);
    for (int at = to; at != from && at >= 0; at = times[at].second)
        stops.push_back(at);
    stops.push_back(from);
    reverse(stops.begin(), stops.end());
    return stops;
}

static int meeting_point(Network &net, int a, int b)
{
    const auto &first = net.times_from(a);
    const auto &second = net.times_from(b);
    int best = 0;
    for (int stop = 1; stop < net.size(); stop++)
        if (max(first[stop].first, second[stop].first) < max(first[best].first, second[best].first))
            best = stop;
    return best;
}

static Network city(int side)
{
    Network net(side * side);
    for (int i = 0; i < side * side; i++) {
        if (i % side)
            net.connect(i, i - 1, 2 + i * 7 % 5);
        if (i >= side)
            net.connect(i, i - side, 2 + i * 11 % 6);
        if (i % 97 == 0 && i > 500)
            net.connect(i, i - 500, 9);
    }
    return net;
}

int main()
{
    Network net = city(60);
    long minutes = 0, stops = 0;
    vector<int> meetings;
    for (int i = 0; i < 420; i++) {
        int from = i * 37 % net.size(), to = i * 911 % net.size();
        minutes += how_long(net, from, to);
        stops += (long)way(net, to, from).size();
        meetings.push_back(meeting_point(net, from, (from + 1800) % net.size()));
    }
    printf("%ld minutes, %ld stops, the last meeting at %s\n", minutes, stops, net.name(meetings.back()).c_str());
    return 0;
}
