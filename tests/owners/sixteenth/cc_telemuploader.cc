// telemuploader - batches device readings and posts them to a collector that is often unavailable.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <queue>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct Reading { int device; long at; double value; };

class Loop {
public:
    using Fn = std::function<void()>;
    void post_at(long when, Fn fn) { timers_.push({when, seq_++, std::move(fn)}); }
    void run_until(long now) {
        now_ = now;
        while (!timers_.empty() && timers_.top().when <= now) {
            Fn fn = timers_.top().fn;
            timers_.pop();
            fn();
        }
    }
    long now() const { return now_; }
private:
    struct Timer {
        long when;
        unsigned long seq;
        Fn fn;
        bool operator<(const Timer& o) const { return when != o.when ? when > o.when : seq > o.seq; }
    };
    std::priority_queue<Timer> timers_;
    unsigned long seq_ = 0;
    long now_ = 0;
};

class Collector {
public:
    int post(const std::string& body, long now) {
        calls_++;
        if ((now / 50) % 4 != 0) return 503;
        if (calls_ % 3) return 429;
        bytes_ += body.size();
        return 200;
    }
    size_t bytes() const { return bytes_; }
private:
    unsigned long calls_ = 0;
    size_t bytes_ = 0;
};

class Uploader {
public:
    Uploader(Loop& l, Collector& c) : loop_(l), collector_(c) {}

    void send(std::string body) { attempt(std::move(body), 0); }
    void status() const { std::printf("sent %d, failed attempts %d, oldest try %d\n", sent_, failed_, worst_); }

private:
    void attempt(std::string body, int tries) {
        int code = collector_.post(body, loop_.now());
        if (code == 200) {
            sent_++;
            return;
        }
        failed_++;
        if (tries > worst_) worst_ = tries;
        long delay = 20L << (tries < 6 ? tries : 6);
        loop_.post_at(loop_.now() + delay, [this, body = std::move(body), tries] { attempt(body, tries + 1); }); // guilty
    }

    Loop& loop_;
    Collector& collector_;
    int sent_ = 0, failed_ = 0, worst_ = 0;
};

class Batcher {
public:
    Batcher(Uploader& up, size_t limit) : up_(up), limit_(limit) {}
    void add(const Reading& r) {
        batch_.push_back(r);
        if (batch_.size() >= limit_) flush();
    }
    void flush() {
        if (batch_.empty()) return;
        up_.send(encode());
        batch_.clear();
    }
private:
    std::string encode() const {
        std::ostringstream o;
        o << "{\"readings\":[";
        for (auto& r : batch_) o << "{\"d\":" << r.device << ",\"t\":" << r.at << ",\"v\":" << r.value << ",\"unit\":\"celsius\",\"quality\":\"good\"},";
        o << "{}]}";
        return o.str();
    }
    Uploader& up_;
    size_t limit_;
    std::vector<Reading> batch_;
};

class Device {
public:
    explicit Device(int id) : id_(id) {}
    Reading sample(long now) {
        history_.push_back(now * 0.1 + id_);
        if (history_.size() > 40) history_.pop_front();
        double sum = 0;
        for (double v : history_) sum += v;
        return {id_, now, sum / double(history_.size())};
    }
private:
    int id_;
    std::list<double> history_;
};

int main() {
    Loop loop;
    Collector collector;
    Uploader up(loop, collector);
    Batcher batcher(up, 60);
    std::vector<Device> devices;
    for (int i = 0; i < 400; i++) devices.emplace_back(i);
    for (long now = 0; now < 5000; now++) {
        loop.run_until(now);
        for (size_t k = 0; k < 400; k += 2) batcher.add(devices[(k + size_t(now)) % 400].sample(now));
        if (now % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    batcher.flush();
    up.status();
    std::printf("collected %zu bytes\n", collector.bytes());
}
