/*
 * set4_leaks.c: leaks of LABELS-4.md: late ones, some in functions that also free, some that old
 * blocks leave.
 */
#include "script.h"

#include <math.h>

PLACE(node_new)
PLACE(node_free)
PLACE(lru_insert)
PLACE(lru_evict)
PLACE(entry_new)
PLACE(entry_expire)
PLACE(packet_new)
PLACE(packet_done)
PLACE(object_new)
PLACE(collect)
PLACE(batch_row)
PLACE(batch_end)
PLACE(dispatch)
PLACE(visit)
PLACE(outbox_append)
PLACE(worker_start)
PLACE(thread_state)
PLACE(session_new)
PLACE(session_end)
PLACE(request_log)
PLACE(job_put)
PLACE(job_done)
PLACE(memtable_put)
PLACE(memtable_flush)
PLACE(old_promote)
PLACE(listener_add)
PLACE(load_index)
PLACE(row_new)
PLACE(storm_retry)
PLACE(warm_page)

/* MIB_MIN(3): KiB-sized blocks a second, as many as make so many MiB a minute. */
#define A_MINUTE(mib, size) ((double)(mib) * (double)MIB / 60 / (double)(size))

static double since(unsigned second, double minute)
{
    return fmax(0, second + 1 - minute * 60);
}

/* A cache that is full after 10 minutes, and a leak beside it that begins later. */
static void late(unsigned second, double minute, double mib_a_minute)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push_bounded(&queues[0], SERVED({lru_insert}), SERVED({lru_evict}), 64 * KIB, 110 * MIB);
    forget_until(
        since(second, minute) * A_MINUTE(mib_a_minute, 24 * KIB), SERVED({node_new}), 24 * KIB);
}

static void late_50(unsigned second)
{
    late(second, 30, 3);
}

static void late_65(unsigned second)
{
    late(second, 39, 3);
}

static void late_75(unsigned second)
{
    late(second, 45, 4);
}

static void late_85(unsigned second)
{
    late(second, 51, 6);
}

static void late_11th(unsigned second)
{
    late(second, 54.5, 10);
}

static void late_after_3_hours(unsigned second)
{
    late(second, 180, 2);
}

/* Blocks that live for 90 s on average, 20 a second of 64 KiB; and from a minute on a leak in the
 * same function. */
static void in_pool(unsigned second, double minute, double mib_a_minute)
{
    live_anyhow(second);
    for (int i = 0; i < 12; i++)
        crowd_add(&crowds[0], second, SERVED({packet_new}), 64 * KIB, chance_exponential(90));
    crowd_bury(&crowds[0], second, SERVED({packet_done}));
    forget_until(
        since(second, minute) * A_MINUTE(mib_a_minute, 64 * KIB), SERVED({packet_new}), 64 * KIB);
}

static void pool_leak(unsigned second)
{
    in_pool(second, 0, 1.5);
}

static void pool_leak_late(unsigned second)
{
    in_pool(second, 39, 3);
}

static void full_lru_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push_bounded(&queues[0], SERVED({lru_insert}), SERVED({lru_evict}), 64 * KIB, 100 * MIB);
    forget_until(since(second, 0) * A_MINUTE(1.6, 64 * KIB), SERVED({lru_insert}), 64 * KIB);
}

static void full_lru_leak_late(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push_bounded(&queues[0], SERVED({lru_insert}), SERVED({lru_evict}), 64 * KIB, 60 * MIB);
    forget_until(since(second, 36) * A_MINUTE(3, 64 * KIB), SERVED({lru_insert}), 64 * KIB);
}

static void gc_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 10; i++)
        push(&queues[0], SERVED({object_new}), 64 * KIB);
    for (size_t i = count_of(&queues[0]) / 2; second % 90 == 89 && i != 0; i--)
        pop(&queues[0], SERVED({collect}));
    if (second % 3 == 0)
        forget(SERVED({object_new}), 64 * KIB);
}

static void ttl_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++)
        crowd_add(&crowds[0], second, SERVED({entry_new}), 32 * KIB, 600);
    crowd_bury(&crowds[0], second, SERVED({entry_expire}));
    forget_until(since(second, 0) * A_MINUTE(2, 32 * KIB), SERVED({entry_new}), 32 * KIB);
}

