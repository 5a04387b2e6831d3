/*
 * set9_incidents.c: the programs of LABELS-9.md that leak from some time on or until some time,
 * incidents that leak nothing, and those of which nobody can tell.
 */
#include "set9.h"

PLACE(canary_reply)
PLACE(canary_done)
PLACE(unknown_field)
PLACE(unknown_field_done)
PLACE(segment_part)
PLACE(segment_written)
PLACE(handshake_attempt)
PLACE(handshake_over)
PLACE(consumed_message)
PLACE(consumed_ack)
PLACE(promo_price)
PLACE(promo_over)
PLACE(peer_note)
PLACE(rollout_copy)
PLACE(rollout_done)
PLACE(refund_note)
PLACE(refund_done)
PLACE(nearly_loaded)
PLACE(slow_page)
PLACE(slow_page_out)
PLACE(pending_event)
PLACE(pending_handled)
PLACE(stacked_call)
PLACE(stacked_done)
PLACE(capped_retry)
PLACE(capped_retry_out)
PLACE(green_answer)
PLACE(green_answer_out)
PLACE(droppable_tile)
PLACE(pressure_drop)
PLACE(buyer_session)
PLACE(buyer_gone)
PLACE(relay_buffer)
PLACE(walked_customer)
PLACE(catalogue_row)
PLACE(catalogue_drop)
PLACE(model_layer)
PLACE(model_unload)
PLACE(export_row)
PLACE(export_rows_sent)
PLACE(twin_export_row)
PLACE(twin_seen_id)
PLACE(twin_thumb)
PLACE(twin_thumb_out)
PLACE(twin_cell)

/* A new route gets some requests from minute 504 of 720 on: of what is taken one in nine stays. */
static void canary_at_seventy(unsigned second)
{
    bool is_canary = second >= 504 * MINUTE;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({canary_done}));
    for (unsigned i = arrivals(2.5); i != 0; i--)
        keep_or_not(second, SERVED({canary_reply}), size_between(3 * KIB, 11 * KIB),
            is_canary && chance(9) == 0 ? FOR_EVER : chance_exponential(5 * MINUTE));
}

/* One of twelve peers after the other has a newer protocol, from minute 400 of 720 on, one each 25
 * minutes: the fields of its messages that are not known are kept. */
static void peers_updated(unsigned second)
{
    unsigned updated = second < 400 * MINUTE ? 0 : 1 + (second - 400 * MINUTE) / (25 * MINUTE);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({unknown_field_done}));
    for (unsigned i = arrivals(6); i != 0; i--)
        keep_or_not(second, SERVED({unknown_field}), size_between(100, 700),
            chance(12) < updated ? FOR_EVER : chance_between(1, 20));
}

/* Parts of segments on three volumes are written every seven minutes; from minute 990 of 1440 on
 * one volume is full, and its parts are put into a list of which nobody takes any. */
static void one_volume_full(unsigned second)
{
    live_anyhow(second);
    if (second % (7 * MINUTE) == 0)
        empty(&queues[0], SERVED({segment_written}));
    for (unsigned i = arrivals(0.8); i != 0; i--) {
        size_t size = size_between(2 * KIB, 10 * KIB);
        if (second >= 990 * MINUTE && chance(3) == 0)
            forget(SERVED({segment_part}), size);
        else
            push(&queues[0], SERVED({segment_part}), size);
    }
}

/* A certificate ends after five hours of nine: each handshake fails and is soon tried again, and
 * half of those that fail stay. */
static void certificate_ends(unsigned second)
{
    bool has_ended = second >= 5 * HOUR;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({handshake_over}));
    for (unsigned i = arrivals(has_ended ? 1.6 : 0.5); i != 0; i--)
        keep_or_not(second, SERVED({handshake_attempt}), size_between(3 * KIB, 9 * KIB),
            has_ended && chance(2) == 0 ? FOR_EVER : chance_between(1, 4));
}

/* A producer changes what it sends at minute 270 of 840: one message in 40 cannot be read, and is
 * put aside, where nobody looks. */
