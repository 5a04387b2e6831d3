/*
 * set6_bounded.c: the programs of LABELS-6.md whose memory is bounded in all of their time.
 */
#include "script.h"

#include <math.h>
#include <string.h>

#define MINUTE 60u
#define KEYS_MAX 30000

PLACE(clock_fill)
PLACE(clock_victim)
PLACE(lru_load)
PLACE(lru_out)
PLACE(window_put)
PLACE(window_out)
PLACE(main_put)
PLACE(main_out)
PLACE(slide_put)
PLACE(slide_sweep)
PLACE(any_put)
PLACE(any_victim)
PLACE(lazy_item)
PLACE(queued_job)
PLACE(finished_job)
PLACE(etl_rows)
PLACE(etl_free)
PLACE(storm_conn)
PLACE(eden_alloc)
PLACE(eden_sweep)
PLACE(hour_log)
PLACE(hour_rotate)
PLACE(follow_session)
PLACE(leave_session)
PLACE(btree_node)
PLACE(btree_merge)
PLACE(answer_put)
PLACE(answer_flush)
PLACE(day_snapshot)
PLACE(day_release)
PLACE(memtable_row)
PLACE(memtable_flush)
PLACE(table_index)
PLACE(table_compact)
PLACE(epoch_tensor)
PLACE(epoch_free)
PLACE(best_weights)
PLACE(best_replace)
PLACE(seen_id)
PLACE(seen_expire)
PLACE(freelist_fill)
PLACE(catalog_build)
PLACE(catalog_old)
PLACE(ws_client)
PLACE(ws_gone)
PLACE(word_intern)
PLACE(module_map)
PLACE(lag_page)
PLACE(lag_done)
PLACE(chat_room)
PLACE(chat_close)

/* Keys of which few are asked for often: Zipf's. */
static size_t any_key(size_t count)
{
    return (size_t)pow((double)count, chance_between(0, 1)) - 1;
}

/* Second chance: a hand goes round, and takes the first that was not asked for since it came by. */
static void clock_sweep(unsigned second)
{
    static struct {
        size_t key;
        bool is_used;
        struct block block;
    } frames[5000];
    static size_t frame_of[KEYS_MAX], hand; /* from 1 on */
    live_anyhow(second);
    for (unsigned i = arrivals(6); i != 0; i--) {
        size_t key = any_key(KEYS_MAX);
        if (frame_of[key] != 0) {
            frames[frame_of[key] - 1].is_used = true;
            continue;
        }
        for (; frames[hand].is_used; hand = (hand + 1) % 5000)
            frames[hand].is_used = false;
        if (frames[hand].block.size != 0) {
            frame_of[frames[hand].key] = 0;
            give(SERVED({clock_victim}), &frames[hand].block);
        }
        frames[hand].key = key;
        take(SERVED({clock_fill}), &frames[hand].block, 16 * KIB);
        frame_of[key] = hand + 1;
        hand = (hand + 1) % 5000;
    }
}

/* Of 90 MiB, by day and night; what is asked for goes to the front. */
static void lru_by_day(unsigned second)
{
    static struct key {
        struct block block;
        size_t newer, older; /* from 1 on, 0 is the ring's own */
    } keys[KEYS_MAX + 1];
    static size_t size_bytes;
    live_anyhow(second);
    for (unsigned i = arrivals(4 * load_by_day(second, 24 * HOUR, 0.2)); i != 0; i--) {
        size_t at = any_key(KEYS_MAX) + 1;
        struct key *key = &keys[at];
        if (key->block.size != 0) {
            keys[key->newer].older = key->older;
            keys[key->older].newer = key->newer;
        } else {
            take(SERVED({lru_load}), &key->block, 4 * KIB + at % 41 * 512);
            size_bytes += key->block.size;
        }
        key->newer = 0;
        key->older = keys[0].older;
        keys[key->older].newer = at;
        keys[0].older = at;
        while (size_bytes > 90 * MIB) {
            struct key *oldest = &keys[keys[0].newer];
            keys[0].newer = oldest->newer;
            keys[oldest->newer].older = 0;
            size_bytes -= oldest->block.size;
            give(SERVED({lru_out}), &oldest->block);
        }
    }
}

