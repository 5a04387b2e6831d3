#include "attach/keeper/keeper_line.h"
#include "attach/perf/stack_depth.h"
#include "attach/session/backend.h"
#include "attach/session/calls.h"

#include <stdlib.h>

struct perf {
    struct hf_keeper *keeper;
    struct hf_perf_source *source;
    struct hf_calls calls;
};

static enum hf_status check_perf(const struct hf_probe *probes, size_t count, bool with_faults,
    uint64_t period_bytes, struct hf_error *err)
{
    (void)probes, (void)count, (void)with_faults;
    return period_bytes > 1
               ? hf_error_set(err, HF_ERR_USAGE,
                     "the perf backend follows every call and cannot sample: use --backend bpf")
               : HF_OK;
}

static void close_perf(void *backend)
{
    struct perf *perf = backend;
    if (perf == NULL)
        return;
    hf_perf_source_close(perf->source);
    hf_keeper_line_hurry(perf->keeper, false);
    hf_calls_done(&perf->calls);
    free(perf);
}

static enum hf_status open_perf(
    const struct hf_backend_options *options, void **out_backend, struct hf_error *err)
{
    struct hf_perf_source_options how = {
        .keeper = options->keeper,
        .pid = options->pid,
        .probes = options->probes,
        .probe_count = options->probe_count,
        .with_faults = options->with_faults,
        .with_chains = hf_images_have_go(options->images),
        .stack_bytes = options->stack_bytes,
        .contexts = options->chosen,
        .context_count = options->chosen_count,
    };
    struct perf *perf = calloc(1, sizeof *perf);
    if (perf == NULL)
        return hf_error_memory(err);
    perf->keeper = options->keeper;
    hf_keeper_line_hurry(perf->keeper, true);
    hf_calls_init(&perf->calls, options->pid, options->probes, options->images, options->tracker);
    perf->calls.sees_all = options->chosen_count == 0;
    enum hf_status status = HF_OK;
    if (how.stack_bytes == 0)
        status = hf_stack_depth_learn(&how, options->images, &how.stack_bytes, err);
    perf->calls.progress.stack_bytes = how.stack_bytes;
    if (status == HF_OK)
        status = hf_perf_source_open(&how, &perf->source, err);
    if (status != HF_OK)
        close_perf(perf);
    else
        *out_backend = perf;
    return status;
}

static enum hf_status poll_perf(void *backend, int wait_ms, struct hf_error *err)
{
    struct perf *perf = backend;
    return hf_perf_source_poll(
        perf->source, wait_ms, (struct hf_half_sink){hf_calls_take, &perf->calls}, err);
}

static enum hf_status stop_perf(void *backend, struct hf_error *err)
{
    struct perf *perf = backend;
    enum hf_status status =
        hf_perf_source_stop(perf->source, (struct hf_half_sink){hf_calls_take, &perf->calls}, err);
    if (status == HF_OK)
        hf_calls_end(&perf->calls);
    return status;
}

static struct hf_backend_progress progress_of_perf(const void *backend)
{
    const struct perf *perf = backend;
    struct hf_backend_progress progress = perf->calls.progress;
    progress.stacks = perf->calls.walked.counts;
    progress.stops = progress.calls + progress.lost;
    progress.knows_stops = perf->calls.sees_all;
    progress.begin_ns = hf_perf_source_begin(perf->source);
    return progress;
}

const struct hf_backend hf_backend_perf = {
    .name = "perf",
    .most_stack_bytes = HF_PERF_STACK_BYTES_MOST,
    .counts_calls = true,
    .has_chains = true,
    .needs_choice = true,
    .exact = {.emulated_ns = 1600, .stepped_ns = 11000, .return_ns = 1800},
    .check = check_perf,
    .open = open_perf,
    .poll = poll_perf,
    .stop = stop_perf,
    .close = close_perf,
    .progress = progress_of_perf,
};
