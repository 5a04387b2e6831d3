// Ways of vehicles, in vectors whose allocator counts; a way is put to the archive whole each time that it has grown.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace memory
{
static size_t counted;

template <typename T> struct Counting {
    using value_type = T;
    Counting() = default;
    template <typename U> Counting(const Counting<U> &)
    {
    }
    T *allocate(size_t n)
    {
        counted += n * sizeof(T);
        return static_cast<T *>(::operator new(n * sizeof(T)));
    }
    void deallocate(T *p, size_t n)
    {
        counted -= n * sizeof(T);
        ::operator delete(p);
    }
    template <typename U> bool operator==(const Counting<U> &) const
    {
        return true;
    }
    template <typename U> bool operator!=(const Counting<U> &) const
    {
        return false;
    }
};

template <typename T> using Vector = std::vector<T, Counting<T>>;
} // namespace memory

struct Point {
    double longitude, latitude;
    long seconds;
};

using Way = memory::Vector<Point>;

class Archive {
  public:
    void put(int vehicle, const Way &way)
    {
        if (way.size() < 2)
            return;
        kept[vehicle].push_back(way); // guilty
    }
    size_t size() const
    {
        return kept.size();
    }

  private:
    std::map<int, std::deque<Way>> kept;
};

class Filter {
  public:
    Way smooth(const Way &way) const
    {
        Way smooth;
        smooth.reserve(way.size());
        for (size_t i = 0; i < way.size(); i++) {
            const Point &before = way[i ? i - 1 : 0];
            smooth.push_back({(before.longitude + way[i].longitude) / 2, (before.latitude + way[i].latitude) / 2, way[i].seconds});
        }
        return smooth;
    }
};

class Fleet {
  public:
    explicit Fleet(int vehicles) : ways(static_cast<size_t>(vehicles))
    {
    }
    void report(int vehicle, const Point &point)
    {
        Way &way = ways[static_cast<size_t>(vehicle)];
        way.push_back(point);
        if (way.size() % 20 == 0)
            archive.put(vehicle, filter.smooth(way));
    }
    size_t archived() const
    {
        return archive.size();
    }

  private:
    std::vector<Way> ways;
    Filter filter;
    Archive archive;
};

int main()
{
    Fleet fleet(100);
    for (long second = 0; second < 1000; second++)
        for (int vehicle = 0; vehicle < 100; vehicle++)
            fleet.report(vehicle, {std::sin(vehicle + 1.0), std::cos(static_cast<double>(second)), second});
    std::printf("%zu vehicles, %zu bytes\n", fleet.archived(), memory::counted);
    return 0;
}
