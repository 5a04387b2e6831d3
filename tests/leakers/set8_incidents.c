/*
 * set8_incidents.c: the programs of LABELS-8.md that leak from some time on or until some time,
 * incidents that leak nothing, and those of which nobody can tell.
 */
#include "set8.h"

#include <string.h>

PLACE(series_of_label)
PLACE(tenant_context)
PLACE(tenant_done)
PLACE(quota_record)
PLACE(quota_done)
PLACE(voucher_config)
PLACE(voucher_state)
PLACE(voucher_end)
PLACE(form_upload)
PLACE(form_drop)
PLACE(reaped_entry)
PLACE(reaped_out)
PLACE(flagged_offer)
PLACE(flagged_end)
PLACE(patched_cart)
PLACE(patched_end)
PLACE(lagging_message)
PLACE(lagging_done)
PLACE(outrun_message)
PLACE(outrun_done)
PLACE(window_state)
PLACE(window_emit)
PLACE(sized_page)
PLACE(sized_evict)
PLACE(raised_entry)
PLACE(raised_evict)
PLACE(counted_value)
PLACE(counted_evict)
PLACE(takeover_session)
PLACE(takeover_gone)
PLACE(last_error)
PLACE(last_error_drop)
PLACE(young_memo)
PLACE(twin_ring)
PLACE(twin_sweepable)
PLACE(twin_timer)
PLACE(twin_tenant)
PLACE(twin_recent)
PLACE(twin_recent_out)

/* 1200 series, most of which are there after an hour; from minute 300 of 720 on a label has the
 * user's number in it, and each user has a series. */
static void label_of_each_user(unsigned second)
{
    static struct block series[1200];
    live_anyhow(second);
    for (unsigned i = arrivals(1); i != 0; i--) {
        size_t at = popular(1200, 1.8);
        take_once(&series[at], SERVED({series_of_label}), (6 + at % 9) * KIB);
    }
    for (unsigned i = second >= 300 * MINUTE ? arrivals(0.1) : 0; i != 0; i--)
        forget(SERVED({series_of_label}), size_between(6 * KIB, 14 * KIB));
}

/* A tenant comes at minute 200 of 480 whose rules have a circle in them: what its requests take, a
 * twelfth of all, stays. */
static void tenant_with_a_circle(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({tenant_done}));
    for (unsigned i = arrivals(4); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({tenant_context}), size_between(2 * KIB, 8 * KIB),
            chance_between(2, 120));
    for (unsigned i = second >= 200 * MINUTE ? arrivals(0.35) : 0; i != 0; i--)
        forget(SERVED({tenant_context}), size_between(2 * KIB, 8 * KIB));
}

/* The last four hours of a day: a quota is full from then on, and one record in six is kept to be
 * tried again, which nobody does. */
static void last_hours_of_a_day(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({quota_done}));
    for (unsigned i = arrivals(1.2 * load_by_day(second + 15 * HOUR, 24 * HOUR, 0.15)); i != 0; i--)
        keep_or_not(second, SERVED({quota_record}), size_between(4 * KIB, 16 * KIB),
            second >= 20 * HOUR && chance(6) == 0 ? FOR_EVER : 20 + chance_exponential(900));
}

/* A process of eight hours ends, and another one of the same build begins: from its second hour on
 * one voucher in ten is in a list that is never read. */
static void healthy_then_restarted(unsigned second)
{
    if (second == 8 * HOUR) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
        for (int i = 0; i < 64; i++)
            push(&queues[0], PATH({run_server}, {voucher_config}), 256 * KIB);
    }
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({voucher_end}));
    for (unsigned i = arrivals(2); i != 0; i--)
        keep_or_not(second, SERVED({voucher_state}), size_between(2 * KIB, 10 * KIB),
            second >= 10 * HOUR && chance(10) == 0 ? FOR_EVER : chance_exponential(240));
}

/* Per request, and then no requests: one form in 15 stays on two working days, and hardly any comes
 * on the third, which is a Saturday. */
static void saturday_comes(unsigned second)
{
    double load = second < 48 * HOUR ? load_by_day(second, 24 * HOUR, 0.05) : 0.03;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({form_drop}));
    for (unsigned i = arrivals(0.8 * load); i != 0; i--)
        keep_or_not(second, SERVED({form_upload}), size_between(4 * KIB, 18 * KIB),
            chance(15) == 0 ? FOR_EVER : chance_between(10, 1200));
}

/* Entries go after 30 minutes, by a thread that ends with an error at minute 260 of 600. */
static void reaper_dies(unsigned second)
{
    live_anyhow(second);
    if (second < 260 * MINUTE)
        crowd_bury(&crowds[0], second, SERVED({reaped_out}));
    for (unsigned i = arrivals(0.5); i != 0; i--)
        keep_or_not(second, SERVED({reaped_entry}), size_between(3 * KIB, 11 * KIB),
            second >= 260 * MINUTE ? FOR_EVER : 30 * MINUTE);
}

