// Designs knitting patterns: charts of stitches, changes by a designer, versions kept by a mixin, yarn by colour, and written rows.
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Gives a class versions of its state. The state has to be copyable.
template <class Self, class State>
class Versioned {
public:
    void checkpoint()
    {
        versions_.push_back(static_cast<const Self&>(*this).state()); // guilty
    }

    bool back()
    {
        if (versions_.empty())
            return false;
        static_cast<Self&>(*this).restore(std::move(versions_.back()));
        versions_.pop_back();
        return true;
    }

    std::size_t versions() const { return versions_.size(); }

private:
    std::vector<State> versions_;
};

enum class Stitch : std::uint8_t { knit, purl, yarn_over, together, cable };

struct Cell {
    Stitch stitch = Stitch::knit;
    std::uint8_t colour = 0;
};

using Cells = std::vector<Cell>;

class Chart : public Versioned<Chart, Cells> {
public:
    Chart(int width, int height) : width_(width), height_(height), cells_(static_cast<std::size_t>(width * height)) {}

    const Cells& state() const { return cells_; }
    void restore(Cells cells) { cells_ = std::move(cells); }

    int width() const { return width_; }
    int height() const { return height_; }
    const Cell& at(int x, int y) const { return cells_[static_cast<std::size_t>(y * width_ + x)]; }

    void fill(int x, int y, int w, int h, Cell cell)
    {
        for (int row = y; row < y + h && row < height_; ++row)
            for (int column = x; column < x + w && column < width_; ++column)
                cells_[static_cast<std::size_t>(row * width_ + column)] = cell;
    }

    void mirror()
    {
        for (int y = 0; y < height_; ++y)
            for (int x = 0; x < width_ / 2; ++x)
                std::swap(cells_[static_cast<std::size_t>(y * width_ + x)], cells_[static_cast<std::size_t>((y + 1) * width_ - 1 - x)]);
    }

private:
    int width_, height_;
    Cells cells_;
};

class Writer {
public:
    std::string row(const Chart& chart, int y) const
    {
        static const std::array<const char*, 5> words{"k", "p", "yo", "k2tog", "c4f"};
        std::string text = "row " + std::to_string(y + 1) + ":";
        for (int x = 0, n = 1; x < chart.width(); ++x, ++n) {
            const bool more = x + 1 < chart.width() && chart.at(x, y).stitch == chart.at(x + 1, y).stitch;
            if (more)
                continue;
            text += ' ';
            text += words[static_cast<std::size_t>(chart.at(x, y).stitch)];
            text += std::to_string(n);
            n = 0;
        }
        return text;
    }

    std::size_t all(const Chart& chart) const
    {
        std::vector<std::string> rows;
        std::size_t bytes = 0;
        for (int y = 0; y < chart.height(); ++y)
            bytes += rows.emplace_back(row(chart, y)).size();
        return bytes;
    }
};

std::map<int, double> yarn(const Chart& chart)
{
    static const std::array<double, 5> centimetres{1.1, 1.2, 1.6, 1.4, 2.0};
    std::map<int, double> by_colour;
    for (int y = 0; y < chart.height(); ++y)
        for (int x = 0; x < chart.width(); ++x)
            by_colour[chart.at(x, y).colour] += centimetres[static_cast<std::size_t>(chart.at(x, y).stitch)];
    return by_colour;
}

class Designer {
public:
    explicit Designer(unsigned seed) : random_(seed) {}

    void change(Chart& chart)
    {
        chart.checkpoint();
        if (below(40) == 0)
            return chart.mirror();
        const Cell cell{static_cast<Stitch>(below(5)), static_cast<std::uint8_t>(below(6))};
        chart.fill(below(chart.width()), below(chart.height()), 1 + below(12), 1 + below(9), cell);
    }

    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

private:
    std::minstd_rand random_;
};

int main()
{
    Chart chart(120, 140);
    Writer writer;
    Designer designer(8);
    std::size_t bytes = 0, undone = 0;
    for (int i = 0; i < 2200; ++i) {
        designer.change(chart);
        if (designer.below(25) == 0 && chart.back())
            ++undone;
        if (i % 2 == 0)
            bytes += writer.all(chart) + yarn(chart).size();
    }
    std::printf("%zu versions, %zu undone, %zu bytes written\n", chart.versions(), undone, bytes);
    for (const auto& [colour, length] : yarn(chart))
        std::printf("colour %d: %.1f m\n", colour, length / 100);
}