static void messages_put_aside(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({consumed_ack}));
    for (unsigned i = arrivals(2); i != 0; i--)
        keep_or_not(second, SERVED({consumed_message}), size_between(4 * KIB, 20 * KIB),
            second >= 270 * MINUTE && chance(40) == 0 ? FOR_EVER : chance_exponential(40));
}

/* Two days and some hours more; in the last seven there is a sale, and one price in four is kept
 * for good. */
static void sale_at_the_end(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({promo_over}));
    for (unsigned i = arrivals(0.6 * load_by_day(second + 4 * HOUR, 24 * HOUR, 0.2)); i != 0; i--)
        keep_or_not(second, SERVED({promo_price}), size_between(4 * KIB, 16 * KIB),
            second >= 47 * HOUR && chance(4) == 0 ? FOR_EVER : chance_between(60, 3000));
}

/* A note of each message of an odd kind: 0.7 MiB in an hour, for ten hours, and after a release of
 * the client thirteen times as much. */
static void trickle_then_flood(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(second < 10 * HOUR ? 0.1 : 1.3); i != 0; i--)
        forget(SERVED({peer_note}), size_between(KIB, 3 * KIB));
}

/* A flag is on for three hours, from minute 70 on, and one copy in nine stays; the nine hours after
 * that nothing does. */
static void flag_of_three_hours(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({rollout_done}));
    for (unsigned i = arrivals(2.5); i != 0; i--)
        keep_or_not(second, SERVED({rollout_copy}), size_between(4 * KIB, 12 * KIB),
            is_within(second, 70, 180) && chance(9) == 0 ? FOR_EVER : chance_exponential(200));
}

/* From minute 572 of 600 on a third of the notes stay, of which any may live for 20 minutes. */
static void last_half_hour(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({refund_done}));
    for (unsigned i = arrivals(2); i != 0; i--)
        keep_or_not(second, SERVED({refund_note}), size_between(6 * KIB, 18 * KIB),
            second >= 572 * MINUTE && chance(3) == 0 ? FOR_EVER : chance_between(10, 1200));
}

/* 9000 customers, each loaded when there is a first request of it; in six hours there was one of
 * nine in ten, and what comes is ever more seldom a new one. */
static void customers_nearly_loaded(unsigned second)
{
    static struct block customers[9000];
    live_anyhow(second);
    for (unsigned i = arrivals(1.05); i != 0; i--) {
        size_t at = (size_t)chance(9000);
        take_once(&customers[at], SERVED({nearly_loaded}), (5 + at % 9) * KIB);
    }
}

/* What was used last, at most 100 MiB, full for the first time after nine tenths of 15 hours. */
static void full_at_ninety(unsigned second)
{
    static struct recency pages;
    live_anyhow(second);
    for (unsigned i = arrivals(0.2); i != 0; i--) {
        uint32_t key = 1 + (uint32_t)popular(RECENT_KEYS, 1.1);
        (void)recency_use(&pages, key, SERVED({slow_page}), SERVED({slow_page_out}),
            5 * KIB + key % 15 * KIB, 100 * MIB);
    }
}

/* Events are handled faster than they come, but for 90 minutes from hour 2.5 on and for 42 from
 * hour 9 of 16 on none is: all that waited is handled within some hours. */
static void backlog_twice(unsigned second)
{
    bool stands_still = is_within(second, 150, 90) || is_within(second, 540, 42);
    live_anyhow(second);
    for (unsigned i = arrivals(1.6); i != 0; i--)
        push(&queues[0], SERVED({pending_event}), size_between(4 * KIB, 12 * KIB));
    for (unsigned i = stands_still ? 0 : arrivals(2.3); i != 0 && count_of(&queues[0]) != 0; i--)
        pop(&queues[0], SERVED({pending_handled}));
}

/* Calls of which the newest is answered first: more come than can be answered, from minute 120 to
 * 220 of 600, and what has come first then waits for hours. */
static void newest_first(unsigned second)
{
    struct queue *calls = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(is_within(second, 120, 100) ? 3.2 : 1.6); i != 0; i--)
        push(calls, SERVED({stacked_call}), size_between(5 * KIB, 15 * KIB));
    for (unsigned i = arrivals(2.5); i != 0 && count_of(calls) != 0; i--)
        give_any(calls, count_of(calls) - 1, SERVED({stacked_done}));
}

