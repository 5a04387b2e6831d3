/*
 * Keeps 7,042 + 2,001 + 77 bytes and frees 3,003, under the heap profiler of gperftools, and then
 * 64 MiB in blocks of many sizes for its sampler. Writes what the sampler and the growth of the heap
 * say to sample.heap and growth.heap.
 */
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gperftools/malloc_extension.h>
#include <string>

static void *kept[100000];
static int count;

__attribute__((noinline)) void leak(size_t size)
{
    void *block = malloc(size);
    memset(block, 1, size);
    kept[count++] = block;
}

__attribute__((noinline)) void leak_many(size_t times)
{
    for (size_t i = 0; i < times; i++)
        leak(1000 + i);
    __asm__("");
}

__attribute__((noinline)) void fill(size_t bytes)
{
    for (size_t size = 100; bytes > size; size += 7) {
        leak(size);
        bytes -= size;
    }
    __asm__("");
}

int main(int argc, char **)
{
    leak_many(10);
    leak(77);
    for (int i = 0; i < 3; i++)
        free(kept[i]);
    leak_many(2);
    if (argc > 1) {
        fill(64 << 20);
        std::string text;
        MallocExtension::instance()->GetHeapSample(&text);
        std::ofstream("sample.heap") << text;
        text.clear();
        MallocExtension::instance()->GetHeapGrowthStacks(&text);
        std::ofstream("growth.heap") << text;
    }
    return 0;
}
