/*
 * set7_leaks.c: the programs of LABELS-7.md that leak for as long as they are seen.
 */
#include "set7.h"

#include <string.h>

PLACE(limit_bucket)
PLACE(bucket_swept)
PLACE(frame_descriptor)
PLACE(frame_payload)
PLACE(frame_shown)
PLACE(dialog_new)
PLACE(dialog_end)
PLACE(tls_context)
PLACE(tls_context_free)
PLACE(shard_loop)
PLACE(inflight_add)
PLACE(inflight_ack)
PLACE(parse_value)
PLACE(parse_object)
PLACE(json_node)
PLACE(json_free)
PLACE(class_define)
PLACE(loader_close)
PLACE(surface_new)
PLACE(surface_drop)
PLACE(cursor_open)
PLACE(cursor_reap)
PLACE(sensor_add)
PLACE(syntax_intern)
PLACE(syntax_sweep)
PLACE(preamble_build)
PLACE(preamble_drop)
PLACE(appender_grow)
PLACE(read_headers)
PLACE(check_auth)
PLACE(check_origin)
PLACE(rewrite_path)
PLACE(jar_store)
PLACE(trace_context)
PLACE(header_copy)
PLACE(header_free)
PLACE(ping_context)
PLACE(ping_done)
PLACE(stream_state)
PLACE(stream_end)
PLACE(embedding_load)
PLACE(audit_context)
PLACE(dom_attach)
PLACE(dom_detach)
PLACE(import_mapping)
PLACE(import_done)
PLACE(tensor_new)
PLACE(tensor_free)
PLACE(span_wait)
PLACE(span_done)
PLACE(ruleset_build)
PLACE(ruleset_drop)
PLACE(form_field)
PLACE(form_done)
PLACE(row_hint)
PLACE(dict_page)
PLACE(dict_evict)
PLACE(death_header)
PLACE(watch_tree)
PLACE(watch_dir)
PLACE(watch_remove)
PLACE(player_state)
PLACE(player_gone)
PLACE(mail_header)
PLACE(mail_attachment)
PLACE(mail_closed)
PLACE(track_samples)
PLACE(track_unload)
PLACE(kv_entry)
PLACE(kv_delete)
PLACE(tile_insert)
PLACE(tile_evict)

/* A bucket for each address: those of accounts are swept when they were idle for an hour, those of
 * strangers are not. */
static void buckets_of_addresses(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({bucket_swept}));
    for (unsigned i = arrivals(2.4 * load_by_day(second, 24 * HOUR, 0.1)); i != 0; i--)
        keep_or_not(second, SERVED({limit_bucket}), size_between(64, 192),
            chance(10) < 7 ? FOR_EVER : HOUR + chance_exponential(900));
}

/* Pictures go when they were shown; what was said of each does not. */
static void frames_outlive_payload(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({frame_shown}));
    for (int i = 0; i < 50; i++) {
        forget(SERVED({frame_descriptor}), size_between(32, 56));
        crowd_add(&crowds[0], second, SERVED({frame_payload}), size_between(40 * KIB, 160 * KIB),
            chance_between(1, 6));
    }
}

/* Calls of three minutes; of one in 20 the end is lost on its way, and nobody asks again. */
static void dialogs_lost(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({dialog_end}));
    for (unsigned i = arrivals(2 * load_by_day(second + 7 * HOUR, 24 * HOUR, 0.1)); i != 0; i--)
        keep_or_not(second, SERVED({dialog_new}), size_between(6 * KIB, 14 * KIB),
            chance(20) == 0 ? FOR_EVER : chance_exponential(180));
}

/* 300 hosts' certificates are read anew each hour: of the old contexts four in ten are in use when
 * they are to go, and are forgotten then. */
static void certificates_renewed(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({tls_context_free}));
    for (int i = 0; second % HOUR == 7 * MINUTE && i < 300; i++)
        keep_or_not(second, SERVED({tls_context}), size_between(8 * KIB, 16 * KIB),
            chance(10) < 4 ? FOR_EVER : HOUR + 30);
}

/* Of 24 shards, each with its own thread, one is never told that its messages have arrived. */
static void shard_without_acks(unsigned second)
{
    const struct step *in = PATH({run_server}, {shard_loop}, {inflight_add});
    live_anyhow(second);
    crowd_bury(&crowds[0], second, PATH({run_server}, {shard_loop}, {inflight_ack}));
    for (unsigned i = arrivals(16); i != 0; i--)
        keep_or_not(second, in, size_between(2 * KIB, 8 * KIB),
            chance(24) == 17 ? FOR_EVER : chance_between(1, 30));
}

