#include "cli/process/recording/leak_watch.h"

#include "cli/say.h"
#include "os/process/process.h"
#include "statistics/alarm.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

/* Between two looks: a minute, or less, so that there are some in the time to learn. */
#define LOOK_NS UINT64_C(60000000000)
#define LOOK_LEAST_NS UINT64_C(500000000)
#define LOOKS_TO_LEARN 20

void hf_leak_watch_defaults(struct hf_leak_watch_options *options)
{
    options->learn_ns = HF_LEAK_LEARN_NS;
    options->false_every_ns = (uint64_t)(HF_ALARM_MONTH_S / HF_LEAK_FALSE_A_MONTH * 1e9);
}

static bool leak_watch_is_on(const struct hf_leak_watch_options *options)
{
    return options->is_on || options->command != NULL;
}

enum hf_status hf_leak_watch_check(
    const struct hf_leak_watch_options *options, struct hf_error *err)
{
    struct hf_leak_watch_options defaults;
    hf_leak_watch_defaults(&defaults);
    if (!leak_watch_is_on(options) && (options->learn_ns != defaults.learn_ns ||
                                          options->false_every_ns != defaults.false_every_ns))
        return hf_error_set(
            err, HF_ERR_USAGE, "--learn and --false-alarm-every need --alarm or --on-leak");
    return HF_OK;
}

static uint64_t look_ns(const struct hf_leak_watch_options *options)
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
    const struct hf_leak_alarm_rules rules = {
        .false_a_month = HF_ALARM_MONTH_S * 1e9 / (double)watch->options->false_every_ns,
        .learn_ns = watch->options->learn_ns,
        .look_ns = look_ns(watch->options),
    };
    enum hf_status status =
        hf_table_reader_judge(&watch->reader, source, &rules, &watch->told, err);
    *out_is_leak = status == HF_OK && watch->told.what[0] != '\0';
    return status;
}

/* "since 03:12", "since 2026-11-25 03:12" */
static void put_since(int64_t since_ms, char *out, size_t size)
{
    struct tm then, today;
    time_t since = (time_t)(since_ms / 1000), now = time(NULL);
    out[0] = '\0';
    if (since_ms == 0 || localtime_r(&since, &then) == NULL || localtime_r(&now, &today) == NULL)
        return;
    bool is_today = then.tm_yday == today.tm_yday && then.tm_year == today.tm_year;
    (void)strftime(out, size, is_today ? " since %H:%M" : " since %Y-%m-%d %H:%M", &then);
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
    char since[64];
    struct hf_leak_watch *watch = context;
    (void)err;
    put_since(watch->told.since_ms, since, sizeof since);
    hf_say("LEAK%s: %s%s%s", since, watch->told.what, watch->profile[0] != '\0' ? "; see " : "",
        watch->profile);
    if (watch->options->command != NULL)
        run_command(watch);
    return HF_OK;
}

struct hf_table_judge hf_leak_watch_judge(struct hf_leak_watch *watch)
{
    return (struct hf_table_judge){
        .every_ns = leak_watch_is_on(watch->options) ? look_ns(watch->options) : 0,
        .look = leak_watch_look,
        .tell = leak_watch_tell,
        .context = watch,
    };
}

enum hf_status hf_leak_watch_init(struct hf_leak_watch *watch,
    const struct hf_leak_watch_options *options, struct hf_report_options *report, uint32_t pid,
    struct hf_error *err)
{
    *watch = (struct hf_leak_watch){.options = options, .profile = "", .pid = pid};
    watch->has_reader = leak_watch_is_on(options);
    return watch->has_reader ? hf_table_reader_init(&watch->reader, report, NULL, err) : HF_OK;
}

void hf_leak_watch_done(struct hf_leak_watch *watch)
{
    if (watch->has_reader)
        hf_table_reader_done(&watch->reader);
    watch->has_reader = false;
}
