/*
 * set9_bounded.c: the programs of LABELS-9.md whose memory is bounded in all of their time.
 */
#include "set9.h"

PLACE(ring_descriptor)
PLACE(any_block)
PLACE(any_block_out)
PLACE(uneven_fill)
PLACE(uneven_evict)
PLACE(mixed_entry)
PLACE(mixed_entry_out)
PLACE(nursery_object)
PLACE(nursery_end)
PLACE(tenured_object)
PLACE(tenured_mark_sweep)
PLACE(hour_bucket)
PLACE(hour_bucket_out)
PLACE(batch_line)
PLACE(batch_lines_end)
PLACE(arena_chunk_kept)
PLACE(session_table)
PLACE(piece_buffer)
PLACE(piece_written)
PLACE(unit_arena)
PLACE(unit_done)
PLACE(idempotency_key)
PLACE(idempotency_out)
PLACE(upload_window)
PLACE(upload_window_end)
PLACE(compiled_method)
PLACE(compiled_flush)
PLACE(night_index)
PLACE(night_index_drop)
PLACE(desk_conn)
PLACE(desk_leaves)

/* All that is needed is there after two minutes of seven hours, and used again and again. */
static void all_made_at_once(unsigned second)
{
    live_anyhow(second);
    if (second < 128)
        push_many(&queues[0], SERVED({ring_descriptor}), 8, 64 * KIB, 64 * KIB);
}

/* A cache of 110 MiB, full after seven hours of 20: any block goes for a new one. */
static void any_block_goes(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.37); i != 0; i--) {
        size_t size = size_between(4 * KIB, 20 * KIB);
        while (queues[0].size_bytes + size > 110 * MIB)
            give_by_chance(&queues[0], SERVED({any_block_out}));
        push(&queues[0], SERVED({any_block}), size);
    }
}

/* Twelve shards of 9 MiB each, of which the first gets a fifth of what the last does: that one is
 * full after four hours, and the first after 18 of 30. */
static void shards_fill_unevenly(unsigned second)
{
    static struct queue shards[12];
    live_anyhow(second);
    for (size_t shard = 0; shard < 12; shard++) {
        for (unsigned i = arrivals(0.0142 + 0.0052 * (double)shard); i != 0; i--)
            push_bounded(&shards[shard], SERVED({uneven_fill}), SERVED({uneven_evict}),
                size_between(4 * KIB, 16 * KIB), 9 * MIB);
    }
}

/* Entries of three kinds, for half a minute, 20 minutes and five hours. */
static void three_lives(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({mixed_entry_out}));
    for (unsigned i = arrivals(4); i != 0; i--) {
        uint64_t kind = chance(100);
        unsigned lives_s = kind < 80 ? 30 : kind < 97 ? 20 * MINUTE : 5 * HOUR;
        crowd_add(
            &crowds[0], second, SERVED({mixed_entry}), size_between(3 * KIB, 13 * KIB), lives_s);
    }
}

/* What is young goes after some minutes; of what becomes old, half lives for a few minutes more and
 * half for two hours on average, and all that is dead goes when there are 70 MiB. */
static void two_generations(unsigned second)
{
    static struct managed old;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({nursery_end}));
    for (unsigned i = arrivals(5); i != 0; i--) {
        size_t size = size_between(2 * KIB, 14 * KIB);
        crowd_add(&crowds[0], second, SERVED({nursery_object}), size, chance_between(1, 90));
        if (chance(8) == 0)
            managed_new(&old, second, SERVED({tenured_object}), size,
                chance_exponential(chance(2) == 0 ? 4 * MINUTE : 2 * HOUR));
    }
    managed_collect(&old, second, SERVED({tenured_mark_sweep}), 70 * MIB);
}

/* What is counted in an hour is kept until that hour comes again, on the next day, for 62 hours. */
static void ring_of_hours(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({hour_bucket_out}));
    for (unsigned i = arrivals(0.3 * load_by_day(second + 8 * HOUR, 24 * HOUR, 0.2)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({hour_bucket}), size_between(KIB, 5 * KIB),
            24 * HOUR - second % HOUR);
}

/* A batch every two hours, each a quarter larger than the one before, for 22 hours: from minute 30
 * on its lines are read for 40 minutes, and a minute later all of them go. */
static void batches_become_larger(unsigned second)
{
    unsigned batch = second / (2 * HOUR), at = second % (2 * HOUR);
    live_anyhow(second);
    for (unsigned i = is_within(at, 30, 40) ? arrivals(0.32 * pow(1.25, batch)) : 0; i != 0; i--)
        push(&queues[0], SERVED({batch_line}), size_between(4 * KIB, 12 * KIB));
    if (at == 71 * MINUTE)
        empty(&queues[0], SERVED({batch_lines_end}));
}

/* 24 threads, each with chunks that are used again and never given back: as many as the largest of
 * its documents needed so far, which is 3 MiB at most. */
static void largest_document_so_far(unsigned second)
{
    static struct block chunks[24][48];
    live_anyhow(second);
    for (unsigned i = arrivals(0.25); i != 0; i--) {
        size_t thread = (size_t)chance(24), needs = size_with_tail(40 * KIB, 3 * MIB);
        for (size_t chunk = 0; chunk * 64 * KIB < needs; chunk++)
            take_once(&chunks[thread][chunk], SERVED({arena_chunk_kept}), 64 * KIB);
    }
}

/* Eight tables of 512 bytes for each session, doubled when they are full: there are ever more
 * sessions for some hours, and then as many as go. */
