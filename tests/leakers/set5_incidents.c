/*
 * set5_incidents.c: the programs of LABELS-5.md that leak from some time on, at some times or for
 * some time, what is like them and is healthy, and those of which nobody can tell.
 */
#include "script.h"

#include <math.h>
#include <string.h>

#define MINUTE 60u

PLACE(tls_handshake)
PLACE(tls_close)
PLACE(basket_copy)
PLACE(basket_drop)
PLACE(coupon_apply)
PLACE(promise_new)
PLACE(promise_settle)
PLACE(batch_chunk)
PLACE(batch_ack)
PLACE(session_begin)
PLACE(session_sweep)
PLACE(row_version)
PLACE(vacuum)
PLACE(stream_open)
PLACE(stream_close)
PLACE(blob_buffer)
PLACE(blob_release)
PLACE(dedup_entry)
PLACE(thumbnail_put)
PLACE(thumbnail_evict)
PLACE(vector_grow)
PLACE(vocabulary_add)
PLACE(remember_me)
PLACE(geo_cell)
PLACE(lease_grant)
PLACE(lease_release)
PLACE(exporter_span)
PLACE(exporter_sent)
PLACE(replica_page)
PLACE(replica_drop)
PLACE(tenant_quota)
PLACE(rule_node)
PLACE(rule_swap)
PLACE(module_unload)
PLACE(module_load)
PLACE(label_rotate)
PLACE(label_series)
PLACE(warm_index)
PLACE(canary_cache)
PLACE(canary_drop)

static unsigned minute_of(unsigned second)
{
    return second / MINUTE;
}

/* Handshakes that fail leave their buffers; scanners come every 25 minutes, for three. */
static void scan_handshakes(unsigned second)
{
    bool is_scan = minute_of(second) % 25 >= 17 && minute_of(second) % 25 < 20;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({tls_close}));
    for (unsigned i = arrivals(4); i != 0; i--)
        keep_or_not(second, SERVED({tls_handshake}), 34 * KIB, chance_exponential(90));
    for (unsigned i = is_scan ? arrivals(1.5) : 0; i != 0; i--)
        forget(SERVED({tls_handshake}), 34 * KIB);
}

/* A flag goes on at minute 65 for a tenth of all requests, and for more every ten minutes. */
static void flag_rollout(unsigned second)
{
    unsigned minute = minute_of(second);
    uint64_t tenths = minute < 65 ? 0 : 1 + (minute - 65) / 10;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({basket_drop}));
    for (unsigned i = arrivals(6); i != 0; i--) {
        crowd_add(&crowds[0], second, SERVED({basket_copy}), 12 * KIB, chance_between(30, 300));
        if (chance(10) < tenths)
            forget(SERVED({coupon_apply}), size_between(KIB, 4 * KIB));
    }
}

/* Leaks until a flag is switched off at minute 50. */
static void flag_off(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({basket_drop}));
    for (unsigned i = arrivals(6); i != 0; i--) {
        bool is_left = minute_of(second) < 50 && chance(3) == 0;
        keep_or_not(second, SERVED({coupon_apply}), size_between(4 * KIB, 12 * KIB),
            is_left ? FOR_EVER : chance_between(5, 60));
    }
}

/* A dependency is down for four minutes, four times; what waits for it then is never called back,
 * or, in the healthy program, when it is up again. */
static bool is_outage(unsigned minute)
{
    return (minute >= 20 && minute < 24) || (minute >= 48 && minute < 52) ||
           (minute >= 77 && minute < 81) || (minute >= 104 && minute < 108);
}

static void outage_callbacks(unsigned second)
{
    bool is_down = is_outage(minute_of(second));
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({promise_settle}));
    for (unsigned i = arrivals(15); i != 0; i--)
        keep_or_not(second, SERVED({promise_new}), size_between(KIB, 5 * KIB),
            is_down ? FOR_EVER : chance_exponential(2));
}

