#include "attach/session/children.h"

#include "base/plural.h"
#include "base/strings/num.h"
#include "os/process/proc.h"

#include <inttypes.h>
#include <stdbool.h>

#define NOTICED_NS UINT64_C(100000000)

static void children_add(void *context, uint32_t pid)
{
    struct hf_children *children = context;
    struct hf_proc_times times;
    struct hf_child child = {.pid = pid};
    if (children->count == HF_CHILDREN_MOST || !hf_proc_start_ticks(pid, &child.start_ticks) ||
        !hf_proc_times(pid, &times))
        return;
    child.computed_ns = times.computed_ns;
    children->items[children->count++] = child;
}

/* Of PostgreSQL, by its title: "postgres: parallel worker for PID 4711". */
struct parallel_workers {
    uint32_t leader;
    size_t count;
};

static void count_parallel_worker(void *context, uint32_t pid)
{
    struct parallel_workers *workers = context;
    char bytes[HF_PROC_TITLE_MAX];
    struct hf_text title = hf_text_trim_end(hf_proc_title(pid, bytes), " ");
    struct hf_text leader = hf_text_from(title, hf_text_find_last(title, ' ') + 1);
    uint64_t number;
    workers->count += hf_text_has(title, ": parallel worker for PID ") &&
                      hf_num_u64(leader, &number) && number == workers->leader;
}

/* They are the postmaster's children, beside who leads them. */
static size_t parallel_workers_of(uint32_t pid)
{
    char bytes[HF_PROC_TITLE_MAX];
    struct parallel_workers workers = {.leader = hf_proc_inner_id(pid)};
    uint32_t parent = hf_proc_parent(pid);
    if (parent != 0 && hf_text_starts(hf_proc_title(pid, bytes), "postgres: "))
        hf_proc_children(parent, parent, count_parallel_worker, &workers);
    return workers.count;
}

void hf_children_look(struct hf_children *children, uint32_t pid)
{
    children->count = 0;
    children->parallel_workers = parallel_workers_of(pid);
    children_add(children, pid);
    for (size_t i = 0; i < children->count; i++)
        hf_proc_children(children->items[i].pid, children->items[i].pid, children_add, children);
}

/* What it computed since, all of it if it is new. */
static uint64_t computed_since(const struct hf_children *before, const struct hf_child *child)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct hf_child *then = &before->items[i];
        if (then->pid == child->pid && then->start_ticks == child->start_ticks)
            return child->computed_ns - then->computed_ns;
    }
    return child->computed_ns;
}

void hf_children_note(const struct hf_children *before, const struct hf_children *after,
    uint64_t calls, uint64_t passed_ns, struct hf_notes *notes)
{
    size_t workers = before->parallel_workers > after->parallel_workers ? before->parallel_workers
                                                                        : after->parallel_workers;
    uint64_t own_ns = 0, all_ns = 0, most_ns = 0;
    uint32_t busiest = 0;
    size_t count = 0;
    char bytes[HF_PROC_NAME_MAX];
    uint32_t pid = before->count != 0 ? before->items[0].pid : 0;
    for (size_t i = 0; i < after->count; i++) {
        uint64_t ns = computed_since(before, &after->items[i]);
        if (after->items[i].pid == pid) {
            own_ns = ns;
            continue;
        }
        all_ns += ns;
        count += ns != 0;
        if (ns > most_ns) {
            most_ns = ns;
            busiest = after->items[i].pid;
        }
    }
    if (workers != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%zu parallel %s of process %" PRIu32
            " %s not followed: attach to the postmaster with --tree",
            workers, hf_plural(workers, "worker", "workers"), pid, hf_plural(workers, "is", "are"));
    if (calls == 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "no calls were seen in %.1f s, during which the process used %.1f s of processor time",
            (double)passed_ns / 1e9, (double)own_ns / 1e9);
    if (all_ns < NOTICED_NS || (calls != 0 && all_ns < own_ns))
        return;
    struct hf_text name = hf_proc_thread_name(busiest, busiest, bytes);
    hf_notes_add(notes, HF_NOTE_INFO,
        "%zu child %s not followed, but used %.1f s of processor time: attach to the "
        "busiest, %" PRIu32 " (%.*s, %.1f s), or to all with --tree",
        count, hf_plural(count, "process is", "processes are"), (double)all_ns / 1e9, busiest,
        (int)name.size, name.data, (double)most_ns / 1e9);
}
