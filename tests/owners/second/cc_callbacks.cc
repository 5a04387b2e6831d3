// Callbacks that are connected and never disconnected; each keeps what it captured.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

class EventLoop {
  public:
    __attribute__((noinline)) void connect(std::function<int()> callback)
    {
        callbacks.push_back(std::move(callback));
    }
    int run()
    {
        int sum = 0;
        for (auto &callback : callbacks)
            sum += callback();
        return sum;
    }

  private:
    std::vector<std::function<int()>> callbacks;
};

static EventLoop *loop;

__attribute__((noinline)) static void open_window(int number)
{
    std::array<int, 200> state{};
    state[5] = number;
    loop->connect([state] { return state[5]; }); // guilty
}

__attribute__((noinline)) static void add_timers()
{
    for (int i = 0; i < 100; i++)
        loop->connect([i] { return i; });
}

int main()
{
    loop = new EventLoop;
    add_timers();
    for (int i = 0; i < 60000; i++)
        open_window(i);
    std::printf("%d\n", loop->run());
    std::_Exit(0);
}
