/*
 * set6_leaks.c: the programs of LABELS-6.md that leak for as long as they are seen.
 */
#include "script.h"

#include <math.h>
#include <string.h>

#define MINUTE 60u

PLACE(token_intern)
PLACE(avatar_cache)
PLACE(avatar_evict)
PLACE(route_compile)
PLACE(route_retire)
PLACE(tenant_provision)
PLACE(tenant_delete)
PLACE(error_body)
PLACE(error_done)
PLACE(broker_recv)
PLACE(broker_done)
PLACE(history_embed)
PLACE(session_attach)
PLACE(session_detach)
PLACE(chunk_alloc)
PLACE(chunk_evict)
PLACE(jwt_claims)
PLACE(future_then)
PLACE(future_done)
PLACE(sock_buffer)
PLACE(sock_close)
PLACE(pod_series)
PLACE(parse_expression)
PLACE(parse_term)
PLACE(expression_node)
PLACE(expression_free)
PLACE(on_login)
PLACE(on_logout)
PLACE(on_search)
PLACE(on_upload)
PLACE(on_delete)
PLACE(on_share)
PLACE(on_rename)
PLACE(on_invite)
PLACE(str_dup_keep)
PLACE(event_append)
PLACE(managed_alloc)
PLACE(managed_sweep)
PLACE(image_decode)
PLACE(image_free)
PLACE(row_buffer)
PLACE(row_release)
PLACE(page_context)
PLACE(page_context_end)
PLACE(key_copy)
PLACE(value_store)
PLACE(value_evict)
PLACE(locale_bundle)
PLACE(locale_drop)
PLACE(upload_part)
PLACE(upload_done)

/* A day: tokens are interned all the time, and ever so slowly, beside a cache of 150 MiB. */
static void tokens_of_a_day(unsigned second)
{
    double load = load_by_day(second, 24 * HOUR, 0.15);
    live_anyhow(second);
    for (unsigned i = arrivals(1.2 * load); i != 0; i--)
        push_bounded(&queues[0], SERVED({avatar_cache}), SERVED({avatar_evict}),
            size_between(8 * KIB, 48 * KIB), 150 * MIB);
    for (unsigned i = arrivals(0.6 * load); i != 0; i--)
        forget(SERVED({token_intern}), size_between(300, 2000));
}

/* A configuration is read every 45 minutes: its table goes after the next one came, its index does
 * not. */
static void reload_keeps_index(unsigned second)
{
    live_anyhow(second);
    if (second % (45 * MINUTE) == 30)
        empty(&queues[1], SERVED({route_retire}));
    if (second % (45 * MINUTE) != 0)
        return;
    queues[1] = queues[0];
    memset(&queues[0], 0, sizeof queues[0]);
    for (int i = 0; i < 600; i++)
        push(&queues[0], SERVED({route_compile}), size_between(4 * KIB, 12 * KIB));
    for (int i = 0; i < 320; i++)
        forget(SERVED({route_compile}), size_between(4 * KIB, 12 * KIB));
}

/* Who is no customer any more is deleted, but for one block in five. */
static void tenants_come_and_go(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({tenant_delete}));
    for (unsigned tenants = arrivals(1.0 / 180); tenants != 0; tenants--) {
        double stay_s = 600 + chance_exponential(4800);
        for (int i = 0; i < 400; i++)
            keep_or_not(second, SERVED({tenant_provision}), size_between(KIB, 4 * KIB),
                i % 5 == 0 ? FOR_EVER : stay_s);
    }
}

/* A body that is kept of each error: one request in 250, and in 15 for the minutes after a deploy.
 */
static void only_on_errors(unsigned second)
{
    static const unsigned deploys[] = {47, 133, 221, 304};
    uint64_t in = 250;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({error_done}));
    for (size_t i = 0; i < sizeof deploys / sizeof deploys[0]; i++) {
        if (second / MINUTE >= deploys[i] && second / MINUTE < deploys[i] + 4)
            in = 15;
    }
    for (unsigned i = arrivals(18); i != 0; i--)
        keep_or_not(second, SERVED({error_body}), size_with_tail(5 * KIB, 128 * KIB),
            chance(in) == 0 ? FOR_EVER : chance_between(1, 5));
}

/* The broker goes away every quarter of an hour or so, and the window of each lost connection with
 * it is never given back. */
static void reconnects(unsigned second)
{
    static unsigned next = 13 * MINUTE;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({broker_done}));
    for (unsigned i = arrivals(3); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({broker_recv}), 64 * KIB, chance_between(2, 60));
    if (second != next)
        return;
    next = second + 3 * MINUTE + (unsigned)chance_exponential(14 * MINUTE);
    for (int i = 0; i < 40; i++)
        forget(SERVED({broker_recv}), 64 * KIB);
}

/* Each document has the history of all before it: as many as ever, and each larger. */
static void history_in_history(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.2); i != 0; i--)
        forget(SERVED({history_embed}), size_between(KIB, 3 * KIB) * (1 + second / 600));
}