/* An eighth stays from minute 60 on, until a flag is switched off at minute 300; nine hours more
 * are seen, in which nothing stays. */
static void flag_switched_off(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({flagged_end}));
    for (unsigned i = arrivals(3); i != 0; i--)
        keep_or_not(second, SERVED({flagged_offer}), size_between(2 * KIB, 8 * KIB),
            is_within(second, 60, 240) && chance(8) == 0 ? FOR_EVER : chance_exponential(120));
}

/* An eighth stays for five hours; then a build comes in which that is mended, and runs for nine. */
static void mended_build(unsigned second)
{
    if (second == 5 * HOUR) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
    }
    live_anyhow(second < 5 * HOUR ? second : second - 5 * HOUR);
    crowd_bury(&crowds[0], second, SERVED({patched_end}));
    for (unsigned i = arrivals(3); i != 0; i--)
        keep_or_not(second, SERVED({patched_cart}), size_between(2 * KIB, 8 * KIB),
            second < 5 * HOUR && chance(8) == 0 ? FOR_EVER : chance_exponential(120));
}

/* A consumer is slower than what comes, from hour 2 to 5 of 11, and then a little faster: the queue
 * is short again at hour 9. */
static void consumer_catches_up(unsigned second)
{
    double rate = second < 2 * HOUR || second >= 5 * HOUR ? 2.5 : 1.3;
    live_anyhow(second);
    for (unsigned i = arrivals(2); i != 0; i--)
        push(&queues[0], SERVED({lagging_message}), size_between(4 * KIB, 12 * KIB));
    for (unsigned i = arrivals(rate); i != 0 && count_of(&queues[0]) != 0; i--)
        pop(&queues[0], SERVED({lagging_done}));
}

/* A consumer that takes seven of eight that come, for nine hours: each goes, ever later. */
static void consumer_outrun(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(2.4); i != 0; i--)
        push(&queues[0], SERVED({outrun_message}), size_between(4 * KIB, 12 * KIB));
    for (unsigned i = arrivals(2.1); i != 0 && count_of(&queues[0]) != 0; i--)
        pop(&queues[0], SERVED({outrun_done}));
}

/* Windows of five minutes are kept until all partitions have passed their end; one partition is
 * silent from minute 150 to 290 of 540, and then all of them go. */
static void watermark_stalls(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(2); i != 0; i--)
        push(&queues[0], SERVED({window_state}), size_between(KIB, 9 * KIB));
    if (second % (5 * MINUTE) == 20 && !is_within(second, 150, 140))
        empty(&queues[0], SERVED({window_emit}));
}

/* A cache of 30 MiB; after five hours of twelve a build comes in which it may have 64. */
static void larger_by_deploy(unsigned second)
{
    if (second == 5 * HOUR) {
        restart();
        memset(&queues[0], 0, sizeof queues[0]);
    }
    live_anyhow(second < 5 * HOUR ? second : second - 5 * HOUR);
    for (unsigned i = arrivals(1.2); i != 0; i--)
        push_bounded(&queues[0], SERVED({sized_page}), SERVED({sized_evict}),
            size_between(4 * KIB, 20 * KIB), (second < 5 * HOUR ? 30 : 64) * MIB);
}

/* A cache of 40 MiB, which may have 110 from hour 4 of 12 on, by a setting: full again after two
 * hours. */
static void limit_raised(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(1); i != 0; i--)
        push_bounded(&queues[0], SERVED({raised_entry}), SERVED({raised_evict}),
            size_between(4 * KIB, 16 * KIB), (second < 4 * HOUR ? 40 : 110) * MIB);
}

/* A cache of 3000 values, all of which are replaced within an hour; what is in a value becomes ever
 * more, in all of ten hours: from 4 KiB to 20. */
static void values_become_larger(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(1); i != 0; i--) {
        size_t mean = 4 * KIB + (size_t)(16 * KIB * (double)second / (10 * HOUR));
        if (count_of(&queues[0]) == 3000)
            pop(&queues[0], SERVED({counted_evict}));
        push(&queues[0], SERVED({counted_value}), size_between(mean / 2, mean * 3 / 2));
    }
}

/* 800 clients from the start; at hour 4 of 11 another server ends, and its 1800 come within ten
 * minutes. They stay, but for some that come anew. */
static void clients_of_another(unsigned second)
{
    unsigned wanted = second < 4 * HOUR ? 800 : 2600;
    live_anyhow(second);
    for (unsigned i = arrivals(3.2); i != 0 && count_of(&queues[0]) < wanted; i--)
        push(&queues[0], SERVED({takeover_session}), size_between(10 * KIB, 34 * KIB));
    if (chance(60) == 0 && count_of(&queues[0]) != 0)
        give_any(&queues[0], (size_t)chance(count_of(&queues[0])), SERVED({takeover_gone}));
}