/* A parser that calls itself, and jumps out of all calls when there is an error: then the nodes it
 * had are lost. One document in 20 has one. */
static void errors_unwound(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({json_free}));
    for (unsigned documents = arrivals(2); documents != 0; documents--) {
        struct step path[PATH_STEPS_MAX] = {{run_server}, {serve}};
        double life_s = chance(20) == 0 ? FOR_EVER : chance_between(0, 4);
        size_t depths = 1 + (size_t)chance(6);
        for (size_t depth = 0; depth < depths; depth++) {
            path[2 + 2 * depth].enter = parse_value;
            path[3 + 2 * depth].enter = parse_object;
            path[4 + 2 * depth].enter = json_node;
            keep_many(second, path, 24, 32, 240, life_s);
        }
    }
}

/* Twelve deploys into a running container, in three days: the classes of the old one go, unless a
 * thread of a pool still has something of them, as it has seven times. */
static void redeployed(unsigned second)
{
    static const unsigned at[] = {
        0, 610, 700, 905, 1000, 2050, 2110, 2290, 2460, 3480, 3600, 3900, 4400};
    static const bool stays[] = {
        false, true, false, true, true, false, true, true, false, true, false, true};
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({loader_close}));
    for (size_t i = 0; i < sizeof stays / sizeof stays[0]; i++) {
        if (second >= at[i] * MINUTE && second < at[i] * MINUTE + 30)
            keep_many(second, SERVED({class_define}), 16, 2 * KIB, 30 * KIB,
                stays[i] ? FOR_EVER : (at[i + 1] - at[i]) * MINUTE);
    }
}

/* A window is made larger by hand: a surface for each step of it, which goes when the next one was
 * shown, but for one in 50. */
static void windows_resized(unsigned second)
{
    static unsigned next;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, PATH({run_server}, {surface_drop}));
    if (is_time(&next, second, MINUTE, 5 * MINUTE)) {
        for (size_t size = size_between(4 * MIB, 11 * MIB), step = 0; step < 6; step++)
            keep_or_not(second, PATH({run_server}, {surface_new}), size + step * 800 * KIB,
                chance(50) == 0 ? FOR_EVER : (double)step);
    }
}

/* Cursors that were read to half are reaped after ten minutes, but for those that asked for no
 * limit. */
static void cursors_half_read(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({cursor_reap}));
    for (unsigned i = arrivals(2.4 * load_by_day(second + 6 * HOUR, 24 * HOUR, 0.2)); i != 0; i--)
        keep_or_not(second, SERVED({cursor_open}), size_between(4 * KIB, 24 * KIB),
            chance(50) == 0  ? FOR_EVER
            : chance(4) == 0 ? 600
                             : chance_between(0, 8));
}

/* Partitions are shared out anew at irregular times, and each time their counters get new names. */
static void rebalances(unsigned second)
{
    static unsigned next = 9 * MINUTE;
    live_anyhow(second);
    if (is_time(&next, second, 4 * MINUTE, 26 * MINUTE))
        keep_many(second, SERVED({sensor_add}), 560, KIB, 4 * KIB, FOR_EVER);
}

/* Somebody writes a program, with pauses: of the syntax of what is typed a third is interned. */
static void typed_and_interned(unsigned second)
{
    static unsigned until, next;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({syntax_sweep}));
    if (second >= next) {
        until = second + 2 * MINUTE + (unsigned)chance_exponential(12 * MINUTE);
        next = until + 5 * MINUTE + (unsigned)chance_exponential(12 * MINUTE);
    }
    for (unsigned i = second < until ? arrivals(36) : 0; i != 0; i--)
        keep_or_not(second, SERVED({syntax_intern}), size_between(48, 400),
            chance(3) == 0 ? FOR_EVER : chance_between(5, 60));
}

/* The headers of each file that is open are kept parsed; who closes it while that is done loses
 * them. */
static void preambles_of_closed_files(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({preamble_drop}));
    for (unsigned i = arrivals(1.0 / 300); i != 0; i--)
        keep_or_not(second, SERVED({preamble_build}), size_between(2 * MIB, 14 * MIB),
            chance(9) == 0 ? FOR_EVER : chance_between(300, 3000));
}

