// A server of coroutines: a client that goes away leaves its coroutine where it waits, for ever.
#include <array>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <string>
#include <unordered_map>
#include <vector>

class Task {
  public:
    struct promise_type {
        Task get_return_object()
        {
            return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
    explicit Task(std::coroutine_handle<promise_type> handle) : handle(handle)
    {
    }
    std::coroutine_handle<promise_type> handle;
};

class Reactor {
  public:
    struct Readable {
        Reactor &reactor;
        int descriptor;
        bool await_ready() const
        {
            return false;
        }
        void await_suspend(std::coroutine_handle<> waiting)
        {
            reactor.waiting[descriptor] = waiting;
        }
        void await_resume() const
        {
        }
    };
    Readable readable(int descriptor)
    {
        return {*this, descriptor};
    }
    void wake(int descriptor)
    {
        auto found = waiting.find(descriptor);
        if (found == waiting.end())
            return;
        auto handle = found->second;
        waiting.erase(found);
        handle.resume();
    }
    void forget(int descriptor) // the coroutine should be destroyed here
    {
        waiting.erase(descriptor);
    }

  private:
    std::unordered_map<int, std::coroutine_handle<>> waiting;
};

struct Statistics {
    std::deque<int> last;
    std::vector<long> by_hour = std::vector<long>(24 * 366 * 10);
    void count(int descriptor)
    {
        last.push_back(descriptor);
        if (last.size() > 1000)
            last.pop_front();
        by_hour[static_cast<size_t>(descriptor) % by_hour.size()]++;
    }
};

Task serve_client(Reactor &reactor, Statistics &statistics, int descriptor)
{
    std::array<char, 3000> input{};
    for (int request = 0; request < 3; request++) {
        co_await reactor.readable(descriptor);
        input[static_cast<size_t>(descriptor + request) % input.size()]++;
        statistics.count(descriptor + input[0]);
    }
} // guilty

Task write_log(Reactor &reactor, std::string &log)
{
    for (;;) {
        co_await reactor.readable(0);
        log += "tick\n";
        if (log.size() > 100000)
            log.clear();
    }
}

static void accept_clients(Reactor &reactor, Statistics &statistics, int count)
{
    for (int descriptor = 1; descriptor <= count; descriptor++) {
        serve_client(reactor, statistics, descriptor);
        for (int request = 0; request < (descriptor % 10 == 0 ? 3 : 2); request++)
            reactor.wake(descriptor);
        reactor.forget(descriptor);
        reactor.wake(0);
    }
}

int main()
{
    Reactor reactor;
    Statistics statistics;
    std::string log;
    write_log(reactor, log);
    accept_clients(reactor, statistics, 20000);
    std::printf("%zu %zu\n", log.size(), statistics.last.size());
    return 0;
}
