/*
 * set6_incidents.c: the programs of LABELS-6.md that leak from some time on, at some times or until
 * some time, incidents that leak nothing, and those of which nobody can tell.
 */
#include "script.h"

#include <string.h>

#define MINUTE 60u

PLACE(route_withdraw)
PLACE(route_expire)
PLACE(ticket_seal)
PLACE(ticket_forget)
PLACE(invoice_line)
PLACE(invoice_done)
PLACE(geo_lookup)
PLACE(geo_result)
PLACE(price_quote)
PLACE(price_expire)
PLACE(scan_finding)
PLACE(scan_forget)
PLACE(trace_buffer)
PLACE(trace_sent)
PLACE(debug_capture)
PLACE(shipper_entry)
PLACE(shipper_sent)
PLACE(backlog_record)
PLACE(backlog_applied)
PLACE(retry_task)
PLACE(retry_settled)
PLACE(storm_handshake)
PLACE(storm_idle)
PLACE(alert_note)
PLACE(alert_drop)
PLACE(shadow_page)
PLACE(shadow_drop)
PLACE(plan_node)
PLACE(plan_drop)
PLACE(twin_dedupe)
PLACE(twin_snapshot)
PLACE(twin_catalog)
PLACE(twin_profile)
PLACE(step_buffer)
PLACE(step_done)

/* A tunnel that flaps leaves the routes of these minutes: hours of quiet lie between. */
static void tunnel_flaps(unsigned second)
{
    static const unsigned flaps[] = {187, 241, 660, 1171};
    bool is_flap = false;
    for (size_t i = 0; i < sizeof flaps / sizeof flaps[0]; i++)
        is_flap |= second / MINUTE >= flaps[i] && second / MINUTE < flaps[i] + 6;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({route_expire}));
    for (unsigned i = arrivals(1); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({route_withdraw}), size_between(2 * KIB, 8 * KIB),
            1 + chance_exponential(300));
    for (unsigned i = is_flap ? arrivals(8) : 0; i != 0; i--)
        forget(SERVED({route_withdraw}), size_between(2 * KIB, 8 * KIB));
}

/* From a change of certificates at minute 400 on, three tickets in ten are under a key that nobody
 * sweeps. */
static void after_certificates(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({ticket_forget}));
    for (unsigned i = arrivals(2); i != 0; i--)
        keep_or_not(second, SERVED({ticket_seal}), size_between(2 * KIB, 6 * KIB),
            second >= 400 * MINUTE && chance(10) < 3 ? FOR_EVER : 10 + chance_exponential(900));
}

/* A night job of 40 minutes, at two in the morning, for three nights: an eighth of it stays. */
static void night_job(unsigned second)
{
    unsigned at = (second + 18 * HOUR) % (24 * HOUR);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({invoice_done}));
    if (at < 2 * HOUR || at >= 2 * HOUR + 40 * MINUTE)
        return;
    for (unsigned i = arrivals(3); i != 0; i--)
        keep_or_not(second, SERVED({invoice_line}), size_between(4 * KIB, 28 * KIB),
            chance(8) == 0 ? FOR_EVER : 60 + chance_exponential(600));
}

/* Eleven hours are healthy; in the twelfth a customer comes whose addresses are not found, and each
 * of the answers stays. */
static void last_hour(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({geo_result}));
    for (unsigned i = arrivals(4); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({geo_lookup}), size_between(KIB, 9 * KIB),
            chance_between(10, 120));
    for (unsigned i = second >= 11 * HOUR ? arrivals(2.5) : 0; i != 0; i--)
        forget(SERVED({geo_lookup}), size_between(KIB, 9 * KIB));
}

/* A third of all quotes stays, for two hours. */
static void quotes_of(unsigned second)
{
    crowd_bury(&crowds[0], second, SERVED({price_expire}));
    for (unsigned i = arrivals(5); i != 0; i--)
        keep_or_not(second, SERVED({price_quote}), size_between(KIB, 7 * KIB),
            second < 2 * HOUR && chance(3) == 0 ? FOR_EVER : chance_between(20, 200));
}

/* Then a fix is switched on, and three hours are healthy. */
static void fix_switched_on(unsigned second)
{
    live_anyhow(second);
    quotes_of(second);
}

