/*
 * set7_incidents.c: the programs of LABELS-7.md that leak from some time on, at some times or until
 * some time, incidents that leak nothing, and those of which nobody can tell.
 */
#include "set7.h"

#include <string.h>

PLACE(checkout_context)
PLACE(checkout_end)
PLACE(basket_line)
PLACE(basket_drop)
PLACE(login_ticket)
PLACE(login_expire)
PLACE(standby_link)
PLACE(standby_close)
PLACE(member_event)
PLACE(member_merge)
PLACE(price_rule)
PLACE(price_rule_end)
PLACE(index_hint)
PLACE(index_hint_drop)
PLACE(raw_document)
PLACE(document_done)
PLACE(intent_log)
PLACE(intent_done)
PLACE(flood_state)
PLACE(flood_close)
PLACE(stuck_message)
PLACE(stuck_done)
PLACE(export_batch)
PLACE(export_sent)
PLACE(import_row)
PLACE(import_commit)
PLACE(cached_answer)
PLACE(answer_expire)
PLACE(visitor)
PLACE(visitor_leave)
PLACE(pinned_version)
PLACE(version_vacuum)
PLACE(vpn_session)
PLACE(vpn_close)
PLACE(output_chunk)
PLACE(output_drop)
PLACE(script_tree)
PLACE(script_drop)
PLACE(guarded_page)
PLACE(guarded_evict)
PLACE(twin_answer)
PLACE(twin_expire)
PLACE(twin_login)
PLACE(twin_flow)
PLACE(twin_object)
PLACE(twin_state)

/* A flag is on for one in twenty from hour 6 on, for a quarter from hour 10 on, and from hour 14 on
 * for all: a fifth of what the new code takes stays. */
static void flag_by_steps(unsigned second)
{
    uint64_t percent = second < 6 * HOUR    ? 0
                       : second < 10 * HOUR ? 5
                       : second < 14 * HOUR ? 25
                                            : 100;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({checkout_end}));
    for (unsigned i = arrivals(2); i != 0; i--)
        keep_or_not(second, SERVED({checkout_context}), size_between(2 * KIB, 6 * KIB),
            chance(500) < percent ? FOR_EVER : chance_between(2, 180));
}

/* A deploy at hour 30 of two days: from then on one line in 15 is in no basket. */
static void deploy_at_thirty(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({basket_drop}));
    for (unsigned i = arrivals(1.5 * load_by_day(second, 24 * HOUR, 0.1)); i != 0; i--)
        keep_or_not(second, SERVED({basket_line}), size_between(2 * KIB, 18 * KIB),
            second >= 30 * HOUR && chance(15) == 0 ? FOR_EVER : chance_exponential(1800));
}

/* Three mornings, on which a directory is too slow from eight to nine: a quarter of the tickets of
 * this hour is for nobody. */
static void slow_mornings(unsigned second)
{
    unsigned hour = second / HOUR % 24;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({login_expire}));
    double rate = hour == 8 ? 3 : 0.8 * load_by_day(second, 24 * HOUR, 0.05);
    for (unsigned i = arrivals(rate); i != 0; i--)
        keep_or_not(second, SERVED({login_ticket}), size_between(2 * KIB, 9 * KIB),
            hour == 8 && chance(4) == 0 ? FOR_EVER : chance_between(600, 2.5 * HOUR));
}

/* After a failover at minute 250 of 420, links to the old leader are made again and again, and each
 * of them is forgotten. */
static void after_failover(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({standby_close}));
    for (unsigned i = arrivals(0.3); i != 0; i--)
        crowd_add(
            &crowds[0], second, SERVED({standby_link}), 32 * KIB, 1 + chance_exponential(900));
    for (unsigned i = second >= 250 * MINUTE ? arrivals(0.25) : 0; i != 0; i--)
        forget(SERVED({standby_link}), 32 * KIB);
}

/* Three times in a day a network is split for some minutes, and events of members that are merged
 * with nobody's stay; the last one is five hours before the end. */
