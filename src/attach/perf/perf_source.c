/*
 * Each probe is one or two trace events (attach/keeper/tracefs.h), each watched by perf on all
 * threads (attach/keeper/perf_events.h), both held by the keeper (attach/keeper/keeper.h); what
 * happens on one processor comes through one ring (attach/keeper/perf_ring.h). A record is handed
 * out when no ring can have an older one: all have some, or it is LAG_NS old. One that comes later
 * than that, out of order, is a loss.
 *
 * Of records that were lost the kernel tells; those that it had no chance to tell of are found in
 * the end, because it counts what it records.
 */
#include "attach/perf/perf_source.h"

#include "attach/keeper/keeper_line.h"
#include "attach/keeper/perf_ring.h"
#include "attach/perf/perf_files.h"
#include "attach/perf/perf_kinds.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>

#define LAG_NS UINT64_C(100000000) /* a processor of a virtual machine may stand still so long */

struct hf_perf_source {
    uint32_t pid;
    const struct hf_probe *probes;
    struct hf_keeper *keeper; /* borrowed; NULL: the broker is asked */
    struct hf_perf_kinds kinds;
    struct hf_perf_files files;
    struct hf_perf_ring *rings;
    struct pollfd *waits; /* of the rings */
    size_t ring_count;
    uint64_t begin_ns, last_ns, end_ns; /* of the last record; when it was stopped, or never */
    uint64_t seen, lost;                /* records */
    bool has_ended;
    struct hf_map_line mapped; /* of the last record */
};

static uint64_t perf_source_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Each processor has a ring; the keeper has all that happens there recorded in it. */
static enum hf_status perf_source_open_rings(
    struct hf_perf_source *s, size_t count, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    s->rings = calloc(count + 1, sizeof *s->rings);
    s->waits = calloc(count + 1, sizeof *s->waits);
    if (s->rings == NULL || s->waits == NULL)
        return hf_error_memory(err);
    for (; s->ring_count < count && status == HF_OK; s->ring_count++) {
        struct hf_perf_ring *ring = &s->rings[s->ring_count];
        status = hf_keeper_line_ring(s->keeper, s->ring_count, ring, err);
        s->waits[s->ring_count] = (struct pollfd){.fd = ring->fd, .events = POLLIN};
    }
    return status;
}

void hf_perf_source_close(struct hf_perf_source *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->ring_count; i++)
        hf_perf_ring_close(&s->rings[i]);
    hf_keeper_line_close(s->keeper);
    hf_perf_files_done(&s->files);
    free(s->rings);
    free(s->waits);
    hf_perf_kinds_done(&s->kinds);
    free(s);
}

uint64_t hf_perf_source_begin(const struct hf_perf_source *source)
{
    return source->begin_ns;
}

static enum hf_status perf_source_begin(
    struct hf_perf_source *s, const struct hf_perf_source_options *options, struct hf_error *err)
{
    struct hf_out filter = {0};
    enum hf_status status = hf_perf_kinds_filter(options, &filter, err);
    if (status == HF_OK)
        status = hf_keeper_line_begin(s->keeper, filter.data, err);
    hf_out_done(&filter);
    return status;
}

static enum hf_status perf_source_start(
    struct hf_perf_source *s, const struct hf_perf_source_options *options, struct hf_error *err)
{
    struct hf_perf_file *files;
    size_t file_count, ring_count;
    enum hf_status status = hf_perf_kinds_make(&s->kinds, options, err);
    if (status == HF_OK)
        status = hf_keeper_line_open(s->keeper, &files, &file_count, &ring_count, err);
    if (status == HF_OK)
        status = hf_perf_files_init(&s->files, files, file_count, err);
    if (status == HF_OK)
        status = perf_source_open_rings(s, ring_count, err);
    if (status == HF_OK)
        status = perf_source_begin(s, options, err);
    s->begin_ns = perf_source_now_ns();
    return status;
}

enum hf_status hf_perf_source_open(const struct hf_perf_source_options *options,
    struct hf_perf_source **out_source, struct hf_error *err)
{
    struct hf_perf_source *s = calloc(1, sizeof *s);
    if (s == NULL)
        return hf_error_memory(err);
    *s = (struct hf_perf_source){
        .keeper = options->keeper,
        .pid = options->pid,
        .probes = options->probes,
        .end_ns = UINT64_MAX,
    };
    enum hf_status status = perf_source_start(s, options, err);
    if (status != HF_OK) {
        hf_perf_source_close(s);
        return status;
    }
    *out_source = s;
    return HF_OK;
}

