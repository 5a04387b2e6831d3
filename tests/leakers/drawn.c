/*
 * drawn.c: programs whose numbers are drawn: `random_cache:17` is the 17th bounded cache,
 * `small_cache:17` the 17th of few samples, `random_queue:17` the 17th queue that follows a load,
 * `random_leak:17` the 17th leak, and `random_bursts:17` the 17th that comes in bursts. Caches and
 * queues are no leak.
 */
#include "script.h"

#include <math.h>

PLACE(cache_put)
PLACE(cache_evict)
PLACE(cache_flush)
PLACE(job_put)
PLACE(job_done)
PLACE(leak_new)

enum eviction { OLDEST, BY_AGE, AT_RANDOM, NONE, EVICTIONS };

static struct cache {
    enum eviction eviction;
    size_t block_bytes;
    double a_second;
    double full_s; /* of LRU and random: when; of TTL: a life; of a memo: its time constant */
    unsigned flush_from, flush_every; /* 0: never */
} cache;

static void draw_cache(void)
{
    cache.eviction = (enum eviction)chance(EVICTIONS);
    cache.block_bytes = (size_t)exp2(chance_between(12, 17)); /* 4 to 128 KiB */
    double mib_a_minute = exp2(chance_between(1, 4)), full = chance_between(0.05, 0.7) * HOUR;
    cache.a_second = mib_a_minute * (double)MIB / 60 / (double)cache.block_bytes;
    if (cache.a_second * full > BLOCKS_MAX * 0.9)
        full = BLOCKS_MAX * 0.9 / cache.a_second;
    cache.full_s = cache.eviction == NONE ? full / 2.5 : full;
    if (full < 0.3 * HOUR && chance(3) == 0) {
        cache.flush_from = 600 + (unsigned)chance(900);
        cache.flush_every = chance(2) == 0 ? HOUR : 1000 + (unsigned)chance(900);
    }
}

static void put(unsigned second)
{
    const struct step *in = SERVED({cache_put}), *out = SERVED({cache_evict});
    size_t most = (size_t)(cache.a_second * cache.full_s) + 1;
    static bool known[BLOCKS_MAX];
    switch (cache.eviction) {
    case AT_RANDOM:
        if (count_of(&queues[0]) >= most)
            give_any(&queues[0], chance(count_of(&queues[0])), out);
        push(&queues[0], in, cache.block_bytes);
        break;
    case BY_AGE: crowd_add(&crowds[0], second, in, cache.block_bytes, cache.full_s); break;
    case NONE: {
        size_t key = (size_t)chance(most);
        if (!known[key])
            forget(in, cache.block_bytes);
        known[key] = true;
        break;
    }
    default: push_bounded(&queues[0], in, out, cache.block_bytes, most * cache.block_bytes);
    }
}

static void random_cache(unsigned second)
{
    static struct tally tally;
    if (second == 0)
        draw_cache();
    live_anyhow(second);
    if (cache.flush_every != 0 && second >= cache.flush_from &&
        (second - cache.flush_from) % cache.flush_every == 0)
        empty(&queues[0], SERVED({cache_flush}));
    for (unsigned i = due(&tally, cache.a_second * (second + 1)); i != 0; i--)
        put(second);
    crowd_bury(&crowds[0], second, SERVED({cache_evict}));
}

/* A cache of answers, of which few are sampled: it is full of them, and then each new one takes the
 * place of the oldest. */
static void small_cache(unsigned second)
{
    static struct tally tally;
    static double block_bytes, a_second, full_s;
    if (second == 0) {
        double full_bytes = chance_between(5, 20) * (double)MIB;
        block_bytes = exp2(chance_between(11, 14)); /* 2 to 16 KiB */
        full_s = chance_between(0.15, 0.6) * HOUR;
        a_second = full_bytes / block_bytes / full_s;
    }
    live_anyhow(second);
    size_t most = (size_t)(a_second * full_s * block_bytes);
    for (unsigned i = due(&tally, a_second * (second + 1)); i != 0; i--)
        push_bounded(
            &queues[0], SERVED({cache_put}), SERVED({cache_evict}), (size_t)block_bytes, most);
}

enum load { RISING, STEP, WAVE, WALK, EXPONENTIAL, LOADS };

static struct line {
    enum load load;
    size_t block_bytes;
    double a_second, most; /* at first, and how many times that at most */
    double life_s;
    bool is_fixed; /* each block lives as long, not only on average */
    double turn_s;
} line;

