// quotegate - pushes market quotes to websocket-like sessions; some peers read slowly.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Quote { int symbol; double bid, ask; uint64_t seq; };

class Peer {
public:
    Peer(int id, size_t per_tick) : id_(id), per_tick_(per_tick) {}
    size_t accept(const char*, size_t n) {
        size_t k = std::min(n, budget_);
        budget_ -= k;
        total_ += k;
        return k;
    }
    void refill() { budget_ = per_tick_; }
    size_t total() const { return total_; }
    int id() const { return id_; }
private:
    int id_;
    size_t per_tick_, budget_ = 0, total_ = 0;
};

static std::string frame(const std::string& payload) {
    std::string f;
    f.push_back(char(0x81));
    if (payload.size() < 126) f.push_back(char(payload.size()));
    else {
        f.push_back(126);
        f.push_back(char(payload.size() >> 8));
        f.push_back(char(payload.size() & 0xff));
    }
    return f + payload;
}

class Session {
public:
    explicit Session(Peer peer) : peer_(std::move(peer)) {}

    void subscribe(int symbol) { symbols_.push_back(symbol); }
    bool wants(int symbol) const { return std::find(symbols_.begin(), symbols_.end(), symbol) != symbols_.end(); }

    void write(const std::string& data) {
        size_t n = 0;
        if (pos_ == out_.size()) {
            out_.clear();
            pos_ = 0;
            n = peer_.accept(data.data(), data.size());
        }
        if (n < data.size())
            out_.append(data, n, std::string::npos); // guilty
    }

    void on_writable() {
        peer_.refill();
        pos_ += peer_.accept(out_.data() + pos_, out_.size() - pos_);
        if (pos_ > 65536 && pos_ * 2 > out_.size()) {
            out_.erase(0, pos_);
            pos_ = 0;
        }
    }
    size_t sent() const { return peer_.total(); }

private:
    Peer peer_;
    std::vector<int> symbols_;
    std::string out_;
    size_t pos_ = 0;
};

class Market {
public:
    explicit Market(int symbols) : mid_(size_t(symbols), 100.0) {}
    std::vector<Quote> tick() {
        std::vector<Quote> q;
        for (int k = 0; k < 40; k++) {
            x_ = x_ * 6364136223846793005ull + 1442695040888963407ull;
            size_t s = size_t(x_ >> 33) % mid_.size();
            mid_[s] += double(int(x_ >> 40) % 21 - 10) * 0.01;
            q.push_back({int(s), mid_[s] - 0.01, mid_[s] + 0.01, ++seq_});
        }
        return q;
    }
private:
    std::vector<double> mid_;
    uint64_t x_ = 42, seq_ = 0;
};

class Gateway {
public:
    void open(Peer p, int symbols) {
        auto s = std::make_unique<Session>(std::move(p));
        for (int i = 0; i < 60; i++) s->subscribe((i * 7 + int(sessions_.size())) % symbols);
        sessions_.push_back(std::move(s));
    }
    void publish(const Quote& q) {
        auto& last = last_[q.symbol];
        last = "{\"s\":" + std::to_string(q.symbol) + ",\"b\":" + std::to_string(q.bid) + ",\"a\":" + std::to_string(q.ask) + ",\"n\":" + std::to_string(q.seq) + "}";
        std::string f = frame(last);
        for (auto& s : sessions_)
            if (s->wants(q.symbol)) s->write(f);
    }
    void poll() { for (auto& s : sessions_) s->on_writable(); }
    size_t sent() const {
        size_t n = 0;
        for (auto& s : sessions_) n += s->sent();
        return n;
    }
private:
    std::vector<std::unique_ptr<Session>> sessions_;
    std::unordered_map<int, std::string> last_;
};

int main() {
    Market market(200);
    Gateway gw;
    for (int i = 0; i < 120; i++) gw.open(Peer(i, i % 5 == 0 ? 90 : 8000), 200);
    for (int t = 0; t < 3000; t++) {
        for (auto& q : market.tick()) gw.publish(q);
        gw.poll();
        if (t % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::printf("sent %zu bytes\n", gw.sent());
}