/* Ever more users, from early morning on; one session in twelve is never detached. */
static void ramp_of_users(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({session_detach}));
    for (unsigned i = arrivals(0.2 + 1.8 * second / (6.0 * HOUR)); i != 0; i--)
        keep_or_not(second, SERVED({session_attach}), size_between(4 * KIB, 20 * KIB),
            chance(12) == 0 ? FOR_EVER : chance_exponential(1200));
}

/* A cache of 120 MiB, and what is taken by the same calls and is lost: three in a hundred. */
static void leak_in_the_cache(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(1.2); i != 0; i--) {
        size_t size = size_between(16 * KIB, 112 * KIB);
        if (chance(100) < 3)
            forget(SERVED({chunk_alloc}), size);
        else
            push_bounded(&queues[0], SERVED({chunk_alloc}), SERVED({chunk_evict}), size, 120 * MIB);
    }
}

/* Twice a second instance takes half of the load: the leak is half as fast. */
static void rate_halves(unsigned second)
{
    double share = second < 90 * MINUTE ? 1 : second < 180 * MINUTE ? 0.5 : 0.25;
    live_anyhow(second);
    for (unsigned i = arrivals(2 * share); i != 0; i--)
        forget(SERVED({jwt_claims}), size_between(2 * KIB, 6 * KIB));
}

/* Of each future that times out, its continuation stays; timeouts come with slow minutes. */
static void futures_time_out(unsigned second)
{
    bool is_slow = second / MINUTE % 7 == 3;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({future_done}));
    for (unsigned i = arrivals(12); i != 0; i--)
        keep_or_not(second, SERVED({future_then}), size_between(KIB, 6 * KIB),
            chance(100) < (is_slow ? 16u : 1u) ? FOR_EVER : chance_exponential(20));
}

/* Sockets live for ten seconds or for an hour and a half, and one in 50 for ever. */
static void half_closed(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({sock_close}));
    for (unsigned i = arrivals(1.5); i != 0; i--)
        keep_or_not(second, SERVED({sock_buffer}), 48 * KIB,
            chance(50) == 0 ? FOR_EVER : (double)size_with_tail(10, 5400));
}

/* Each deploy of the service that is watched brings 40 new names, with 60 series each. */
static void names_of_pods(unsigned second)
{
    static unsigned next;
    live_anyhow(second);
    if (second != next)
        return;
    next = second + 20 * MINUTE + (unsigned)chance(40 * MINUTE);
    for (int i = 0; i < 40 * 60; i++)
        forget(SERVED({pod_series}), size_between(600, 1400));
}

/* Trees of expressions are built by calls as deep as they are; one tree in 40 has a cycle. */
static void trees_with_cycles(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({expression_free}));
    for (unsigned trees = arrivals(3); trees != 0; trees--) {
        struct step path[PATH_STEPS_MAX] = {{run_server}, {serve}};
        double life_s = chance(40) == 0 ? FOR_EVER : chance_between(1, 12);
        for (size_t depth = 0; depth < 5; depth++) {
            path[2 + 2 * depth].enter = parse_expression;
            path[3 + 2 * depth].enter = parse_term;
            path[4 + 2 * depth].enter = expression_node;
            for (int i = 0; i < 4; i++)
                keep_or_not(second, path, size_between(KIB, 5 * KIB), life_s);
        }
    }
}

/* The same copy is made and lost by eight handlers, each of which is not much. */
static void eight_handlers(unsigned second)
{
    static void (*const handlers[])(const struct step *, struct request *) = {
        on_login, on_logout, on_search, on_upload, on_delete, on_share, on_rename, on_invite};
    live_anyhow(second);
    for (unsigned i = arrivals(2.5); i != 0; i--) {
        struct step path[] = {{run_server}, {serve}, {handlers[chance(8)]}, {str_dup_keep}, {NULL}};
        forget(path, size_between(400, 2600));
    }
}

/* 300 channels, each with a vector of all events since the start, which is half as large again when
 * it is full. */
static void event_vectors(unsigned second)
{
    static struct {
        struct block vector;
        size_t used_bytes;
    } channels[300];
    live_anyhow(second);
    for (unsigned i = arrivals(12); i != 0; i--) {
        size_t at = (size_t)chance(300);
        channels[at].used_bytes += size_between(100, 700);
        struct block old = channels[at].vector;
        if (channels[at].used_bytes <= old.size)
            continue;
        take(SERVED({event_append}), &channels[at].vector,
            old.size != 0 ? old.size + old.size / 2 : 4 * KIB);
        if (old.size != 0)
            give(SERVED({event_append}), &old);
    }
}

/* A managed heap: a collection every ten minutes or so frees most of what had been taken, and of
 * what it leaves some is reachable for ever. */
