// meshrouter - forwards packets between links; packet memory comes from a typed pool.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Packet {
    uint32_t src, dst;
    uint8_t ttl;
    uint16_t len;
    std::array<uint8_t, 1500> data;
};

template <class T, size_t PerSlab = 32>
class ObjectPool {
public:
    T* acquire() {
        if (free_.empty()) add_slab();
        T* t = free_.back();
        free_.pop_back();
        in_use_++;
        return t;
    }
    void release(T* t) {
        free_.push_back(t);
        in_use_--;
    }
    size_t in_use() const { return in_use_; }
private:
    void add_slab() {
        slabs_.push_back(std::make_unique<T[]>(PerSlab));
        for (size_t i = 0; i < PerSlab; i++) free_.push_back(&slabs_.back()[i]);
    }
    std::vector<std::unique_ptr<T[]>> slabs_;
    std::vector<T*> free_;
    size_t in_use_ = 0;
};

class Link {
public:
    Link(std::string name, ObjectPool<Packet>& pool) : name_(std::move(name)), pool_(pool) {}
    void enqueue(Packet* p) {
        if (queue_.size() >= 256) {
            drops_++;
            pool_.release(p);
            return;
        }
        queue_.push_back(p);
    }
    void transmit(int n) {
        while (n-- && !queue_.empty()) {
            Packet* p = queue_.front();
            queue_.pop_front();
            bytes_ += p->len;
            pool_.release(p);
        }
    }
    void report() const { std::printf("%s: %zu bytes, %lu drops\n", name_.c_str(), bytes_, drops_); }
private:
    std::string name_;
    ObjectPool<Packet>& pool_;
    std::deque<Packet*> queue_;
    size_t bytes_ = 0;
    unsigned long drops_ = 0;
};

class Router {
public:
    Router() {
        for (int i = 0; i < 8; i++) links_.emplace_back("link" + std::to_string(i), pool_);
        for (uint32_t n = 0; n < 512; n++) routes_[n] = n % 8;
    }

    void unicast(uint32_t src, uint32_t dst, uint8_t ttl, const uint8_t* data, uint16_t len) {
        Packet* p = fill(pool_.acquire(), src, dst, ttl, data, len);
        auto it = routes_.find(dst);
        if (it == routes_.end() || p->ttl == 0) {
            unroutable_++;
            pool_.release(p);
            return;
        }
        links_[it->second].enqueue(p);
    }

    void flood(uint32_t src, uint8_t ttl, const uint8_t* data, uint16_t len) {
        for (size_t i = 0; i < links_.size(); i++) {
            if (i == routes_[src % 512]) continue;
            Packet* copy = fill(pool_.acquire(), src, 0xffffffffu, ttl, data, len); // guilty
            if (seen_recently(src, len)) {
                suppressed_++;
                continue;
            }
            links_[i].enqueue(copy);
        }
        remember(src, len);
    }

    void tick() { for (auto& l : links_) l.transmit(12); }
    void report() const {
        for (auto& l : links_) l.report();
        std::printf("unroutable %lu suppressed %lu\n", unroutable_, suppressed_);
    }

private:
    static Packet* fill(Packet* p, uint32_t src, uint32_t dst, uint8_t ttl, const uint8_t* data, uint16_t len) {
        p->src = src;
        p->dst = dst;
        p->ttl = ttl ? uint8_t(ttl - 1) : uint8_t(0);
        p->len = len;
        std::memcpy(p->data.data(), data, len);
        return p;
    }
    bool seen_recently(uint32_t src, uint16_t len) const {
        for (auto& [s, l] : recent_)
            if (s == src && l == len) return true;
        return false;
    }
    void remember(uint32_t src, uint16_t len) {
        recent_.emplace_back(src, len);
        if (recent_.size() > 64) recent_.pop_front();
    }

    ObjectPool<Packet> pool_;
    std::deque<Link> links_;
    std::map<uint32_t, size_t> routes_;
    std::deque<std::pair<uint32_t, uint16_t>> recent_;
    unsigned long unroutable_ = 0, suppressed_ = 0;
};

int main() {
    Router r;
    uint32_t x = 7;
    for (int t = 0; t < 25000; t++) {
        for (int k = 0; k < 20; k++) {
            x = x * 1664525u + 1013904223u;
            uint16_t len = uint16_t(64 + (x >> 9) % 1400);
            std::vector<uint8_t> rx(len, uint8_t(x >> 24));
            r.unicast((x >> 4) % 512, (x >> 8) % 540, uint8_t((x >> 16) % 64), rx.data(), len);
        }
        if (t % 3 == 0) {
            std::vector<uint8_t> hello(200 + size_t(t / 60 % 50), 0x55);
            r.flood(uint32_t(t / 5 % 512), 16, hello.data(), uint16_t(hello.size()));
        }
        r.tick();
        if (t % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    r.report();
}
