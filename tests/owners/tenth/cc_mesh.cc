// Refines a mesh of triangles by halving their edges, moves its points onto a sphere, smooths them, and writes it as OBJ.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

struct Vector {
    double x, y, z;
    Vector operator+(const Vector &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vector operator*(double f) const { return {x * f, y * f, z * f}; }
    double length() const { return std::sqrt(x * x + y * y + z * z); }
};

struct Vertex {
    Vector position;
    Vector normal, tangent;
    double u, v;
};

using Triangle = std::array<int, 3>;

class Mesh {
public:
    int add_vertex(Vector position)
    {
        double u = std::atan2(position.y, position.x), v = std::asin(position.z);
        vertices_.push_back(std::make_unique<Vertex>(Vertex{position, position, {-std::sin(u), std::cos(u), 0}, u, v})); // guilty
        return static_cast<int>(vertices_.size()) - 1;
    }

    void add_triangle(int a, int b, int c) { triangles_.push_back({a, b, c}); }

    void subdivide()
    {
        std::map<std::pair<int, int>, int> middles;
        std::vector<Triangle> old;
        old.swap(triangles_);
        triangles_.reserve(old.size() * 4);
        for (auto [a, b, c] : old) {
            int ab = middle(middles, a, b), bc = middle(middles, b, c), ca = middle(middles, c, a);
            add_triangle(a, ab, ca);
            add_triangle(b, bc, ab);
            add_triangle(c, ca, bc);
            add_triangle(ab, bc, ca);
        }
    }

    void smooth(double weight)
    {
        std::vector<Vector> sums(vertices_.size(), Vector{0, 0, 0});
        std::vector<int> counts(vertices_.size());
        for (const Triangle &t : triangles_)
            for (size_t i = 0; i < 3; i++) {
                auto at = static_cast<size_t>(t[i]);
                sums[at] = sums[at] + position(t[(i + 1) % 3]) + position(t[(i + 2) % 3]);
                counts[at] += 2;
            }
        for (size_t i = 0; i < vertices_.size(); i++)
            vertices_[i]->position = vertices_[i]->position * (1 - weight) + sums[i] * (weight / counts[i]);
    }

    std::string write_obj(size_t limit) const
    {
        std::ostringstream out;
        for (size_t i = 0; i < vertices_.size() && i < limit; i++)
            out << "v " << vertices_[i]->position.x << ' ' << vertices_[i]->position.y << ' ' << vertices_[i]->position.z << '\n';
        return out.str();
    }

    size_t vertices() const { return vertices_.size(); }
    size_t triangles() const { return triangles_.size(); }

private:
    const Vector &position(int vertex) const { return vertices_[static_cast<size_t>(vertex)]->position; }

    int middle(std::map<std::pair<int, int>, int> &middles, int a, int b)
    {
        auto key = std::make_pair(std::min(a, b), std::max(a, b));
        auto found = middles.find(key);
        if (found != middles.end())
            return found->second;
        Vector m = position(a) + position(b);
        int index = add_vertex(m * (1 / m.length()));
        middles.emplace(key, index);
        return index;
    }

    std::vector<std::unique_ptr<Vertex>> vertices_;
    std::vector<Triangle> triangles_;
};

static Mesh octahedron()
{
    Mesh mesh;
    for (Vector v : {Vector{1, 0, 0}, Vector{-1, 0, 0}, Vector{0, 1, 0}, Vector{0, -1, 0}, Vector{0, 0, 1}, Vector{0, 0, -1}})
        mesh.add_vertex(v);
    for (int x : {0, 1})
        for (int y : {2, 3})
            for (int z : {4, 5})
                mesh.add_triangle(x, y, z);
    return mesh;
}

int main()
{
    Mesh mesh = octahedron();
    for (int level = 0; level < 8; level++)
        mesh.subdivide();
    for (int i = 0; i < 4; i++)
        mesh.smooth(0.3);
    std::printf("%zu vertices, %zu triangles, %zu bytes\n", mesh.vertices(), mesh.triangles(), mesh.write_obj(2000).size());
}
