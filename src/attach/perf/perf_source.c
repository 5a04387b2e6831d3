/*
 * Each probe is one or two trace events (attach/perf/tracefs.h), each watched by perf on all
 * threads (attach/perf/perf_events.h); what happens on one processor comes through one ring
 * (attach/perf/perf_ring.h). A record is handed out when no ring can have an older one: all have
 * some, or it is LAG_NS old. One that comes later than that, out of order, is a loss.
 *
 * Of records that were lost the kernel tells; those that it had no chance to tell of are found in
 * the end, because it counts what it records.
 */
#include "attach/perf/perf_source.h"

#include "attach/perf/perf_events.h"
#include "attach/perf/perf_kinds.h"
#include "attach/perf/perf_ring.h"
#include "attach/perf/tracefs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define LAG_NS UINT64_C(100000000) /* a processor of a virtual machine may stand still so long */
#define RING_BYTES ((size_t)16 << 20)
#define RINGS_BYTES ((size_t)512 << 20) /* all of them */

struct hf_perf_source {
    uint32_t pid;
    const struct hf_probe *probes;
    struct hf_tracefs tracefs;
    struct hf_perf_kinds kinds;
    struct hf_perf_events events;
    struct hf_perf_ring *rings;
    struct pollfd *waits; /* of the rings */
    size_t ring_count, ring_bytes, cpu_count;
    uint64_t begin_ns, last_ns, end_ns; /* of the last record; when it was stopped, or never */
    uint64_t seen, lost;                /* records */
    bool has_ended;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Of each processor's ring. */
static size_t ring_bytes_of(size_t ring_count)
{
    size_t bytes = RING_BYTES;
    while (bytes * ring_count > RINGS_BYTES && bytes > (size_t)256 << 10)
        bytes /= 2;
    return bytes;
}

/* Each processor's first file gets a ring; what the others record goes there, too. */
static enum hf_status open_rings(struct hf_perf_source *s, struct hf_error *err)
{
    size_t cpu_count = s->cpu_count;
    int *ring_of = calloc(cpu_count, sizeof *ring_of); /* 1 + number */
    s->rings = calloc(cpu_count, sizeof *s->rings);
    s->waits = calloc(cpu_count, sizeof *s->waits);
    enum hf_status status =
        ring_of != NULL && s->rings != NULL && s->waits != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; i < s->events.count && status == HF_OK; i++) {
        const struct hf_perf_file *file = &s->events.files[i];
        int *ring = &ring_of[file->cpu];
        if (*ring == 0) {
            status = hf_perf_ring_open(&s->rings[s->ring_count], file->fd, s->ring_bytes, err);
            *ring = (int)++s->ring_count;
        } else if (ioctl(file->fd, PERF_EVENT_IOC_SET_OUTPUT, s->rings[*ring - 1].fd) != 0) {
            status = hf_error_system(err, errno, "events of perf cannot share a ring");
        }
    }
    free(ring_of);
    return status;
}

void hf_perf_source_close(struct hf_perf_source *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->ring_count; i++)
        hf_perf_ring_close(&s->rings[i]);
    hf_perf_events_close(&s->events);
    hf_tracefs_close(&s->tracefs);
    free(s->rings);
    free(s->waits);
    hf_perf_kinds_done(&s->kinds);
    free(s);
}

uint64_t hf_perf_source_begin(const struct hf_perf_source *source)
{
    return source->begin_ns;
}

static enum hf_status start(
    struct hf_perf_source *s, const struct hf_perf_source_options *options, struct hf_error *err)
{
    s->cpu_count = (size_t)sysconf(_SC_NPROCESSORS_CONF);
    s->ring_bytes = ring_bytes_of(s->cpu_count);
    enum hf_status status = options->probe_count != 0 ? hf_tracefs_open(&s->tracefs, err) : HF_OK;
    if (status == HF_OK)
        status =
            hf_perf_kinds_make(&s->kinds, &s->tracefs, options, (uint32_t)(s->ring_bytes / 4), err);
    if (status == HF_OK)
        status =
            hf_perf_events_open(&s->events, options->pid, s->kinds.attributes, s->kinds.count, err);
    if (status == HF_OK)
        status = hf_perf_kinds_filter(&s->kinds, &s->events, options, err);
    if (status == HF_OK)
        status = open_rings(s, err);
    if (status != HF_OK)
        return status;
    for (size_t i = 0; i < s->ring_count; i++)
        s->waits[i] = (struct pollfd){.fd = s->rings[i].fd, .events = POLLIN};
    hf_perf_events_enable(&s->events);
    s->begin_ns = now_ns();
    return HF_OK;
}

