// Entities of a game are rows in pools of components, and systems go over those that have all they want.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ecs {

using Entity = std::uint32_t;

template <class T>
class Pool {
public:
    template <class... Args>
    T& emplace(Entity e, Args&&... args) {
        if (e >= sparse_.size()) sparse_.resize(e + 1, kNone);
        sparse_[e] = static_cast<std::uint32_t>(dense_.size());
        owners_.push_back(e);
        return dense_.emplace_back(T{std::forward<Args>(args)...});
    }
    T* find(Entity e) { return e < sparse_.size() && sparse_[e] != kNone ? &dense_[sparse_[e]] : nullptr; }
    void erase(Entity e) {
        if (!find(e)) return;
        const auto at = sparse_[e];
        sparse_[owners_.back()] = at;
        std::swap(dense_[at], dense_.back());
        std::swap(owners_[at], owners_.back());
        dense_.pop_back();
        owners_.pop_back();
        sparse_[e] = kNone;
    }
    const std::vector<Entity>& owners() const { return owners_; }

private:
    static constexpr std::uint32_t kNone = ~0u;
    std::vector<std::uint32_t> sparse_;
    std::vector<Entity> owners_;
    std::vector<T> dense_;
};

template <class... Components>
class World {
public:
    Entity create() {
        if (free_.empty()) return next_++;
        const Entity e = free_.back();
        free_.pop_back();
        return e;
    }
    void destroy(Entity e) {
        (std::get<Pool<Components>>(pools_).erase(e), ...);
        free_.push_back(e);
    }
    template <class T>
    Pool<T>& pool() {
        return std::get<Pool<T>>(pools_);
    }
    template <class First, class... Rest, class F>
    void each(F&& f) {
        const auto owners = pool<First>().owners();
        for (Entity e : owners)
            if ((pool<Rest>().find(e) && ...)) f(e, *pool<First>().find(e), *pool<Rest>().find(e)...);
    }

private:
    std::tuple<Pool<Components>...> pools_;
    std::vector<Entity> free_;
    Entity next_ = 0;
};

}  // namespace ecs

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Health {
    int points, most;
};
struct Effect {
    std::string name;
    int left, amount;
    ecs::Entity cause;
};
struct Effects {
    std::vector<Effect> active;
};

using World = ecs::World<Position, Velocity, Health, Effects>;

struct Movement {
    void run(World& w) {
        w.each<Position, Velocity>([](ecs::Entity, Position& p, Velocity& v) {
            p.x += v.x;
            p.y += v.y;
            if (p.x < 0 || p.x > 500) v.x = -v.x;
            if (p.y < 0 || p.y > 500) v.y = -v.y;
        });
    }
};

struct Auras {
    int tick = 0;
    void run(World& w) {
        ++tick;
        w.each<Effects, Health>([this](ecs::Entity e, Effects& effects, Health& h) {
            if (h.points * 2 < h.most) bless(effects, e);
            if ((e + tick) % 16 == 0) poison(effects, e);
        });
    }
    void bless(Effects& effects, ecs::Entity e) {
        for (const Effect& a : effects.active)
            if (a.name == "blessing") return;
        effects.active.push_back({"blessing", 10, +4, e});
    }
    void poison(Effects& effects, ecs::Entity e) {
        effects.active.push_back({"poison of the deep marsh", tick % 3 ? 20 : -1, -1, e});  // guilty
    }
};

struct Decay {
    void run(World& w) {
        w.each<Effects, Health>([](ecs::Entity, Effects& effects, Health& h) {
            for (Effect& a : effects.active) {
                if (a.left != 0) h.points += a.amount;
                if (a.left > 0) --a.left;
            }
            std::erase_if(effects.active, [](const Effect& a) { return a.left == 0; });
            h.points = std::clamp(h.points, 1, h.most);
        });
    }
};

template <class... Systems>
class Schedule {
public:
    void run(World& w) {
        std::apply([&](auto&... s) { (s.run(w), ...); }, systems_);
    }

private:
    std::tuple<Systems...> systems_;
};

ecs::Entity spawn(World& w, int i) {
    const auto e = w.create();
    w.pool<Position>().emplace(e, float(i % 500), float(i / 3 % 500));
    w.pool<Velocity>().emplace(e, float(i % 7 - 3), float(i % 5 - 2));
    w.pool<Health>().emplace(e, 60 + i % 40, 100);
    w.pool<Effects>().emplace(e);
    return e;
}

int main() {
    World world;
    Schedule<Movement, Auras, Decay> schedule;
    for (int i = 0; i < 4000; ++i) spawn(world, i);
    for (int tick = 0; tick < 1500; ++tick) {
        schedule.run(world);
        if (tick % 50 == 0) {
            const auto e = spawn(world, tick);
            if (tick % 100 == 0) world.destroy(e);
        }
    }
    std::size_t active = 0, alive = 0;
    world.each<Effects, Health>([&](ecs::Entity, Effects& e, Health&) { active += e.active.size(), ++alive; });
    std::printf("%zu alive, %zu effects\n", alive, active);
}
