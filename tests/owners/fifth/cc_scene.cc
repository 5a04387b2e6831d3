// The scene of a modelling program, which can go back.
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

struct Vec3 {
    float x = 0, y = 0, z = 0;
};

class Node
{
public:
    explicit Node(std::string name) : name_(std::move(name)) {}
    virtual ~Node() = default;
    virtual std::unique_ptr<Node> clone() const = 0;
    virtual void translate(const Vec3 &by) = 0;
    virtual std::size_t vertices() const = 0;
    const std::string &name() const { return name_; }

private:
    std::string name_;
};

class Mesh : public Node
{
public:
    Mesh(std::string name, int rings) : Node(std::move(name))
    {
        for (int i = 0; i < rings; i++)
            for (int j = 0; j < rings; j++) {
                float a = i * 6.2831853f / rings, b = j * 3.1415926f / rings;
                points_.push_back({std::cos(a) * std::sin(b), std::sin(a) * std::sin(b), std::cos(b)});
            }
    }
    std::unique_ptr<Node> clone() const override { return std::make_unique<Mesh>(*this); }
    void translate(const Vec3 &by) override
    {
        for (auto &p : points_)
            p = {p.x + by.x, p.y + by.y, p.z + by.z};
    }
    std::size_t vertices() const override { return points_.size(); }

private:
    std::vector<Vec3> points_;
};

class Group : public Node
{
public:
    using Node::Node;
    Group(const Group &other) : Node(other)
    {
        for (const auto &child : other.children_)
            children_.push_back(child->clone());
    }
    void add(std::unique_ptr<Node> child) { children_.push_back(std::move(child)); }
    Node &at(std::size_t i) { return *children_.at(i % children_.size()); }
    std::unique_ptr<Node> clone() const override { return std::make_unique<Group>(*this); }
    void translate(const Vec3 &by) override
    {
        for (auto &child : children_)
            child->translate(by);
    }
    std::size_t vertices() const override
    {
        std::size_t sum = 0;
        for (const auto &child : children_)
            sum += child->vertices();
        return sum;
    }

private:
    std::vector<std::unique_ptr<Node>> children_;
};

class History
{
public:
    // All of the scene for each step, whatever it changes.
    void checkpoint(const Node &scene, const std::string &what)
    {
        steps_.emplace_back(what, scene.clone()); // guilty
    }
    const Node *last() const { return steps_.empty() ? nullptr : steps_.back().second.get(); }
    std::size_t size() const { return steps_.size(); }

private:
    std::vector<std::pair<std::string, std::unique_ptr<Node>>> steps_;
};

class Clipboard
{
public:
    void copy(const Node &node) { held_ = node.clone(); }
    std::unique_ptr<Node> paste() const { return held_ ? held_->clone() : nullptr; }

private:
    std::unique_ptr<Node> held_;
};

class Editor
{
public:
    Editor() : scene_("scene")
    {
        for (int g = 0; g < 6; g++) {
            auto group = std::make_unique<Group>("group " + std::to_string(g));
            for (int m = 0; m < 5; m++)
                group->add(std::make_unique<Mesh>("mesh " + std::to_string(m), 12 + m));
            scene_.add(std::move(group));
        }
    }
    void move(std::size_t which, const Vec3 &by)
    {
        history_.checkpoint(scene_, "move " + scene_.at(which).name());
        scene_.at(which).translate(by);
    }
    void duplicate(std::size_t which)
    {
        clipboard_.copy(scene_.at(which));
        if (which % 100 == 0)
            scene_.add(clipboard_.paste());
    }
    void report() const { std::cout << scene_.vertices() << " vertices, " << history_.size() << " steps\n"; }

private:
    Group scene_;
    History history_;
    Clipboard clipboard_;
};

int main()
{
    Editor editor;
    for (std::size_t i = 1; i < 500; i++) {
        editor.duplicate(i);
        editor.move(i, {0.1f, 0.2f, i * 0.001f});
    }
    editor.report();
}
