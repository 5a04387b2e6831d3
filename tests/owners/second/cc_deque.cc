// A scheduler whose finished tasks stay in its queue.
#include <cstdio>
#include <deque>
#include <string>

struct Task {
    int id;
    char state[200];
    std::string name;
};

class Scheduler {
  public:
    __attribute__((noinline)) void enqueue(int id)
    {
        tasks.push_back(Task{id, {}, "task"}); // guilty
    }
    __attribute__((noinline)) void configure()
    {
        limits.assign(50000, 3);
    }
    std::size_t size() const
    {
        return tasks.size() + limits.size();
    }

  private:
    std::deque<Task> tasks;
    std::deque<int> limits;
};

static Scheduler *scheduler;

int main()
{
    scheduler = new Scheduler;
    scheduler->configure();
    for (int i = 0; i < 200000; i++)
        scheduler->enqueue(i);
    std::printf("%zu\n", scheduler->size());
    _Exit(0);
}