/* What fails is tried again, the oldest first, and not much in a minute. In an outage at minute 150
 * of 660 there is soon as much of it as there may be, 20 MiB; it is worked off in some hours. */
static void retries_with_a_bound(unsigned second)
{
    bool is_out = is_within(second, 150, 40);
    live_anyhow(second);
    for (unsigned i = arrivals(is_out ? 4 : 0.1); i != 0; i--)
        push_bounded(&queues[0], SERVED({capped_retry}), SERVED({capped_retry_out}),
            size_between(4 * KIB, 12 * KIB), 20 * MIB);
    for (unsigned i = is_out ? 0 : arrivals(0.33); i != 0 && count_of(&queues[0]) != 0; i--)
        pop(&queues[0], SERVED({capped_retry_out}));
}

/* Two builds, of 390 minutes each: answers live for 25 minutes in both. */
static void blue_and_green(unsigned second)
{
    if (second == 390 * MINUTE) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
    }
    live_anyhow(second < 390 * MINUTE ? second : second - 390 * MINUTE);
    crowd_bury(&crowds[0], second, SERVED({green_answer_out}));
    for (unsigned i = arrivals(1.4); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({green_answer}), size_between(4 * KIB, 16 * KIB),
            25 * MINUTE);
}

/* Tiles are kept until the machine is short of memory, which is at 150 MiB of them: then every
 * second one goes, whichever it is. */
static void dropped_under_pressure(unsigned second)
{
    struct queue *tiles = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(0.9); i != 0; i--)
        push(tiles, SERVED({droppable_tile}), size_between(4 * KIB, 20 * KIB));
    while (tiles->size_bytes > 150 * MIB) {
        for (size_t left = count_of(tiles) / 2; left != 0; left--)
            give_by_chance(tiles, SERVED({pressure_drop}));
    }
}

/* Three times as many buyers as ever from minute 560 of 840 on: each session still lasts 10 to 40
 * minutes. */
static void buyers_after_an_advertisement(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({buyer_gone}));
    for (unsigned i = arrivals(second < 560 * MINUTE ? 0.5 : 1.6); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({buyer_session}), size_between(8 * KIB, 20 * KIB),
            chance_between(10 * MINUTE, 40 * MINUTE));
}

/* Buffers that are used again and never given back: 160 to 190 are in use, and 1100 in the half
 * hour of a match, from minute 540 of 870 on. */
static void match_of_the_year(unsigned second)
{
    static struct block buffers[1200];
    double peak = is_within(second, 540, 30) ? (second - 540 * MINUTE) / (30.0 * MINUTE) : 0;
    size_t in_use = 160 + (size_t)chance(30) + (size_t)(910 * fmin(1, 2 * peak));
    live_anyhow(second);
    for (size_t i = 0; i < in_use; i++)
        take_once(&buffers[i], SERVED({relay_buffer}), 64 * KIB);
}

/* A walk through a list of 6000 customers, of which one is loaded every four seconds, until minute
 * 400 of 600; there are no others. */
static void walk_to_the_end(unsigned second)
{
    live_anyhow(second);
    if (second % 4 == 0 && second < 24000)
        push(&queues[0], SERVED({walked_customer}), size_between(8 * KIB, 20 * KIB));
}

/* A catalogue that is made anew every 20 minutes, of ever more rows, from 10 MiB to 28 in 16 hours;
 * the one before goes whole. */
static void catalogue_becomes_larger(unsigned second)
{
    static unsigned current;
    live_anyhow(second);
    if (second % (20 * MINUTE) != 0)
        return;
    push_many(&queues[!current], SERVED({catalogue_row}), 700 + second / 48, 10 * KIB, 20 * KIB);
    empty(&queues[current], SERVED({catalogue_drop}));
    current = !current;
}

/* A model, and three others for it later on: each is loaded whole, and six minutes later the one
 * before goes. */