/* 20 threads write to buffers in memory, which are doubled when they are full, and never read; some
 * have much more to say than others. */
static void log_in_memory(unsigned second)
{
    static struct {
        struct block buffer;
        size_t used_bytes;
    } threads[20];
    live_anyhow(second);
    for (unsigned i = arrivals(4); i != 0; i--) {
        size_t at = popular(20, 1.6);
        threads[at].used_bytes += size_between(200, 1100);
        struct block old = threads[at].buffer;
        if (threads[at].used_bytes <= old.size)
            continue;
        take(PATH({shard_loop}, {appender_grow}), &threads[at].buffer,
            old.size != 0 ? 2 * old.size : 32 * KIB);
        if (old.size != 0)
            give(PATH({shard_loop}, {appender_grow}), &old);
    }
}

/* One function copies headers for six others, of which four give them back with their request. */
static void headers_of_many_callers(unsigned second)
{
    static void (*const callers[])(const struct step *, struct request *) = {
        read_headers, check_auth, check_origin, rewrite_path, jar_store, trace_context};
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({header_free}));
    for (unsigned i = arrivals(24); i != 0; i--) {
        size_t caller = popular(6, 1.5);
        struct step path[] = {{run_server}, {serve}, {callers[caller]}, {header_copy}, {NULL}};
        keep_or_not(
            second, path, size_between(32, 700), caller >= 4 ? FOR_EVER : chance_between(0, 20));
    }
}

/* When no request came for a while, a connection is pinged, and what waits for the answer is lost:
 * there is most of it at night. */
static void idle_pings(unsigned second)
{
    double load = load_by_day(second + 12 * HOUR, 24 * HOUR, 0.05);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({ping_done}));
    for (unsigned i = arrivals(2 * load); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({ping_context}), size_between(512, 3 * KIB),
            chance_between(1, 6));
    for (unsigned i = arrivals(0.5 * (1 - load)); i != 0; i--)
        forget(SERVED({ping_context}), size_between(512, 3 * KIB));
}

/* Of streams that the other side breaks off the state is kept: one in 300, and one in 8 while
 * somebody scans, for five minutes now and then. */
static void streams_broken_off(unsigned second)
{
    static unsigned next = 52 * MINUTE, until;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({stream_end}));
    if (is_time(&next, second, 20 * MINUTE, 50 * MINUTE))
        until = second + 5 * MINUTE;
    for (unsigned i = arrivals(22); i != 0; i--)
        keep_or_not(second, SERVED({stream_state}), size_between(KIB, 9 * KIB),
            chance(second < until ? 8 : 300) == 0 ? FOR_EVER : chance_exponential(6));
}

/* 300 MiB of vectors are loaded in the first ten minutes, and then hardly anything is left, for ten
 * hours. */
static void vectors_and_audit(unsigned second)
{
    live_anyhow(second);
    for (int i = 0; second < 10 * MINUTE && i < 4; i++)
        forget(PATH({run_server}, {embedding_load}), 128 * KIB);
    for (unsigned i = arrivals(0.25); i != 0; i--)
        forget(SERVED({audit_context}), size_between(KIB, 3 * KIB));
}

/* A page that is never left: each view of it goes when the next one comes, but what has a listener,
 * an eighth, does not. */
static void views_of_one_page(unsigned second)
{
    static unsigned next;
    unsigned before = next;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({dom_detach}));
    if (!is_time(&next, second, 20, 100) || before > second)
        return;
    for (uint64_t nodes = 1200 + chance(3000); nodes != 0; nodes--)
        keep_or_not(second, SERVED({dom_attach}), size_between(64, 1400),
            chance(8) == 0 ? FOR_EVER : next - second);
}

/* People of an office import files, and one mapping in six stays; three days and nights. */
static void office_hours(unsigned second)
{
    unsigned hour = second / HOUR % 24;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({import_done}));
    for (unsigned i = hour >= 9 && hour < 17 ? arrivals(0.5) : 0; i != 0; i--)
        keep_or_not(second, SERVED({import_mapping}), size_between(2 * KIB, 12 * KIB),
            chance(6) == 0 ? FOR_EVER : chance_between(20, 1500));
}

/* Epochs of 25 minutes, at whose end all tensors go, but for what was put into the report. */
static void outputs_of_validation(unsigned second)
{
    unsigned at = second % (25 * MINUTE);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({tensor_free}));
    for (unsigned i = at < 22 * MINUTE ? arrivals(0.15) : 0; i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({tensor_new}), size_between(64 * KIB, 512 * KIB),
            25 * MINUTE - at);
    for (unsigned i = at >= 22 * MINUTE ? arrivals(0.06) : 0; i != 0; i--)
        forget(SERVED({tensor_new}), size_between(64 * KIB, 512 * KIB));
}