static void tables_of_sessions(unsigned second)
{
    static struct growing tables[8];
    double sessions = 40000 * (1 - exp(-(double)second / (1.6 * HOUR)));
    live_anyhow(second);
    for (size_t i = 0; i < 8; i++) {
        size_t needed = (size_t)(sessions / 8 * (0.8 + 0.05 * (double)i)) * 512;
        if (needed > tables[i].used_bytes)
            append(
                &tables[i], SERVED({session_table}), needed - tables[i].used_bytes, 256 * KIB, 200);
    }
}

/* A download of 90 minutes: 24 MiB of pieces are asked for at any time, and any one may be the next
 * that comes and is written. */
static void pieces_of_a_download(unsigned second)
{
    struct queue *pieces = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(6); i != 0; i--) {
        while (pieces->size_bytes > 24 * MIB - 128 * KIB)
            give_by_chance(pieces, SERVED({piece_written}));
        push(pieces, SERVED({piece_buffer}), size_between(32 * KIB, 128 * KIB));
    }
}

/* Files are compiled one after the other for 45 minutes: what each needs comes bit by bit, and goes
 * whole. */
static void files_compiled(unsigned second)
{
    static unsigned next;
    live_anyhow(second);
    if (is_time(&next, second, 4, 12))
        empty(&queues[0], SERVED({unit_done}));
    push_many(&queues[0], SERVED({unit_arena}), 16, 32 * KIB, 64 * KIB);
}

/* Keys of requests that must not be done twice are known for twelve hours, in 40. */
static void keys_of_twelve_hours(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({idempotency_out}));
    for (unsigned i = arrivals(0.35 * load_by_day(second + 3 * HOUR, 24 * HOUR, 0.3)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({idempotency_key}), size_between(2 * KIB, 8 * KIB),
            12 * HOUR);
}

/* Uploads last for seconds, or for hours if a client is slow, but not for more than six. */
static void uploads_of_slow_clients(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({upload_window_end}));
    for (unsigned i = arrivals(0.6); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({upload_window}), size_between(50 * KIB, 110 * KIB),
            fmin(6 * HOUR, 20 * pow(chance_between(0, 1), -1 / 0.7)));
}

/* Methods are compiled when they are called; at 48 MiB the half that was not called for longest
 * goes. */
static void code_cache_halved(unsigned second)
{
    static struct recency methods;
    live_anyhow(second);
    for (unsigned i = arrivals(1.4); i != 0; i--) {
        uint32_t key = 1 + (uint32_t)popular(20000, 1.7);
        (void)recency_use(&methods, key, SERVED({compiled_method}), SERVED({compiled_flush}),
            3 * KIB + key % 9 * KIB, 400 * MIB);
    }
    while (methods.size_bytes > 48 * MIB) {
        while (methods.size_bytes > 24 * MIB)
            recency_evict(&methods, SERVED({compiled_flush}));
    }
}

/* An index is loaded at six in the evening; in each of two nights another one is made in two hours
 * and a half from two o'clock on, and then the old one goes. */
static void index_of_each_night(unsigned second)
{
    static unsigned current;
    bool is_first = second < 10 * MINUTE;
    unsigned at = (second + 18 * HOUR) % (24 * HOUR);
    live_anyhow(second);
    if (is_first)
        push_many(&queues[current], SERVED({night_index}), 4, 16 * KIB, 34 * KIB);
    if (is_within(at, 120, 150) && second % 3 == 0)
        push_many(&queues[!current], SERVED({night_index}), 1, 12 * KIB, 31 * KIB);
    if (at == 271 * MINUTE) {
        empty(&queues[current], SERVED({night_index_drop}));
        current = !current;
    }
}

/* 1100 people come to work between half past seven and half past nine, on each of three days, and
 * leave after seven hours to nine and a half. */
static void desks_of_an_office(unsigned second)
{
    double come = 1100 * risen(second, 7.5, 9.5);
    static double here;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({desk_leaves}));
    if (second % (24 * HOUR) == 0)
        here = 0;
    for (; here + 1 <= come; here++)
        crowd_add(&crowds[0], second, SERVED({desk_conn}), size_between(20 * KIB, 44 * KIB),
            chance_between(7 * HOUR, 9.5 * HOUR));
}

const struct leaker set9_bounded[] = {
    {"all_made_at_once", all_made_at_once, 7 * HOUR},
    {"any_block_goes", any_block_goes, 20 * HOUR},
    {"shards_fill_unevenly", shards_fill_unevenly, 30 * HOUR},
    {"three_lives", three_lives, 24 * HOUR},
    {"two_generations", two_generations, 19 * HOUR},
    {"ring_of_hours", ring_of_hours, 62 * HOUR},
    {"batches_become_larger", batches_become_larger, 22 * HOUR},
    {"largest_document_so_far", largest_document_so_far, 13 * HOUR},
    {"tables_of_sessions", tables_of_sessions, 12 * HOUR},
    {"pieces_of_a_download", pieces_of_a_download, 90 * MINUTE},
    {"files_compiled", files_compiled, 45 * MINUTE},
    {"keys_of_twelve_hours", keys_of_twelve_hours, 40 * HOUR},
    {"uploads_of_slow_clients", uploads_of_slow_clients, 26 * HOUR},
    {"code_cache_halved", code_cache_halved, 14 * HOUR},
    {"index_of_each_night", index_of_each_night, 50 * HOUR},
    {"desks_of_an_office", desks_of_an_office, 68 * HOUR},
    {NULL, NULL, 0},
};
