/*
 * set8_leaks.c: the programs of LABELS-8.md that leak for as long as they are seen.
 */
#include "set8.h"

#include <string.h>

PLACE(order_hold)
PLACE(order_settle)
PLACE(preview_make)
PLACE(preview_evict)
PLACE(error_context)
PLACE(request_done)
PLACE(rollup_row)
PLACE(rollup_flush)
PLACE(handshake_state)
PLACE(link_buffer)
PLACE(conn_drop)
PLACE(job_row)
PLACE(job_commit)
PLACE(intern_key)
PLACE(scratch_chunk)
PLACE(scratch_reset)
PLACE(pooled_session)
PLACE(pooled_end)
PLACE(heap_object)
PLACE(heap_object_sweep)
PLACE(tax_lookup)
PLACE(tax_forget)
PLACE(page_slab)
PLACE(page_slab_evict)
PLACE(claim_note)
PLACE(sliding_entry)
PLACE(sliding_expire)
PLACE(device_session)
PLACE(device_logout)
PLACE(template_compile)
PLACE(viewer_state)
PLACE(viewer_gone)
PLACE(fiber_stack)
PLACE(fiber_end)
PLACE(user_session)
PLACE(user_gone)
PLACE(presence_note)
PLACE(retry_context)
PLACE(retry_done)
PLACE(scrape_copy)
PLACE(scrape_drop)

/* Three days, each busier than the last: one order in 20 is never settled. */
static void orders_of_three_days(unsigned second)
{
    double load = load_by_day(second, 24 * HOUR, 0.08) * (1 + second / (48.0 * HOUR));
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({order_settle}));
    for (unsigned i = arrivals(0.5 * load); i != 0; i--)
        keep_or_not(second, SERVED({order_hold}), size_between(4 * KIB, 14 * KIB),
            chance(20) == 0 ? FOR_EVER : chance_between(600, 2400));
}

/* A cache of 90 MiB, of what was used last; of what is made for it one in 30 is made twice at a
 * time, and the second one is put nowhere. */
static void previews_made_twice(unsigned second)
{
    static struct recency previews;
    live_anyhow(second);
    for (unsigned i = arrivals(4); i != 0; i--) {
        uint32_t key = 1 + (uint32_t)popular(30000, 2);
        size_t size = 8 * KIB + key % 33 * KIB;
        if (!recency_use(
                &previews, key, SERVED({preview_make}), SERVED({preview_evict}), size, 90 * MIB) &&
            chance(30) == 0)
            forget(SERVED({preview_make}), size);
    }
}

/* Of each request that fails its context stays: two in a thousand, and three in ten while what is
 * asked is down, for 3 to 10 minutes now and then. */
static void failed_requests(unsigned second)
{
    static unsigned next = 47 * MINUTE, until;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({request_done}));
    if (is_time(&next, second, HOUR, 80 * MINUTE))
        until = second + 3 * MINUTE + (unsigned)chance(7 * MINUTE);
    for (unsigned i = arrivals(6); i != 0; i--)
        keep_or_not(second, SERVED({error_context}), size_between(2 * KIB, 14 * KIB),
            chance(1000) < (second < until ? 300u : 2u) ? FOR_EVER : chance_exponential(8));
}

/* Rows are collected until there are 48 MiB, and then written; one in 50 is of a partition that is
 * closed, and is in no list that is. */
static void saw_with_drift(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(5); i != 0; i--) {
        size_t size = size_between(2 * KIB, 10 * KIB);
        if (chance(50) == 0)
            forget(SERVED({rollup_row}), size);
        else
            push(&queues[0], SERVED({rollup_row}), size);
    }
    if (queues[0].size_bytes > 48 * MIB)
        empty(&queues[0], SERVED({rollup_flush}));
}

/* 500 connections, each of which is made anew after 40 minutes on average, and all of them when the
 * network has had a bad minute: the buffer goes, what the handshake left does not. */
static void clients_reconnect(unsigned second)
{
    static struct {
        struct block buffer;
        unsigned ends;
    } connections[500];
    static unsigned next = 95 * MINUTE;
    bool is_bad = is_time(&next, second, 50 * MINUTE, 70 * MINUTE);
    live_anyhow(second);
    for (size_t i = 0; i < 500; i++) {
        if (is_bad)
            connections[i].ends = second + (unsigned)chance(50);
        if (second < connections[i].ends)
            continue;
        if (connections[i].buffer.size != 0)
            give(SERVED({conn_drop}), &connections[i].buffer);
        take(SERVED({link_buffer}), &connections[i].buffer, size_between(40 * KIB, 90 * KIB));
        forget(SERVED({handshake_state}), size_between(2 * KIB, 6 * KIB));
        connections[i].ends = second + 20 + (unsigned)chance_exponential(40 * MINUTE);
    }
}

/* A job five minutes past each hour reads rows for six minutes, and gives them back six minutes
 * later, but for one in 30, which is in a map of what was seen. */
