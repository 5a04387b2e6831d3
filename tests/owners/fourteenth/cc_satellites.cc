// Plans the passes of satellites over ground stations: orbits, positions computed on demand, elevations, and a plan for each antenna.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

namespace sky {

constexpr double pi = 3.14159265358979, earth = 6378.0;

struct Vector {
    double x = 0, y = 0, z = 0;
    double dot(const Vector& o) const { return x * o.x + y * o.y + z * o.z; }
    double norm() const { return std::sqrt(dot(*this)); }
};

struct Elements {
    double height, inclination, node, anomaly;
};

class Ephemeris {
public:
    explicit Ephemeris(const Elements& e) : e_(e), rate_(std::sqrt(398600.4 / std::pow(earth + e.height, 3))) {}

    const Vector& at(long second) const
    {
        auto it = positions_.lower_bound(second);
        if (it == positions_.end() || it->first != second)
            it = positions_.emplace_hint(it, second, compute(second)); // guilty
        return it->second;
    }

private:
    Vector compute(long second) const
    {
        const double r = earth + e_.height, u = e_.anomaly + rate_ * static_cast<double>(second), node = e_.node - 7.292e-5 * static_cast<double>(second);
        const double x = r * std::cos(u), y = r * std::sin(u) * std::cos(e_.inclination), z = r * std::sin(u) * std::sin(e_.inclination);
        return {x * std::cos(node) - y * std::sin(node), x * std::sin(node) + y * std::cos(node), z};
    }

    Elements e_;
    double rate_;
    mutable std::map<long, Vector> positions_;
};

class Station {
public:
    Station(std::string name, double latitude, double longitude) : name_(std::move(name))
    {
        const double a = latitude * pi / 180, o = longitude * pi / 180;
        up_ = {std::cos(a) * std::cos(o), std::cos(a) * std::sin(o), std::sin(a)};
    }

    double elevation(const Vector& p) const
    {
        const Vector d{p.x - earth * up_.x, p.y - earth * up_.y, p.z - earth * up_.z};
        return std::asin(d.dot(up_) / d.norm()) * 180 / pi;
    }

    const std::string& name() const { return name_; }

private:
    std::string name_;
    Vector up_;
};

struct Pass {
    long from, to;
    double highest;
    std::size_t satellite;
    bool operator<(const Pass& other) const { return highest < other.highest; }
};

class Planner {
public:
    explicit Planner(std::vector<Elements> elements)
    {
        for (const auto& e : elements)
            satellites_.push_back(std::make_unique<Ephemeris>(e));
    }

    std::vector<Pass> passes(const Station& station, std::size_t satellite, long from, long to) const
    {
        std::vector<Pass> found;
        bool above = false;
        for (long t = from; t < to; t += 20) {
            const double elevation = station.elevation(satellites_[satellite]->at(t));
            if (elevation > 5 && !above)
                found.push_back({t, t, elevation, satellite});
            above = elevation > 5;
            if (above) {
                found.back().to = t;
                found.back().highest = std::max(found.back().highest, elevation);
            }
        }
        return found;
    }

    // An antenna follows one satellite at a time: the highest passes first.
    std::vector<Pass> plan(const Station& station, long from, long to) const
    {
        std::priority_queue<Pass> wishes;
        for (std::size_t s = 0; s < satellites_.size(); ++s)
            for (const Pass& pass : passes(station, s, from, to))
                wishes.push(pass);
        std::vector<Pass> chosen;
        for (; !wishes.empty(); wishes.pop()) {
            const Pass& p = wishes.top();
            if (std::none_of(chosen.begin(), chosen.end(), [&](const Pass& c) { return c.from <= p.to + 60 && p.from <= c.to + 60; }))
                chosen.push_back(p);
        }
        return chosen;
    }

    std::size_t size() const { return satellites_.size(); }

private:
    std::vector<std::unique_ptr<Ephemeris>> satellites_;
};

} // namespace sky

int main()
{
    std::vector<sky::Elements> elements;
    for (int i = 0; i < 26; ++i)
        elements.push_back({500.0 + i * 23, 0.9 + 0.03 * i, i * 0.7, i * 1.3});
    const sky::Planner planner(std::move(elements));
    const std::vector<sky::Station> stations{{"Kiruna", 67.9, 21.0}, {"Weilheim", 47.9, 11.1}, {"Kourou", 5.1, -52.6}};
    std::map<std::string, long> seconds;
    std::size_t passes = 0;
    for (long day = 0; day < 7; ++day)
        for (const auto& station : stations) {
            const auto plan = planner.plan(station, day * 86400, (day + 1) * 86400);
            passes += plan.size();
            for (const auto& p : plan)
                seconds[station.name()] += p.to - p.from;
        }
    for (const auto& [name, n] : seconds)
        std::printf("%-10s %ld s of contact\n", name.c_str(), n);
    std::printf("%zu passes of %zu satellites\n", passes, planner.size());
}
