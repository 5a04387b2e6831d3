#include "cli/heap_worker.h"

#include "cli/say.h"
#include "heap/allocators/allocators.h"
#include "heap/graph/lost_trees.h"
#include "memory/race.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum hf_status read_threads(
    struct hf_heap_worker *worker, const struct hf_heap_order *what, int fd, struct hf_error *err)
{
    size_t size = what->thread_count * sizeof *worker->threads;
    worker->threads = malloc(size);
    if (worker->threads == NULL)
        return hf_error_memory(err);
    if (pread(fd, worker->threads, size, 0) != (ssize_t)size)
        return hf_error_system(err, errno, "cannot read the registers of the threads");
    worker->image.threads = worker->threads;
    worker->image.thread_count = what->thread_count;
    return HF_OK;
}

static const char why_no_heap[] =
    "the process has no heap of glibc's malloc, jemalloc 5.3, mimalloc 2.0 or gperftools' "
    "tcmalloc; other allocators (Google's newer tcmalloc, musl, other versions of these) cannot be "
    "read yet";

static enum hf_status refuse_heap(const struct hf_heap *heap, struct hf_error *err)
{
    if (heap->unread_count != 0)
        return hf_error_set(err, HF_ERR_INPUT, "the process has %s, which cannot be read: its %s",
            heap->unread[0].library, heap->unread[0].why);
    return hf_error_set(err, HF_ERR_INPUT, "%s", why_no_heap);
}

/* What it has is not refused: the process may have loaded the library for another's sake. */
static void say_unread(const struct hf_heap *heap)
{
    for (size_t i = 0; i < heap->unread_count; i++)
        hf_say("note: %s is not read: its %s. Its memory counts as other mappings, and whatever "
               "these point to counts as held",
            heap->unread[i].library, heap->unread[i].why);
    if (heap->count == 0)
        hf_say("note: %s", why_no_heap);
}

/* What is said of it is said once. */
static enum hf_status walk_heaps(
    struct hf_heap_worker *worker, bool is_again, struct hf_heap *heap, struct hf_error *err)
{
    enum hf_status status = hf_heap_read(heap, &worker->image, err);
    if (status == HF_OK && heap->count == 0 && !worker->task->takes_no_heap)
        status = refuse_heap(heap, err);
    if (status == HF_OK && !is_again && !worker->task->common->quiet)
        say_unread(heap);
    return status;
}

/* Whose blocks come with the picture: they change meanwhile. */
static enum hf_status see_blocks(struct hf_heap_worker *worker, const struct hf_heap_order *what,
    int table, struct hf_error *err)
{
    const struct hf_heap_reader_task *task = worker->task;
    return table >= 0 && task->see_table != NULL
               ? task->see_table(task->context, &table, what->asked_ns, err)
               : HF_OK;
}

static enum hf_status report_reading(struct hf_heap_worker *worker,
    const struct hf_heap_order *what, const struct hf_heap *heap,
    const struct hf_block_graph *graph, struct hf_error *err)
{
    const struct hf_heap_reading reading = {
        .pid = what->pid,
        .stopped_ns = what->stopped_ns,
        .image = &worker->image,
        .heap = heap,
        .graph = graph,
        .places = &worker->places,
    };
    return worker->task->report(worker->task->context, &reading, err);
}

/* What is to be known of a look goes with it. */
static void forget_look(struct hf_heap_worker *worker)
{
    hf_process_image_done(&worker->image);
    hf_table_memory_done(&worker->recorder);
    hf_resident_places_done(&worker->places);
    free(worker->threads);
    worker->threads = NULL;
    if (worker->pages >= 0)
        (void)close(worker->pages);
    if (worker->table >= 0)
        (void)close(worker->table);
    worker->pages = worker->table = -1;
}

/* What one look takes for lost only because it moved meanwhile, the next does not: so looks go on
 * until one more has changed nothing. */
static enum hf_status count_lost(struct hf_heap_worker *worker, const struct hf_heap_order *what,
    const struct hf_heap *heap, struct hf_block_graph *graph, struct hf_error *err)
{
    size_t before = worker->lost.count, count = graph->lost.count + graph->lost_with.count;
    worker->wants_look =
        what->look == HF_HEAP_FIRST_LOOK || (what->look == HF_HEAP_NEXT_LOOK && count != before);
    if (!worker->wants_look)
        return HF_OK;
    hf_lost_blocks_done(&worker->lost);
    return hf_lost_blocks_note(&worker->lost, heap, graph, err);
}

/* A block that is in the table when all is read, and was there before, was in use all the time. */
static enum hf_status finish_look(struct hf_heap_worker *worker, const struct hf_heap_order *what,
    const struct hf_heap *heap, struct hf_block_graph *graph, struct hf_error *err)
{
    enum hf_status status = count_lost(worker, what, heap, graph, err);
    if (status != HF_OK || worker->wants_look)
        return status;
    if (what->look != HF_HEAP_SNAPSHOT)
        status = see_blocks(worker, what, worker->table, err);
    if (what->look != HF_HEAP_SNAPSHOT && status == HF_OK)
        status = hf_lost_trees_spare(graph, heap,
            hf_race_unread_registers(worker->image.threads, worker->image.thread_count), err);
    return status == HF_OK ? report_reading(worker, what, heap, graph, err) : status;
}