/* Spans wait for the one in which they are; of one in 30 it was not sampled, and never comes. */
static void spans_without_parents(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({span_done}));
    for (unsigned i = arrivals(36); i != 0; i--)
        keep_or_not(second, SERVED({span_wait}), size_between(200, 1200),
            chance(30) == 0 ? FOR_EVER : (double)size_with_tail(2, 240));
}

/* Rules are read anew at irregular times; the old ones go with the last connection that has them,
 * within three hours. Every third time there is one that never ends. */
static void rules_pinned(unsigned second)
{
    static unsigned next, generation;
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({ruleset_drop}));
    if (!is_time(&next, second, 20 * MINUTE, 50 * MINUTE))
        return;
    keep_many(second, SERVED({ruleset_build}), 500, 4 * KIB, 20 * KIB,
        generation++ % 3 == 1 ? FOR_EVER : next - second + chance_between(600, 3 * HOUR));
}

/* Workers of 45 minutes each, one after the other, in which a fifth of all fields stays. */
static void workers_recycled(unsigned second)
{
    unsigned age = second % (45 * MINUTE);
    if (age == 0 && second != 0) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
    }
    live_anyhow(age);
    crowd_bury(&crowds[0], second, SERVED({form_done}));
    for (unsigned i = arrivals(4); i != 0; i--)
        keep_or_not(second, SERVED({form_field}), size_between(2 * KIB, 10 * KIB),
            chance(5) == 0 ? FOR_EVER : chance_exponential(40));
}

/* One hour of an export, beside a dictionary that is full after 24 minutes. */
static void export_of_an_hour(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(3.4); i != 0; i--)
        push_bounded(&queues[0], SERVED({dict_page}), SERVED({dict_evict}), 16 * KIB, 76 * MIB);
    for (unsigned i = arrivals(9); i != 0; i--)
        forget(SERVED({row_hint}), size_between(300, 1200));
}

/* A message that nobody can read is given back to its queue each minute, and each time it has a
 * longer list of how it died. One more of them comes every two minutes. */
static void poison_messages(unsigned second)
{
    static struct block messages[400];
    live_anyhow(second);
    for (unsigned i = second % MINUTE; i < second / (2 * MINUTE) && i < 400; i += MINUTE) {
        struct block old = messages[i];
        take(SERVED({death_header}), &messages[i], old.size + 600 + (size_t)chance(800));
        if (old.size != 0)
            give(SERVED({death_header}), &old);
    }
}

/* Each build makes its directories anew, and watches them, as deep as they are; of one in four the
 * end is not noticed. */
static void watches_of_builds(unsigned second)
{
    unsigned at = second % (9 * MINUTE);
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({watch_remove}));
    for (int i = 0; at < MINUTE && i < 90; i++) {
        struct step path[PATH_STEPS_MAX] = {{run_server}, {serve}};
        size_t depth = 1 + (size_t)chance(6);
        for (size_t step = 0; step < depth; step++)
            path[2 + step].enter = watch_tree;
        path[2 + depth].enter = watch_dir;
        keep_or_not(second, path, size_between(80, 600),
            chance(4) == 0 ? FOR_EVER : chance_between(7 * MINUTE, 8.5 * MINUTE));
    }
}

/* Players of an evening, two evenings; of one in six, who lost the connection, the state stays. */
static void players_disconnected(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({player_gone}));
    for (unsigned i = arrivals(0.12 * load_by_day(second + 6 * HOUR, 24 * HOUR, 0.03)); i != 0;
         i--) {
        double life_s = chance(6) == 0 ? FOR_EVER : 300 + chance_exponential(2400);
        keep_many(second, SERVED({player_state}), 6, 4 * KIB, 12 * KIB, life_s);
    }
}

/* A mail program: each header that was shown is known for ever, and of the attachments that were
 * looked at one in 25 stays. */
static void mails_of_a_day(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, PATH({run_server}, {mail_closed}));
    for (unsigned i = arrivals(0.5); i != 0; i--)
        forget(PATH({run_server}, {mail_header}), size_between(200, 1100));
    for (unsigned i = arrivals(1.0 / 240); i != 0; i--)
        keep_or_not(second, PATH({run_server}, {mail_attachment}), size_with_tail(MIB, 14 * MIB),
            chance(25) == 0 ? FOR_EVER : chance_between(5, 900));
}

