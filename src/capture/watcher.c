#include "capture/watcher.h"

#include "capture/table_control.h"
#include "live/residency.h"
#include "live/start_moment.h"
#include "os/process/proc.h"

#include <string.h>
#include <time.h>

/* At most one part of so many of a processor for each. What is not used of that is saved, up to
 * SAVED_NS: many programs are short, and some change after a long rest. */
#define LOOK_SHARE 150
#define IMAGE_SHARE 1000
#define RESIDENT_SHARE 100 /* while it grows by */
#define RESIDENT_PART 100  /* one part of so many from one time to the next; then it is over */
#define SAVED_NS UINT64_C(50000000)
#define YOUNG_NS UINT64_C(1000000000) /* in which it is looked at more often */
#define START_NS UINT64_C(10000000)   /* until there is a table */
#define YOUNG_TICK_NS UINT64_C(20000000)
#define NOTICES_NS UINT64_C(1000000000)

void hf_watcher_init(struct hf_watcher *watcher, uint32_t pid, const char *group)
{
    watcher->pid = pid;
    watcher->table.fd = -1;
    watcher->group = hf_memory_group_of(pid, group);
    watcher->kills = hf_memory_read(&watcher->group).kills;
    watcher->policy.rules = watcher->rules;
    watcher->wait_ns = START_NS;
    watcher->since_ns = hf_loop_now_ns();
}

void hf_watcher_done(struct hf_watcher *watcher)
{
    if (watcher->loop != NULL) {
        hf_loop_remove(watcher->loop, &watcher->ticking);
        hf_memory_notice_end(&watcher->notice, watcher->loop);
        if (watcher->table.fd >= 0)
            hf_table_control_watch(&watcher->table, 0);
    }
    hf_found_table_close(&watcher->table);
    hf_dump_keeper_done(&watcher->keeper);
}

/* Another image has another table: after exec(3), and at the start there is none. */
static bool find_table(struct hf_watcher *watcher)
{
    struct hf_found_table found;
    if (hf_found_table_of(&found, watcher->pid, watcher->folder, NULL) != HF_OK)
        return watcher->table.fd >= 0;
    if (strcmp(found.path, watcher->table.path) != 0) {
        watcher->most_resident_bytes = watcher->resident_due_ns = watcher->look_due_ns = 0;
        watcher->since_ns = hf_loop_now_ns();
    }
    hf_found_table_close(&watcher->table);
    watcher->table = found;
    return true;
}

static struct hf_dump_source watcher_source(const struct hf_watcher *watcher)
{
    return (struct hf_dump_source){
        .fd = watcher->table.fd, .path = watcher->table.path, .pid = watcher->pid};
}

static enum hf_status watcher_dump(
    struct hf_watcher *watcher, enum hf_dump_reason reason, struct hf_error *err)
{
    bool is_there;
    const struct hf_dump_source source = watcher_source(watcher);
    return hf_dump_keeper_take(&watcher->keeper, reason, &source, &is_there, err);
}

/* So that it is looked at when its start is due (live/start_moment.h). */
static uint64_t wait_for_start(const struct hf_watcher *watcher, uint64_t wait_ns)
{
    uint64_t start_ns = watcher->table.head.monotonic_ns + HF_LIVE_START_AFTER_NS;
    uint64_t now_ns = hf_loop_now_ns();
    bool is_ahead = watcher->table.fd >= 0 && now_ns < start_ns;
    return is_ahead && start_ns - now_ns < wait_ns ? start_ns - now_ns : wait_ns;
}

static bool watcher_is_young(const struct hf_watcher *watcher)
{
    return hf_loop_now_ns() < watcher->since_ns + YOUNG_NS;
}

/* When what was due at `due_ns`, and took so long, may be done again. */
static uint64_t due_after(uint64_t due_ns, uint64_t took_ns, unsigned share)
{
    uint64_t now_ns = hf_loop_now_ns(), saved_ns = SAVED_NS * share;
    uint64_t from_ns = now_ns > saved_ns && due_ns < now_ns - saved_ns ? now_ns - saved_ns : due_ns;
    return from_ns + took_ns * share;
}

/* After a look for which was waited `last_ns`. */
static uint64_t choose_wait(const struct hf_watcher *watcher, uint64_t last_ns, bool is_idle)
{
    uint64_t every = watcher->rules.every_ns, now_ns = hf_loop_now_ns();
    uint64_t longest = watcher_is_young(watcher) ? YOUNG_TICK_NS
                       : is_idle                 ? HF_WATCHER_IDLE_NS
                                                 : HF_WATCHER_TICK_NS;
    uint64_t wait =
        last_ns < longest / 2 ? last_ns * 2 : longest; /* short programs are seen, too */
    if (every != 0 && wait > every)
        wait = every;
    if (now_ns + wait < watcher->look_due_ns)
        wait = watcher->look_due_ns - now_ns;
    return wait_for_start(watcher, wait);
}

