/*
 * set7_bounded.c: the programs of LABELS-7.md whose memory is bounded in all of their time.
 */
#include "set7.h"

#include <string.h>

#define PAGES 26000

PLACE(fifo_fill)
PLACE(fifo_evict)
PLACE(edge_put)
PLACE(edge_evict)
PLACE(adhoc_plan)
PLACE(adhoc_halve)
PLACE(rare_column)
PLACE(client_bucket)
PLACE(client_sweep)
PLACE(timed_dialog)
PLACE(timed_end)
PLACE(draining_rules)
PLACE(drained_rules)
PLACE(head_chunk)
PLACE(head_truncate)
PLACE(segment_write)
PLACE(segment_delete)
PLACE(filter_new)
PLACE(filter_rotate)
PLACE(navmesh_tile)
PLACE(navmesh_swap)
PLACE(tenant_table)
PLACE(zone_load)
PLACE(zone_unload)
PLACE(tab_render)
PLACE(tab_discard)
PLACE(live_segment)
PLACE(live_expire)
PLACE(relation_entry)
PLACE(backend_exit)
PLACE(bounded_push)
PLACE(bounded_take)
PLACE(ticket_store)
PLACE(ticket_purge)
PLACE(arena_extend)
PLACE(dict_resize)
PLACE(dict_entry)
PLACE(dict_remove)
PLACE(tenured_alloc)
PLACE(tenured_sweep)
PLACE(code_emit)
PLACE(code_flush)
PLACE(backup_buffer)
PLACE(backup_end)
PLACE(join_batch)
PLACE(join_end)
PLACE(best_score)
PLACE(beaten_score)
PLACE(pooled_conn)
PLACE(pooled_close)
PLACE(slab_map)
PLACE(bulk_document)
PLACE(bulk_flush)
PLACE(posting_list)
PLACE(posting_old)
PLACE(glyph_raster)
PLACE(glyph_evict)

/* Numbers in the order in which they came. */
struct ring {
    size_t items[PAGES];
    size_t first, end;
};

static void append(struct ring *ring, size_t item)
{
    ring->items[ring->end++ % PAGES] = item;
}

static size_t shift(struct ring *ring)
{
    return ring->items[ring->first++ % PAGES];
}

/* A small queue, through which what is asked for once goes at once, and a large one, whose oldest
 * page has another turn if it was asked for. */
static void two_fifos(unsigned second)
{
    static struct {
        struct block block;
        unsigned asked;
    } pages[PAGES];
    static struct ring small, large;
    live_anyhow(second);
    for (unsigned i = arrivals(7); i != 0; i--) {
        size_t page = popular(PAGES, 2.2);
        if (pages[page].block.size != 0) {
            pages[page].asked++;
            continue;
        }
        while (small.end - small.first >= 700 || large.end - large.first >= 2600) {
            bool is_small = small.end - small.first >= 700;
            size_t out = shift(is_small ? &small : &large);
            if (pages[out].asked != 0) {
                pages[out].asked = is_small ? 0 : pages[out].asked / 2;
                append(&large, out);
            } else {
                give(SERVED({fifo_evict}), &pages[out].block);
            }
        }
        take(SERVED({fifo_fill}), &pages[page].block, 8 * KIB + page % 13 * KIB);
        append(&small, page);
    }
}

/* 110 MiB, which take a day to fill, as the nights are slow. */
static void edge_of_two_days(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.065 * load_by_day(second, 24 * HOUR, 0.15)); i != 0; i--)
        push_bounded(&queues[0], SERVED({edge_put}), SERVED({edge_evict}),
            size_with_tail(8 * KIB, 2 * MIB), 110 * MIB);
}

/* Plans of statements that hardly ever come again: the older half goes when there are 56 MiB. */
static void plans_halved(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.9); i != 0; i--)
        push(&queues[0], SERVED({adhoc_plan}), size_between(2 * KIB, 18 * KIB));
    if (queues[0].size_bytes > 56 * MIB) {
        for (size_t half = count_of(&queues[0]) / 2; half != 0; half--)
            pop(&queues[0], SERVED({adhoc_halve}));
    }
}

