/*
 * set8_bounded.c: the programs of LABELS-8.md whose memory is bounded in all of their time.
 */
#include "set8.h"

#include <string.h>

PLACE(vector_double)
PLACE(word_entry)
PLACE(request_chunk)
PLACE(request_reset)
PLACE(kept_conn)
PLACE(walker_session)
PLACE(walker_gone)
PLACE(young_object)
PLACE(young_sweep)
PLACE(recorder_part)
PLACE(line_waiting)
PLACE(lines_written)
PLACE(timed_answer)
PLACE(timed_answer_out)
PLACE(tile_keep)
PLACE(tile_out)
PLACE(shift_session)
PLACE(shift_end)
PLACE(hour_row)
PLACE(hour_end)
PLACE(memo_result)
PLACE(swept_note)
PLACE(night_sweep)
PLACE(wal_record)
PLACE(checkpoint_done)
PLACE(socket_state)
PLACE(socket_close)
PLACE(release_page)
PLACE(release_evict)
PLACE(stream_conn)
PLACE(stream_conn_close)

/* 16 vectors that are doubled when they are full, while a corpus is read: it ends at minute 150 of
 * 480, and nothing is added to it. */
static void vectors_of_a_corpus(unsigned second)
{
    static struct {
        struct block buffer;
        size_t used_bytes;
    } vectors[16];
    live_anyhow(second);
    for (unsigned i = second < 150 * MINUTE ? arrivals(6) : 0; i != 0; i--) {
        size_t at = popular(16, 1.5);
        vectors[at].used_bytes += size_between(200, 1400);
        struct block old = vectors[at].buffer;
        if (vectors[at].used_bytes <= old.size)
            continue;
        take(SERVED({vector_double}), &vectors[at].buffer, old.size != 0 ? 2 * old.size : 64 * KIB);
        if (old.size != 0)
            give(SERVED({vector_double}), &old);
    }
}

/* A vocabulary of 24000 words, of which each is interned when it is first read, and most are
 * rare. */
static void words_interned(unsigned second)
{
    static struct block words[24000];
    live_anyhow(second);
    for (unsigned i = arrivals(12); i != 0; i--) {
        size_t word = popular(24000, 2.2);
        take_once(&words[word], SERVED({word_entry}), KIB + word % 21 * 128);
    }
}

/* An arena of each request for a report: grows for one to fifteen minutes, and is reset then. */
static void arenas_reset(unsigned second)
{
    static unsigned ends, pause;
    live_anyhow(second);
    if (second >= ends && count_of(&queues[0]) != 0)
        empty(&queues[0], SERVED({request_reset}));
    if (second >= ends + pause) {
        ends = second + MINUTE + (unsigned)chance(14 * MINUTE);
        pause = 20 + (unsigned)chance_exponential(4 * MINUTE);
    }
    for (unsigned i = second < ends ? arrivals(1.5) : 0; i != 0; i--)
        push(&queues[0], SERVED({request_chunk}), 64 * KIB);
}

/* A pool in which connections are made when all are busy, and none is closed: the load rises in
 * four steps until hour 6 of 13, and then is what it was or less. */
static void pool_stays_large(unsigned second)
{
    static struct block pool[200];
    static const unsigned busy[] = {20, 20, 55, 55, 110, 110, 170, 120, 90, 150, 40, 140, 160};
    live_anyhow(second);
    size_t wanted = (size_t)(busy[second / HOUR] * chance_between(0.6, 1.05));
    for (size_t i = 0; i < wanted; i++)
        take_once(&pool[i], SERVED({kept_conn}), (250 + i * 37 % 120) * KIB);
}

/* As many users as come, from 300 to 3000, by a walk: each stays for an hour on average. */
static void memory_of_users(unsigned second)
{
    static double users = 1000;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({walker_gone}));
    if (second % (5 * MINUTE) == 0)
        users = fmin(3000, fmax(300, users + chance_between(-190, 200)));
    for (unsigned i = arrivals(users / HOUR); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({walker_session}), size_between(10 * KIB, 40 * KIB),
            1 + chance_exponential(HOUR));
}

