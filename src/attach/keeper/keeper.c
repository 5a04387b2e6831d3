#include "attach/keeper/keeper.h"

#include "attach/keeper/tracefs.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/file.h"
#include "os/process/proc.h"
#include "spec/system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_URGENT (-20)

struct hf_keeper {
    uint32_t pid;
    struct hf_tracefs tracefs;
    struct hf_perf_wish *wishes;
    struct perf_event_attr *kinds; /* of each wish */
    size_t kind_count, wish_capacity, kind_capacity;
    struct hf_perf_events events;
    struct hf_perf_ring *rings;
    size_t ring_count;
    int priority; /* of this process, before */
    bool is_open;
    struct hf_bpf_program *program;
    struct hf_bpf_place places[HF_BPF_PROBES_MAX]; /* each with a path of its own */
    size_t place_count;
};

struct hf_keeper *hf_keeper_new(uint32_t pid)
{
    struct hf_keeper *keeper = calloc(1, sizeof *keeper);
    if (keeper != NULL)
        *keeper = (struct hf_keeper){
            .pid = pid, .tracefs.folder = -1, .priority = getpriority(PRIO_PROCESS, 0)};
    return keeper;
}

void hf_keeper_free(struct hf_keeper *keeper)
{
    if (keeper != NULL) {
        hf_keeper_reset(keeper);
        hf_keeper_unload(keeper);
    }
    free(keeper);
}

void hf_keeper_reset(struct hf_keeper *keeper)
{
    hf_keeper_detach(keeper);
    hf_keeper_close(keeper);
}

void hf_keeper_hurry(struct hf_keeper *keeper, pid_t reader, bool is_urgent)
{
    (void)setpriority(PRIO_PROCESS, (id_t)reader, is_urgent ? MOST_URGENT : keeper->priority);
}

/* One word of a line of tracefs, below the process's folder. */
static bool is_path_of(uint32_t pid, const char *name)
{
    char folder[64];
    struct hf_text path = hf_text_of(name);
    (void)snprintf(folder, sizeof folder, "/proc/%" PRIu32 "/", pid);
    return strpbrk(name, " \t\n\v\f\r") == NULL && hf_text_take(&path, folder) &&
           !hf_text_has(path, "/../") &&
           (hf_text_starts(path, "root/") || hf_text_starts(path, "map_files/"));
}

/* Of a process that ends between the look at its files and the probes, that is why; all else
 * follows from it. */
static enum hf_status why(
    const struct hf_keeper *keeper, enum hf_status status, struct hf_error *err)
{
    return status == HF_OK || status == HF_ERR_MEMORY || !hf_proc_is_ending(keeper->pid)
               ? status
               : hf_error_set(err, HF_ERR_SYSTEM, "process %" PRIu32 " has ended", keeper->pid);
}

static enum hf_status check_place(
    const struct hf_keeper *keeper, const char *path, uint64_t offset, struct hf_error *err)
{
    struct hf_file_stamp stamp;
    if (!is_path_of(keeper->pid, path))
        return hf_error_set(err, HF_ERR_INPUT,
            "%s is not a file of process %" PRIu32 ", so it gets no probe", path, keeper->pid);
    if (!hf_file_stamp_of(path, &stamp))
        return why(keeper,
            hf_error_set(err, HF_ERR_INPUT, "%s cannot be read, so it gets no probe", path), err);
    if (offset >= stamp.size)
        return hf_error_set(
            err, HF_ERR_INPUT, "%s is too short for a probe at offset %" PRIu64, path, offset);
    return HF_OK;
}

/* It concerns the watched process alone, as every event. */
static enum hf_status find_system_call(struct hf_keeper *keeper, const struct hf_perf_wish *wish,
    uint64_t *out_event, struct hf_error *err)
{
    enum hf_status status =
        keeper->tracefs.folder < 0 ? hf_tracefs_open(&keeper->tracefs, err) : HF_OK;
    return status != HF_OK
               ? status
               : hf_tracefs_system_call(&keeper->tracefs, hf_system_call_name(wish->offset),
                     wish->what == HF_PERF_CALL_RETURN, out_event, err);
}

