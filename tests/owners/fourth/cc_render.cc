// A renderer that follows rays through spheres; frames are made while the one before is still shown.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

namespace math {
struct Vec3 {
    double x = 0, y = 0, z = 0;
    Vec3 operator+(const Vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vec3 operator-(const Vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
    Vec3 operator*(double k) const { return {x * k, y * k, z * k}; }
    double dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
    double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
struct Box {
    Vec3 lo{1e9, 1e9, 1e9}, hi{-1e9, -1e9, -1e9};
    void add(const Vec3 &p, double r)
    {
        lo = {std::min(lo.x, p.x - r), std::min(lo.y, p.y - r), std::min(lo.z, p.z - r)};
        hi = {std::max(hi.x, p.x + r), std::max(hi.y, p.y + r), std::max(hi.z, p.z + r)};
    }
    bool hit(const Vec3 &from, const Vec3 &to) const
    {
        double near = 0, far = 1e9;
        for (int i = 0; i < 3; i++) {
            double a = (lo[i] - from[i]) / to[i], b = (hi[i] - from[i]) / to[i];
            near = std::max(near, std::min(a, b));
            far = std::min(far, std::max(a, b));
        }
        return near <= far;
    }
};
} // namespace math

using math::Vec3;

struct Sphere {
    Vec3 center;
    double radius;
};

class Bvh
{
    struct Node {
        math::Box box;
        std::unique_ptr<Node> left, right;
        std::vector<Sphere> leaf;
    };
    std::unique_ptr<Node> root_;

    static std::unique_ptr<Node> split(std::vector<Sphere>::iterator first, std::vector<Sphere>::iterator last, int axis)
    {
        auto node = std::make_unique<Node>();
        std::for_each(first, last, [&](const Sphere &s) { node->box.add(s.center, s.radius); });
        if (last - first <= 4) {
            node->leaf.assign(first, last);
            return node;
        }
        auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last, [axis](const Sphere &a, const Sphere &b) { return a.center[axis] < b.center[axis]; });
        node->left = split(first, middle, (axis + 1) % 3);
        node->right = split(middle, last, (axis + 1) % 3);
        return node;
    }
    static int count(const Node *n, const Vec3 &from, const Vec3 &to)
    {
        if (!n || !n->box.hit(from, to))
            return 0;
        return int(n->leaf.size()) + count(n->left.get(), from, to) + count(n->right.get(), from, to);
    }

public:
    static std::shared_ptr<Bvh> build(std::vector<Sphere> spheres)
    {
        auto bvh = std::make_shared<Bvh>();
        bvh->root_ = split(spheres.begin(), spheres.end(), 0);
        return bvh;
    }
    int shade(const Vec3 &from, const Vec3 &to) const { return count(root_.get(), from, to); }
};

class Display
{
    std::vector<std::function<void()>> onIdle_;

public:
    void whenIdle(std::function<void()> f) { onIdle_.push_back(std::move(f)); }
    void idle()
    {
        for (auto &f : onIdle_)
            f();
        onIdle_.clear();
    }
    std::size_t waiting() const { return onIdle_.size(); }
};

class Renderer
{
    Display &display_;
    std::shared_ptr<Bvh> sky_;
    std::vector<unsigned char> picture_ = std::vector<unsigned char>(96 * 64);

public:
    Renderer(Display &display, const std::vector<Sphere> &stars) : display_(display), sky_(Bvh::build(stars)) {}

    // The tree is to live until the picture was shown, but a display that is never idle keeps it.
    void submit(const std::vector<Sphere> &scene, int frame)
    {
        auto bvh = Bvh::build(scene); // guilty
        for (int y = 0; y < 64; y += 8)
            for (int x = 0; x < 96; x += 8) {
                Vec3 to{(x - 48) / 48.0 + 0.001, (y - 32) / 32.0 + 0.001, 1};
                picture_[y * 96 + x] = (unsigned char)(bvh->shade({0, 0, -20}, to) + sky_->shade({}, to) + frame);
            }
        display_.whenIdle([this, bvh, frame] { picture_[0] = (unsigned char)bvh->shade({}, {0.1, 0.1, double(frame)}); });
    }
};

static std::vector<Sphere> cloud(int n, double size, int seed)
{
    std::vector<Sphere> spheres(n);
    for (int i = 0; i < n; i++)
        spheres[i] = {Vec3{std::sin(i * 1.7 + seed), std::cos(i * 2.3), std::sin(i * 0.9 + seed * 2)} * size, 0.1};
    return spheres;
}

int main()
{
    Display display;
    Renderer renderer(display, cloud(9000, 50, 0));
    for (int frame = 0; frame < 130; frame++)
        renderer.submit(cloud(3000, 10, frame), frame);
    std::cout << display.waiting() << " wait\n";
}
