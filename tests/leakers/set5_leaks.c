/*
 * set5_leaks.c: the leaks of LABELS-5.md that go on for as long as their program runs.
 */
#include "script.h"

#include <math.h>

PLACE(plugin_load)
PLACE(plugin_unload)
PLACE(orm_query)
PLACE(statement_prepare)
PLACE(orm_fetch)
PLACE(orm_release)
PLACE(series_new)
PLACE(dns_store)
PLACE(dns_expire)
PLACE(arena_small)
PLACE(arena_big)
PLACE(arena_reset)
PLACE(mime_parse)
PLACE(mime_free)
PLACE(timer_register)
PLACE(conn_dial)
PLACE(conn_retire)
PLACE(subscription_add)
PLACE(subscription_drop)
PLACE(index_node)
PLACE(index_replace)
PLACE(path_dup)
PLACE(diag_intern)
PLACE(ast_node)
PLACE(ast_done)
PLACE(pch_load)
PLACE(pch_evict)
PLACE(replay_chunk)
PLACE(replay_close)
PLACE(dom_node)
PLACE(dom_discard)
PLACE(codec_open)
PLACE(codec_close)
PLACE(pid_buffer)
PLACE(audit_entry)
PLACE(blob_cache)
PLACE(blob_evict)
PLACE(listener_add)
PLACE(report_row)
PLACE(report_close)
PLACE(thread_start)
PLACE(thread_buffer)
PLACE(regex_compile)
PLACE(symbol_new)
PLACE(kernel_compile)
PLACE(tensor_new)
PLACE(tensor_free)
PLACE(undo_step)
PLACE(undo_drop)
PLACE(identity_map)
PLACE(cart_new)
PLACE(cart_close)

static void plugin_reload(unsigned second)
{
    live_anyhow(second);
    if (second % 600 != 0)
        return;
    empty(&queues[0], SERVED({plugin_unload}));
    for (int i = 0; i < 240; i++) {
        size_t size = size_between(4 * KIB, 48 * KIB);
        if (i % 3 == 0)
            forget(SERVED({plugin_load}), size);
        else
            push(&queues[0], SERVED({plugin_load}), size);
    }
}

static void statement_texts(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({orm_release}));
    for (unsigned i = arrivals(0.6); i != 0; i--)
        forget(SERVED({orm_query}, {statement_prepare}), size_between(2 * KIB, 24 * KIB));
    for (unsigned i = arrivals(20); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({orm_query}, {orm_fetch}), any_size(),
            1 + chance_exponential(3));
}

static void label_explosion(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(3 * load_by_day(second, 2 * HOUR, 0.1)); i != 0; i--)
        forget(SERVED({series_new}), size_between(2 * KIB, 4 * KIB));
}

/* Positive answers expire; negative ones have no time to live, and nobody looks for them again. */
static void dns_negative(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({dns_expire}));
    for (unsigned i = arrivals(40); i != 0; i--) {
        double life_s = chance(5) == 0 ? FOR_EVER : chance_between(60, 600);
        size_t size = size_between(KIB, 2 * KIB);
        if (life_s == FOR_EVER)
            forget(SERVED({dns_store}), size);
        else
            crowd_add(&crowds[0], second, SERVED({dns_store}), size, life_s);
    }
}

/* A reset of the arena keeps what was too big for its chunks, unless the job failed. */
static void arena_oversize(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({arena_reset}));
    for (unsigned i = arrivals(2); i != 0; i--) {
        double job_s = chance_between(1, 6);
        for (int k = 0; k < 6; k++)
            crowd_add(&crowds[0], second, SERVED({arena_small}), 32 * KIB, job_s);
        if (chance(30) != 0)
            continue;
        size_t size = size_with_tail(64 * KIB, 2 * MIB);
        if (chance(2) == 0)
            crowd_add(&crowds[0], second, SERVED({arena_big}), size, job_s);
        else
            forget(SERVED({arena_big}), size);
    }
}

static void mime_malformed(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({mime_free}));
    for (unsigned i = arrivals(5); i != 0; i--) {
        size_t size = size_with_tail(20 * KIB, 10 * MIB);
        if (chance(120) == 0)
            forget(SERVED({mime_parse}), size);
        else
            crowd_add(&crowds[0], second, SERVED({mime_parse}), size, chance_between(2, 30));
    }
}

static void cron_again(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 300 == 0 && i < 1500; i++)
        forget(SERVED({timer_register}), size_between(500, 900));
}

static void pool_timeouts(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({conn_retire}));
    for (unsigned i = arrivals(0.5 * load_by_day(second, 2 * HOUR, 0.2)); i != 0; i--) {
        if (chance(100) < 15)
            forget(SERVED({conn_dial}), 64 * KIB);
        else
            crowd_add(
                &crowds[0], second, SERVED({conn_dial}), 64 * KIB, 1 + chance_exponential(900));
    }
}