/* Columns of a store, 6000, are read when they are first asked for, and half of them hardly ever
 * are: a new one is ever rarer, but comes. */
static void columns_rarely_asked(unsigned second)
{
    static bool is_read[6000];
    live_anyhow(second);
    for (unsigned i = arrivals(0.8); i != 0; i--) {
        size_t chunk = popular(6000, 3);
        if (!is_read[chunk])
            forget(SERVED({rare_column}), (6 + chunk * 7 % 20) * KIB);
        is_read[chunk] = true;
    }
}

/* A bucket of each address, which is swept at the first full hour at which it was idle for one. */
static void buckets_swept(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({client_sweep}));
    for (unsigned i = arrivals(3 * load_by_day(second, 24 * HOUR, 0.1)); i != 0; i--) {
        unsigned idle = second + HOUR + (unsigned)chance_exponential(1200);
        crowd_add(&crowds[0], second, SERVED({client_bucket}), size_between(KIB, 3 * KIB),
            (idle / HOUR + 1) * HOUR - second);
    }
}

/* Calls of three minutes; those whose end is lost, one in 20, go by a timer after two hours. */
static void dialogs_with_timer(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({timed_end}));
    for (unsigned i = arrivals(2 * load_by_day(second + 7 * HOUR, 24 * HOUR, 0.1)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({timed_dialog}), size_between(6 * KIB, 14 * KIB),
            chance(20) == 0 ? 2 * HOUR : 1 + chance_exponential(180));
}

/* Rules are read anew at irregular times; the old ones go with the last connection that has them,
 * within three hours. */
static void rules_drain(unsigned second)
{
    static unsigned next;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({drained_rules}));
    if (is_time(&next, second, 20 * MINUTE, 50 * MINUTE))
        keep_many(second, SERVED({draining_rules}), 700, 4 * KIB, 20 * KIB,
            next - second + chance_between(600, 3 * HOUR));
}

/* Samples are in memory until a block of two hours is written, an hour after its end. */
static void head_of_series(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({head_truncate}));
    for (unsigned i = arrivals(2); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({head_chunk}), size_between(2 * KIB, 6 * KIB),
            (second / (2 * HOUR) + 1) * 2 * HOUR + HOUR - second);
}

/* Ten segments become one of 3 MiB, five of these one of 15, and those are deleted when they are a
 * day old. */
static void tiers_of_segments(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({segment_delete}));
    if (second % (5 * MINUTE) != 0)
        return;
    push(&queues[0], SERVED({segment_write}), size_between(200 * KIB, 400 * KIB));
    if (count_of(&queues[0]) == 10) {
        push(&queues[1], SERVED({segment_write}), queues[0].size_bytes);
        empty(&queues[0], SERVED({segment_delete}));
    }
    if (count_of(&queues[1]) == 5) {
        crowd_add(&crowds[0], second, SERVED({segment_write}), queues[1].size_bytes, 24 * HOUR);
        empty(&queues[1], SERVED({segment_delete}));
    }
}

/* A filter of 16 MiB for each three hours: this one's and the last one's. */
static void filters_rotated(unsigned second)
{
    live_anyhow(second);
    if (second % (3 * HOUR) != 0)
        return;
    push(&queues[0], SERVED({filter_new}), 16 * MIB);
    if (count_of(&queues[0]) > 2)
        pop(&queues[0], SERVED({filter_rotate}));
}

/* A map is built in eight minutes, every 35, beside the one that is used; then that one goes. */
static void map_in_two_buffers(unsigned second)
{
    unsigned at = second % (35 * MINUTE);
    live_anyhow(second);
    if (at == 0) {
        queues[1] = queues[0];
        memset(&queues[0], 0, sizeof queues[0]);
    }
    for (unsigned i = at < 8 * MINUTE ? arrivals(2.5) : 0; i != 0; i--)
        push(&queues[0], SERVED({navmesh_tile}), size_between(8 * KIB, 64 * KIB));
    if (at == 8 * MINUTE)
        empty(&queues[1], SERVED({navmesh_swap}));
}

