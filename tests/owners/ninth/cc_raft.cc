// A replicated key-value store: the leader appends commands to its log, followers acknowledge, and what a majority has is applied.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace raft {

struct Command {
    enum class Kind { Put, Delete } kind = Kind::Put;
    std::string key;
    std::string value;
};

struct Entry {
    uint64_t term;
    uint64_t index;
    Command command;
};

using EntryPtr = std::shared_ptr<const Entry>;

class Log {
public:
    uint64_t last_index() const { return entries_.empty() ? 0 : entries_.back()->index; }
    uint64_t first_index() const { return entries_.empty() ? 1 : entries_.front()->index; }
    void push(EntryPtr entry) { entries_.push_back(std::move(entry)); }

    const EntryPtr &at(uint64_t index) const { return entries_[index - first_index()]; }

    std::vector<EntryPtr> from(uint64_t index, size_t most) const
    {
        std::vector<EntryPtr> some;
        for (; index <= last_index() && some.size() < most; index++)
            some.push_back(at(index));
        return some;
    }

private:
    std::deque<EntryPtr> entries_;
};

class StateMachine {
public:
    void apply(const Command &command)
    {
        if (command.kind == Command::Kind::Delete)
            data_.erase(command.key);
        else
            data_[command.key] = command.value;
    }
    size_t size() const { return data_.size(); }
    std::string snapshot() const
    {
        std::string image;
        for (const auto &[key, value] : data_)
            image.append(key).append("=").append(value).push_back('\n');
        return image;
    }

private:
    std::map<std::string, std::string> data_;
};

struct Peer {
    uint64_t next = 1;
    uint64_t match = 0;
    unsigned delay = 0;
    std::vector<EntryPtr> in_flight;
};

class Leader {
public:
    explicit Leader(size_t peers) : peers_(peers)
    {
        for (size_t i = 0; i < peers; i++)
            peers_[i].delay = static_cast<unsigned>(1 + i * 3);
    }

    uint64_t propose(const Command &command)
    {
        auto entry = std::make_shared<Entry>(Entry{term_, log_.last_index() + 1, command}); // guilty
        log_.push(std::move(entry));
        return log_.last_index();
    }

    void tick()
    {
        clock_++;
        for (auto &peer : peers_)
            replicate(peer);
        advance();
        if (applied_ > snapshot_at_ + 20000)
            take_snapshot();
    }

    void report() const
    {
        std::printf("log %llu to %llu, committed %llu, %zu keys, snapshot of %zu bytes at %llu\n",
                    static_cast<unsigned long long>(log_.first_index()), static_cast<unsigned long long>(log_.last_index()),
                    static_cast<unsigned long long>(committed_), machine_.size(), snapshot_.size(),
                    static_cast<unsigned long long>(snapshot_at_));
    }

private:
    void replicate(Peer &peer)
    {
        if (clock_ % peer.delay != 0)
            return;
        if (!peer.in_flight.empty()) {
            peer.match = peer.in_flight.back()->index;
            peer.in_flight.clear();
        }
        peer.in_flight = log_.from(peer.match + 1, 512);
        peer.next = peer.match + 1 + peer.in_flight.size();
    }

    void advance()
    {
        std::vector<uint64_t> matched{log_.last_index()};
        for (const auto &peer : peers_)
            matched.push_back(peer.match);
        std::sort(matched.begin(), matched.end(), std::greater<>());
        committed_ = std::max(committed_, matched[matched.size() / 2]);
        while (applied_ < committed_)
            machine_.apply(log_.at(++applied_)->command);
    }

    void take_snapshot()
    {
        snapshot_ = machine_.snapshot();
        snapshot_at_ = applied_;
    }

    uint64_t term_ = 3;
    uint64_t clock_ = 0;
    uint64_t committed_ = 0;
    uint64_t applied_ = 0;
    uint64_t snapshot_at_ = 0;
    std::string snapshot_;
    Log log_;
    StateMachine machine_;
    std::vector<Peer> peers_;
};

class Client {
public:
    explicit Client(unsigned id) : random_(id * 7919 + 1) {}
    Command next()
    {
        random_ = random_ * 1103515245 + 12345;
        Command command;
        command.key = "/services/payment/instances/" + std::to_string(random_ / 65536 % 4000);
        if (random_ / 7 % 50 == 0)
            command.kind = Command::Kind::Delete;
        else
            command.value = "{\"address\":\"10.0.0." + std::to_string(random_ / 32 % 256) + "\",\"state\":\"up\",\"lease\":" +
                            std::to_string(random_) + ",\"tags\":[\"blue\",\"eu-west\"]}";
        return command;
    }

private:
    uint32_t random_;
};

} // namespace raft

int main()
{
    raft::Leader leader(4);
    std::vector<raft::Client> clients;
    for (unsigned id = 0; id < 25; id++)
        clients.emplace_back(id);
    for (int round = 0; round < 6000; round++) {
        for (auto &client : clients)
            leader.propose(client.next());
        leader.tick();
    }
    leader.report();
    return 0;
}
