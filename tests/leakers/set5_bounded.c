/*
 * set5_bounded.c: the programs of LABELS-5.md whose memory is bounded.
 */
#include "script.h"

#include <math.h>
#include <string.h>

#define MINUTE 60u

PLACE(zipf_insert)
PLACE(zipf_evict)
PLACE(lfu_insert)
PLACE(lfu_evict)
PLACE(buffer_page)
PLACE(buffer_victim)
PLACE(ttl_entry)
PLACE(ttl_expire)
PLACE(probation_put)
PLACE(protected_put)
PLACE(two_queue_evict)
PLACE(level_index)
PLACE(level_merge)
PLACE(route_snapshot)
PLACE(route_reclaim)
PLACE(user_state)
PLACE(user_leave)
PLACE(consumer_message)
PLACE(consumer_ack)
PLACE(undo_ring)
PLACE(undo_ring_drop)
PLACE(batch_load)
PLACE(batch_done)
PLACE(key_once)
PLACE(remembered)
PLACE(remembered_end)
PLACE(code_emit)
PLACE(code_discard)
PLACE(pool_conn)
PLACE(process_cache)
PLACE(process_evict)
PLACE(ticket_store)
PLACE(ticket_expire)
PLACE(tensor_buffer)
PLACE(tensor_grow)
PLACE(log_batch)
PLACE(log_flush)
PLACE(old_space)
PLACE(major_gc)
PLACE(quarantine_put)
PLACE(quarantine_out)
PLACE(board_entry)
PLACE(board_drop)
PLACE(chunk_load)
PLACE(chunk_unload)
PLACE(idle_mailbox)
PLACE(idle_renew)
PLACE(stmt_cache)
PLACE(stmt_evict)
PLACE(stmt_conn_end)
PLACE(hls_segment)
PLACE(hls_drop)

/* Keeps a queue of references by use: what is used goes to the end. */
static void use_again(struct queue *q, size_t index)
{
    struct block *block = &q->blocks[(q->first + index) % BLOCKS_MAX], used = *block;
    *block = q->blocks[q->first % BLOCKS_MAX];
    q->blocks[q->first++ % BLOCKS_MAX] = (struct block){0};
    q->blocks[q->end++ % BLOCKS_MAX] = used;
}

/* Of 20000 keys some are asked for all the time: they are in the cache from the start to the end.
 */
static void zipf_lru(unsigned second)
{
    static struct block slots[20000];
    static unsigned used_at[20000];
    static size_t in_use;
    live_anyhow(second);
    for (unsigned i = arrivals(5); i != 0; i--) {
        size_t key = (size_t)(20000 * pow(chance_between(0, 1), 4));
        used_at[key] = second;
        if (slots[key].size != 0)
            continue;
        while (in_use + 32 * KIB > 64 * MIB) {
            size_t oldest = 0;
            for (size_t k = 0; k < 20000; k++) {
                if (slots[k].size != 0 && (slots[oldest].size == 0 || used_at[k] < used_at[oldest]))
                    oldest = k;
            }
            in_use -= slots[oldest].size;
            give(SERVED({zipf_evict}), &slots[oldest]);
        }
        take(SERVED({zipf_insert}), &slots[key], size_between(16 * KIB, 32 * KIB));
        in_use += slots[key].size;
    }
}

/* The frequent ones, three quarters, were there first and stay; new ones push each other out. */
static void lfu(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(4); i != 0; i--) {
        bool is_frequent = queues[0].size_bytes < 45 * MIB && chance(2) == 0;
        size_t size = any_size() / 4 + 4 * KIB;
        if (is_frequent)
            push(&queues[0], SERVED({lfu_insert}), size);
        else
            push_bounded(&queues[1], SERVED({lfu_insert}), SERVED({lfu_evict}), size, 15 * MIB);
    }
}

/* A buffer pool: any page may be the next victim. */
static void random_victim(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(5); i != 0; i--) {
        if (count_of(&queues[0]) == 6000)
            give_any(&queues[0], (size_t)chance(6000), SERVED({buffer_victim}));
        push(&queues[0], SERVED({buffer_page}), 16 * KIB);
    }
}

static void ttl_with_jitter(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({ttl_expire}));
    for (unsigned i = arrivals(6 * load_by_day(second, HOUR, 0.6)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({ttl_entry}), size_between(4 * KIB, 10 * KIB),
            chance_between(840, 1560));
}

