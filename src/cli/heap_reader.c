#include "cli/heap_reader.h"

#include "base/strings/units.h"
#include "capture/found_table.h"
#include "capture/memory_group.h"
#include "cli/heap_worker.h"
#include "cli/reader.h"
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

/* The worker, and what it is to do. */
struct hf_heap_reader {
    const struct hf_heap_reader_task *task;
    int table; /* of the next reading; -1: none */
    struct hf_heap_order what;
    struct hf_heap_worker worker; /* its state */
    struct hf_reader_rules rules;
    struct hf_standby standby;
    const char *words[1], *outputs[3];
    bool wants_heap, wants_look, has_died;
    uint64_t next_ns; /* the process is not read again before that */
};

static enum hf_status heap_reader_order(
    struct hf_heap_reader *r, uint32_t kind, int fd, struct hf_error *err)
{
    const struct hf_heap_order *what = &r->what;
    struct hf_common *common = r->task->common;
    char cause[160];
    struct hf_heap_reply reply;
    struct hf_standby_ending ending;
    const struct hf_standby_order order = {
        kind, {(const char *)(const void *)what, sizeof *what}, fd};
    r->has_died = !hf_standby_do(&r->standby, &order, &reply, sizeof reply, &ending);
    if (r->has_died) {
        hf_standby_put_cause(&ending, cause, sizeof cause);
        return hf_error_set(err, HF_ERR_INPUT,
            "the reader of process %u %s; the process itself is unchanged", what->pid, cause);
    }
    r->wants_heap = reply.wants_heap != 0;
    r->wants_look = reply.wants_look != 0;
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
    struct hf_heap_reader *r, const struct hf_snapshot *snapshot, struct hf_error *err)
{
    int threads, places = r->task->wants_places ? open_smaps(r->what.pid) : -1;
    enum hf_status status = heap_reader_put_threads(snapshot, &threads, err);
    const int fds[] = {
        [HF_HEAP_ORDER_PLACES] = places,
        [HF_HEAP_ORDER_MAPS] = snapshot->maps,
        [HF_HEAP_ORDER_THREADS] = threads,
        [HF_HEAP_ORDER_PAGES] = snapshot->pages,
        [HF_HEAP_ORDER_TABLE] = r->table,
        [HF_HEAP_ORDER_MEMORY] = snapshot->memory,
    };
    for (uint32_t kind = 0; kind < HF_HEAP_ORDERS && status == HF_OK; kind++) {
        if (fds[kind] >= 0)
            status = heap_reader_order(r, kind, fds[kind], err);
    }
    if (threads >= 0)
        (void)close(threads);
    if (places >= 0)
        (void)close(places);
    return status;
}

static enum hf_status begin_worker(
    struct hf_heap_reader *r, const struct hf_heap_reader_task *task, struct hf_error *err)
{
    static const char *const magics[] = {"\177ELF", NULL};
    size_t count = 0;
    for (size_t i = 0; i < HF_COUNT(task->outputs); i++) {
        if (task->outputs[i] != NULL)
            r->outputs[count++] = task->outputs[i];
    }
    r->worker = (struct hf_heap_worker){.task = task, .pages = -1, .table = -1};
    hf_reader_rules_init(&r->rules, task->common->quiet, r->words, r->outputs);
    r->rules.rules.drawing = NULL;
    r->rules.rules.magics = magics; /* it needs no file, and gets none but programs */
    r->rules.rules.gives_tables = false;
    enum hf_status status = hf_standby_init(&r->standby, &r->rules.rules, err);
    r->standby.work = hf_heap_worker_work;
    r->standby.context = &r->worker;
    r->standby.is_inside = task->common->no_sandbox;
    r->standby.keeps_output = true;
    r->standby.keeps_state = true;
    return status;
}

static void end_worker(struct hf_heap_reader *r)
{
    hf_standby_done(&r->standby);
    hf_heap_worker_done(&r->worker); /* of one that worked here */
}

/* ---- Looks before ---- */

