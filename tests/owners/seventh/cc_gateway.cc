// A gateway for devices whose sessions are coroutines: each waits for messages, for a timer, or for both.
#include <array>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// Runs by itself, and its frame goes when it is over.
struct Detached {
    struct promise_type {
        Detached get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

class Loop {
public:
    using Time = std::uint64_t;

    auto sleep(Time ticks) {
        struct Awaiter {
            Loop& loop;
            Time until;
            bool await_ready() const { return false; }
            void await_suspend(std::coroutine_handle<> h) { loop.timers_.push({until, h}); }
            void await_resume() {}
        };
        return Awaiter{*this, now_ + ticks};
    }

    void advance(Time ticks) {
        now_ += ticks;
        while (!timers_.empty() && timers_.top().first <= now_) {
            auto h = timers_.top().second;
            timers_.pop();
            h.resume();
        }
    }
    Time now() const { return now_; }

private:
    using Timer = std::pair<Time, std::coroutine_handle<>>;
    struct Later {
        bool operator()(const Timer& a, const Timer& b) const { return a.first > b.first; }
    };
    std::priority_queue<Timer, std::vector<Timer>, Later> timers_;
    Time now_ = 0;
};

class Mailbox {
public:
    void deliver(std::string message) {
        message_ = std::move(message);
        if (auto h = std::exchange(waiting_, nullptr)) h.resume();
    }
    auto receive() {
        struct Awaiter {
            Mailbox& box;
            bool await_ready() const { return !box.message_.empty(); }
            void await_suspend(std::coroutine_handle<> h) { box.waiting_ = h; }
            std::string await_resume() { return std::exchange(box.message_, {}); }
        };
        return Awaiter{*this};
    }

private:
    std::string message_;
    std::coroutine_handle<> waiting_;
};

class Gateway {
public:
    explicit Gateway(Loop& loop) : loop_(loop) {}

    void connect(std::uint32_t device) {
        ++connected_;
        session(device, boxes_[device]);
    }
    void message(std::uint32_t device, const std::string& text) {
        if (auto at = boxes_.find(device); at != boxes_.end()) at->second.deliver(text);
    }
    void ping(std::uint32_t device) { pong(device); }
    void report() const { std::printf("%zu connected, %zu said goodbye, %zu pongs, %zu bytes\n", connected_, ended_, pongs_, bytes_); }

private:
    Detached session(std::uint32_t device, Mailbox& box) {  // guilty
        std::array<char, 1400> packet;
        std::size_t used = std::snprintf(packet.data(), packet.size(), "hello %u", device);
        for (;;) {
            const std::string text = co_await box.receive();
            if (text == "bye") break;
            if (used + text.size() > packet.size()) used = send(packet.data(), used);
            used += text.copy(packet.data() + used, packet.size() - used);
        }
        send(packet.data(), used);
        ++ended_;
    }

    Detached pong(std::uint32_t device) {
        std::array<char, 600> packet;
        const auto since = loop_.now();
        co_await loop_.sleep(device % 8 + 1);
        send(packet.data(), std::snprintf(packet.data(), packet.size(), "pong %u after %lu", device, (unsigned long)(loop_.now() - since)));
        ++pongs_;
    }

    std::size_t send(const char*, std::size_t n) {
        bytes_ += n;
        return 0;
    }

    Loop& loop_;
    std::unordered_map<std::uint32_t, Mailbox> boxes_;
    std::size_t connected_ = 0, ended_ = 0, pongs_ = 0, bytes_ = 0;
};

int main() {
    Loop loop;
    Gateway gateway(loop);
    for (std::uint32_t round = 0; round < 40000; ++round) {
        const std::uint32_t device = round * 7 % 60000;
        gateway.connect(device);
        for (int i = 0; i < 3; ++i) gateway.message(device, "temperature=" + std::to_string(15 + (round + i) % 10) + ";");
        gateway.ping(device);
        if (round % 4 == 0) gateway.message(device, "bye");
        loop.advance(1);
    }
    loop.advance(100);
    gateway.report();
}