/* Of processor time, of this process and of the kernel for it. */
static uint64_t spent_ns(void)
{
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/*
 * If malloc does not explain the memory, the table is told what it is when most is resident. The
 * kernel looks at each page of the process for this, which may take long: so not for a little more.
 * What it was told once is kept up, also when malloc explains it later: an old account is wrong.
 */
static void look_at_resident(struct hf_watcher *watcher, const struct hf_reading *reading)
{
    struct hf_live_resident_memory memory;
    uint64_t now_ns = hf_loop_now_ns(), before_ns = spent_ns();
    uint64_t most = watcher->most_resident_bytes;
    if (now_ns < watcher->resident_due_ns ||
        reading->resident_bytes <= most + most / RESIDENT_PART ||
        (most == 0 && !hf_reading_is_unexplained(reading)))
        return;
    if (hf_residency_take(watcher->table.fd, watcher->table.path, watcher->pid, &memory, NULL) ==
        HF_OK) {
        hf_table_control_note(&watcher->table, &memory);
        watcher->most_resident_bytes = hf_residency_total(&memory);
    }
    hf_live_resident_memory_done(&memory);
    watcher->resident_due_ns =
        due_after(watcher->resident_due_ns, spent_ns() - before_ns, RESIDENT_SHARE);
}

/*
 * Nothing was allocated: the table may be that of an image that is no more. The agent notes what
 * the process executes, so this is seen at once; but a program may call the kernel past the agent.
 * All mappings of the process are read for this.
 */
static void look_for_image(struct hf_watcher *watcher)
{
    char program[HF_LIVE_EXECUTED_BYTES];
    uint64_t before_ns = spent_ns();
    if (hf_loop_now_ns() < watcher->image_due_ns &&
        !hf_found_table_executed(&watcher->table, program))
        return;
    (void)find_table(watcher);
    watcher->image_due_ns = due_after(watcher->image_due_ns, spent_ns() - before_ns, IMAGE_SHARE);
}

/* Its dump is written before anything is told of it. */
static enum hf_status watcher_judge(struct hf_watcher *watcher, struct hf_error *err)
{
    bool is_leak = false;
    struct hf_table_judge *judge = &watcher->judge;
    const struct hf_dump_source source = watcher_source(watcher);
    if (judge->every_ns == 0 || hf_loop_now_ns() < watcher->judge_due_ns)
        return HF_OK;
    watcher->judge_due_ns = hf_loop_now_ns() + judge->every_ns;
    enum hf_status status = judge->look(judge->context, &source, &is_leak, err);
    if (status != HF_OK || !is_leak)
        return status;
    status = hf_dump_keeper_take_for_good(&watcher->keeper, HF_DUMP_LEAK, &source, err);
    return status == HF_OK ? judge->tell(judge->context, err) : status;
}

/* One look at the process, which may write a dump. watcher->wait_ns: until the next one. */
static enum hf_status watcher_look(struct hf_watcher *watcher, struct hf_error *err)
{
    struct hf_table_sums sums;
    bool is_known;
    uint64_t took_ns;
    const struct hf_reading before = watcher->last;
    uint64_t last_wait = watcher->wait_ns;
    watcher->wait_ns = choose_wait(watcher, last_wait, true); /* nothing to read, or it fails */
    if (watcher->table.fd < 0) {
        if (!find_table(watcher))
            return HF_OK;
        if (watcher->on_table != NULL)
            watcher->on_table(watcher->context, watcher);
    }
    enum hf_status status = watcher->adder.sums(
        watcher->adder.context, &watcher->table, &sums, &took_ns, &is_known, err);
    if (status != HF_OK || !is_known)
        return status;
    uint64_t before_ns = spent_ns();
    struct hf_reading reading = hf_reading_of(&sums, watcher->pid, &watcher->group);
    took_ns += spent_ns() - before_ns;
    bool is_idle = reading.allocated_bytes == before.allocated_bytes &&
                   reading.resident_bytes == before.resident_bytes;
    watcher->look_due_ns = due_after(watcher->look_due_ns, took_ns, LOOK_SHARE);
    watcher->wait_ns = choose_wait(watcher, last_wait, is_idle);
    watcher->last = reading;
    look_at_resident(watcher, &reading);
    enum hf_dump_reason reason = hf_policy_next(&watcher->policy, &reading);
    if (reason != HF_DUMP_NOT)
        status = watcher_dump(watcher, reason, err);
    else if (reading.allocated_bytes == before.allocated_bytes)
        look_for_image(watcher);
    return status == HF_OK ? watcher_judge(watcher, err) : status;
}

static enum hf_status watcher_tick(void *context, struct hf_error *err)
{
    struct hf_watcher *watcher = context;
    enum hf_status status = watcher_look(watcher, err);
    watcher->ticking.due_ns = hf_loop_now_ns() + watcher->wait_ns;
    if (watcher->table.fd >= 0)
        hf_table_control_watch(&watcher->table, watcher->ticking.due_ns + HF_WATCHER_LEASE_NS);
    return status;
}

/* Memory runs out: the next look is now, or a second after the one before for that reason. */
static void hurry(void *context)
{
    struct hf_watcher *watcher = context;
    uint64_t now = hf_loop_now_ns(), due = watcher->noticed_ns + NOTICES_NS;
    if (due < now)
        due = now;
    if (due < watcher->ticking.due_ns)
        watcher->noticed_ns = watcher->ticking.due_ns = due;
}

void hf_watcher_begin(struct hf_watcher *watcher, struct hf_loop *loop)
{
    watcher->loop = loop;
    watcher->ticking = (struct hf_loop_source){.fd = -1,
        .due_ns = hf_loop_now_ns() + watcher->wait_ns,
        .wake = watcher_tick,
        .context = watcher};
    hf_loop_add(loop, &watcher->ticking);
    hf_memory_notice_begin(&watcher->notice, &watcher->group, loop, hurry, watcher);
}

enum hf_status hf_watcher_finish(
    struct hf_watcher *watcher, bool with_dump, bool *out_was_found, struct hf_error *err)
{
    uint64_t start; /* a process of that number that runs is another one by now */
    *out_was_found =
        hf_proc_start_ticks(watcher->pid, &start) ? watcher->table.fd >= 0 : find_table(watcher);
    return *out_was_found && with_dump ? watcher_dump(watcher, HF_DUMP_FINAL, err) : HF_OK;
}

bool hf_watcher_saw_kill(const struct hf_watcher *watcher)
{
    return hf_memory_read(&watcher->group).kills > watcher->kills;
}