static void outage_retries(unsigned second)
{
    bool is_down = is_outage(minute_of(second));
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({promise_settle}));
    for (unsigned i = arrivals(is_down ? 45 : 15); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({promise_new}), size_between(KIB, 5 * KIB),
            is_down ? 240 + chance_exponential(60) : 1 + chance_exponential(2));
}

/* A log shipper: at each reconnection the batch on its way is sent again from a copy. */
static void orphaned_batches(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({batch_ack}));
    for (unsigned i = arrivals(6); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({batch_chunk}), 64 * KIB, chance_between(2, 20));
    for (int i = 0; second % 660 == 659 && i < 64; i++)
        forget(SERVED({batch_chunk}), 64 * KIB);
}

/* Sessions expire after 10 to 30 minutes, or end before; from minute 100 on nobody sweeps. */
static void sweeper_dies(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({session_sweep}));
    for (unsigned i = arrivals(3); i != 0; i--) {
        bool is_logout = chance(10) < 3;
        double life_s = is_logout ? chance_between(10, 600) : chance_between(600, 1800);
        keep_or_not(second, SERVED({session_begin}), size_between(2 * KIB, 10 * KIB),
            !is_logout && second + life_s >= 6000 ? FOR_EVER : life_s);
    }
}

/* Row versions go at the vacuum, every five minutes, up to the oldest one that somebody may read:
 * a replication slot, left at minute 45, holds all that is newer; a long report only until it ends.
 */
static void slot_abandoned(unsigned second)
{
    live_anyhow(second);
    if (second % 300 == 0 && second <= 45 * MINUTE)
        empty(&queues[0], SERVED({vacuum}));
    for (unsigned i = arrivals(5); i != 0; i--) {
        if (second < 45 * MINUTE)
            push(&queues[0], SERVED({row_version}), size_between(KIB, 7 * KIB));
        else
            forget(SERVED({row_version}), size_between(KIB, 7 * KIB));
    }
}

static void long_report(unsigned second)
{
    live_anyhow(second);
    if (second % 300 == 0 && (second <= 30 * MINUTE || second >= 75 * MINUTE))
        empty(&queues[0], SERVED({vacuum}));
    for (unsigned i = arrivals(5); i != 0; i--)
        push(&queues[0], SERVED({row_version}), size_between(KIB, 7 * KIB));
}

/* Streams that are reset at once are not freed: one attack, or one every 40 minutes. */
static void streams_under_attack(unsigned second, bool is_attack)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({stream_close}));
    for (unsigned i = arrivals(10); i != 0; i--)
        keep_or_not(second, SERVED({stream_open}), 16 * KIB, chance_exponential(20));
    for (unsigned i = is_attack ? arrivals(8) : 0; i != 0; i--)
        forget(SERVED({stream_open}), 16 * KIB);
}

static void one_attack(unsigned second)
{
    streams_under_attack(second, minute_of(second) >= 35 && minute_of(second) < 50);
}

static void attacks(unsigned second)
{
    streams_under_attack(second, minute_of(second) % 40 >= 25 && minute_of(second) % 40 < 28);
}

/* Large buffers, gone in seconds; one in some nine minutes is lost, at any size. */
static void rare_huge(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({blob_release}));
    for (unsigned i = arrivals(0.7); i != 0; i--)
        keep_or_not(second, SERVED({blob_buffer}), size_between(MIB, 7 * MIB),
            chance(380) == 0 ? FOR_EVER : chance_between(2, 15));
}

/* Twenty minutes of maintenance at half past each hour, whose marks stay. */
static void maintenance_windows(unsigned second)
{
    bool is_window = minute_of(second) % 60 >= 30 && minute_of(second) % 60 < 50;
    live_anyhow(second);
    for (unsigned i = is_window ? arrivals(4) : 0; i != 0; i--)
        forget(SERVED({dedup_entry}), size_between(KIB, 5 * KIB));
}

/* A lock service: the leader changes every 20 minutes, and no later one knows the leases that were
 * granted in that minute. */
