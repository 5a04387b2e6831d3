// operators.cc: every form of operator new keeps a prime number of blocks of a prime size, and each form of operator
// delete frees as many. What is printed must be what the table has: "function objects bytes" a line.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

static void *volatile kept;
static const std::align_val_t wide{128};

#define KEEPER(name, count, size, make, release)                                                                      \
    extern "C" __attribute__((noinline)) void keep_##name()                                                           \
    {                                                                                                                 \
        for (int i = 0; i < 2 * (count); i++) {                                                                       \
            void *block = make;                                                                                       \
            if (i % 2 == 0)                                                                                           \
                kept = block;                                                                                         \
            else                                                                                                      \
                release;                                                                                              \
        }                                                                                                             \
        std::printf("keep_" #name " %d %d\n", count, (count) * (size));                                               \
    }

KEEPER(new, 101, 37, ::operator new(37), ::operator delete(block))
KEEPER(new_array, 103, 41, ::operator new[](41), ::operator delete[](block))
KEEPER(new_sized, 107, 43, ::operator new(43), ::operator delete(block, std::size_t(43)))
KEEPER(new_array_sized, 109, 47, ::operator new[](47), ::operator delete[](block, std::size_t(47)))
KEEPER(new_nothrow, 113, 53, ::operator new(53, std::nothrow), ::operator delete(block, std::nothrow))
KEEPER(new_array_nothrow, 127, 59, ::operator new[](59, std::nothrow), ::operator delete[](block, std::nothrow))
KEEPER(new_aligned, 131, 256, ::operator new(256, wide), ::operator delete(block, wide))
KEEPER(new_array_aligned, 137, 384, ::operator new[](384, wide), ::operator delete[](block, wide))
KEEPER(new_aligned_sized, 139, 512, ::operator new(512, wide), ::operator delete(block, std::size_t(512), wide))
KEEPER(new_array_aligned_sized, 149, 640, ::operator new[](640, wide), ::operator delete[](block, std::size_t(640), wide))
KEEPER(new_aligned_nothrow, 151, 768, ::operator new(768, wide, std::nothrow),
    ::operator delete(block, wide, std::nothrow))
KEEPER(new_array_aligned_nothrow, 157, 896, ::operator new[](896, wide, std::nothrow),
    ::operator delete[](block, wide, std::nothrow))

// An exception passes through the hooks: libstdc++ throws it from below them.
extern "C" __attribute__((noinline)) void keep_thrown()
{
    volatile std::size_t huge = std::size_t(1) << 62;
    for (int i = 0; i < 163; i++) {
        try {
            kept = ::operator new(huge);
            std::abort();
        } catch (const std::bad_alloc &) {
        }
    }
    kept = ::operator new(61);
    std::printf("keep_thrown 1 61\n");
}

int main(int argc, char **)
{
    keep_new();
    keep_new_array();
    keep_new_sized();
    keep_new_array_sized();
    keep_new_nothrow();
    keep_new_array_nothrow();
    keep_new_aligned();
    keep_new_array_aligned();
    keep_new_aligned_sized();
    keep_new_array_aligned_sized();
    keep_new_aligned_nothrow();
    keep_new_array_aligned_nothrow();
    if (argc == 1)
        keep_thrown(); // mimalloc's operator new aborts instead
}