/* First asked for once, then, of some, again. */
static void two_queues(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(6); i != 0; i--) {
        push_bounded(
            &queues[0], SERVED({probation_put}), SERVED({two_queue_evict}), 12 * KIB, 16 * MIB);
        if (count_of(&queues[1]) != 0 && chance(2) == 0)
            use_again(&queues[1], (size_t)chance((count_of(&queues[1]) + 2) / 3));
        if (chance(6) == 0)
            push_bounded(
                &queues[1], SERVED({protected_put}), SERVED({two_queue_evict}), 12 * KIB, 48 * MIB);
    }
}

/* A level's indexes go when four of it are merged to one of the next; the last is always replaced.
 */
static void compaction(unsigned second)
{
    static struct queue levels[4];
    static unsigned tables[4];
    live_anyhow(second);
    if (second % 60 != 59)
        return;
    for (size_t level = 0; level < 4; level++) {
        if (level == 3)
            empty(&levels[3], SERVED({level_merge}));
        for (unsigned i = 0; i < 12u << (2 * level); i++)
            push(&levels[level], SERVED({level_index}), 64 * KIB);
        if (level == 3 || ++tables[level] < 4)
            break;
        tables[level] = 0;
        empty(&levels[level], SERVED({level_merge}));
    }
}

/* A new snapshot every seven minutes; readers keep older ones for up to 20 more. */
static void snapshots(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({route_reclaim}));
    for (int i = 0; second % 420 == 0 && i < 400; i++)
        crowd_add(&crowds[0], second, SERVED({route_snapshot}), size_between(4 * KIB, 36 * KIB),
            i < 300 ? 421 : chance_between(421, 1620));
}

static void users_come(unsigned second, double rate, double stay_s)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({user_leave}));
    for (unsigned i = arrivals(rate); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({user_state}), size_between(8 * KIB, 56 * KIB),
            1 + chance_exponential(stay_s));
}

static void users_by_day(unsigned second)
{
    users_come(second, 3 * load_by_day(second, 5 * HOUR, 0.05), 1500);
}

static void users_in_the_morning(unsigned second)
{
    users_come(second, 2 * load_by_day(second, 8 * HOUR, 0.1), 720);
}

/* Four times the users when the event begins, which is still on at the end. */
static void event_begins(unsigned second)
{
    users_come(second, second < 80 * MINUTE ? 1 : 4, 400);
}

/* The consumer stands still for twelve minutes, three times, and catches up. */
static void backpressure(unsigned second)
{
    bool is_still = second % 3000 >= 1500 && second % 3000 < 2220;
    live_anyhow(second);
    for (unsigned i = arrivals(6); i != 0; i--)
        push(&queues[0], SERVED({consumer_message}), size_between(2 * KIB, 22 * KIB));
    for (unsigned i = is_still ? 0 : 12; i != 0 && count_of(&queues[0]) != 0; i--)
        pop(&queues[0], SERVED({consumer_ack}));
}

/* Documents are open all day; each keeps its last 80 steps, and some are hardly ever touched. */
static void undo_bounded(unsigned second)
{
    static struct {
        struct block steps[80];
        size_t at;
    } documents[60];
    live_anyhow(second);
    for (size_t i = 0; i < 60; i++) {
        for (unsigned step = arrivals(i < 50 ? 0.04 : 0.2); step != 0; step--) {
            struct block *block = &documents[i].steps[documents[i].at++ % 80];
            if (block->size != 0)
                give(SERVED({undo_ring_drop}), block);
            take(SERVED({undo_ring}), block, size_with_tail(3 * KIB, 100 * KIB));
        }
    }
}

/* 100 MiB in the first minutes of each hour; the program began at a quarter past. */
static void hourly_batch(unsigned second)
{
    unsigned at = (second + 900) % HOUR;
    live_anyhow(second);
    for (int i = 0; at < 200 && i < 8; i++)
        push(&queues[0], SERVED({batch_load}), size_between(32 * KIB, 96 * KIB));
    if (at == 480)
        empty(&queues[0], SERVED({batch_done}));
}

/* 3000 keys, each is made when it is first asked for. */
static void keys_all_seen(unsigned second)
{
    static bool is_made[3000];
    live_anyhow(second);
    for (unsigned i = arrivals(3); i != 0; i--) {
        size_t key = (size_t)chance(3000);
        if (!is_made[key])
            forget(SERVED({key_once}), 8 * KIB + key * 4);
        is_made[key] = true;
    }
}

