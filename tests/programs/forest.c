/* A C program with stacks of many kinds; writes a heap dump to the file it is told. */
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree {
    struct tree *left, *right;
    char *label;
};

struct list {
    void **items;
    size_t count, capacity;
};

static struct list kept;

/* Small and static: gcc inlines it into every caller. */
static void keep(void *item)
{
    if (kept.count == kept.capacity) {
        kept.capacity = kept.capacity != 0 ? kept.capacity * 2 : 8;
        kept.items = realloc(kept.items, kept.capacity * sizeof *kept.items);
    }
    kept.items[kept.count++] = item;
}

static inline char *make_label(int depth)
{
    char text[32];
    snprintf(text, sizeof text, "node at depth %d", depth);
    return strdup(text);
}

__attribute__((noinline)) static struct tree *grow(int depth)
{
    struct tree *tree = calloc(1, sizeof *tree);
    tree->label = make_label(depth);
    if (depth > 0) {
        tree->left = grow(depth - 1);
        tree->right = grow(depth - 1);
    }
    return tree;
}

typedef void *maker(size_t size);

__attribute__((noinline)) static void *make_plain(size_t size)
{
    return malloc(size);
}

__attribute__((noinline)) static void *make_aligned(size_t size)
{
    void *block = NULL;
    return posix_memalign(&block, 256, size) == 0 ? block : NULL;
}

__attribute__((noinline)) static void *make_array(size_t size)
{
    return aligned_alloc(64, size & ~(size_t)63);
}

__attribute__((noinline)) static void repeat(maker *make, size_t size, int times)
{
    for (int i = 0; i < times; i++)
        keep(make(size + (size_t)i * 100));
}

static void *worker(void *argument)
{
    repeat(make_plain, (size_t)argument, 20);
    return NULL;
}

__attribute__((noinline)) static void read_own_source(const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    while (file != NULL && getline(&line, &size, file) > 0)
        keep(strndup(line, 20));
    keep(file); /* stays open: its buffer is libc's, on our account */
    keep(line);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    keep(grow(7));
    repeat(make_plain, 1000, 50);
    repeat(make_aligned, 5000, 20);
    repeat(make_array, 3000, 30);
    pthread_t threads[3];
    for (size_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(2000 + 1000 * i));
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    read_own_source(argv[2]);
    const char *path = argv[1];
    return mallctl("prof.dump", NULL, NULL, &path, sizeof path);
}
