#include "cli/process/recording/leak_watch.h"

#include "cli/say.h"
#include "os/process/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

/* Between two looks: a minute, or less, so that there are some in the time to learn. */
#define LOOK_NS UINT64_C(60000000000)
#define LOOK_LEAST_NS UINT64_C(500000000)
#define LOOKS_TO_LEARN 20

static uint64_t look_ns(const struct hf_leak_options *options)
{
    uint64_t look = options->learn_ns / LOOKS_TO_LEARN;
    if (look > LOOK_NS)
        return LOOK_NS;
    return look < LOOK_LEAST_NS ? LOOK_LEAST_NS : look;
}

static enum hf_status leak_watch_look(
    void *context, const struct hf_dump_source *source, bool *out_is_leak, struct hf_error *err)
{
    struct hf_leak_watch *watch = context;
    if (watch->command > 0 && waitpid(watch->command, NULL, WNOHANG) != 0)
        watch->command = 0; /* it has ended */
    const struct hf_leak_alarm_rules rules =
        hf_leak_options_rules(watch->options, look_ns(watch->options));
    enum hf_status status =
        hf_table_reader_judge(&watch->reader, source, &rules, &watch->told, err);
    *out_is_leak = status == HF_OK && watch->told.what[0] != '\0';
    return status;
}

static void run_command(struct hf_leak_watch *watch)
{
    struct hf_error err;
    char pid[16];
    (void)snprintf(pid, sizeof pid, "%" PRIu32, watch->pid);
    const struct hf_process_variable variables[] = {
        {"HEAPFLAME_LEAK", watch->told.what},
        {"HEAPFLAME_PROFILE", watch->profile},
        {"HEAPFLAME_PID", pid},
        {0},
    };
    if (watch->command > 0)
        hf_say("--on-leak: the command for the last leak is still running: it is not run again");
    else if (hf_process_start_shell(watch->options->command, variables, &watch->command, &err) !=
             HF_OK)
        hf_say("--on-leak: %s", err.text);
}

static enum hf_status leak_watch_tell(void *context, struct hf_error *err)
{
    struct hf_leak_watch *watch = context;
    struct hf_out line = {0};
    hf_leak_options_line(&watch->told, &line);
    if (watch->profile[0] != '\0')
        hf_out_printf(&line, "; see %s", watch->profile);
    enum hf_status status = hf_out_finish(&line, err);
    struct hf_text text = hf_out_view(&line);
    if (status == HF_OK)
        hf_say("%.*s", (int)text.size, text.data);
    hf_out_done(&line);
    if (status != HF_OK)
        return status;
    if (watch->options->command != NULL)
        run_command(watch);
    return HF_OK;
}

struct hf_table_judge hf_leak_watch_judge(struct hf_leak_watch *watch)
{
    return (struct hf_table_judge){
        .every_ns = hf_leak_options_are_on(watch->options) ? look_ns(watch->options) : 0,
        .look = leak_watch_look,
        .tell = leak_watch_tell,
        .context = watch,
    };
}

enum hf_status hf_leak_watch_init(struct hf_leak_watch *watch,
    const struct hf_leak_options *options, struct hf_report_options *report, uint32_t pid,
    struct hf_error *err)
{
    *watch = (struct hf_leak_watch){.options = options, .profile = "", .pid = pid};
    watch->has_reader = hf_leak_options_are_on(options);
    return watch->has_reader ? hf_table_reader_init(&watch->reader, report, NULL, err) : HF_OK;
}

void hf_leak_watch_done(struct hf_leak_watch *watch)
{
    if (watch->has_reader)
        hf_table_reader_done(&watch->reader);
    watch->has_reader = false;
}
