/*
 * set4_caches.c: caches and memos of LABELS-4.md, and twins: what makes a leak's very calls.
 */
#include "script.h"

#include <math.h>

PLACE(lru_insert)
PLACE(lru_evict)
PLACE(entry_new)
PLACE(entry_expire)
PLACE(block_get)
PLACE(memo_put)
PLACE(value_set)
PLACE(page_load)
PLACE(page_drop)
PLACE(index_add)
PLACE(token_new)
PLACE(dispatch)
PLACE(caller_a)
PLACE(caller_b)
PLACE(caller_c)
PLACE(caller_d)
PLACE(batch_row)
PLACE(session_new)
PLACE(session_end)

/* Full after so many minutes; then the oldest makes room. */
static void lru(unsigned second, double minutes)
{
    live_anyhow(second);
    for (int i = 0; i < 2; i++)
        push_bounded(&queues[0], SERVED({lru_insert}), SERVED({lru_evict}), 48 * KIB,
            (size_t)(minutes * 60 * 2) * 48 * KIB);
}

static void lru_full_20(unsigned second)
{
    lru(second, 12);
}

static void lru_full_40(unsigned second)
{
    lru(second, 24);
}

static void lru_full_60(unsigned second)
{
    lru(second, 36);
}

static void lru_full_75(unsigned second)
{
    lru(second, 45);
}

static void lru_full_85(unsigned second)
{
    lru(second, 51);
}

static void lru_full_93(unsigned second)
{
    lru(second, 56);
}

static void lru_130(unsigned second)
{
    lru(second, 78);
}

static void lru_300(unsigned second)
{
    lru(second, 180);
}

static void ttl(unsigned second, double minutes)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        crowd_add(&crowds[0], second, SERVED({entry_new}), 40 * KIB, minutes * 60);
    crowd_bury(&crowds[0], second, SERVED({entry_expire}));
}

static void ttl_5m(unsigned second)
{
    ttl(second, 5);
}

static void ttl_20m(unsigned second)
{
    ttl(second, 20);
}

static void ttl_30m(unsigned second)
{
    ttl(second, 30);
}

static void ttl_42m(unsigned second)
{
    ttl(second, 42);
}

static void ttl_55m(unsigned second)
{
    ttl(second, 55);
}

static void ttl_2h(unsigned second)
{
    ttl(second, 120);
}

/* An hour and a half beyond its life. */
static void ttl_1h_of_4(unsigned second)
{
    live_anyhow(second);
    crowd_add(&crowds[0], second, SERVED({entry_new}), 40 * KIB, HOUR);
    crowd_bury(&crowds[0], second, SERVED({entry_expire}));
}

static void random_eviction_of(unsigned second, size_t a_second, double minutes)
{
    live_anyhow(second);
    for (size_t i = 0; i < a_second; i++) {
        if (count_of(&queues[0]) >= (size_t)(minutes * 60 * (double)a_second))
            give_any(&queues[0], chance(count_of(&queues[0])), SERVED({lru_evict}));
        push(&queues[0], SERVED({block_get}), 48 * KIB);
    }
}

static void random_full_15(unsigned second)
{
    random_eviction_of(second, 4, 9);
}

static void random_full_40(unsigned second)
{
    random_eviction_of(second, 3, 24);
}

static void random_full_65(unsigned second)
{
    random_eviction_of(second, 2, 39);
}

/* Each new one makes room for the next: the old ones stay for ever. */
static void newest_evicted(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++) {
        if (count_of(&queues[0]) >= 2700)
            give_any(&queues[0], count_of(&queues[0]) - 1, SERVED({lru_evict}));
        push(&queues[0], SERVED({block_get}), 48 * KIB);
    }
}

/* Some entries are hit again and again and never go; how many they are is bounded. */
static void hot_set(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++) {
        if (count_of(&queues[1]) < 700 && chance(6) == 0)
            push(&queues[1], SERVED({lru_insert}), 64 * KIB);
        else
            push_bounded(&queues[0], SERVED({lru_insert}), SERVED({lru_evict}), 64 * KIB, 50 * MIB);
    }
}

