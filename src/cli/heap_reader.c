#include "cli/heap_reader.h"

#include "base/strings/units.h"
#include "capture/found_table.h"
#include "capture/memory_group.h"
#include "cli/reader.h"
#include "cli/say.h"
#include "heap/allocators/allocators.h"
#include "heap/table_blocks.h"
#include "memory/race.h"
#include "os/path.h"
#include "os/process/proc.h"
#include "os/process/standby.h"
#include "symbol/cache/cache_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BETWEEN_LOOKS_NS 100000000 /* at a process that runs */
#define LOOKS_MAX 8
#define BETWEEN_READINGS_NS UINT64_C(50000000000) /* a worker that was taken over may want more */
#define ROOM_PART 4 /* of what is resident: so much the process may write while it is read */

/* What comes with each order, by a descriptor. */
enum { ORDER_PLACES, ORDER_TABLE, ORDER_MAPS, ORDER_THREADS, ORDER_PAGES, ORDER_MEMORY, ORDERS };

/* Before these, and instead of them. */
enum { ORDER_LOOK = ORDERS, ORDER_GONE };

/* What is read: a snapshot, or the process itself, the first time, again, and for the last time. */
enum { READ_SNAPSHOT, READ_FIRST, READ_AGAIN, READ_LAST };

struct heap_order {
    uint32_t pid, what;
    uint64_t stopped_ns, asked_ns, thread_count;
    char name[PATH_MAX]; /* of the table that is looked at */
};

/* No `bool`, and no text that must end: it may come from a worker that was taken over. */
struct heap_reply {
    uint32_t status, is_partial, is_exceeded, wants_heap, wants_look;
    struct hf_error error;
};