static void remember_me_seen(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({remembered_end}));
    for (unsigned i = arrivals(1.5); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({remembered}), size_between(4 * KIB, 8 * KIB), 6000);
}

/* Code becomes hot in the first half hour; now and then a function is compiled anew. */
static void just_in_time(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(3 * exp(-(double)second / 480)); i != 0; i--)
        push(&queues[0], SERVED({code_emit}), size_with_tail(8 * KIB, 400 * KIB));
    for (unsigned i = arrivals(0.05); i != 0 && count_of(&queues[0]) != 0; i--) {
        give_any(&queues[0], (size_t)chance(count_of(&queues[0])), SERVED({code_discard}));
        push(&queues[0], SERVED({code_emit}), size_with_tail(8 * KIB, 400 * KIB));
    }
}

/* As many connections as were ever needed at once; the days are alike, but for chance. */
static void pool_high_water(unsigned second)
{
    static unsigned conns;
    double needed = 60 + 900 * load_by_day(second, 100 * MINUTE, 0);
    live_anyhow(second);
    for (; conns < needed + (double)chance(20); conns++)
        forget(SERVED({pool_conn}), 48 * KIB);
}

/* Each worker lives for 45 minutes, and has a cache of 20 MiB that is full after ten. */
static void worker_caches(unsigned second)
{
    if (second != 0 && second % 2700 == 0) {
        restart();
        memset(&queues[0], 0, sizeof queues[0]);
    }
    live_anyhow(second % 2700);
    for (unsigned i = arrivals(2.2); i != 0; i--)
        push_bounded(&queues[0], SERVED({process_cache}), SERVED({process_evict}),
            size_between(8 * KIB, 24 * KIB), 20 * MIB);
}

/* Tickets of an hour, or fewer than 9000. */
static void tls_tickets(unsigned second)
{
    static struct queue *tickets = &queues[0];
    static unsigned born[BLOCKS_MAX];
    live_anyhow(second);
    while (count_of(tickets) != 0 &&
           (born[tickets->first % BLOCKS_MAX] + HOUR <= second || count_of(tickets) > 9000))
        pop(tickets, SERVED({ticket_expire}));
    for (unsigned i = arrivals(3 * load_by_day(second, 2 * HOUR, 0.5)); i != 0; i--) {
        born[tickets->end % BLOCKS_MAX] = second;
        push(tickets, SERVED({ticket_store}), size_between(5 * KIB, 7 * KIB));
    }
}

/* Sixteen buffers, each grown if a batch is larger than any before: at most 8 MiB. */
static void batch_buffers(unsigned second)
{
    static struct block buffers[16];
    live_anyhow(second);
    for (unsigned i = arrivals(0.5); i != 0; i--) {
        struct block *buffer = &buffers[chance(16)];
        size_t size = size_with_tail(200 * KIB, 8 * MIB);
        if (size <= buffer->size)
            continue;
        if (buffer->size != 0)
            give(SERVED({tensor_grow}), buffer);
        take(SERVED({tensor_buffer}), buffer, size);
    }
}

static void collect(unsigned second, unsigned flush_s)
{
    live_anyhow(second);
    if (second % flush_s == flush_s - 1)
        empty(&queues[0], SERVED({log_flush}));
    for (unsigned i = arrivals(2); i != 0; i--)
        push(&queues[0], SERVED({log_batch}), size_between(4 * KIB, 16 * KIB));
}

static void flush_often(unsigned second)
{
    collect(second, 45 * MINUTE);
}

static void flush_once(unsigned second)
{
    collect(second, 60 * MINUTE);
}

/* What is dead is freed when the old space is twice what was left the last time. */
static void major_collections(unsigned second)
{
    static size_t limit = 30 * MIB;
    struct queue *old = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(3); i != 0; i--)
        push(old, SERVED({old_space}), size_between(2 * KIB, 12 * KIB));
    if (old->size_bytes < limit)
        return;
    for (size_t i = count_of(old); i-- != 0;) {
        if (chance(100) < 60)
            give_any(old, i, SERVED({major_gc}));
    }
    limit = old->size_bytes + 22 * MIB;
}

static void quarantine(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(3 * load_by_day(second, 40 * MINUTE, 0.3)); i != 0; i--)
        push_bounded(&queues[0], SERVED({quarantine_put}), SERVED({quarantine_out}),
            any_size() / 4 + 64, 16 * MIB);
}