static void hourly_job_leaves(unsigned second)
{
    unsigned at = second % HOUR;
    live_anyhow(second);
    for (unsigned i = at >= 300 && at < 660 ? arrivals(8) : 0; i != 0; i--) {
        size_t size = size_between(4 * KIB, 20 * KIB);
        if (chance(30) == 0)
            forget(SERVED({job_row}), size);
        else
            push(&queues[0], SERVED({job_row}), size);
    }
    if (at == 1020)
        empty(&queues[0], SERVED({job_commit}));
}

/* Keys are interned, and there are ever new ones: as of words of a language, ever fewer of what
 * comes is new, but it does not end. */
static void keys_interned(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(12 * pow(1 + second / 900.0, -0.3)); i != 0; i--)
        forget(SERVED({intern_key}), size_between(40, 180));
}

/* An arena that is reset every 90 seconds: all chunks go, and what was too large for a chunk, but
 * for one in five, which came when the list of those was full. */
static void arena_oversized(unsigned second)
{
    live_anyhow(second);
    if (second % 90 == 0)
        empty(&queues[0], SERVED({scratch_reset}));
    for (unsigned i = arrivals(2); i != 0; i--)
        push(&queues[0], SERVED({scratch_chunk}), 64 * KIB);
    for (unsigned i = arrivals(1.0 / 60); i != 0; i--) {
        size_t size = size_between(300 * KIB, 900 * KIB);
        if (chance(5) == 0)
            forget(SERVED({scratch_chunk}), size);
        else
            push(&queues[0], SERVED({scratch_chunk}), size);
    }
}

/* A pool of 40 connections, each replaced after 25 minutes on average; of one in eight the end is
 * an error, after which nobody closes it. */
static void pool_loses_sessions(unsigned second)
{
    static unsigned ends[40];
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({pooled_end}));
    for (size_t i = 0; i < 40; i++) {
        if (second < ends[i])
            continue;
        ends[i] = second + 30 + (unsigned)chance_exponential(25 * MINUTE);
        keep_many(second, SERVED({pooled_session}), 5, 20 * KIB, 60 * KIB,
            chance(8) == 0 ? FOR_EVER : ends[i] - second);
    }
}

/* A collector that works when the heap is twice what was alive; one object in 40 has a global
 * reference, and is alive for ever. */
static void collected_but_for_some(unsigned second)
{
    static struct managed heap;
    live_anyhow(second);
    for (unsigned i = arrivals(4); i != 0; i--) {
        size_t size = size_between(2 * KIB, 18 * KIB);
        if (chance(40) == 0) {
            forget(SERVED({heap_object}), size);
            heap.lost_bytes += size;
        } else {
            managed_new(&heap, second, SERVED({heap_object}), size,
                chance_exponential(chance(7) == 0 ? 40 * MINUTE : 20));
        }
    }
    managed_collect(&heap, second, SERVED({heap_object_sweep}), 24 * MIB);
}

/* A deploy at hour 7 of 15: one answer in 12 stays before it, and after it. */
static void deploy_does_not_help(unsigned second)
{
    if (second == 7 * HOUR) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
    }
    live_anyhow(second < 7 * HOUR ? second : second - 7 * HOUR);
    crowd_bury(&crowds[0], second, SERVED({tax_forget}));
    for (unsigned i = arrivals(2); i != 0; i--)
        keep_or_not(second, SERVED({tax_lookup}), size_between(2 * KIB, 10 * KIB),
            chance(12) == 0 ? FOR_EVER : chance_between(10, 600));
}

/* 320 MiB of pages, full after two hours, and beside them less than one percent of that each hour,
 * of which none is given back. */
static void notes_beside_pages(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.75); i != 0; i--)
        push_bounded(&queues[0], SERVED({page_slab}), SERVED({page_slab_evict}),
            size_between(32 * KIB, 96 * KIB), 320 * MIB);
    for (unsigned i = arrivals(0.6); i != 0; i--)
        forget(SERVED({claim_note}), size_between(600, 1600));
}

/* Entries go when nobody has asked for them for 20 minutes; for one in six a probe asks each
 * minute. */
static void probed_for_ever(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({sliding_expire}));
    for (unsigned i = arrivals(0.6); i != 0; i--)
        keep_or_not(second, SERVED({sliding_entry}), size_between(2 * KIB, 10 * KIB),
            chance(6) == 0 ? FOR_EVER : 1200 + chance_exponential(1200));
}

/* Sessions of four to eight hours; those of one kind of device, a fifth, have no end. */
static void devices_never_log_out(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({device_logout}));
    for (unsigned i = arrivals(0.25 * load_by_day(second + 3 * HOUR, 24 * HOUR, 0.1)); i != 0; i--)
        keep_or_not(second, SERVED({device_session}), size_between(6 * KIB, 14 * KIB),
            chance(5) == 0 ? FOR_EVER : chance_between(4 * HOUR, 8 * HOUR));
}

/* 8000 templates are compiled when they are first asked for, most of them within an hour; and some
 * are compiled again each minute, with a name that has a number in it. */
