#include "attach/keeper/perf_ring.h"

#include "base/containers/vec.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DATA_MIN ((size_t)64 << 10)
#define RING_BYTES ((size_t)16 << 20)
#define RINGS_BYTES ((size_t)512 << 20) /* all of them */

size_t hf_perf_ring_bytes(size_t ring_count)
{
    size_t bytes = RING_BYTES;
    while (bytes * ring_count > RINGS_BYTES && bytes > (size_t)256 << 10)
        bytes /= 2;
    return bytes;
}

enum hf_status hf_perf_ring_open(
    struct hf_perf_ring *ring, int fd, size_t data_bytes, struct hf_error *err)
{
    *ring = (struct hf_perf_ring){.fd = fd, .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
    void *memory = MAP_FAILED;
    for (; data_bytes >= DATA_MIN; data_bytes /= 2) {
        memory =
            mmap(NULL, ring->page_bytes + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED || (errno != EPERM && errno != ENOMEM))
            break;
    }
    if (memory == MAP_FAILED) {
        hf_error_system(err, errno, "no memory for perf's records");
        close(fd);
        *ring = (struct hf_perf_ring){0};
        return HF_ERR_SYSTEM;
    }
    ring->page = memory;
    ring->data_bytes = data_bytes;
    return HF_OK;
}

void hf_perf_ring_close(struct hf_perf_ring *ring)
{
    if (ring->page != NULL) {
        munmap(ring->page, ring->page_bytes + ring->data_bytes);
        close(ring->fd);
    }
    free(ring->queue);
    *ring = (struct hf_perf_ring){0};
}

static void copy_out(const struct hf_perf_ring *ring, uint64_t from, char *to, size_t size)
{
    const char *data = (const char *)ring->page + ring->page_bytes;
    size_t at = (size_t)(from & (ring->data_bytes - 1));
    size_t first = size < ring->data_bytes - at ? size : ring->data_bytes - at;
    memcpy(to, data + at, first);
    memcpy(to + first, data, size - first);
}

enum hf_status hf_perf_ring_drain(struct hf_perf_ring *ring, struct hf_error *err)
{
    uint64_t head =
        atomic_load_explicit((_Atomic __u64 *)(void *)&ring->page->data_head, memory_order_acquire);
    uint64_t tail = ring->page->data_tail;
    size_t size = (size_t)(head - tail);
    if (ring->from != 0) {
        memmove(ring->queue, ring->queue + ring->from, ring->to - ring->from);
        ring->to -= ring->from;
        ring->from = 0;
    }
    if (size == 0)
        return HF_OK;
    if (!hf_vec_reserve(&ring->queue, &ring->capacity, ring->to + size, 1))
        return hf_error_memory(err);
    copy_out(ring, tail, ring->queue + ring->to, size);
    ring->to += size;
    atomic_store_explicit(
        (_Atomic __u64 *)(void *)&ring->page->data_tail, head, memory_order_release);
    return HF_OK;
}

struct perf_event_header *hf_perf_ring_first(const struct hf_perf_ring *ring)
{
    return ring->from != ring->to ? (void *)(ring->queue + ring->from) : NULL;
}

void hf_perf_ring_take(struct hf_perf_ring *ring)
{
    ring->from += hf_perf_ring_first(ring)->size;
}