static void unclean_clients(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({subscription_drop}));
    for (unsigned i = arrivals(8 * load_by_day(second, 4 * HOUR, 0.1)); i != 0; i--) {
        size_t size = size_between(3 * KIB, 9 * KIB);
        if (chance(10) == 0)
            forget(SERVED({subscription_add}), size);
        else
            crowd_add(
                &crowds[0], second, SERVED({subscription_add}), size, 1 + chance_exponential(600));
    }
}

/* A scan of 20 minutes; afterwards each change replaces a node, and forgets its path. */
static void file_index(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second < 1200 && i < 12; i++) {
        push(&queues[0], SERVED({index_node}), size_between(6 * KIB, 10 * KIB));
        forget(SERVED({path_dup}), size_between(100, 900));
    }
    for (unsigned i = second < 1200 ? 0 : arrivals(12); i != 0; i--) {
        give_any(&queues[0], (size_t)chance(count_of(&queues[0])), SERVED({index_replace}));
        push(&queues[0], SERVED({index_node}), size_between(6 * KIB, 10 * KIB));
        forget(SERVED({path_dup}), size_between(100, 900));
    }
}

/* A compiler that stays: its trees go with each file, its headers are a cache of 48 MiB. */
static void compile_daemon(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({ast_done}));
    for (unsigned files = arrivals(0.3); files != 0; files--) {
        double compile_s = chance_between(2, 40);
        for (int i = 0; i < 60; i++)
            crowd_add(&crowds[0], second, SERVED({ast_node}), any_size() / 4 + 64, compile_s);
        for (uint64_t i = chance(30); i != 0; i--)
            forget(SERVED({diag_intern}), size_between(300, 2500));
        if (chance(5) == 0)
            push_bounded(&queues[0], SERVED({pch_load}), SERVED({pch_evict}),
                size_between(MIB, 4 * MIB), 48 * MIB);
    }
}

/* Matches of a game: of those that were broken off, the recording stays open. */
static void broken_matches(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({replay_close}));
    for (unsigned i = arrivals(0.05); i != 0; i--) {
        bool is_broken = chance(12) == 0;
        double match_s = chance_between(480, 1200);
        for (int chunk = 0; chunk < 12; chunk++) {
            if (is_broken)
                forget(SERVED({replay_chunk}), 256 * KIB);
            else
                crowd_add(&crowds[0], second, SERVED({replay_chunk}), 256 * KIB, match_s);
        }
    }
}

static void detached_trees(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({dom_discard}));
    for (unsigned i = arrivals(12.0 / 90); i != 0; i--) {
        bool is_detached = chance(20) == 0;
        double page_s = 2 + chance_exponential(90);
        for (int node = 0; node < 150; node++) {
            size_t size = size_between(KIB, 12 * KIB);
            if (is_detached)
                forget(SERVED({dom_node}), size);
            else
                crowd_add(&crowds[0], second, SERVED({dom_node}), size, page_s);
        }
    }
}

static void codec_flush(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({codec_close}));
    for (unsigned i = arrivals(0.05); i != 0; i--) {
        if (chance(8) == 0)
            forget(SERVED({codec_open}), 1900 * KIB);
        else
            crowd_add(
                &crowds[0], second, SERVED({codec_open}), 1900 * KIB, chance_between(300, 1500));
    }
}

/* A monitoring agent keeps a buffer of each process it ever saw; jobs start every ten minutes. */
static void pids_seen(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(second % 600 < 20 ? 25 : 0.1); i != 0; i--)
        forget(SERVED({pid_buffer}), 8 * KIB);
}

static void six_hours(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(2); i != 0; i--)
        push_bounded(&queues[0], SERVED({blob_cache}), SERVED({blob_evict}),
            size_between(8 * KIB, 200 * KIB), 200 * MIB);
    for (unsigned i = arrivals(0.5); i != 0; i--)
        forget(SERVED({audit_entry}), size_between(2 * KIB, 4 * KIB));
}

/* Each listener that was left adds to what an event leaves. */
static void listener_echo(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.2 + second / 900.0); i != 0; i--)
        forget(SERVED({listener_add}), size_between(KIB, 3 * KIB));
}

/* A report at half past each hour; a twelfth of it stays in the cache of a dead printer. */
static void hourly_rest(unsigned second)
{
    unsigned at = second % HOUR;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({report_close}));
    for (int i = 0; at >= 1800 && at < 1900 && i < 50; i++) {
        if (i < 4)
            forget(SERVED({report_row}), 16 * KIB);
        else
            crowd_add(&crowds[0], second, SERVED({report_row}), 16 * KIB, 400);
    }
}