static void random_eviction_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++) {
        if (count_of(&queues[0]) >= 1200)
            give_any(&queues[0], chance(count_of(&queues[0])), SERVED({lru_evict}));
        push(&queues[0], SERVED({lru_insert}), 64 * KIB);
    }
    forget_until(since(second, 0) * A_MINUTE(2, 64 * KIB), SERVED({lru_insert}), 64 * KIB);
}

/* 40 MiB come within 20 s, every 5 minutes; two minutes later all go at once but each tenth. */
static void bulk_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 300 >= 30 && second % 300 < 50 && i < 32; i++) {
        if (i % 10 == 3)
            forget(SERVED({batch_row}), 64 * KIB);
        else
            push(&queues[0], SERVED({batch_row}), 64 * KIB);
    }
    if (second % 300 == 170)
        empty(&queues[0], SERVED({batch_end}));
}

#define CALLERS(X) X(call_a) X(call_b) X(call_c) X(call_d) X(call_e) X(call_f) X(call_g) X(call_h)
#define CALLER_PLACE(name) PLACE(name)
#define CALLER_ENTRY(name) name,
CALLERS(CALLER_PLACE)
static void (*const callers[])(const struct step *, struct request *) = {CALLERS(CALLER_ENTRY)};

/* The same function, called on 64 ways. */
static void many_callers(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 2; i++)
        forget(PATH({run_server}, {dispatch}, {callers[chance(8)]}, {serve}, {callers[chance(8)]},
                   {node_new}),
            32 * KIB);
}

/* To a depth that is another one each time. */
static void recursive_leak(unsigned second)
{
    static const struct step deep[] = {{run_server}, {serve}, {visit}, {visit}, {visit}, {visit},
        {visit}, {visit}, {visit}, {node_new}, {NULL}};
    struct step path[12];
    size_t depth = 0, visits = 1 + chance(7);
    live_anyhow(second);
    for (size_t i = 0; i < 2 + visits; i++)
        path[depth++] = deep[i];
    path[depth++] = (struct step){node_new};
    path[depth] = (struct step){NULL};
    forget(path, 56 * KIB);
}

/* Buffers of connections that never stop to be written to: each moves to twice its room. */
static void geometric_buffers(unsigned second)
{
    static struct block buffers[40];
    static size_t filled[40];
    live_anyhow(second);
    for (size_t i = 0; i < 40; i++) {
        filled[i] += 600 + 55 * i; /* bytes a second */
        if (filled[i] <= buffers[i].size)
            continue;
        size_t size = buffers[i].size != 0 ? buffers[i].size * 2 : 8 * KIB + 517 * i;
        if (buffers[i].size != 0)
            give(SERVED({outbox_append}), &buffers[i]);
        take(SERVED({outbox_append}), &buffers[i], size);
    }
}

static void one_geometric_buffer(unsigned second)
{
    static struct block buffer;
    live_anyhow(second);
    if ((second + 1) * 64 * KIB <= buffer.size)
        return;
    size_t size = buffer.size != 0 ? buffer.size * 2 : 640 * KIB;
    if (buffer.size != 0)
        give(SERVED({outbox_append}), &buffer);
    take(SERVED({outbox_append}), &buffer, size);
}

/* The load rises for 40 minutes; of each ten sessions' blocks one stays. */
static void ramped_leak(unsigned second)
{
    static struct tally tally;
    double t = second + 1, ramp = 2400;
    double total = t < ramp ? t * t / (2 * ramp) : t - ramp / 2;
    live_anyhow(second);
    for (unsigned i = due(&tally, 10 * total); i != 0; i--) {
        bool stays = chance(10) == 0;
        crowd_add(&crowds[0], second, SERVED({session_new}), 64 * KIB,
            stays ? FOR_EVER : chance_exponential(60));
    }
    crowd_bury(&crowds[0], second, SERVED({session_end}));
}

/* 32 threads, each replaced after some minutes: what one kept for itself stays. */
static void thread_leak(unsigned second)
{
    static unsigned ends[32];
    live_anyhow(second);
    for (size_t i = 0; i < 32; i++) {
        if (second < ends[i])
            continue;
        ends[i] = second + 120 + (unsigned)chance(240);
        forget(PATH({worker_start}, {thread_state}), 384 * KIB);
    }
}

static void diurnal_leak(unsigned second)
{
    double t = second + 1, w = 2 * M_PI / 1800;
    live_anyhow(second);
    forget_until(1.8 * (t + 0.8 * (1 - cos(w * t)) / w), SERVED({request_log}), 32 * KIB);
}

