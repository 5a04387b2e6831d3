#include "cli/process/attach/attach_tree.h"

#include "base/plural.h"
#include "base/strings/units.h"
#include "cli/say.h"
#include "os/process/shielded_worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FIND_NS UINT64_C(50000000)
#define FIND_PART 20 /* of the time is spent to find new ones at most: trees have many threads */
#define LISTED 8u

static uint64_t tree_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* "3 processes: nginx 4711, nginx 4712, nginx 4713" */
static void say_processes(const struct hf_looks *looks)
{
    struct hf_out line = {0};
    for (size_t i = 0; i < looks->count && i < LISTED; i++)
        hf_out_printf(&line, "%s%s %" PRIu32, i != 0 ? ", " : " ", looks->items[i].name,
            looks->items[i].process.pid);
    hf_say("%zu %s:%.*s%s", looks->count, hf_plural(looks->count, "process", "processes"),
        (int)line.size, line.data, looks->count > LISTED ? ", ..." : "");
    hf_out_done(&line);
    struct hf_notes notes = {0};
    hf_looks_note(looks, &notes);
    for (size_t i = 0; i < notes.count; i++)
        hf_say("%s", notes.items[i].text);
    hf_notes_done(&notes);
}

/* One price for all: that of who is slowed most. */
static void say_price(const struct hf_looks *looks, const struct hf_session_options *how)
{
    char calls[HF_UNITS_MAX], speed[HF_COST_SPEED_MAX];
    uint64_t sum = 0;
    size_t counted = 0;
    const struct hf_look *slowest = NULL;
    for (size_t i = 0; i < looks->count; i++) {
        const struct hf_look *look = &looks->items[i];
        if (look->is_late || look->recording == NULL ||
            look->recording->stage < HF_RECORDING_COUNTED)
            continue;
        const struct hf_recording_cost *cost = &look->recording->cost;
        counted += cost->is_counted;
        sum += cost->calls;
        if (slowest == NULL || cost->added_per_mille > slowest->recording->cost.added_per_mille)
            slowest = look;
    }
    if (slowest == NULL)
        return;
    const struct hf_recording *recording = slowest->recording;
    struct hf_out line = {0};
    if (counted != 0)
        hf_out_printf(&line, "%s calls a second", hf_units_grouped(sum, calls));
    else
        hf_out_string(&line, "calls cannot be counted in advance");
    hf_out_printf(&line, "; while %s follows them for %g s, ",
        recording->is_by_bpf ? "bpf" : "perf", (double)how->duration_ns / 1e9);
    if (recording->cost.added_per_mille > 10)
        hf_out_printf(&line, "process %" PRIu32 " (%s), which is slowed most, will run at %s",
            slowest->process.pid, slowest->name,
            hf_cost_speed(recording->cost.added_per_mille, speed));
    else
        hf_out_printf(&line, "each will run at %s", hf_cost_speed(0, speed));
    hf_say("%.*s", (int)line.size, line.data);
    hf_out_done(&line);
}

/* How far the head is. */
struct tree_progress {
    bool has_priced;
    uint64_t begin_ns; /* when all that were there were followed; 0: not yet */
};

static void say_progress(struct hf_looks *looks, const struct hf_session_options *how,
    bool is_quiet, struct tree_progress *progress)
{
    if (!progress->has_priced && hf_looks_have_reached(looks, HF_RECORDING_COUNTED)) {
        progress->has_priced = true;
        if (!is_quiet)
            say_price(looks, how);
    }
    if (progress->begin_ns == 0 && hf_looks_have_reached(looks, HF_RECORDING_BEGUN)) {
        progress->begin_ns = tree_now_ns();
        if (!is_quiet && hf_looks_running(looks) != 0)
            hf_say("attached; press Ctrl-C to stop earlier");
    }
    for (size_t i = 0; i < looks->count && progress->begin_ns != 0 && !is_quiet; i++) {
        struct hf_look *look = &looks->items[i];
        if (look->recording == NULL || look->has_said ||
            look->recording->stage < HF_RECORDING_BEGUN)
            continue;
        if (look->is_late)
            hf_say("process %" PRIu32 " (%s) is followed, too", look->process.pid, look->name);
        look->has_said = true;
    }
}

/* A look for each new one; in a look *out_is_look. */
static enum hf_status start_looks(
    struct hf_looks *looks, struct hf_look **out_look, bool *out_is_look, struct hf_error *err)
{
    enum hf_status status = hf_members_look(&looks->members, err);
    if (status != HF_OK && looks->has_begun)
        status = HF_OK; /* the cgroup is gone, and its processes with it */
    do {
        if (status == HF_OK)
            status = hf_looks_step(looks, out_look, out_is_look, err);
    } while (status == HF_OK && *out_look != NULL && !*out_is_look);
    return status;
}

static enum hf_status nobody(const struct hf_members *members, struct hf_error *err)
{
    return members->cgroup != NULL
               ? hf_error_set(err, HF_ERR_SYSTEM, "there is no process in %s", members->cgroup)
               : hf_error_set(err, HF_ERR_SYSTEM, "there is no process %" PRIu32, members->tree);
}

static bool waits_for_signal(uint64_t wait_ns)
{
    sigset_t ending;
    struct timespec wait = {(time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
    hf_shielded_worker_signals(&ending);
    return sigtimedwait(&ending, NULL, &wait) > 0;
}

enum hf_status hf_attach_tree_follow(struct hf_looks *looks, const struct hf_session_options *how,
    bool is_quiet, struct hf_look **out_look, struct hf_error *err)
{
    struct tree_progress progress = {0};
    bool is_look = false, goes_on = true;
    while (goes_on) {
        uint64_t began_ns = tree_now_ns();
        enum hf_status status = start_looks(looks, out_look, &is_look, err);
        if (status != HF_OK || is_look)
            return status;
        if (looks->count == 0)
            return nobody(&looks->members, err);
        if (!looks->has_begun && !is_quiet)
            say_processes(looks);
        looks->has_begun = true;
        say_progress(looks, how, is_quiet, &progress);
        uint64_t now_ns = tree_now_ns(), spent_ns = (now_ns - began_ns) * FIND_PART;
        bool is_over = progress.begin_ns != 0 && now_ns - progress.begin_ns >= how->duration_ns;
        goes_on = !is_over && hf_looks_running(looks) != 0 &&
                  !waits_for_signal(spent_ns > FIND_NS ? spent_ns : FIND_NS);
    }
    hf_looks_end(looks);
    return HF_OK;
}
