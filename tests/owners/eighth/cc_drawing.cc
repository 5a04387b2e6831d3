// A drawing program: commands change layers of shapes and can be undone.
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

struct Point {
    double x = 0, y = 0;
};

class Shape {
public:
    virtual ~Shape() = default;
    virtual std::unique_ptr<Shape> clone() const = 0;
    virtual void move(double dx, double dy) = 0;
    virtual double length() const = 0;
};
using ShapePtr = std::unique_ptr<Shape>;

class Polyline : public Shape {
public:
    explicit Polyline(std::vector<Point> points) : points_(std::move(points)) {}
    ShapePtr clone() const override { return std::make_unique<Polyline>(*this); }
    void move(double dx, double dy) override
    {
        for (auto &point : points_) {
            point.x += dx;
            point.y += dy;
        }
    }
    double length() const override
    {
        double sum = 0;
        for (std::size_t i = 1; i < points_.size(); i++)
            sum += std::hypot(points_[i].x - points_[i - 1].x, points_[i].y - points_[i - 1].y);
        return sum;
    }

private:
    std::vector<Point> points_;
};

class Label : public Shape {
public:
    Label(Point at, std::string text) : at_(at), text_(std::move(text)) {}
    ShapePtr clone() const override { return std::make_unique<Label>(*this); }
    void move(double dx, double dy) override { at_ = {at_.x + dx, at_.y + dy}; }
    double length() const override { return 0.6 * static_cast<double>(text_.size()); }

private:
    Point at_;
    std::string text_;
};

class Layer {
public:
    explicit Layer(std::string name) : name_(std::move(name)) {}
    Layer(const Layer &other) : name_(other.name_)
    {
        shapes_.reserve(other.shapes_.size());
        for (auto &shape : other.shapes_)
            shapes_.push_back(shape->clone());
    }
    Layer(Layer &&) = default;
    Layer &operator=(Layer &&) = default;

    void add(ShapePtr shape) { shapes_.push_back(std::move(shape)); }
    Shape &shape(std::size_t index) { return *shapes_[index % shapes_.size()]; }
    std::size_t size() const { return shapes_.size(); }
    double length() const
    {
        double sum = 0;
        for (auto &shape : shapes_)
            sum += shape->length();
        return sum;
    }

private:
    std::string name_;
    std::vector<ShapePtr> shapes_;
};

class History {
public:
    void checkpoint(std::size_t index, const Layer &layer)
    {
        undo_.push_back({index, std::make_unique<Layer>(layer)}); // guilty
        redo_.clear();
    }
    bool back(std::vector<Layer> &layers)
    {
        if (undo_.empty())
            return false;
        auto [index, layer] = std::move(undo_.back());
        undo_.pop_back();
        std::swap(layers[index], *layer);
        redo_.push_back({index, std::move(layer)});
        return true;
    }
    std::size_t depth() const { return undo_.size(); }

private:
    struct Step {
        std::size_t index;
        std::unique_ptr<Layer> layer;
    };
    std::vector<Step> undo_, redo_;
};

class Drawing {
public:
    using Command = std::function<void(Layer &)>;

    void import_plan(int layers, int shapes)
    {
        std::mt19937 random(3);
        for (int l = 0; l < layers; l++) {
            Layer layer("floor " + std::to_string(l));
            for (int s = 0; s < shapes; s++) {
                std::vector<Point> points(8 + random() % 40);
                for (auto &point : points)
                    point = {static_cast<double>(random() % 1000), static_cast<double>(random() % 1000)};
                layer.add(std::make_unique<Polyline>(std::move(points)));
                if (s % 5 == 0)
                    layer.add(std::make_unique<Label>(Point{1, 2}, "room " + std::to_string(l) + "." + std::to_string(s) + ", 18.5 square metres"));
            }
            layers_.push_back(std::move(layer));
        }
    }

    void perform(std::size_t index, const Command &command)
    {
        history_.checkpoint(index, layers_[index]);
        command(layers_[index]);
        changes_++;
    }
    bool undo() { return history_.back(layers_); }
    std::size_t layers() const { return layers_.size(); }
    std::size_t steps() const { return history_.depth(); }
    double length() const
    {
        double sum = 0;
        for (auto &layer : layers_)
            sum += layer.length();
        return sum;
    }

private:
    std::vector<Layer> layers_;
    History history_;
    std::size_t changes_ = 0;
};

int main()
{
    Drawing drawing;
    drawing.import_plan(120, 100);
    std::mt19937 random(8);
    for (int i = 0; i < 900; i++) {
        const std::size_t layer = random() % drawing.layers();
        const std::size_t which = random();
        if (i % 20 == 19)
            drawing.undo();
        else if (i % 3 == 0)
            drawing.perform(layer, [which](Layer &to) { to.add(std::make_unique<Label>(Point{}, "door " + std::to_string(which))); });
        else
            drawing.perform(layer, [which](Layer &to) { to.shape(which).move(2.5, -1); });
    }
    std::cout << drawing.steps() << " steps to undo, " << drawing.length() << " mm\n";
}