static enum hf_status make_probe(struct hf_keeper *keeper, const struct hf_perf_wish *wish,
    const char *path, uint64_t *out_event, struct hf_error *err)
{
    enum hf_status status = check_place(keeper, path, wish->offset, err);
    if (status == HF_OK && keeper->tracefs.folder < 0)
        status = hf_tracefs_open(&keeper->tracefs, err);
    if (status != HF_OK)
        return status;
    status = hf_tracefs_add(&keeper->tracefs, path, wish->offset, wish->what == HF_PERF_RETURN,
        hf_perf_wish_fields(wish), out_event, err);
    return why(keeper, status, err);
}

enum hf_status hf_keeper_want(struct hf_keeper *keeper, const struct hf_perf_wish *wish,
    const char *path, struct hf_error *err)
{
    uint64_t event = 0;
    if (keeper->is_open)
        return hf_error_set(err, HF_ERR_INPUT, "events are open already");
    if (keeper->kind_count == HF_LIMIT_PROBES)
        return hf_error_set(
            err, HF_ERR_LIMIT, "more than %u kinds of events (HF_LIMIT_PROBES)", HF_LIMIT_PROBES);
    enum hf_status status = hf_perf_wish_check(wish, err);
    if (status != HF_OK)
        return status;
    size_t count = keeper->kind_count + 1;
    if (!hf_vec_reserve(&keeper->wishes, &keeper->wish_capacity, count, sizeof *keeper->wishes) ||
        !hf_vec_reserve(&keeper->kinds, &keeper->kind_capacity, count, sizeof *keeper->kinds))
        return hf_error_memory(err);
    if (wish->what == HF_PERF_ENTRY || wish->what == HF_PERF_RETURN)
        status = make_probe(keeper, wish, path, &event, err);
    else if (hf_perf_wish_is_call(wish))
        status = find_system_call(keeper, wish, &event, err);
    if (status != HF_OK)
        return status;
    keeper->wishes[keeper->kind_count] = *wish;
    keeper->kinds[keeper->kind_count++] = hf_perf_wish_attributes(
        wish, event, (uint32_t)hf_perf_ring_bytes((size_t)sysconf(_SC_NPROCESSORS_CONF)) / 4);
    return HF_OK;
}

/*
 * Each processor's first file gets a ring; what the others record goes there, too. It is mapped
 * here because memory for it may need a right (CAP_IPC_LOCK); to map what is there already needs
 * none.
 */
static enum hf_status keeper_open_rings(struct hf_keeper *keeper, struct hf_error *err)
{
    int *files = NULL;
    size_t count = 0;
    enum hf_status status = hf_perf_events_rings(&keeper->events, &files, &count, err);
    keeper->rings = status == HF_OK ? calloc(count + 1, sizeof *keeper->rings) : NULL;
    if (status == HF_OK && keeper->rings == NULL)
        status = hf_error_memory(err);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        int fd = fcntl(files[i], F_DUPFD_CLOEXEC, 0);
        status = fd >= 0 ? hf_perf_ring_open(&keeper->rings[i], fd, hf_perf_ring_bytes(count), err)
                         : hf_error_system(err, errno, "cannot open a ring buffer of perf");
        keeper->ring_count += status == HF_OK;
    }
    free(files);
    return status == HF_OK ? hf_perf_events_join(&keeper->events, err) : status;
}

enum hf_status hf_keeper_open(struct hf_keeper *keeper, struct hf_error *err)
{
    if (keeper->is_open || keeper->kind_count == 0)
        return hf_error_set(err, HF_ERR_INPUT, "there are no events to open");
    enum hf_status status =
        hf_perf_events_open(&keeper->events, keeper->pid, keeper->kinds, keeper->kind_count, err);
    keeper->is_open = status == HF_OK;
    if (status == HF_OK && keeper->wishes[0].is_recorded != 0)
        status = keeper_open_rings(keeper, err);
    return why(keeper, status, err);
}