/* A collector that works when the heap is twice what was alive: some ten minutes' worth goes at
 * once. What has become old lives for another hour, on average. */
static void collected_in_bulk(unsigned second)
{
    static struct managed heap;
    live_anyhow(second);
    for (unsigned i = arrivals(4); i != 0; i--)
        managed_new(&heap, second, SERVED({young_object}), size_between(2 * KIB, 18 * KIB),
            chance_exponential(chance(8) == 0 ? HOUR : 15));
    managed_collect(&heap, second, SERVED({young_sweep}), 24 * MIB);
}

/* A recorder of flights: a ring whose parts are taken when they are first written, for three hours,
 * and from then on written again. */
static void recorder_goes_round(unsigned second)
{
    live_anyhow(second);
    if (second < 3 * HOUR && second % 10 == 0)
        push(&queues[0], SERVED({recorder_part}), 64 * KIB);
}

/* Lines of a log wait until there are 12 MiB of them, or ten minutes have passed. */
static void log_is_flushed(unsigned second)
{
    static unsigned flushed;
    double rate = 30 * load_by_day(second, 5 * HOUR, 0.05);
    live_anyhow(second);
    for (unsigned i = arrivals(rate); i != 0; i--)
        push(&queues[0], SERVED({line_waiting}), size_between(200, 2200));
    if (queues[0].size_bytes > 12 * MIB || second >= flushed + 10 * MINUTE) {
        empty(&queues[0], SERVED({lines_written}));
        flushed = second;
    }
}

/* Answers live for 45 minutes; there are more of them, and fewer, and four times as many as at
 * first from hour 13 of 20 on. */
static void life_under_loads(unsigned second)
{
    double load = second < 4 * HOUR ? 1 : second < 9 * HOUR ? 2.5 : second < 13 * HOUR ? 1.4 : 4;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({timed_answer_out}));
    for (unsigned i = arrivals(0.5 * load); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({timed_answer}), size_between(4 * KIB, 18 * KIB),
            45 * MINUTE);
}

/* 200 MiB of what was used last, which take 22 hours of 54 to fill; what is used often stays. */
static void recent_fills_for_long(unsigned second)
{
    static struct recency tiles;
    live_anyhow(second);
    for (unsigned i = arrivals(0.12); i != 0; i--) {
        uint32_t key = 1 + (uint32_t)popular(RECENT_KEYS, 1.5);
        (void)recency_use(&tiles, key, SERVED({tile_keep}), SERVED({tile_out}),
            8 * KIB + key % 33 * KIB, 200 * MIB);
    }
}

/* Sessions of four to nine hours, as many at all times of 28. */
static void sessions_of_a_shift(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({shift_end}));
    for (unsigned i = arrivals(0.12); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({shift_session}), size_between(6 * KIB, 18 * KIB),
            chance_between(4 * HOUR, 9 * HOUR));
}

/* A batch from minute 40 of each hour on, for 8 to 24 minutes, each as large as its hour; all of it
 * goes two minutes later. */
static void hourly_batches(unsigned second)
{
    static unsigned takes = 15;
    unsigned at = second % HOUR;
    live_anyhow(second);
    if (at == 39 * MINUTE)
        takes = 8 + (unsigned)chance(9);
    for (unsigned i = is_within(at, 40, takes) ? arrivals(9) : 0; i != 0; i--)
        push(&queues[0], SERVED({hour_row}), size_between(2 * KIB, 14 * KIB));
    if (at == (42 + takes) * MINUTE)
        empty(&queues[0], SERVED({hour_end}));
}

/* 7000 results, each found out when it is first asked for: most of them in the first hour of
 * nine. */
static void results_are_known(unsigned second)
{
    static struct block results[7000];
    live_anyhow(second);
    for (unsigned i = arrivals(3); i != 0; i--) {
        size_t at = popular(7000, 1.2);
        take_once(&results[at], SERVED({memo_result}), (4 + at % 15) * KIB);
    }
}