static void leader_changes(unsigned second)
{
    bool is_change = minute_of(second) % 20 == 13;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({lease_release}));
    for (unsigned i = arrivals(10); i != 0; i--)
        keep_or_not(second, SERVED({lease_grant}), size_between(2 * KIB, 10 * KIB),
            is_change ? FOR_EVER : chance_exponential(240));
}

/* Spans are sent every ten seconds; from minute 70 on a third are of a tenant whose exporter is
 * gone. */
static void exporter_gone(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({exporter_sent}));
    for (unsigned i = arrivals(30); i != 0; i--)
        keep_or_not(second, SERVED({exporter_span}), size_between(300, 1700),
            minute_of(second) >= 70 && chance(3) == 0 ? FOR_EVER : chance_between(1, 10));
}

/* Rules are swapped every eight minutes. Since a change at minute 60 the old ones stay. */
static void swap_forgets(unsigned second)
{
    live_anyhow(second);
    if (second % 480 != 0)
        return;
    if (second <= 3600)
        empty(&queues[0], SERVED({rule_swap}));
    for (int i = 0; i < 300; i++) {
        if (second < 3600 - 480)
            push(&queues[0], SERVED({rule_node}), size_between(4 * KIB, 20 * KIB));
        else
            forget(SERVED({rule_node}), size_between(4 * KIB, 20 * KIB));
    }
}

/* A bug that is met whenever one tenant is active: at irregular times, for some minutes each. */
static void noisy_tenant(unsigned second)
{
    static unsigned active_until, next = 420;
    live_anyhow(second);
    if (second >= next) {
        active_until = second + 120 + (unsigned)chance(360);
        next = active_until + 300 + (unsigned)chance_exponential(900);
    }
    for (unsigned i = second < active_until ? arrivals(5) : 0; i != 0; i--)
        forget(SERVED({tenant_quota}), size_between(2 * KIB, 8 * KIB));
}

/* Of 40 MiB, full at minute 20; at minute 80 its limit is lost, or raised: who knows? */
static void limit_lost(unsigned second)
{
    size_t limit = second < 80 * MINUTE ? 40 * MIB : 4096 * MIB;
    live_anyhow(second);
    for (unsigned i = arrivals(1.5); i != 0; i--)
        push_bounded(&queues[0], SERVED({thumbnail_put}), SERVED({thumbnail_evict}),
            size_between(8 * KIB, 40 * KIB), limit);
}

/* Doubles when it is full, and is never emptied. */
static void vector_doubles(unsigned second)
{
    static struct tally grown;
    static struct block vector;
    live_anyhow(second);
    for (unsigned i = due(&grown, log2(1 + second / 10.0)); i != 0; i--) {
        struct block old = vector;
        take(SERVED({vector_grow}), &vector, old.size != 0 ? 2 * old.size : 256 * KIB);
        if (old.size != 0)
            give(SERVED({vector_grow}), &old);
    }
}

/* Words not seen before, out of a text without end: ever fewer, and never none. */
static void word_list(unsigned second)
{
    static struct tally words;
    live_anyhow(second);
    for (unsigned i = due(&words, 60 * pow(second, 0.65)); i != 0; i--)
        forget(SERVED({vocabulary_add}), size_between(1000, 5000));
}

/* Lives for 150 minutes, of which 100 are seen. */
static void remember_me_unseen(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(2); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({remember_me}), size_between(4 * KIB, 8 * KIB), 9000);
}

/* A map of a world with an end: at the end of the time half of it is there. */
static void map_half_seen(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.8); i != 0; i--)
        push(&queues[0], SERVED({geo_cell}), size_between(12 * KIB, 20 * KIB));
}