static void network_splits(unsigned second)
{
    bool is_split =
        is_within(second, 312, 8) || is_within(second, 700, 6) || is_within(second, 1130, 11);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({member_merge}));
    for (unsigned i = arrivals(0.8); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({member_event}), size_between(KIB, 5 * KIB),
            chance_between(5, 900));
    for (unsigned i = is_split ? arrivals(7) : 0; i != 0; i--)
        forget(SERVED({member_event}), size_between(KIB, 5 * KIB));
}

/* A rule of a shop is bad, is switched off for three hours, and comes back: each of its answers
 * stays. */
static void leak_comes_back(unsigned second)
{
    bool is_on = is_within(second, 60, 100) || is_within(second, 340, 140);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({price_rule_end}));
    for (unsigned i = arrivals(3); i != 0; i--)
        keep_or_not(second, SERVED({price_rule}), size_between(KIB, 6 * KIB),
            is_on && chance(6) == 0 ? FOR_EVER : chance_exponential(90));
}

/* Three days, the last eight hours of which have a kind of query whose hints stay. */
static void new_kind_of_query(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({index_hint_drop}));
    for (unsigned i = arrivals(0.6 * load_by_day(second, 24 * HOUR, 0.2)); i != 0; i--)
        keep_or_not(second, SERVED({index_hint}), size_between(2 * KIB, 14 * KIB),
            second >= 64 * HOUR && chance(3) == 0 ? FOR_EVER : 60 + chance_exponential(1200));
}

/* From minute 90 of 240 on a supplier writes another format: what cannot be parsed, one document in
 * nine, is kept for a report that nobody makes. */
static void supplier_changes(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({document_done}));
    for (unsigned i = arrivals(1); i != 0; i--)
        keep_or_not(second, SERVED({raw_document}), size_with_tail(6 * KIB, 400 * KIB),
            second >= 90 * MINUTE && chance(9) == 0 ? FOR_EVER : chance_between(1, 15));
}

/* After five hours the process ends, and a new build begins: of its intents one in 20 is never
 * taken from the list. */
static void broken_build(unsigned second)
{
    bool is_broken = second >= 5 * HOUR;
    if (second == 5 * HOUR) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
    }
    live_anyhow(second % (5 * HOUR));
    crowd_bury(&crowds[0], second, SERVED({intent_done}));
    for (unsigned i = arrivals(5); i != 0; i--)
        keep_or_not(second, SERVED({intent_log}), size_between(KIB, 9 * KIB),
            is_broken && chance(20) == 0 ? FOR_EVER : chance_exponential(150));
}

/* One flood of ten minutes, at minute 200 of 600: what was half open then stays. */
static void one_flood(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({flood_close}));
    for (unsigned i = arrivals(4); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({flood_state}), size_between(KIB, 5 * KIB),
            1 + chance_exponential(60));
    for (unsigned i = is_within(second, 200, 10) ? arrivals(18) : 0; i != 0; i--)
        forget(SERVED({flood_state}), size_between(KIB, 5 * KIB));
}

/* A consumer hangs from minute 200 of 430 on: what comes waits for it, until the end. */
static void consumer_hangs(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(1.2); i != 0; i--)
        push(&queues[0], SERVED({stuck_message}), size_between(2 * KIB, 6 * KIB));
    for (int i = 0; second < 200 * MINUTE && i < 4 && count_of(&queues[0]) > 30; i++)
        pop(&queues[0], SERVED({stuck_done}));
}

/* What is to be exported waits while the other side is down, for 70 minutes and then for 40: all
 * goes within minutes when it is back. */
static void exporter_down(unsigned second)
{
    bool is_down = is_within(second, 90, 70) || is_within(second, 260, 40);
    live_anyhow(second);
    for (unsigned i = arrivals(2.5); i != 0; i--)
        push(&queues[0], SERVED({export_batch}), size_between(2 * KIB, 12 * KIB));
    for (unsigned i = is_down ? 0 : 20; i != 0 && count_of(&queues[0]) > 15; i--)
        pop(&queues[0], SERVED({export_sent}));
}

