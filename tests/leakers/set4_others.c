/*
 * set4_others.c: what is neither leak nor cache, of LABELS-4.md: queues, pools, collections,
 * batches, what is done once, load that changes.
 */
#include "script.h"

#include <math.h>

PLACE(job_put)
PLACE(job_done)
PLACE(user_add)
PLACE(user_leave)
PLACE(thread_start)
PLACE(thread_end)
PLACE(outbox_append)
PLACE(bucket_split)
PLACE(warm_page)
PLACE(load_module)
PLACE(load_index)
PLACE(node_new)
PLACE(object_new)
PLACE(collect)
PLACE(old_promote)
PLACE(memtable_put)
PLACE(memtable_flush)
PLACE(compact)
PLACE(block_get)
PLACE(block_evict)
PLACE(batch_row)
PLACE(batch_end)
PLACE(frame_buffer)
PLACE(config_tree)
PLACE(string_set)
PLACE(slot_new)
PLACE(frame_new)
PLACE(frame_end)
PLACE(visit)
PLACE(log_line)
PLACE(session_new)
PLACE(session_end)
PLACE(worker_new)
PLACE(worker_exit)
PLACE(old_entry)

/* As many come until now as `total` says, each of which lives for `life_s`, or so on average. */
static void follow(unsigned second, double total, size_t size, double life_s, bool is_random)
{
    static struct tally tally;
    live_anyhow(second);
    for (unsigned i = due(&tally, total); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({job_put}), size,
            is_random ? chance_exponential(life_s) : life_s);
    crowd_bury(&crowds[0], second, SERVED({job_done}));
}

static void queue_ramp(unsigned second)
{
    double t = second + 1;
    follow(second, 2 * t + 10 * t * t / (2 * HOUR), 64 * KIB, 180, false);
}

static void queue_ramp_random(unsigned second)
{
    double t = second + 1;
    follow(second, t + 12 * t * t / (2 * HOUR), 64 * KIB, 150, true);
}

static void queue_step(unsigned second)
{
    double t = second + 1;
    follow(second, 4 * t + 6 * fmax(0, t - 2400), 64 * KIB, 240, false);
}

static void queue_exponential(unsigned second)
{
    double t = second + 1, rate = log(6) / HOUR;
    follow(second, 3 * (exp(rate * t) - 1) / rate, 64 * KIB, 120, true);
}

/* The load rises all the hour, as the first half of a wave. */
static void queue_wave(unsigned second)
{
    double t = second + 1, w = 2 * M_PI / 7200;
    follow(second, 7 * (t - 0.8 * sin(w * t) / w), 64 * KIB, 200, true);
}

/* A load that walks at random. */
static void queue_walk(unsigned second)
{
    static double rate = 6, total;
    if (second % 20 == 0)
        rate = fmin(14, fmax(2, rate + chance_between(-1, 1)));
    total += rate;
    follow(second, total, 64 * KIB, 150, true);
}

/* Jobs wait ever longer: from 10 s to 7 minutes. */
static void queue_lag(unsigned second)
{
    follow(second, 5.0 * (second + 1), 64 * KIB, 10 + 400.0 * second / HOUR, false);
}

/* Nobody takes anything out for 12 minutes; then all is worked off. */
static void queue_outage(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push(&queues[0], SERVED({job_put}), 64 * KIB);
    bool is_out = second >= 1200 && second < 1920;
    for (int i = 0; !is_out && i < 6 && count_of(&queues[0]) > 60; i++)
        pop(&queues[0], SERVED({job_done}));
}

/* Users come, each stays for 20 minutes on average, and more come each minute. */
static void users_ramp(unsigned second)
{
    static struct tally tally;
    double t = second + 1;
    live_anyhow(second);
    for (unsigned i = due(&tally, 0.5 * t + 2 * t * t / (2 * HOUR)); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({user_add}), 96 * KIB, chance_exponential(1200));
    crowd_bury(&crowds[0], second, SERVED({user_leave}));
}

static void users_level(unsigned second)
{
    static struct tally tally;
    double t = second + 1;
    live_anyhow(second);
    for (unsigned i = due(&tally, 2 * fmin(t * t / 3000, fmax(0, t - 750))); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({user_add}), 96 * KIB, chance_exponential(480));
    crowd_bury(&crowds[0], second, SERVED({user_leave}));
}

/* 60 threads more within half an hour; each keeps what it has. */
static void thread_pool(unsigned second)
{
    live_anyhow(second);
    if (second < 1800 && second % 30 == 0)
        forget(PATH({run_server}, {thread_start}), 2 * MIB);
}

static void thread_churn(unsigned second)
{
    live_anyhow(second);
    if (second % 2 == 0)
        crowd_add(
            &crowds[0], second, PATH({run_server}, {thread_start}), MIB, 30 + (double)chance(90));
    crowd_bury(&crowds[0], second, PATH({run_server}, {thread_end}));
}