/* A small window, through which all goes, and a large part, into which only what is asked for more
 * often than who would go for it: hardly anything, once the hot are there. */
static void admission_by_frequency(unsigned second)
{
    static struct {
        struct block block;
        unsigned asked;
    } keys[KEYS_MAX];
    static size_t members[4000], count;
    live_anyhow(second);
    for (unsigned i = arrivals(8); i != 0; i--) {
        size_t key = any_key(KEYS_MAX);
        keys[key].asked++;
        if (keys[key].block.size != 0)
            continue;
        push_bounded(&queues[0], SERVED({window_put}), SERVED({window_out}), 10 * KIB, 8 * MIB);
        size_t victim = count == 4000 ? (size_t)chance(4000) : count;
        if (count == 4000 && keys[members[victim]].asked >= keys[key].asked)
            continue;
        if (count == 4000)
            give(SERVED({main_out}), &keys[members[victim]].block);
        else
            count++;
        members[victim] = key;
        take(SERVED({main_put}), &keys[key].block, 10 * KIB);
    }
}

/* Forty minutes since it was asked for the last time: the hot ones are never let go. */
static void ttl_since_use(unsigned second)
{
    static struct {
        struct block block;
        unsigned used;
    } keys[8000];
    live_anyhow(second);
    for (unsigned i = arrivals(3 * load_by_day(second, 4 * HOUR, 0.4)); i != 0; i--) {
        size_t key = any_key(8000);
        keys[key].used = second;
        if (keys[key].block.size == 0)
            take(SERVED({slide_put}), &keys[key].block, 8 * KIB + key % 31 * KIB);
    }
    for (size_t key = second % MINUTE; key < 8000; key += MINUTE) {
        if (keys[key].block.size != 0 && keys[key].used + 40 * MINUTE < second)
            give(SERVED({slide_sweep}), &keys[key].block);
    }
}

/* Any block may be the victim, until there is room; some are a thousand times as large as others.
 */
static void random_by_bytes(unsigned second)
{
    struct queue *cache = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(1.5); i != 0; i--) {
        size_t size = size_with_tail(4 * KIB, 4 * MIB);
        while (cache->size_bytes + size > 110 * MIB)
            give_any(cache, (size_t)chance(count_of(cache)), SERVED({any_victim}));
        push(cache, SERVED({any_put}), size);
    }
}

/* 20000 things, each read when it is first asked for: hours of warming up, and then none. */
static void warm_up_of_hours(unsigned second)
{
    static bool is_read[20000];
    live_anyhow(second);
    for (unsigned i = arrivals(6); i != 0; i--) {
        size_t thing = (size_t)chance(20000);
        if (!is_read[thing])
            forget(SERVED({lazy_item}), 4 * KIB + thing % 9 * 512);
        is_read[thing] = true;
    }
}

/* By day jobs wait for 40 minutes, at night for none; the last hours are a morning. */
static void queue_by_day(unsigned second)
{
    double load = load_by_day(second, 24 * HOUR, 0.05);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({finished_job}));
    for (unsigned i = arrivals(1.2 * load); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({queued_job}), size_between(4 * KIB, 36 * KIB),
            5 + 2400 * load * load + chance_exponential(60));
}

/* Every two hours rows are read for half an hour, and all given back 20 minutes later; the end is
 * in the middle of it. */
static void etl_every_two_hours(unsigned second)
{
    unsigned at = (second + HOUR) % (2 * HOUR);
    live_anyhow(second);
    for (unsigned i = at < 30 * MINUTE ? arrivals(3) : 0; i != 0; i--)
        push(&queues[0], SERVED({etl_rows}), size_between(4 * KIB, 28 * KIB));
    if (at == 50 * MINUTE)
        empty(&queues[0], SERVED({etl_free}));
}

