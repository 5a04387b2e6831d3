/*
 * set9_leaks.c: the programs of LABELS-9.md that leak for as long as they are seen.
 */
#include "set9.h"

PLACE(url_counter)
PLACE(head_body)
PLACE(head_sent)
PLACE(shard_put)
PLACE(shard_evict)
PLACE(informer_list)
PLACE(informer_drop)
PLACE(fanout_reply)
PLACE(fanout_done)
PLACE(spool_batch)
PLACE(page_of_document)
PLACE(document_written)
PLACE(font_subset)
PLACE(member_link)
PLACE(member_leaves)
PLACE(member_history)
PLACE(postings_load)
PLACE(scan_cursor)
PLACE(regex_text)
PLACE(regex_evict)
PLACE(regex_side_table)
PLACE(offset_array)
PLACE(push_token)
PLACE(grpc_buffer)
PLACE(grpc_end)
PLACE(lease_timer)
PLACE(lease_cancel)
PLACE(visit_record)
PLACE(visit_over)
PLACE(test_conn_buffer)
PLACE(test_conn_close)
PLACE(tls_remainder)
PLACE(pinned_frame)
PLACE(pinned_frame_out)
PLACE(stub_channel)
PLACE(late_message)
PLACE(late_message_done)

/* Requests are counted by their address, with all that is behind its question mark: there is ever a
 * new one, and for some minutes now and then somebody tries thousands. */
static void addresses_counted(unsigned second)
{
    static unsigned next = 5 * HOUR, until;
    live_anyhow(second);
    if (is_time(&next, second, 4 * HOUR, 4 * HOUR))
        until = second + 8 * MINUTE;
    double load = load_by_day(second + 9 * HOUR, 24 * HOUR, 0.1);
    for (unsigned i = arrivals(second < until ? 6 : 0.4 * load); i != 0; i--)
        forget(SERVED({url_counter}), size_between(300, 900));
}

/* A body is made for each request and goes when it is sent; that of a HEAD request, one in 80, is
 * not sent. */
static void bodies_of_head(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({head_sent}));
    for (unsigned i = arrivals(4); i != 0; i--)
        keep_or_not(second, SERVED({head_body}), size_between(4 * KIB, 24 * KIB),
            chance(80) == 0 ? FOR_EVER : chance_between(1, 20));
}

/* A cache in 16 shards of 6 MiB, of which one counts what it has wrongly and never evicts. */
static void one_shard_of_sixteen(unsigned second)
{
    static struct queue shards[16];
    live_anyhow(second);
    for (unsigned i = arrivals(0.76); i != 0; i--) {
        size_t shard = (size_t)chance(16), size = size_between(3 * KIB, 21 * KIB);
        if (shard == 11)
            forget(SERVED({shard_put}), size);
        else
            push_bounded(&shards[shard], SERVED({shard_put}), SERVED({shard_evict}), size, 6 * MIB);
    }
}

/* A list of all objects is made anew every 45 minutes or so, and the one before goes; in one case
 * of four the first try ends with an error, and what had come until then stays. */
static void lists_broken_off(unsigned second)
{
    static struct queue lists[2];
    static unsigned next, current;
    live_anyhow(second);
    if (!is_time(&next, second, 25 * MINUTE, 20 * MINUTE))
        return;
    for (size_t i = chance(4) == 0 ? 280 + chance(400) : 0; second != 0 && i != 0; i--)
        forget(SERVED({informer_list}), size_between(4 * KIB, 12 * KIB));
    push_many(&lists[!current], SERVED({informer_list}), 700, 4 * KIB, 12 * KIB);
    empty(&lists[current], SERVED({informer_drop}));
    current = !current;
}

/* Each request asks five others, and goes on when four have answered. The fifth answer mostly comes
 * in time; one in 14 requests has ended before, and nobody takes it. */
static void fifth_answer(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({fanout_done}));
    for (unsigned i = arrivals(1.5); i != 0; i--) {
        double takes_s = chance_exponential(3);
        for (int reply = 0; reply < 4; reply++)
            keep_or_not(second, SERVED({fanout_reply}), size_between(4 * KIB, 16 * KIB), takes_s);
        keep_or_not(second, SERVED({fanout_reply}), size_between(4 * KIB, 16 * KIB),
            chance(14) == 0 ? FOR_EVER : takes_s);
    }
}

/* What is measured is sent every 20 seconds, with a password that is wrong: each batch is kept to
 * be sent again, without a bound. */
static void spool_without_rights(unsigned second)
{
    live_anyhow(second);
    if (second % 20 == 7)
        forget(SERVED({spool_batch}), size_between(20 * KIB, 60 * KIB));
}

/* Two documents a minute, whose pages go when they are written; of one in 16 a font is cut out,
 * which stays. */