/* Doubles until it is as large as it must be, after 9 minutes. */
static void buffer_until(unsigned second)
{
    static struct block buffer;
    live_anyhow(second);
    if ((second + 1) * 60 * KIB <= buffer.size || buffer.size >= 64 * MIB)
        return;
    size_t size = buffer.size != 0 ? buffer.size * 2 : 512 * KIB;
    if (buffer.size != 0)
        give(SERVED({outbox_append}), &buffer);
    take(SERVED({outbox_append}), &buffer, size);
}

/* 48 tables, which double until each has its keys: the last after 35 minutes. */
static void tables_until(unsigned second)
{
    static struct block tables[48];
    live_anyhow(second);
    for (size_t i = 0; i < 48; i++) {
        double filled = fmin(second + 1, 2100) * (400 + 40 * (double)i);
        if (filled <= (double)tables[i].size)
            continue;
        size_t size = tables[i].size != 0 ? tables[i].size * 2 : 16 * KIB + 777 * i;
        if (tables[i].size != 0)
            give(SERVED({bucket_split}), &tables[i]);
        take(SERVED({bucket_split}), &tables[i], size);
    }
}

static void slow_warm_up(unsigned second)
{
    live_anyhow(second);
    forget_until(fmin(1, (second + 1) / 1800.0) * 2400, SERVED({warm_page}), 48 * KIB);
}

static void bent_warm_up(unsigned second)
{
    live_anyhow(second);
    forget_until(3200 * (1 - exp(-(second + 1.0) / 720)), SERVED({warm_page}), 48 * KIB);
}

static void init_late(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second >= 2880 && second < 2900 && i < 96; i++)
        forget(PATH({run_server}, {load_index}), 64 * KIB);
}

/* Within the last tenth of the time. */
static void init_last(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second >= 3360 && second < 3400 && i < 32; i++)
        forget(PATH({run_server}, {load_index}), 64 * KIB);
}

static void two_inits(unsigned second)
{
    live_anyhow(second);
    bool is_init = second / 15 == 80 || second / 15 == 180;
    for (int i = 0; is_init && i < 64; i++)
        forget(PATH({run_server}, {load_index}), 64 * KIB);
}

/* Modules, each loaded when it is first needed. */
static void lazy_modules(unsigned second)
{
    static const unsigned at[] = {90, 200, 333, 720, 1100, 1900, 2950};
    live_anyhow(second);
    for (size_t module = 0; module < sizeof at / sizeof at[0]; module++)
        for (int i = 0; second == at[module] && i < 240; i++)
            forget(PATH({run_server}, {load_module}), 64 * KIB);
}

static void stops(unsigned second, unsigned at)
{
    live_anyhow(second);
    for (int i = 0; second < at && i < 2; i++)
        forget(SERVED({node_new}), 30 * KIB);
}

static void stops_at_30(unsigned second)
{
    stops(second, 1800);
}

static void stops_at_48(unsigned second)
{
    stops(second, 2880);
}

static void gc_teeth(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 4; i++)
        push(&queues[0], SERVED({object_new}), 64 * KIB);
    if (second % 390 == 389)
        empty(&queues[0], SERVED({collect}));
}

/* The young go every 20 s, one of 8 becomes old; the old ones go every 17 minutes. */
static void generations(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 8; i++)
        push(&queues[0], SERVED({object_new}), 64 * KIB);
    while (second % 20 == 19 && count_of(&queues[0]) != 0) {
        pop(&queues[0], SERVED({collect}));
        if (chance(8) == 0)
            push(&queues[1], SERVED({collect}, {old_promote}), 64 * KIB);
    }
    if (second % 1020 == 1019)
        empty(&queues[1], SERVED({collect}));
}

/* Old ones that each live on for a while. */
static void old_generation(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 8; i++)
        push(&queues[0], SERVED({object_new}), 64 * KIB);
    while (second % 20 == 19 && count_of(&queues[0]) != 0) {
        pop(&queues[0], SERVED({collect}));
        if (chance(5) == 0)
            crowd_add(&crowds[0], second, SERVED({collect}, {old_promote}), 64 * KIB,
                chance_exponential(420));
    }
    crowd_bury(&crowds[0], second, SERVED({collect}));
}

/* It collects only when there is need, once: after 40 minutes, all but a tenth. */
static void lazy_collection(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 2; i++)
        push(&queues[0], SERVED({object_new}), 48 * KIB);
    for (size_t i = count_of(&queues[0]) / 10 * 9; second == 2400 && i != 0; i--)
        pop(&queues[0], SERVED({collect}));
}