static enum hf_status heap_reader_look(void *context, struct hf_error *err)
{
    struct hf_heap_reader *r = context;
    struct hf_found_table table;
    enum hf_status status = hf_found_table_of(&table, r->what.pid, NULL, err);
    if (status != HF_OK)
        return status;
    memcpy(r->what.name, table.path, sizeof table.path);
    status = heap_reader_order(r, HF_HEAP_ORDER_LOOK, table.fd, err);
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

static enum hf_status read_snapshot(struct hf_heap_reader *r, struct hf_error *err)
{
    struct hf_snapshot snapshot;
    uint32_t pid = r->what.pid;
    enum hf_status status = check_room(pid, err);
    if (status != HF_OK)
        return status;
    r->what.asked_ns = hf_stopped_now_ns();
    status = hf_snapshot_take(&snapshot, (pid_t)pid, err);
    if (status != HF_OK)
        return status;
    r->what.stopped_ns = snapshot.stopped_ns;
    r->what.thread_count = snapshot.thread_count;
    status = give_orders(r, &snapshot, err);
    hf_snapshot_end(&snapshot);
    return status;
}

/* One look may miss what moves while it is read. */
static enum hf_status read_running(struct hf_heap_reader *r, struct hf_error *err)
{
    uint32_t pid = r->what.pid;
    uint64_t start;
    enum hf_status status = HF_OK;
    r->what.asked_ns = hf_stopped_now_ns(); /* what is younger was not looked at each time */
    for (int i = 1; i <= LOOKS_MAX && status == HF_OK && (i == 1 || r->wants_look); i++) {
        struct hf_snapshot look;
        if (i != 1) /* what is on its way arrives */
            (void)nanosleep(&(struct timespec){.tv_nsec = BETWEEN_LOOKS_NS}, NULL);
        r->what.look = i == 1           ? HF_HEAP_FIRST_LOOK
                       : i != LOOKS_MAX ? HF_HEAP_NEXT_LOOK
                                        : HF_HEAP_LAST_LOOK;
        status = hf_race_open(&look, (pid_t)pid, err);
        if (status != HF_OK)
            return status;
        r->what.thread_count = look.thread_count;
        status = give_orders(r, &look, err);
        hf_snapshot_end(&look);
    }
    if (status != HF_OK && !hf_proc_start_ticks(pid, &start))
        return hf_error_set(err, status, "process %u ended before its heaps were read", pid);
    return status;
}

static enum hf_status read_now(struct hf_heap_reader *r, struct hf_error *err)
{
    return r->task->never_stops ? read_running(r, err) : read_snapshot(r, err);
}

static enum hf_status watch_and_read(struct hf_heap_reader *r, struct hf_error *err)
{
    const struct hf_heap_reader_task *task = r->task;
    struct hf_poller poller = {.pid = r->what.pid, .look = heap_reader_look, .context = r};
    if (task->watch == NULL)
        return read_now(r, err);
    enum hf_status status =
        hf_history_options_watch(task->watch, &poller, heap_reader_poll, NULL, err);
    if (status != HF_OK)
        return status;
    bool is_same = hf_poller_is_same(&poller);
    if (!is_same && !task->takes_no_process)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "process %u ended before its heaps could be read", r->what.pid);
    if (!is_same)
        return heap_reader_order(r, HF_HEAP_ORDER_GONE, -1, err);
    return read_now(r, err);
}

enum hf_status hf_heap_reader_begin(const struct hf_heap_reader_task *task, uint32_t pid,
    struct hf_heap_reader **out_reader, struct hf_error *err)
{
    struct hf_heap_reader *r = calloc(1, sizeof *r);
    *out_reader = r;
    if (r == NULL)
        return hf_error_memory(err);
    r->task = task;
    r->table = task->table;
    r->what.pid = pid;
    return begin_worker(r, task, err);
}

void hf_heap_reader_end(struct hf_heap_reader *r)
{
    if (r != NULL)
        end_worker(r);
    free(r);
}

enum hf_status hf_heap_reader_run(
    const struct hf_heap_reader_task *task, uint32_t pid, struct hf_error *err)
{
    struct hf_heap_reader *r;
    enum hf_status status = hf_heap_reader_begin(task, pid, &r, err);
    if (status == HF_OK)
        status = watch_and_read(r, err);
    hf_heap_reader_end(r);
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
    struct hf_heap_reader *r, const char *why, struct hf_error *err)
{
    (void)snprintf(r->what.name, sizeof r->what.name, "%s", why);
    return heap_reader_order(r, HF_HEAP_ORDER_LOOK, -1, err);
}

static enum hf_status read_table_and_heap(struct hf_heap_reader *r, struct hf_error *err)
{
    struct hf_found_table table;
    enum hf_status status = hf_found_table_of(&table, r->what.pid, NULL, err);
    if (status != HF_OK)
        return status;
    r->table = table.fd;
    status = read_now(r, err);
    r->table = r->task->table;
    hf_found_table_close(&table);
    return status;
}

enum hf_status hf_heap_reader_look(struct hf_heap_reader *r, struct hf_error *err)
{
    struct hf_error why;
    uint64_t now_ns = hf_stopped_now_ns();
    enum hf_status status = heap_reader_look(r, err);
    if (status != HF_OK || !r->wants_heap || now_ns < r->next_ns)
        return status;
    r->next_ns = now_ns + BETWEEN_READINGS_NS;
    status = read_table_and_heap(r, &why);
    if (status == HF_OK)
        return HF_OK;
    if (!r->has_died)
        return look_without_table(r, why.text, err);
    *err = why;
    return status;
}

enum hf_status hf_heap_reader_look_again(struct hf_heap_reader *r, struct hf_error *err)
{
    return look_without_table(r, "", err);
}
