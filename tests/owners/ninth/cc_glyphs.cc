// The text renderer of a map: rasterizes glyphs, caches them, and lays labels out while the user zooms and turns the map.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Outline {
    std::vector<std::pair<float, float>> points;
};

struct Bitmap {
    Bitmap(int w, int h) : width(w), height(h), coverage(static_cast<size_t>(w) * h) {}
    int width, height;
    std::vector<uint8_t> coverage;
};

struct GlyphKey {
    uint32_t codepoint;
    float size;
    float angle;
    bool operator==(const GlyphKey &other) const
    {
        return codepoint == other.codepoint && size == other.size && angle == other.angle;
    }
};

struct GlyphKeyHash {
    size_t operator()(const GlyphKey &key) const
    {
        size_t seed = key.codepoint;
        seed ^= std::hash<float>()(key.size) + 0x9e3779b9 + (seed << 6) + (seed >> 2);
        seed ^= std::hash<float>()(key.angle) + 0x9e3779b9 + (seed << 6) + (seed >> 2);
        return seed;
    }
};

class Font {
public:
    explicit Font(const std::string &family)
    {
        unsigned seed = static_cast<unsigned>(std::hash<std::string>()(family));
        for (uint32_t c = 32; c < 4000; c++) {
            Outline outline;
            for (int i = 0; i < 90; i++) {
                seed = seed * 1664525 + 1013904223;
                outline.points.emplace_back((seed >> 8 & 255) / 255.f, (seed >> 16 & 255) / 255.f);
            }
            outlines_.push_back(std::move(outline));
        }
    }

    Bitmap rasterize(const GlyphKey &key) const
    {
        const int side = static_cast<int>(std::ceil(key.size * 1.2f));
        Bitmap bitmap(side, side);
        const float c = std::cos(key.angle), s = std::sin(key.angle);
        for (auto [x, y] : outlines_[key.codepoint - 32].points) {
            const int px = static_cast<int>((x * c - y * s + 1) / 2.5f * side), py = static_cast<int>((x * s + y * c + 1) / 2.5f * side);
            if (px >= 0 && py >= 0 && px < side && py < side)
                bitmap.coverage[static_cast<size_t>(py) * side + px] = 255;
        }
        return bitmap;
    }

private:
    std::vector<Outline> outlines_;
};

class GlyphCache {
public:
    explicit GlyphCache(const Font &font) : font_(font) {}

    const Bitmap &glyph(uint32_t codepoint, float size, float angle)
    {
        const GlyphKey key{codepoint, size, angle};
        auto found = glyphs_.find(key);
        if (found != glyphs_.end()) {
            hits_++;
            return *found->second;
        }
        misses_++;
        auto bitmap = std::make_unique<Bitmap>(font_.rasterize(key)); // guilty
        return *glyphs_.emplace(key, std::move(bitmap)).first->second;
    }

    void report() const { std::printf("%zu glyphs, %lu hits, %lu misses\n", glyphs_.size(), hits_, misses_); }

private:
    const Font &font_;
    std::unordered_map<GlyphKey, std::unique_ptr<Bitmap>, GlyphKeyHash> glyphs_;
    unsigned long hits_ = 0, misses_ = 0;
};

class Canvas {
public:
    Canvas(int width, int height) : target_(width, height) {}
    void clear() { std::fill(target_.coverage.begin(), target_.coverage.end(), 0); }
    void blit(const Bitmap &glyph, int x, int y)
    {
        for (int row = 0; row < glyph.height; row += 2)
            for (int column = 0; column < glyph.width; column += 2)
                if (x + column >= 0 && y + row >= 0 && x + column < target_.width && y + row < target_.height)
                    target_.coverage[static_cast<size_t>(y + row) * target_.width + x + column] |=
                        glyph.coverage[static_cast<size_t>(row) * glyph.width + column];
    }

private:
    Bitmap target_;
};

struct Label {
    std::string text;
    float x, y, importance;
};

class LabelLayer {
public:
    LabelLayer(GlyphCache &glyphs, std::vector<Label> labels) : glyphs_(glyphs), labels_(std::move(labels)) {}

    void draw(Canvas &canvas, float zoom, float bearing)
    {
        for (const auto &label : labels_) {
            if (label.importance * zoom < 6)
                continue;
            const float size = 7.f + zoom * label.importance;
            float pen = label.x * zoom;
            for (unsigned char c : label.text) {
                const Bitmap &glyph = glyphs_.glyph(c, size, bearing);
                canvas.blit(glyph, static_cast<int>(pen), static_cast<int>(label.y * zoom));
                pen += glyph.width * 0.5f;
            }
        }
    }

private:
    GlyphCache &glyphs_;
    std::vector<Label> labels_;
};

static std::vector<Label> places()
{
    static const char *const names[] = {"Ashford", "Brixham", "Caister", "Dunwich", "Eversley", "Fowey", "Goole", "Hythe", "Keswick"};
    std::vector<Label> labels;
    for (int i = 0; i < 60; i++)
        labels.push_back({std::string(names[i % 9]) + " " + std::to_string(i), static_cast<float>(i * 37 % 200),
                          static_cast<float>(i * 53 % 150), 1.f + static_cast<float>(i % 4) * 0.5f});
    return labels;
}

int main()
{
    Font font("Map Sans");
    GlyphCache glyphs(font);
    LabelLayer layer(glyphs, places());
    Canvas canvas(1280, 800);
    float bearing = 0;
    for (int frame = 0; frame < 900; frame++) {
        const float zoom = 4.f + 3.f * std::sin(static_cast<float>(frame) * 0.011f);
        if (frame % 40 < 10)
            bearing += 0.0173f;
        canvas.clear();
        layer.draw(canvas, zoom, bearing);
    }
    glyphs.report();
    return 0;
}