/* An entry that is hit lives on: 8 of 10 for 3 minutes, the others for 25. */
static void sliding_expiry(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++)
        crowd_add(&crowds[0], second, SERVED({entry_new}), 48 * KIB, chance(10) < 8 ? 180 : 1500);
    crowd_bury(&crowds[0], second, SERVED({entry_expire}));
}

/* What is asked for stays for good; of `keys` each is as likely. */
static void memo(unsigned second, size_t keys, double a_second)
{
    static bool known[BLOCKS_MAX];
    static struct tally tally;
    live_anyhow(second);
    for (unsigned i = due(&tally, a_second * (second + 1)); i != 0; i--) {
        size_t key = (size_t)chance(keys);
        if (!known[key])
            forget(SERVED({memo_put}), 48 * KIB);
        known[key] = true;
    }
}

static void memo_6m(unsigned second)
{
    memo(second, 3000, 3000.0 / 360);
}

static void memo_14m(unsigned second)
{
    memo(second, 4500, 4500.0 / 840);
}

static void memo_22m(unsigned second)
{
    memo(second, 6000, 6000.0 / 1320);
}

/* Some keys are asked for far more often than others: the number of key k falls as 1/k. */
static void memo_zipf(unsigned second)
{
    static bool known[20000];
    live_anyhow(second);
    for (int i = 0; i < 8; i++) {
        size_t key = (size_t)exp(chance_between(0, log(20000)));
        key = key < 20000 ? key : 19999;
        if (!known[key])
            forget(SERVED({memo_put}), 24 * KIB);
        known[key] = true;
    }
}

/* The same with a tail so long that most words come once. */
static void vocabulary(unsigned second)
{
    live_anyhow(second);
    forget_until(9000 * pow((second + 1.0) / HOUR, 0.7), SERVED({memo_put}), 24 * KIB);
}

/* No entry ever expires; but its value is replaced whenever it changes. */
static void replaced_values(unsigned second)
{
    static struct block values[2500];
    live_anyhow(second);
    for (int i = 0; i < 4; i++) {
        struct block *value = &values[chance(2500)];
        if (value->size != 0)
            give(SERVED({value_set}), value);
        take(SERVED({value_set}), value, (32 + chance(32)) * KIB);
    }
}

/* Keys without end of life, but so many only; they all come within the first quarter. */
static void bounded_keys(unsigned second)
{
    live_anyhow(second);
    forget_until(fmin(second + 1, 900) * 4, SERVED({token_new}), 32 * KIB);
}

static void flushed(unsigned second, unsigned at, size_t mib)
{
    live_anyhow(second);
    if (second == at)
        empty(&queues[0], SERVED({page_drop}));
    for (int i = 0; i < 2; i++)
        push_bounded(&queues[0], SERVED({page_load}), SERVED({lru_evict}), 36 * KIB, mib * MIB);
}

/* Filled before the first minute's end, flushed, full again. */
static void refilled(unsigned second, unsigned at, size_t mib)
{
    while (second == 0 && queues[0].size_bytes < mib * MIB - 72 * KIB)
        push(&queues[0], SERVED({page_load}), 36 * KIB);
    flushed(second, at, mib);
}

static void refilled_at_45(unsigned second)
{
    refilled(second, 600, 147);
}

static void refilled_at_30(unsigned second)
{
    refilled(second, 600, 84);
}

static void refilling(unsigned second)
{
    refilled(second, 2400, 110);
}

static void refilled_twice(unsigned second)
{
    if (second == 1200)
        empty(&queues[0], SERVED({page_drop}));
    refilled(second, 2400, 63);
}

static void lru_many_callers(unsigned second)
{
    static void (*const callers[])(const struct step *, struct request *) = {
        caller_a, caller_b, caller_c, caller_d};
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push_bounded(&queues[0],
            PATH({run_server}, {dispatch}, {callers[chance(4)]}, {serve}, {lru_insert}),
            SERVED({lru_evict}), 48 * KIB, 130 * MIB);
}

/* An LRU and its index, which knows each key that ever was: so many only. */
static void lru_and_index(unsigned second)
{
    lru(second, 15);
    forget_until(2600 * (1 - exp(-(second + 1.0) / 700)), SERVED({index_add}), 24 * KIB);
}

