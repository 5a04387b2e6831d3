/*
 * watcher.h: beside a process that records itself: reads its live table again and again, writes
 * dumps by the rules of policy.h, and the last one when the process has ended, of whatever.
 *
 * The process is not asked and does not notice: a watcher may be killed and started again at any
 * time. It reads every HF_WATCHER_TICK_NS, less often while nothing happens, and in any case takes
 * at most a fiftieth of a processor.
 */
#ifndef HF_CAPTURE_WATCHER_H
#define HF_CAPTURE_WATCHER_H

#include "capture/policy.h"
#include "profile/profile.h"

#include <sys/types.h>

#define HF_WATCHER_TICK_NS UINT64_C(100000000)
#define HF_WATCHER_IDLE_NS UINT64_C(400000000)

/* What becomes of the dumps: src/capture writes no files. */
struct hf_watcher_sink {
    /* The profile is the watcher's again afterwards. An error ends the watch. */
    enum hf_status (*take)(void *context, uint64_t number, enum hf_dump_reason reason,
        struct hf_profile *profile, struct hf_error *err);
    void (*drop)(void *context, uint64_t number); /* a dump that is not kept */
    void *context;
};

struct hf_watcher {
    uint32_t pid;
    const char *folder; /* where its table lies if not in one of the usual places; may be NULL */
    struct hf_dump_rules rules;
    size_t keep; /* dumps beside the first, the peak and the pairs; 0: all */
    struct hf_watcher_sink sink;
    /* The watcher's own. */
    struct hf_found_table table; /* fd -1: not found yet */
    struct hf_memory_group group;
    struct hf_policy policy;
    struct hf_reading last;
    uint64_t kills; /* of the group, when the watch began */
    uint64_t wait_ns;
    struct hf_kept_dump *kept;
    size_t kept_count, kept_capacity;
    uint64_t dump_count, last_in_use;
};

/* `group`: the folder of the memory cgroup, if not the process's own; may be NULL. */
void hf_watcher_init(struct hf_watcher *watcher, uint32_t pid, const char *group);
void hf_watcher_done(struct hf_watcher *watcher);

/* One look at the process, which may write a dump. watcher->wait_ns: until the next one. */
HF_MUST_CHECK enum hf_status hf_watcher_tick(struct hf_watcher *watcher, struct hf_error *err);

/*
 * The process has ended: writes the last dump, if `with_dump`. *out_was_found is false if it never
 * had a table.
 */
HF_MUST_CHECK enum hf_status hf_watcher_finish(
    struct hf_watcher *watcher, bool with_dump, bool *out_was_found, struct hf_error *err);

/* True if the kernel killed something in its memory cgroup since the watch began. */
bool hf_watcher_saw_kill(const struct hf_watcher *watcher);

/*
 * Ticks until the process behind `pidfd` ends. `signal_fd` is a signalfd(2): each signal is given
 * to `on_signal`, which ends the watch by returning false. *out_has_ended: the process has.
 */
typedef bool hf_watcher_on_signal(void *context, int signal, bool is_of_kernel);
HF_MUST_CHECK enum hf_status hf_watcher_loop(struct hf_watcher *watcher, int pidfd, int signal_fd,
    hf_watcher_on_signal *on_signal, void *context, bool *out_has_ended, struct hf_error *err);

#endif
