// Runs the weighbridge of a gravel pit: each visit of a lorry is a coroutine that waits for its weights, with tickets and totals.
#include <array>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

class Visit {
public:
    struct promise_type {
        int weight = 0;
        Visit get_return_object() { return Visit(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };

    explicit Visit(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Visit(Visit&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Visit& operator=(Visit&&) = delete;
    ~Visit()
    {
        if (handle_)
            handle_.destroy();
    }

    void step(int weight)
    {
        handle_.promise().weight = weight;
        if (!handle_.done())
            handle_.resume();
    }

    bool over() const { return handle_.done(); }

private:
    std::coroutine_handle<promise_type> handle_;
};

struct Weighing {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<Visit::promise_type> handle) noexcept { promise = &handle.promise(); }
    int await_resume() const noexcept { return promise->weight; }
    Visit::promise_type* promise = nullptr;
};

class Till {
public:
    void sell(const std::string& gravel, int kilos)
    {
        kilos_[gravel] += kilos;
        last_.push_back(gravel + ": " + std::to_string(kilos));
        if (last_.size() > 500)
            last_.erase(last_.begin(), last_.begin() + 250);
    }

    void print() const
    {
        for (const auto& [gravel, kilos] : kilos_)
            std::printf("%-8s %9.1f t\n", gravel.c_str(), static_cast<double>(kilos) / 1000);
    }

private:
    std::map<std::string, long> kilos_;
    std::vector<std::string> last_;
};

// A lorry comes in empty, is loaded, and goes out over the same bridge. The settled weight is the mean of its samples.
Visit visit(Till& till, std::string gravel)
{
    std::array<int, 40> samples{};
    int weights[2];
    for (int& weight : weights) {
        long sum = 0;
        for (int& sample : samples) {
            sample = co_await Weighing{};
            sum += sample;
        }
        weight = static_cast<int>(sum / static_cast<long>(samples.size()));
    }
    if (weights[1] > weights[0])
        till.sell(gravel, weights[1] - weights[0]);
}

class Yard {
public:
    void arrive(long plate, const std::string& gravel)
    {
        const auto [it, fresh] = visits_.try_emplace(next_++, visit(till_, gravel)); // guilty
        it->second.step(0);
        if (fresh)
            by_plate_[plate] = it->first;
    }

    bool stand_on_bridge(long plate, int weight)
    {
        const auto it = by_plate_.find(plate);
        if (it == by_plate_.end())
            return false;
        Visit& now = visits_.at(it->second);
        for (int i = 0; i < 40; ++i)
            now.step(weight + i % 5 * 10);
        if (now.over()) {
            by_plate_.erase(it);
            ++tickets_;
        }
        return true;
    }

    void report() const
    {
        till_.print();
        std::printf("%ld tickets, %zu lorries inside\n", tickets_, by_plate_.size());
    }

private:
    Till till_;
    std::unordered_map<long, Visit> visits_;
    std::unordered_map<long, long> by_plate_;
    long next_ = 0, tickets_ = 0;
};

int main()
{
    static const char* const gravels[] = {"sand", "0/16", "16/32", "rubble"};
    Yard yard;
    unsigned seed = 4;
    const auto below = [&seed](unsigned n) { return (seed = seed * 22695477u + 1u) / 1024 % n; };
    long refused = 0;
    for (int i = 0; i < 130000; ++i) {
        const long plate = below(900);
        const int empty = 9000 + static_cast<int>(plate) * 5;
        yard.arrive(plate, gravels[below(4)]);
        yard.stand_on_bridge(plate, empty);
        if (below(30))
            yard.stand_on_bridge(plate, empty + 8000 + static_cast<int>(below(17000)));
        else
            refused += !yard.stand_on_bridge(below(900), 20000);
    }
    yard.report();
    std::printf("%ld times nobody was expected\n", refused);
}