/* What lives for `mean_s` on average, but `share` of it: that stays. */
static void partial(unsigned second, double a_second, double mean_s, double share, size_t size)
{
    static struct tally tally;
    live_anyhow(second);
    for (unsigned i = due(&tally, a_second * (second + 1)); i != 0; i--) {
        bool stays = chance_between(0, 1) < share;
        crowd_add(&crowds[0], second, SERVED({session_new}), size,
            stays ? FOR_EVER : chance_exponential(mean_s));
    }
    crowd_bury(&crowds[0], second, SERVED({session_end}));
}

static void session_leak(unsigned second)
{
    partial(second, 4, 300, 0.15, 64 * KIB);
}

static void refcount_cycles(unsigned second)
{
    partial(second, 80, 6, 0.03, 16 * KIB);
}

static void thin_in_churn(unsigned second)
{
    partial(second, 32, 5, 0.0075, 32 * KIB);
}

/* Every ten minutes 50 MiB, of which 20 stay, the others for three. */
static void periodic_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 600 >= 120 && second % 600 < 140 && i < 40; i++)
        crowd_add(&crowds[0], second, SERVED({batch_row}), 64 * KIB, i % 5 < 2 ? FOR_EVER : 180);
    crowd_bury(&crowds[0], second, SERVED({batch_end}));
}

static void storms(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 480 >= 300 && second % 480 < 330 && i < 8; i++)
        forget(SERVED({storm_retry}), 48 * KIB);
}

static void slackening_requests(unsigned second)
{
    double t = second + 1;
    live_anyhow(second);
    forget_until(3 * (t - t * t / (4 * HOUR)), SERVED({request_log}), 32 * KIB);
}

static void declining(unsigned second)
{
    double t = second + 1;
    live_anyhow(second);
    forget_until(
        3 * (0.3 * t + 0.7 * 1200 * (1 - exp(-t / 1200))), SERVED({request_log}), 32 * KIB);
}

static void large_in_pool(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 10 == 0 && i < 2; i++)
        crowd_add(&crowds[0], second, SERVED({outbox_append}), 2 * MIB, 20 + (double)chance(60));
    crowd_bury(&crowds[0], second, SERVED({session_end}));
    if (second % 120 == 60)
        forget(SERVED({outbox_append}), 4 * MIB);
}

static void tiny_blocks(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 546; i++)
        forget(SERVED({node_new}), 64);
}

/* Small ones that stay, among large ones of the same function that do not. */
static void small_among_churn(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 6; i++)
        crowd_add(&crowds[0], second, SERVED({row_new}), any_size(), chance_exponential(45));
    crowd_bury(&crowds[0], second, SERVED({session_end}));
    for (int i = 0; i < 40; i++)
        forget(SERVED({row_new}), KIB);
}

static void two_rates(unsigned second)
{
    double t = second + 1;
    live_anyhow(second);
    forget_until(t * A_MINUTE(1.5, 32 * KIB) + since(second, 40) * A_MINUTE(3, 32 * KIB),
        SERVED({request_log}), 32 * KIB);
}

/* A cache warms up for half an hour; in the same function is a leak. */
static void warm_up_hides(unsigned second)
{
    static struct tally tally;
    live_anyhow(second);
    for (unsigned i = due(&tally, 1600 * (1 - exp(-(second + 1.0) / 480))); i != 0; i--)
        push(&queues[0], SERVED({warm_page}), 64 * KIB);
    forget_until((second + 1) * A_MINUTE(1.8, 64 * KIB), SERVED({warm_page}), 64 * KIB);
}

static void late_load_beside(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second / 20 == 135 && i < 64; i++)
        push(&queues[0], PATH({run_server}, {load_index}), 64 * KIB);
    forget_until((second + 1) * A_MINUTE(1.8, 32 * KIB), SERVED({node_new}), 32 * KIB);
}

static void memtable_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++) {
        if (chance(33) == 0)
            forget(SERVED({memtable_put}), 64 * KIB);
        push(&queues[0], SERVED({memtable_put}), 64 * KIB);
    }
    if (second % 240 == 239)
        empty(&queues[0], SERVED({memtable_flush}));
    if (second % 2 == 0 && chance(3) == 0)
        forget(SERVED({memtable_put}), 96 * KIB);
}