struct hf_keeper_opened hf_keeper_opened(const struct hf_keeper *keeper)
{
    return (struct hf_keeper_opened){
        keeper->events.files, keeper->events.count, keeper->rings, keeper->ring_count};
}

enum hf_status hf_keeper_begin(struct hf_keeper *keeper, const char *filter, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (!keeper->is_open || (filter[0] != '\0' && !hf_perf_filter_is_sound(filter)))
        return hf_error_set(err, HF_ERR_INPUT, "there is nothing to start");
    for (uint32_t i = 0; i < keeper->kind_count && status == HF_OK; i++)
        if (filter[0] != '\0' && keeper->wishes[i].filtered_argument != 0)
            status = hf_perf_events_filter(&keeper->events, i, filter, err);
    if (status == HF_OK)
        hf_perf_events_enable(&keeper->events);
    return status;
}

void hf_keeper_end(struct hf_keeper *keeper)
{
    if (keeper->is_open)
        hf_perf_events_disable(&keeper->events);
}

uint64_t hf_keeper_count(const struct hf_keeper *keeper, uint32_t kind)
{
    return keeper->is_open ? hf_perf_events_count(&keeper->events, kind) : 0;
}

/* Names of probes go after their watchers. */
void hf_keeper_close(struct hf_keeper *keeper)
{
    for (size_t i = 0; i < keeper->ring_count; i++)
        hf_perf_ring_close(&keeper->rings[i]);
    if (keeper->is_open)
        hf_perf_events_close(&keeper->events);
    hf_tracefs_close(&keeper->tracefs);
    free(keeper->rings);
    free(keeper->wishes);
    free(keeper->kinds);
    keeper->rings = NULL;
    keeper->wishes = NULL;
    keeper->kinds = NULL;
    keeper->ring_count = keeper->kind_count = keeper->wish_capacity = keeper->kind_capacity = 0;
    keeper->is_open = false;
}

enum hf_status hf_keeper_load(
    struct hf_keeper *keeper, const struct hf_bpf_wish *wish, struct hf_error *err)
{
    hf_keeper_unload(keeper);
    return hf_bpf_program_new(&keeper->program, wish, err);
}

const struct hf_bpf_program *hf_keeper_program(const struct hf_keeper *keeper)
{
    return keeper->program;
}

enum hf_status hf_keeper_place(
    struct hf_keeper *keeper, const struct hf_bpf_place *place, struct hf_error *err)
{
    if (keeper->place_count == HF_BPF_PROBES_MAX)
        return hf_error_set(
            err, HF_ERR_LIMIT, "more than %d probes (HF_BPF_PROBES_MAX)", HF_BPF_PROBES_MAX);
    enum hf_status status = check_place(keeper, place->path, place->offset, err);
    char *path = status == HF_OK ? strdup(place->path) : NULL;
    if (path == NULL)
        return status == HF_OK ? hf_error_memory(err) : status;
    keeper->places[keeper->place_count++] =
        (struct hf_bpf_place){path, place->offset, place->returns, place->is_birth};
    return HF_OK;
}

enum hf_status hf_keeper_attach(struct hf_keeper *keeper, struct hf_error *err)
{
    if (keeper->program == NULL)
        return hf_error_set(err, HF_ERR_INPUT, "no program is loaded");
    enum hf_status status = hf_bpf_program_attach(
        keeper->program, keeper->pid, keeper->places, keeper->place_count, err);
    return why(keeper, status, err);
}

void hf_keeper_detach(struct hf_keeper *keeper)
{
    if (keeper->program != NULL)
        hf_bpf_program_detach(keeper->program);
}

void hf_keeper_pause(struct hf_keeper *keeper)
{
    if (keeper->program != NULL)
        hf_bpf_program_pause(keeper->program);
}

void hf_keeper_unload(struct hf_keeper *keeper)
{
    hf_bpf_program_free(keeper->program);
    keeper->program = NULL;
    for (size_t i = 0; i < keeper->place_count; i++)
        free((char *)(uintptr_t)keeper->places[i].path);
    keeper->place_count = 0;
}
