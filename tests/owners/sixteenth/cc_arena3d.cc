// arena3d - headless match server: entities move, shoot and are removed by systems.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Vec3 { double x, y, z; };
static Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

using EntityId = uint32_t;

struct Entity {
    EntityId id;
    Vec3 pos, vel;
    int ttl;
    bool shell;
};

class World {
public:
    std::vector<Entity> live;
    std::vector<EntityId> removed;
    long tick = 0;
    EntityId spawn(Vec3 p, Vec3 v, int ttl, bool shell) {
        live.push_back({++last_, p, v, ttl, shell});
        return last_;
    }
private:
    EntityId last_ = 0;
};

struct System {
    virtual ~System() = default;
    virtual void step(World& w) = 0;
    virtual void entity_removed(EntityId) {}
    virtual std::string stats() const { return ""; }
};

class Physics : public System {
public:
    void step(World& w) override {
        for (auto& e : w.live) {
            e.pos = e.pos + e.vel;
            e.vel.z -= 0.05;
            if (e.pos.z < 0) { e.pos.z = 0; e.vel.z = std::fabs(e.vel.z) * 0.6; }
        }
    }
};

class Shooting : public System {
public:
    void step(World& w) override {
        size_t n = w.live.size();
        for (size_t i = 0; i < n; i++) {
            if (w.live[i].shell || (w.tick + w.live[i].id) % 12) continue;
            Vec3 p = w.live[i].pos;
            double a = double(w.tick % 360) * 0.0174;
            w.spawn(p, {std::cos(a), std::sin(a), 0.8}, 40 + int(w.live[i].id % 30), true);
            shots_++;
        }
    }
    std::string stats() const override { return "shots " + std::to_string(shots_); }
private:
    unsigned long shots_ = 0;
};

class LagCompensation : public System {
public:
    void step(World& w) override {
        for (auto& e : w.live)
            path_[e.id].push_back({w.tick, e.pos}); // guilty
        checks_ += w.live.empty() ? 0 : rewind(w.live.front().id, w.tick - 6).x > 0;
    }
    Vec3 rewind(EntityId id, long tick) const {
        auto it = path_.find(id);
        if (it == path_.end()) return {0, 0, 0};
        for (auto s = it->second.rbegin(); s != it->second.rend(); ++s)
            if (s->tick <= tick) return s->pos;
        return it->second.front().pos;
    }
    std::string stats() const override { return "checks " + std::to_string(checks_); }
private:
    struct Sample { long tick; Vec3 pos; };
    std::unordered_map<EntityId, std::vector<Sample>> path_;
    unsigned long checks_ = 0;
};

class Snapshots : public System {
public:
    void step(World& w) override {
        std::string s;
        for (auto& e : w.live) s += std::to_string(e.id) + ":" + std::to_string(int(e.pos.x)) + "," + std::to_string(int(e.pos.y)) + ";";
        ring_[size_t(w.tick) % 32] = std::move(s);
    }
    void entity_removed(EntityId) override { gone_++; }
    std::string stats() const override { return "removed " + std::to_string(gone_); }
private:
    std::string ring_[32];
    unsigned long gone_ = 0;
};

class Lifetimes : public System {
public:
    void step(World& w) override {
        std::vector<Entity> keep;
        keep.reserve(w.live.size());
        for (auto& e : w.live)
            if (e.ttl < 0 || --e.ttl > 0) keep.push_back(e);
            else w.removed.push_back(e.id);
        w.live.swap(keep);
    }
};

int main() {
    World w;
    std::vector<std::unique_ptr<System>> systems;
    systems.push_back(std::make_unique<Physics>());
    systems.push_back(std::make_unique<Shooting>());
    systems.push_back(std::make_unique<LagCompensation>());
    systems.push_back(std::make_unique<Snapshots>());
    systems.push_back(std::make_unique<Lifetimes>());
    for (int i = 0; i < 64; i++) w.spawn({double(i % 8) * 10, double(i / 8) * 10, 0}, {0.1, 0.02 * i, 0}, -1, false);
    for (w.tick = 0; w.tick < 3600; w.tick++) {
        for (auto& s : systems) s->step(w);
        for (EntityId id : w.removed)
            for (auto& s : systems) s->entity_removed(id);
        w.removed.clear();
        if (w.tick % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    for (auto& s : systems)
        if (!s->stats().empty()) std::printf("%s\n", s->stats().c_str());
}