/* Tables in memory are written out every 4 minutes; every 16 all levels are merged; blocks of files
 * are in an LRU. */
static void lsm_store(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push(&queues[0], SERVED({memtable_put}), 48 * KIB);
    if (second % 240 == 239)
        empty(&queues[0], SERVED({memtable_flush}));
    for (int i = 0; second % 960 >= 900 && i < 12; i++)
        crowd_add(&crowds[0], second, SERVED({compact}), 128 * KIB, 960 - second % 960 + 5);
    crowd_bury(&crowds[0], second, SERVED({memtable_flush}));
    for (int i = 0; i < 2; i++)
        push_bounded(&queues[1], SERVED({block_get}), SERVED({block_evict}), 48 * KIB, 100 * MIB);
}

static void batches(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 600 >= 60 && second % 600 < 80 && i < 80; i++)
        push(&queues[0], SERVED({batch_row}), 64 * KIB);
    if (second % 600 == 260)
        empty(&queues[0], SERVED({batch_end}));
}

static void one_long_batch(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second >= 2100 && second < 3480 && i < 2; i++)
        push(&queues[0], SERVED({batch_row}), 48 * KIB);
    if (second == 3500)
        empty(&queues[0], SERVED({batch_end}));
}

/* Ever larger batches, each freed at its end. */
static void growing_batches(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = 0; second % 480 < 60 && i < 8 + second / 480 * 4; i++)
        push(&queues[0], SERVED({batch_row}), 64 * KIB);
    if (second % 480 == 300)
        empty(&queues[0], SERVED({batch_end}));
}

/* Two that take turns: the new one is there before the old one goes. */
static void ping_pong(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 300 == 200 && i < 800; i++)
        push(&queues[0], SERVED({frame_buffer}), 64 * KIB);
    while (second % 300 == 230 && count_of(&queues[0]) > 800)
        pop(&queues[0], SERVED({frame_buffer}));
}

/* Loaded anew every 12 minutes, and each time a little larger, until it is as large as it gets. */
static void config_reload(unsigned second)
{
    live_anyhow(second);
    size_t wanted = 640 + 80 * (second / 720 < 2 ? second / 720 : 2);
    for (size_t i = 0; second % 720 == 100 && i < wanted; i++)
        push(&queues[0], SERVED({config_tree}), 64 * KIB);
    while (second % 720 == 130 && count_of(&queues[0]) > wanted)
        pop(&queues[0], SERVED({config_tree}));
}

static void string_churn(unsigned second)
{
    live_anyhow(second);
    while (count_of(&queues[0]) < 4000)
        push(&queues[0], SERVED({string_set}), any_size());
    for (int i = 0; i < 20; i++) {
        give_any(&queues[0], chance(count_of(&queues[0])), SERVED({string_set}));
        push(&queues[0], SERVED({string_set}), any_size());
    }
}

static void pool_in_turn(unsigned second)
{
    live_anyhow(second);
    while (count_of(&queues[0]) < 3500)
        push(&queues[0], SERVED({slot_new}), 32 * KIB);
    for (int i = 0; i < 10; i++) {
        pop(&queues[0], SERVED({slot_new}));
        push(&queues[0], SERVED({slot_new}), 32 * KIB);
    }
}

/* Arenas of 60 blocks, freed as a whole, in no order. */
static void bulk_frees(unsigned second)
{
    live_anyhow(second);
    if (second % 6 == 0) {
        double life_s = 60 + (double)chance(300);
        for (int i = 0; i < 60; i++)
            crowd_add(&crowds[0], second, SERVED({frame_new}), 32 * KIB, life_s);
    }
    crowd_bury(&crowds[0], second, SERVED({frame_end}));
}

static void recursive_tree(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % 480 < 60 && i < 12; i++) {
        if (i % 2 == 0)
            push(&queues[0], SERVED({visit}, {visit}, {node_new}), 64 * KIB);
        else
            push(&queues[0], SERVED({visit}, {visit}, {visit}, {visit}, {node_new}), 64 * KIB);
    }
    while (second % 480 == 70 && count_of(&queues[0]) > 720)
        pop(&queues[0], SERVED({visit}));
}

static void log_rotation(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 3; i++)
        push(&queues[0], SERVED({log_line}), 24 * KIB);
    if (second % 900 == 899)
        empty(&queues[0], SERVED({log_line}));
}

/* All come back at once after an outage; then they leave as they always do. */
static void reconnect(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < (second >= 2760 && second < 2820 ? 20 : 2); i++)
        crowd_add(&crowds[0], second, SERVED({session_new}), 48 * KIB, chance_exponential(360));
    crowd_bury(&crowds[0], second, SERVED({session_end}));
}