/* The best 5000: who comes later is among them ever more seldom. */
static void leaderboard(unsigned second)
{
    static uint64_t players;
    live_anyhow(second);
    for (unsigned i = arrivals(8); i != 0; i--) {
        if (++players > 5000 && chance(players) >= 5000)
            continue;
        if (count_of(&queues[0]) == 5000)
            give_any(&queues[0], (size_t)chance(5000), SERVED({board_drop}));
        push(&queues[0], SERVED({board_entry}), size_between(4 * KIB, 12 * KIB));
    }
}

/* Pieces of a world: around the start they stay, others go ten minutes after the last visit. */
static void world_chunks(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({chunk_unload}));
    for (int i = 0; second < 600 && i < 2; i++)
        forget(SERVED({chunk_load}), 24 * KIB);
    for (unsigned i = arrivals(2 * load_by_day(second, 3 * HOUR, 0.3)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({chunk_load}), size_between(12 * KIB, 36 * KIB),
            600 + chance_exponential(300));
}

static void idle_mailboxes(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({idle_renew}));
    for (unsigned i = arrivals(2 * load_by_day(second, 4 * HOUR, 0.3)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({idle_mailbox}), size_with_tail(4 * KIB, 300 * KIB),
            chance(4) == 0 ? 1 + chance_exponential(200) : 1740);
}

/* Each of 20 connections has a cache of 150 statements; it is recycled after half an hour. */
static void statement_caches(unsigned second)
{
    static struct {
        struct block statements[150];
        size_t at;
    } conns[20];
    live_anyhow(second);
    for (size_t c = 0; c < 20; c++) {
        if (second % 1800 == c * 90) {
            for (size_t i = 0; i < 150; i++) {
                if (conns[c].statements[i].size != 0)
                    give(SERVED({stmt_conn_end}), &conns[c].statements[i]);
            }
            conns[c].at = 0;
        }
        for (unsigned i = arrivals(0.15); i != 0; i--) {
            struct block *block = &conns[c].statements[conns[c].at++ % 150];
            if (block->size != 0)
                give(SERVED({stmt_evict}), block);
            take(SERVED({stmt_cache}), block, size_between(4 * KIB, 20 * KIB));
        }
    }
}

/* A window of two hours of segments, of a stream of four and a half. */
static void stream_window(unsigned second)
{
    live_anyhow(second);
    if (second % 6 != 0)
        return;
    if (count_of(&queues[0]) == 1200)
        pop(&queues[0], SERVED({hls_drop}));
    push(&queues[0], SERVED({hls_segment}), size_between(80 * KIB, 160 * KIB));
}

const struct leaker set5_bounded[] = {
    {"zipf_lru", zipf_lru, 2 * HOUR},
    {"lfu", lfu, 2 * HOUR},
    {"random_victim", random_victim, 2 * HOUR},
    {"ttl_with_jitter", ttl_with_jitter, 2 * HOUR},
    {"two_queues", two_queues, 4 * HOUR},
    {"compaction", compaction, 9 * HOUR / 2},
    {"snapshots", snapshots, 2 * HOUR},
    {"users_by_day", users_by_day, 5 * HOUR},
    {"users_in_the_morning", users_in_the_morning, 4 * HOUR},
    {"event_begins", event_begins, 2 * HOUR},
    {"backpressure", backpressure, 3 * HOUR},
    {"undo_bounded", undo_bounded, 4 * HOUR},
    {"hourly_batch", hourly_batch, 4 * HOUR},
    {"keys_all_seen", keys_all_seen, 2 * HOUR},
    {"remember_me_seen", remember_me_seen, 9 * HOUR / 2},
    {"just_in_time", just_in_time, 5 * HOUR / 2},
    {"pool_high_water", pool_high_water, 5 * HOUR},
    {"worker_caches", worker_caches, 8100},
    {"tls_tickets", tls_tickets, 3 * HOUR},
    {"batch_buffers", batch_buffers, 3 * HOUR},
    {"flush_often", flush_often, 4 * HOUR},
    {"flush_once", flush_once, 100 * MINUTE},
    {"major_collections", major_collections, 4 * HOUR},
    {"quarantine", quarantine, 2 * HOUR},
    {"leaderboard", leaderboard, 3 * HOUR},
    {"world_chunks", world_chunks, 3 * HOUR},
    {"idle_mailboxes", idle_mailboxes, 4 * HOUR},
    {"statement_caches", statement_caches, 2 * HOUR},
    {"stream_window", stream_window, 9 * HOUR / 2},
    {NULL, NULL, 0},
};
