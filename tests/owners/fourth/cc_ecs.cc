// Entities, components and systems: a small arcade game.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <typeindex>
#include <unordered_map>
#include <vector>

using Entity = std::uint32_t;

struct PoolBase {
    virtual ~PoolBase() = default;
    virtual void Remove(Entity) = 0;
};

template <typename T> class Pool final : public PoolBase
{
public:
    template <typename... Args> T &Emplace(Entity e, Args &&...args)
    {
        if (e >= m_Sparse.size())
            m_Sparse.resize(e + 1, 0);
        m_Dense.push_back({e, std::make_unique<T>(T{std::forward<Args>(args)...})});
        m_Sparse[e] = static_cast<std::uint32_t>(m_Dense.size());
        return *m_Dense.back().second;
    }
    void Remove(Entity e) override
    {
        if (e >= m_Sparse.size() || !m_Sparse[e])
            return;
        auto &hole = m_Dense[m_Sparse[e] - 1];
        m_Sparse[m_Dense.back().first] = m_Sparse[e];
        hole = std::move(m_Dense.back());
        m_Dense.pop_back();
        m_Sparse[e] = 0;
    }
    template <typename F> void Each(F &&f)
    {
        for (std::size_t i = 0; i < m_Dense.size(); ++i)
            f(m_Dense[i].first, *m_Dense[i].second);
    }
    std::size_t Size() const { return m_Dense.size(); }

private:
    std::vector<std::pair<Entity, std::unique_ptr<T>>> m_Dense;
    std::vector<std::uint32_t> m_Sparse;
};

class World
{
public:
    Entity Create() { return m_Next++; }
    template <typename T> Pool<T> &Of()
    {
        auto &pool = m_Pools[typeid(T)];
        if (!pool)
            pool = std::make_unique<Pool<T>>();
        return static_cast<Pool<T> &>(*pool);
    }
    template <typename T, typename... Args> T &Add(Entity e, Args &&...args)
    {
        return Of<T>().Emplace(e, std::forward<Args>(args)...);
    }
    void Destroy(Entity e)
    {
        for (auto &[type, pool] : m_Pools)
            pool->Remove(e);
    }

private:
    Entity m_Next = 0;
    std::unordered_map<std::type_index, std::unique_ptr<PoolBase>> m_Pools;
};

struct Transform {
    float x, y, angle;
};
struct Enemy {
    int health;
    float speed;
    float path[32];
};
struct Particle {
    float x, y, vx, vy, life;
    float trail[24];
};

class EnemySystem
{
public:
    void SpawnWave(World &world, int n)
    {
        for (int i = 0; i < n; ++i) {
            Entity e = world.Create();
            world.Add<Transform>(e, 40.0f * i, 0.0f, 0.0f);
            world.Add<Enemy>(e, 100, 1.0f + i % 3);
        }
    }
    template <typename OnHit> void Update(World &world, int frame, OnHit &&onHit)
    {
        std::vector<Entity> dead;
        world.Of<Enemy>().Each([&](Entity e, Enemy &enemy) {
            enemy.path[frame % 32] += enemy.speed;
            if ((e + frame) % 37 == 0) {
                onHit(enemy.path[frame % 32], frame * 0.5f);
                if ((enemy.health -= 20) <= 0)
                    dead.push_back(e);
            }
        });
        for (Entity e : dead)
            world.Destroy(e);
    }
};

class ParticleSystem
{
public:
    // Sparks have no end of their own: they fade, and are drawn with nothing.
    void Explode(World &world, float x, float y)
    {
        for (int i = 0; i < 24; ++i) {
            const float a = i * 0.2618f;
            world.Add<Particle>(world.Create(), x, y, std::cos(a), std::sin(a), 1.0f); // guilty
        }
    }
    void Update(World &world)
    {
        world.Of<Particle>().Each([](Entity, Particle &p) {
            if (p.life <= 0)
                return;
            p.life -= 0.05f;
            p.x += p.vx;
            p.y += p.vy;
        });
    }
};

int main()
{
    World world;
    EnemySystem enemies;
    ParticleSystem sparks;
    for (int frame = 0; frame < 900; ++frame) {
        if (frame % 30 == 0)
            enemies.SpawnWave(world, 110);
        enemies.Update(world, frame, [&](float x, float y) { sparks.Explode(world, x, y); });
        if (frame % 16 == 0)
            sparks.Update(world);
    }
    std::printf("%zu enemies, %zu sparks\n", world.Of<Enemy>().Size(), world.Of<Particle>().Size());
}