/* As many connections as the worst storm needed, of four: the second one was it. */
static void storms_and_pool(unsigned second)
{
    static const unsigned at[] = {55, 170, 330, 480}, needed[] = {500, 900, 640, 870};
    static unsigned conns;
    unsigned wanted = 40 + (unsigned)chance(10);
    live_anyhow(second);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        if (second / MINUTE >= at[i] && second / MINUTE < at[i] + 5)
            wanted = needed[i];
    }
    for (; conns < wanted; conns++)
        forget(SERVED({storm_conn}), size_between(40 * KIB, 80 * KIB));
}

/* A large heap: 50 MiB live all the time and are replaced slowly; a collection comes every
 * half hour or so, later when there is less load. */
static void gc_saw_of_hours(unsigned second)
{
    struct queue *dead = &queues[0], *live = &queues[1];
    live_anyhow(second);
    for (int i = 0; second < 5 * MINUTE && i < 17; i++)
        push(live, SERVED({eden_alloc}), 10 * KIB);
    for (unsigned i = arrivals(3 * load_by_day(second, 3 * HOUR, 0.5)); i != 0; i--) {
        push(dead, SERVED({eden_alloc}), size_between(4 * KIB, 28 * KIB));
        if (second > 10 * MINUTE && chance(6) == 0) {
            give_any(live, (size_t)chance(count_of(live)), SERVED({eden_sweep}));
            push(live, SERVED({eden_alloc}), 10 * KIB);
        }
    }
    if (dead->size_bytes > 70 * MIB)
        empty(dead, SERVED({eden_sweep}));
}

/* Collected for an hour, and given back when the file is rotated; the end is half past. */
static void log_by_hours(unsigned second)
{
    live_anyhow(second);
    if (second % HOUR == 0)
        empty(&queues[0], SERVED({hour_rotate}));
    for (unsigned i = arrivals(2 * load_by_day(second, 20 * HOUR, 0.3)); i != 0; i--)
        push(&queues[0], SERVED({hour_log}), size_between(2 * KIB, 16 * KIB));
}

/* From the first user of the day until before noon: ever more come, and none stays for longer than
 * ever. */
static void sessions_of_a_morning(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({leave_session}));
    for (unsigned i = arrivals(1.5 * load_by_day(second, 16 * HOUR, 0.03)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({follow_session}), size_between(10 * KIB, 40 * KIB),
            (double)size_with_tail(300, 7200));
}

/* An index of what is imported: for three hours and a half there is more of it, and then what comes
 * replaces what is deleted. */
static void index_levels_off(unsigned second)
{
    double growth = second < 210 * MINUTE ? 1.0 : 0;
    struct queue *nodes = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(0.6 * growth); i != 0; i--)
        push(nodes, SERVED({btree_node}), 16 * KIB);
    for (unsigned i = count_of(nodes) > 100 ? arrivals(0.5) : 0; i != 0; i--) {
        give_any(nodes, (size_t)chance(count_of(nodes)), SERVED({btree_merge}));
        push(nodes, SERVED({btree_node}), 16 * KIB);
    }
}

/* Of 80 MiB, full after 50 minutes; emptied by a deploy, and filled again. */
static void flushed_at(unsigned second, unsigned flush_s)
{
    live_anyhow(second);
    if (second == flush_s)
        empty(&queues[0], SERVED({answer_flush}));
    for (unsigned i = arrivals(2.2); i != 0; i--)
        push_bounded(&queues[0], SERVED({answer_put}), SERVED({answer_flush}),
            size_between(4 * KIB, 21 * KIB), 80 * MIB);
}

static void flush_and_refill(unsigned second)
{
    flushed_at(second, 4 * HOUR);
}

static void flush_refill_begun(unsigned second)
{
    flushed_at(second, 3 * HOUR);
}

/* A snapshot of 8 MiB every six hours is kept for one day: four or five at a time. */
static void snapshots_for_a_day(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({day_release}));
    for (int i = 0; second % (6 * HOUR) == 20 * MINUTE && i < 500; i++)
        crowd_add(&crowds[0], second, SERVED({day_snapshot}), size_between(8 * KIB, 24 * KIB),
            24 * HOUR + 5 * MINUTE);
}

