// Convoy: small server-side simulation of cargo ships and their escorts.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Vec { float x, y; };

struct Unit {
    int id = 0;
    std::string name;
    Vec pos{0, 0}, vel{0, 0};
    float hull = 100;
    std::vector<Vec> trail;
    std::function<void(float)> on_hit;
    std::function<void()> on_sunk;
};

class NavMesh {
public:
    const std::vector<float>& sector_cost(int sx, int sy) {
        auto& s = sectors_[(sx & 15) * 16 + (sy & 15)];
        if (s.empty()) {
            s.resize(3000);
            for (size_t i = 0; i < s.size(); ++i) s[i] = std::sin(float(i + size_t(sx))) + 2;
        }
        return s;
    }
private:
    std::unordered_map<int, std::vector<float>> sectors_;
};

class World {
public:
    explicit World(unsigned seed) : rng_(seed) {}

    std::shared_ptr<Unit> spawn_cargo() {
        auto u = std::make_shared<Unit>();
        u->id = ++last_id_;
        u->name = "cargo-" + std::to_string(u->id);
        u->pos = random_pos();
        u->vel = {1.5f, 0.3f};
        u->on_hit = [this](float dmg) { damage_ += dmg; };
        units_.push_back(u);
        return u;
    }

    void spawn_escort(const std::shared_ptr<Unit>& cargo) {
        auto escort = std::make_shared<Unit>();
        escort->id = ++last_id_;
        escort->name = "escort-" + std::to_string(escort->id) + "-of-" + cargo->name;
        escort->pos = {cargo->pos.x + 5, cargo->pos.y - 5};
        escort->trail.assign(900, escort->pos); // guilty
        escort->on_hit = [this, escort](float dmg) {
            escort->hull -= dmg;
            escort->vel = {float(rng_() % 5), float(rng_() % 5)};
        };
        escort->on_sunk = [this] { ++sunk_; };
        units_.push_back(escort);
    }

    void step() {
        for (auto& u : units_) {
            auto& cost = nav_.sector_cost(int(u->pos.x) / 64, int(u->pos.y) / 64);
            float drag = cost[size_t(u->id) % cost.size()];
            u->pos.x += u->vel.x / drag;
            u->pos.y += u->vel.y / drag;
            if (!u->trail.empty()) u->trail[size_t(u->id) % u->trail.size()] = u->pos;
            if (rng_() % 4 == 0) {
                if (u->on_hit) u->on_hit(float(rng_() % 60));
                if (u->trail.empty()) u->hull -= 12;
            }
        }
        auto dead = std::partition(units_.begin(), units_.end(), [](auto& u) { return u->hull > 0; });
        for (auto it = dead; it != units_.end(); ++it)
            if ((*it)->on_sunk) (*it)->on_sunk();
        units_.erase(dead, units_.end());
    }

    std::string snapshot() const {
        std::string s;
        for (auto& u : units_) s += u->name + ":" + std::to_string(u->pos.x) + "," + std::to_string(u->pos.y) + ";";
        return s;
    }
    size_t alive() const { return units_.size(); }
    int sunk() const { return sunk_; }

private:
    Vec random_pos() { return {float(rng_() % 1024), float(rng_() % 1024)}; }
    std::mt19937 rng_;
    NavMesh nav_;
    std::vector<std::shared_ptr<Unit>> units_;
    int last_id_ = 0, sunk_ = 0;
    float damage_ = 0;
};

int main() {
    World w(11);
    size_t sent = 0;
    for (int t = 0; t < 420; ++t) {
        for (int i = 0; i < 6; ++i) {
            auto cargo = w.spawn_cargo();
            for (int k = 0; k < 4; ++k) w.spawn_escort(cargo);
        }
        w.step();
        sent += w.snapshot().size();
        std::this_thread::sleep_for(std::chrono::milliseconds(9));
    }
    std::printf("alive=%zu sunk=%d sent=%zu\n", w.alive(), w.sunk(), sent);
}
