#include "attach/keeper/perf_events.h"

#include "base/containers/vec.h"
#include "base/plural.h"
#include "base/strings/num.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(struct perf_event_attr attr, uint32_t tid, uint32_t cpu)
{
    return (int)syscall(SYS_perf_event_open, &attr, (pid_t)tid, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static enum hf_status refused(const struct hf_perf_events *events, int error, struct hf_error *err)
{
    if (error == EMFILE || error == ENFILE)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "process %" PRIu32 " has too many threads: each needs an open file for each processor "
            "and each of %zu %s, and at most %zu may be open",
            events->pid, events->kind_count, hf_plural(events->kind_count, "event", "events"),
            events->count);
    if (error == EACCES || error == EPERM)
        return hf_error_system(err, error,
            "no permission to watch process %" PRIu32
            ": run as root (CAP_SYS_ADMIN), or see 'heapflame doctor'",
            events->pid);
    return hf_error_system(
        err, error, "perf_event_open(2) refuses to watch process %" PRIu32, events->pid);
}

static enum hf_status perf_events_add_file(
    struct hf_perf_events *events, const struct hf_perf_file *file, struct hf_error *err)
{
    struct hf_perf_file added = *file;
    if (!hf_vec_reserve(
            &events->files, &events->capacity, events->count + 1, sizeof *events->files))
        return hf_error_memory(err);
    if (ioctl(file->fd, PERF_EVENT_IOC_ID, &added.id) != 0)
        return hf_error_system(err, errno, "a perf event has no ID");
    events->files[events->count++] = added;
    return HF_OK;
}

/* A thread that has ended meanwhile has no files, and a processor that is offline. */
static enum hf_status open_thread(
    struct hf_perf_events *events, uint32_t tid, uint32_t cpu_count, struct hf_error *err)
{
    for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
        for (uint32_t kind = 0; kind < events->kind_count; kind++) {
            struct hf_perf_file file = {.kind = kind, .tid = tid, .cpu = cpu};
            file.fd = open_event(events->kinds[kind], tid, cpu);
            if (file.fd < 0 && errno == ESRCH)
                return HF_OK;
            if (file.fd < 0 && errno == ENODEV)
                break;
            if (file.fd < 0)
                return refused(events, errno, err);
            enum hf_status status = perf_events_add_file(events, &file, err);
            if (status != HF_OK) {
                close(file.fd);
                return status;
            }
        }
    }
    return HF_OK;
}

/* Opens what is not open yet; *out_found: there were threads without. */
static enum hf_status open_threads(struct hf_perf_events *events, DIR *tasks, uint32_t cpu_count,
    bool *out_found, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct dirent *entry;
    *out_found = false;
    rewinddir(tasks);
    while (status == HF_OK && (entry = readdir(tasks)) != NULL) {
        uint64_t tid;
        bool is_new;
        if (!hf_num_u64(hf_text_of(entry->d_name), &tid))
            continue;
        if (hf_map_put(&events->threads, tid, 1, &is_new) == NULL)
            return hf_error_memory(err);
        if (is_new)
            status = open_thread(events, (uint32_t)tid, cpu_count, err);
        *out_found |= is_new;
    }
    return status;
}

static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

enum hf_status hf_perf_events_open(struct hf_perf_events *events, uint32_t pid,
    const struct perf_event_attr *kinds, size_t kind_count, struct hf_error *err)
{
    char path[64];
    *events = (struct hf_perf_events){.pid = pid, .kinds = kinds, .kind_count = kind_count};
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", pid);
    DIR *tasks = opendir(path);
    if (tasks == NULL)
        return hf_error_system(err, errno, "cannot list the threads of process %" PRIu32, pid);
    raise_file_limit();
    long cpu_count = sysconf(_SC_NPROCESSORS_CONF);
    enum hf_status status = HF_OK;
    bool found = true;
    while (status == HF_OK && found)
        status = open_threads(events, tasks, (uint32_t)cpu_count, &found, err);
    closedir(tasks);
    if (status == HF_OK && events->count == 0)
        status = hf_error_set(err, HF_ERR_SYSTEM, "process %" PRIu32 " has ended", pid);
    if (status != HF_OK)
        hf_perf_events_close(events);
    return status;
}

void hf_perf_events_close(struct hf_perf_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        close(events->files[i].fd);
    free(events->files);
    hf_map_done(&events->threads);
    *events = (struct hf_perf_events){0};
}

enum hf_status hf_perf_events_filter(const struct hf_perf_events *events, uint32_t kind,
    const char *expression, struct hf_error *err)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct hf_perf_file *file = &events->files[i];
        if (file->kind == kind && ioctl(file->fd, PERF_EVENT_IOC_SET_FILTER, expression) != 0)
            return hf_error_system(
                err, errno, "the kernel does not filter events by '%s'", expression);
    }
    return HF_OK;
}

static void tell_all(const struct hf_perf_events *events, unsigned long request)
{
    for (size_t i = 0; i < events->count; i++)
        (void)ioctl(events->files[i].fd, request, 0);
}

void hf_perf_events_enable(const struct hf_perf_events *events)
{
    tell_all(events, PERF_EVENT_IOC_ENABLE);
}

void hf_perf_events_disable(const struct hf_perf_events *events)
{
    tell_all(events, PERF_EVENT_IOC_DISABLE);
}

uint64_t hf_perf_events_count(const struct hf_perf_events *events, uint32_t kind)
{
    uint64_t sum = 0, value;
    for (size_t i = 0; i < events->count; i++) {
        const struct hf_perf_file *file = &events->files[i];
        if (file->kind == kind && read(file->fd, &value, sizeof value) == sizeof value)
            sum += value;
    }
    return sum;
}

/* The first file of a processor. */
static const struct hf_perf_file *perf_events_first_of(
    const struct hf_perf_events *events, uint32_t cpu)
{
    const struct hf_perf_file *file = events->files;
    while (file->cpu != cpu)
        file++;
    return file;
}

enum hf_status hf_perf_events_rings(
    const struct hf_perf_events *events, int **out_rings, size_t *out_count, struct hf_error *err)
{
    size_t count = 0;
    int *rings = calloc((size_t)sysconf(_SC_NPROCESSORS_CONF), sizeof *rings);
    if (rings == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < events->count; i++) {
        const struct hf_perf_file *file = &events->files[i];
        if (perf_events_first_of(events, file->cpu) == file)
            rings[count++] = file->fd;
    }
    *out_rings = rings;
    *out_count = count;
    return HF_OK;
}

enum hf_status hf_perf_events_join(const struct hf_perf_events *events, struct hf_error *err)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct hf_perf_file *file = &events->files[i],
                                  *first = perf_events_first_of(events, file->cpu);
        if (first != file && ioctl(file->fd, PERF_EVENT_IOC_SET_OUTPUT, first->fd) != 0)
            return hf_error_system(err, errno, "perf events cannot share a ring buffer");
    }
    return HF_OK;
}
