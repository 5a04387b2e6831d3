// Makes panoramas of photos: a pool of threads, strips rendered as tasks, features compared, and a mosaic that is written in the end.
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Strip {
    int photo = 0, left = 0;
    std::vector<std::uint16_t> pixels;
};

class Pool {
public:
    explicit Pool(unsigned threads)
    {
        while (threads-- > 0)
            threads_.emplace_back([this] { work(); });
    }

    ~Pool()
    {
        {
            std::lock_guard lock(mutex_);
            closed_ = true;
        }
        fed_.notify_all();
        for (auto& t : threads_)
            t.join();
    }

    template <class F>
    auto run(F f) -> std::shared_future<decltype(f())>
    {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        std::shared_future<decltype(f())> result = task->get_future().share();
        {
            std::lock_guard lock(mutex_);
            tasks_.emplace_back([task] { (*task)(); });
        }
        fed_.notify_one();
        return result;
    }

private:
    void work()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock lock(mutex_);
                fed_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
                if (tasks_.empty())
                    return;
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable fed_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::thread> threads_;
    bool closed_ = false;
};

class Camera {
public:
    std::vector<std::uint16_t> photo(int number) const
    {
        std::vector<std::uint16_t> pixels(width * height);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                pixels[static_cast<std::size_t>(y * width + x)] = static_cast<std::uint16_t>(2000 + 900 * std::sin((x + number * 150) * 0.02) * std::cos(y * 0.05));
        return pixels;
    }

    static constexpr int width = 240, height = 160;
};

class Stitcher {
public:
    explicit Stitcher(Pool& pool) : pool_(pool) {}

    void add(int number)
    {
        strips_.push_back(pool_.run([this, number] { return render(number); })); // guilty
        if (strips_.size() > 6)
            compare(strips_[strips_.size() - 7].get(), strips_[strips_.size() - 6].get());
    }

    double finish()
    {
        for (std::size_t i = strips_.size() < 6 ? 0 : strips_.size() - 6; i + 1 < strips_.size(); ++i)
            compare(strips_[i].get(), strips_[i + 1].get());
        return shift_ / static_cast<double>(strips_.size());
    }

private:
    // Bends a photo onto the cylinder.
    Strip render(int number) const
    {
        const auto photo = camera_.photo(number);
        Strip strip{number, number * 150, std::vector<std::uint16_t>(photo.size())};
        for (int y = 0; y < Camera::height; ++y)
            for (int x = 0; x < Camera::width; ++x) {
                const double angle = (x - Camera::width / 2) / 300.0;
                const int from = Camera::width / 2 + static_cast<int>(300 * std::tan(angle) * 0.9);
                strip.pixels[static_cast<std::size_t>(y * Camera::width + x)] = photo[static_cast<std::size_t>(y * Camera::width + from)];
            }
        return strip;
    }

    void compare(const Strip& a, const Strip& b)
    {
        double best = 1e18;
        int at = 0;
        for (int shift = 130; shift < 170; ++shift) {
            double sum = 0;
            for (int x = shift; x < Camera::width; x += 3)
                sum += std::abs(a.pixels[static_cast<std::size_t>(80 * Camera::width + x)] - b.pixels[static_cast<std::size_t>(80 * Camera::width + x - shift)]);
            if (sum / (Camera::width - shift) < best) {
                best = sum / (Camera::width - shift);
                at = shift;
            }
        }
        shift_ += at;
    }

    Pool& pool_;
    Camera camera_;
    std::vector<std::shared_future<Strip>> strips_;
    double shift_ = 0;
};

int main()
{
    Pool pool(2);
    Stitcher stitcher(pool);
    for (int i = 0; i < 700; ++i)
        stitcher.add(i);
    std::printf("moved by %.2f pixels from photo to photo\n", stitcher.finish());
}
