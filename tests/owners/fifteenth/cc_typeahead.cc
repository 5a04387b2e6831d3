// typeahead: query suggestion service; learns from the queries it sees.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace suggest {

struct Node {
    std::unordered_map<std::string, std::unique_ptr<Node>> next;
    unsigned weight = 0;
    bool terminal = false;
};

inline std::unique_ptr<Node> make_node() { return std::make_unique<Node>(); }

std::vector<std::string> tokenize(const std::string& q) {
    std::vector<std::string> out;
    std::istringstream in(q);
    std::string w;
    while (in >> w) out.push_back(w);
    return out;
}

class PhraseModel {
public:
    PhraseModel() : root_(make_node()) {}

    void learn(const std::vector<std::string>& words) {
        Node* n = root_.get();
        for (auto& w : words) {
            auto& slot = n->next[w];
            if (!slot) slot = make_node(); // guilty
            n = slot.get();
            ++n->weight;
        }
        n->terminal = true;
    }

    std::vector<std::string> complete(const std::vector<std::string>& prefix, size_t k) const {
        const Node* n = root_.get();
        for (auto& w : prefix) {
            auto it = n->next.find(w);
            if (it == n->next.end()) return {};
            n = it->second.get();
        }
        std::vector<std::pair<unsigned, std::string>> cand;
        for (auto& [w, c] : n->next) {
            cand.emplace_back(c->weight, w);
            if (cand.size() > 200) break;
        }
        std::sort(cand.rbegin(), cand.rend());
        std::vector<std::string> out;
        for (auto& c : cand) { if (out.size() == k) break; out.push_back(c.second); }
        return out;
    }

private:
    std::unique_ptr<Node> root_;
};

class PopularCache {
public:
    std::vector<std::string>& page(const std::string& first) {
        if (pages_.size() > 512 && !pages_.count(first)) pages_.erase(pages_.begin());
        return pages_[first];
    }
    void refill(const std::string& first, const std::vector<std::string>& items) {
        auto& p = page(first);
        p.clear();
        for (auto& i : items) for (int k = 0; k < 20; ++k) p.push_back(first + " " + i + " - popular near you " + std::to_string(k));
    }
private:
    std::unordered_map<std::string, std::vector<std::string>> pages_;
};

class Service {
public:
    size_t on_query(const std::string& q) {
        auto words = tokenize(q);
        model_.learn(words);
        auto got = model_.complete({words[0]}, 5);
        if (++n_ % 8 == 0) popular_.refill(words[0], got);
        return got.size();
    }
private:
    PhraseModel model_;
    PopularCache popular_;
    unsigned n_ = 0;
};

} // namespace suggest

int main() {
    std::mt19937 rng(17);
    std::vector<std::string> vocab;
    for (int i = 0; i < 3000; ++i) vocab.push_back("w" + std::to_string(i * 7919 % 100003));
    auto& svc = *new suggest::Service;
    size_t shown = 0;
    for (int tick = 0; tick < 400; ++tick) {
        for (int i = 0; i < 150; ++i) {
            std::string q;
            int len = 3 + int(rng() % 7);
            for (int k = 0; k < len; ++k) q += (k ? " " : "") + vocab[std::min(rng() % 3000, rng() % 3000)];
            shown += svc.on_query(q);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(6));
    }
    std::printf("suggestions shown: %zu\n", shown);
}