/* Twelve tenants, each with its own way to the same function; one of them is never cleaned up. */
static void one_tenant(unsigned second)
{
    live_anyhow(second);
    for (size_t i = 0; i < 8; i++) {
        if (chance(2) == 0)
            continue;
        crowd_add(&crowds[0], second, SERVED({callers[i]}, {row_new}), 48 * KIB,
            i == 5 ? FOR_EVER : chance_exponential(200));
    }
    crowd_bury(&crowds[0], second, SERVED({session_end}));
}

static void ever_faster(unsigned second)
{
    double t = second + 1;
    live_anyhow(second);
    forget_until(t * t / 1500, SERVED({job_put}), 24 * KIB);
}

static void stop_and_go(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second / 600 % 2 == 1 && i < 2; i++)
        forget(SERVED({node_new}), 40 * KIB);
}

/* At random, in crowds of random size, of any size. */
static void by_crowds(unsigned second)
{
    live_anyhow(second);
    if (chance(20) != 0)
        return;
    for (uint64_t i = 1 + chance(20); i != 0; i--)
        forget(SERVED({request_log}), (4 + chance(160)) * KIB);
}

/* A queue whose length follows the load, which goes up and down; two of 100 jobs are never taken
 * out. */
static void queue_leak(unsigned second)
{
    static struct tally tally;
    double t = second + 1, w = 2 * M_PI / 1500;
    live_anyhow(second);
    for (unsigned i = due(&tally, 12 * (t + 0.7 * (1 - cos(w * t)) / w)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({job_put}), 64 * KIB,
            chance(30) == 0 ? FOR_EVER : 20 + chance_exponential(40));
    crowd_bury(&crowds[0], second, SERVED({job_done}));
}

static void leaky_collections(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++)
        push(&queues[0], SERVED({object_new}), 64 * KIB);
    while (second % 420 == 419 && count_of(&queues[0]) > 130 * (second / 420 + 1))
        give_any(&queues[0], count_of(&queues[0]) - 1, SERVED({collect}));
}

/* The young die at the next collection; some are moved to the old ones, of which none is freed. */
static void promoted(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 6; i++)
        push(&queues[0], SERVED({object_new}), 64 * KIB);
    while (second % 30 == 29 && count_of(&queues[0]) != 0) {
        pop(&queues[0], SERVED({collect}));
        if (chance(10) == 0)
            forget(SERVED({collect}, {old_promote}), 64 * KIB);
    }
}

static void listeners(unsigned second)
{
    static struct tally tally;
    live_anyhow(second);
    for (unsigned i = due(&tally, 2.5 * (second + 1)); i != 0; i--) {
        crowd_add(&crowds[0], second, SERVED({session_new}), 64 * KIB, 60 + (double)chance(240));
        forget(SERVED({listener_add}), 14 * KIB);
    }
    crowd_bury(&crowds[0], second, SERVED({session_end}));
}

/* As much goes of what was loaded at first as the leak of the same function takes. */
static void under_shrinking(unsigned second)
{
    live_anyhow(second);
    while (second == 0 && count_of(&queues[0]) < 2400)
        push(&queues[0], SERVED({row_new}), 64 * KIB);
    if (second % 3 != 0)
        return;
    for (int i = 0; i < 2; i++) {
        if (count_of(&queues[0]) != 0)
            pop(&queues[0], SERVED({node_free}));
        forget(SERVED({row_new}), 64 * KIB);
    }
}

/* At random half of what leaked dies with its worker, at any age up to an hour: the rest stays. */
static void half_dies_old(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 2 == 0 && i < 3; i++)
        crowd_add(&crowds[0], second, SERVED({node_new}), 48 * KIB,
            chance(2) == 0 ? FOR_EVER : 60 + (double)chance(1800));
    crowd_bury(&crowds[0], second, SERVED({node_free}));
}

/* Of the function's blocks most are freed where the process rotates its log, after 40 minutes; then
 * it all begins again. */
static void rotated_once(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 2; i++)
        push(&queues[0], SERVED({request_log}), 40 * KIB);
    for (size_t i = count_of(&queues[0]) / 3; second == 2400 && i != 0; i--)
        pop(&queues[0], SERVED({batch_end}));
}

