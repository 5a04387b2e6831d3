// Rates telephone calls: reads call records, finds the tariff by the longest prefix, and adds them to the bill of each customer.
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace billing {

struct Tariff {
    std::string zone;
    int cents_per_minute;
    int minimum_seconds;
};

class PrefixTree {
public:
    void insert(std::string_view prefix, Tariff tariff)
    {
        Node *node = &root_;
        for (char digit : prefix) {
            auto &child = node->children[static_cast<size_t>(digit - '0')];
            if (!child)
                child = std::make_unique<Node>();
            node = child.get();
        }
        node->tariff = std::make_unique<Tariff>(std::move(tariff));
    }

    const Tariff *longest(std::string_view number) const
    {
        const Node *node = &root_;
        const Tariff *best = nullptr;
        for (char digit : number) {
            node = node->children[static_cast<size_t>(digit - '0')].get();
            if (!node)
                break;
            if (node->tariff)
                best = node->tariff.get();
        }
        return best;
    }

private:
    struct Node {
        std::array<std::unique_ptr<Node>, 10> children;
        std::unique_ptr<Tariff> tariff;
    };
    Node root_;
};

struct Call {
    std::string caller, called;
    int seconds;
    std::string started;
};

struct Line {
    std::string started, called, zone;
    int seconds;
    double cents;
};

class Invoice {
public:
    void add(const Call &call, const Tariff &tariff, double cents)
    {
        lines_.push_back({call.started, call.called, tariff.zone, call.seconds, cents}); // guilty
        total_ += cents;
    }
    double total() const { return total_; }
    size_t lines() const { return lines_.size(); }

private:
    std::vector<Line> lines_;
    double total_ = 0;
};

class Rater {
public:
    explicit Rater(const PrefixTree &tariffs) : tariffs_(tariffs) {}

    bool rate(const Call &call)
    {
        const Tariff *tariff = tariffs_.longest(call.called);
        if (!tariff) {
            unknown_[call.called.substr(0, 4)]++;
            return false;
        }
        int seconds = std::max(call.seconds, tariff->minimum_seconds);
        invoices_[call.caller].add(call, *tariff, seconds * tariff->cents_per_minute / 60.0);
        return true;
    }

    double total() const
    {
        double sum = 0;
        for (const auto &[customer, invoice] : invoices_)
            sum += invoice.total();
        return sum;
    }
    size_t customers() const { return invoices_.size(); }
    size_t unknown() const { return unknown_.size(); }

private:
    const PrefixTree &tariffs_;
    std::unordered_map<std::string, Invoice> invoices_;
    std::map<std::string, int> unknown_;
};

class Switch {
public:
    Call next()
    {
        state_ = state_ * 1664525u + 1013904223u;
        char number[24], when[32];
        Call call;
        std::snprintf(number, sizeof number, "49301%06u", (state_ >> 10) % 9000);
        call.caller = number;
        std::snprintf(number, sizeof number, "%u%09u", 10 + (state_ >> 20) % 80, state_ % 1000000000);
        call.called = number;
        call.seconds = static_cast<int>(state_ >> 16) % 600;
        std::snprintf(when, sizeof when, "2024-03-%02u %02u:%02u:%02u+01:00", 1 + count_ / 9000 % 28, count_ / 400 % 24, count_ / 7 % 60, count_ % 60);
        count_++;
        call.started = when;
        return call;
    }

private:
    uint32_t state_ = 11;
    unsigned count_ = 0;
};

} // namespace billing

int main()
{
    billing::PrefixTree tariffs;
    for (int prefix = 10; prefix < 85; prefix++) {
        tariffs.insert(std::to_string(prefix), {"Zone " + std::to_string(prefix % 9), 3 + prefix % 40, 30});
        for (int area = 0; area < 60; area++)
            tariffs.insert(std::to_string(prefix * 1000 + area), {"Mobile network " + std::to_string(area), 19 + area % 20, 60});
    }
    billing::Rater rater(tariffs);
    billing::Switch exchange;
    int failed = 0;
    for (int i = 0; i < 230000; i++)
        failed += !rater.rate(exchange.next());
    std::printf("%zu customers, %.2f, %d failed, %zu unknown\n", rater.customers(), rater.total() / 100, failed, rater.unknown());
}
