// A hub for parcels: scans on belts, chutes that fill, lorries that leave, and a tracker that customers ask.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Scan {
    uint64_t parcel;
    int minute;
    std::string place, note;
};

template <class Event> class Topic {
public:
    using Listener = std::function<void(const Event &)>;
    void listen(Listener listener) { listeners_.push_back(std::move(listener)); }
    void publish(const Event &event) const {
        for (const auto &listener : listeners_)
            listener(event);
    }

private:
    std::vector<Listener> listeners_;
};

class Tracker {
public:
    void on_scan(const Scan &scan) {
        auto &steps = steps_[scan.parcel];
        steps.emplace_back(scan); // guilty
        if (scan.note == "delivered")
            delivered_++;
    }
    std::string where(uint64_t parcel) const {
        auto it = steps_.find(parcel);
        if (it == steps_.end())
            return "unknown";
        return it->second.back().place + ", " + it->second.back().note;
    }
    long delivered() const { return delivered_; }
    size_t known() const { return steps_.size(); }

private:
    std::unordered_map<uint64_t, std::vector<Scan>> steps_;
    long delivered_ = 0;
};

class Throughput {
public:
    void on_scan(const Scan &scan) {
        per_place_[scan.place]++;
        recent_.push_back(scan.minute);
        while (recent_.front() < scan.minute - 60)
            recent_.pop_front();
        busiest_ = std::max(busiest_, recent_.size());
    }
    size_t busiest() const { return busiest_; }
    size_t places() const { return per_place_.size(); }

private:
    std::map<std::string, long> per_place_;
    std::deque<int> recent_;
    size_t busiest_ = 0;
};

struct Parcel {
    uint64_t id;
    int zone, grams;
};

class Lorry {
public:
    explicit Lorry(int zone) : zone_(zone) {}
    bool load(const Parcel &p) {
        if (grams_ + p.grams > 900000)
            return false;
        grams_ += p.grams;
        parcels_.push_back(p);
        return true;
    }
    template <class Use> void unload(Use use) {
        for (const auto &p : parcels_)
            use(p);
        parcels_.clear();
        grams_ = 0;
    }
    int zone() const { return zone_; }

private:
    int zone_, grams_ = 0;
    std::vector<Parcel> parcels_;
};

class Hub {
public:
    Hub(std::string name, Topic<Scan> &scans, int zones) : name_(std::move(name)), scans_(scans) {
        for (int z = 0; z < zones; z++)
            lorries_.emplace_back(z);
    }

    void accept(const Parcel &p, int minute) {
        scan(p.id, minute, name_ + " hall " + std::to_string(p.id % 4), "arrived");
        scan(p.id, minute + 4, name_ + " chute " + std::to_string(p.zone), p.grams > 20000 ? "sorted by hand" : "sorted");
        belt_.push_back(p);
    }

    void tick(int minute) {
        for (size_t n = std::min<size_t>(belt_.size(), 60); n; n--) {
            Parcel p = belt_.front();
            belt_.pop_front();
            Lorry &lorry = lorries_[static_cast<size_t>(p.zone)];
            while (!lorry.load(p))
                deliver(lorry, minute);
        }
    }

    void evening(int minute) {
        for (auto &lorry : lorries_)
            deliver(lorry, minute);
    }
    long trips() const { return trips_; }

private:
    void deliver(Lorry &lorry, int minute) {
        trips_++;
        lorry.unload([&](const Parcel &p) {
            minute += 2;
            scan(p.id, minute, "van of zone " + std::to_string(lorry.zone()), "delivered");
        });
    }
    void scan(uint64_t parcel, int minute, std::string place, std::string note) {
        scans_.publish({parcel, minute, std::move(place), std::move(note)});
    }

    std::string name_;
    Topic<Scan> &scans_;
    std::vector<Lorry> lorries_;
    std::deque<Parcel> belt_;
    long trips_ = 0;
};

int main() {
    Topic<Scan> scans;
    Tracker tracker;
    Throughput throughput;
    scans.listen([&](const Scan &s) { tracker.on_scan(s); });
    scans.listen([&](const Scan &s) { throughput.on_scan(s); });
    Hub hub("Hagen", scans, 24);
    std::mt19937 random(8);
    uint64_t next = 340000000000ull;
    size_t answers = 0;
    for (int minute = 0; minute < 3000; minute++) {
        for (unsigned i = 0, n = 30 + random() % 40; i < n; i++)
            hub.accept({next++, static_cast<int>(random() % 24), 200 + static_cast<int>(random() % 25000)}, minute);
        hub.tick(minute);
        if (minute % 10 == 0)
            answers += tracker.where(next - 1 - random() % 1000).size();
        if (minute % 600 == 599)
            hub.evening(minute);
    }
    std::printf("%zu parcels known, %ld delivered in %ld trips, %zu scans in the busiest hour at %zu places, %zu\n", tracker.known(),
                tracker.delivered(), hub.trips(), throughput.busiest(), throughput.places(), answers);
}