/* Nine songs are opened, one after the other, in six hours: of each the samples of some tracks are
 * still there when the next one is. */
static void songs_opened(unsigned second)
{
    static const unsigned at[] = {0, 31, 75, 88, 140, 205, 230, 262, 318, 360};
    live_anyhow(second);
    crowd_bury(&crowds[0], second, PATH({run_server}, {track_unload}));
    for (size_t i = 0; i + 1 < sizeof at / sizeof at[0]; i++) {
        for (int track = 0; second == at[i] * MINUTE && track < 12; track++)
            keep_or_not(second, PATH({run_server}, {track_samples}), size_between(MIB, 5 * MIB),
                track % 6 == 5 ? FOR_EVER : (at[i + 1] - at[i]) * MINUTE);
    }
}

/* A store, of whose entries each goes within 40 minutes; but a mark that there was one is an entry,
 * too, and stays. */
static void marks_of_deleted(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({kv_delete}));
    for (unsigned i = arrivals(9); i != 0; i--)
        crowd_add(&crowds[0], second, SERVED({kv_entry}), size_between(200, 3 * KIB),
            1 + chance_between(60, 2400));
    for (unsigned i = second > 60 ? arrivals(8.5) : 0; i != 0; i--)
        forget(SERVED({kv_entry}), size_between(64, 200));
}

/* A cache that is full after two hours and a half of nine; from hour 5 on, three tiles in 25 that
 * are taken for it get into no list. */
static void tiles_in_no_list(unsigned second)
{
    live_anyhow(second);
    for (unsigned i = arrivals(0.5); i != 0; i--) {
        size_t size = size_between(6 * KIB, 40 * KIB);
        if (second >= 5 * HOUR && chance(25) < 3)
            forget(SERVED({tile_insert}), size);
        else
            push_bounded(&queues[0], SERVED({tile_insert}), SERVED({tile_evict}), size, 100 * MIB);
    }
}

const struct leaker set7_leaks[] = {
    {"buckets_of_addresses", buckets_of_addresses, 72 * HOUR},
    {"frames_outlive_payload", frames_outlive_payload, 4 * HOUR},
    {"dialogs_lost", dialogs_lost, 8 * HOUR},
    {"certificates_renewed", certificates_renewed, 24 * HOUR},
    {"shard_without_acks", shard_without_acks, 3 * HOUR},
    {"errors_unwound", errors_unwound, 8 * HOUR},
    {"redeployed", redeployed, 72 * HOUR},
    {"windows_resized", windows_resized, 10 * HOUR},
    {"cursors_half_read", cursors_half_read, 12 * HOUR},
    {"rebalances", rebalances, 14 * HOUR},
    {"typed_and_interned", typed_and_interned, 9 * HOUR},
    {"preambles_of_closed_files", preambles_of_closed_files, 12 * HOUR},
    {"log_in_memory", log_in_memory, 5 * HOUR},
    {"headers_of_many_callers", headers_of_many_callers, 6 * HOUR},
    {"idle_pings", idle_pings, 30 * HOUR},
    {"streams_broken_off", streams_broken_off, 7 * HOUR},
    {"vectors_and_audit", vectors_and_audit, 10 * HOUR},
    {"views_of_one_page", views_of_one_page, 3 * HOUR},
    {"office_hours", office_hours, 72 * HOUR},
    {"outputs_of_validation", outputs_of_validation, 5 * HOUR},
    {"spans_without_parents", spans_without_parents, 5 * HOUR},
    {"rules_pinned", rules_pinned, 20 * HOUR},
    {"workers_recycled", workers_recycled, 6 * HOUR},
    {"export_of_an_hour", export_of_an_hour, HOUR},
    {"poison_messages", poison_messages, 6 * HOUR},
    {"watches_of_builds", watches_of_builds, 8 * HOUR},
    {"players_disconnected", players_disconnected, 40 * HOUR},
    {"mails_of_a_day", mails_of_a_day, 16 * HOUR},
    {"songs_opened", songs_opened, 6 * HOUR},
    {"marks_of_deleted", marks_of_deleted, 6 * HOUR},
    {"tiles_in_no_list", tiles_in_no_list, 9 * HOUR},
    {NULL, NULL, 0},
};
