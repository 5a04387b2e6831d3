#include <cstdio>
#include <memory>
#include <string>
#include <vector>
class Glyph {
  public:
    explicit Glyph(char32_t c) : code_(c) {}
    const std::vector<float> &outline() {
        if (!outline_) outline_ = std::make_unique<std::vector<float>>(trace()); // guilty
        return *outline_;
    }
  private:
    std::vector<float> trace() const {
        std::vector<float> points;
        for (int i = 0; i < 500; i++) points.push_back(float(code_) * float(i));
        return points;
    }
    char32_t code_;
    std::unique_ptr<std::vector<float>> outline_;
};
class Font {
  public:
    explicit Font(std::size_t n) { for (std::size_t i = 0; i < n; i++) glyphs_.emplace_back(char32_t(i)); }
    float width(char32_t c) { return glyphs_[c].outline().back(); }
  private:
    std::vector<Glyph> glyphs_;
};
class Page {
  public:
    float draw(Font &font, char32_t first) { float x = 0; for (char32_t c = first; c < first + 300; c++) x += font.width(c); return x; }
};
int main() {
    Font font(12000);
    Page page;
    float sum = 0;
    for (char32_t c = 0; c < 11700; c += 100) sum += page.draw(font, c);
    std::printf("%f\n", double(sum));
}