/* Tenants of 24 time zones: the tables of each are read when its first user of the day of the watch
 * comes. After one day all are there. */
static void tenants_by_time_zone(unsigned second)
{
    static bool is_read[24][40];
    unsigned hour = second / HOUR;
    live_anyhow(second);
    for (unsigned i = arrivals(0.4); i != 0; i--) {
        size_t zone = (hour + chance(9)) % 24, tenant = (size_t)chance(40);
        if (!is_read[zone][tenant])
            keep_many(second, SERVED({tenant_table}), 4, 8 * KIB, 36 * KIB, FOR_EVER);
        is_read[zone][tenant] = true;
    }
}

/* A zone is loaded when its first player comes, and goes half an hour after the last has left. */
static void zones_of_a_world(unsigned second)
{
    static struct {
        struct block parts[4];
        unsigned ends;
    } zones[40];
    live_anyhow(second);
    for (unsigned i = arrivals(0.03 * load_by_day(second, 14 * HOUR, 0.1)); i != 0; i--) {
        size_t zone = popular(40, 2.5);
        unsigned ends = second + 30 * MINUTE + 60 + (unsigned)chance_exponential(480);
        for (size_t part = 0; zones[zone].parts[0].size == 0 || part % 4 != 0; part++)
            take(SERVED({zone_load}), &zones[zone].parts[part], size_between(256 * KIB, 3 * MIB));
        zones[zone].ends = ends > zones[zone].ends ? ends : zones[zone].ends;
    }
    for (size_t zone = 0; zone < 40; zone++) {
        for (size_t part = 0; part < 4 && zones[zone].ends == second; part++) {
            if (zones[zone].parts[part].size != 0)
                give(SERVED({zone_unload}), &zones[zone].parts[part]);
        }
    }
}

/* 70 tabs, of 1 to 16 MiB; those that were not looked at for longest are discarded until there are
 * 150 MiB, and are drawn anew when they are looked at. */
static void tabs_discarded(unsigned second)
{
    static struct {
        struct block picture;
        unsigned seen;
    } tabs[70];
    static size_t size_bytes;
    live_anyhow(second);
    if (arrivals(1.0 / 70) == 0)
        return;
    size_t tab = popular(chance(10) == 0 ? 70 : 30, 1.7);
    tabs[tab].seen = second + 1;
    if (tabs[tab].picture.size == 0) {
        take(SERVED({tab_render}), &tabs[tab].picture, (1 + tab * 7 % 16) * MIB);
        size_bytes += tabs[tab].picture.size;
    }
    while (size_bytes > 150 * MIB) {
        size_t oldest = tab;
        for (size_t i = 0; i < 70; i++) {
            if (tabs[i].picture.size != 0 && tabs[i].seen < tabs[oldest].seen)
                oldest = i;
        }
        size_bytes -= tabs[oldest].picture.size;
        give(SERVED({tab_discard}), &tabs[oldest].picture);
    }
}

/* Channels that are live, from 2 in the afternoon to 26 in the evening; each has the last minute,
 * in parts of six seconds. */
static void channels_of_an_evening(unsigned second)
{
    unsigned live = 2 + (unsigned)(24 * load_by_day(second, 14 * HOUR, 0));
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({live_expire}));
    for (unsigned channel = second % 6; channel < live; channel += 6)
        crowd_add(
            &crowds[0], second, SERVED({live_segment}), size_between(160 * KIB, 600 * KIB), 60);
}

/* 40 connections to a database, each with what it knows of the tables it was asked for; each ends
 * after one to two hours, and another begins. */