static void draw_line(void)
{
    line.load = (enum load)chance(LOADS);
    line.block_bytes = (size_t)exp2(chance_between(13, 17)); /* 8 to 128 KiB */
    line.life_s = exp2(chance_between(3, 8.5));              /* 8 s to 6 min */
    line.is_fixed = chance(2) == 0;
    line.most = chance_between(1.5, 8);
    line.turn_s = chance_between(0.2, 0.9) * HOUR;
    double peak_mib = exp2(chance_between(4, 8)); /* 16 to 256 MiB in use at the most */
    line.a_second = peak_mib * (double)MIB / (double)line.block_bytes / line.life_s / line.most;
    double fits = BLOCKS_MAX * 0.5 / (line.a_second * line.most * line.life_s);
    if (fits < 1)
        line.a_second *= fits;
}

/* How many times the first rate it is now. */
static double load_at(unsigned second)
{
    static double walk = 1;
    double part = (double)second / HOUR, more = line.most - 1;
    switch (line.load) {
    case RISING: return 1 + more * part;
    case STEP: return second < line.turn_s ? 1 : line.most;
    case WAVE: return 1 + more * (0.5 - 0.5 * cos(2 * M_PI * second / (2 * line.turn_s)));
    case WALK:
        if (second % 30 == 0)
            walk = fmin(line.most, fmax(0.3, walk + more / 12 * chance_between(-1, 1)));
        return walk;
    default: return pow(line.most, part);
    }
}

static void random_queue(unsigned second)
{
    static struct tally tally;
    static double total;
    if (second == 0)
        draw_line();
    live_anyhow(second);
    total += line.a_second * load_at(second);
    for (unsigned i = due(&tally, total); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({job_put}), line.block_bytes,
            line.is_fixed ? line.life_s : chance_exponential(line.life_s));
    crowd_bury(&crowds[0], second, SERVED({job_done}));
}

/* A leak that begins within the first 80 % of the hour, at random alone, beside a cache of another
 * function, or in the function of one whose entries live for a quarter of the leak's time at most,
 * or a twelfth on average: of what lives as long as the leak has, nobody can tell. */
static void random_leak(unsigned second)
{
    static struct tally tally;
    static double from, mib_a_minute, size;
    static uint64_t where;
    if (second == 0) {
        from = chance(3) == 0 ? 0 : chance_between(0, 0.8) * HOUR;
        mib_a_minute = exp2(chance_between(1, 4)) * HOUR / (2 * (HOUR - from));
        size = exp2(chance_between(12, 17));
        where = chance(3);
        draw_cache();
        cache.flush_every = 0;
        if (where == 2)
            cache.full_s =
                fmin(cache.full_s, (HOUR - from) / (cache.eviction == AT_RANDOM ? 12 : 4));
    }
    if (where != 0)
        random_cache(second == 0 ? 1 : second);
    else
        live_anyhow(second);
    double total = fmax(0, second + 1 - from) * mib_a_minute * (double)MIB / 60 / size;
    for (unsigned i = due(&tally, total); i != 0; i--)
        forget(where == 2 ? SERVED({cache_put}) : SERVED({leak_new}), (size_t)size);
}

/* A leak that comes in bursts, with pauses between them that are short or long by chance, alone or
 * in a function whose other blocks live for some minutes at most. */
static void random_bursts(unsigned second)
{
    static double gap_s, mib, size, life_s, next_s;
    static bool has_others;
    if (second == 0) {
        gap_s = exp2(chance_between(0, 3)) * 60; /* 1 to 8 minutes */
        mib = exp2(chance_between(5.5, 8)) * gap_s / HOUR;
        size = exp2(chance_between(12, 17));
        has_others = chance(2) == 0;
        life_s = exp2(chance_between(3, 7.5));
        next_s = chance_exponential(gap_s);
    }
    live_anyhow(second);
    for (unsigned i = has_others ? arrivals(64 * (double)MIB / size / life_s) : 0; i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({leak_new}), (size_t)size, chance_exponential(life_s));
    crowd_bury(&crowds[0], second, SERVED({job_done}));
    for (; next_s < second + 1; next_s += chance_exponential(gap_s)) {
        for (double burst = chance_exponential(mib) * (double)MIB; burst > 0; burst -= size)
            forget(SERVED({leak_new}), (size_t)size);
    }
}

const struct leaker drawn[] = {
    {"random_bursts", random_bursts, HOUR},
    {"random_cache", random_cache, HOUR},
    {"small_cache", small_cache, HOUR},
    {"random_queue", random_queue, HOUR},
    {"random_leak", random_leak, HOUR},
    {0},
};
