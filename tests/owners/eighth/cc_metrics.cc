// A service that counts what it does: metrics with labels, which a scraper reads as text.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace metrics {

using Labels = std::map<std::string, std::string>;

class Counter {
public:
    void add(double amount = 1) { value_ += amount; }
    void write(std::ostream &out, const std::string &name) const { out << name << " " << value_ << "\n"; }

private:
    double value_ = 0;
};

class Histogram {
public:
    void observe(double seconds)
    {
        const auto at = std::lower_bound(bounds.begin(), bounds.end(), seconds);
        buckets_[static_cast<std::size_t>(at - bounds.begin())]++;
        sum_ += seconds;
    }
    void write(std::ostream &out, const std::string &name) const
    {
        for (std::size_t i = 0; i < bounds.size(); i++)
            out << name << "_bucket_" << bounds[i] << " " << buckets_[i] << "\n";
        out << name << "_sum " << sum_ << "\n";
    }

private:
    static constexpr std::array<double, 11> bounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
    std::array<std::uint64_t, bounds.size() + 1> buckets_{};
    double sum_ = 0;
};

// All series of one name, one for each set of labels.
template <class Metric> class Family {
public:
    explicit Family(std::string name) : name_(std::move(name)) {}

    Metric &with(const Labels &labels)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        auto &metric = series_[labels];
        if (!metric)
            metric = std::make_unique<Metric>();
        return *metric;
    }
    std::size_t size() const { return series_.size(); }
    void write(std::ostream &out, std::size_t most) const
    {
        for (auto at = series_.begin(); at != series_.end() && most > 0; ++at, most--)
            at->second->write(out, name_);
    }

private:
    std::string name_;
    std::mutex mutex_;
    std::map<Labels, std::unique_ptr<Metric>> series_;
};

} // namespace metrics

struct Request {
    std::string method;
    std::string path;
    std::string tenant;
    int status = 200;
    double seconds = 0;
};

class HttpMetrics {
public:
    void request_done(const Request &request)
    {
        const metrics::Labels labels{{"method", request.method}, {"path", request.path}, {"status", std::to_string(request.status)}};
        latency_.with(labels).observe(request.seconds); // guilty
    }
    void tenant_seen(const std::string &tenant) { tenants_.with({{"tenant", tenant}}).add(); }
    void scrape(std::ostream &out) const
    {
        latency_.write(out, 200);
        tenants_.write(out, 200);
    }
    std::size_t series() const { return latency_.size() + tenants_.size(); }

private:
    metrics::Family<metrics::Histogram> latency_{"http_request_duration_seconds"};
    metrics::Family<metrics::Counter> tenants_{"tenant_requests_total"};
};

class Service {
public:
    Service()
    {
        for (int i = 0; i < 15000; i++) {
            auto &document = documents_["document-" + std::to_string(i)];
            for (int line = 0; line < 4; line++)
                document += "Paragraph " + std::to_string(line) + " of the contract between the parties, as of this year. ";
        }
    }

    void handle(std::uint32_t draw)
    {
        Request request;
        request.method = draw % 9 == 0 ? "PUT" : "GET";
        request.tenant = "tenant-" + std::to_string(draw % 800);
        const auto id = std::to_string(draw % 60000);
        request.path = "/api/v1/tenants/" + request.tenant + "/documents/" + id;
        const auto found = documents_.find("document-" + id);
        request.status = found == documents_.end() ? 404 : 200;
        request.seconds = 0.001 * (draw % 300);
        metrics_.request_done(request);
        metrics_.tenant_seen(request.tenant);
    }
    const HttpMetrics &metrics() const { return metrics_; }

private:
    std::unordered_map<std::string, std::string> documents_;
    HttpMetrics metrics_;
};

int main()
{
    Service service;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 2; t++)
        threads.emplace_back([&service, t] {
            std::mt19937 random(t + 1);
            for (int i = 0; i < 35000; i++)
                service.handle(static_cast<std::uint32_t>(random()));
        });
    for (auto &thread : threads)
        thread.join();
    std::ostringstream text;
    service.metrics().scrape(text);
    std::cout << service.metrics().series() << " series, " << text.str().size() << " bytes scraped\n";
}