/* Four workers leak; each is replaced after 20 minutes, the first after 5, with all that it has. */
static void rotated_workers(unsigned second)
{
    live_anyhow(second);
    for (unsigned worker = 0; worker < 4; worker++) {
        unsigned age = (second + 900 - worker * 300) % 1200;
        crowd_add(&crowds[0], second, SERVED({worker_new}), 32 * KIB, 1200 - age);
    }
    crowd_bury(&crowds[0], second, SERVED({worker_exit}));
}

static void shrinking_store(unsigned second)
{
    live_anyhow(second);
    while (second == 0 && count_of(&queues[0]) < HOUR)
        push(&queues[0], SERVED({old_entry}), 50 * KIB);
    if (chance(10) != 0 && count_of(&queues[0]) != 0)
        give_any(&queues[0], chance(count_of(&queues[0])), SERVED({session_end}));
}

/* A few large ones at random. */
static void large_and_few(unsigned second)
{
    live_anyhow(second);
    if (chance(25) == 0)
        crowd_add(&crowds[0], second, SERVED({frame_buffer}), (2 + chance(10)) * MIB,
            chance_exponential(300));
    crowd_bury(&crowds[0], second, SERVED({session_end}));
}

/* The same work, which takes longer from some time on. */
static void slower_requests(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; i < 5; i++)
        crowd_add(&crowds[0], second, SERVED({job_put}), 64 * KIB,
            chance_exponential(second < 2000 ? 60 : 150));
    crowd_bury(&crowds[0], second, SERVED({job_done}));
}

static void forget_all(void)
{
    for (size_t i = 0; i < 2; i++) {
        queues[i] = (struct queue){0};
        crowds[i] = (struct crowd){0};
    }
    restart();
}

static void restarted_cache(unsigned second)
{
    if (second % 1080 == 0 && second != 0)
        forget_all();
    live_anyhow(second % 1080);
    for (int i = 0; i < 4; i++)
        push_bounded(&queues[0], SERVED({block_get}), SERVED({block_evict}), 64 * KIB, 75 * MIB);
}

static void restarted_queue(unsigned second)
{
    if (second % 1200 == 0 && second != 0)
        forget_all();
    live_anyhow(second % 1200);
    for (int i = 0; i < 5; i++)
        crowd_add(&crowds[0], second, SERVED({job_put}), 64 * KIB, chance_exponential(100));
    crowd_bury(&crowds[0], second, SERVED({job_done}));
}

const struct leaker set4_others[] = {
    {"queue_ramp", queue_ramp, HOUR},
    {"queue_ramp_random", queue_ramp_random, HOUR},
    {"queue_step", queue_step, HOUR},
    {"queue_exponential", queue_exponential, HOUR},
    {"queue_wave", queue_wave, HOUR},
    {"queue_walk", queue_walk, HOUR},
    {"queue_lag", queue_lag, HOUR},
    {"queue_outage", queue_outage, HOUR},
    {"users_ramp", users_ramp, HOUR},
    {"users_level", users_level, HOUR},
    {"thread_pool", thread_pool, HOUR},
    {"thread_churn", thread_churn, HOUR},
    {"buffer_until", buffer_until, HOUR},
    {"tables_until", tables_until, HOUR},
    {"slow_warm_up", slow_warm_up, HOUR},
    {"bent_warm_up", bent_warm_up, HOUR},
    {"init_late", init_late, HOUR},
    {"init_last", init_last, HOUR},
    {"two_inits", two_inits, HOUR},
    {"lazy_modules", lazy_modules, HOUR},
    {"stops_at_30", stops_at_30, HOUR},
    {"stops_at_48", stops_at_48, HOUR},
    {"gc_teeth", gc_teeth, HOUR},
    {"generations", generations, HOUR},
    {"old_generation", old_generation, HOUR},
    {"lazy_collection", lazy_collection, HOUR},
    {"lsm_store", lsm_store, HOUR},
    {"batches", batches, HOUR},
    {"one_long_batch", one_long_batch, HOUR},
    {"growing_batches", growing_batches, HOUR},
    {"ping_pong", ping_pong, HOUR},
    {"config_reload", config_reload, HOUR},
    {"string_churn", string_churn, HOUR},
    {"pool_in_turn", pool_in_turn, HOUR},
    {"bulk_frees", bulk_frees, HOUR},
    {"recursive_tree", recursive_tree, HOUR},
    {"log_rotation", log_rotation, HOUR},
    {"reconnect", reconnect, HOUR},
    {"rotated_workers", rotated_workers, HOUR},
    {"shrinking_store", shrinking_store, HOUR},
    {"large_and_few", large_and_few, HOUR},
    {"slower_requests", slower_requests, HOUR},
    {"restarted_cache", restarted_cache, HOUR},
    {"restarted_queue", restarted_queue, HOUR},
    {0},
};