static void backends_recycled(unsigned second)
{
    static struct {
        struct block tables[220];
        unsigned ends;
    } backends[40];
    live_anyhow(second);
    for (size_t i = 0; i < 40; i++) {
        if (second < backends[i].ends)
            continue;
        for (size_t table = 0; table < 220; table++) {
            if (backends[i].tables[table].size != 0)
                give(SERVED({backend_exit}), &backends[i].tables[table]);
        }
        backends[i].ends = second + HOUR + (unsigned)chance(HOUR);
    }
    for (unsigned i = arrivals(8); i != 0; i--) {
        size_t backend = (size_t)chance(40), table = popular(220, 1.6);
        if (backends[backend].tables[table].size == 0)
            take(SERVED({relation_entry}), &backends[backend].tables[table],
                4 * KIB + table % 9 * 2 * KIB);
    }
}

/* Who writes is held up when 64 MiB wait to be read: after 50 minutes, and then always. */
static void queue_at_its_limit(unsigned second)
{
    struct queue *waiting = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(4); i != 0 && waiting->size_bytes < 64 * MIB; i--)
        push(waiting, SERVED({bounded_push}), size_between(4 * KIB, 16 * KIB));
    for (unsigned i = arrivals(1.8); i != 0 && count_of(waiting) != 0; i--)
        pop(waiting, SERVED({bounded_take}));
}

/* A ticket can be used for a day, of which three are seen. */
static void tickets_of_a_day(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({ticket_purge}));
    for (unsigned i = arrivals(0.3 * load_by_day(second, 24 * HOUR, 0.2)); i != 0; i--)
        crowd_add(
            &crowds[0], second, SERVED({ticket_store}), size_between(KIB, 5 * KIB), 24 * HOUR);
}

/* 160 arenas, each as large as the largest request it has met, of 512 KiB at most. */
static void arenas_of_the_largest(unsigned second)
{
    static struct block arenas[160];
    live_anyhow(second);
    for (unsigned i = arrivals(2.5); i != 0; i--) {
        size_t arena = (size_t)chance(160), size = size_with_tail(4 * KIB, 512 * KIB);
        if (size <= arenas[arena].size)
            continue;
        if (arenas[arena].size != 0)
            give(SERVED({arena_extend}), &arenas[arena]);
        take(SERVED({arena_extend}), &arenas[arena], size);
    }
}

/* A table that is doubled when it is full, and its entries: they live for an hour on average, so
 * that after two there are no more than before. */
static void table_doubles(unsigned second)
{
    static struct block tables[2];
    static unsigned moved;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({dict_remove}));
    for (unsigned i = arrivals(5); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({dict_entry}), size_between(512, 3 * KIB),
            1 + chance_exponential(HOUR));
    if (crowds[0].count * 512 > tables[0].size) {
        tables[1] = tables[0];
        take(SERVED({dict_resize}), &tables[0],
            tables[1].size != 0 ? 2 * tables[1].size : 128 * KIB);
        moved = second + 30;
    }
    if (second == moved && tables[1].size != 0)
        give(SERVED({dict_resize}), &tables[1]);
}

/* What survives the young is collected every three hours or so; 30 MiB are alive then, of all
 * ages. */
static void tenured_of_hours(unsigned second)
{
    struct queue *old = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(0.9); i != 0; i--)
        push(old, SERVED({tenured_alloc}), size_between(2 * KIB, 18 * KIB));
    if (old->size_bytes < 120 * MIB)
        return;
    while (old->size_bytes > 30 * MIB)
        give_any(old, (size_t)chance(count_of(old)), SERVED({tenured_sweep}));
}

/* Code of 3500 methods, made when they are first called, and thrown away when an assumption is
 * wrong: twice in ten hours. */
static void code_flushed(unsigned second)
{
    static struct block code[3500];
    live_anyhow(second);
    for (size_t i = 0; (second == 170 * MINUTE || second == 390 * MINUTE) && i < 3500; i++) {
        if (code[i].size != 0)
            give(SERVED({code_flush}), &code[i]);
    }
    for (unsigned i = arrivals(9); i != 0; i--) {
        size_t method = popular(3500, 1.5);
        if (code[method].size == 0)
            take(SERVED({code_emit}), &code[method], 4 * KIB + method % 29 * KIB);
    }
}