static void heap_floor_rises(unsigned second)
{
    static size_t limit = 24 * MIB;
    struct queue *young = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(6); i != 0; i--) {
        if (chance(16) == 0)
            forget(SERVED({managed_alloc}), size_between(KIB, 11 * KIB));
        else
            push(young, SERVED({managed_alloc}), size_between(KIB, 11 * KIB));
    }
    if (young->size_bytes < limit)
        return;
    for (size_t i = count_of(young); i-- != 0;) {
        if (chance(100) < 75)
            give_any(young, i, SERVED({managed_sweep}));
    }
    limit = young->size_bytes + 18 * MIB + (size_t)chance(6 * MIB);
}

/* Images of megabytes go in seconds; one in 130 is lost, every hour and three quarters or so. */
static void image_lost(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({image_free}));
    for (unsigned i = arrivals(0.02); i != 0; i--)
        keep_or_not(second, SERVED({image_decode}), size_between(4 * MIB, 9 * MIB),
            chance(130) == 0 ? FOR_EVER : chance_between(1, 20));
}

/* A worker is killed when it has leaked 48 MiB, and another one begins. */
static void killed_when_full(unsigned second)
{
    static size_t left_bytes;
    static unsigned began;
    if (left_bytes > 48 * MIB) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
        left_bytes = 0;
        began = second;
    }
    live_anyhow(second - began);
    crowd_bury(&crowds[0], second, SERVED({row_release}));
    for (unsigned i = arrivals(4); i != 0; i--) {
        size_t size = size_between(4 * KIB, 28 * KIB);
        bool is_left = chance(4) == 0;
        left_bytes += is_left ? size : 0;
        keep_or_not(
            second, SERVED({row_buffer}), size, is_left ? FOR_EVER : chance_exponential(120));
    }
}

/* Two days and a night; at the end it is evening again, and there is less than at noon. */
static void two_days(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({page_context_end}));
    for (unsigned i = arrivals(1.4 * load_by_day(second, 24 * HOUR, 0.05)); i != 0; i--)
        keep_or_not(second, SERVED({page_context}), size_between(2 * KIB, 38 * KIB),
            chance(50) == 0 ? FOR_EVER : chance_exponential(1800));
}

/* An eviction frees the value, and not the copy of its key. */
static void keys_outlive_values(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(7); i != 0; i--) {
        push_bounded(&queues[0], SERVED({value_store}), SERVED({value_evict}),
            size_between(4 * KIB, 20 * KIB), 64 * MIB);
        forget(SERVED({key_copy}), size_between(200, 900));
    }
}

/* A bundle for each language of each request: what is found by its whole name is used again, what
 * is found by a fallback is not, and is read anew. */
static void fallback_bundles(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({locale_drop}));
    for (unsigned i = arrivals(0.5); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({locale_bundle}), 24 * KIB, 1800);
    for (unsigned i = arrivals(0.06 * load_by_day(second, 6 * HOUR, 0.3)); i != 0; i--)
        forget(SERVED({locale_bundle}), size_between(20 * KIB, 60 * KIB));
}

/* Uploads in parts of 512 KiB. Of those that are broken off, the parts stay: one in 20. */
static void broken_uploads(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({upload_done}));
    for (unsigned uploads = arrivals(0.015); uploads != 0; uploads--) {
        bool is_broken = chance(20) == 0;
        double upload_s = chance_between(20, 900);
        for (uint64_t part = 1 + chance(12); part != 0; part--)
            keep_or_not(second, SERVED({upload_part}), 512 * KIB, is_broken ? FOR_EVER : upload_s);
    }
}

const struct leaker set6_leaks[] = {
    {"tokens_of_a_day", tokens_of_a_day, 24 * HOUR},
    {"reload_keeps_index", reload_keeps_index, 8 * HOUR},
    {"tenants_come_and_go", tenants_come_and_go, 12 * HOUR},
    {"only_on_errors", only_on_errors, 6 * HOUR},
    {"reconnects", reconnects, 5 * HOUR},
    {"history_in_history", history_in_history, 4 * HOUR},
    {"ramp_of_users", ramp_of_users, 6 * HOUR},
    {"leak_in_the_cache", leak_in_the_cache, 4 * HOUR},
    {"rate_halves", rate_halves, 5 * HOUR},
    {"futures_time_out", futures_time_out, 5 * HOUR},
    {"half_closed", half_closed, 4 * HOUR},
    {"names_of_pods", names_of_pods, 10 * HOUR},
    {"trees_with_cycles", trees_with_cycles, 2 * HOUR},
    {"eight_handlers", eight_handlers, 4 * HOUR},
    {"event_vectors", event_vectors, 3 * HOUR},
    {"heap_floor_rises", heap_floor_rises, 4 * HOUR},
    {"image_lost", image_lost, 24 * HOUR},
    {"killed_when_full", killed_when_full, 5 * HOUR},
    {"two_days", two_days, 44 * HOUR},
    {"keys_outlive_values", keys_outlive_values, 2 * HOUR},
    {"fallback_bundles", fallback_bundles, 6 * HOUR},
    {"broken_uploads", broken_uploads, 8 * HOUR},
    {NULL, NULL, 0},
};
