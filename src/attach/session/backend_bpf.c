#include "attach/bpf/bpf_source.h"
#include "attach/session/backend.h"
#include "os/process/proc.h"

#include "os/process/process_memory.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct hf_bpf_stack_log) <= HF_BACKEND_LOG_BYTES, "there is room for it");

#define STACK_BYTES 24576u

struct bpf {
    struct hf_bpf_source *source;
    struct hf_backend_progress progress;
    uint32_t pid;
    uint64_t program; /* of the process as it was attached to; 0: not known */
};

static enum hf_status check_bpf(const struct hf_probe *probes, size_t count, bool with_faults,
    uint64_t period_bytes, struct hf_error *err)
{
    (void)period_bytes;
    if (with_faults)
        return hf_error_set(
            err, HF_ERR_USAGE, "the bpf backend cannot watch page faults: use --backend perf");
    return hf_bpf_source_check(probes, count, err);
}

static void close_bpf(void *backend)
{
    struct bpf *bpf = backend;
    if (bpf != NULL)
        hf_bpf_source_close(bpf->source);
    free(bpf);
}

static enum hf_status open_bpf(
    const struct hf_backend_options *options, void **out_backend, struct hf_error *err)
{
    struct hf_bpf_source_options how = {
        .keeper = options->keeper,
        .pid = options->pid,
        .probes = options->probes,
        .probe_count = options->probe_count,
        .images = options->images,
        .tracker = options->tracker,
        .log = options->log,
        .period_bytes = options->period_bytes,
        .seed = options->seed,
        .has_contexts = options->has_contexts,
        .skips_short_lived = options->skips_short_lived,
        .name_offset = options->name_offset,
        .contexts = options->contexts,
        .context_count = options->context_count,
        .is_one_of_many = options->is_one_of_many,
        .is_part_of_time = options->is_part_of_time,
    };
    struct bpf *bpf = calloc(1, sizeof *bpf);
    struct timespec now;
    if (bpf == NULL)
        return hf_error_memory(err);
    bpf->pid = options->pid;
    if (!hf_proc_program(options->pid, &bpf->program))
        bpf->program = 0;
    enum hf_status status = hf_bpf_source_open(&how, &bpf->source, err);
    if (status != HF_OK) {
        close_bpf(bpf);
        return status;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    bpf->progress.stack_bytes = STACK_BYTES;
    bpf->progress.begin_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    *out_backend = bpf;
    return HF_OK;
}

static enum hf_status poll_bpf(void *backend, int wait_ms, struct hf_error *err)
{
    struct bpf *bpf = backend;
    uint64_t program;
    enum hf_status status = hf_bpf_source_poll(bpf->source, wait_ms, err);
    bpf->progress.became_another |=
        hf_bpf_source_has_ended(bpf->source) ||
        (bpf->program != 0 && hf_proc_program(bpf->pid, &program) && program != bpf->program);
    return status;
}

static enum hf_status follow_births_by_bpf(void *backend, bool follows, struct hf_error *err)
{
    struct bpf *bpf = backend;
    return hf_bpf_source_follow_births(bpf->source, follows, err);
}

static enum hf_status look_by_bpf(void *backend, struct hf_error *err)
{
    struct bpf *bpf = backend;
    return hf_bpf_source_look(bpf->source, err);
}

static enum hf_status stop_bpf(void *backend, struct hf_error *err)
{
    struct bpf *bpf = backend;
    return hf_bpf_source_stop(bpf->source, err);
}

static enum hf_status gather_bpf(const struct hf_backend_gathering *gathering, struct hf_error *err)
{
    int memory_fd;
    if (hf_memory_open(gathering->pid, &memory_fd, NULL) != HF_OK)
        memory_fd = -1; /* it has ended: contexts have no names */
    struct hf_memory memory = hf_memory_of_file(&memory_fd);
    const struct hf_bpf_gathering how = {
        .keeper = gathering->keeper,
        .memory = &memory,
        .tracker = gathering->tracker,
        .log = gathering->log,
        .period_bytes = gathering->period_bytes,
    };
    enum hf_status status = hf_bpf_source_gather(&how, err);
    if (memory_fd >= 0)
        close(memory_fd);
    return status;
}

static struct hf_backend_progress progress_of_bpf(const void *backend)
{
    const struct bpf *bpf = backend;
    struct hf_backend_progress progress = bpf->progress;
    progress.stacks = hf_bpf_source_stacks(bpf->source);
    progress.stops = hf_bpf_source_stops(bpf->source, &progress.birth_stops);
    progress.knows_stops = progress.tells_births = true;
    return progress;
}

const struct hf_backend hf_backend_bpf = {
    .name = "bpf",
    .most_stack_bytes = STACK_BYTES,
    .samples = true,
    .exact = {.emulated_ns = 1000, .stepped_ns = 10000, .return_ns = 2200},
    .sampled = {.emulated_ns = 830, .stepped_ns = 10000},
    .check = check_bpf,
    .open = open_bpf,
    .follow_births = follow_births_by_bpf,
    .poll = poll_bpf,
    .look = look_by_bpf,
    .stop = stop_bpf,
    .close = close_bpf,
    .gather = gather_bpf,
    .progress = progress_of_bpf,
};