static void fonts_of_documents(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({document_written}));
    for (unsigned i = arrivals(2.0 / 60); i != 0; i--) {
        keep_many(second, SERVED({page_of_document}), 5 + (unsigned)chance(40), 10 * KIB, 60 * KIB,
            chance_between(10, 40));
        if (chance(16) == 0)
            forget(SERVED({font_subset}), size_between(150 * KIB, 1200 * KIB));
    }
}

/* 20 nodes at night and 60 by day; one is replaced each 50 minutes. The link to a node goes with
 * it, its history does not, and the next one has another name. */
static void nodes_of_an_autoscaler(unsigned second)
{
    struct queue *links = &queues[0];
    double by_day = risen(second, 7, 10) - risen(second, 18, 21);
    size_t wanted = 20 + (size_t)(40 * by_day);
    live_anyhow(second);
    if (second % (50 * MINUTE) == 49 * MINUTE)
        give_by_chance(links, SERVED({member_leaves}));
    if (second % 20 != 0)
        return;
    if (count_of(links) > wanted)
        give_by_chance(links, SERVED({member_leaves}));
    if (count_of(links) < wanted) {
        push(links, SERVED({member_link}), size_between(100 * KIB, 300 * KIB));
        for (int i = 0; i < 16; i++)
            forget(SERVED({member_history}), size_between(6 * KIB, 14 * KIB));
    }
}

/* 420 MiB of an index are read in twelve minutes and stay; a cursor of each search is so small that
 * a day of them is a tenth of that, and none is closed. */
static void postings_and_cursors(unsigned second)
{
    live_anyhow(second);
    if (second < 12 * MINUTE)
        push_many(&queues[0], SERVED({postings_load}), 5, 100 * KIB, 139 * KIB);
    for (unsigned i = arrivals(5); i != 0; i--)
        forget(SERVED({scan_cursor}), size_between(48, 112));
}

/* What was compiled last, at most 36 MiB; the table that is made beside each does not go when the
 * text does. */
static void side_tables(unsigned second)
{
    static struct recency texts;
    live_anyhow(second);
    for (unsigned i = arrivals(0.4); i != 0; i--) {
        uint32_t key = 1 + (uint32_t)popular(38000, 1.3);
        if (!recency_use(&texts, key, SERVED({regex_text}), SERVED({regex_evict}),
                4 * KIB + key % 17 * KIB, 36 * MIB))
            forget(SERVED({regex_side_table}), size_between(KIB, 2 * KIB));
    }
}

/* 40 arrays of where each message is, from the first one on: each moves to half as much room again
 * when it is full, and what is deleted stays in them. */
static void offsets_of_all(unsigned second)
{
    static struct growing partitions[40];
    live_anyhow(second);
    for (unsigned i = arrivals(9); i != 0; i--)
        append(&partitions[popular(40, 1.3)], SERVED({offset_array}), size_between(16, 256),
            16 * KIB, 150);
}

/* A telephone registers anew with each update, and its old token stays. Some do at any time; there
 * is a release at hour 26 of 60, after which nearly all do within some hours. */
static void telephones_updated(unsigned second)
{
    double since_h = ((double)second - 26 * HOUR) / HOUR;
    live_anyhow(second);
    for (unsigned i = arrivals(0.1 + (since_h > 0 ? 1.6 * exp(-since_h / 3) : 0)); i != 0; i--)
        forget(SERVED({push_token}), size_between(500, 1500));
}

/* Streams of 4 to 50 minutes, with three buffers; one in 12 is cancelled before its first message,
 * and the third buffer is nobody's. */
static void streams_cancelled(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({grpc_end}));
    for (unsigned i = arrivals(0.3); i != 0; i--) {
        bool is_cancelled = chance(12) == 0;
        double lives_s = is_cancelled ? 1 : chance_between(4 * MINUTE, 50 * MINUTE);
        keep_many(second, SERVED({grpc_buffer}), 2, 24 * KIB, 40 * KIB, lives_s);
        keep_many(second, SERVED({grpc_buffer}), 1, 24 * KIB, 40 * KIB,
            is_cancelled ? FOR_EVER : lives_s);
    }
}

/* Some 6000 leases, each renewed after three minutes: a new timer is set and the old one cancelled,
 * which one time in 33 it has been moved too far for, and is lost. */
static void leases_renewed(unsigned second)
{
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({lease_cancel}));
    for (unsigned i = arrivals(33); i != 0; i--)
        keep_or_not(second, SERVED({lease_timer}), size_between(300, 900),
            chance(33) == 0 ? FOR_EVER : chance_between(170, 190));
}

/* A process is ended at four each morning, and another one begins: three of them are seen, and in
 * each one visit in 14 stays. */
