#include "capture/watcher.h"

#include "base/vec.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define SHARE 50                    /* of a processor, at most one part */
#define START_NS UINT64_C(10000000) /* until there is a table */
#define SECOND_NS UINT64_C(1000000000)

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

void hf_watcher_init(struct hf_watcher *watcher, uint32_t pid, const char *group)
{
    watcher->pid = pid;
    watcher->table.fd = -1;
    watcher->group = hf_memory_group_of(pid, group);
    watcher->kills = hf_memory_read(&watcher->group).kills;
    watcher->policy.rules = watcher->rules;
    watcher->wait_ns = START_NS;
}

void hf_watcher_done(struct hf_watcher *watcher)
{
    hf_found_table_close(&watcher->table);
    free(watcher->kept);
}

/* Another image has another table: after exec(3), and at the start there is none. */
static bool find_table(struct hf_watcher *watcher)
{
    struct hf_found_table found;
    if (hf_found_table_of(&found, watcher->pid, watcher->folder, NULL) != HF_OK)
        return watcher->table.fd >= 0;
    hf_found_table_close(&watcher->table);
    watcher->table = found;
    return true;
}

static void keep(struct hf_watcher *watcher, uint64_t number, uint64_t in_use)
{
    if (!hf_vec_reserve(&watcher->kept, &watcher->kept_capacity, watcher->kept_count + 1,
            sizeof *watcher->kept))
        return; /* it stays, and is forgotten here */
    uint64_t growth = in_use > watcher->last_in_use ? in_use - watcher->last_in_use : 0;
    watcher->kept[watcher->kept_count++] =
        (struct hf_kept_dump){number, in_use, number != 0 ? growth : 0};
    watcher->last_in_use = in_use;
    size_t excess = hf_keep_excess(watcher->kept, watcher->kept_count, watcher->keep);
    if (excess == watcher->kept_count)
        return;
    watcher->sink.drop(watcher->sink.context, watcher->kept[excess].number);
    watcher->kept_count--;
    for (size_t i = excess; i < watcher->kept_count; i++)
        watcher->kept[i] = watcher->kept[i + 1];
}

static enum hf_status dump(
    struct hf_watcher *watcher, enum hf_dump_reason reason, struct hf_error *err)
{
    struct hf_profile *profile;
    enum hf_status status = hf_found_table_read(&watcher->table, watcher->pid, &profile, err);
    if (status != HF_OK)
        return status;
    uint64_t number = watcher->dump_count++;
    status = watcher->sink.take(watcher->sink.context, number, reason, profile, err);
    hf_profile_free(profile);
    if (status == HF_OK)
        keep(watcher, number, watcher->last.in_use_bytes);
    return status;
}

/* After a look that took `took_ns`, for which was waited `last_ns`. */
static uint64_t choose_wait(
    const struct hf_watcher *watcher, uint64_t last_ns, uint64_t took_ns, bool is_idle)
{
    uint64_t wait = HF_WATCHER_TICK_NS, every = watcher->rules.every_ns;
    if (is_idle)
        wait = last_ns < HF_WATCHER_IDLE_NS / 2 ? last_ns * 2 : HF_WATCHER_IDLE_NS;
    if (every != 0 && wait > every)
        wait = every;
    return took_ns * SHARE > wait ? took_ns * SHARE : wait;
}

enum hf_status hf_watcher_tick(struct hf_watcher *watcher, struct hf_error *err)
{
    struct hf_reading reading;
    uint64_t from = now_ns(), before = watcher->last.allocated_bytes;
    uint64_t last_wait = watcher->wait_ns;
    watcher->wait_ns = choose_wait(watcher, last_wait, 0, true); /* nothing to read, or it fails */
    if (watcher->table.fd < 0 && !find_table(watcher))
        return HF_OK;
    enum hf_status status =
        hf_reading_take(&watcher->table, watcher->pid, &watcher->group, &reading, err);
    if (status != HF_OK)
        return status;
    bool is_idle = reading.allocated_bytes == before;
    watcher->wait_ns = choose_wait(watcher, last_wait, now_ns() - from, is_idle);
    watcher->last = reading;
    enum hf_dump_reason reason = hf_policy_next(&watcher->policy, &reading);
    if (reason != HF_DUMP_NOT)
        status = dump(watcher, reason, err);
    else if (is_idle)
        (void)find_table(watcher); /* it may be the table of an image that is no more */
    return status;
}

enum hf_status hf_watcher_finish(
    struct hf_watcher *watcher, bool with_dump, bool *out_was_found, struct hf_error *err)
{
    *out_was_found = find_table(watcher);
    if (!*out_was_found || !with_dump)
        return HF_OK;
    uint64_t resident = watcher->last.resident_bytes;
    enum hf_status status =
        hf_reading_take(&watcher->table, watcher->pid, &watcher->group, &watcher->last, err);
    watcher->last.resident_bytes = resident;
    return status == HF_OK ? dump(watcher, HF_DUMP_FINAL, err) : status;
}

bool hf_watcher_saw_kill(const struct hf_watcher *watcher)
{
    return hf_memory_read(&watcher->group).kills > watcher->kills;
}

/* True while the watch goes on. */
static bool take_signals(int signal_fd, hf_watcher_on_signal *on_signal, void *context)
{
    struct signalfd_siginfo info;
    if (read(signal_fd, &info, sizeof info) != sizeof info)
        return true;
    return on_signal(context, (int)info.ssi_signo, info.ssi_code > 0);
}

enum hf_status hf_watcher_loop(struct hf_watcher *watcher, int pidfd, int signal_fd,
    hf_watcher_on_signal *on_signal, void *context, bool *out_has_ended, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t due = now_ns() + watcher->wait_ns;
    *out_has_ended = false;
    while (status == HF_OK && !*out_has_ended) {
        struct pollfd waited[] = {
            {.fd = pidfd, .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
        uint64_t now = now_ns(), left = due > now ? due - now : 0;
        struct timespec timeout = {(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};
        int ready = ppoll(waited, 2, &timeout, NULL);
        if (ready < 0 && errno != EINTR)
            return hf_error_system(err, errno, "cannot wait for process %u", watcher->pid);
        *out_has_ended = ready > 0 && waited[0].revents != 0;
        if (ready > 0 && waited[1].revents != 0 && !take_signals(signal_fd, on_signal, context))
            return HF_OK;
        if (*out_has_ended || now_ns() < due)
            continue;
        status = hf_watcher_tick(watcher, err);
        due = now_ns() + watcher->wait_ns;
    }
    return status;
}
