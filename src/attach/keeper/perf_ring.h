/*
 * perf_ring.h: the memory into which the kernel writes records of events of one processor, and the
 * queue behind it.
 *
 * The ring is emptied as often as possible, because what does not fit is lost; the queue keeps the
 * records until it is their turn among those of other processors. Records are of
 * perf_event_open(2), "MMAP layout".
 */
#ifndef HF_ATTACH_PERF_RING_H
#define HF_ATTACH_PERF_RING_H

#include "base/error.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_perf_ring {
    int fd; /* of the event it was mapped of */
    struct perf_event_mmap_page *page;
    size_t data_bytes, page_bytes;
    char *queue; /* bytes [from, to): whole records */
    size_t from, to, capacity;
};

/* How large each of so many rings should be. */
size_t hf_perf_ring_bytes(size_t ring_count);

/* Maps the ring of an event, of `data_bytes`, a power of two; less if that is not allowed. The
 * descriptor is taken over, also if it fails. */
HF_MUST_CHECK enum hf_status hf_perf_ring_open(
    struct hf_perf_ring *ring, int fd, size_t data_bytes, struct hf_error *err);
void hf_perf_ring_close(struct hf_perf_ring *ring);

/* Moves what the kernel wrote into the queue. */
HF_MUST_CHECK enum hf_status hf_perf_ring_drain(struct hf_perf_ring *ring, struct hf_error *err);

/* The first record of the queue, or NULL; its bytes may be changed, and are good until the drain.
 */
struct perf_event_header *hf_perf_ring_first(const struct hf_perf_ring *ring);
void hf_perf_ring_take(struct hf_perf_ring *ring);

#endif