/* Rows in memory, written to a table every 12 minutes; its index stays until a compaction takes all
 * of them, every two hours and a half. */
static void tables_and_compaction(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(5); i != 0; i--)
        push(&queues[0], SERVED({memtable_row}), size_between(KIB, 9 * KIB));
    if (second % (12 * MINUTE) == 0 && second != 0) {
        empty(&queues[0], SERVED({memtable_flush}));
        for (int i = 0; i < 100; i++)
            push(&queues[1], SERVED({table_index}), size_between(16 * KIB, 64 * KIB));
    }
    if (second % (150 * MINUTE) == 149 * MINUTE) {
        empty(&queues[1], SERVED({table_compact}));
        for (int i = 0; i < 300; i++)
            push(&queues[1], SERVED({table_index}), size_between(16 * KIB, 64 * KIB));
    }
}

/* Each epoch of 37 minutes takes what it needs as it goes, and gives it back; the best weights are
 * replaced by better ones, ever more seldom. */
static void training(unsigned second)
{
    static struct block best[100];
    static unsigned epochs;
    live_anyhow(second);
    for (unsigned i = arrivals(0.5); i != 0; i--)
        push(&queues[0], SERVED({epoch_tensor}), size_between(64 * KIB, 192 * KIB));
    if (second % (37 * MINUTE) != 0)
        return;
    empty(&queues[0], SERVED({epoch_free}));
    if (chance(++epochs) > 1)
        return;
    for (size_t i = 0; i < 100; i++) {
        if (best[i].size != 0)
            give(SERVED({best_replace}), &best[i]);
        take(SERVED({best_weights}), &best[i], 256 * KIB);
    }
}

/* Identifiers are kept for four hours, of which eleven are seen. */
static void dedupe_window(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({seen_expire}));
    for (unsigned i = arrivals(1); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({seen_id}), size_between(2 * KIB, 6 * KIB), 4 * HOUR);
}

/* 48 threads, each with lists of free blocks of its own from when it first works: the last ones
 * after three hours, of eight. */
static void lists_of_threads(unsigned second)
{
    static size_t threads;
    live_anyhow(second);
    if (threads == 48 || second < threads * threads * 3 * HOUR / (47 * 47))
        return;
    threads++;
    for (int i = 0; i < 24; i++)
        forget(PATH({run_server}, {freelist_fill}), 64 * KIB);
}

/* Every four hours a catalogue of 45 MiB is built beside the old one, in ten minutes; then that one
 * goes. */
static void catalogue_anew(unsigned second)
{
    unsigned at = second % (4 * HOUR);
    live_anyhow(second);
    if (at == 0) {
        queues[1] = queues[0];
        memset(&queues[0], 0, sizeof queues[0]);
    }
    for (int i = 0; at < 10 * MINUTE && i < 8; i++)
        push(&queues[0], SERVED({catalog_build}), size_between(6 * KIB, 13 * KIB));
    if (at == 11 * MINUTE)
        empty(&queues[1], SERVED({catalog_old}));
}

/* Clients that stay for hours, two and a half on average: level after half a day of one. */
static void clients_of_hours(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({ws_gone}));
    for (unsigned i = arrivals(0.2); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({ws_client}), size_between(16 * KIB, 48 * KIB),
            chance_exponential(2.5 * HOUR));
}

/* Six thousand words in all, of which some are very rare: new ones come ever more seldom. */
static void words_of_a_language(unsigned second)
{
    static bool is_known[6000];
    live_anyhow(second);
    for (unsigned i = arrivals(5); i != 0; i--) {
        size_t word = any_key(6000);
        if (!is_known[word])
            forget(SERVED({word_intern}), 5 * KIB + word % 7 * KIB);
        is_known[word] = true;
    }
}

/* Modules are loaded when their first user comes: nine, the last one at minute 170 of 480. */
static void modules_on_demand(unsigned second)
{
    static const unsigned at[] = {0, 2, 5, 9, 17, 31, 58, 104, 170};
    live_anyhow(second);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        for (int k = 0; second == at[i] * MINUTE && k < 60; k++)
            forget(SERVED({module_map}), size_between(32 * KIB, 160 * KIB));
    }
}