/* A word of a record, counted in words from its start; the kernel aligns them. */
static uint64_t perf_source_word_of(const struct perf_event_header *record, size_t index)
{
    uint64_t word;
    memcpy(&word, (const char *)record + index * sizeof word, sizeof word);
    return word;
}

/* A sample begins with number, thread and time; others end with thread, time and number. */
static uint64_t perf_source_time_of(const struct perf_event_header *record)
{
    return perf_source_word_of(
        record, record->type == PERF_RECORD_SAMPLE ? 3 : record->size / 8u - 2);
}

/*
 * Number of entries and these, of which the first says whose the others are: PERF_CONTEXT_USER.
 * Returns the bytes of all.
 */
static size_t read_chain(const struct perf_event_header *record, const char *at, struct hf_half *h)
{
    uint64_t count, most = (record->size - (size_t)(at - (const char *)record)) / sizeof count - 1;
    memcpy(&count, at, sizeof count);
    count = count < most ? count : most;
    const uint64_t *chain = (const uint64_t *)(const void *)(at + sizeof count);
    if (count > 1 && chain[0] == (uint64_t)PERF_CONTEXT_USER) {
        h->chain = chain + 1;
        h->chain_count = (size_t)count - 1;
    }
    return (size_t)(1 + count) * sizeof count;
}

/* False for a sample that is not ours to tell. */
static bool perf_source_read_sample(
    struct hf_perf_source *s, struct perf_event_header *record, struct hf_half *h)
{
    const struct hf_perf_file *file = hf_perf_files_find(&s->files, perf_source_word_of(record, 1));
    if (file == NULL)
        return false;
    s->seen++;
    const struct hf_perf_kind *kind = &s->kinds.items[file->kind];
    const struct hf_perf_wish *wish = &kind->wish;
    h->kind = kind->half;
    h->probe = kind->probe;
    h->tid = (uint32_t)(perf_source_word_of(record, 2) >> 32);
    if ((uint32_t)perf_source_word_of(record, 2) != s->pid ||
        !hf_perf_files_own(&s->files, file, h->tid))
        return false;
    char *at = (char *)record + 4 * sizeof(uint64_t);
    if (wish->what == HF_PERF_FAULT) {
        memcpy(&h->address, at, sizeof h->address);
        at += sizeof h->address;
    }
    if (wish->has_chain != 0)
        at += read_chain(record, at, h);
    if (wish->registers != 0)
        at += hf_perf_registers_read(at, wish->registers, &h->registers);
    if (wish->what == HF_PERF_CALL_RETURN)
        h->registers.sp += sizeof(uint64_t); /* it pushed no return address */
    if (wish->what == HF_PERF_ENTRY)
        h->registers.ip = s->probes[h->probe].address;
    if (wish->stack_bytes != 0) {
        uint64_t size, copied;
        memcpy(&size, at, sizeof size);
        h->stack = at + sizeof size;
        if (size != 0) {
            memcpy(&copied, h->stack + size, sizeof copied);
            h->stack_size = (size_t)(copied < size ? copied : size);
        }
    }
    return true;
}

/*
 * PID, TID, address, length, offset in the file, major, minor (u32 each), inode, generation,
 * protection, flags (u32 each), path. False if no code is mapped.
 */
static bool perf_source_read_map(
    struct hf_perf_source *s, const struct perf_event_header *record, struct hf_half *h)
{
    enum { PATH_WORD = 9 };
    if (record->size <= PATH_WORD * sizeof(uint64_t) + 3 * sizeof(uint64_t) ||
        (uint32_t)perf_source_word_of(record, 1) != s->pid)
        return false;
    const char *path = (const char *)record + PATH_WORD * sizeof(uint64_t);
    size_t most = record->size - (PATH_WORD + 3) * sizeof(uint64_t);
    uint64_t device = perf_source_word_of(record, 5);
    s->mapped = (struct hf_map_line){
        .start = perf_source_word_of(record, 2),
        .end = perf_source_word_of(record, 2) + perf_source_word_of(record, 3),
        .file_offset = perf_source_word_of(record, 4),
        .device = makedev((uint32_t)device, (uint32_t)(device >> 32)),
        .inode = perf_source_word_of(record, 6),
        .is_executable = true,
        .path = {path, strnlen(path, most)},
    };
    h->kind = HF_HALF_MAP;
    h->mapped = &s->mapped;
    return s->mapped.path.size != most && s->mapped.start < s->mapped.end;
}

