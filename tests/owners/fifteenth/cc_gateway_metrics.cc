// API gateway simulation with an in-process metrics registry.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

using Labels = std::map<std::string, std::string>;

class Histogram {
public:
    explicit Histogram(size_t buckets) : counts_(buckets, 0) {}
    void observe(double v) {
        size_t i = 0;
        while (i + 1 < counts_.size() && v > 1.3 * double(i + 1)) ++i;
        ++counts_[i];
        sum_ += v;
    }
    double sum() const { return sum_; }
private:
    std::vector<uint64_t> counts_;
    double sum_ = 0;
};

class Registry {
public:
    Histogram& histogram(const std::string& name, const Labels& labels) {
        std::string key = name;
        for (auto& [k, v] : labels) { key += '{'; key += k; key += '='; key += v; key += '}'; }
        auto it = series_.find(key);
        if (it == series_.end())
            it = series_.emplace(std::move(key), std::make_unique<Histogram>(64)).first;
        return *it->second;
    }
    size_t size() const { return series_.size(); }
private:
    std::unordered_map<std::string, std::unique_ptr<Histogram>> series_;
};

struct Request {
    std::string method, route, session, body;
    int upstream;
};

class Instrumentation {
public:
    explicit Instrumentation(Registry& r) : reg_(r) {}
    void record_upstream(int upstream, double ms) {
        reg_.histogram("upstream_ms", {{"pool", "pool-" + std::to_string(upstream)}}).observe(ms);
    }
    void record_cache(bool hit) {
        reg_.histogram("cache_lookup", {{"hit", hit ? "yes" : "no"}}).observe(0.1);
    }
    void record_request(const Request& rq, int status, double ms) {
        Labels l{{"method", rq.method}, {"route", rq.route}, {"status", std::to_string(status)},
                 {"session", rq.session}};
        reg_.histogram("request_ms", l).observe(ms); // guilty
    }
private:
    Registry& reg_;
};

class ResponseCache {
public:
    const std::string* get(const std::string& k) const {
        auto it = map_.find(k);
        return it == map_.end() ? nullptr : &it->second;
    }
    void store_response(const std::string& k, std::string body) {
        if (map_.count(k)) return;
        if (order_.size() >= 300) { map_.erase(order_.front()); order_.pop_front(); }
        order_.push_back(k);
        map_.emplace(k, std::move(body));
    }
private:
    std::unordered_map<std::string, std::string> map_;
    std::deque<std::string> order_;
};

class Gateway {
public:
    Gateway() : ins_(reg_) {}
    void handle(const Request& rq) {
        double ms = 1 + double(rng_() % 900) / 10;
        const std::string* hit = rq.method == "GET" ? cache_.get(rq.route) : nullptr;
        ins_.record_cache(hit != nullptr);
        if (!hit) {
            std::string body = call_upstream(rq);
            ins_.record_upstream(rq.upstream, ms);
            if (rq.method == "GET") cache_.store_response(rq.route, std::move(body));
        }
        ins_.record_request(rq, rng_() % 40 ? 200 : 502, ms);
    }
    Request next_request() {
        static const char* m[] = {"GET", "POST", "PUT"};
        char sid[40];
        std::snprintf(sid, sizeof sid, "s-%08x%08x%08x", unsigned(rng_()), unsigned(rng_()), unsigned(rng_()));
        return {m[rng_() % 3], "/api/items/" + std::to_string(rng_() % 500), sid,
                std::string(200 + rng_() % 3000, 'q'), int(rng_() % 6)};
    }
    size_t series() const { return reg_.size(); }
private:
    std::string call_upstream(const Request& rq) {
        std::vector<std::string> chunks;
        for (int i = 0; i < 4; ++i) chunks.push_back(rq.body.substr(0, rq.body.size() / 2) + rq.route);
        std::string out;
        for (auto& c : chunks) out += c;
        out.resize(8000, ' ');
        return out;
    }
    Registry reg_;
    Instrumentation ins_;
    ResponseCache cache_;
    std::mt19937 rng_{42};
};

int main() {
    static Gateway& gw = *new Gateway;
    for (int tick = 0; tick < 400; ++tick) {
        for (int i = 0; i < 180; ++i) gw.handle(gw.next_request());
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
    }
    std::printf("series: %zu\n", gw.series());
}
