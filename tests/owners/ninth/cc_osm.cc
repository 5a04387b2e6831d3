// Makes a routing graph of the roads in an extract of map data: nodes come first, then ways that name their nodes.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace osm {

using Tags = std::vector<std::pair<std::string, std::string>>;

struct Node {
    int64_t id;
    double lat, lon;
    Tags tags;
};

struct Way {
    int64_t id;
    std::vector<int64_t> refs;
    Tags tags;
};

const std::string *find_tag(const Tags &tags, const char *key)
{
    for (const auto &[name, value] : tags)
        if (name == key)
            return &value;
    return nullptr;
}

// Reads an extract; here it makes one up.
class Reader {
public:
    Reader(int64_t nodes, int64_t ways) : nodes_(nodes), ways_(ways) {}

    void read(const std::function<void(Node &)> &on_node, const std::function<void(Way &)> &on_way)
    {
        for (int64_t id = 1; id <= nodes_; id++) {
            Node node{id, 52.0 + static_cast<double>(id % 1000) * 1e-4, 13.0 + static_cast<double>(id / 1000) * 1e-4, {}};
            if (id % 4 == 0)
                node.tags = {{"addr:housenumber", std::to_string(id % 190)}, {"addr:street", "Street of the " + std::to_string(id / 500) + "th of May"}};
            else if (id % 9 == 0)
                node.tags = {{"natural", "tree"}, {"source", "survey of 2019"}};
            on_node(node);
        }
        for (int64_t id = 1; id <= ways_; id++) {
            Way way{id, {}, {}};
            for (int64_t i = 0; i < 5 + id % 6; i++)
                way.refs.push_back(1 + (id * 37 + i * 3) % nodes_);
            if (id % 6 == 0) {
                way.tags = {{"highway", id % 4 ? "residential" : "primary"}, {"name", "Road " + std::to_string(id / 12)}};
            } else {
                way.refs.push_back(way.refs.front());
                way.tags = {{"building", "yes"}, {"addr:housenumber", std::to_string(id % 80)}};
            }
            on_way(way);
        }
    }

private:
    int64_t nodes_, ways_;
};

struct Edge {
    uint32_t target;
    float metres;
    uint32_t name;
};

class Graph {
public:
    uint32_t vertex(int64_t node)
    {
        auto [at, is_new] = vertices_.try_emplace(node, static_cast<uint32_t>(edges_.size()));
        if (is_new)
            edges_.emplace_back();
        return at->second;
    }
    uint32_t name(const std::string &text)
    {
        auto [at, is_new] = ids_.try_emplace(text, static_cast<uint32_t>(names_.size()));
        if (is_new)
            names_.push_back(text);
        return at->second;
    }
    void connect(uint32_t from, uint32_t to, float metres, uint32_t name)
    {
        edges_[from].push_back({to, metres, name});
        edges_[to].push_back({from, metres, name});
    }
    void report() const { std::printf("%zu vertices, %zu names\n", edges_.size(), names_.size()); }

private:
    std::unordered_map<int64_t, uint32_t> vertices_;
    std::vector<std::vector<Edge>> edges_;
    std::unordered_map<std::string, uint32_t> ids_;
    std::vector<std::string> names_;
};

class GraphBuilder {
public:
    void node(const Node &node)
    {
        nodes_.emplace(node.id, node); // guilty
    }

    void way(const Way &way)
    {
        const std::string *highway = find_tag(way.tags, "highway");
        if (!highway)
            return;
        const std::string *name = find_tag(way.tags, "name");
        const uint32_t label = graph_.name(name ? *name : *highway);
        for (size_t i = 1; i < way.refs.size(); i++) {
            auto from = nodes_.find(way.refs[i - 1]), to = nodes_.find(way.refs[i]);
            if (from == nodes_.end() || to == nodes_.end()) {
                missing_++;
                continue;
            }
            graph_.connect(graph_.vertex(from->first), graph_.vertex(to->first), distance(from->second, to->second), label);
        }
    }

    const Graph &graph() const { return graph_; }
    unsigned long missing() const { return missing_; }

private:
    static float distance(const Node &a, const Node &b)
    {
        const double x = (b.lon - a.lon) * std::cos((a.lat + b.lat) / 2 * 0.017453292), y = b.lat - a.lat;
        return static_cast<float>(std::sqrt(x * x + y * y) * 111195);
    }

    std::unordered_map<int64_t, Node> nodes_;
    Graph graph_;
    unsigned long missing_ = 0;
};

} // namespace osm

int main()
{
    osm::Reader reader(300000, 60000);
    osm::GraphBuilder builder;
    reader.read([&](osm::Node &node) { builder.node(node); }, [&](osm::Way &way) { builder.way(way); });
    builder.graph().report();
    std::printf("%lu nodes are missing\n", builder.missing());
    return 0;
}
