// A C++ program with the names that are hard to read; writes a heap dump to the file it is told.
#include <jemalloc/jemalloc.h>

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace {

struct Point {
    double x, y;
    bool operator<(const Point &other) const { return x < other.x; }
};

class Ring {
public:
    NOINLINE explicit Ring(size_t count) : points_(new Point[count]), count_(count) {}
    NOINLINE Point &operator[](size_t i) { return points_[i % count_]; }
    NOINLINE operator std::string() const { return std::string(count_ * 16, 'r'); }

private:
    Point *points_;
    size_t count_;
};

} // namespace

template <typename T, size_t Size> class Pool {
public:
    NOINLINE T *make()
    {
        blocks_.push_back(std::make_unique<std::vector<T>>(Size, T()));
        return blocks_.back()->data();
    }

private:
    std::vector<std::unique_ptr<std::vector<T>>> blocks_;
};

template <typename Container, typename Maker> NOINLINE void fill(Container &container, Maker make, int times)
{
    for (int i = 0; i < times; i++)
        container.push_back(make(i));
}

struct Shape {
    virtual ~Shape() = default;
    virtual std::unique_ptr<Shape> clone() const = 0;
};

template <int Corners> struct Polygon final : Shape {
    std::vector<Point> corners = std::vector<Point>(Corners * 40);
    NOINLINE std::unique_ptr<Shape> clone() const override { return std::make_unique<Polygon>(*this); }
};

struct Writer {
    std::list<std::string> lines;
    NOINLINE Writer &operator<<(int value)
    {
        lines.emplace_back(static_cast<size_t>(200 + value), 'w');
        return *this;
    }
    NOINLINE void operator()(const char *text) { lines.emplace_back(std::string(text) + std::string(300, ' ')); }
};

NOINLINE static std::map<std::string, std::vector<int>> make_index(int count)
{
    std::map<std::string, std::vector<int>> index;
    for (int i = 0; i < count; i++)
        index["the key with the number " + std::to_string(i)].resize(static_cast<size_t>(100 + i));
    return index;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    static Pool<double, 500> doubles;
    static Pool<Point *, 300> pointers;
    for (int i = 0; i < 20; i++) {
        doubles.make();
        pointers.make();
    }
    static std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Polygon<3>>());
    shapes.push_back(std::make_unique<Polygon<8>>());
    for (int i = 0; i < 10; i++)
        shapes.push_back(shapes[static_cast<size_t>(i) % 2]->clone());
    static std::vector<std::string> texts;
    fill(texts, [](int i) { return std::string(static_cast<size_t>(1000 + i), 'x'); }, 50);
    static std::list<std::function<size_t()>> calls;
    fill(calls, [](int i) { return [text = std::string(500, 'c'), i] { return text.size() + static_cast<size_t>(i); }; },
        20);
    static auto index = make_index(40);
    static std::unordered_map<int, std::shared_ptr<Ring>> rings;
    for (int i = 1; i < 30; i++)
        rings[i] = std::make_shared<Ring>(static_cast<size_t>(i) * 10);
    texts.push_back(*rings[20]);
    static Writer writer;
    writer << 1 << 2 << 3;
    writer("hello");
    const char *path = argv[1];
    return mallctl("prof.dump", nullptr, nullptr, &path, sizeof path);
}