/* A replica copies what it needs in 25 minutes, and has it from then on. */
static void replica_copies(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = second < 1500 ? arrivals(4) : 0; i != 0; i--)
        push(&queues[0], SERVED({replica_page}), 16 * KIB);
    for (unsigned i = second >= 1500 ? arrivals(4) : 0; i != 0; i--) {
        give_any(&queues[0], (size_t)chance(count_of(&queues[0])), SERVED({replica_drop}));
        push(&queues[0], SERVED({replica_page}), 16 * KIB);
    }
}

/* Each old plugin goes whole, two minutes after the next one came. */
static void plugin_reload_clean(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({module_unload}));
    for (int i = 0; second % 600 == 0 && i < 240; i++)
        crowd_add(&crowds[0], second, SERVED({module_load}), size_between(4 * KIB, 48 * KIB), 720);
}

/* Series of a deploy go 15 minutes after the next one, each 40 minutes. */
static void series_rotated(unsigned second)
{
    unsigned at = second % 2400;
    live_anyhow(second);
    if (at == 900 && count_of(&queues[1]) != 0)
        empty(&queues[1], SERVED({label_rotate}));
    if (at == 0) {
        queues[1] = queues[0];
        memset(&queues[0], 0, sizeof queues[0]);
    }
    for (unsigned i = at < 600 ? arrivals(12) : 0; i != 0; i--)
        push(&queues[0], SERVED({label_series}), size_between(2 * KIB, 4 * KIB));
}

/* An index is loaded in the background in 25 minutes, and used for the rest of the time. */
static void warm_up(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = second < 1500 ? arrivals(3) : 0; i != 0; i--)
        forget(SERVED({warm_index}), size_with_tail(8 * KIB, MIB));
}

/* A canary with a cache of its own runs for 90 minutes, and is taken away again. */
static void canary(unsigned second)
{
    bool is_on = second >= 40 * MINUTE && second < 130 * MINUTE;
    live_anyhow(second);
    for (unsigned i = is_on ? arrivals(1.5) : 0; i != 0; i--)
        push(&queues[0], SERVED({canary_cache}), size_between(4 * KIB, 12 * KIB));
    if (second == 130 * MINUTE)
        empty(&queues[0], SERVED({canary_drop}));
}

const struct leaker set5_incidents[] = {
    {"scan_handshakes", scan_handshakes, 5 * HOUR / 2},
    {"flag_rollout", flag_rollout, 5 * HOUR / 2},
    {"flag_off", flag_off, 2 * HOUR},
    {"outage_callbacks", outage_callbacks, 2 * HOUR},
    {"outage_retries", outage_retries, 2 * HOUR},
    {"orphaned_batches", orphaned_batches, 2 * HOUR},
    {"sweeper_dies", sweeper_dies, 200 * MINUTE},
    {"slot_abandoned", slot_abandoned, 2 * HOUR},
    {"long_report", long_report, 2 * HOUR},
    {"one_attack", one_attack, 100 * MINUTE},
    {"attacks", attacks, 3 * HOUR},
    {"rare_huge", rare_huge, 3 * HOUR},
    {"maintenance_windows", maintenance_windows, 5 * HOUR},
    {"leader_changes", leader_changes, 3 * HOUR},
    {"exporter_gone", exporter_gone, 2 * HOUR},
    {"swap_forgets", swap_forgets, 2 * HOUR},
    {"noisy_tenant", noisy_tenant, 3 * HOUR},
    {"limit_lost", limit_lost, 160 * MINUTE},
    {"vector_doubles", vector_doubles, 3 * HOUR},
    {"word_list", word_list, 3 * HOUR},
    {"remember_me_unseen", remember_me_unseen, 100 * MINUTE},
    {"map_half_seen", map_half_seen, 100 * MINUTE},
    {"replica_copies", replica_copies, 2 * HOUR},
    {"plugin_reload_clean", plugin_reload_clean, 3 * HOUR},
    {"series_rotated", series_rotated, 4 * HOUR},
    {"warm_up", warm_up, 5 * HOUR / 2},
    {"canary", canary, 3 * HOUR},
    {NULL, NULL, 0},
};