/* All is swept at three in the morning; seen from four in the morning on, for 56 hours. */
static void swept_at_night(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.4 * load_by_day(second + 4 * HOUR, 24 * HOUR, 0.2)); i != 0; i--)
        push(&queues[0], SERVED({swept_note}), size_between(KIB, 5 * KIB));
    if ((second + 4 * HOUR) % (24 * HOUR) == 3 * HOUR)
        empty(&queues[0], SERVED({night_sweep}));
}

/* Records are kept until a checkpoint, of which there are ever fewer: after 5 minutes at first, and
 * after 55 at the end of eight hours. */
static void checkpoints_become_rare(unsigned second)
{
    static unsigned next = 5 * MINUTE;
    live_anyhow(second);
    for (unsigned i = arrivals(3); i != 0; i--)
        push(&queues[0], SERVED({wal_record}), size_between(KIB, 11 * KIB));
    if (second >= next) {
        empty(&queues[0], SERVED({checkpoint_done}));
        next = second + 5 * MINUTE + second / 9;
    }
}

/* After the start all 2200 clients come within half an hour, and stay, but for one every three
 * minutes, for which another one comes. */
static void clients_stay(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(1.3); i != 0 && count_of(&queues[0]) < 2200; i--)
        push(&queues[0], SERVED({socket_state}), size_between(10 * KIB, 40 * KIB));
    if (second > HOUR && chance(180) == 0)
        give_any(&queues[0], (size_t)chance(count_of(&queues[0])), SERVED({socket_close}));
}

/* Five builds in a day, in each of which a cache of 110 MiB of what was used last fills ever more
 * slowly: none runs long enough to make it full. */
static void releases_of_a_day(unsigned second)
{
    static const unsigned at[] = {170, 430, 720, 900};
    static struct recency pages;
    static unsigned began;
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        if (second == at[i] * MINUTE) {
            restart();
            memset(&pages, 0, sizeof pages);
            began = second;
        }
    }
    live_anyhow(second - began);
    for (unsigned i = arrivals(1.6); i != 0; i--) {
        uint32_t key = 1 + (uint32_t)popular(9000, 1.8);
        (void)recency_use(&pages, key, SERVED({release_page}), SERVED({release_evict}),
            4 * KIB + key % 17 * KIB, 110 * MIB);
    }
}

/* Connections of which most last for a minute, and some for ten hours: as many of these come as
 * go, from hour 10 of 40 on. */
static void connections_of_all_ages(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({stream_conn_close}));
    for (unsigned i = arrivals(0.6); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({stream_conn}), size_between(12 * KIB, 36 * KIB),
            fmin(10 * HOUR, 40 * pow(chance_between(0, 1), -1 / 0.6)));
}

const struct leaker set8_bounded[] = {
    {"vectors_of_a_corpus", vectors_of_a_corpus, 8 * HOUR},
    {"words_interned", words_interned, 12 * HOUR},
    {"arenas_reset", arenas_reset, 6 * HOUR},
    {"pool_stays_large", pool_stays_large, 13 * HOUR},
    {"memory_of_users", memory_of_users, 30 * HOUR},
    {"collected_in_bulk", collected_in_bulk, 9 * HOUR},
    {"recorder_goes_round", recorder_goes_round, 9 * HOUR},
    {"log_is_flushed", log_is_flushed, 5 * HOUR},
    {"life_under_loads", life_under_loads, 20 * HOUR},
    {"recent_fills_for_long", recent_fills_for_long, 54 * HOUR},
    {"sessions_of_a_shift", sessions_of_a_shift, 28 * HOUR},
    {"hourly_batches", hourly_batches, 15 * HOUR},
    {"results_are_known", results_are_known, 9 * HOUR},
    {"swept_at_night", swept_at_night, 56 * HOUR},
    {"checkpoints_become_rare", checkpoints_become_rare, 8 * HOUR},
    {"clients_stay", clients_stay, 12 * HOUR},
    {"releases_of_a_day", releases_of_a_day, 18 * HOUR},
    {"connections_of_all_ages", connections_of_all_ages, 40 * HOUR},
    {NULL, NULL, 0},
};
