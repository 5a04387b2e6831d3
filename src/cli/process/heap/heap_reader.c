#include "cli/process/heap/heap_reader.h"

#include "cli/process/heap/heap_report.h"
#include "cli/reader.h"
#include "heap/allocators.h"
#include "os/process/standby.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What comes with each order, by a descriptor. */
enum { ORDER_MAPS, ORDER_THREADS, ORDER_PAGES, ORDER_MEMORY };

struct heap_order {
    uint32_t pid;
    uint64_t stopped_ns, thread_count;
};

/* No `bool`, and no text that must end: it may come from a worker that was taken over. */
struct heap_reply {
    uint32_t status;
    struct hf_error error;
};

struct heap_reader {
    const struct hf_heap_reader_options *options;
    struct hf_process_image image;     /* the worker's */
    struct hf_stopped_thread *threads; /* likewise */
    int pages;                         /* a descriptor; likewise */
};

static enum hf_status read_threads(
    struct heap_reader *reader, const struct heap_order *what, int fd, struct hf_error *err)
{
    size_t size = what->thread_count * sizeof *reader->threads;
    reader->threads = malloc(size);
    if (reader->threads == NULL)
        return hf_error_memory(err);
    if (pread(fd, reader->threads, size, 0) != (ssize_t)size)
        return hf_error_system(err, errno, "cannot read the registers of the threads");
    reader->image.threads = reader->threads;
    reader->image.thread_count = what->thread_count;
    return HF_OK;
}

static enum hf_status heap_reader_write(const struct hf_heap_reader_options *options,
    const struct hf_heap_report *report, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    if (options->is_json)
        hf_heap_json(report, &output.out);
    else
        hf_heap_text(report, &output.out);
    return hf_output_close(&output, status, err);
}

static enum hf_status report_graph(const struct heap_reader *reader, const struct heap_order *what,
    const struct hf_heap *heap, const struct hf_block_graph *graph, struct hf_error *err)
{
    struct hf_dominators tree = {0};
    struct hf_holders holders = {0};
    struct hf_heap_census census = {0};
    enum hf_status status = hf_dominators_make(&tree, heap, graph, err);
    if (status == HF_OK)
        status = hf_holders_make(&holders, heap, graph, &tree, err);
    if (status == HF_OK)
        status = hf_heap_census_make(&census, heap, graph, err);
    if (reader->options->wants_lost)
        hf_heap_census_keep_lost(&census);
    const struct hf_heap_report report = {
        .pid = what->pid,
        .stopped_ns = what->stopped_ns,
        .heap = heap,
        .graph = graph,
        .holders = &holders,
        .census = &census,
        .rows = reader->options->rows != 0 ? (size_t)reader->options->rows : SIZE_MAX,
    };
    if (status == HF_OK)
        status = heap_reader_write(reader->options, &report, err);
    hf_heap_census_done(&census);
    hf_holders_done(&holders);
    hf_dominators_done(&tree);
    return status;
}

static enum hf_status heap_reader_read(
    struct heap_reader *reader, const struct heap_order *what, int fd, struct hf_error *err)
{
    struct hf_heap heap = {0};
    struct hf_block_graph graph = {0};
    reader->image.memory = hf_memory_of_file(&fd);
    enum hf_status status = hf_heap_read(&heap, &reader->image, err);
    if (status == HF_OK)
        status = hf_block_graph_make(&graph, &heap, &reader->image, err);
    if (status == HF_OK)
        status = report_graph(reader, what, &heap, &graph, err);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
    return status;
}

/* What comes with an order is gone with it. */
static enum hf_status keep_pages(struct heap_reader *reader, int fd, struct hf_error *err)
{
    reader->pages = dup(fd);
    if (reader->pages < 0)
        return hf_error_system(err, errno, "cannot keep a descriptor");
    reader->image.pages = &reader->pages;
    return HF_OK;
}

