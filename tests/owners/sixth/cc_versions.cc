// A table with versions of its rows, so that who reads does not wait for who writes.
#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using Stamp = unsigned long;

struct Account {
    std::string holder, remark;
    long cents = 0;
};

struct Booking {
    long from, to, cents;
};

template <class Row>
class Table {
    struct Version {
        Stamp since;
        Row row;
    };

public:
    Row& insert(long key, Row row, Stamp now) {
        std::unique_lock lock(mutex_);
        auto& versions = rows_[key];
        versions.push_back({now, std::move(row)});
        return versions.back().row;
    }

    template <class Change>
    Row update(long key, Stamp now, Change&& change) {
        std::unique_lock lock(mutex_);
        auto& versions = rows_.at(key);
        Version next{now, versions.back().row};
        change(next.row);
        if (versions.back().since == now)
            versions.back() = std::move(next);
        else
            versions.push_back(std::move(next));  // guilty
        return versions.back().row;
    }

    Row read(long key, Stamp at) const {
        std::shared_lock lock(mutex_);
        const auto& versions = rows_.at(key);
        auto it = std::find_if(versions.rbegin(), versions.rend(), [at](const Version& v) { return v.since <= at; });
        return it == versions.rend() ? Row{} : it->row;
    }

    // What nobody reads any more; the oldest reader is said to be the one that ended last.
    std::size_t vacuum(Stamp oldest) {
        std::unique_lock lock(mutex_);
        std::size_t gone = 0;
        for (auto& [key, versions] : rows_) {
            auto keep = std::find_if(versions.begin(), versions.end(), [&](const Version& v) { return v.since >= oldest; });
            if (keep == versions.begin()) continue;
            gone += static_cast<std::size_t>(keep - versions.begin()) - 1;
            versions.erase(versions.begin(), keep - 1);
        }
        return gone;
    }

private:
    mutable std::shared_mutex mutex_;
    std::map<long, std::vector<Version>> rows_;
};

class Bank {
public:
    explicit Bank(long accounts) : count_(accounts) {
        for (long i = 0; i < accounts; ++i) accounts_.insert(i, {"The holder of account number " + std::to_string(i), "", 10000}, 0);
    }

    void transfer(const Booking& b, Stamp now) {
        const auto text = "transfer of " + std::to_string(b.cents) + " at " + std::to_string(now) + " from " + std::to_string(b.from);
        accounts_.update(b.from, now, [&](Account& a) { a.cents -= b.cents; });
        accounts_.update(b.to, now, [&](Account& a) {
            a.cents += b.cents;
            a.remark = text;
        });
    }

    long pay_interest(Stamp now) {
        long paid = 0;
        for (long i = 0; i < count_; ++i)
            paid += accounts_.update(i, now, [](Account& a) { a.cents += a.cents / 1000; }).cents;
        return paid;
    }

    long sum(Stamp at) const {
        long all = 0;
        for (long i = 0; i < count_; ++i) all += accounts_.read(i, at).cents;
        return all;
    }

    std::size_t tidy() { return accounts_.vacuum(oldest_reader_); }

private:
    long count_;
    Stamp oldest_reader_ = 0;
    Table<Account> accounts_;
};

int main() {
    Bank bank(2000);
    std::size_t gone = 0;
    Stamp now = 1;
    long paid = 0;
    for (int day = 0; day < 30; ++day) {
        std::vector<Booking> bookings;
        for (long i = 0; i < 2500; ++i) bookings.push_back({(i * 31 + day) % 2000, (i * 17 + day * 3) % 2000, 5 + i % 90});
        std::thread second([&, from = now + 2500] {
            for (std::size_t i = 1; i < bookings.size(); i += 2) bank.transfer(bookings[i], from + i);
        });
        for (std::size_t i = 0; i < bookings.size(); i += 2) bank.transfer(bookings[i], now + i);
        second.join();
        now += 6000;
        if (day % 10 == 9) paid += bank.pay_interest(now++);
        gone += bank.tidy();
    }
    std::printf("%ld in all, %ld paid, %zu versions gone\n", bank.sum(now), paid, gone);
}