/* 80 MiB for 50 minutes, twice a day. */
static void backups_twice_a_day(unsigned second)
{
    unsigned at = second % (12 * HOUR);
    live_anyhow(second);
    for (unsigned i = at >= 3 * HOUR && at < 3 * HOUR + 10 * MINUTE ? arrivals(0.14) : 0; i != 0;
         i--)
        push(&queues[0], SERVED({backup_buffer}), MIB);
    if (at == 3 * HOUR + 50 * MINUTE)
        empty(&queues[0], SERVED({backup_end}));
}

/* Joins come at irregular times, build for 5 to 40 minutes, and give all back. */
static void joins_of_a_report(unsigned second)
{
    static struct {
        unsigned ends;
        double rate;
    } joins[4];
    static unsigned next;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({join_end}));
    if (is_time(&next, second, 30, 14 * MINUTE)) {
        size_t at = joins[0].ends <= second ? 0 : 1 + (size_t)chance(3);
        if (joins[at].ends <= second) {
            joins[at].ends = second + 300 + (unsigned)chance(2100);
            joins[at].rate = chance_between(0.05, 0.4);
        }
    }
    for (size_t at = 0; at < 4; at++) {
        for (unsigned i = second < joins[at].ends ? arrivals(joins[at].rate) : 0; i != 0; i--)
            crowd_add(&crowds[0], second, SERVED({join_batch}), size_between(32 * KIB, 160 * KIB),
                joins[at].ends + 1 - second);
    }
}

/* The 3000 best of all games: who is better than the worst of them is put in his place, ever more
 * seldom. */
static void best_of_all(unsigned second)
{
    static struct {
        struct block replay;
        double score;
    } best[3000];
    live_anyhow(second);
    for (unsigned i = arrivals(2); i != 0; i--) {
        double score = chance_exponential(1);
        size_t at = (size_t)chance(3000), other = (size_t)chance(3000);
        at = best[other].score < best[at].score ? other : at;
        if (score <= best[at].score)
            continue;
        if (best[at].replay.size != 0)
            give(SERVED({beaten_score}), &best[at].replay);
        best[at].score = score;
        take(SERVED({best_score}), &best[at].replay, size_between(4 * KIB, 36 * KIB));
    }
}

/* Connections are opened at once when there are too few, and one that is idle is closed every 90
 * seconds. */
static void pool_shrinks_slowly(unsigned second)
{
    struct queue *pool = &queues[0];
    double peak = is_within(second % (6 * HOUR), 100, 25) ? 260 : 30;
    size_t busy = (size_t)(peak * chance_between(0.8, 1));
    live_anyhow(second);
    while (count_of(pool) < busy)
        push(pool, SERVED({pooled_conn}), size_between(150 * KIB, 290 * KIB));
    if (second % 90 == 0 && count_of(pool) > busy)
        give_any(pool, (size_t)chance(count_of(pool)), SERVED({pooled_close}));
}

/* Slabs of 1 MiB are mapped when no object of one is free, and never unmapped: as many as were
 * needed at the worst time, in hour 4 of 11. */
static void slabs_of_the_peak(unsigned second)
{
    static size_t slabs;
    double load = second < 4 * HOUR ? second / (4.0 * HOUR) : 0.6 + 0.3 * chance_between(0, 1);
    live_anyhow(second);
    for (; slabs < (size_t)(96 * load); slabs++)
        forget(SERVED({slab_map}), MIB);
}

