// Shared pointers that point at each other, made behind std::function.
#include <functional>
#include <memory>

struct Listener {
    std::shared_ptr<Listener> peer;
    char state[1000];
};

class Bus {
  public:
    void subscribe();
};

[[gnu::noinline]] void Bus::subscribe()
{
    auto one = std::make_shared<Listener>(); // guilty
    one->peer = one;
}

[[gnu::noinline]] static void repeat(int count, const std::function<void()> &action)
{
    for (int i = 0; i < count; i++)
        action();
}

int main()
{
    Bus bus;
    repeat(60000, [&] { bus.subscribe(); });
}
