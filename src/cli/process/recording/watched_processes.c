#include "cli/process/recording/watched_processes.h"

#include "base/strings/num.h"
#include "cli/file_pattern.h"
#include "cli/say.h"
#include "os/file.h"
#include "os/process/proc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SCAN_NS UINT64_C(500000000)
#define REUSE_NS                                                                                   \
    UINT64_C(10000000000) /* no number of a process, and so of a family, comes so soon again */

struct hf_watched {
    struct hf_watched *next;
    struct hf_watched_processes *set;
    struct hf_dump_writer writer;
    struct hf_watcher watcher;
    struct hf_loop_source process;
};

enum hf_status hf_watched_processes_check(
    const struct hf_dump_writer_options *options, const char *why, struct hf_error *err)
{
    const char *pattern = options->report.view.output;
    if (pattern == NULL || hf_file_pattern_has(pattern, 'p'))
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "-o: %s writes a file for each process: expected %%p in the name, found '%s'", why,
        pattern);
}

static void watched_processes_forget(struct hf_watched *watched)
{
    struct hf_watched **at = &watched->set->first;
    while (*at != watched)
        at = &(*at)->next;
    *at = watched->next;
    hf_loop_remove(watched->set->loop, &watched->process);
    hf_watcher_done(&watched->watcher);
    hf_dump_writer_done(&watched->writer);
    if (watched->process.fd >= 0)
        close(watched->process.fd);
    free(watched);
}

/* What goes wrong with one must not end the watch of the others. */
static void watched_processes_finish(struct hf_watched *watched)
{
    struct hf_error later;
    bool was_found;
    struct hf_watched_processes *set = watched->set;
    enum hf_status status = hf_dump_writer_finish(&watched->writer, &watched->watcher, &was_found,
        set->status == HF_OK ? &set->error : &later);
    if (set->status == HF_OK)
        set->status = status;
    watched_processes_forget(watched);
}

static enum hf_status watched_processes_notice_end(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_watched *watched = context;
    struct hf_watched_processes *set = watched->set;
    watched_processes_finish(watched);
    set->loop->is_over = set->loop->is_over || (set->ends_loop && set->first == NULL);
    return HF_OK;
}

static struct hf_watched *watched_processes_add(
    struct hf_watched_processes *set, uint32_t pid, const char *program)
{
    struct hf_watched *watched = calloc(1, sizeof *watched);
    if (watched == NULL)
        return NULL;
    *watched = (struct hf_watched){
        .next = set->first,
        .set = set,
        .process =
            {
                .fd = -1,
                .events = POLLIN,
                .due_ns = HF_LOOP_NEVER,
                .wake = watched_processes_notice_end,
                .context = watched,
            },
    };
    if (hf_dump_writer_init(&watched->writer, set->options, pid, program, set->signals, NULL) !=
        HF_OK) {
        hf_dump_writer_done(&watched->writer);
        free(watched);
        return NULL;
    }
    set->first = watched;
    watched->writer.family = set->records;
    watched->watcher = hf_dump_writer_watcher(&watched->writer);
    if (set->has_said)
        watched->watcher.on_table = NULL;
    set->has_said = true;
    return watched;
}

enum hf_status hf_watched_processes_add(
    struct hf_watched_processes *set, uint32_t pid, const char *program, struct hf_error *err)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0)
        return hf_error_system(err, errno, "cannot watch process %u", pid);
    struct hf_watched *watched = watched_processes_add(set, pid, program);
    if (watched == NULL) {
        close(pidfd);
        return hf_error_memory(err);
    }
    watched->process.fd = pidfd;
    hf_loop_add(set->loop, &watched->process);
    hf_watcher_begin(&watched->watcher, set->loop);
    return HF_OK;
}

