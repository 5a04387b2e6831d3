// A converter of films in three threads: the one that decodes is faster than the one that writes, and the queue has no end.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

template <typename T> class Queue {
  public:
    void push(T item)
    {
        std::lock_guard<std::mutex> guard(lock);
        items.push_back(std::move(item));
        changed.notify_one();
    }
    std::optional<T> pop()
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [this] { return closed || !items.empty(); });
        if (items.empty())
            return std::nullopt;
        T item = std::move(items.front());
        items.pop_front();
        return item;
    }
    void close()
    {
        std::lock_guard<std::mutex> guard(lock);
        closed = true;
        changed.notify_all();
    }

  private:
    std::mutex lock;
    std::condition_variable changed;
    std::deque<T> items;
    bool closed = false;
};

struct Packet {
    int number;
    std::vector<uint8_t> bytes;
};

class Frame {
  public:
    Frame(int width, int height) : luma(allocate(width * height)), size(static_cast<size_t>(width * height))
    {
    }
    void fill(uint8_t value)
    {
        std::fill_n(luma.get(), size, value);
    }
    unsigned sum() const
    {
        return luma[0] + luma[size / 2];
    }

  private:
    static std::unique_ptr<uint8_t[]> allocate(int bytes)
    {
        return std::unique_ptr<uint8_t[]>(new uint8_t[static_cast<size_t>(bytes)]);
    }
    std::unique_ptr<uint8_t[]> luma;
    size_t size;
};

class Film {
  public:
    void read(int packets)
    {
        for (int i = 0; i < packets; i++) {
            while (i - decoded > 50) // read no more than a little ahead
                std::this_thread::yield();
            raw.push({i, std::vector<uint8_t>(3000, static_cast<uint8_t>(i))});
        }
        raw.close();
    }
    void decode()
    {
        std::vector<int16_t> blocks(100000);
        while (auto packet = raw.pop()) {
            for (size_t i = 0; i < blocks.size(); i++)
                blocks[i] = static_cast<int16_t>(packet->bytes[i % packet->bytes.size()] - i);
            Frame frame(160, 120); // guilty
            frame.fill(static_cast<uint8_t>(blocks[7]));
            frames.push(std::move(frame));
            decoded++;
        }
        frames.close();
    }
    void write(std::chrono::microseconds each)
    {
        while (!done) {
            if (auto frame = frames.pop())
                written += frame->sum();
            std::this_thread::sleep_for(each);
        }
    }
    void stop()
    {
        done = true;
    }

  private:
    Queue<Packet> raw;
    Queue<Frame> frames;
    std::atomic<int> decoded{0};
    std::atomic<bool> done{false};
    std::atomic<unsigned> written{0};
};

int main()
{
    Film film;
    std::thread writer([&film] { film.write(std::chrono::milliseconds(20)); });
    std::thread decoder(&Film::decode, &film);
    std::thread reader(std::bind(&Film::read, &film, 3000));
    reader.join();
    decoder.join();
    std::puts("decoded");
    film.stop();
    writer.join();
    return 0;
}
