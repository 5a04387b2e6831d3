/*
 * leakers.c: the programs of LABELS.md and, at the end, of LABELS-2.md and LABELS-3.md, which say
 * what each is.
 */
#include "script.h"

#include <math.h>

PLACE(session_new)
PLACE(buffer_new)
PLACE(conn_open)
PLACE(conn_close)
PLACE(retry_path)
PLACE(parse_name)
PLACE(cache_insert)
PLACE(cache_evict)
PLACE(node_new)
PLACE(frame_buffer)
PLACE(batch_report)
PLACE(batch_row)
PLACE(batch_end)
PLACE(packet_new)
PLACE(packet_done)
PLACE(request_log)
PLACE(job_new)
PLACE(history_append)
PLACE(worker)
PLACE(worker_scratch)
PLACE(client_new)
PLACE(load_index)
PLACE(tile_new)
PLACE(lru_insert)
PLACE(page_load)
PLACE(entry_new)
PLACE(entry_expire)
PLACE(word_count)
PLACE(row_cache)
PLACE(row_invalidate)
PLACE(pool_take)
PLACE(pool_reset)
PLACE(string_set)
PLACE(tcache_fill)
PLACE(slot_new)
PLACE(import_row)
PLACE(old_entry)
PLACE(event_new)
PLACE(dns_answer)
PLACE(form_new)
PLACE(record_new)
PLACE(pool_grow)
PLACE(log_line)
PLACE(timer_new)
PLACE(token_new)
PLACE(url_seen)
PLACE(late_new)
PLACE(arena_grow)
PLACE(round_new)
PLACE(object_new)
PLACE(left_new)
PLACE(right_new)
PLACE(session_put)
PLACE(tile_cache)
PLACE(tenant_a)
PLACE(tenant_b)
PLACE(row_new)
PLACE(storm_retry)
PLACE(conn_buffer)
PLACE(config_tree)
PLACE(fill_pages)
PLACE(cursor_new)
PLACE(block_get)
PLACE(patched_leak)
PLACE(page_pin)
PLACE(waiting_job)
PLACE(symbol_intern)
PLACE(reader_new)

static struct queue queue;

static void slow_leak(unsigned second)
{
    live_anyhow(second);
    if (second % 3 == 0)
        forget(SERVED({session_new}), 100 * KIB);
}

static void fast_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 8; i++)
        forget(SERVED({buffer_new}), 64 * KIB);
}

static void rare_path(unsigned second)
{
    struct block open[50];
    live_anyhow(second);
    for (int i = 0; i < 50; i++)
        take(SERVED({conn_open}), &open[i], 64 * KIB);
    for (int i = 0; i < 50; i++)
        give(SERVED({conn_close}), &open[i]);
    if (second % 6 != 0)
        return;
    for (int i = 0; i < 5; i++)
        forget(SERVED({retry_path}, {conn_open}), 64 * KIB);
}

static void behind_cache(unsigned second)
{
    live_anyhow(second);
    push_bounded(
        &queue, SERVED({cache_insert}), SERVED({cache_evict}), 160 * KIB, 42 * 60 * 160 * KIB);
    for (int i = 0; i < 40; i++)
        forget(SERVED({parse_name}), KIB);
}

static void small_among_large(unsigned second)
{
    live_anyhow(second);
    if (second % 20 == 0)
        push_bounded(
            &queue, SERVED({frame_buffer}), SERVED({frame_buffer}), 16 * MIB, 4 * 16 * MIB);
    for (int i = 0; i < 819 + (second % 5 == 0); i++)
        forget(SERVED({node_new}), 64);
}

static void in_batch(unsigned second)
{
    live_anyhow(second);
    if (second % 300 == 30) {
        for (int i = 0; i < 40 * 16; i++)
            push(&queue, SERVED({batch_row}), 64 * KIB);
        for (int i = 0; i < 15 * 16; i++)
            forget(SERVED({batch_report}), 64 * KIB);
    }
    if (second % 300 == 80)
        empty(&queue, SERVED({batch_end}));
}

static void busy_pool(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 40; i++)
        push(&queue, SERVED({packet_new}), 64 * KIB);
    while (count_of(&queue) > (size_t)40 * 15)
        pop(&queue, SERVED({packet_done}));
    for (int i = 0; second % 3 == 0 && i < 2; i++)
        forget(SERVED({packet_new}), 64 * KIB);
}

static void with_traffic(unsigned second)
{
    double t = second + 1, w = 2 * M_PI / 1200;
    live_anyhow(second);
    forget_until(1.6 * (t + 0.5 * (1 - cos(w * t)) / w), SERVED({request_log}), 32 * KIB);
}

static void accelerating(unsigned second)
{
    double t = second + 1;
    live_anyhow(second);
    forget_until(t + t * t / HOUR, SERVED({job_new}), 32 * KIB);
}