/* The load goes up and down twice within the hour, and so does what a TTL of 8 minutes keeps. */
static void diurnal_ttl(unsigned second)
{
    static struct tally tally;
    double t = second + 1, w = 2 * M_PI / 2400;
    live_anyhow(second);
    for (unsigned i = due(&tally, 5 * (t + 0.7 * (1 - cos(w * t)) / w)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({entry_new}), 48 * KIB, 480);
    crowd_bury(&crowds[0], second, SERVED({entry_expire}));
}

/* Two speeds of filling: quick for 8 minutes, then slow; full after 40. */
static void slow_last_part(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < (second < 480 ? 6 : 1); i++)
        push_bounded(
            &queues[0], SERVED({page_load}), SERVED({lru_evict}), 40 * KIB, 4800 * 40 * KIB);
}

/* Twice as large from the half hour on: somebody has set its limit anew. */
static void resized(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push_bounded(&queues[0], SERVED({page_load}), SERVED({lru_evict}), 64 * KIB,
            second < 1800 ? 60 * MIB : 120 * MIB);
}

/* Twins. */
static void new_keys(unsigned second)
{
    live_anyhow(second);
    push_bounded(&queues[0], SERVED({token_new}), SERVED({lru_evict}), 48 * KIB, 4096 * MIB);
}

static void long_batch(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second >= 1500 && i < 2; i++)
        push(&queues[0], SERVED({batch_row}), 40 * KIB);
}

static void long_lives(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 2; i++)
        crowd_add(&crowds[0], second, SERVED({session_new}), 40 * KIB,
            HOUR + chance_exponential(2 * HOUR));
    crowd_bury(&crowds[0], second, SERVED({session_end}));
}

const struct leaker set4_caches[] = {
    {"lru_full_20", lru_full_20, HOUR},
    {"lru_full_40", lru_full_40, HOUR},
    {"lru_full_60", lru_full_60, HOUR},
    {"lru_full_75", lru_full_75, HOUR},
    {"lru_full_85", lru_full_85, HOUR},
    {"lru_full_93", lru_full_93, HOUR},
    {"lru_130", lru_130, HOUR},
    {"lru_300", lru_300, HOUR},
    {"ttl_5m", ttl_5m, HOUR},
    {"ttl_20m", ttl_20m, HOUR},
    {"ttl_30m", ttl_30m, HOUR},
    {"ttl_42m", ttl_42m, HOUR},
    {"ttl_55m", ttl_55m, HOUR},
    {"ttl_2h", ttl_2h, HOUR},
    {"ttl_1h_of_4", ttl_1h_of_4, 4 * HOUR},
    {"random_full_15", random_full_15, HOUR},
    {"random_full_40", random_full_40, HOUR},
    {"random_full_65", random_full_65, HOUR},
    {"newest_evicted", newest_evicted, HOUR},
    {"hot_set", hot_set, HOUR},
    {"sliding_expiry", sliding_expiry, HOUR},
    {"memo_6m", memo_6m, HOUR},
    {"memo_14m", memo_14m, HOUR},
    {"memo_22m", memo_22m, HOUR},
    {"memo_zipf", memo_zipf, HOUR},
    {"vocabulary", vocabulary, HOUR},
    {"replaced_values", replaced_values, HOUR},
    {"bounded_keys", bounded_keys, HOUR},
    {"refilled_at_45", refilled_at_45, HOUR},
    {"refilled_at_30", refilled_at_30, HOUR},
    {"refilling", refilling, HOUR},
    {"refilled_twice", refilled_twice, HOUR},
    {"lru_many_callers", lru_many_callers, HOUR},
    {"lru_and_index", lru_and_index, HOUR},
    {"diurnal_ttl", diurnal_ttl, HOUR},
    {"slow_last_part", slow_last_part, HOUR},
    {"resized", resized, HOUR},
    {"new_keys", new_keys, HOUR},
    {"long_batch", long_batch, HOUR},
    {"long_lives", long_lives, HOUR},
    {0},
};