static size_t heap_reader_work(
    void *context, const struct hf_standby_order *order, char reply_bytes[HF_BROKER_TEXT_MAX])
{
    struct heap_reader *reader = context;
    struct heap_order what;
    struct heap_reply reply;
    enum hf_status status = HF_ERR_SYSTEM;
    memset(&reply, 0, sizeof reply);
    if (order->bytes.size == sizeof what) {
        memcpy(&what, order->bytes.data, sizeof what);
        switch (order->kind) {
        case ORDER_MAPS:
            status = hf_process_image_read_maps(&reader->image, order->fd, &reply.error);
            break;
        case ORDER_THREADS: status = read_threads(reader, &what, order->fd, &reply.error); break;
        case ORDER_PAGES: status = keep_pages(reader, order->fd, &reply.error); break;
        default: status = heap_reader_read(reader, &what, order->fd, &reply.error); break;
        }
    }
    reply.status = (uint32_t)status;
    memcpy(reply_bytes, &reply, sizeof reply);
    return sizeof reply;
}

static enum hf_status heap_reader_order(struct hf_standby *standby, uint32_t kind,
    const struct heap_order *what, int fd, struct hf_error *err)
{
    char cause[160];
    struct heap_reply reply;
    struct hf_standby_ending ending;
    const struct hf_standby_order order = {
        kind, {(const char *)(const void *)what, sizeof *what}, fd};
    if (!hf_standby_do(standby, &order, &reply, sizeof reply, &ending)) {
        hf_standby_put_cause(&ending, cause, sizeof cause);
        return hf_error_set(err, HF_ERR_INPUT,
            "the reader of process %u %s; the process is as it "
            "was",
            what->pid, cause);
    }
    return hf_error_received(err, &reply.error, reply.status);
}

/* The registers, as a file in memory: a descriptor is what an order has room for. */
static enum hf_status heap_reader_put_threads(
    const struct hf_snapshot *snapshot, int *out_fd, struct hf_error *err)
{
    size_t size = snapshot->thread_count * sizeof *snapshot->threads;
    *out_fd = memfd_create("threads", MFD_CLOEXEC);
    if (*out_fd < 0 || pwrite(*out_fd, snapshot->threads, size, 0) != (ssize_t)size)
        return hf_error_system(err, errno, "cannot create a file in memory");
    return HF_OK;
}

static enum hf_status give_orders(struct hf_standby *standby, const struct hf_snapshot *snapshot,
    uint32_t pid, struct hf_error *err)
{
    int threads;
    const struct heap_order what = {pid, snapshot->stopped_ns, snapshot->thread_count};
    enum hf_status status = heap_reader_put_threads(snapshot, &threads, err);
    if (status == HF_OK)
        status = heap_reader_order(standby, ORDER_MAPS, &what, snapshot->maps, err);
    if (status == HF_OK)
        status = heap_reader_order(standby, ORDER_THREADS, &what, threads, err);
    if (status == HF_OK)
        status = heap_reader_order(standby, ORDER_PAGES, &what, snapshot->pages, err);
    if (status == HF_OK)
        status = heap_reader_order(standby, ORDER_MEMORY, &what, snapshot->memory, err);
    if (threads >= 0)
        (void)close(threads);
    return status;
}

enum hf_status hf_heap_reader_report(const struct hf_heap_reader_options *options,
    const struct hf_snapshot *snapshot, uint32_t pid, struct hf_error *err)
{
    static const char *const magics[] = {"\177ELF", NULL};
    const char *words[1] = {NULL}, *outputs[1] = {NULL};
    struct heap_reader reader = {.options = options, .pages = -1};
    struct hf_reader_rules rules;
    struct hf_standby standby = {0};
    hf_reader_rules_init(&rules, options->common.quiet, words, outputs);
    rules.rules.drawing = NULL;
    rules.rules.magics = magics; /* it needs no file, and gets none but programs */
    rules.rules.gives_tables = false;
    enum hf_status status = hf_standby_init(&standby, &rules.rules, err);
    standby.work = heap_reader_work;
    standby.context = &reader;
    standby.is_inside = options->common.no_sandbox;
    standby.keeps_output = true;
    if (status == HF_OK)
        status = give_orders(&standby, snapshot, pid, err);
    hf_standby_done(&standby);
    hf_process_image_done(&reader.image); /* of one that worked here */
    free(reader.threads);
    if (reader.pages >= 0)
        (void)close(reader.pages);
    return status;
}