static void realloc_growth(unsigned second)
{
    static struct block history;
    live_anyhow(second);
    if (second % 15 != 0)
        return;
    size_t size = history.size + 512 * KIB;
    if (history.size != 0)
        give(SERVED({history_append}), &history);
    take(SERVED({history_append}), &history, size);
}

static void of_threads(unsigned second)
{
    live_anyhow(second);
    if (second % 15 >= 8)
        return;
    for (int i = 0; i < 2; i++)
        forget(PATH({worker}, {worker_scratch}), 60 * KIB);
}

static void after_startup(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second < 90 && i < 40; i++)
        forget(PATH({run_server}, {load_index}), 300 * MIB / 3600);
    for (int i = 0; second % 5 == 0 && i < 16; i++)
        forget(SERVED({client_new}), 16 * KIB);
}

static void large_blocks(unsigned second)
{
    live_anyhow(second);
    if (second % 180 == 100)
        forget(SERVED({tile_new}), 8 * MIB);
}

static void fill_lru(unsigned second, unsigned minutes)
{
    live_anyhow(second);
    for (int i = 0; i < 2; i++)
        push_bounded(&queue, SERVED({lru_insert}), SERVED({cache_evict}), 64 * KIB,
            minutes * 60u * 128 * KIB);
}

static void lru_early(unsigned second)
{
    fill_lru(second, 20);
}

static void lru_late(unsigned second)
{
    fill_lru(second, 42);
}

static void saturate(unsigned second, double constant_s)
{
    live_anyhow(second);
    forget_until(
        19200 * (1 - exp(-(double)(second + 1) / constant_s)), SERVED({page_load}), 16 * KIB);
}

static void saturating(unsigned second)
{
    saturate(second, 12 * 60);
}

static void half_filled(unsigned second)
{
    saturate(second, 20 * 60);
}

static void with_ttl(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 8; i++)
        push(&queue, SERVED({entry_new}), 32 * KIB);
    while (count_of(&queue) > (size_t)8 * 600)
        pop(&queue, SERVED({entry_expire}));
}

static void never_levels(unsigned second)
{
    live_anyhow(second);
    forget_until(4800 * pow((double)(second + 1) / HOUR, 0.6), SERVED({word_count}), 64 * KIB);
}

static void invalidated(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++)
        push(&queue, SERVED({row_cache}), 32 * KIB);
    /* In an hour a share of 1 - exp(-1/2). */
    for (size_t i = count_of(&queue); i-- != 0;) {
        if (chance(2 * HOUR) == 0)
            give_any(&queue, i, SERVED({row_invalidate}));
    }
}

static void sawtooth(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++)
        push(&queue, SERVED({pool_take}), 64 * KIB);
    if (second % 420 == 419)
        empty(&queue, SERVED({pool_reset}));
}

static void periodic_batch(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 600 == 290 && i < 1600; i++)
        push(&queue, SERVED({batch_row}), 64 * KIB);
    if (second % 600 == 350)
        empty(&queue, SERVED({batch_end}));
}

static void startup(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second < 120 && i < 50; i++)
        forget(PATH({run_server}, {load_index}), 400 * MIB / 6000);
}

static void churn(unsigned second)
{
    live_anyhow(second);
    while (count_of(&queue) < 3000)
        push(&queue, SERVED({string_set}), any_size());
    for (int i = 0; i < 30; i++) {
        give_any(&queue, chance(count_of(&queue)), SERVED({string_set}));
        push(&queue, SERVED({string_set}), any_size());
    }
}

static void thread_caches(unsigned second)
{
    live_anyhow(second);
    for (unsigned thread = 0; thread < 16; thread++) {
        unsigned start = thread * 112, age = second - start;
        for (int i = 0; second >= start && age < 128 && i < 4; i++)
            forget(PATH({worker}, {tcache_fill}), 32 * KIB);
    }
}

static void full_pool(unsigned second)
{
    live_anyhow(second);
    while (count_of(&queue) < 3000)
        push(&queue, SERVED({slot_new}), 32 * KIB);
    for (int i = 0; i < 15; i++) {
        pop(&queue, SERVED({slot_new}));
        push(&queue, SERVED({slot_new}), 32 * KIB);
    }
}

static void burst(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second / 60 == 29 && i < 40; i++)
        push(&queue, SERVED({import_row}), 64 * KIB);
}

static void passing_burst(unsigned second)
{
    burst(second);
    if (second == 35 * 60)
        empty(&queue, SERVED({batch_end}));
}

static void shrinking(unsigned second)
{
    live_anyhow(second);
    while (second == 0 && count_of(&queue) < HOUR)
        push(&queue, SERVED({old_entry}), 57 * KIB);
    pop(&queue, SERVED({cache_evict}));
}

