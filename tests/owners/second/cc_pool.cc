// A pool of the program's own, a template, from which connections are taken and never given back.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace util
{
template <typename T> class Pool {
  public:
    __attribute__((noinline)) T *acquire()
    {
        if (idle.empty())
            grow();
        T *object = idle.back();
        idle.pop_back();
        return object;
    }

  private:
    __attribute__((noinline)) void grow()
    {
        all.push_back(std::make_unique<T[]>(16));
        for (int i = 0; i < 16; i++)
            idle.push_back(&all.back()[i]);
    }
    std::vector<std::unique_ptr<T[]>> all;
    std::vector<T *> idle;
};
}

struct Connection {
    char input[2048], output[2048];
    int descriptor;
};

struct Timer {
    long at;
    int id;
};

static util::Pool<Connection> *connections;
static util::Pool<Timer> *timers;

__attribute__((noinline)) static Connection *accept_connection(int descriptor)
{
    Connection *c = connections->acquire(); // guilty
    c->descriptor = descriptor;
    return c;
}

__attribute__((noinline)) static void start_timer(int id)
{
    timers->acquire()->id = id;
}

int main()
{
    connections = new util::Pool<Connection>;
    timers = new util::Pool<Timer>;
    int sum = 0;
    for (int i = 0; i < 12000; i++) {
        start_timer(i);
        sum += accept_connection(i)->descriptor;
    }
    std::printf("%d\n", sum);
    std::_Exit(0);
}