/* False for a record that says nothing to anybody else. */
static bool perf_source_read_record(
    struct hf_perf_source *s, struct perf_event_header *record, struct hf_half *h)
{
    *h = (struct hf_half){.time_ns = perf_source_time_of(record)};
    switch (record->type) {
    case PERF_RECORD_SAMPLE: return perf_source_read_sample(s, record, h);
    case PERF_RECORD_LOST:
        h->kind = HF_HALF_LOST;
        h->count = perf_source_word_of(record, 2);
        s->lost += h->count;
        return true;
    case PERF_RECORD_EXIT:
        h->kind = HF_HALF_EXIT;
        h->tid = (uint32_t)perf_source_word_of(record, 2);
        hf_perf_files_forget_thread(&s->files, h->tid);
        return true;
    case PERF_RECORD_COMM:
        h->kind = HF_HALF_EXEC;
        return (record->misc & PERF_RECORD_MISC_COMM_EXEC) != 0 &&
               (uint32_t)perf_source_word_of(record, 1) == s->pid;
    case PERF_RECORD_MMAP2: return perf_source_read_map(s, record, h);
    default: return false;
    }
}

/* The ring whose first record is the oldest, if that is ready at a time when all were drained. */
static struct hf_perf_ring *next_ring(struct hf_perf_source *s, uint64_t drained_ns)
{
    struct hf_perf_ring *oldest = NULL;
    uint64_t oldest_ns = UINT64_MAX;
    bool is_complete = true;
    for (size_t i = 0; i < s->ring_count; i++) {
        const struct perf_event_header *record = hf_perf_ring_first(&s->rings[i]);
        is_complete &= record != NULL;
        if (record != NULL && perf_source_time_of(record) < oldest_ns) {
            oldest = &s->rings[i];
            oldest_ns = perf_source_time_of(record);
        }
    }
    return is_complete || oldest_ns + LAG_NS <= drained_ns ? oldest : NULL;
}

static enum hf_status hand_out(struct hf_perf_source *s, struct perf_event_header *record,
    struct hf_half_sink sink, struct hf_error *err)
{
    struct hf_half half;
    if (!perf_source_read_record(s, record, &half) || s->has_ended || half.time_ns < s->begin_ns ||
        half.time_ns > s->end_ns)
        return HF_OK;
    if (half.time_ns < s->last_ns) {
        struct hf_half late = {.kind = HF_HALF_LOST, .time_ns = s->last_ns, .count = 1};
        half.time_ns = s->last_ns;
        enum hf_status status = sink.take(sink.context, &late, err);
        if (status != HF_OK)
            return status;
    }
    s->last_ns = half.time_ns;
    s->has_ended = half.kind == HF_HALF_EXEC;
    return sink.take(sink.context, &half, err);
}

static enum hf_status hand_out_ready(
    struct hf_perf_source *s, bool all, struct hf_half_sink sink, struct hf_error *err)
{
    uint64_t drained_ns = all ? UINT64_MAX : perf_source_now_ns();
    struct hf_perf_ring *ring;
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < s->ring_count && status == HF_OK; i++)
        status = hf_perf_ring_drain(&s->rings[i], err);
    while (status == HF_OK && (ring = next_ring(s, drained_ns)) != NULL) {
        status = hand_out(s, hf_perf_ring_first(ring), sink, err);
        hf_perf_ring_take(ring);
    }
    return status;
}

enum hf_status hf_perf_source_poll(
    struct hf_perf_source *s, int wait_ms, struct hf_half_sink sink, struct hf_error *err)
{
    if (poll(s->waits, s->ring_count, wait_ms) < 0 && errno != EINTR)
        return hf_error_system(err, errno, "cannot wait for events");
    for (size_t i = 0; i < s->ring_count; i++) {
        if ((s->waits[i].revents & POLLHUP) != 0) /* its thread has ended, and it would wake us */
            s->waits[i].fd = -1;
    }
    return hand_out_ready(s, false, sink, err);
}

/* What the kernel counted and did not record. */
static uint64_t count_unrecorded(const struct hf_perf_source *s)
{
    uint64_t counted = 0;
    for (uint32_t kind = 0; kind < s->kinds.count; kind++)
        counted += hf_keeper_line_count(s->keeper, kind);
    uint64_t known = s->seen + s->lost;
    return counted > known ? counted - known : 0;
}

enum hf_status hf_perf_source_stop(
    struct hf_perf_source *s, struct hf_half_sink sink, struct hf_error *err)
{
    s->end_ns = perf_source_now_ns();
    hf_keeper_line_end(s->keeper);
    enum hf_status status = hand_out_ready(s, true, sink, err);
    struct hf_half lost = {.kind = HF_HALF_LOST, .time_ns = s->last_ns};
    lost.count = count_unrecorded(s);
    if (status == HF_OK && lost.count != 0)
        status = sink.take(sink.context, &lost, err);
    return status;
}