static void tiny_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 60 == 0 && i < 20; i++)
        forget(SERVED({event_new}), KIB);
}

/* The second set: LABELS-2.md. */

static void two_speeds(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = 0; i < (second < 600 ? 6u : 2u); i++)
        push_bounded(&queue, SERVED({dns_answer}), SERVED({cache_evict}), 32 * KIB, 220 * MIB);
}

static void slackening(unsigned second)
{
    double t = second + 1;
    live_anyhow(second);
    forget_until(2.2 * (t - t * t / (4 * HOUR)), SERVED({form_new}), 32 * KIB);
}

static void mixed_sizes(unsigned second)
{
    live_anyhow(second);
    if (second % 5 != 0)
        return;
    for (size_t size = 128; size <= 128 * KIB; size *= 2)
        forget(SERVED({record_new}), size);
}

static void ramped_pool(unsigned second)
{
    live_anyhow(second);
    size_t wanted = second < 1500 ? second * 3 : 4500;
    for (int i = 0; i < 20 && count_of(&queue) != 0; i++)
        pop(&queue, SERVED({pool_reset}));
    while (count_of(&queue) < wanted)
        push(&queue, SERVED({pool_grow}), 32 * KIB);
}

static void rotated_log(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push(&queue, SERVED({log_line}), 24 * KIB);
    if (second % 1100 == 1099)
        empty(&queue, SERVED({pool_reset}));
}

static void thin_leak(unsigned second)
{
    live_anyhow(second);
    if (second % 2 == 0)
        forget(SERVED({timer_new}), 40 * KIB);
}

static void twin_of_leak(unsigned second)
{
    live_anyhow(second);
    push_bounded(&queue, SERVED({token_new}), SERVED({cache_evict}), 48 * KIB, 2048 * MIB);
}

static void long_tail(unsigned second)
{
    live_anyhow(second);
    forget_until(24000 * pow((double)(second + 1) / HOUR, 0.45), SERVED({url_seen}), 8 * KIB);
}

static void delayed(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second >= 1200 && i < 4; i++)
        forget(SERVED({late_new}), 24 * KIB);
}

static void high_water(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; (second == 250 || second == 900 || second == 2400) && i < 700; i++)
        forget(SERVED({arena_grow}), 64 * KIB);
}

static void leaky_teeth(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++)
        push(&queue, SERVED({round_new}), 64 * KIB);
    while (second % 300 == 299 && count_of(&queue) > 120 * (second / 300 + 1))
        give_any(&queue, count_of(&queue) - 1, SERVED({pool_reset}));
}

static void collected(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 10; i++)
        push(&queue, SERVED({object_new}), 64 * KIB);
    for (size_t i = count_of(&queue) / 2; second % 90 == 89 && i != 0; i--)
        pop(&queue, SERVED({pool_reset}));
}

static void two_leaks(unsigned second)
{
    live_anyhow(second);
    if (second % 3 == 0)
        forget(SERVED({left_new}), 102 * KIB);
    forget(SERVED({right_new}), 70 * KIB);
}

static void long_ttl(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push(&queue, SERVED({session_put}), 32 * KIB);
    while (count_of(&queue) > (size_t)3 * 2700)
        pop(&queue, SERVED({entry_expire}));
}

static void quick_cache(unsigned second)
{
    live_anyhow(second);
    forget_until(6000 * (1 - exp(-(double)(second + 1) / 480)), SERVED({tile_cache}), 40 * KIB);
}

/* The third set: LABELS-3.md. */

static void two_tenants(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 2; i++)
        push_bounded(
            &queue, SERVED({tenant_a}, {row_new}), SERVED({cache_evict}), 64 * KIB, 150 * MIB);
    if (second % 2 == 0)
        forget(SERVED({tenant_b}, {row_new}), 64 * KIB);
}

static void retry_storm(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 600 >= 200 && second % 600 < 260 && i < 4; i++)
        forget(SERVED({storm_retry}), 64 * KIB);
}

/* 200 connections, whose buffers are doubled when they are short; in the end all are. */
static void doubled_buffers(unsigned second)
{
    static struct block buffers[200];
    live_anyhow(second);
    struct block *buffer = &buffers[chance(sizeof buffers / sizeof *buffers)];
    size_t size = buffer->size != 0 ? buffer->size * 2 : 8 * KIB;
    if (size > MIB)
        return;
    if (buffer->size != 0)
        give(SERVED({conn_buffer}), buffer);
    take(SERVED({conn_buffer}), buffer, size);
}

static void reloaded_config(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 720 == 0 && i < 640; i++)
        push(&queue, SERVED({config_tree}), 64 * KIB);
    while (second % 720 == 30 && count_of(&queue) > 640)
        pop(&queue, SERVED({pool_reset}));
}