struct heap_reader {
    const struct hf_heap_reader_task *task;
    struct hf_process_image image;     /* the worker's */
    struct hf_stopped_thread *threads; /* likewise */
    struct hf_table_memory recorder;   /* likewise */
    struct hf_resident_places places;  /* likewise */
    int pages, table;                  /* descriptors; likewise */
    struct hf_lost_blocks lost;        /* likewise: in all looks so far */
    bool wants_look;                   /* likewise: they may be fewer */
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
static enum hf_status reader_walk_heap(
    struct heap_reader *reader, bool is_again, struct hf_heap *heap, struct hf_error *err)
{
    enum hf_status status = hf_heap_read(heap, &reader->image, err);
    if (status == HF_OK && heap->count == 0 && !reader->task->takes_no_heap)
        status = refuse_heap(heap, err);
    if (status == HF_OK && !is_again && !reader->task->common->quiet)
        say_unread(heap);
    return status;
}

/* Whose blocks come with the picture: they change meanwhile. */
static enum hf_status see_blocks(
    struct heap_reader *reader, const struct heap_order *what, int table, struct hf_error *err)
{
    const struct hf_heap_reader_task *task = reader->task;
    return table >= 0 && task->see_table != NULL
               ? task->see_table(task->context, &table, what->asked_ns, err)
               : HF_OK;
}

static enum hf_status report_reading(struct heap_reader *reader, const struct heap_order *what,
    const struct hf_heap *heap, const struct hf_block_graph *graph, struct hf_error *err)
{
    const struct hf_heap_reading reading = {
        .pid = what->pid,
        .stopped_ns = what->stopped_ns,
        .image = &reader->image,
        .heap = heap,
        .graph = graph,
        .places = &reader->places,
    };
    return reader->task->report(reader->task->context, &reading, err);
}

/* What is to be known of a look goes with it. */
static void forget_look(struct heap_reader *reader)
{
    hf_process_image_done(&reader->image);
    hf_table_memory_done(&reader->recorder);
    hf_resident_places_done(&reader->places);
    free(reader->threads);
    reader->threads = NULL;
    if (reader->pages >= 0)
        (void)close(reader->pages);
    if (reader->table >= 0)
        (void)close(reader->table);
    reader->pages = reader->table = -1;
}

/* What one look takes for lost only because it moved meanwhile, the next does not: so looks go on
 * until one more has changed nothing. */
static enum hf_status count_lost(struct heap_reader *reader, const struct heap_order *what,
    const struct hf_heap *heap, const struct hf_block_graph *graph, struct hf_error *err)
{
    size_t before = reader->lost.count, count = graph->lost.count + graph->lost_with.count;
    reader->wants_look = what->what == READ_FIRST || (what->what == READ_AGAIN && count != before);
    if (!reader->wants_look)
        return HF_OK;
    hf_lost_blocks_done(&reader->lost);
    return hf_lost_blocks_note(&reader->lost, heap, graph, err);
}

/* A block that is in the table when all is read, and was there before, was in use all the time. */
static enum hf_status finish_look(struct heap_reader *reader, const struct heap_order *what,
    const struct hf_heap *heap, const struct hf_block_graph *graph, struct hf_error *err)
{
    enum hf_status status = count_lost(reader, what, heap, graph, err);
    if (status != HF_OK || reader->wants_look)
        return status;
    if (what->what != READ_SNAPSHOT)
        status = see_blocks(reader, what, reader->table, err);
    return status == HF_OK ? report_reading(reader, what, heap, graph, err) : status;
}

static enum hf_status heap_reader_read(
    struct heap_reader *reader, const struct heap_order *what, int fd, struct hf_error *err)
{
    struct hf_heap heap = {0};
    struct hf_block_graph graph = {0};
    enum hf_status status = HF_OK;
    bool is_again = what->what == READ_AGAIN || what->what == READ_LAST;
    reader->image.memory = hf_memory_of_file(&fd);
    if (what->what != READ_SNAPSHOT)
        status = hf_race_find_threads(&reader->image, reader->threads, err);
    if (status == HF_OK)
        status = reader_walk_heap(reader, is_again, &heap, err);
    if (status == HF_OK)
        status = hf_block_graph_make_again(
            &graph, &heap, &reader->image, is_again ? &reader->lost : NULL, err);
    if (status == HF_OK)
        status = finish_look(reader, what, &heap, &graph, err);
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

static enum hf_status keep_pages(struct heap_reader *reader, int fd, struct hf_error *err)
{
    enum hf_status status = keep_descriptor(&reader->pages, fd, err);
    if (status == HF_OK)
        reader->image.pages = &reader->pages;
    return status;
}

/* They change meanwhile, so they come first. */
static enum hf_status heap_reader_see_places(
    struct heap_reader *reader, int fd, struct hf_error *err)
{
    struct hf_input smaps;
    hf_input_open_descriptor(&smaps, fd, "smaps");
    enum hf_status status = hf_resident_places_read(&reader->places, &smaps, err);
    hf_input_close(&smaps);
    return status;
}

/* Of a snapshot its blocks come first: they change meanwhile. */
static enum hf_status heap_reader_see_table(
    struct heap_reader *reader, const struct heap_order *what, int fd, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (what->what == READ_SNAPSHOT)
        status = see_blocks(reader, what, fd, err);
    else
        status = keep_descriptor(&reader->table, fd, err);
    if (status == HF_OK)
        status = hf_table_memory_read(&reader->recorder, hf_live_source_of(&fd, "live table"), err);
    reader->image.recorder = reader->recorder.items;
    reader->image.recorder_count = reader->recorder.count;
    return status;
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
        case ORDER_PLACES: status = heap_reader_see_places(reader, order->fd, &reply.error); break;
        case ORDER_LOOK:
            status = reader->task->look(reader->task->context, order->fd, what.name, &reply.error);
            break;
        case ORDER_GONE:
            status = reader->task->report(reader->task->context, NULL, &reply.error);
            break;
        case ORDER_PAGES: status = keep_pages(reader, order->fd, &reply.error); break;
        case ORDER_TABLE:
            status = heap_reader_see_table(reader, &what, order->fd, &reply.error);
            break;
        default: status = heap_reader_read(reader, &what, order->fd, &reply.error); break;
        }
    }
    if (order->kind == ORDER_MEMORY || status != HF_OK) /* the last of a reading */
        forget_look(reader);
    reply.status = (uint32_t)status;
    reply.wants_heap = reader->task->wants_heap != NULL && *reader->task->wants_heap;
    reply.wants_look = reader->wants_look;
    reply.is_partial = reader->task->common->is_partial;
    reply.is_exceeded =
        reader->task->common->has_code && reader->task->common->code == HF_EXIT_EXCEEDED;
    memcpy(reply_bytes, &reply, sizeof reply);
    return sizeof reply;
}

