// The resources of a game, with counted pointers of its own; a level gives back all it loaded but the textures it took apart.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

class Counted {
  public:
    void take() const
    {
        ++references;
    }
    void drop() const
    {
        if (--references == 0)
            delete this;
    }

  protected:
    virtual ~Counted() = default;

  private:
    mutable int references = 0;
};

template <typename T> class Ref {
  public:
    Ref() = default;
    explicit Ref(T *object) : object(object)
    {
        if (object)
            object->take();
    }
    Ref(const Ref &other) : Ref(other.object)
    {
    }
    Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr))
    {
    }
    Ref &operator=(Ref other)
    {
        std::swap(object, other.object);
        return *this;
    }
    ~Ref()
    {
        if (object)
            object->drop();
    }
    T *operator->() const
    {
        return object;
    }
    T *detach() // whoever calls it owes a drop()
    {
        return std::exchange(object, nullptr);
    }

  private:
    T *object = nullptr;
};

template <typename T, typename... Args> Ref<T> make(Args &&...args)
{
    return Ref<T>(new T(std::forward<Args>(args)...));
}

class Resource : public Counted {
  public:
    explicit Resource(size_t bytes) : data(bytes)
    {
    }
    std::vector<uint8_t> data;
};

class Mesh : public Resource {
    using Resource::Resource;
};
class Texture : public Resource {
    using Resource::Resource;
};

class Loader {
  public:
    using Factory = std::function<Ref<Resource>(size_t)>;
    Loader()
    {
        factories["mesh"] = [](size_t bytes) { return Ref<Resource>(make<Mesh>(bytes).detach()); };
    }
    Ref<Resource> load_mesh(int number)
    {
        Ref<Resource> mesh = factories["mesh"](2000 + static_cast<size_t>(number));
        mesh->drop();
        return mesh;
    }
    void load_textures(const std::string &name, std::vector<uint8_t> &atlas)
    {
        for (int level = 0; level < 3; level++) {
            Ref<Texture> texture = make<Texture>(static_cast<size_t>(4096 >> level)); // guilty
            const Texture *raw = texture.detach();
            for (size_t i = 0; i < raw->data.size(); i += 64)
                atlas[(i + name.size()) % atlas.size()] ^= static_cast<uint8_t>(raw->data[i] + level);
        }
    }

  private:
    std::map<std::string, Factory> factories;
};

class Level {
  public:
    Level(Loader &loader, int number) : atlas(100000)
    {
        for (int i = 0; i < 30; i++) {
            meshes.push_back(loader.load_mesh(i));
            loader.load_textures("wall" + std::to_string(number * 30 + i), atlas);
        }
    }
    size_t play() const
    {
        size_t sum = 0;
        for (const auto &mesh : meshes)
            sum += mesh->data.size();
        return sum + atlas[0];
    }

  private:
    std::vector<Ref<Resource>> meshes;
    std::vector<uint8_t> atlas;
};

int main()
{
    Loader loader;
    size_t sum = 0;
    for (int number = 0; number < 250; number++)
        sum += Level(loader, number).play();
    std::printf("%zu\n", sum);
    return 0;
}
