#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <thread>
#include <vector>
template <class T> class Channel {
  public:
    void send(T value) { std::lock_guard<std::mutex> lock(mutex_); queue_.push(std::move(value)); more_.notify_one(); }
    void close() { std::lock_guard<std::mutex> lock(mutex_); closed_ = true; more_.notify_all(); }
    std::optional<T> receive() {
        std::unique_lock<std::mutex> lock(mutex_);
        more_.wait(lock, [this] { return closed_ || !queue_.empty(); });
        if (queue_.empty()) return std::nullopt;
        T value = std::move(queue_.front());
        queue_.pop();
        return value;
    }
  private:
    std::mutex mutex_;
    std::condition_variable more_;
    std::queue<T> queue_;
    bool closed_ = false;
};
struct Page { int number; std::string text; };
class Scanner {
  public:
    Page scan(int n) const { return {n, std::string(std::size_t(3000 + n % 500), 'p')}; }
};
class Archive {
  public:
    void file(Page page) {
        if (page.number % 10 == 0) return;
        pages_.push_back(std::move(page)); // guilty
    }
    std::size_t size() const { return pages_.size(); }
  private:
    std::vector<Page> pages_;
};
int main() {
    Channel<Page> channel;
    Archive archive;
    std::thread clerk([&] { while (auto page = channel.receive()) archive.file(std::move(*page)); });
    Scanner scanner;
    for (int i = 0; i < 12000; i++) channel.send(scanner.scan(i));
    channel.close();
    clerk.join();
    std::printf("%zu\n", archive.size());
}
