// framegrab: camera thread -> encoder thread, with a statistics thread beside it.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

template <class T>
class Channel {
public:
    void push(T v) {
        {
            std::lock_guard<std::mutex> g(m_);
            q_.push_back(std::move(v));
        }
        cv_.notify_one();
    }
    bool pop(T& out) {
        std::unique_lock<std::mutex> g(m_);
        cv_.wait(g, [this] { return closed_ || !q_.empty(); });
        if (closed_) return false;
        out = std::move(q_.front());
        q_.pop_front();
        return true;
    }
    void close() {
        { std::lock_guard<std::mutex> g(m_); closed_ = true; }
        cv_.notify_all();
    }
private:
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<T> q_;
    bool closed_ = false;
};

struct Plane { std::vector<uint8_t> px; };
struct Frame {
    int seq;
    std::vector<std::unique_ptr<Plane>> tiles;
};
struct Stat { int seq; double luma; };

class Camera {
public:
    Camera(Channel<std::unique_ptr<Frame>>& frames, Channel<Stat>& stats) : frames_(frames), stats_(stats) {}
    void run(int count) {
        for (int i = 0; i < count; ++i) {
            expose(i);
            submit_frame(i);
            std::this_thread::sleep_for(5ms);
        }
    }
private:
    void expose(int i) {
        std::vector<uint8_t> raw(96 * 1024, uint8_t(i));
        double sum = 0;
        for (size_t k = 0; k < raw.size(); k += 16) sum += raw[k];
        stats_.push({i, sum / double(raw.size() / 16)});
        std::memcpy(sensor_, raw.data(), sizeof sensor_);
    }
    void submit_frame(int i) {
        auto f = std::make_unique<Frame>();
        f->seq = i;
        for (int t = 0; t < 10; ++t) {
            auto p = std::make_unique<Plane>();
            p->px.assign(14000, sensor_[t * 100]); // guilty
            f->tiles.push_back(std::move(p));
        }
        frames_.push(std::move(f));
        ++submitted_;
    }
    Channel<std::unique_ptr<Frame>>& frames_;
    Channel<Stat>& stats_;
    uint8_t sensor_[4096];
    int submitted_ = 0;
};

class Encoder {
public:
    explicit Encoder(Channel<std::unique_ptr<Frame>>& in) : in_(in) {}
    void run() {
        std::unique_ptr<Frame> f;
        while (in_.pop(f)) {
            keep_reference(*f);
            encode(*f);
            f.reset();
        }
    }
    size_t bytes() const { return bytes_; }
private:
    void keep_reference(const Frame& f) {
        if (refs_.size() == 16) refs_.pop_front();
        std::vector<uint8_t> ref;
        for (auto& t : f.tiles) ref.insert(ref.end(), t->px.begin(), t->px.end());
        refs_.push_back(std::move(ref));
    }
    void encode(const Frame& f) {
        std::vector<uint8_t> out;
        for (auto& t : f.tiles)
            for (size_t k = 0; k < t->px.size(); k += 50) out.push_back(t->px[k] ^ refs_.back()[k]);
        bytes_ += out.size();
        std::this_thread::sleep_for(13ms);
    }
    Channel<std::unique_ptr<Frame>>& in_;
    std::deque<std::vector<uint8_t>> refs_;
    size_t bytes_ = 0;
};

int main() {
    Channel<std::unique_ptr<Frame>> frames;
    Channel<Stat> stats;
    Camera cam(frames, stats);
    Encoder enc(frames);
    double mean = 0;
    std::thread te([&] { enc.run(); });
    std::thread ts([&] {
        Stat s;
        while (stats.pop(s)) mean = mean * 0.9 + s.luma * 0.1;
    });
    cam.run(850);
    frames.close();
    stats.close();
    te.join();
    ts.join();
    std::printf("encoded %zu bytes, mean luma %.1f\n", enc.bytes(), mean);
}