/* Or the fix is another build: the process ends, and a healthy one begins. */
static void fixed_build(unsigned second)
{
    if (second == 2 * HOUR) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
    }
    live_anyhow(second % (2 * HOUR));
    quotes_of(second);
}

/* A scanner, twice a day for an hour: its findings stay, and there are ever more. */
static void scans_grow(unsigned second)
{
    unsigned scan = second / (12 * HOUR), at = second % (12 * HOUR);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({scan_forget}));
    for (unsigned i = arrivals(0.5); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({scan_finding}), size_between(KIB, 15 * KIB),
            chance_between(60, 3000));
    bool is_scan = at >= 5 * HOUR && at < 6 * HOUR;
    for (unsigned i = is_scan ? arrivals(0.2 * (2 + scan)) : 0; i != 0; i--)
        forget(SERVED({scan_finding}), size_between(KIB, 15 * KIB));
}

/* Spans wait for a collector; after its address changed at minute 150, one worker in four waits for
 * ever, and the traffic falls for the night. */
static void leak_at_nightfall(unsigned second)
{
    double load = second < 3 * HOUR ? 1 : second < 6 * HOUR ? 0.6 : 0.3;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({trace_sent}));
    for (unsigned i = arrivals(6 * load); i != 0; i--)
        keep_or_not(second, SERVED({trace_buffer}), size_between(KIB, 5 * KIB),
            second >= 150 * MINUTE && chance(4) == 0 ? FOR_EVER : chance_exponential(240));
}

/* Somebody captures for 25 minutes, three times, and forgets to give back what was captured;
 * nothing else calls it. */
static void forgotten_captures(unsigned second)
{
    unsigned minute = second / MINUTE;
    bool is_on = (minute >= 80 && minute < 105) || (minute >= 300 && minute < 325) ||
                 (minute >= 428 && minute < 453);
    live_anyhow(second);
    for (unsigned i = is_on ? arrivals(0.4) : 0; i != 0; i--)
        forget(SERVED({debug_capture}), size_between(16 * KIB, 64 * KIB));
}

/* What is sent is a little less than what comes, for all of the time: the oldest is ever older. */
static void shipper_too_slow(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(8); i != 0; i--)
        push(&queues[0], SERVED({shipper_entry}), size_between(2 * KIB, 6 * KIB));
    for (unsigned i = arrivals(7.4); i != 0 && count_of(&queues[0]) != 0; i--)
        pop(&queues[0], SERVED({shipper_sent}));
}

/* Too slow from minute 60 to 210, then twice as fast as what comes. */
static void consumer_recovers(unsigned second)
{
    bool is_slow = second >= 60 * MINUTE && second < 210 * MINUTE;
    live_anyhow(second);
    for (unsigned i = arrivals(4); i != 0; i--)
        push(&queues[0], SERVED({backlog_record}), size_between(2 * KIB, 10 * KIB));
    for (unsigned i = arrivals(is_slow ? 2.2 : 8); i != 0 && count_of(&queues[0]) != 0; i--)
        pop(&queues[0], SERVED({backlog_applied}));
}

/* A dependency is down from minute 150 to 175; what fails is tried again until it is up, and at
 * most half an hour later. */
static void outage_with_backoff(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({retry_settled}));
    bool is_down = second >= 150 * MINUTE && second < 175 * MINUTE;
    for (unsigned i = arrivals(is_down ? 14 : 10); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({retry_task}), size_between(KIB, 7 * KIB),
            is_down ? 175 * MINUTE - second + chance_between(1, 1800) : chance_between(1, 5));
}

/* A balancer sends 3000 clients at once every 90 minutes; they stay for 20 minutes. The last of
 * these storms is ten minutes before the end. */
static void connection_storms(unsigned second)
{
    bool is_storm = second % (90 * MINUTE) >= 70 * MINUTE && second % (90 * MINUTE) < 72 * MINUTE;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({storm_idle}));
    for (unsigned i = arrivals(is_storm ? 25 : 0.3); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({storm_handshake}), 16 * KIB,
            is_storm ? chance_between(1080, 1320) : 1200);
}

/* An incident of three hours: ever more notes, all of which go an hour after it. */
static void incident_notes(unsigned second)
{
    bool is_on = second >= 4 * HOUR && second < 7 * HOUR;
    live_anyhow(second);
    for (unsigned i = arrivals(is_on ? 1.2 : 0.02); i != 0; i--)
        push(&queues[0], SERVED({alert_note}), size_between(2 * KIB, 10 * KIB));
    if (second % HOUR == 0 && !is_on)
        empty(&queues[0], SERVED({alert_drop}));
}