/* Begins to leak when the cache of the same function is flushed, for its new entries' sake. */
static void since_flush(unsigned second)
{
    live_anyhow(second);
    if (second == 1800)
        empty(&queues[0], SERVED({lru_evict}));
    for (int i = 0; i < 3; i++)
        push_bounded(&queues[0], SERVED({lru_insert}), SERVED({lru_evict}), 64 * KIB, 80 * MIB);
    forget_until(since(second, 30) * A_MINUTE(3, 64 * KIB), SERVED({lru_insert}), 64 * KIB);
}

static void forget_all(void)
{
    for (size_t i = 0; i < 2; i++) {
        queues[i] = (struct queue){0};
        crowds[i] = (struct crowd){0};
    }
    restart();
}

static void restarted_leak(unsigned second)
{
    if (second % 900 == 0 && second != 0)
        forget_all();
    live_anyhow(second % 900);
    forget_until((second + 1) * A_MINUTE(5, 32 * KIB), SERVED({node_new}), 32 * KIB);
}

static void crash_loop(unsigned second)
{
    if (second % 420 == 0 && second != 0)
        forget_all();
    live_anyhow(second % 420);
    forget_until((second + 1) * A_MINUTE(12, 32 * KIB), SERVED({node_new}), 32 * KIB);
}

static void new_build_leaks(unsigned second)
{
    if (second == 1500)
        forget_all();
    live_anyhow(second % 1500);
    for (int i = 0; i < 3; i++)
        push_bounded(&queues[0], SERVED({lru_insert}), SERVED({lru_evict}), 64 * KIB, 60 * MIB);
    forget_until(since(second, 25) * A_MINUTE(3, 32 * KIB), SERVED({node_new}), 32 * KIB);
}

const struct leaker set4_leaks[] = {
    {"late_50", late_50, HOUR},
    {"late_65", late_65, HOUR},
    {"late_75", late_75, HOUR},
    {"late_85", late_85, HOUR},
    {"late_11th", late_11th, HOUR},
    {"late_after_3_hours", late_after_3_hours, 4 * HOUR},
    {"pool_leak", pool_leak, HOUR},
    {"pool_leak_late", pool_leak_late, HOUR},
    {"full_lru_leak", full_lru_leak, HOUR},
    {"full_lru_leak_late", full_lru_leak_late, HOUR},
    {"gc_leak", gc_leak, HOUR},
    {"ttl_leak", ttl_leak, HOUR},
    {"random_eviction_leak", random_eviction_leak, HOUR},
    {"bulk_leak", bulk_leak, HOUR},
    {"many_callers", many_callers, HOUR},
    {"recursive_leak", recursive_leak, HOUR},
    {"geometric_buffers", geometric_buffers, HOUR},
    {"one_geometric_buffer", one_geometric_buffer, HOUR},
    {"ramped_leak", ramped_leak, HOUR},
    {"thread_leak", thread_leak, HOUR},
    {"diurnal_leak", diurnal_leak, HOUR},
    {"session_leak", session_leak, HOUR},
    {"refcount_cycles", refcount_cycles, HOUR},
    {"thin_in_churn", thin_in_churn, HOUR},
    {"periodic_leak", periodic_leak, HOUR},
    {"storms", storms, HOUR},
    {"slackening_requests", slackening_requests, HOUR},
    {"declining", declining, HOUR},
    {"large_in_pool", large_in_pool, HOUR},
    {"tiny_blocks", tiny_blocks, HOUR},
    {"small_among_churn", small_among_churn, HOUR},
    {"two_rates", two_rates, HOUR},
    {"warm_up_hides", warm_up_hides, HOUR},
    {"late_load_beside", late_load_beside, HOUR},
    {"memtable_leak", memtable_leak, HOUR},
    {"one_tenant", one_tenant, HOUR},
    {"ever_faster", ever_faster, HOUR},
    {"stop_and_go", stop_and_go, HOUR},
    {"by_crowds", by_crowds, HOUR},
    {"queue_leak", queue_leak, HOUR},
    {"leaky_collections", leaky_collections, HOUR},
    {"promoted", promoted, HOUR},
    {"listeners", listeners, HOUR},
    {"under_shrinking", under_shrinking, HOUR},
    {"half_dies_old", half_dies_old, HOUR},
    {"rotated_once", rotated_once, HOUR},
    {"since_flush", since_flush, HOUR},
    {"restarted_leak", restarted_leak, HOUR},
    {"crash_loop", crash_loop, HOUR},
    {"new_build_leaks", new_build_leaks, HOUR},
    {0},
};
