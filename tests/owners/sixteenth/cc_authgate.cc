// authgate - API gateway that checks tokens, keys and tenants against slow back ends.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

using Clock = long;

template <class V>
class TtlCache {
public:
    TtlCache(const char* name, Clock ttl) : name_(name), ttl_(ttl) {}

    template <class Load>
    const V& get(const std::string& key, Clock now, Load&& load) {
        auto it = map_.find(key);
        if (it != map_.end() && it->second.until > now) {
            hits_++;
            return it->second.value;
        }
        misses_++;
        auto& e = map_[key]; // guilty
        e.value = load();
        e.until = now + ttl_;
        return e.value;
    }
    void report() const { std::printf("%s: %lu hits, %lu misses\n", name_, hits_, misses_); }

private:
    struct Entry { V value; Clock until = 0; };
    const char* name_;
    Clock ttl_;
    unsigned long hits_ = 0, misses_ = 0;
    std::unordered_map<std::string, Entry> map_;
};

struct Tenant { std::string name, plan; std::vector<std::string> origins; };
struct PublicKey { std::string kid, pem; };
struct Claims { std::string subject; std::vector<std::string> scopes; std::string raw; };

struct Request { int tenant, user; uint32_t nonce; std::string token; };

class Backend {
public:
    Tenant tenant(int id) {
        calls_++;
        return {"tenant-" + std::to_string(id), id % 3 ? "team" : "enterprise", {"https://app" + std::to_string(id) + ".example", "https://admin.example"}};
    }
    PublicKey key(int id) {
        calls_++;
        return {"kid-" + std::to_string(id), std::string(1600, char('A' + id % 26))};
    }
    Claims introspect(const Request& r) {
        calls_++;
        Claims c;
        c.subject = "user-" + std::to_string(r.user) + "@tenant-" + std::to_string(r.tenant);
        for (int i = 0; i < 4; i++) c.scopes.push_back("service" + std::to_string((r.user + i) % 12) + ".read-write");
        c.raw = "{\"sub\":\"" + c.subject + "\",\"iat\":" + std::to_string(r.nonce) + ",\"sig\":\"" + std::string(180, 'x') + "\"}";
        return c;
    }
    unsigned long calls() const { return calls_; }
private:
    unsigned long calls_ = 0;
};

class Gate {
public:
    explicit Gate(Backend& b) : backend_(b), tenants_("tenants", 5000), keys_("keys", 20000), claims_("claims", 300) {}

    bool admit(const Request& r, Clock now) {
        const Tenant& t = tenant_of(r, now);
        if (!signature_ok(r, now)) return false;
        return authorised(r, t, now);
    }
    void report() const { tenants_.report(); keys_.report(); claims_.report(); }

private:
    const Tenant& tenant_of(const Request& r, Clock now) {
        return tenants_.get(std::to_string(r.tenant), now, [&] { return backend_.tenant(r.tenant); });
    }
    bool signature_ok(const Request& r, Clock now) {
        const PublicKey& k = keys_.get("kid" + std::to_string(r.tenant % 16), now, [&] { return backend_.key(r.tenant % 16); });
        uint32_t h = 0;
        for (unsigned char c : r.token) h = h * 31 + c;
        for (unsigned char c : k.pem) h ^= c;
        return h % 97 != 0;
    }
    bool authorised(const Request& r, const Tenant& t, Clock now) {
        const Claims& c = claims_.get(r.token, now, [&] { return backend_.introspect(r); });
        std::string want = "service" + std::to_string(r.nonce % 12) + ".read-write";
        for (auto& s : c.scopes)
            if (s == want) return true;
        return t.plan == "enterprise";
    }

    Backend& backend_;
    TtlCache<Tenant> tenants_;
    TtlCache<PublicKey> keys_;
    TtlCache<Claims> claims_;
};

static Request next_request(uint32_t i) {
    uint32_t h = i * 2654435761u;
    uint32_t issue = i / 4 * 40503u;
    Request r{int(h >> 8) % 40, int(issue % 3000), h >> 5, ""};
    r.tenant = r.user % 40;
    r.token = "eyJhbGciOi." + std::to_string(r.user) + "." + std::to_string(issue) + "." + std::string(60, char('a' + issue % 26));
    return r;
}

int main() {
    Backend backend;
    Gate gate(backend);
    unsigned long admitted = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        admitted += gate.admit(next_request(i), Clock(i / 20));
        if (i % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(7));
    }
    gate.report();
    std::printf("admitted %lu, backend calls %lu\n", admitted, backend.calls());
}
