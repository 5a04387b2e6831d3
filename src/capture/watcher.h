/*
 * watcher.h: beside a process that records itself: reads its live table again and again, writes
 * dumps by the rules of policy.h, and the last one when the process has ended, of whatever.
 *
 * The process is not asked and does not notice: a watcher may be killed and started again at any
 * time. It reads every HF_WATCHER_TICK_NS, less often while nothing happens, more often in the
 * first second, in which many programs end, and at once, if that is not more than once a second,
 * when it is told that memory runs out. In the long run that takes at most a hundredth of a
 * processor (watcher.c), dumps apart.
 */
#ifndef HF_CAPTURE_WATCHER_H
#define HF_CAPTURE_WATCHER_H

#include "capture/dump_keeper.h"
#include "capture/found_table.h"
#include "capture/loop.h"
#include "capture/memory_notice.h"

#define HF_WATCHER_TICK_NS UINT64_C(100000000)
#define HF_WATCHER_IDLE_NS UINT64_C(400000000)

/* So long after the look that should have come, the process takes the watcher for dead. */
#define HF_WATCHER_LEASE_NS UINT64_C(2000000000)

/*
 * Who adds up the table (reading.h), which takes no rights. *out_took_ns: of processor time.
 * *out_is_known false: nobody could,
 * which was said; the watcher goes on.
 */
struct hf_table_adder {
    enum hf_status (*sums)(void *context, const struct hf_found_table *table,
        struct hf_table_sums *out_sums, uint64_t *out_took_ns, bool *out_is_known,
        struct hf_error *err);
    void *context;
};

/* Who looks for leaks in the table now and then, and is told when a profile of one is written. */
struct hf_table_judge {
    uint64_t every_ns; /* 0: nobody looks */
    enum hf_status (*look)(void *context, const struct hf_dump_source *source, bool *out_is_leak,
        struct hf_error *err);
    enum hf_status (*tell)(void *context, struct hf_error *err);
    void *context;
};

struct hf_watcher {
    uint32_t pid;
    const char *folder; /* where its table lies if not in one of the usual places; may be NULL */
    struct hf_dump_rules rules;
    struct hf_dump_keeper keeper;
    struct hf_table_adder adder;
    struct hf_table_judge judge;
    /* Told once, when the table of the process is found while that runs; may be NULL. */
    void (*on_table)(void *context, const struct hf_watcher *watcher);
    void *context;
    /* The watcher's own. */
    struct hf_loop *loop;
    struct hf_loop_source ticking;
    struct hf_memory_notice notice;
    uint64_t noticed_ns;         /* when it looked for a notice's sake last */
    struct hf_found_table table; /* fd -1: not found yet */
    struct hf_memory_group group;
    struct hf_policy policy;
    struct hf_reading last;
    uint64_t most_resident_bytes; /* when the table was told what that is; 0: it never was */
    uint64_t resident_due_ns;     /* no sooner it is looked at again */
    uint64_t image_due_ns;        /* no sooner another table is looked for without a sign of one */
    uint64_t look_due_ns;         /* no sooner it is looked at, but for a notice */
    uint64_t judge_due_ns;        /* no sooner it is judged */
    uint64_t kills;               /* of the group, when the watch began */
    uint64_t since_ns, wait_ns;
};

/* `group`: the folder of the memory cgroup, if not the process's own; may be NULL. */
void hf_watcher_init(struct hf_watcher *watcher, uint32_t pid, const char *group);

/* From here on the loop looks at the process. Neither may move until hf_watcher_done. */
void hf_watcher_begin(struct hf_watcher *watcher, struct hf_loop *loop);
void hf_watcher_done(struct hf_watcher *watcher);

/*
 * The process has ended: writes the last dump, if `with_dump`. *out_was_found is false if it never
 * had a table.
 */
HF_MUST_CHECK enum hf_status hf_watcher_finish(
    struct hf_watcher *watcher, bool with_dump, bool *out_was_found, struct hf_error *err);

/* True if the kernel killed something in its memory cgroup since the watch began. */
bool hf_watcher_saw_kill(const struct hf_watcher *watcher);

#endif
