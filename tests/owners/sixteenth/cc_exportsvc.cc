// exportsvc - customers ask for exports; each is rendered in the background and uploaded.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <future>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct Row { int account; double amount; std::string note; };

class Ledger {
public:
    std::vector<Row> rows(int customer) const {
        std::vector<Row> out;
        uint32_t x = uint32_t(customer) * 747796405u + 1;
        for (int i = 0; i < 150 + customer % 100; i++) {
            x = x * 1664525u + 1013904223u;
            out.push_back({int(x >> 20), double(x % 100000) / 100, "transfer " + std::to_string(x) + " for invoice"});
        }
        return out;
    }
};

static std::string quote(const std::string& s) {
    std::string q = "\"";
    for (char c : s) {
        if (c == '"') q += '"';
        q += c;
    }
    return q + "\"";
}

static std::string to_csv(const std::vector<Row>& rows) {
    std::ostringstream o;
    o << "account,amount,note\n";
    for (auto& r : rows) o << r.account << ',' << r.amount << ',' << quote(r.note) << '\n';
    return o.str();
}

class Store {
public:
    void put(const std::string& key, const std::string& data) {
        std::lock_guard<std::mutex> g(m_);
        etags_[key] = std::hash<std::string>{}(data);
        bytes_ += data.size();
    }
    size_t bytes() {
        std::lock_guard<std::mutex> g(m_);
        return bytes_;
    }
private:
    std::mutex m_;
    std::map<std::string, size_t> etags_;
    size_t bytes_ = 0;
};

struct Export { int customer; std::string csv; size_t rows; };

class ExportService {
public:
    explicit ExportService(Store& s) : store_(s) {}

    void request(int customer) {
        wait_for_slot();
        running_.push_back(std::async(std::launch::async, [this, customer] { // guilty
            Export e{customer, "", 0};
            auto rows = ledger_.rows(customer);
            e.rows = rows.size();
            e.csv = to_csv(rows);
            store_.put("exports/" + std::to_string(customer % 500) + ".csv", e.csv);
            done_++;
            return e;
        }));
        requested_++;
    }

    std::string progress() const {
        return std::to_string(done_.load()) + "/" + std::to_string(requested_);
    }

    size_t finish() {
        size_t n = 0;
        for (auto& f : running_) n += f.get().rows;
        return n;
    }

private:
    void wait_for_slot() {
        while (requested_ - done_.load() >= 4) std::this_thread::sleep_for(std::chrono::microseconds(300));
    }

    Store& store_;
    Ledger ledger_;
    std::vector<std::future<Export>> running_;
    std::atomic<long> done_{0};
    long requested_ = 0;
};

int main() {
    Store store;
    ExportService svc(store);
    std::string last;
    for (int i = 0; i < 6000; i++) {
        svc.request(i * 7 % 4000);
        if (i % 100 == 0) last = svc.progress();
        if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::printf("rows %zu, uploaded %zu bytes, last progress %s\n", svc.finish(), store.bytes(), last.c_str());
}
