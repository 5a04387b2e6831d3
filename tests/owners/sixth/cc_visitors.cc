// Walks over a graph of packages, by visitors whose kind is known when this is compiled.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graph {

using Vertex = unsigned;

template <class Label>
class Digraph {
public:
    Vertex add(Label label) {
        labels_.push_back(std::move(label));
        out_.emplace_back();
        return static_cast<Vertex>(labels_.size() - 1);
    }
    void connect(Vertex a, Vertex b) { out_[a].push_back(b); }
    const std::vector<Vertex>& from(Vertex v) const { return out_[v]; }
    const Label& label(Vertex v) const { return labels_[v]; }
    std::size_t size() const { return labels_.size(); }

private:
    std::vector<Label> labels_;
    std::vector<std::vector<Vertex>> out_;
};

template <class Self>
struct Visitor {
    void start(Vertex) {}
    void edge(Vertex, Vertex) {}
    void tree_edge(Vertex a, Vertex b) { self().discover(b, a); }
    Self& self() { return static_cast<Self&>(*this); }
};

template <class G, class V>
void breadth_first(const G& g, Vertex s, Visitor<V>& visitor) {
    std::vector<bool> seen(g.size());
    std::queue<Vertex> next;
    seen[s] = true;
    next.push(s);
    visitor.self().start(s);
    while (!next.empty()) {
        const Vertex v = next.front();
        next.pop();
        for (Vertex w : g.from(v)) {
            visitor.self().edge(v, w);
            if (seen[w]) continue;
            seen[w] = true;
            visitor.self().tree_edge(v, w);
            next.push(w);
        }
    }
}

}  // namespace graph

using graph::Vertex;

class Depth : public graph::Visitor<Depth> {
public:
    explicit Depth(std::size_t n) : depth_(n, 0) {}
    void discover(Vertex v, Vertex from) { depth_[v] = depth_[from] + 1; }
    unsigned deepest() const { return *std::max_element(depth_.begin(), depth_.end()); }

private:
    std::vector<unsigned> depth_;
};

class Reasons : public graph::Visitor<Reasons> {
public:
    using Path = std::vector<Vertex>;
    explicit Reasons(std::unordered_map<std::size_t, Path>& why) : why_(why) {}
    void start(Vertex s) {
        root_ = s;
        why_[key(s)] = {s};
    }
    void discover(Vertex v, Vertex from) {
        Path path = why_[key(from)];
        path.push_back(v);
        why_.emplace(key(v), path);  // guilty
    }

private:
    std::size_t key(Vertex v) const { return static_cast<std::size_t>(root_) << 32 | v; }
    std::unordered_map<std::size_t, Path>& why_;
    Vertex root_ = 0;
};

class Printer : public graph::Visitor<Printer> {
public:
    explicit Printer(const graph::Digraph<std::string>& g) : g_(g) {}
    void discover(Vertex v, Vertex from) { lines_.push_back(g_.label(from) + " needs " + g_.label(v)); }
    std::size_t bytes() const {
        return std::accumulate(lines_.begin(), lines_.end(), std::size_t{0}, [](std::size_t n, const std::string& s) { return n + s.size(); });
    }

private:
    const graph::Digraph<std::string>& g_;
    std::vector<std::string> lines_;
};

int main() {
    graph::Digraph<std::string> packages;
    for (int i = 0; i < 3000; ++i) packages.add("libsomething-with-a-name" + std::to_string(i));
    for (Vertex i = 0; i < packages.size(); ++i)
        for (Vertex k = 1; k <= 4; ++k)
            if (Vertex to = i + k * k + i % 5; to < packages.size()) packages.connect(i, to);

    std::unordered_map<std::size_t, Reasons::Path> why;
    std::size_t bytes = 0;
    unsigned deepest = 0;
    for (Vertex root = 0; root < 120; ++root) {
        Depth depth(packages.size());
        Printer printer(packages);
        Reasons reasons(why);
        graph::breadth_first(packages, root, depth);
        graph::breadth_first(packages, root, printer);
        if (root % 4 == 0) graph::breadth_first(packages, root, reasons);
        deepest = std::max(deepest, depth.deepest());
        bytes += printer.bytes();
    }
    std::printf("%u deep, %zu bytes, %zu reasons\n", deepest, bytes, why.size());
}
