#include "render/table/shortpath.h"

#include <stdint.h>
#include <stdlib.h>

/* How many bytes two paths have in common at their ends. */
static size_t shared_tail(struct hf_text a, struct hf_text b)
{
    size_t shared = 0;
    while (shared < a.size && shared < b.size &&
           a.data[a.size - 1 - shared] == b.data[b.size - 1 - shared])
        shared++;
    return shared;
}

/* Order of the bytes from the end: paths that end alike become neighbours. */
static int compare_backwards(const void *left, const void *right, void *context)
{
    const struct hf_text *paths = context;
    struct hf_text a = paths[*(const size_t *)left], b = paths[*(const size_t *)right];
    size_t shared = shared_tail(a, b);
    if (shared == a.size || shared == b.size)
        return (a.size > b.size) - (a.size < b.size);
    unsigned char at_a = (unsigned char)a.data[a.size - 1 - shared];
    unsigned char at_b = (unsigned char)b.data[b.size - 1 - shared];
    return (at_a > at_b) - (at_a < at_b);
}

/* The shortest tail of whole components that is longer than `shared` bytes. */
static struct hf_text tail_beyond(struct hf_text path, size_t shared)
{
    if (shared >= path.size)
        return path;
    size_t start = path.size - shared - 1;
    while (start > 0 && path.data[start - 1] != '/')
        start--;
    return hf_text_from(path, start);
}

bool hf_short_paths(const struct hf_text *paths, size_t count, struct hf_text *out_shorts)
{
    size_t *order = reallocarray(NULL, count + 1, sizeof *order);
    if (order == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_backwards, (void *)(uintptr_t)paths);
    size_t shared_before = 0;
    for (size_t first = 0; first < count;) {
        struct hf_text path = paths[order[first]];
        size_t next = first + 1;
        while (next < count && hf_text_equal(paths[order[next]], path))
            next++;
        size_t shared_after = next < count ? shared_tail(path, paths[order[next]]) : 0;
        size_t shared = shared_before > shared_after ? shared_before : shared_after;
        for (; first < next; first++)
            out_shorts[order[first]] = tail_beyond(path, shared);
        shared_before = shared_after;
    }
    free(order);
    return true;
}