/* A migration writes twice from minute 100 to 380 of 560, and then drops the old copy. */
static void migration(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = second >= 100 * MINUTE && second < 380 * MINUTE ? arrivals(0.6) : 0; i != 0;
         i--)
        push(&queues[0], SERVED({shadow_page}), 8 * KIB);
    if (second >= 395 * MINUTE) {
        for (int i = 0; i < 40 && count_of(&queues[0]) != 0; i++)
            pop(&queues[0], SERVED({shadow_drop}));
    }
}

/* Four times the plans when statistics are made anew, at minute 300 of 480: each lives for half an
 * hour, before and after. */
static void plans_larger(unsigned second)
{
    size_t times = second < 300 * MINUTE ? 1 : 4;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({plan_drop}));
    for (unsigned i = arrivals(0.7); i != 0; i--)
        crowd_add(
            &crowds[0], second, SERVED({plan_node}), times * size_between(4 * KIB, 12 * KIB), 1800);
}

/* Workers by load, in steps: each has 2 MiB, and gives them back when it is no longer needed. */
static void workers_by_load(unsigned second)
{
    live_anyhow(second);
    if (second % 300 != 0)
        return;
    size_t wanted = 4 + (size_t)(36 * load_by_day(second, 24 * HOUR, 0) + chance_between(0, 3));
    while (count_of(&queues[0]) < wanted * 8)
        push(&queues[0], SERVED({step_buffer}), 256 * KIB);
    while (count_of(&queues[0]) > wanted * 8)
        give_any(&queues[0], count_of(&queues[0]) - 1, SERVED({step_done}));
}

/* Identifiers are kept for four hours, of which two and a half are seen. */
static void dedupe_unseen(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(1); i != 0; i--)
        push(&queues[0], SERVED({twin_dedupe}), size_between(2 * KIB, 6 * KIB));
}

/* A snapshot every three hours is kept for one day, of which 17 hours are seen. */
static void snapshot_unseen(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second % (3 * HOUR) == HOUR && i < 400; i++)
        push(&queues[0], SERVED({twin_snapshot}), size_between(8 * KIB, 24 * KIB));
}

/* A catalogue is read as it is asked for, evenly: four tenths of it are there at the end. */
static void catalogue_begun(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.6); i != 0; i--)
        push(&queues[0], SERVED({twin_catalog}), size_between(2 * KIB, 6 * KIB));
}

/* A record of each user who signs in for the first time: there are always more. */
static void new_users(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.5 * load_by_day(second, 24 * HOUR, 0.2)); i != 0; i--)
        push(&queues[0], SERVED({twin_profile}), size_between(KIB, 3 * KIB));
}

const struct leaker set6_incidents[] = {
    {"tunnel_flaps", tunnel_flaps, 24 * HOUR},
    {"after_certificates", after_certificates, 10 * HOUR},
    {"night_job", night_job, 60 * HOUR},
    {"last_hour", last_hour, 12 * HOUR},
    {"fix_switched_on", fix_switched_on, 5 * HOUR},
    {"fixed_build", fixed_build, 4 * HOUR},
    {"scans_grow", scans_grow, 48 * HOUR},
    {"leak_at_nightfall", leak_at_nightfall, 8 * HOUR},
    {"forgotten_captures", forgotten_captures, 8 * HOUR},
    {"shipper_too_slow", shipper_too_slow, 5 * HOUR},
    {"consumer_recovers", consumer_recovers, 6 * HOUR},
    {"outage_with_backoff", outage_with_backoff, 5 * HOUR},
    {"connection_storms", connection_storms, 440 * MINUTE},
    {"incident_notes", incident_notes, 12 * HOUR},
    {"migration", migration, 560 * MINUTE},
    {"plans_larger", plans_larger, 8 * HOUR},
    {"workers_by_load", workers_by_load, 30 * HOUR},
    {"dedupe_unseen", dedupe_unseen, 150 * MINUTE},
    {"snapshot_unseen", snapshot_unseen, 17 * HOUR},
    {"catalogue_begun", catalogue_begun, 6 * HOUR},
    {"new_users", new_users, 14 * HOUR},
    {NULL, NULL, 0},
};
