#include "cli/process/attach/attach_choice.h"

#include "answer/operand.h"
#include "base/strings/num.h"
#include "base/strings/units.h"

#include <inttypes.h>
#include <unistd.h>

#define DURATION_NS (13 * UINT64_C(1000000000))
#define ON_LEAST_NS UINT64_C(10000000) /* probes take about as long to go in */

/* "1s/60s" */
static enum hf_status choose_duty(const struct hf_attach_options *options,
    struct hf_session_options *session, struct hf_error *err)
{
    if (options->duty == NULL)
        return HF_OK;
    struct hf_text text = hf_text_of(options->duty);
    size_t slash = hf_text_find(text, '/');
    if (slash == text.size || !hf_units_parse_time(hf_text_first(text, slash), &session->on_ns) ||
        !hf_units_parse_time(hf_text_from(text, slash + 1), &session->on_period_ns))
        return hf_error_set(err, HF_ERR_USAGE,
            "--duty: expected ON/PERIOD, e.g. 1s/60s to record 1 s of each 60 s; found '%s'",
            options->duty);
    if (session->on_ns < ON_LEAST_NS || session->on_ns >= session->on_period_ns)
        return hf_error_set(err, HF_ERR_USAGE,
            "--duty: expected ON from 10 ms to less than PERIOD, e.g. 1s/60s; found '%s'",
            options->duty);
    if (!session->is_series)
        return hf_error_set(err, HF_ERR_USAGE,
            "--duty needs --every: windows are a sample of time, which only a series can judge");
    return HF_OK;
}

static enum hf_status choose_series(const struct hf_attach_options *options,
    struct hf_session_options *session, struct hf_error *err)
{
    session->is_series = options->every_ns != 0;
    session->duration_ns = options->duration_ns != 0 ? options->duration_ns
                           : session->is_series      ? UINT64_MAX
                                                     : DURATION_NS;
    if (options->keep != 0 && (!session->is_series || options->report.view.output == NULL))
        return hf_error_set(err, HF_ERR_USAGE,
            "--keep needs --every and --output: it says which of several profiles are kept");
    if (!session->is_series)
        return choose_duty(options, session, err);
    if (options->tree || options->cgroup != NULL || options->unit != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--every: expected one PID: several processes cannot be judged as one");
    if (options->older_ns != HF_OLDER_UNSAID)
        return hf_error_set(err, HF_ERR_USAGE,
            "--every and --older exclude each other: verdicts know how old each block is");
    session->has_older = true; /* nothing is left out */
    return choose_duty(options, session, err);
}

static enum hf_status choose_times(const struct hf_attach_options *options,
    struct hf_session_options *session, struct hf_error *err)
{
    double percent;
    struct hf_text overhead = hf_text_trim_end(hf_text_of(options->overhead), "%");
    enum hf_status status = choose_series(options, session, err);
    if (status != HF_OK)
        return status;
    if (options->older_ns != HF_OLDER_UNSAID) {
        session->has_older = true;
        session->older_ns = options->older_ns;
        if (session->older_ns >= session->duration_ns)
            return hf_error_set(err, HF_ERR_USAGE,
                "--older: expected a time shorter than --duration, which is %g s; found %g s",
                (double)session->duration_ns / 1e9, (double)session->older_ns / 1e9);
    }
    if (!hf_num_real(overhead, &percent) || percent > 1e6)
        return hf_error_set(err, HF_ERR_USAGE,
            "--max-overhead: expected a percentage of the process's own processor time, e.g. "
            "'30%%'; found '%s'",
            options->overhead);
    session->most_per_mille = (uint64_t)(percent * 10);
    return HF_OK;
}

static enum hf_status choose_process(const struct hf_attach_options *options,
    const struct hf_operands *operands, struct hf_session_options *session, struct hf_error *err)
{
    uint32_t pid;
    bool is_group = options->cgroup != NULL || options->unit != NULL;
    size_t count = operands->count + (options->pid != NULL);
    if (is_group &&
        (count != 0 || options->tree || (options->cgroup != NULL && options->unit != NULL)))
        return hf_error_set(err, HF_ERR_USAGE, "expected either a PID, --cgroup or --unit");
    if (is_group)
        return HF_OK;
    if (count != 1)
        return hf_error_set(
            err, HF_ERR_USAGE, "expected one PID, e.g. 'heapflame attach 4711 -o leak.svg'");
    const char *name = options->pid != NULL ? options->pid : operands->items[0];
    if (!hf_operand_is_pid(name, &pid))
        return hf_error_set(err, HF_ERR_USAGE, "expected a PID, found '%s'", name);
    if (pid == (uint32_t)getpid())
        return hf_error_set(err, HF_ERR_USAGE, "process %s is heapflame itself", name);
    session->pid = pid;
    return HF_OK;
}

static enum hf_status choose_stack(const struct hf_attach_options *options,
    struct hf_session_options *session, struct hf_error *err)
{
    uint64_t bytes = options->stack_bytes;
    if (bytes != 0 && (bytes < 1024 || bytes > hf_backend_perf.most_stack_bytes))
        return hf_error_set(err, HF_ERR_USAGE,
            "--stack: expected bytes, from 1KiB to %" PRIu32 "KiB, found %" PRIu64,
            hf_backend_perf.most_stack_bytes / 1024, bytes);
    if (bytes != 0)
        session->stack_bytes = (uint32_t)bytes / 8 * 8;
    return HF_OK;
}

static enum hf_status choose_backend(const struct hf_attach_options *options,
    struct hf_session_options *session, struct hf_error *err)
{
    session->backend = hf_backend_named(options->backend);
    if (session->backend == NULL && strcmp(options->backend, "auto") != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--backend: expected auto, perf or bpf, found '%s'",
            options->backend);
    session->seed = options->seed;
    session->period_bytes = options->period_bytes;
    return HF_OK;
}

enum hf_status hf_attach_choose(const struct hf_attach_options *options,
    const struct hf_operands *operands, struct hf_session_options *session, struct hf_error *err)
{
    enum hf_status status = choose_process(options, operands, session, err);
    if (status == HF_OK)
        status = choose_times(options, session, err);
    if (status == HF_OK)
        status = choose_backend(options, session, err);
    if (status == HF_OK)
        status = choose_stack(options, session, err);
    return status;
}