/* The same, and the end is in the middle of the second time. */
static void exporter_down_again(unsigned second)
{
    exporter_down(second);
}

/* Imports of one transaction each, every one larger than the last, and all rows go with the
 * commit. */
static void larger_imports(unsigned second)
{
    static const unsigned at[] = {60, 200, 350}, takes[] = {20, 34, 55};
    live_anyhow(second);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        if (second == (at[i] + takes[i] + 12) * MINUTE)
            empty(&queues[0], SERVED({import_commit}));
        for (unsigned k = is_within(second, at[i], takes[i]) ? arrivals(3) : 0; k != 0; k--)
            push(&queues[0], SERVED({import_row}), size_between(KIB, 11 * KIB));
    }
}

/* Answers live for ten minutes, and from hour 2 of 9 on for three hours: it rises until hour 5. */
static void life_made_longer(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({answer_expire}));
    for (unsigned i = arrivals(0.9); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({cached_answer}), size_between(3 * KIB, 13 * KIB),
            second < 2 * HOUR ? 600 : 3 * HOUR);
}

/* Ever more visitors for all of twelve hours, eight times as many at the end: who comes stays for
 * 25 minutes on average, and for three hours at most. */
static void launch_day(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({visitor_leave}));
    for (unsigned i = arrivals(0.25 * pow(8, second / (12.0 * HOUR))); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({visitor}), size_between(8 * KIB, 24 * KIB),
            fmin(30 + chance_exponential(1500), 3 * HOUR));
}

/* A backup from hour 3 to 8 of 12 holds old versions, which the first vacuum after it takes. */
static void backup_holds_versions(unsigned second)
{
    bool is_held = second >= 3 * HOUR && second < 8 * HOUR;
    live_anyhow(second);
    for (unsigned i = arrivals(1.3); i != 0; i--)
        push(&queues[0], SERVED({pinned_version}), size_between(KIB, 7 * KIB));
    if (second % (10 * MINUTE) == 0 && !is_held)
        empty(&queues[0], SERVED({version_vacuum}));
}

/* From six in the morning to eight in the evening: all come from 8 to 9:30, and stay until 16 or
 * 18. */
static void vpn_of_an_office(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({vpn_close}));
    for (unsigned i = arrivals(is_within(second, 120, 90) ? 0.3 : 0.004); i != 0; i--) {
        double life_s = chance_between(7.5, 9.5) * HOUR;
        keep_many(second, SERVED({vpn_session}), 3, 6 * KIB, 22 * KIB, life_s);
    }
}

/* Who reads too slowly has more and more to read, until there are 30 MiB of it; then the connection
 * is closed, and all of it goes. The next one comes at some time. */
static void slow_subscribers(unsigned second)
{
    static unsigned next = 25 * MINUTE;
    live_anyhow(second);
    for (unsigned i = second >= next ? arrivals(1.6) : 0; i != 0; i--)
        push(&queues[0], SERVED({output_chunk}), 16 * KIB);
    if (queues[0].size_bytes > 30 * MIB) {
        empty(&queues[0], SERVED({output_drop}));
        next = second + 10 * MINUTE + (unsigned)chance_exponential(25 * MINUTE);
    }
}

/* A script of 4 MiB is read anew every two hours, and twice 40 times in 25 minutes, by a tool that
 * writes it again and again; each goes ten minutes after the next one has come. */
static void storm_of_reloads(unsigned second)
{
    static unsigned replaced[128], oldest, count;
    bool is_storm = is_within(second, 150, 25) || is_within(second, 405, 25);
    live_anyhow(second);
    for (; oldest + 1 < count && second >= replaced[oldest] + 10 * MINUTE; oldest++) {
        for (int i = 0; i < 400; i++)
            pop(&queues[0], SERVED({script_drop}));
    }
    if (second % (is_storm ? 37 : 2 * HOUR) != 0)
        return;
    if (count != 0)
        replaced[count - 1] = second;
    count++;
    for (int i = 0; i < 400; i++)
        push(&queues[0], SERVED({script_tree}), size_between(4 * KIB, 16 * KIB));
}