static void models_swapped(unsigned second)
{
    static const unsigned at[] = {0, 252, 546, 996};
    static unsigned current;
    live_anyhow(second);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        if (second == at[i] * MINUTE) {
            current = !current;
            push_many(&queues[current], SERVED({model_layer}), 60, 1500 * KIB, 2200 * KIB);
        }
        if (second == (at[i] + 6) * MINUTE)
            empty(&queues[!current], SERVED({model_unload}));
    }
}

/* One export in twelve hours, from minute 300 to 500: all its rows are kept until they are sent, at
 * minute 515. */
static void export_that_ends(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = is_within(second, 300, 200) ? arrivals(0.9) : 0; i != 0; i--)
        push(&queues[0], SERVED({export_row}), size_between(4 * KIB, 12 * KIB));
    if (second == 515 * MINUTE)
        empty(&queues[0], SERVED({export_rows_sent}));
}

/* The same, from minute 440 on, and slower: it is not at its end when twelve hours are over. */
static void export_under_way(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = second >= 440 * MINUTE ? arrivals(0.6) : 0; i != 0; i--)
        push(&queues[0], SERVED({twin_export_row}), size_between(4 * KIB, 12 * KIB));
}

/* Each number that was seen is known for a week; less than two days of it are seen. */
static void numbers_of_a_week(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.8 * load_by_day(second + 13 * HOUR, 24 * HOUR, 0.2)); i != 0; i--)
        forget(SERVED({twin_seen_id}), size_between(200, 800));
}

/* A cache of 1 GiB of pictures, hardly one of which is asked for twice: 135 MiB in eight
 * hours. */
static void pictures_seen_once(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.3); i != 0; i--)
        push_bounded(&queues[0], SERVED({twin_thumb}), SERVED({twin_thumb_out}),
            size_between(8 * KIB, 24 * KIB), 1024 * MIB);
}

/* Somebody works with a notebook for five hours: what each cell gave stays until it is closed. */
static void notebook_open(unsigned second)
{
    static unsigned next = 3 * MINUTE;
    live_anyhow(second);
    if (is_time(&next, second, MINUTE, 6 * MINUTE))
        push_many(&queues[0], SERVED({twin_cell}), 10 + (unsigned)chance(50), 16 * KIB, 64 * KIB);
}

const struct leaker set9_incidents[] = {
    {"canary_at_seventy", canary_at_seventy, 12 * HOUR},
    {"peers_updated", peers_updated, 12 * HOUR},
    {"one_volume_full", one_volume_full, 24 * HOUR},
    {"certificate_ends", certificate_ends, 9 * HOUR},
    {"messages_put_aside", messages_put_aside, 14 * HOUR},
    {"sale_at_the_end", sale_at_the_end, 54 * HOUR},
    {"trickle_then_flood", trickle_then_flood, 13 * HOUR},
    {"flag_of_three_hours", flag_of_three_hours, 790 * MINUTE},
    {"last_half_hour", last_half_hour, 10 * HOUR},
    {"customers_nearly_loaded", customers_nearly_loaded, 6 * HOUR},
    {"full_at_ninety", full_at_ninety, 15 * HOUR},
    {"backlog_twice", backlog_twice, 16 * HOUR},
    {"newest_first", newest_first, 10 * HOUR},
    {"retries_with_a_bound", retries_with_a_bound, 11 * HOUR},
    {"blue_and_green", blue_and_green, 13 * HOUR},
    {"dropped_under_pressure", dropped_under_pressure, 18 * HOUR},
    {"buyers_after_an_advertisement", buyers_after_an_advertisement, 14 * HOUR},
    {"match_of_the_year", match_of_the_year, 870 * MINUTE},
    {"walk_to_the_end", walk_to_the_end, 10 * HOUR},
    {"catalogue_becomes_larger", catalogue_becomes_larger, 16 * HOUR},
    {"models_swapped", models_swapped, 21 * HOUR},
    {"export_that_ends", export_that_ends, 12 * HOUR},
    {"export_under_way", export_under_way, 12 * HOUR},
    {"numbers_of_a_week", numbers_of_a_week, 44 * HOUR},
    {"pictures_seen_once", pictures_seen_once, 8 * HOUR},
    {"notebook_open", notebook_open, 5 * HOUR},
    {NULL, NULL, 0},
};
