// Traces rays through a camera lens: surfaces of glass, refraction by colour, vignetting, and the spots on the film.
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Vec {
    double x = 0, y = 0, z = 0;
};

Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator*(const Vec& a, double s) { return {a.x * s, a.y * s, a.z * s}; }
double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Glass {
    std::string name;
    double a, b;

    double index(double micrometres) const { return a + b / (micrometres * micrometres); }
};

struct Surface {
    double position, radius, aperture;
    const Glass* behind; // nullptr is air
};

struct Ray {
    Vec origin, direction;
    double colour;
    double brightness = 1;
};

struct Path {
    double colour = 0;
    double angle = 0;
    std::vector<Vec> points;
    bool arrived = false;
};

class Lens {
public:
    const Glass* glass(std::string name, double a, double b)
    {
        glasses_.push_back(std::make_unique<Glass>(Glass{std::move(name), a, b}));
        return glasses_.back().get();
    }

    void add(double position, double radius, double aperture, const Glass* behind)
    {
        surfaces_.push_back(Surface{position, radius, aperture, behind});
    }

    Path trace(Ray ray, double film) const
    {
        Path path;
        path.colour = ray.colour;
        path.points.reserve(surfaces_.size() + 2);
        path.points.push_back(ray.origin);
        double from = 1;
        for (const auto& surface : surfaces_) {
            const auto hit = meet(ray, surface);
            if (!hit)
                return path;
            path.points.push_back(*hit);
            const double to = surface.behind ? surface.behind->index(ray.colour) : 1;
            if (!refract(ray, surface, *hit, from / to))
                return path;
            from = to;
        }
        const double t = (film - ray.origin.z) / ray.direction.z;
        path.points.push_back(ray.origin + ray.direction * t);
        path.arrived = true;
        return path;
    }

private:
    static std::optional<Vec> meet(const Ray& ray, const Surface& s)
    {
        const Vec centre{0, 0, s.position + s.radius};
        const Vec to = ray.origin + centre * -1;
        const double b = dot(to, ray.direction), c = dot(to, to) - s.radius * s.radius, d = b * b - c;
        if (d < 0)
            return std::nullopt;
        const double t = s.radius > 0 ? -b - std::sqrt(d) : -b + std::sqrt(d);
        const Vec hit = ray.origin + ray.direction * t;
        if (std::hypot(hit.x, hit.y) > s.aperture)
            return std::nullopt;
        return hit;
    }

    static bool refract(Ray& ray, const Surface& s, const Vec& hit, double ratio)
    {
        Vec normal = (hit + Vec{0, 0, -(s.position + s.radius)}) * (1 / s.radius);
        double c = -dot(normal, ray.direction);
        if (c < 0) {
            normal = normal * -1;
            c = -c;
        }
        const double k = 1 - ratio * ratio * (1 - c * c);
        if (k < 0)
            return false;
        ray.direction = ray.direction * ratio + normal * (ratio * c - std::sqrt(k));
        ray.origin = hit;
        return true;
    }

    std::vector<std::unique_ptr<Glass>> glasses_;
    std::vector<Surface> surfaces_;
};

class Analysis {
public:
    void add(double angle, Path path)
    {
        path.angle = angle;
        if (path.arrived) {
            auto& spot = spots_[angle];
            const Vec& end = path.points.back();
            spot.sum = spot.sum + end;
            spot.square += end.x * end.x + end.y * end.y;
            ++spot.rays;
        } else {
            ++lost_;
        }
        paths_.push_back(std::move(path)); // guilty
    }

    void print() const
    {
        for (const auto& [angle, spot] : spots_) {
            const Vec mean = spot.sum * (1.0 / spot.rays);
            std::printf("%4.1f degrees: %6d rays, spot of %.3f mm\n", angle, spot.rays, std::sqrt(spot.square / spot.rays - mean.x * mean.x - mean.y * mean.y));
        }
        std::printf("%d rays were lost\n", lost_);
    }

    // A few rays for the drawing of the lens.
    std::string drawing(size_t every) const
    {
        std::string svg;
        char text[64];
        for (size_t i = 0; i < paths_.size(); i += every) {
            for (const Vec& p : paths_[i].points) {
                std::snprintf(text, sizeof(text), "%.2f,%.2f ", p.z, p.y);
                svg += text;
            }
            svg += '\n';
        }
        return svg;
    }

private:
    struct Spot {
        Vec sum;
        double square = 0;
        int rays = 0;
    };
    std::vector<Path> paths_;
    std::map<double, Spot> spots_;
    int lost_ = 0;
};

int main()
{
    Lens lens;
    const Glass* crown = lens.glass("crown", 1.5046, 0.0042);
    const Glass* flint = lens.glass("flint", 1.6030, 0.0125);
    lens.add(0, 31, 12, crown);
    lens.add(6, -45, 12, flint);
    lens.add(8, 120, 11, nullptr);
    lens.add(16, -38, 9, flint);
    lens.add(18, 40, 9, crown);
    lens.add(24, -30, 10, nullptr);
    Analysis analysis;
    for (double angle = 0; angle < 12; angle += 2)
        for (double colour : {0.45, 0.55, 0.65})
            for (int y = -55; y <= 55; ++y)
                for (int x = -55; x <= 55; ++x) {
                    const double a = angle * 3.14159265 / 180;
                    Ray ray{{x * 0.2, y * 0.2, -20}, {0, std::sin(a), std::cos(a)}, colour};
                    analysis.add(angle, lens.trace(ray, 75));
                }
    analysis.print();
    std::printf("%zu bytes of drawing\n", analysis.drawing(5000).size());
}
