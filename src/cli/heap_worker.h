/*
 * heap_worker.h: the work of heap_reader.h, in its process without rights: reads the heaps of a
 * process by the descriptors that come with orders, and gives what it has read to who reports it.
 *
 * Orders and replies are these structs, byte by byte.
 */
#ifndef HF_CLI_HEAP_WORKER_H
#define HF_CLI_HEAP_WORKER_H

#include "cli/heap_reader.h"
#include "heap/table_blocks.h"
#include "os/process/standby.h"

/* What comes with each order of a reading, by a descriptor, in this order; the last one reads. */
enum hf_heap_order_kind {
    HF_HEAP_ORDER_PLACES,
    HF_HEAP_ORDER_TABLE,
    HF_HEAP_ORDER_MAPS,
    HF_HEAP_ORDER_THREADS,
    HF_HEAP_ORDER_PAGES,
    HF_HEAP_ORDER_MEMORY,
    HF_HEAP_ORDERS,
    HF_HEAP_ORDER_LOOK = HF_HEAP_ORDERS, /* before a reading: at the live table */
    HF_HEAP_ORDER_GONE,                  /* instead of it: the process has ended */
};

/* What is read: a snapshot, or the process itself, the first time, again, and for the last time. */
enum hf_heap_look { HF_HEAP_SNAPSHOT, HF_HEAP_FIRST_LOOK, HF_HEAP_NEXT_LOOK, HF_HEAP_LAST_LOOK };

struct hf_heap_order {
    uint32_t pid, look;
    uint64_t stopped_ns, asked_ns, thread_count;
    char name[PATH_MAX]; /* of the table that is looked at */
};

/* No `bool`, and no text that must end: it may come from a worker that was taken over. */
struct hf_heap_reply {
    uint32_t status, is_partial, is_exceeded, wants_heap, wants_look;
    struct hf_error error;
};

/* {.task = ..., .pages = -1, .table = -1} at first. */
struct hf_heap_worker {
    const struct hf_heap_reader_task *task;
    struct hf_process_image image;
    struct hf_stopped_thread *threads;
    struct hf_table_memory recorder;
    struct hf_resident_places places;
    int pages, table;           /* descriptors */
    struct hf_lost_blocks lost; /* in all looks so far */
    bool wants_look;            /* they may be fewer */
};

/* A hf_standby_work; `worker` is a struct hf_heap_worker. */
size_t hf_heap_worker_work(
    void *worker, const struct hf_standby_order *order, char reply[HF_BROKER_TEXT_MAX]);

void hf_heap_worker_done(struct hf_heap_worker *worker);

#endif