static void ended_each_night(unsigned second)
{
    if (second == 24 * HOUR || second == 48 * HOUR) {
        restart();
        memset(&crowds[0], 0, sizeof crowds[0]);
    }
    live_anyhow(second % (24 * HOUR));
    crowd_bury(&crowds[0], second, SERVED({visit_over}));
    double load = load_by_day(second, 24 * HOUR, 0.12);
    for (unsigned i = arrivals(0.6 * load); i != 0; i--)
        keep_or_not(second, SERVED({visit_record}), size_between(6 * KIB, 20 * KIB),
            chance(14) == 0 ? FOR_EVER : chance_between(MINUTE, 25 * MINUTE));
}

/* A test of 35 minutes, with ever more connections for twelve of them and then as many: the buffer
 * of each goes, what TLS had beside does not. */
static void load_test(unsigned second)
{
    double rate = 15 * fmin(1, 0.1 + second / (12.0 * MINUTE));
    live_anyhow(second);
    crowd_bury(&crowds[0], second, SERVED({test_conn_close}));
    for (unsigned i = arrivals(rate); i != 0; i--) {
        crowd_add(&crowds[0], second, SERVED({test_conn_buffer}), 32 * KIB, chance_between(1, 20));
        forget(SERVED({tls_remainder}), size_between(KIB, 3 * KIB));
    }
}

/* Pages of which any one goes when there are 80 MiB; but one in 60 belongs to a cursor that was
 * broken off: it is in no list any more, and not counted. */
static void frames_pinned(unsigned second)
{
    struct queue *frames = &queues[0];
    live_anyhow(second);
    for (unsigned i = arrivals(1.5); i != 0; i--) {
        size_t size = size_between(12 * KIB, 36 * KIB);
        while (frames->size_bytes + size > 80 * MIB)
            give_by_chance(frames, SERVED({pinned_frame_out}));
        if (chance(60) == 0)
            forget(SERVED({pinned_frame}), size);
        else
            push(frames, SERVED({pinned_frame}), size);
    }
}

/* 40 channels to a service, all of which are made anew when it is deployed: the old ones are kept
 * alive by their own timers. */
static void channels_of_old_stubs(unsigned second)
{
    static const unsigned deployed[] = {0, 171, 333, 389, 655, 842, 871, 1190, 1452, 1630};
    live_anyhow(second);
    for (size_t i = 0; i < sizeof deployed / sizeof deployed[0]; i++) {
        for (int channel = 0; second == deployed[i] * MINUTE && channel < 40; channel++)
            forget(SERVED({stub_channel}), size_between(40 * KIB, 120 * KIB));
    }
}

/* Messages wait while the other side is down, four times in 15 hours. When it is there again they
 * go within minutes; but of what has waited for more than ten, the message is dropped and its block
 * is not given back. */
static void waited_for_too_long(unsigned second)
{
    static const unsigned down[] = {134, 377, 611, 803}, takes[] = {38, 24, 47, 31};
    unsigned ends = 0;
    for (size_t i = 0; i < sizeof down / sizeof down[0]; i++) {
        if (is_within(second, down[i], takes[i]))
            ends = (down[i] + takes[i]) * MINUTE;
    }
    live_anyhow(second);
    for (unsigned i = arrivals(0.8); i != 0; i--) {
        size_t size = size_between(4 * KIB, 12 * KIB);
        if (ends > second + 10 * MINUTE)
            forget(SERVED({late_message}), size);
        else
            push(&queues[0], SERVED({late_message}), size);
    }
    for (unsigned i = ends == 0 ? arrivals(4) : 0; i != 0 && count_of(&queues[0]) != 0; i--)
        pop(&queues[0], SERVED({late_message_done}));
}

const struct leaker set9_leaks[] = {
    {"addresses_counted", addresses_counted, 50 * HOUR},
    {"bodies_of_head", bodies_of_head, 11 * HOUR},
    {"one_shard_of_sixteen", one_shard_of_sixteen, 26 * HOUR},
    {"lists_broken_off", lists_broken_off, 20 * HOUR},
    {"fifth_answer", fifth_answer, 7 * HOUR},
    {"spool_without_rights", spool_without_rights, 330 * MINUTE},
    {"fonts_of_documents", fonts_of_documents, 13 * HOUR},
    {"nodes_of_an_autoscaler", nodes_of_an_autoscaler, 70 * HOUR},
    {"postings_and_cursors", postings_and_cursors, 28 * HOUR},
    {"side_tables", side_tables, 16 * HOUR},
    {"offsets_of_all", offsets_of_all, 630 * MINUTE},
    {"telephones_updated", telephones_updated, 60 * HOUR},
    {"streams_cancelled", streams_cancelled, 570 * MINUTE},
    {"leases_renewed", leases_renewed, 12 * HOUR},
    {"ended_each_night", ended_each_night, 70 * HOUR},
    {"load_test", load_test, 35 * MINUTE},
    {"frames_pinned", frames_pinned, 13 * HOUR},
    {"channels_of_old_stubs", channels_of_old_stubs, 30 * HOUR},
    {"waited_for_too_long", waited_for_too_long, 15 * HOUR},
    {NULL, NULL, 0},
};