/* One hour, in which documents are collected for 6 to 9 minutes, and written all at once. */
static void bulks_of_an_hour(unsigned second)
{
    static unsigned next = 7 * MINUTE;
    live_anyhow(second);
    for (unsigned i = arrivals(12); i != 0; i--)
        push(&queues[0], SERVED({bulk_document}), size_between(KIB, 15 * KIB));
    if (is_time(&next, second, 6 * MINUTE, MINUTE))
        empty(&queues[0], SERVED({bulk_flush}));
}

/* An index of 45 MiB; from hour 3 on another one is built for two hours, and takes its place. It
 * has more in it: 70 MiB. */
static void index_rebuilt(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second < 6 * MINUTE && i < 8; i++)
        push(&queues[0], SERVED({posting_list}), size_between(8 * KIB, 24 * KIB));
    for (unsigned i = second >= 3 * HOUR && second < 5 * HOUR ? arrivals(0.6) : 0; i != 0; i--)
        push(&queues[1], SERVED({posting_list}), size_between(8 * KIB, 24 * KIB));
    if (second == 5 * HOUR + 2 * MINUTE)
        empty(&queues[0], SERVED({posting_old}));
}

/* Pictures of letters, of ever other sizes while somebody zooms: 40 MiB, full after some zooms. */
static void glyphs_of_zooms(unsigned second)
{
    static unsigned next, until;
    live_anyhow(second);
    if (is_time(&next, second, MINUTE, 7 * MINUTE))
        until = second + 20 + (unsigned)chance(60);
    for (unsigned i = second < until ? arrivals(30) : arrivals(0.05); i != 0; i--)
        push_bounded(&queues[0], SERVED({glyph_raster}), SERVED({glyph_evict}),
            size_between(500, 12 * KIB), 40 * MIB);
}

const struct leaker set7_bounded[] = {
    {"two_fifos", two_fifos, 9 * HOUR},
    {"edge_of_two_days", edge_of_two_days, 48 * HOUR},
    {"plans_halved", plans_halved, 10 * HOUR},
    {"columns_rarely_asked", columns_rarely_asked, 10 * HOUR},
    {"buckets_swept", buckets_swept, 40 * HOUR},
    {"dialogs_with_timer", dialogs_with_timer, 8 * HOUR},
    {"rules_drain", rules_drain, 20 * HOUR},
    {"head_of_series", head_of_series, 12 * HOUR},
    {"tiers_of_segments", tiers_of_segments, 60 * HOUR},
    {"filters_rotated", filters_rotated, 14 * HOUR},
    {"map_in_two_buffers", map_in_two_buffers, 5 * HOUR},
    {"tenants_by_time_zone", tenants_by_time_zone, 54 * HOUR},
    {"zones_of_a_world", zones_of_a_world, 13 * HOUR},
    {"tabs_discarded", tabs_discarded, 9 * HOUR},
    {"channels_of_an_evening", channels_of_an_evening, 13 * HOUR},
    {"backends_recycled", backends_recycled, 9 * HOUR},
    {"queue_at_its_limit", queue_at_its_limit, 6 * HOUR},
    {"tickets_of_a_day", tickets_of_a_day, 72 * HOUR},
    {"arenas_of_the_largest", arenas_of_the_largest, 14 * HOUR},
    {"table_doubles", table_doubles, 6 * HOUR},
    {"tenured_of_hours", tenured_of_hours, 13 * HOUR},
    {"code_flushed", code_flushed, 10 * HOUR},
    {"backups_twice_a_day", backups_twice_a_day, 60 * HOUR},
    {"joins_of_a_report", joins_of_a_report, 8 * HOUR},
    {"best_of_all", best_of_all, 12 * HOUR},
    {"pool_shrinks_slowly", pool_shrinks_slowly, 24 * HOUR},
    {"slabs_of_the_peak", slabs_of_the_peak, 11 * HOUR},
    {"bulks_of_an_hour", bulks_of_an_hour, HOUR},
    {"index_rebuilt", index_rebuilt, 9 * HOUR},
    {"glyphs_of_zooms", glyphs_of_zooms, 6 * HOUR},
    {NULL, NULL, 0},
};
