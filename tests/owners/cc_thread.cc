// Threads and a queue of the standard library; what is queued is never taken.
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Queue {
  public:
    void post(std::string text);

  private:
    std::mutex mutex;
    std::deque<std::string> texts;
};

void Queue::post(std::string text)
{
    std::lock_guard<std::mutex> guard(mutex);
    texts.push_back(std::move(text));
}

[[gnu::noinline]] static void produce(Queue &queue, int count)
{
    for (int i = 0; i < count; i++)
        queue.post(std::string(800, 'q')); // guilty
}

int main()
{
    auto *queue = new Queue;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([queue] { produce(*queue, 20000); });
    for (auto &thread : threads)
        thread.join();
}