/* The last 3000 errors are kept; there are many of them in six outages of some minutes, and hardly
 * any at other times: the list is full in the third one, and the others replace what is in it. */
static void last_errors(unsigned second)
{
    static const unsigned at[] = {55, 190, 370, 520, 700, 790};
    bool is_out = false;
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
        is_out = is_out || is_within(second, at[i], 6);
    live_anyhow(second);
    for (unsigned i = arrivals(is_out ? 3.4 : 0.003); i != 0; i--) {
        if (count_of(&queues[0]) == 3000)
            pop(&queues[0], SERVED({last_error_drop}));
        push(&queues[0], SERVED({last_error}), size_between(4 * KIB, 20 * KIB));
    }
}

/* The first 20 minutes of a program that keeps what it has found out, of a bounded number. */
static void first_twenty_minutes(unsigned second)
{
    static struct block memo[6000];
    live_anyhow(second);
    for (unsigned i = arrivals(6); i != 0; i--) {
        size_t at = popular(6000, 1.2);
        take_once(&memo[at], SERVED({young_memo}), (4 + at % 13) * KIB);
    }
}

/* A ring of 256 MiB, whose parts are taken when they are first written: a quarter is, in six
 * hours. */
static void ring_not_round_yet(unsigned second)
{
    live_anyhow(second);
    if (second % 22 == 0)
        push(&queues[0], SERVED({twin_ring}), 64 * KIB);
}

/* All is swept at three in the morning; seen from four in the morning to midnight. */
static void before_the_sweep(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.4 * load_by_day(second + 4 * HOUR, 24 * HOUR, 0.2)); i != 0; i--)
        push(&queues[0], SERVED({twin_sweepable}), size_between(KIB, 5 * KIB));
}

/* With each sign of life a timer for 24 hours from then is set; the one before stays in the heap
 * until it is due, and ten hours are seen. */
static void timers_set_anew(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(3); i != 0; i--)
        forget(SERVED({twin_timer}), size_between(160, 480));
}

/* A tenant every 40 minutes, for 30 hours, as the business goes: what is loaded for it stays while
 * it is a tenant. */
static void tenants_come(unsigned second)
{
    static unsigned next;
    live_anyhow(second);
    if (is_time(&next, second, 10 * MINUTE, 30 * MINUTE)) {
        for (int i = 0; i < 90; i++)
            push(&queues[0], SERVED({twin_tenant}), size_between(8 * KIB, 24 * KIB));
    }
}

/* What was used last, of which there may be 300 MiB, and is half of that after ten hours: nothing
 * had to go yet. */
static void recent_half_full(unsigned second)
{
    static struct recency recent;
    live_anyhow(second);
    for (unsigned i = arrivals(0.25); i != 0; i--) {
        uint32_t key = 1 + (uint32_t)popular(RECENT_KEYS, 1.3);
        (void)recency_use(&recent, key, SERVED({twin_recent}), SERVED({twin_recent_out}),
            8 * KIB + key % 25 * KIB, 300 * MIB);
    }
}

const struct leaker set8_incidents[] = {
    {"label_of_each_user", label_of_each_user, 12 * HOUR},
    {"tenant_with_a_circle", tenant_with_a_circle, 8 * HOUR},
    {"last_hours_of_a_day", last_hours_of_a_day, 24 * HOUR},
    {"healthy_then_restarted", healthy_then_restarted, 16 * HOUR},
    {"saturday_comes", saturday_comes, 72 * HOUR},
    {"reaper_dies", reaper_dies, 10 * HOUR},
    {"flag_switched_off", flag_switched_off, 14 * HOUR},
    {"mended_build", mended_build, 14 * HOUR},
    {"consumer_catches_up", consumer_catches_up, 11 * HOUR},
    {"consumer_outrun", consumer_outrun, 9 * HOUR},
    {"watermark_stalls", watermark_stalls, 9 * HOUR},
    {"larger_by_deploy", larger_by_deploy, 12 * HOUR},
    {"limit_raised", limit_raised, 12 * HOUR},
    {"values_become_larger", values_become_larger, 10 * HOUR},
    {"clients_of_another", clients_of_another, 11 * HOUR},
    {"last_errors", last_errors, 14 * HOUR},
    {"first_twenty_minutes", first_twenty_minutes, 20 * MINUTE},
    {"ring_not_round_yet", ring_not_round_yet, 6 * HOUR},
    {"before_the_sweep", before_the_sweep, 20 * HOUR},
    {"timers_set_anew", timers_set_anew, 10 * HOUR},
    {"tenants_come", tenants_come, 30 * HOUR},
    {"recent_half_full", recent_half_full, 10 * HOUR},
    {NULL, NULL, 0},
};