/* The worker, and what it is to do. */
struct hf_heap_worker {
    const struct hf_heap_reader_task *task;
    int table; /* of the next reading; -1: none */
    struct heap_order what;
    struct heap_reader reader;
    struct hf_reader_rules rules;
    struct hf_standby standby;
    const char *words[1], *outputs[3];
    bool wants_heap, wants_look, has_died;
    uint64_t next_ns; /* the process is not read again before that */
};

static enum hf_status heap_reader_order(
    struct hf_heap_worker *w, uint32_t kind, int fd, struct hf_error *err)
{
    const struct heap_order *what = &w->what;
    struct hf_common *common = w->task->common;
    char cause[160];
    struct heap_reply reply;
    struct hf_standby_ending ending;
    const struct hf_standby_order order = {
        kind, {(const char *)(const void *)what, sizeof *what}, fd};
    w->has_died = !hf_standby_do(&w->standby, &order, &reply, sizeof reply, &ending);
    if (w->has_died) {
        hf_standby_put_cause(&ending, cause, sizeof cause);
        return hf_error_set(err, HF_ERR_INPUT,
            "the reader of process %u %s; the process itself is unchanged", what->pid, cause);
    }
    w->wants_heap = reply.wants_heap != 0;
    w->wants_look = reply.wants_look != 0;
    common->is_partial = common->is_partial || reply.is_partial != 0;
    if (reply.is_exceeded != 0) {
        common->has_code = true;
        common->code = HF_EXIT_EXCEEDED;
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

static int open_smaps(uint32_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/smaps", hf_proc_living_thread(pid));
    return hf_path_open(path, 0);
}

/* What the kernel does not tell is not known: smaps may be left out of it. */
static enum hf_status give_orders(
    struct hf_heap_worker *w, const struct hf_snapshot *snapshot, struct hf_error *err)
{
    int threads, places = w->task->wants_places ? open_smaps(w->what.pid) : -1;
    enum hf_status status = heap_reader_put_threads(snapshot, &threads, err);
    const int fds[] = {
        [ORDER_PLACES] = places,
        [ORDER_MAPS] = snapshot->maps,
        [ORDER_THREADS] = threads,
        [ORDER_PAGES] = snapshot->pages,
        [ORDER_TABLE] = w->table,
        [ORDER_MEMORY] = snapshot->memory,
    };
    for (uint32_t kind = 0; kind < ORDERS && status == HF_OK; kind++) {
        if (fds[kind] >= 0)
            status = heap_reader_order(w, kind, fds[kind], err);
    }
    if (threads >= 0)
        (void)close(threads);
    if (places >= 0)
        (void)close(places);
    return status;
}

static enum hf_status begin_worker(
    struct hf_heap_worker *w, const struct hf_heap_reader_task *task, struct hf_error *err)
{
    static const char *const magics[] = {"\177ELF", NULL};
    size_t count = 0;
    for (size_t i = 0; i < HF_COUNT(task->outputs); i++) {
        if (task->outputs[i] != NULL)
            w->outputs[count++] = task->outputs[i];
    }
    w->reader = (struct heap_reader){.task = task, .pages = -1, .table = -1};
    hf_reader_rules_init(&w->rules, task->common->quiet, w->words, w->outputs);
    w->rules.rules.drawing = NULL;
    w->rules.rules.magics = magics; /* it needs no file, and gets none but programs */
    w->rules.rules.gives_tables = false;
    enum hf_status status = hf_standby_init(&w->standby, &w->rules.rules, err);
    w->standby.work = heap_reader_work;
    w->standby.context = &w->reader;
    w->standby.is_inside = task->common->no_sandbox;
    w->standby.keeps_output = true;
    w->standby.keeps_state = true;
    return status;
}

static void end_worker(struct hf_heap_worker *w)
{
    hf_standby_done(&w->standby);
    forget_look(&w->reader); /* of one that worked here */
    hf_lost_blocks_done(&w->reader.lost);
}

/* ---- Looks before ---- */

static enum hf_status heap_reader_look(void *context, struct hf_error *err)
{
    struct hf_heap_worker *w = context;
    struct hf_found_table table;
    enum hf_status status = hf_found_table_of(&table, w->what.pid, NULL, err);
    if (status != HF_OK)
        return status;
    memcpy(w->what.name, table.path, sizeof table.path);
    status = heap_reader_order(w, ORDER_LOOK, table.fd, err);
    hf_found_table_close(&table);
    return status;
}

static enum hf_status heap_reader_poll(
    void *context, struct hf_poller *poller, struct hf_loop *loop, struct hf_error *err)
{
    (void)context;
    enum hf_status status = hf_poller_begin(poller, loop, err);
    if (status == HF_OK)
        status = hf_loop_run(loop, err);
    hf_poller_end(poller);
    return status;
}

/* A page that the process writes while there is a copy of it is there twice. */
static enum hf_status check_room(uint32_t pid, struct hf_error *err)
{
    struct hf_proc_memory memory;
    char room[HF_UNITS_MAX], needed[HF_UNITS_MAX];
    struct hf_memory_group group = hf_memory_group_of(pid, NULL);
    struct hf_memory_reading reading = hf_memory_read(&group);
    uint64_t left = UINT64_MAX, available;
    if (!hf_proc_memory(hf_proc_living_thread(pid), &memory))
        return hf_error_set(err, HF_ERR_SYSTEM, "there is no process %u", pid);
    if (reading.limit_bytes != 0)
        left = reading.limit_bytes > reading.current_bytes
                   ? reading.limit_bytes - reading.current_bytes
                   : 0;
    if (hf_proc_available(&available) && available < left)
        left = available;
    if (left >= memory.anonymous_bytes / ROOM_PART)
        return HF_OK;
    return hf_error_set(err, HF_ERR_SYSTEM,
        "process %u cannot be copied: while it is read, it may need %s more memory, but only %s is "
        "left",
        pid, hf_units_bytes(memory.anonymous_bytes / ROOM_PART, needed),
        hf_units_bytes(left, room));
}

void hf_heap_symbols_init(struct hf_heap_symbols *symbols, const struct hf_request_names *names)
{
    symbols->options = (struct hf_symbol_options){.symdirs = names->symdirs.items,
        .symdir_count = names->symdirs.count,
        .cache_folder = hf_cache_folder(names->no_cache, symbols->cache)};
}

static enum hf_status read_snapshot(struct hf_heap_worker *w, struct hf_error *err)
{
    struct hf_snapshot snapshot;
    uint32_t pid = w->what.pid;
    enum hf_status status = check_room(pid, err);
    if (status != HF_OK)
        return status;
    w->what.asked_ns = hf_stopped_now_ns();
    status = hf_snapshot_take(&snapshot, (pid_t)pid, err);
    if (status != HF_OK)
        return status;
    w->what.stopped_ns = snapshot.stopped_ns;
    w->what.thread_count = snapshot.thread_count;
    status = give_orders(w, &snapshot, err);
    hf_snapshot_end(&snapshot);
    return status;
}

/* One look may miss what moves while it is read. */
static enum hf_status read_running(struct hf_heap_worker *w, struct hf_error *err)
{
    uint32_t pid = w->what.pid;
    uint64_t start;
    enum hf_status status = HF_OK;
    w->what.asked_ns = hf_stopped_now_ns(); /* what is younger was not looked at each time */
    for (int i = 1; i <= LOOKS_MAX && status == HF_OK && (i == 1 || w->wants_look); i++) {
        struct hf_snapshot look;
        if (i != 1) /* what is on its way arrives */
            (void)nanosleep(&(struct timespec){.tv_nsec = BETWEEN_LOOKS_NS}, NULL);
        w->what.what = i == 1 ? READ_FIRST : i != LOOKS_MAX ? READ_AGAIN : READ_LAST;
        status = hf_race_open(&look, (pid_t)pid, err);
        if (status != HF_OK)
            return status;
        w->what.thread_count = look.thread_count;
        status = give_orders(w, &look, err);
        hf_snapshot_end(&look);
    }
    if (status != HF_OK && !hf_proc_start_ticks(pid, &start))
        return hf_error_set(err, status, "process %u ended before its heaps were read", pid);
    return status;
}

static enum hf_status read_now(struct hf_heap_worker *w, struct hf_error *err)
{
    return w->task->never_stops ? read_running(w, err) : read_snapshot(w, err);
}

static enum hf_status watch_and_read(struct hf_heap_worker *w, struct hf_error *err)
{
    const struct hf_heap_reader_task *task = w->task;
    struct hf_poller poller = {.pid = w->what.pid, .look = heap_reader_look, .context = w};
    if (task->watch == NULL)
        return read_now(w, err);
    enum hf_status status =
        hf_history_options_watch(task->watch, &poller, heap_reader_poll, NULL, err);
    if (status != HF_OK)
        return status;
    bool is_same = hf_poller_is_same(&poller);
    if (!is_same && !task->takes_no_process)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "process %u ended before its heaps could be read", w->what.pid);
    if (!is_same)
        return heap_reader_order(w, ORDER_GONE, -1, err);
    return read_now(w, err);
}

enum hf_status hf_heap_worker_begin(const struct hf_heap_reader_task *task, uint32_t pid,
    struct hf_heap_worker **out_worker, struct hf_error *err)
{
    struct hf_heap_worker *w = calloc(1, sizeof *w);
    *out_worker = w;
    if (w == NULL)
        return hf_error_memory(err);
    w->task = task;
    w->table = task->table;
    w->what.pid = pid;
    return begin_worker(w, task, err);
}

void hf_heap_worker_end(struct hf_heap_worker *w)
{
    if (w != NULL)
        end_worker(w);
    free(w);
}

enum hf_status hf_heap_reader_run(
    const struct hf_heap_reader_task *task, uint32_t pid, struct hf_error *err)
{
    struct hf_heap_worker *w;
    enum hf_status status = hf_heap_worker_begin(task, pid, &w, err);
    if (status == HF_OK)
        status = watch_and_read(w, err);
    hf_heap_worker_end(w);
    return status;
}

enum hf_status hf_heap_reader_run_recorded(
    const struct hf_heap_reader_task *task, uint32_t pid, struct hf_error *err)
{
    struct hf_found_table table;
    struct hf_heap_reader_task with_table = *task;
    bool is_recorded = hf_found_table_of(&table, pid, NULL, NULL) == HF_OK;
    with_table.table = is_recorded ? table.fd : -1;
    enum hf_status status = hf_heap_reader_run(&with_table, pid, err);
    hf_found_table_close(&table);
    return status;
}

/* ---- One look after the other ---- */

static enum hf_status look_without_table(
    struct hf_heap_worker *w, const char *why, struct hf_error *err)
{
    (void)snprintf(w->what.name, sizeof w->what.name, "%s", why);
    return heap_reader_order(w, ORDER_LOOK, -1, err);
}

static enum hf_status read_table_and_heap(struct hf_heap_worker *w, struct hf_error *err)
{
    struct hf_found_table table;
    enum hf_status status = hf_found_table_of(&table, w->what.pid, NULL, err);
    if (status != HF_OK)
        return status;
    w->table = table.fd;
    status = read_now(w, err);
    w->table = w->task->table;
    hf_found_table_close(&table);
    return status;
}

enum hf_status hf_heap_worker_look(struct hf_heap_worker *w, struct hf_error *err)
{
    struct hf_error why;
    uint64_t now_ns = hf_stopped_now_ns();
    enum hf_status status = heap_reader_look(w, err);
    if (status != HF_OK || !w->wants_heap || now_ns < w->next_ns)
        return status;
    w->next_ns = now_ns + BETWEEN_READINGS_NS;
    status = read_table_and_heap(w, &why);
    if (status == HF_OK)
        return HF_OK;
    if (!w->has_died)
        return look_without_table(w, why.text, err);
    *err = why;
    return status;
}

enum hf_status hf_heap_worker_look_again(struct hf_heap_worker *w, struct hf_error *err)
{
    return look_without_table(w, "", err);
}
