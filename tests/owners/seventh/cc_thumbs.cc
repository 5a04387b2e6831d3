// A gallery shows small pictures: photos are read and made smaller by a few threads, and drawn as one scrolls.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

class Workers {
public:
    explicit Workers(unsigned n) {
        for (unsigned i = 0; i < n; ++i) threads_.emplace_back([this] { work(); });
    }
    ~Workers() {
        {
            std::lock_guard hold(mutex_);
            over_ = true;
        }
        wake_.notify_all();
        for (auto& t : threads_) t.join();
    }

    template <class F>
    auto submit(F f) -> std::future<decltype(f())> {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        auto result = task->get_future();
        {
            std::lock_guard hold(mutex_);
            jobs_.emplace_back([task] { (*task)(); });
        }
        wake_.notify_one();
        return result;
    }

private:
    void work() {
        for (;;) {
            std::unique_lock hold(mutex_);
            wake_.wait(hold, [this] { return over_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            hold.unlock();
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    std::vector<std::thread> threads_;
    bool over_ = false;
};

class Picture {
public:
    Picture(unsigned w, unsigned h) : w_(w), h_(h), pixels_(std::size_t{w} * h) {}
    std::uint32_t& at(unsigned x, unsigned y) { return pixels_[std::size_t{y} * w_ + x]; }
    std::uint32_t at(unsigned x, unsigned y) const { return pixels_[std::size_t{y} * w_ + x]; }
    unsigned width() const { return w_; }
    unsigned height() const { return h_; }

private:
    unsigned w_, h_;
    std::vector<std::uint32_t> pixels_;
};

Picture read_photo(const std::string& name) {
    Picture p(320, 240);
    const auto seed = static_cast<std::uint32_t>(std::hash<std::string>{}(name));
    for (unsigned y = 0; y < p.height(); ++y)
        for (unsigned x = 0; x < p.width(); ++x) p.at(x, y) = seed ^ (x * 0x10101u + y * 0x203u);
    return p;
}

Picture smaller(const Picture& from, unsigned by) {
    Picture p(from.width() / by, from.height() / by);
    for (unsigned y = 0; y < p.height(); ++y) {
        for (unsigned x = 0; x < p.width(); ++x) {
            std::uint64_t sum = 0;
            for (unsigned i = 0; i < by * by; ++i) sum += from.at(x * by + i % by, y * by + i / by) & 0xff;
            p.at(x, y) = static_cast<std::uint32_t>(sum / (by * by)) * 0x10101u;
        }
    }
    return p;
}

class Gallery {
public:
    explicit Gallery(Workers& w) : workers_(w) {}

    void scroll_to(unsigned first, unsigned count) {
        std::vector<std::future<void>> pending;
        for (unsigned i = first; i < first + count; ++i) {
            const std::string name = "holiday/IMG_" + std::to_string(i) + ".jpg";
            if (shown(name)) continue;
            pending.push_back(workers_.submit([this, name] { thumbnail(name); }));
        }
        for (auto& p : pending) p.get();
        draw(first);
    }

    // The look of a folder is a photo of it, which is not kept.
    std::uint32_t cover(const std::string& name) {
        return workers_.submit([name] { return smaller(read_photo(name), 8).at(3, 3); }).get();
    }

    std::size_t drawn() const { return drawn_; }

private:
    bool shown(const std::string& name) {
        std::lock_guard hold(mutex_);
        return ready_.count(name) > 0;
    }

    void thumbnail(const std::string& name) {
        const Picture photo = read_photo(name);
        auto small = std::make_shared<const Picture>(smaller(photo, 4));  // guilty
        std::lock_guard hold(mutex_);
        ready_.emplace(name, std::move(small));
    }

    void draw(unsigned first) {
        std::lock_guard hold(mutex_);
        auto at = ready_.find("holiday/IMG_" + std::to_string(first) + ".jpg");
        if (at != ready_.end()) drawn_ += at->second->width();
    }

    Workers& workers_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<const Picture>> ready_;
    std::size_t drawn_ = 0;
};

int main() {
    Workers workers(2);
    Gallery gallery(workers);
    std::uint32_t covers = 0;
    for (unsigned first = 0; first + 12 <= 2400; first += 8) {
        gallery.scroll_to(first, 12);
        if (first % 80 == 0) covers ^= gallery.cover("album" + std::to_string(first));
    }
    std::printf("%zu drawn, covers %u\n", gallery.drawn(), covers);
}
