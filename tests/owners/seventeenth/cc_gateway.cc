// API gateway front: routes requests, measures them, exposes a text report.
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

class Histogram {
public:
    void observe(double ms) {
        size_t i = 0;
        double edge = 1;
        while (i + 1 < buckets_.size() && ms > edge) {
            edge *= 1.6;
            ++i;
        }
        ++buckets_[i];
        sum_ += ms;
        ++count_;
    }
    double mean() const { return count_ ? sum_ / count_ : 0; }
    long count() const { return count_; }

private:
    std::array<long, 24> buckets_{};
    double sum_ = 0;
    long count_ = 0;
};

using Labels = std::vector<std::pair<std::string, std::string>>;

class Registry {
public:
    Histogram &histogram(const std::string &name, const Labels &labels) {
        return series_[key(name, labels)];
    }

    std::string report(size_t top) const {
        std::string out;
        for (auto &s : series_) {
            if (top-- == 0)
                break;
            out += s.first + " " + std::to_string(s.second.mean()) + "\n";
        }
        return out;
    }

private:
    static std::string key(const std::string &name, const Labels &labels) {
        std::string k = name + "{";
        for (auto &l : labels)
            k += l.first + "=\"" + l.second + "\",";
        return k + "}";
    }

    std::map<std::string, Histogram> series_;
};

struct Request {
    std::string method, path, tenant, requestId;
    std::string body;
};

struct Response {
    int status;
    std::string body;
};

class Gateway {
public:
    explicit Gateway(Registry &r) : reg_(r) {}

    void route(const std::string &prefix, std::function<Response(const Request &)> h) {
        routes_.emplace_back(prefix, std::move(h));
    }

    Response handle(const Request &rq) {
        auto t0 = std::chrono::steady_clock::now();
        Response rs{404, ""};
        for (auto &r : routes_) {
            if (rq.path.compare(0, r.first.size(), r.first) == 0) {
                rs = r.second(rq);
                break;
            }
        }
        std::chrono::duration<double, std::milli> d = std::chrono::steady_clock::now() - t0;
        measure(rq, rs, d.count());
        return rs;
    }

private:
    void measure(const Request &rq, const Response &rs, double ms) {
        reg_.histogram("http_requests", {{"method", rq.method}, // guilty
                                         {"path", rq.path},
                                         {"tenant", rq.tenant},
                                         {"status", std::to_string(rs.status)}})
            .observe(ms);
    }

    Registry &reg_;
    std::vector<std::pair<std::string, std::function<Response(const Request &)>>> routes_;
};

static Request makeRequest(std::mt19937 &g) {
    Request r;
    r.method = g() % 4 ? "GET" : "POST";
    char buf[80];
    if (g() % 10 < 7)
        snprintf(buf, sizeof buf, "/v2/shipments/%08x/documents/%u", unsigned(g()), unsigned(g() % 4));
    else
        snprintf(buf, sizeof buf, "/v2/health");
    r.path = buf;
    r.tenant = "tenant-" + std::to_string(g() % 30);
    snprintf(buf, sizeof buf, "%08x-%08x", unsigned(g()), unsigned(g()));
    r.requestId = buf;
    r.body.assign(g() % 2000, 'x');
    return r;
}

int main() {
    std::mt19937 g(9);
    Registry reg;
    Gateway gw(reg);
    gw.route("/v2/shipments/", [](const Request &r) { return Response{200, r.body + r.requestId}; });
    gw.route("/v2/health", [](const Request &) { return Response{204, ""}; });
    size_t bytes = 0, chars = 0;
    for (int i = 1; i <= 170000; ++i) {
        bytes += gw.handle(makeRequest(g)).body.size();
        if (i % 1000 == 0) {
            chars += reg.report(40).size();
            std::this_thread::sleep_for(std::chrono::milliseconds(9));
        }
    }
    printf("%zu bytes, %zu report chars\n", bytes, chars);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}