/* A guard ends the process every two hours and a half, though it is healthy: the cache is full
 * after 40 minutes, each time. */
static void restarted_by_a_guard(unsigned second)
{
    unsigned age = second % (150 * MINUTE);
    if (age == 0 && second != 0) {
        restart();
        memset(&queues[0], 0, sizeof queues[0]);
    }
    live_anyhow(age);
    for (unsigned i = arrivals(2.4); i != 0; i--)
        push_bounded(&queues[0], SERVED({guarded_page}), SERVED({guarded_evict}),
            size_between(4 * KIB, 20 * KIB), 68 * MIB);
}

/* Answers live for ten minutes, and from hour 4 of 9 on for a day, of which five hours are seen. */
static void life_unseen(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({twin_expire}));
    for (unsigned i = arrivals(0.5); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({twin_answer}), size_between(3 * KIB, 13 * KIB),
            second < 4 * HOUR ? 600 : 24 * HOUR);
}

/* From seven to half past nine: all log in, nobody has gone yet. */
static void logins_until_nine(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.1 + 0.6 * load_by_day(second, 5 * HOUR, 0)); i != 0; i--)
        push(&queues[0], SERVED({twin_login}), size_between(4 * KIB, 12 * KIB));
}

/* A flow that is established is known for five days; 20 hours are seen. */
static void flows_for_days(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.7 * load_by_day(second, 24 * HOUR, 0.1)); i != 0; i--)
        push(&queues[0], SERVED({twin_flow}), size_between(320, 2 * KIB));
}

/* A cache of 2 GiB, whose first half day is seen: all that is asked for is new. */
static void edge_far_from_full(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.08 * load_by_day(second, 24 * HOUR, 0.3)); i != 0; i--)
        push(&queues[0], SERVED({twin_object}), size_with_tail(16 * KIB, 2 * MIB));
}

/* What a solver has seen is kept until it ends; that is not within these 90 minutes. */
static void states_of_a_solver(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(60); i != 0; i--)
        forget(SERVED({twin_state}), size_between(48, 240));
}

const struct leaker set7_incidents[] = {
    {"flag_by_steps", flag_by_steps, 18 * HOUR},
    {"deploy_at_thirty", deploy_at_thirty, 48 * HOUR},
    {"slow_mornings", slow_mornings, 60 * HOUR},
    {"after_failover", after_failover, 7 * HOUR},
    {"network_splits", network_splits, 24 * HOUR},
    {"leak_comes_back", leak_comes_back, 8 * HOUR},
    {"new_kind_of_query", new_kind_of_query, 72 * HOUR},
    {"supplier_changes", supplier_changes, 4 * HOUR},
    {"broken_build", broken_build, 9 * HOUR},
    {"one_flood", one_flood, 10 * HOUR},
    {"consumer_hangs", consumer_hangs, 430 * MINUTE},
    {"exporter_down", exporter_down, 6 * HOUR},
    {"exporter_down_again", exporter_down_again, 285 * MINUTE},
    {"larger_imports", larger_imports, 8 * HOUR},
    {"life_made_longer", life_made_longer, 9 * HOUR},
    {"launch_day", launch_day, 12 * HOUR},
    {"backup_holds_versions", backup_holds_versions, 12 * HOUR},
    {"vpn_of_an_office", vpn_of_an_office, 14 * HOUR},
    {"slow_subscribers", slow_subscribers, 8 * HOUR},
    {"storm_of_reloads", storm_of_reloads, 9 * HOUR},
    {"restarted_by_a_guard", restarted_by_a_guard, 510 * MINUTE},
    {"life_unseen", life_unseen, 9 * HOUR},
    {"logins_until_nine", logins_until_nine, 150 * MINUTE},
    {"flows_for_days", flows_for_days, 20 * HOUR},
    {"edge_far_from_full", edge_far_from_full, 12 * HOUR},
    {"states_of_a_solver", states_of_a_solver, 90 * MINUTE},
    {NULL, NULL, 0},
};
