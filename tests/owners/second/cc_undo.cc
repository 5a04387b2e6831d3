// An editor that keeps each state of its picture for undo.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>

class Image {
  public:
    __attribute__((noinline)) Image(int w, int h) : size(static_cast<std::size_t>(w) * h * 4), pixels(new std::uint8_t[size])
    {
        std::memset(pixels, 0, size);
    }
    __attribute__((noinline)) Image(const Image &other) : size(other.size), pixels(new std::uint8_t[size])
    {
        std::memcpy(pixels, other.pixels, size);
    }
    ~Image()
    {
        delete[] pixels;
    }
    void set(std::size_t at, int value)
    {
        pixels[at % size] = static_cast<std::uint8_t>(value);
    }

  private:
    std::size_t size;
    std::uint8_t *pixels;
};

class Editor {
  public:
    __attribute__((noinline)) Editor() : picture(256, 256), preview(64, 64)
    {
    }
    __attribute__((noinline)) void draw(int step)
    {
        remember();
        picture.set(static_cast<std::size_t>(step) * 77, step);
    }

  private:
    __attribute__((noinline)) void remember()
    {
        undo.emplace_back(picture); // guilty
    }
    Image picture, preview;
    std::list<Image> undo;
};

int main()
{
    Editor *editor = new Editor;
    for (int i = 0; i < 250; i++)
        editor->draw(i);
    std::printf("%p\n", static_cast<void *>(editor));
    std::_Exit(0);
}
