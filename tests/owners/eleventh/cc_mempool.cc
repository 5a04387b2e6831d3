// The pool of a node of a payment network: transactions wait for a block, and for those they spend from.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

namespace pool {

using TxId = uint64_t;

struct Output {
    long value;
    std::array<uint8_t, 25> script;
};

struct Transaction {
    TxId id;
    std::vector<TxId> inputs;
    std::vector<Output> outputs;
    long fee;
};

using TxRef = std::shared_ptr<const Transaction>;

class Ledger {
public:
    void confirm(const Transaction &tx) { confirmed_[tx.id & 0xffff] = tx.id; }
    bool knows(TxId id) const { return id < 1000 || confirmed_[id & 0xffff] == id; }

private:
    std::array<TxId, 65536> confirmed_{};
};

class Mempool {
public:
    explicit Mempool(Ledger &ledger) : ledger_(ledger) {}

    bool accept(const TxRef &tx) {
        for (TxId input : tx->inputs)
            if (!ledger_.knows(input) && !ready_.count(input)) {
                add_orphan(tx, input);
                return false;
            }
        ready_.emplace(tx->id, tx);
        by_fee_.emplace(tx->fee, tx->id);
        adopt(tx->id);
        return true;
    }
    std::vector<TxRef> take_block(size_t most) {
        std::vector<TxRef> block;
        while (block.size() < most && !by_fee_.empty()) {
            auto best = std::prev(by_fee_.end());
            auto found = ready_.find(best->second);
            block.push_back(found->second);
            ready_.erase(found);
            by_fee_.erase(best);
        }
        return block;
    }
    size_t ready() const { return ready_.size(); }
    size_t orphans() const { return orphans_.size(); }

private:
    void add_orphan(const TxRef &tx, TxId missing) {
        orphans_.emplace(missing, tx); // guilty
    }
    void adopt(TxId parent) {
        auto range = orphans_.equal_range(parent);
        std::vector<TxRef> children;
        for (auto it = range.first; it != range.second; ++it)
            children.push_back(it->second);
        orphans_.erase(range.first, range.second);
        for (const TxRef &child : children)
            accept(child);
    }
    Ledger &ledger_;
    std::unordered_map<TxId, TxRef> ready_;
    std::set<std::pair<long, TxId>> by_fee_;
    std::unordered_multimap<TxId, TxRef> orphans_;
};

class Peer {
public:
    TxRef next() {
        auto tx = std::make_shared<Transaction>();
        tx->id = next_id_++;
        for (size_t n = 1 + random_() % 3; n > 0; n--)
            tx->inputs.push_back(input());
        for (size_t n = 1 + random_() % 4; n > 0; n--)
            tx->outputs.push_back({static_cast<long>(random_() % 100000), {}});
        tx->fee = static_cast<long>(random_() % 500);
        if (random_() % 40 == 0)
            next_id_++; // one that never got here
        return tx;
    }

private:
    TxId input() {
        unsigned kind = random_() % 20;
        if (kind < 12)
            return random_() % 1000;
        return kind < 19 ? next_id_ - 1 - random_() % 3 : random_() + (1ull << 40);
    }
    std::mt19937_64 random_{21};
    TxId next_id_ = 1000;
};

class Node {
public:
    Node() : pool_(*ledger_) {}
    void run(int transactions) {
        for (int i = 0; i < transactions; i++) {
            accepted_ += pool_.accept(peer_.next());
            if (i % 2000 == 1999)
                mine();
        }
        std::printf("%zu accepted, %zu in blocks, %zu ready, %zu orphans\n", accepted_, mined_, pool_.ready(), pool_.orphans());
    }

private:
    void mine() {
        for (const TxRef &tx : pool_.take_block(2500)) {
            ledger_->confirm(*tx);
            mined_++;
        }
    }
    std::unique_ptr<Ledger> ledger_ = std::make_unique<Ledger>();
    Mempool pool_;
    Peer peer_;
    size_t accepted_ = 0, mined_ = 0;
};

} // namespace pool

int main() {
    pool::Node node;
    node.run(330000);
}
