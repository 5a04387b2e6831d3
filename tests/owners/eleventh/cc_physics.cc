// The physics of a game: balls in a box, found by a grid, that push each other apart; contacts keep their impulses.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

struct Vec {
    float x = 0, y = 0;
    Vec operator+(Vec o) const { return {x + o.x, y + o.y}; }
    Vec operator-(Vec o) const { return {x - o.x, y - o.y}; }
    Vec operator*(float f) const { return {x * f, y * f}; }
    float dot(Vec o) const { return x * o.x + y * o.y; }
};

struct Body {
    Vec at, speed;
    float radius;
};

struct ContactPoint {
    Vec position, normal;
    float depth, impulse;
};

struct Manifold {
    std::vector<ContactPoint> points;
    uint32_t touched = 0;
};

class Grid {
public:
    Grid(float size, float cell) : columns_(static_cast<int>(size / cell) + 1), cell_(cell), cells_(columns_ * columns_) {}
    void rebuild(const std::vector<Body> &bodies) {
        for (auto &cell : cells_)
            cell.clear();
        for (uint32_t i = 0; i < bodies.size(); i++)
            cells_[index(bodies[i].at)].push_back(i);
    }
    template <typename Visit> void near(Vec at, Visit visit) const {
        int x = clamp(at.x), y = clamp(at.y);
        for (int j = std::max(0, y - 1); j <= std::min(columns_ - 1, y + 1); j++)
            for (int i = std::max(0, x - 1); i <= std::min(columns_ - 1, x + 1); i++)
                for (uint32_t other : cells_[j * columns_ + i])
                    visit(other);
    }

private:
    int clamp(float v) const { return std::min(columns_ - 1, std::max(0, static_cast<int>(v / cell_))); }
    size_t index(Vec at) const { return static_cast<size_t>(clamp(at.y) * columns_ + clamp(at.x)); }
    int columns_;
    float cell_;
    std::vector<std::vector<uint32_t>> cells_;
};

class World {
public:
    World(size_t bodies, float size) : size_(size), grid_(size, 2) {
        std::mt19937 random(4);
        std::uniform_real_distribution<float> place(0, size), speed(-9, 9);
        for (size_t i = 0; i < bodies; i++)
            bodies_.push_back({{place(random), place(random)}, {speed(random), speed(random)}, 0.6f});
    }
    void step(float dt) {
        tick_++;
        move(dt);
        grid_.rebuild(bodies_);
        for (uint32_t i = 0; i < bodies_.size(); i++)
            grid_.near(bodies_[i].at, [&](uint32_t j) {
                if (i < j)
                    collide(i, j);
            });
    }
    size_t contacts() const { return contacts_.size(); }
    double energy() const {
        double sum = 0;
        for (const Body &b : bodies_)
            sum += b.speed.dot(b.speed) / 2;
        return sum;
    }

private:
    void move(float dt) {
        for (Body &b : bodies_) {
            b.at = b.at + b.speed * dt;
            if (b.at.x < 0 || b.at.x > size_)
                b.speed.x = b.at.x < 0 ? std::fabs(b.speed.x) : -std::fabs(b.speed.x);
            if (b.at.y < 0 || b.at.y > size_)
                b.speed.y = b.at.y < 0 ? std::fabs(b.speed.y) : -std::fabs(b.speed.y);
        }
    }
    Manifold &manifold(uint32_t a, uint32_t b) {
        Manifold &m = contacts_[static_cast<uint64_t>(a) << 32 | b]; // guilty
        if (m.points.empty())
            m.points.resize(4);
        return m;
    }
    void collide(uint32_t i, uint32_t j) {
        Body &a = bodies_[i], &b = bodies_[j];
        Vec apart = b.at - a.at;
        float distance = std::sqrt(apart.dot(apart)), depth = a.radius + b.radius - distance;
        if (depth <= 0 || distance == 0)
            return;
        Manifold &m = manifold(i, j);
        ContactPoint &p = m.points[tick_ % 4];
        p.normal = apart * (1 / distance);
        p.position = a.at + p.normal * a.radius;
        p.depth = depth;
        p.impulse = m.touched + 1 == tick_ ? p.impulse * 0.5f : 0;
        float closing = (a.speed - b.speed).dot(p.normal);
        if (closing > 0) {
            p.impulse += closing;
            a.speed = a.speed - p.normal * closing;
            b.speed = b.speed + p.normal * closing;
        }
        m.touched = tick_;
    }
    float size_;
    uint32_t tick_ = 0;
    std::vector<Body> bodies_;
    Grid grid_;
    std::unordered_map<uint64_t, Manifold> contacts_;
};

int main() {
    World world(3000, 110);
    for (int frame = 0; frame < 2400; frame++) {
        world.step(1 / 60.0f);
        if (frame % 600 == 599)
            std::printf("energy %.0f, %zu contacts\n", world.energy(), world.contacts());
    }
}
