/*
 * Keeps blocks of known number and size, allocated at 48 places, and prints what it keeps: a line
 * "function objects bytes" each. With 4 KiB from sample to sample, from one to 250 samples of a
 * place are to be expected; sizes go from 16 bytes to 16 KiB, and some places have several.
 */
#include <stdio.h>
#include <stdlib.h>

#define NOT_INLINED __attribute__((noinline))

struct kept {
    struct kept *next;
};
static struct kept *volatile all;

struct site {
    const char *name;
    void (*allocate)(const struct site *site);
    size_t count, sizes[3];
};

/* Not by memory of its own: what is kept can be reached. */
static inline __attribute__((always_inline)) void keep(size_t size)
{
    struct kept *block = malloc(size);
    block->next = all;
    all = block;
}

#define SITE(number)                                                                               \
    NOT_INLINED static void site_##number(const struct site *site)                                 \
    {                                                                                              \
        for (size_t i = 0; i < site->count; i++)                                                   \
            keep(site->sizes[i % 3]);                                                              \
        __asm__ volatile("" ::"i"(1##number));                                                     \
    }
#define EACH(of)                                                                                   \
    of(00) of(01) of(02) of(03) of(04) of(05) of(06) of(07) of(08) of(09) of(10) of(11) of(12)     \
        of(13) of(14) of(15) of(16) of(17) of(18) of(19) of(20) of(21) of(22) of(23) of(24) of(25) \
            of(26) of(27) of(28) of(29) of(30) of(31) of(32) of(33) of(34) of(35) of(36) of(37)    \
                of(38) of(39) of(40) of(41) of(42) of(43) of(44) of(45) of(46) of(47)
EACH(SITE)

#define NAME(number) {.name = "site_" #number, .allocate = site_##number},
static struct site sites[] = {EACH(NAME)};
#define SITES (sizeof sites / sizeof *sites)

int main(void)
{
    static const size_t sizes[] = {16, 48, 104, 240, 1000, 2048, 5000, 16384};
    static const size_t samples[] = {1, 2, 4, 8, 30, 250};
    for (size_t i = 0; i < SITES; i++) {
        struct site *site = &sites[i];
        size_t size = sizes[i % 8];
        site->sizes[0] = size;
        site->sizes[1] = i % 5 == 0 ? size + 24 : size;
        site->sizes[2] = i % 5 == 0 ? size / 2 + 8 : size;
        site->count = samples[i / 8] * 4096 / size + 1;
        site->allocate(site);
    }
    for (size_t i = 0; i < SITES; i++) {
        size_t bytes = 0;
        for (size_t n = 0; n < sites[i].count; n++)
            bytes += sites[i].sizes[n % 3];
        printf("%s %zu %zu\n", sites[i].name, sites[i].count, bytes);
    }
    return 0;
}
