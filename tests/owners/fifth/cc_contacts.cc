// Balls in a box, with listeners for what touches what.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>

typedef float real;

template <typename T> class Array
{
    static_assert(std::is_trivially_copyable<T>::value, "memcpy");

public:
    Array() {}
    Array(const Array &) = delete;
    ~Array() { std::free(m_items); }

    void Push(const T &item)
    {
        if (m_count == m_capacity)
            Grow(m_capacity ? m_capacity + m_capacity / 4 + 4 : 16);
        m_items[m_count++] = item;
    }
    void Clear() { m_count = 0; }
    int Count() const { return m_count; }
    T &operator[](int i) { return m_items[i]; }
    T *begin() { return m_items; }
    T *end() { return m_items + m_count; }

private:
    void Grow(int capacity)
    {
        T *items = static_cast<T *>(std::malloc(sizeof(T) * capacity));
        if (m_count)
            std::memcpy(static_cast<void *>(items), m_items, sizeof(T) * m_count);
        std::free(m_items);
        m_items = items;
        m_capacity = capacity;
    }

    T *m_items = nullptr;
    int m_count = 0, m_capacity = 0;
};

struct Body { real x, y, vx, vy, radius; };
struct Pair { int a, b; };
struct Contact { int a, b; real x, y, nx, ny, depth, impulse, velocity[4]; double time; };

class ContactListener
{
public:
    virtual ~ContactListener() {}
    virtual void OnContact(const Contact &contact) = 0;
    virtual void OnStep(double) {}
};

class World
{
public:
    explicit World(int bodies)
    {
        for (int i = 0; i < bodies; i++)
            m_bodies.Push({real(i % 30) * 2.1f, real(i / 30) * 2.1f, real(i * 7 % 11 - 5), real(i * 5 % 13 - 6), 1});
    }
    void Add(ContactListener *listener) { m_listeners.Push(listener); }
    int Step(double dt)
    {
        m_time += dt;
        for (Body &b : m_bodies) {
            b.x += b.vx * real(dt);
            b.y += b.vy * real(dt);
            if (b.x < 0 || b.x > 63) b.vx = b.x < 0 ? std::fabs(b.vx) : -std::fabs(b.vx);
            if (b.y < 0 || b.y > 42) b.vy = b.y < 0 ? std::fabs(b.vy) : -std::fabs(b.vy);
        }
        m_pairs.Clear();
        for (int i = 0; i < m_bodies.Count(); i++)
            for (int j = i + 1; j < m_bodies.Count(); j++)
                if (std::fabs(m_bodies[i].x - m_bodies[j].x) < 2 && std::fabs(m_bodies[i].y - m_bodies[j].y) < 2)
                    m_pairs.Push({i, j});
        for (const Pair &p : m_pairs)
            Solve(p);
        for (ContactListener *l : m_listeners)
            l->OnStep(m_time);
        return m_pairs.Count();
    }

private:
    void Solve(const Pair &p)
    {
        Body &a = m_bodies[p.a], &b = m_bodies[p.b];
        real dx = b.x - a.x, dy = b.y - a.y, d = std::sqrt(dx * dx + dy * dy) + 1e-6f;
        if (d > 2)
            return;
        real nx = dx / d, ny = dy / d, v = (b.vx - a.vx) * nx + (b.vy - a.vy) * ny;
        if (v < 0) {
            a.vx += v * nx, a.vy += v * ny;
            b.vx -= v * nx, b.vy -= v * ny;
        }
        for (ContactListener *l : m_listeners)
            l->OnContact({p.a, p.b, a.x + nx, a.y + ny, nx, ny, 2 - d, -v, {a.vx, a.vy, b.vx, b.vy}, m_time});
    }

    Array<Body> m_bodies;
    Array<Pair> m_pairs;
    Array<ContactListener *> m_listeners;
    double m_time = 0;
};

class Statistics : public ContactListener
{
public:
    void OnContact(const Contact &contact) override { m_sum += contact.impulse; m_now++; }
    void OnStep(double) override { m_perStep.Push(m_now); m_now = 0; }
    double Sum() const { return m_sum; }

private:
    Array<int> m_perStep;
    double m_sum = 0;
    int m_now = 0;
};

// Plays a sound for hard ones, after the game was stopped: all are noted down until then.
class SoundQueue : public ContactListener
{
public:
    void OnContact(const Contact &contact) override
    {
        m_played += contact.impulse > 8;
        m_contacts.Push(contact); // guilty
    }
    int Played() const { return m_played; }

private:
    Array<Contact> m_contacts;
    int m_played = 0;
};

int main()
{
    World world(600);
    auto statistics = std::make_unique<Statistics>();
    auto sounds = std::make_unique<SoundQueue>();
    world.Add(statistics.get());
    world.Add(sounds.get());
    long pairs = 0;
    for (int i = 0; i < 1500; i++)
        pairs += world.Step(0.02);
    std::printf("%ld pairs, %d sounds, %.0f\n", pairs, sounds->Played(), statistics->Sum());
}
