/* What c.c opens, and may close again: its globals keep blocks. */
#include <stddef.h>

void **library_all;
__thread void **library_own;

void library_fill(void *(*get)(size_t), int count, int is_own)
{
    void **all = get((size_t)count * sizeof *all);
    for (int i = 0; i < count; i++)
        all[i] = get(64 + (size_t)i * 7919 % 1900);
    if (is_own)
        library_own = all;
    else
        library_all = all;
}

void *library_first(void)
{
    return library_all != NULL ? library_all[0] : library_own[0];
}