enum hf_status hf_perf_source_open(const struct hf_perf_source_options *options,
    struct hf_perf_source **out_source, struct hf_error *err)
{
    struct hf_perf_source *s = calloc(1, sizeof *s);
    if (s == NULL)
        return hf_error_memory(err);
    *s = (struct hf_perf_source){
        .pid = options->pid, .probes = options->probes, .end_ns = UINT64_MAX, .tracefs.folder = -1};
    enum hf_status status = start(s, options, err);
    if (status != HF_OK) {
        hf_perf_source_close(s);
        return status;
    }
    *out_source = s;
    return HF_OK;
}

/* A word of a record, counted in words from its start; the kernel aligns them. */
static uint64_t word_of(const struct perf_event_header *record, size_t index)
{
    uint64_t word;
    memcpy(&word, (const char *)record + index * sizeof word, sizeof word);
    return word;
}

/* A sample begins with number, thread and time; others end with thread, time and number. */
static uint64_t time_of(const struct perf_event_header *record)
{
    return word_of(record, record->type == PERF_RECORD_SAMPLE ? 3 : record->size / 8u - 2);
}

/* False for a sample that is not ours to tell. */
static bool read_sample(
    struct hf_perf_source *s, struct perf_event_header *record, struct hf_half *h)
{
    const struct hf_perf_file *file = hf_perf_events_find(&s->events, word_of(record, 1));
    if (file == NULL)
        return false;
    s->seen++;
    const struct hf_perf_kind *kind = &s->kinds.items[file->kind];
    const struct perf_event_attr *a = &s->kinds.attributes[file->kind];
    h->kind = kind->half;
    h->probe = kind->probe;
    h->tid = (uint32_t)(word_of(record, 2) >> 32);
    if ((uint32_t)word_of(record, 2) != s->pid || !hf_perf_events_owns(&s->events, file, h->tid))
        return false;
    char *at = (char *)record + 4 * sizeof(uint64_t);
    if ((a->sample_type & PERF_SAMPLE_ADDR) != 0) {
        memcpy(&h->address, at, sizeof h->address);
        at += sizeof h->address;
    }
    at += hf_perf_registers_read(at, a->sample_regs_user, &h->registers);
    if (h->kind == HF_HALF_ENTRY)
        h->registers.ip = s->probes[h->probe].address;
    if ((a->sample_type & PERF_SAMPLE_STACK_USER) != 0) {
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

/* False for a record that says nothing to anybody else. */
static bool read_record(
    struct hf_perf_source *s, struct perf_event_header *record, struct hf_half *h)
{
    *h = (struct hf_half){.time_ns = time_of(record)};
    switch (record->type) {
    case PERF_RECORD_SAMPLE: return read_sample(s, record, h);
    case PERF_RECORD_LOST:
        h->kind = HF_HALF_LOST;
        h->count = word_of(record, 2);
        s->lost += h->count;
        return true;
    case PERF_RECORD_EXIT:
        h->kind = HF_HALF_EXIT;
        h->tid = (uint32_t)word_of(record, 2);
        hf_perf_events_forget_thread(&s->events, h->tid);
        return true;
    case PERF_RECORD_COMM:
        h->kind = HF_HALF_EXEC;
        return (record->misc & PERF_RECORD_MISC_COMM_EXEC) != 0 &&
               (uint32_t)word_of(record, 1) == s->pid;
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
        if (record != NULL && time_of(record) < oldest_ns) {
            oldest = &s->rings[i];
            oldest_ns = time_of(record);
        }
    }
    return is_complete || oldest_ns + LAG_NS <= drained_ns ? oldest : NULL;
}

static enum hf_status hand_out(struct hf_perf_source *s, struct perf_event_header *record,
    struct hf_half_sink sink, struct hf_error *err)
{
    struct hf_half half;
    if (!read_record(s, record, &half) || s->has_ended || half.time_ns < s->begin_ns ||
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
    uint64_t drained_ns = all ? UINT64_MAX : now_ns();
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
        counted += hf_perf_events_count(&s->events, kind);
    uint64_t known = s->seen + s->lost;
    return counted > known ? counted - known : 0;
}

enum hf_status hf_perf_source_stop(
    struct hf_perf_source *s, struct hf_half_sink sink, struct hf_error *err)
{
    s->end_ns = now_ns();
    hf_perf_events_disable(&s->events);
    enum hf_status status = hand_out_ready(s, true, sink, err);
    struct hf_half lost = {.kind = HF_HALF_LOST, .time_ns = s->last_ns};
    lost.count = count_unrecorded(s);
    if (status == HF_OK && lost.count != 0)
        status = sink.take(sink.context, &lost, err);
    return status;
}