static void warm_up_and_trickle(unsigned second)
{
    static struct block templates[8000];
    live_anyhow(second);
    for (unsigned i = arrivals(6); i != 0; i--) {
        size_t name = popular(8000, 1.3);
        take_once(&templates[name], SERVED({template_compile}), (6 + name % 11) * KIB);
    }
    for (unsigned i = arrivals(0.09); i != 0; i--)
        forget(SERVED({template_compile}), size_between(6 * KIB, 16 * KIB));
}

/* From the afternoon until midnight ever fewer are there, each for an hour on average: memory falls
 * for seven hours, and 4 MiB an hour of it stay. */
static void masked_by_the_evening(unsigned second)
{
    double load = exp(-(double)second / (2.5 * HOUR));
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({viewer_gone}));
    if (second == 0) {
        for (unsigned i = 0; i < 10000; i++)
            crowd_add(&crowds[0], second, SERVED({viewer_state}), size_between(4 * KIB, 14 * KIB),
                1 + chance_exponential(HOUR));
    }
    for (unsigned i = arrivals(2.8 * load); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({viewer_state}), size_between(4 * KIB, 14 * KIB),
            1 + chance_exponential(HOUR));
    for (unsigned i = arrivals(0.12); i != 0; i--)
        forget(SERVED({viewer_state}), size_between(4 * KIB, 14 * KIB));
}

/* Three fibers a second, with a stack of 32 KiB each, for four seconds; one in 150 waits for a
 * channel to which nobody writes. */
static void fibers_that_wait(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({fiber_end}));
    for (unsigned i = arrivals(3); i != 0; i--)
        keep_or_not(second, SERVED({fiber_stack}), 32 * KIB,
            chance(150) == 0 ? FOR_EVER : chance_exponential(4));
}

/* As many users as come, from 200 to 2000: what they need goes with them, but a note of each time
 * that one is seen does not. */
static void notes_of_users(unsigned second)
{
    static double users = 800;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({user_gone}));
    if (second % (2 * MINUTE) == 0)
        users = fmin(2000, fmax(200, users + chance_between(-110, 110)));
    for (unsigned i = arrivals(users / 2400); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({user_session}), size_between(8 * KIB, 24 * KIB),
            1 + chance_exponential(2400));
    for (unsigned i = arrivals(users / 10000); i != 0; i--)
        forget(SERVED({presence_note}), size_between(2 * KIB, 6 * KIB));
}

/* The more requests, the more of them are tried again, and the context of each that is stays: some
 * in an hour at night, four in a hundred at the height of the day. */
static void retries_at_the_height(unsigned second)
{
    double load = load_by_day(second, 24 * HOUR, 0.1);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({retry_done}));
    for (unsigned i = arrivals(3 * load); i != 0; i--)
        keep_or_not(second, SERVED({retry_context}), size_between(2 * KIB, 10 * KIB),
            chance_between(0, 1) < 0.04 * pow(load, 4) ? FOR_EVER : chance_between(1, 30));
}

/* Every 15 seconds twelve parts of what is measured are copied; eleven go with the next ones, the
 * twelfth is put into a list of all. */
static void scrapes_kept(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({scrape_drop}));
    for (int part = 0; second % 15 == 4 && part < 12; part++)
        keep_or_not(second, SERVED({scrape_copy}), size_between(12 * KIB, 20 * KIB),
            part == 11 ? FOR_EVER : 14);
}

const struct leaker set8_leaks[] = {
    {"orders_of_three_days", orders_of_three_days, 72 * HOUR},
    {"previews_made_twice", previews_made_twice, 10 * HOUR},
    {"failed_requests", failed_requests, 14 * HOUR},
    {"saw_with_drift", saw_with_drift, 10 * HOUR},
    {"clients_reconnect", clients_reconnect, 12 * HOUR},
    {"hourly_job_leaves", hourly_job_leaves, 22 * HOUR},
    {"keys_interned", keys_interned, 16 * HOUR},
    {"arena_oversized", arena_oversized, 7 * HOUR},
    {"pool_loses_sessions", pool_loses_sessions, 9 * HOUR},
    {"collected_but_for_some", collected_but_for_some, 10 * HOUR},
    {"deploy_does_not_help", deploy_does_not_help, 15 * HOUR},
    {"notes_beside_pages", notes_beside_pages, 24 * HOUR},
    {"probed_for_ever", probed_for_ever, 12 * HOUR},
    {"devices_never_log_out", devices_never_log_out, 36 * HOUR},
    {"warm_up_and_trickle", warm_up_and_trickle, 12 * HOUR},
    {"masked_by_the_evening", masked_by_the_evening, 9 * HOUR},
    {"fibers_that_wait", fibers_that_wait, 8 * HOUR},
    {"notes_of_users", notes_of_users, 24 * HOUR},
    {"retries_at_the_height", retries_at_the_height, 48 * HOUR},
    {"scrapes_kept", scrapes_kept, 6 * HOUR},
    {NULL, NULL, 0},
};