/* Eight threads, each ended after 16 minutes and started again; nobody frees their own buffers. */
static void thread_ends(unsigned second)
{
    live_anyhow(second);
    if (second % 120 != 0)
        return;
    for (int i = 0; i < 6; i++)
        forget(PATH({run_server}, {thread_start}, {thread_buffer}), 256 * KIB);
}

/* A table with one slot for each hash: who comes later overwrites, and does not free. */
static void overwritten_slots(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(3); i != 0; i--)
        forget(SERVED({regex_compile}), any_size() / 16 + 200);
}

static void symbols_of_requests(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(60 * load_by_day(second, HOUR, 0.5)); i != 0; i--)
        forget(SERVED({symbol_new}), size_between(40, 260));
}

/* A kernel is compiled for each scale, which is a floating-point number: none is met again. */
static void kernels_by_scale(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({tensor_free}));
    for (unsigned i = arrivals(3); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({tensor_new}), size_between(MIB, 4 * MIB),
            chance_between(1, 8));
    for (unsigned i = arrivals(0.05); i != 0; i--)
        forget(SERVED({kernel_compile}), size_between(60 * KIB, 400 * KIB));
}

/* Documents are open for 20 minutes; a forgotten listener keeps the history of some. */
static void undo_pinned(unsigned second)
{
    static struct document {
        unsigned closes;
        bool is_pinned;
    } documents[60];
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({undo_drop}));
    for (int i = 0; i < 60; i++) {
        struct document *document = &documents[i];
        if (document->closes <= second) {
            document->closes = second + 60 + (unsigned)chance_exponential(1140);
            document->is_pinned = chance(9) == 0;
        }
        for (unsigned step = arrivals(0.05); step != 0; step--) {
            size_t size = size_with_tail(2 * KIB, 200 * KIB);
            if (document->is_pinned)
                forget(SERVED({undo_step}), size);
            else
                crowd_add(&crowds[0], second, SERVED({undo_step}), size, document->closes - second);
        }
    }
}

/* A worker ends after 50 minutes and another begins; each keeps every object it ever loaded. */
static void worker_identity(unsigned second)
{
    if (second != 0 && second % 3000 == 0)
        restart();
    live_anyhow(second % 3000);
    for (unsigned i = arrivals(3); i != 0; i--)
        forget(SERVED({identity_map}), size_between(KIB, 9 * KIB));
}

/* Most baskets are closed; those of guests who do not come back have no time to live. */
static void guest_carts(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({cart_close}));
    for (unsigned i = arrivals(4 * load_by_day(second, 3 * HOUR, 0.3)); i != 0; i--) {
        size_t size = size_between(2 * KIB, 12 * KIB);
        if (chance(10) < 3)
            forget(SERVED({cart_new}), size);
        else
            crowd_add(&crowds[0], second, SERVED({cart_new}), size, 1 + chance_exponential(1500));
    }
}

const struct leaker set5_leaks[] = {
    {"plugin_reload", plugin_reload, 3 * HOUR},
    {"statement_texts", statement_texts, 2 * HOUR},
    {"label_explosion", label_explosion, 4 * HOUR},
    {"dns_negative", dns_negative, HOUR},
    {"arena_oversize", arena_oversize, 3 * HOUR},
    {"mime_malformed", mime_malformed, 3 * HOUR},
    {"cron_again", cron_again, 3 * HOUR},
    {"pool_timeouts", pool_timeouts, 4 * HOUR},
    {"unclean_clients", unclean_clients, 4 * HOUR},
    {"file_index", file_index, 5 * HOUR / 2},
    {"compile_daemon", compile_daemon, 2 * HOUR},
    {"broken_matches", broken_matches, 3 * HOUR},
    {"detached_trees", detached_trees, 2 * HOUR},
    {"codec_flush", codec_flush, 3 * HOUR},
    {"pids_seen", pids_seen, 2 * HOUR},
    {"six_hours", six_hours, 6 * HOUR},
    {"listener_echo", listener_echo, 2 * HOUR},
    {"hourly_rest", hourly_rest, 5 * HOUR},
    {"thread_ends", thread_ends, 2 * HOUR},
    {"overwritten_slots", overwritten_slots, 2 * HOUR},
    {"symbols_of_requests", symbols_of_requests, 3 * HOUR},
    {"kernels_by_scale", kernels_by_scale, 3 * HOUR / 2},
    {"undo_pinned", undo_pinned, 4 * HOUR},
    {"worker_identity", worker_identity, 9000},
    {"guest_carts", guest_carts, 3 * HOUR},
    {NULL, NULL, 0},
};
