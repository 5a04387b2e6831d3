// Makes a terrain's mesh simpler: edges are collapsed, the shortest first, until few enough triangles are left.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace mesh {

using Index = std::uint32_t;

struct Point {
    double x = 0, y = 0, z = 0;
    friend Point operator-(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend Point middle(const Point& a, const Point& b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2}; }
    double length() const { return std::sqrt(x * x + y * y + z * z); }
};

using Triangle = std::array<Index, 3>;

template <class T>
class SmallSet {
public:
    bool insert(const T& v) {
        auto at = std::lower_bound(items_.begin(), items_.end(), v);
        if (at != items_.end() && *at == v) return false;
        items_.insert(at, v);
        return true;
    }
    void erase(const T& v) {
        auto at = std::lower_bound(items_.begin(), items_.end(), v);
        if (at != items_.end() && *at == v) items_.erase(at);
    }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }
    std::size_t size() const { return items_.size(); }

private:
    std::vector<T> items_;
};

struct Mesh {
    std::vector<Point> points;
    std::vector<Triangle> triangles;
    std::vector<SmallSet<Index>> around;
    std::size_t alive = 0;

    void add(const Triangle& t) {
        const auto id = static_cast<Index>(triangles.size());
        triangles.push_back(t);
        around.resize(points.size());
        for (Index p : t) around[p].insert(id);
        ++alive;
    }
    bool has(Index triangle, Index p) const {
        const Triangle& t = triangles[triangle];
        return std::find(t.begin(), t.end(), p) != t.end();
    }
};

// All that a collapse changed, by which it can be taken back when one looks closer.
struct Collapse {
    Index kept, gone;
    Point before;
    std::vector<std::pair<Index, Triangle>> triangles;
};

class Simplifier {
public:
    explicit Simplifier(Mesh& m) : mesh_(m) {
        for (const Triangle& t : m.triangles)
            for (int i = 0; i < 3; ++i) consider(t[i], t[(i + 1) % 3]);
    }

    void reduce(std::size_t triangles) {
        while (mesh_.alive > triangles && !queue_.empty()) {
            const Edge e = queue_.top();
            queue_.pop();
            if (mesh_.around[e.a].size() == 0 || mesh_.around[e.b].size() == 0 || cost(e.a, e.b) != e.cost) continue;
            collapse(e.a, e.b);
        }
    }

    std::size_t collapses() const { return history_.size(); }

private:
    struct Edge {
        double cost;
        Index a, b;
        bool operator<(const Edge& o) const { return cost > o.cost; }
    };

    double cost(Index a, Index b) const { return (mesh_.points[a] - mesh_.points[b]).length(); }

    void consider(Index a, Index b) {
        if (a < b) queue_.push({cost(a, b), a, b});
    }

    std::vector<std::pair<Index, Triangle>> touched(Index a, Index b) const {
        std::vector<std::pair<Index, Triangle>> out;
        for (Index p : {a, b})
            for (Index t : mesh_.around[p]) out.emplace_back(t, mesh_.triangles[t]);
        return out;
    }

    void collapse(Index a, Index b) {
        auto change = std::make_unique<Collapse>(Collapse{a, b, mesh_.points[a], touched(a, b)});  // guilty
        mesh_.points[a] = middle(mesh_.points[a], mesh_.points[b]);
        for (const auto& [t, corners] : change->triangles) {
            if (!mesh_.has(t, b)) continue;
            if (mesh_.has(t, a)) remove(t);
            else move(t, b, a);
        }
        mesh_.around[b] = {};
        std::set<Index> next;
        for (Index t : mesh_.around[a]) next.insert(mesh_.triangles[t].begin(), mesh_.triangles[t].end());
        for (Index p : next)
            if (p != a) consider(std::min(a, p), std::max(a, p));
        history_.push_back(std::move(change));
    }

    void remove(Index t) {
        for (Index p : mesh_.triangles[t]) mesh_.around[p].erase(t);
        --mesh_.alive;
    }

    void move(Index t, Index from, Index to) {
        std::replace(mesh_.triangles[t].begin(), mesh_.triangles[t].end(), from, to);
        mesh_.around[to].insert(t);
    }

    Mesh& mesh_;
    std::priority_queue<Edge> queue_;
    std::vector<std::unique_ptr<Collapse>> history_;
};

Mesh terrain(Index n, int seed) {
    Mesh m;
    m.points.reserve(n * n);
    for (Index y = 0; y < n; ++y)
        for (Index x = 0; x < n; ++x) m.points.push_back({double(x), double(y), 9 * std::sin(x * 0.05 + seed) * std::cos(y * 0.07) + std::sin(x * y * 0.3)});
    for (Index y = 0; y + 1 < n; ++y) {
        for (Index x = 0; x + 1 < n; ++x) {
            const Index p = y * n + x;
            m.add({p, p + 1, p + n});
            m.add({p + 1, p + n + 1, p + n});
        }
    }
    return m;
}

}  // namespace mesh

int main() {
    std::vector<std::unique_ptr<mesh::Simplifier>> levels;
    std::vector<std::unique_ptr<mesh::Mesh>> tiles;
    for (int seed = 0; seed < 12; ++seed) {
        auto& tile = *tiles.emplace_back(std::make_unique<mesh::Mesh>(mesh::terrain(90, seed)));
        auto& simplifier = *levels.emplace_back(std::make_unique<mesh::Simplifier>(tile));
        simplifier.reduce(600);
        std::printf("tile %d: %zu triangles after %zu collapses\n", seed, tile.alive, simplifier.collapses());
    }
}
