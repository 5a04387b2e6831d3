// The variants of a renderer's shaders: each material asks for a program that fits its features and the lights around it.
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace render {

enum Feature : unsigned { NormalMap = 1, Skinned = 2, Fog = 4, Shadows = 8, AlphaTest = 16 };

struct Material {
    std::string shader;
    unsigned features = 0;
    float alpha_cutoff = 0.5f;
};

struct Uniform {
    std::string name;
    int location = -1;
};

struct Program {
    std::vector<std::uint32_t> code;
    std::vector<Uniform> uniforms;
    std::uint32_t hash = 0;
};

class Compiler {
public:
    explicit Compiler(std::map<std::string, std::string> sources) : sources_(std::move(sources)) {}

    // Source to words, as a driver would give them.
    std::unique_ptr<Program> compile(const std::string &shader, const std::string &defines) const
    {
        auto found = sources_.find(shader);
        if (found == sources_.end())
            throw std::runtime_error("no shader " + shader);
        const std::string text = defines + found->second;
        auto program = std::make_unique<Program>();
        program->code.reserve(text.size() / 8);
        std::uint32_t word = 2166136261u;
        for (std::size_t i = 0; i < text.size(); i++) {
            word = (word ^ static_cast<unsigned char>(text[i])) * 16777619u;
            if (i % 8 == 7)
                program->code.push_back(word);
        }
        program->hash = word;
        reflect(*program, text);
        return program;
    }

private:
    static void reflect(Program &program, std::string_view text)
    {
        constexpr std::string_view keyword = "uniform ";
        for (auto at = text.find(keyword); at != text.npos; at = text.find(keyword, at + 1)) {
            auto from = at + keyword.size();
            auto name = text.substr(from, text.find(';', from) - from);
            program.uniforms.push_back({std::string(name), static_cast<int>(program.uniforms.size())});
        }
    }

    std::map<std::string, std::string> sources_;
};

class ShaderCache {
public:
    explicit ShaderCache(const Compiler &compiler) : compiler_(compiler) {}

    const Program &variant(const Material &material, unsigned lights, float fog_density)
    {
        const std::string defines = defines_of(material, lights, fog_density);
        auto &slot = programs_[material.shader + "\n" + defines];
        if (!slot)
            slot = compiler_.compile(material.shader, defines); // guilty
        return *slot;
    }
    std::size_t size() const { return programs_.size(); }

private:
    static std::string defines_of(const Material &material, unsigned lights, float fog_density)
    {
        std::ostringstream out;
        out << "#define LIGHTS " << lights << "\n";
        if (material.features & NormalMap)
            out << "#define NORMAL_MAP\n";
        if (material.features & Skinned)
            out << "#define SKINNED\n#define BONES 64\n";
        if (material.features & Shadows)
            out << "#define SHADOWS\n";
        if (material.features & AlphaTest)
            out << "#define ALPHA_CUTOFF " << material.alpha_cutoff << "\n";
        if (material.features & Fog)
            out << "#define FOG_DENSITY " << fog_density << "\n";
        return out.str();
    }

    const Compiler &compiler_;
    std::unordered_map<std::string, std::unique_ptr<Program>> programs_;
};

struct Mesh {
    std::vector<float> vertices;
    std::size_t material = 0;
};

class Scene {
public:
    Scene(std::size_t meshes, std::vector<Material> materials) : materials_(std::move(materials))
    {
        for (std::size_t i = 0; i < meshes; i++)
            meshes_.push_back(load_mesh(i));
    }

    std::uint32_t draw(ShaderCache &cache, unsigned frame) const
    {
        const float fog = 0.02f + 0.0001f * static_cast<float>(frame);
        std::uint32_t drawn = 0;
        for (std::size_t i = 0; i < meshes_.size(); i++) {
            const Material &material = materials_[meshes_[i].material];
            const Program &program = cache.variant(material, 1 + static_cast<unsigned>(i + frame / 100) % 4, fog);
            drawn = drawn * 31 + program.hash + static_cast<std::uint32_t>(meshes_[i].vertices.size());
        }
        return drawn;
    }

private:
    Mesh load_mesh(std::size_t number) const
    {
        Mesh mesh;
        mesh.material = number % materials_.size();
        mesh.vertices.resize(6000 + number * 20);
        for (std::size_t i = 0; i < mesh.vertices.size(); i++)
            mesh.vertices[i] = static_cast<float>((i * number) % 100) / 100;
        return mesh;
    }

    std::vector<Material> materials_;
    std::vector<Mesh> meshes_;
};

std::string example_source(const std::string &name)
{
    std::string text = "// " + name + "\n";
    for (int i = 0; i < 24; i++)
        text += "uniform vec4 " + name + "_parameter_" + std::to_string(i) + ";\n";
    for (int i = 0; i < 60; i++)
        text += "color += texture(map" + std::to_string(i % 4) + ", uv * " + std::to_string(i) + ".0) * weight;\n";
    return text;
}

} // namespace render

int main()
{
    using namespace render;
    const Compiler compiler({{"standard", example_source("standard")}, {"foliage", example_source("foliage")}, {"water", example_source("water")}});
    const Scene scene(120, {{"standard", NormalMap | Shadows}, {"foliage", AlphaTest | Fog}, {"water", Fog}, {"standard", Skinned | Shadows}});
    ShaderCache cache(compiler);
    std::uint32_t picture = 0;
    for (unsigned frame = 0; frame < 3600; frame++)
        picture ^= scene.draw(cache, frame);
    std::printf("%zu variants, picture %08x\n", cache.size(), picture);
}
