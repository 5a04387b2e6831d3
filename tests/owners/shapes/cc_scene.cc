#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() = default; virtual double area() const = 0; };
class Mesh : public Shape {
  public:
    explicit Mesh(int n) : points_(std::size_t(200 + n % 100)) { for (auto &p : points_) p = n; }
    double area() const override { return points_.front() * double(points_.size()); }
  private:
    std::vector<double> points_;
};
class Circle : public Shape {
  public:
    explicit Circle(int n) : r_(n) {}
    double area() const override { return 3.1 * r_ * r_; }
  private:
    double r_;
};
class Factory {
  public:
    using Maker = std::function<std::unique_ptr<Shape>(int)>;
    void learn(const std::string &kind, Maker maker) { makers_[kind] = std::move(maker); }
    std::unique_ptr<Shape> make(const std::string &kind, int n) const { return makers_.at(kind)(n); }
  private:
    std::map<std::string, Maker> makers_;
};
class Scene {
  public:
    explicit Scene(const Factory &factory) : factory_(factory) {}
    void place(const std::string &kind, int n) {
        auto shape = factory_.make(kind, n);
        if (shape->area() < 1) return;
        shapes_.push_back(std::move(shape)); // guilty
    }
    double preview(const std::string &kind, int n) const { return factory_.make(kind, n)->area(); }
    std::size_t size() const { return shapes_.size(); }
  private:
    const Factory &factory_;
    std::vector<std::unique_ptr<Shape>> shapes_;
};
int main() {
    Factory factory;
    factory.learn("mesh", [](int n) { return std::make_unique<Mesh>(n); });
    factory.learn("circle", [](int n) { return std::make_unique<Circle>(n); });
    Scene scene(factory);
    double sum = 0;
    for (int i = 1; i < 16000; i++) {
        scene.place(i % 3 ? "mesh" : "circle", i);
        sum += scene.preview("mesh", i);
    }
    std::printf("%f %zu\n", sum, scene.size());
}