static void warm_then_leak(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push_bounded(&queue, SERVED({fill_pages}), SERVED({cache_evict}), 64 * KIB, 110 * MIB);
    if (second % 2 == 1)
        forget(SERVED({cursor_new}), 50 * KIB);
}

static void random_eviction(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++) {
        if (count_of(&queue) >= 2800)
            give_any(&queue, chance(count_of(&queue)), SERVED({cache_evict}));
        push(&queue, SERVED({block_get}), 64 * KIB);
    }
}

static void patched(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second < 1500 && i < 2; i++)
        forget(SERVED({patched_leak}), 48 * KIB);
}

static void pinned_pages(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 20; i++)
        push(&queue, SERVED({page_pin}), 32 * KIB);
    while (count_of(&queue) > (size_t)20 * 120)
        pop(&queue, SERVED({pool_reset}));
    if (second % 2 == 0)
        forget(SERVED({page_pin}), 32 * KIB);
}

static void wave_of_jobs(unsigned second)
{
    live_anyhow(second);
    size_t wanted = (size_t)(1600 - 1200 * cos(2 * M_PI * second / 2400));
    while (count_of(&queue) > wanted)
        pop(&queue, SERVED({pool_reset}));
    while (count_of(&queue) < wanted)
        push(&queue, SERVED({waiting_job}), 64 * KIB);
}

static void interned(unsigned second)
{
    live_anyhow(second);
    forget_until(9000 * pow((double)(second + 1) / HOUR, 0.3), SERVED({symbol_intern}), 16 * KIB);
}

/* Arrivals at random, 30 in a minute on average, of sizes at random. */
static void by_chance(unsigned second)
{
    live_anyhow(second);
    if (chance(2) == 0)
        forget(SERVED({reader_new}), (16 + chance(96)) * KIB);
}

const struct leaker leakers[] = {
    {"slow_leak", slow_leak, HOUR},
    {"fast_leak", fast_leak, HOUR},
    {"rare_path", rare_path, HOUR},
    {"behind_cache", behind_cache, HOUR},
    {"small_among_large", small_among_large, HOUR},
    {"in_batch", in_batch, HOUR},
    {"busy_pool", busy_pool, HOUR},
    {"with_traffic", with_traffic, HOUR},
    {"accelerating", accelerating, HOUR},
    {"realloc_growth", realloc_growth, HOUR},
    {"of_threads", of_threads, HOUR},
    {"after_startup", after_startup, HOUR},
    {"large_blocks", large_blocks, HOUR},
    {"lru_early", lru_early, HOUR},
    {"lru_late", lru_late, HOUR},
    {"saturating", saturating, HOUR},
    {"half_filled", half_filled, HOUR},
    {"with_ttl", with_ttl, HOUR},
    {"never_levels", never_levels, HOUR},
    {"invalidated", invalidated, HOUR},
    {"sawtooth", sawtooth, HOUR},
    {"periodic_batch", periodic_batch, HOUR},
    {"startup", startup, HOUR},
    {"churn", churn, HOUR},
    {"thread_caches", thread_caches, HOUR},
    {"full_pool", full_pool, HOUR},
    {"held_burst", burst, HOUR},
    {"passing_burst", passing_burst, HOUR},
    {"shrinking", shrinking, HOUR},
    {"short_run", slow_leak, 240},
    {"tiny_leak", tiny_leak, HOUR},
    {"two_speeds", two_speeds, HOUR},
    {"slackening", slackening, HOUR},
    {"mixed_sizes", mixed_sizes, HOUR},
    {"ramped_pool", ramped_pool, HOUR},
    {"rotated_log", rotated_log, HOUR},
    {"thin_leak", thin_leak, HOUR},
    {"twin_of_leak", twin_of_leak, HOUR},
    {"long_tail", long_tail, HOUR},
    {"delayed", delayed, HOUR},
    {"high_water", high_water, HOUR},
    {"leaky_teeth", leaky_teeth, HOUR},
    {"collected", collected, HOUR},
    {"two_leaks", two_leaks, HOUR},
    {"long_ttl", long_ttl, HOUR},
    {"quick_cache", quick_cache, HOUR},
    {"two_tenants", two_tenants, HOUR},
    {"retry_storm", retry_storm, HOUR},
    {"doubled_buffers", doubled_buffers, HOUR},
    {"reloaded_config", reloaded_config, HOUR},
    {"warm_then_leak", warm_then_leak, HOUR},
    {"random_eviction", random_eviction, HOUR},
    {"patched", patched, HOUR},
    {"pinned_pages", pinned_pages, HOUR},
    {"wave_of_jobs", wave_of_jobs, HOUR},
    {"interned", interned, HOUR},
    {"by_chance", by_chance, HOUR},
    {0},
};
