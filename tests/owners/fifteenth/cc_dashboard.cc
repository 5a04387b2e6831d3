// Dashboard back end: sessions open panels which follow feeds on an event bus.
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Tick { std::string topic; double value; };

class EventBus {
public:
    using Handler = std::function<void(const Tick&)>;
    int subscribe(const std::string& topic, Handler h) {
        topics_[topic].push_back({++next_, std::move(h)});
        return next_;
    }
    void unsubscribe(const std::string& topic, int id) {
        auto& v = topics_[topic];
        for (size_t i = 0; i < v.size(); ++i)
            if (v[i].first == id) { v.erase(v.begin() + long(i)); return; }
    }
    void publish(const Tick& t) {
        for (auto& [id, h] : topics_[t.topic]) h(t);
    }
private:
    std::unordered_map<std::string, std::vector<std::pair<int, Handler>>> topics_;
    int next_ = 0;
};

struct Series {
    std::string title;
    std::vector<double> points;
    size_t pos = 0;
    void add(double v) { points[pos++ % points.size()] = v; }
};

class Panel {
public:
    Panel(std::string title, std::string topic) : title_(std::move(title)), topic_(std::move(topic)) {}
    void bind_feed(EventBus& bus) {
        auto series = std::make_shared<Series>();
        series->title = title_ + " / " + topic_;
        series->points.assign(1800, 0.0); // guilty
        bus.subscribe(topic_, [series](const Tick& t) { series->add(t.value); });
        series_ = series;
    }
    std::string render() const {
        std::string svg = "<svg title='" + title_ + "'>";
        for (size_t i = 0; i < 100; ++i) svg += "<p y='" + std::to_string(series_->points[i]) + "'/>";
        return svg + "</svg>";
    }
private:
    std::string title_, topic_;
    std::shared_ptr<Series> series_;
};

class AlertEngine {
public:
    void start(EventBus& bus, const std::vector<std::string>& topics) {
        for (auto& t : topics) {
            windows_[t].assign(32 * 1024, 0.0);
            bus.subscribe(t, [this](const Tick& k) {
                auto& w = windows_[k.topic];
                w[n_++ % w.size()] = k.value;
                if (k.value > 99.5) ++fired_;
            });
        }
    }
    size_t fired() const { return fired_; }
private:
    std::unordered_map<std::string, std::vector<double>> windows_;
    size_t n_ = 0, fired_ = 0;
};

class Session {
public:
    Session(int user, EventBus& bus, const std::vector<std::string>& topics, std::mt19937& rng) {
        for (int i = 0; i < 3; ++i) {
            panels_.push_back(std::make_unique<Panel>("user" + std::to_string(user) + "-p" + std::to_string(i),
                                                      topics[rng() % topics.size()]));
            panels_.back()->bind_feed(bus);
        }
    }
    size_t paint() const {
        size_t n = 0;
        for (auto& p : panels_) n += p->render().size();
        return n;
    }
private:
    std::vector<std::unique_ptr<Panel>> panels_;
};

int main() {
    std::mt19937 rng(7);
    std::vector<std::string> topics;
    for (int i = 0; i < 12; ++i) topics.push_back("sensor/" + std::to_string(i));
    static EventBus& bus = *new EventBus;
    static AlertEngine& alerts = *new AlertEngine;
    alerts.start(bus, topics);

    std::vector<std::unique_ptr<Session>> open;
    size_t bytes = 0;
    for (int round = 0; round < 420; ++round) {
        for (int k = 0; k < 4; ++k) open.push_back(std::make_unique<Session>(round * 4 + k, bus, topics, rng));
        while (open.size() > 20) open.erase(open.begin());
        for (auto& t : topics) bus.publish({t, double(rng() % 10000) / 100.0});
        bytes += open.front()->paint();
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
    }
    std::printf("painted %zu bytes, alerts %zu\n", bytes, alerts.fired());
}