/* A replica begins with two hours to catch up, and what it holds of them goes in three; then it
 * holds what came in some minutes. */
static void replica_lags(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second < 4 * MINUTE && i < 30; i++)
        push(&queues[0], SERVED({lag_page}), size_between(8 * KIB, 16 * KIB));
    for (unsigned i = arrivals(2); i != 0; i--)
        push(&queues[0], SERVED({lag_page}), size_between(8 * KIB, 16 * KIB));
    for (unsigned i = arrivals(2.7); i != 0 && count_of(&queues[0]) > 300; i--)
        pop(&queues[0], SERVED({lag_done}));
}

/* Rooms in which people talk: each keeps its last 60 lines until it is closed, after an hour on
 * average; in the evening there are five times as many. */
static void rooms_of_an_evening(unsigned second)
{
    static struct {
        struct block lines[60];
        size_t at;
        unsigned closes;
    } rooms[400];
    size_t open = (size_t)(400 * load_by_day(second, 12 * HOUR, 0.2));
    live_anyhow(second);
    for (size_t r = 0; r < 400; r++) {
        if (rooms[r].closes <= second && rooms[r].at != 0) {
            for (size_t i = 0; i < 60; i++) {
                if (rooms[r].lines[i].size != 0)
                    give(SERVED({chat_close}), &rooms[r].lines[i]);
            }
            rooms[r].at = 0;
        }
        if (r >= open || chance(40) != 0)
            continue;
        if (rooms[r].at == 0)
            rooms[r].closes = second + 60 + (unsigned)chance_exponential(HOUR);
        struct block *line = &rooms[r].lines[rooms[r].at++ % 60];
        if (line->size != 0)
            give(SERVED({chat_close}), line);
        take(SERVED({chat_room}), line, size_between(KIB, 7 * KIB));
    }
}

const struct leaker set6_bounded[] = {
    {"clock_sweep", clock_sweep, 4 * HOUR},
    {"lru_by_day", lru_by_day, 30 * HOUR},
    {"admission_by_frequency", admission_by_frequency, 5 * HOUR},
    {"ttl_since_use", ttl_since_use, 6 * HOUR},
    {"random_by_bytes", random_by_bytes, 4 * HOUR},
    {"warm_up_of_hours", warm_up_of_hours, 8 * HOUR},
    {"queue_by_day", queue_by_day, 30 * HOUR},
    {"etl_every_two_hours", etl_every_two_hours, 800 * MINUTE},
    {"storms_and_pool", storms_and_pool, 10 * HOUR},
    {"gc_saw_of_hours", gc_saw_of_hours, 6 * HOUR},
    {"log_by_hours", log_by_hours, 570 * MINUTE},
    {"sessions_of_a_morning", sessions_of_a_morning, 7 * HOUR},
    {"index_levels_off", index_levels_off, 10 * HOUR},
    {"flush_and_refill", flush_and_refill, 7 * HOUR},
    {"flush_refill_begun", flush_refill_begun, 210 * MINUTE},
    {"snapshots_for_a_day", snapshots_for_a_day, 60 * HOUR},
    {"tables_and_compaction", tables_and_compaction, 11 * HOUR},
    {"training", training, 8 * HOUR},
    {"dedupe_window", dedupe_window, 11 * HOUR},
    {"lists_of_threads", lists_of_threads, 8 * HOUR},
    {"catalogue_anew", catalogue_anew, 14 * HOUR},
    {"clients_of_hours", clients_of_hours, 24 * HOUR},
    {"words_of_a_language", words_of_a_language, 6 * HOUR},
    {"modules_on_demand", modules_on_demand, 8 * HOUR},
    {"replica_lags", replica_lags, 6 * HOUR},
    {"rooms_of_an_evening", rooms_of_an_evening, 12 * HOUR},
    {NULL, NULL, 0},
};
