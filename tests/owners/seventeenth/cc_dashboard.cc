// Plant dashboard: panels are opened and closed by operators, values arrive on a bus.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Reading {
    int tag;
    double value;
    long when;
};

class Bus {
public:
    using Handler = std::function<void(const Reading &)>;

    int subscribe(int tag, Handler h) {
        subs_[tag].push_back({++last_, std::move(h)});
        return last_;
    }

    void unsubscribe(int tag, int token) {
        auto &v = subs_[tag];
        for (size_t i = 0; i < v.size(); ++i) {
            if (v[i].token == token) {
                v.erase(v.begin() + i);
                return;
            }
        }
    }

    void publish(const Reading &r) {
        auto it = subs_.find(r.tag);
        if (it == subs_.end())
            return;
        for (auto &s : it->second)
            s.handler(r);
    }

private:
    struct Sub {
        int token;
        Handler handler;
    };
    std::map<int, std::vector<Sub>> subs_;
    int last_ = 0;
};

struct Series {
    std::vector<float> points;
    float lo = 0, hi = 0;

    void load(int n, int tag) {
        points.resize(n);
        for (int i = 0; i < n; ++i)
            points[i] = float(std::sin(i * 0.01 + tag) * 40 + tag);
    }
    void put(float v) {
        points[pos_] = v;
        pos_ = (pos_ + 1) % points.size();
        lo = std::min(lo, v);
        hi = std::max(hi, v);
    }

private:
    size_t pos_ = 0;
};

class Panel {
public:
    Panel(std::string title, int tag) : title_(std::move(title)), tag_(tag) {}
    virtual ~Panel() = default;
    virtual void attach(Bus &bus) = 0;
    virtual void detach(Bus &bus) = 0;

protected:
    std::string title_;
    int tag_;
};

class GaugePanel : public Panel {
public:
    using Panel::Panel;
    void attach(Bus &bus) override {
        token_ = bus.subscribe(tag_, [this](const Reading &r) { value_ = r.value; });
    }
    void detach(Bus &bus) override { bus.unsubscribe(tag_, token_); }

private:
    int token_ = 0;
    double value_ = 0;
};

class TrendPanel : public Panel {
public:
    using Panel::Panel;
    void attach(Bus &bus) override {
        auto series = std::make_shared<Series>();
        series->load(14400, tag_);
        series_ = series;
        bus.subscribe(tag_, [series](const Reading &r) { series->put(float(r.value)); }); // guilty
    }
    void detach(Bus &) override { series_.reset(); }

private:
    std::shared_ptr<Series> series_;
};

static std::unique_ptr<Panel> openPanel(std::mt19937 &g, Bus &bus) {
    int tag = int(g() % 64);
    std::unique_ptr<Panel> p;
    if (g() % 3)
        p = std::make_unique<TrendPanel>("trend " + std::to_string(tag), tag);
    else
        p = std::make_unique<GaugePanel>("gauge " + std::to_string(tag), tag);
    p->attach(bus);
    return p;
}

int main() {
    std::mt19937 g(5);
    Bus bus;
    std::vector<std::unique_ptr<Panel>> open;
    long opened = 0;
    for (long t = 0; t < 6000; ++t) {
        if (g() % 4 == 0) {
            open.push_back(openPanel(g, bus));
            ++opened;
        }
        if (open.size() > 12) {
            size_t k = g() % open.size();
            open[k]->detach(bus);
            open.erase(open.begin() + k);
        }
        for (int k = 0; k < 10; ++k)
            bus.publish({int(g() % 64), double(g() % 1000) / 10, t});
        if (t % 30 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(9));
    }
    printf("opened %ld, on screen %zu\n", opened, open.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
}
