// What a warehouse sent last year, with the ranges of C++20.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rng = std::ranges;

namespace {

struct order_line {
    int order;
    std::string article, region;
    int count;
    double price;
};

template <rng::input_range R> auto to_vector(R &&r)
{
    std::vector<rng::range_value_t<R>> out;
    for (auto &&item : r)
        out.push_back(std::forward<decltype(item)>(item));
    return out;
}

std::vector<std::string_view> fields_of(std::string_view line)
{
    std::vector<std::string_view> out;
    for (size_t at = 0; at <= line.size();) {
        auto end = std::min(line.find(';', at), line.size());
        out.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

int number_of(std::string_view text)
{
    int n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

std::optional<order_line> parse(std::string_view line)
{
    auto f = fields_of(line);
    if (f.size() != 5)
        return std::nullopt;
    return order_line{number_of(f[0]), std::string(f[1]), std::string(f[2]), number_of(f[3]), number_of(f[4]) / 100.0};
}

class warehouse
{
    std::map<std::string, int, std::less<>> stock_;
    std::map<std::string, std::map<int, std::vector<order_line>>, std::less<>> by_region_;
    std::map<std::string, std::vector<double>, std::less<>> prices_;

public:
    void load_stock(int n)
    {
        for (int i : rng::views::iota(0, n))
            stock_["article with the number " + std::to_string(i)] = i % 50;
    }

    void count(std::span<const order_line> lines)
    {
        for (const auto &line : lines)
            if (auto found = stock_.find(line.article); found != stock_.end())
                found->second -= line.count;
    }

    // Only the sums are asked for later, but each line is put away, under its region and its day.
    void index(std::span<const order_line> lines, int day)
    {
        for (const auto &line : lines) {
            auto wanted = to_vector(lines | rng::views::filter([&](const auto &l) { return l.order == line.order; }));
            auto &days = by_region_[line.region];
            rng::copy(wanted, std::back_inserter(days[day])); // guilty
        }
    }

    void remember_prices(std::span<const order_line> lines)
    {
        for (const auto &line : lines)
            prices_[line.article].push_back(line.price);
    }

    double total(std::string_view region) const
    {
        double sum = 0;
        if (auto found = by_region_.find(region); found != by_region_.end())
            for (const auto &lines : found->second | rng::views::values)
                for (const auto &line : lines)
                    sum += line.count * line.price;
        return sum;
    }
};

std::string file_of(int day)
{
    static constexpr const char *regions[] = {"north", "the south and the islands", "east", "west of the river"};
    std::string text;
    for (int i = 0; i < 220; i++) {
        char line[128];
        std::snprintf(line, sizeof line, "%d;article with the number %d;%s;%d;%d\n", day * 100 + i / 3, (day + i) * 7 % 3000, regions[i % 4],
                      1 + i % 5, 100 + i * 3);
        text += line;
    }
    return text;
}

} // namespace

int main()
{
    warehouse w;
    w.load_stock(3000);
    for (int day : rng::views::iota(0, 365)) {
        auto text = file_of(day);
        std::vector<order_line> lines;
        for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
            if (auto line = parse(std::string_view(text).substr(at, end - at)))
                lines.push_back(*line);
        w.count(lines);
        w.index(lines, day);
        if (day % 4 == 0)
            w.remember_prices(lines);
    }
    std::printf("%.2f\n", w.total("north"));
}
