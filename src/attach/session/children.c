#include "attach/session/children.h"

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

void hf_children_look(struct hf_children *children, uint32_t pid)
{
    children->count = 0;
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
    if (calls == 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "no calls were seen in %.1f s, during which the process used %.1f s of processor time",
            (double)passed_ns / 1e9, (double)own_ns / 1e9);
    if (busiest == 0 || all_ns < NOTICED_NS || (calls != 0 && all_ns < own_ns))
        return;
    struct hf_text name = hf_proc_thread_name(busiest, busiest, bytes);
    hf_notes_add(notes, HF_NOTE_INFO,
        "%zu child process%s %s not followed, but used %.1f s of processor time: attach to the "
        "busiest, %" PRIu32 " (%.*s, %.1f s), or to all with --tree",
        count, count == 1 ? "" : "es", count == 1 ? "is" : "are", (double)all_ns / 1e9, busiest,
        (int)name.size, name.data, (double)most_ns / 1e9);
}
