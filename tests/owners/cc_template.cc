// A template of the program's own through which everything is allocated.
#include <cstdint>
#include <cstdlib>
#include <new>

namespace memory {
template <typename T> [[gnu::noinline]] T *make(std::size_t count)
{
    void *block = std::malloc(count * sizeof(T));
    if (block == nullptr)
        throw std::bad_alloc();
    return static_cast<T *>(block);
}
} // namespace memory

static void *volatile kept;

[[gnu::noinline]] static void load_font()
{
    kept = memory::make<std::uint32_t>(500000);
}

[[gnu::noinline]] static void load_sound()
{
    kept = memory::make<std::uint32_t>(400000);
}

[[gnu::noinline]] static void load_keys()
{
    kept = memory::make<std::uint32_t>(100000);
}

[[gnu::noinline]] static void spawn_enemy(int number)
{
    kept = memory::make<std::uint32_t>(250 + static_cast<std::size_t>(number % 20)); // guilty
}

int main()
{
    load_font();
    load_sound();
    load_keys();
    for (int i = 0; i < 60000; i++)
        spawn_enemy(i);
}
