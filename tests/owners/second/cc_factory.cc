// A factory that makes shapes by name, for a scene that is loaded again and again.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

struct Circle : Shape {
    double points[64];
    double r = 1;
    double area() const override
    {
        return 3.14 * r * r;
    }
};

struct Square : Shape {
    double points[8];
    double a = 1;
    double area() const override
    {
        return a * a;
    }
};

__attribute__((noinline)) static std::unique_ptr<Shape> make_shape(const char *name)
{
    if (std::strcmp(name, "circle") == 0)
        return std::make_unique<Circle>();
    return std::make_unique<Square>();
}

class Scene {
  public:
    __attribute__((noinline)) void import_drawing()
    {
        for (int i = 0; i < 100; i++)
            shapes.push_back(make_shape("circle")); // guilty
    }
    __attribute__((noinline)) void add_frame()
    {
        for (int i = 0; i < 400; i++)
            shapes.push_back(make_shape("square"));
    }
    double area() const
    {
        double sum = 0;
        for (auto &shape : shapes)
            sum += shape->area();
        return sum;
    }

  private:
    std::vector<std::unique_ptr<Shape>> shapes;
};

int main()
{
    Scene *scene = new Scene;
    scene->add_frame();
    for (int i = 0; i < 900; i++)
        scene->import_drawing();
    std::printf("%f\n", scene->area());
    std::_Exit(0);
}
