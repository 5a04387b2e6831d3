// A store of keys: what is written goes into a table in memory, then into sorted tables that are merged now and then.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lsm {

struct Entry {
    std::string key;
    std::string value;
    std::uint64_t sequence;
};

class Table {
public:
    explicit Table(std::vector<Entry> entries) : entries_(std::move(entries)) {}
    const Entry* find(std::string_view key) const {
        auto at = std::lower_bound(entries_.begin(), entries_.end(), key, [](const Entry& e, std::string_view k) { return e.key < k; });
        return at != entries_.end() && at->key == key ? &*at : nullptr;
    }
    const std::vector<Entry>& entries() const { return entries_; }

private:
    std::vector<Entry> entries_;
};

using TablePtr = std::shared_ptr<const Table>;

// What a reader sees, whatever happens meanwhile.
struct Version {
    std::vector<TablePtr> fresh;
    TablePtr merged;
    std::shared_ptr<const Version> before;
};

std::vector<Entry> merge(const std::vector<Entry>& older, const std::vector<Entry>& newer) {
    std::vector<Entry> out;
    out.reserve(older.size() + newer.size());
    auto a = older.begin();
    auto b = newer.begin();
    while (a != older.end() || b != newer.end()) {
        if (b == newer.end() || (a != older.end() && a->key < b->key)) {
            out.push_back(*a++);
        } else {
            if (a != older.end() && a->key == b->key) ++a;
            out.push_back(*b++);
        }
    }
    return out;
}

class Store {
public:
    void put(std::string key, std::string value) {
        memory_[std::move(key)] = {std::move(value), ++sequence_};
        if (memory_.size() >= kMemory) flush();
    }

    std::optional<std::string> get(const std::string& key) const {
        if (auto at = memory_.find(key); at != memory_.end()) return at->second.first;
        for (auto t = current_->fresh.rbegin(); t != current_->fresh.rend(); ++t)
            if (const Entry* e = (*t)->find(key)) return e->value;
        if (const Entry* e = current_->merged->find(key)) return e->value;
        return std::nullopt;
    }

    std::shared_ptr<const Version> snapshot() const { return current_; }
    int compactions() const { return compactions_; }

private:
    void install(Version next) { current_ = std::make_shared<const Version>(std::move(next)); }

    void flush() {
        std::vector<Entry> sorted;
        sorted.reserve(memory_.size());
        for (auto& [key, v] : memory_) sorted.push_back({key, std::move(v.first), v.second});
        memory_.clear();
        Version next = *current_;
        next.fresh.push_back(std::make_shared<const Table>(std::move(sorted)));
        if (next.fresh.size() >= kFresh) next = compact(next);
        install(std::move(next));
    }

    Version compact(const Version& from) {
        TablePtr merged = from.merged;
        for (const TablePtr& t : from.fresh) merged = std::make_shared<const Table>(merge(merged->entries(), t->entries()));  // guilty
        ++compactions_;
        // Readers of the last version may be at work on its table.
        return {{}, merged, std::make_shared<const Version>(Version{{}, from.merged, from.before})};
    }

    static constexpr std::size_t kMemory = 400, kFresh = 4;
    std::map<std::string, std::pair<std::string, std::uint64_t>> memory_;
    std::uint64_t sequence_ = 0;
    int compactions_ = 0;
    std::shared_ptr<const Version> current_ = std::make_shared<const Version>(Version{{}, std::make_shared<const Table>(std::vector<Entry>{}), nullptr});
};

class Workload {
public:
    explicit Workload(Store& store) : store_(store) {}
    void run(int n) {
        for (int i = 0; i < n; ++i) {
            const std::string key = "user:" + std::to_string(next() % 9000);
            if (next() % 4 == 0) {
                if (auto found = store_.get(key)) bytes_ += found->size();
            } else {
                store_.put(key, std::string("last seen on host ") + std::to_string(next() % 100));
            }
        }
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::uint32_t next() { return state_ = state_ * 1664525u + 1013904223u, state_ >> 8; }
    Store& store_;
    std::uint32_t state_ = 1;
    std::size_t bytes_ = 0;
};

}  // namespace lsm

int main() {
    lsm::Store store;
    lsm::Workload work(store);
    work.run(160000);
    auto seen = store.snapshot();
    std::printf("%d compactions, %zu entries, %zu bytes read\n", store.compactions(), seen->merged->entries().size(), work.bytes());
}
