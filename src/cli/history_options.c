#include "cli/history_options.h"

#include "answer/operand.h"
#include "capture/signals.h"
#include "cli/say.h"

#include <stdlib.h>
#include <unistd.h>

#define AT(field) struct hf_history_options, field

const struct hf_option hf_process_options[] = {
    {"every", 0, HF_OPT_WAIT(AT(every_ns), "TIME"), "read the process every TIME (default: 5s)"},
    {"duration", 'd', HF_OPT_WAIT(AT(duration_ns), "TIME"),
        "watch the process for TIME (default: until it ends, or Ctrl-C)"},
    {0},
};

const struct hf_option hf_suppression_options[] = {
    {"suppressions", 0, HF_OPT_LIST(AT(suppressions), "FILE"),
        "leave out places that match a line leak:PATTERN, as in LeakSanitizer"},
    {0},
};

const struct hf_option hf_load_options[] = {
    {"per", 0, HF_OPT_TEXT(AT(per), "FILE"),
        "judge growth per 1,000 requests instead of by time; FILE is CSV: time,count"},
    {"per-column", 0, HF_OPT_TEXT(AT(per_column), "NAME"),
        "take the counts from this column (default: the second)"},
    {0},
};

static void history_options_stop(void *context, int signal, bool is_of_kernel)
{
    (void)signal;
    (void)is_of_kernel;
    struct hf_loop *loop = context;
    loop->is_over = true;
}

static void history_options_say(void *teller, enum hf_poller_event event)
{
    static const char *const said[] = {
        [HF_POLLER_BEGINS] = "is watched until it ends; press Ctrl-C for the verdicts so far",
        [HF_POLLER_ENDED] = "has ended",
        [HF_POLLER_ANOTHER] = "became another program (exec): the report covers the time before",
    };
    const struct hf_poller *poller = teller;
    if (event != HF_POLLER_BEGINS || isatty(STDERR_FILENO))
        hf_say("process %u %s", poller->pid, said[event]);
}

enum hf_status hf_history_options_watch(const struct hf_history_options *options,
    struct hf_poller *poller, hf_history_loop_fn *run, void *context, struct hf_error *err)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct hf_loop loop = {0};
    struct hf_signals signals = {.source.fd = -1};
    poller->every_ns = options->every_ns;
    poller->duration_ns = options->duration_ns;
    poller->tell = options->view.common.quiet ? NULL : history_options_say;
    poller->teller = poller;
    enum hf_status status =
        hf_signals_open(&signals, stopping, HF_COUNT(stopping), history_options_stop, &loop, err);
    if (status == HF_OK) {
        hf_loop_add(&loop, &signals.source);
        status = run(context, poller, &loop, err);
    }
    hf_signals_close(&signals);
    (void)sigprocmask(SIG_SETMASK, &signals.before, NULL); /* the report is ended as any other */
    return status;
}

/* What is read of a process again and again. */
struct history_look {
    const struct hf_request *request;
    const char *name;
    struct hf_process_history *process;
};

static enum hf_status history_options_poll(
    void *context, struct hf_poller *poller, struct hf_loop *loop, struct hf_error *err)
{
    const struct history_look *look = context;
    return hf_process_history_poll(look->process, look->request, look->name, poller, loop, err);
}

static enum hf_status history_options_look(struct hf_history_options *options, const char *name,
    uint32_t pid, struct hf_process_history *process, struct hf_error *err)
{
    struct hf_poller poller = {.pid = pid};
    struct history_look look = {hf_view_options_request(&options->view), name, process};
    return hf_history_options_watch(options, &poller, history_options_poll, &look, err);
}

static enum hf_status history_options_read_load(
    struct hf_history_options *options, struct hf_error *err)
{
    struct hf_input input;
    struct hf_request_times *times = &options->view.request.times;
    if (options->per == NULL)
        return options->per_column == NULL
                   ? HF_OK
                   : hf_error_set(err, HF_ERR_USAGE, "--per-column needs --per");
    enum hf_status status = hf_input_open(&input, options->per, err);
    if (status != HF_OK)
        return status;
    status = hf_load_file_read(&options->load, &input, options->per_column, err);
    hf_input_close(&input);
    times->load = &options->load.clock;
    times->load_name = options->per;
    return status;
}

static enum hf_status history_options_judge_all(struct hf_history_options *options,
    struct hf_process_histories *processes, struct hf_error *err)
{
    const struct hf_request *request = hf_view_options_request(&options->view);
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < processes->count; i++) {
        struct hf_process_history *process = processes->items[i];
        if (process->history.profile_count >= 2 || process->last != NULL)
            status = hf_process_history_judge(process, request, err);
    }
    return status == HF_OK ? hf_program_leaks_find(&options->together, processes, err) : status;
}

enum hf_status hf_history_options_judge(struct hf_history_options *options,
    const struct hf_operands *operands, struct hf_process_histories *processes,
    struct hf_error *err)
{
    uint32_t pid;
    const struct hf_request *request = hf_view_options_request(&options->view);
    bool is_process = operands->count == 1 && hf_operand_is_process(operands->items[0], &pid);
    if (!is_process && (options->every_ns != 0 || options->duration_ns != 0))
        return hf_error_set(err, HF_ERR_USAGE, "%s: expected one PID and no other profile",
            options->every_ns != 0 ? "--every" : "--duration");
    struct hf_process_history *process;
    enum hf_status status = history_options_read_load(options, err);
    processes->suppressions = &options->suppressions;
    if (status == HF_OK && is_process)
        status = hf_process_histories_add(processes, &process, err);
    if (status == HF_OK)
        status = is_process ? history_options_look(options, operands->items[0], pid, process, err)
                            : hf_process_histories_read(
                                  processes, request, operands->items, operands->count, err);
    return status == HF_OK ? history_options_judge_all(options, processes, err) : status;
}

void hf_history_options_finish(
    struct hf_history_options *options, struct hf_process_histories *processes)
{
    for (size_t i = 0; i < processes->count; i++) {
        const struct hf_notes *notes = hf_process_history_notes(processes->items[i]);
        if (notes != NULL)
            hf_report_notes(&options->view.common, notes);
    }
    hf_shared_leaks_done(&options->together);
    hf_process_histories_done(processes);
    hf_load_file_done(&options->load);
}

struct hf_listed_process hf_history_options_listed(
    const struct hf_history_options *options, const struct hf_process_history *process)
{
    return (struct hf_listed_process){
        .program = hf_process_identity_program(&process->identity),
        .pid = process->identity.pid,
        .start = process->start,
        .start_count = process->start_count,
        .is_restart = process->is_restart,
        .profile_count = process->history.profile_count,
        .has_times = options->view.request.times.at == NULL,
        .first_ms = process->history.first_ms,
        .last_ms = process->history.last_ms,
    };
}

enum hf_status hf_history_options_put_summary(const struct hf_history_options *options,
    const struct hf_process_histories *processes, struct hf_out *out, struct hf_error *err)
{
    struct hf_listed_process *listed = calloc(processes->count + 1, sizeof *listed);
    if (listed == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < processes->count; i++)
        listed[i] = hf_history_options_listed(options, processes->items[i]);
    hf_process_list_summary(listed, processes->count, out);
    hf_shared_leaks_text(&options->together, out);
    free(listed);
    return HF_OK;
}
