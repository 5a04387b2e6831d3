// buildfarm: worker pool that runs (pretend) compile jobs and tracks results.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <list>
#include <map>
#include <mutex>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Job {
    int id;
    std::string unit;
    int cost;
};

struct Report {
    int exit_code = 0;
    std::vector<std::string> lines;
    std::string artifact;
};

class ObjectCache {
public:
    bool fetch(const std::string& unit, std::string& out) {
        std::lock_guard<std::mutex> g(m_);
        auto it = idx_.find(unit);
        if (it == idx_.end()) return false;
        lru_.splice(lru_.begin(), lru_, it->second);
        out = it->second->second;
        return true;
    }
    void insert_object(const std::string& unit, const std::string& blob) {
        std::lock_guard<std::mutex> g(m_);
        if (idx_.count(unit)) return;
        lru_.emplace_front(unit, blob);
        idx_[unit] = lru_.begin();
        if (lru_.size() > 400) { idx_.erase(lru_.back().first); lru_.pop_back(); }
    }
private:
    std::mutex m_;
    std::list<std::pair<std::string, std::string>> lru_;
    std::unordered_map<std::string, std::list<std::pair<std::string, std::string>>::iterator> idx_;
};

class Scoreboard {
public:
    void settle(const Job& job, Report r) {
        std::lock_guard<std::mutex> g(m_);
        if (r.exit_code) ++failed_;
        else ++passed_;
        std::string().swap(r.artifact);
        finished_[job.id] = std::move(r); // guilty
    }
    bool failed(int id) {
        std::lock_guard<std::mutex> g(m_);
        auto it = finished_.find(id);
        return it != finished_.end() && it->second.exit_code != 0;
    }
    void print() { std::printf("passed=%d failed=%d\n", passed_, failed_); }
private:
    std::mutex m_;
    std::map<int, Report> finished_;
    int passed_ = 0, failed_ = 0;
};

class Farm {
public:
    explicit Farm(int n) {
        for (int i = 0; i < n; ++i) pool_.emplace_back([this, i] { work(unsigned(i)); });
    }
    ~Farm() {
        { std::lock_guard<std::mutex> g(m_); stop_ = true; }
        cv_.notify_all();
        for (auto& t : pool_) t.join();
        board_.print();
    }
    void post(Job j) {
        std::unique_lock<std::mutex> g(m_);
        room_.wait(g, [this] { return q_.size() < 200; });
        q_.push(std::move(j));
        cv_.notify_one();
    }
    Scoreboard& board() { return board_; }
private:
    void work(unsigned seed) {
        std::mt19937 rng(seed + 1);
        for (;;) {
            Job j;
            {
                std::unique_lock<std::mutex> g(m_);
                cv_.wait(g, [this] { return stop_ || !q_.empty(); });
                if (q_.empty()) return;
                j = std::move(q_.front());
                q_.pop();
                room_.notify_one();
            }
            board_.settle(j, compile(j, rng));
        }
    }
    Report compile(const Job& j, std::mt19937& rng) {
        Report r;
        if (!cache_.fetch(j.unit, r.artifact)) {
            r.artifact.assign(7000 + size_t(j.cost), '\x7f');
            cache_.insert_object(j.unit, r.artifact);
        }
        int n = 30 + int(rng() % 30);
        for (int i = 0; i < n; ++i)
            r.lines.push_back(j.unit + ":" + std::to_string(rng() % 2000) + ": warning: unused variable 'tmp" +
                              std::to_string(i) + "' [-Wunused-variable]");
        r.exit_code = rng() % 30 == 0;
        return r;
    }
    std::mutex m_;
    std::condition_variable cv_, room_;
    std::queue<Job> q_;
    bool stop_ = false;
    ObjectCache cache_;
    Scoreboard board_;
    std::vector<std::thread> pool_;
};

int main() {
    Farm farm(3);
    std::mt19937 rng(3);
    int retried = 0;
    for (int id = 0; id < 10000; ++id) {
        farm.post({id, "src/module" + std::to_string(rng() % 600) + "/file.cc", int(rng() % 2000)});
        if (id > 500 && farm.board().failed(id - 500)) ++retried;
        if (id % 25 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(9));
    }
    std::printf("retried=%d\n", retried);
}