static enum hf_status read_heaps(
    struct hf_heap_worker *worker, const struct hf_heap_order *what, int fd, struct hf_error *err)
{
    struct hf_heap heap = {0};
    struct hf_block_graph graph = {0};
    enum hf_status status = HF_OK;
    bool is_again = what->look == HF_HEAP_NEXT_LOOK || what->look == HF_HEAP_LAST_LOOK;
    worker->image.memory = hf_memory_of_file(&fd);
    worker->image.is_running = what->look != HF_HEAP_SNAPSHOT;
    if (what->look != HF_HEAP_SNAPSHOT)
        status = hf_race_find_threads(&worker->image, worker->threads, err);
    if (status == HF_OK)
        status = walk_heaps(worker, is_again, &heap, err);
    if (status == HF_OK)
        status = hf_block_graph_make_again(
            &graph, &heap, &worker->image, is_again ? &worker->lost : NULL, err);
    if (status == HF_OK)
        status = finish_look(worker, what, &heap, &graph, err);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
    return status;
}

/* What comes with an order is gone with it. */
static enum hf_status keep_descriptor(int *out_fd, int fd, struct hf_error *err)
{
    *out_fd = dup(fd);
    return *out_fd >= 0 ? HF_OK : hf_error_system(err, errno, "cannot keep a descriptor");
}

static enum hf_status keep_pages(struct hf_heap_worker *worker, int fd, struct hf_error *err)
{
    enum hf_status status = keep_descriptor(&worker->pages, fd, err);
    if (status == HF_OK)
        worker->image.pages = &worker->pages;
    return status;
}

/* They change meanwhile, so they come first. */
static enum hf_status see_places(struct hf_heap_worker *worker, int fd, struct hf_error *err)
{
    struct hf_input smaps;
    hf_input_open_descriptor(&smaps, fd, "smaps");
    enum hf_status status = hf_resident_places_read(&worker->places, &smaps, err);
    hf_input_close(&smaps);
    return status;
}

/* Of a snapshot its blocks come first: they change meanwhile. */
static enum hf_status take_table(
    struct hf_heap_worker *worker, const struct hf_heap_order *what, int fd, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (what->look == HF_HEAP_SNAPSHOT)
        status = see_blocks(worker, what, fd, err);
    else
        status = keep_descriptor(&worker->table, fd, err);
    if (status == HF_OK)
        status = hf_table_memory_read(&worker->recorder, hf_live_source_of(&fd, "live table"), err);
    worker->image.recorder = worker->recorder.items;
    worker->image.recorder_count = worker->recorder.count;
    return status;
}

size_t hf_heap_worker_work(
    void *context, const struct hf_standby_order *order, char reply_bytes[HF_BROKER_TEXT_MAX])
{
    struct hf_heap_worker *worker = context;
    struct hf_heap_order what;
    struct hf_heap_reply reply;
    enum hf_status status = HF_ERR_SYSTEM;
    memset(&reply, 0, sizeof reply);
    if (order->bytes.size == sizeof what) {
        memcpy(&what, order->bytes.data, sizeof what);
        switch (order->kind) {
        case HF_HEAP_ORDER_MAPS:
            status = hf_process_image_read_maps(&worker->image, order->fd, &reply.error);
            break;
        case HF_HEAP_ORDER_THREADS:
            status = read_threads(worker, &what, order->fd, &reply.error);
            break;
        case HF_HEAP_ORDER_PLACES: status = see_places(worker, order->fd, &reply.error); break;
        case HF_HEAP_ORDER_LOOK:
            status = worker->task->look(worker->task->context, order->fd, what.name, &reply.error);
            break;
        case HF_HEAP_ORDER_GONE:
            status = worker->task->report(worker->task->context, NULL, &reply.error);
            break;
        case HF_HEAP_ORDER_PAGES: status = keep_pages(worker, order->fd, &reply.error); break;
        case HF_HEAP_ORDER_TABLE:
            status = take_table(worker, &what, order->fd, &reply.error);
            break;
        default: status = read_heaps(worker, &what, order->fd, &reply.error); break;
        }
    }
    if (order->kind == HF_HEAP_ORDER_MEMORY || status != HF_OK) /* the last of a reading */
        forget_look(worker);
    reply.status = (uint32_t)status;
    reply.wants_heap = worker->task->wants_heap != NULL && *worker->task->wants_heap;
    reply.wants_look = worker->wants_look;
    reply.is_partial = worker->task->common->is_partial;
    reply.is_exceeded =
        worker->task->common->has_code && worker->task->common->code == HF_EXIT_EXCEEDED;
    memcpy(reply_bytes, &reply, sizeof reply);
    return sizeof reply;
}

void hf_heap_worker_done(struct hf_heap_worker *worker)
{
    forget_look(worker);
    hf_lost_blocks_done(&worker->lost);
}