/* "4711-99-e6b9d0a8.live": a process, and the family if there is one. */
static bool watched_processes_is_wanted(const struct hf_watched_processes *set, const char *path)
{
    uint64_t pid, family = 0;
    struct hf_text name = hf_text_basename(hf_text_of(path));
    if (!hf_num_take_u64(&name, &pid) || !hf_text_take(&name, "-") || pid == set->leader)
        return false;
    for (const struct hf_watched *watched = set->first; watched != NULL; watched = watched->next) {
        if (watched->watcher.pid == pid)
            return false;
    }
    return set->family == 0 ||
           (hf_num_take_u64(&name, &family) && hf_text_starts(name, "-") && family == set->family);
}

/* "server --port 80": its first word, without the folder. */
static void program_of(const struct hf_live_head *head, char out_program[sizeof head->command])
{
    struct hf_text command = {head->command, strnlen(head->command, sizeof head->command - 1)};
    struct hf_text word = hf_text_basename(hf_text_first(command, hf_text_find(command, ' ')));
    (void)snprintf(out_program, sizeof head->command, "%.*s", (int)word.size, word.data);
}

static bool watched_processes_look_at(void *context, const char *path)
{
    struct hf_watched_processes *set = context;
    struct hf_found_table table;
    if (!watched_processes_is_wanted(set, path) || hf_found_table_open(&table, path, NULL) != HF_OK)
        return true;
    char program[sizeof table.head.command];
    program_of(&table.head, program);
    uint32_t pid = hf_found_table_writer(&table);
    bool is_ours = set->family != 0 && table.head.realtime_ns >= set->since_ns;
    struct hf_watched *dead =
        pid == 0 && is_ours ? watched_processes_add(set, table.head.pid, program) : NULL;
    if (dead != NULL) {
        dead->watcher.table = table;
        watched_processes_finish(dead);
        return true;
    }
    if (pid != 0 && hf_watched_processes_add(set, pid, program, NULL) != HF_OK)
        set->scanning.due_ns = hf_loop_now_ns(); /* it ends this moment */
    hf_found_table_close(&table);
    return true;
}

static enum hf_status watched_processes_scan(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_watched_processes *set = context;
    set->scanning.due_ns = hf_loop_now_ns() + SCAN_NS;
    if (set->folder != NULL && set->family == 0)
        hf_found_tables_in(set->folder, watched_processes_look_at, set);
    else
        hf_found_tables_everywhere(set->folder, watched_processes_look_at, set);
    return HF_OK;
}

void hf_watched_processes_begin(struct hf_watched_processes *set)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    set->since_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - REUSE_NS;
    set->scanning =
        (struct hf_loop_source){.fd = -1, .wake = watched_processes_scan, .context = set};
    hf_loop_add(set->loop, &set->scanning);
    (void)watched_processes_scan(set, NULL);
}

void hf_watched_processes_note(
    struct hf_watched_processes *set, enum hf_status status, const struct hf_error *error)
{
    if (set->status != HF_OK)
        return;
    set->status = status;
    set->error = *error;
    hf_say("%s%s%s; the other processes are still watched", error->input,
        error->input[0] != '\0' ? ": " : "", error->text);
}

enum hf_status hf_watched_processes_finish(
    struct hf_watched_processes *set, size_t *out_running, struct hf_error *err)
{
    if (set->scanning.wake != NULL)
        (void)watched_processes_scan(set, NULL);
    *out_running = 0;
    for (struct hf_watched *watched = set->first, *next; watched != NULL; watched = next) {
        uint64_t start;
        next = watched->next;
        if (hf_proc_start_ticks(watched->watcher.pid, &start))
            ++*out_running;
        else
            watched_processes_finish(watched);
    }
    if (set->status != HF_OK && err != NULL)
        *err = set->error;
    return set->status;
}

void hf_watched_processes_done(struct hf_watched_processes *set)
{
    while (set->first != NULL)
        watched_processes_forget(set->first);
    if (set->loop != NULL)
        hf_loop_remove(set->loop, &set->scanning);
}
