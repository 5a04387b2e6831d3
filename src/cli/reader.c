#include "cli/reader.h"

#include "cli/progress.h"
#include "cli/say.h"
#include "live/layout.h"
#include "net/http_broker.h"
#include "os/process/sandbox.h"
#include "symbol/cache/cache_entry.h"
#include "symbol/cache/cache_folder.h"
#include "symbol/files/debug_source.h"
#include "symbol/files/debuginfod.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define ELF_MAGIC "\177ELF"

static const char *const magics[] = {ELF_MAGIC, HF_LIVE_MAGIC, NULL};
#define OUTPUTS_MAX 8
static const char *const drawing[] = {"dot", "-Tsvg", NULL};

/* Of the cache of debuginfod: a source file, or an image. */
static bool is_of_debuginfod(struct hf_text name, struct hf_text bytes)
{
    if (hf_text_starts(name, HF_DEBUG_SOURCE_NAME))
        return hf_text_find(bytes, '\0') == bytes.size;
    bool is_known = hf_text_is(name, HF_DEBUGINFOD_NAME) || hf_text_is(name, HF_DEBUGINFOD_PARTS);
    return is_known && (bytes.size == 0 || hf_text_starts(bytes, ELF_MAGIC));
}

/* What the options name to be written, and what the command writes beside; ends with NULL. */
static void list_outputs(const struct hf_command *command, const struct hf_common *common,
    const char *outputs[OUTPUTS_MAX + 1])
{
    size_t count = 0;
    for (size_t i = 0; command->outputs != NULL && command->outputs[i] != NULL; i++)
        outputs[count++] = command->outputs[i];
    for (const struct hf_option_group *g = command->groups; g->options != NULL; g++) {
        for (const struct hf_option *o = g->options; o->name != NULL && count < OUTPUTS_MAX; o++) {
            const char *place = (const char *)common + o->offset;
            if (o->kind == HF_OPTION_OUTPUT && *(const char *const *)(const void *)place != NULL)
                outputs[count++] = *(const char *const *)(const void *)place;
        }
    }
    outputs[count] = NULL;
}

static struct hf_watch reader_watch(void *context, const char *what)
{
    struct hf_reader_rules *rules = context;
    (void)snprintf(rules->server, sizeof rules->server, "%s", what);
    hf_progress_start(&rules->progress, "fetching", rules->server, rules->is_quiet);
    return hf_progress_watch(&rules->progress);
}

static void reader_tell(void *context, const char *sentence)
{
    const struct hf_reader_rules *rules = context;
    if (!rules->is_quiet)
        hf_say("%s", sentence);
}

static void watched(void *context)
{
    struct hf_reader_rules *rules = context;
    hf_progress_end(&rules->progress);
}

void hf_reader_rules_init(struct hf_reader_rules *rules, bool is_quiet, const char *const *words,
    const char *const *outputs)
{
    *rules = (struct hf_reader_rules){.is_quiet = is_quiet};
    rules->http = (struct hf_http_broker){
        .words = words,
        .watch = reader_watch,
        .watched = watched,
        .tell = reader_tell,
        .context = rules,
    };
    rules->rules = (struct hf_broker_rules){
        .words = words,
        .outputs = outputs,
        .magics = magics,
        .gives_tables = true,
        .folders = {{hf_cache_folder(false, rules->cache), hf_cache_entry_is_sound},
            {hf_debuginfod_folder(rules->debuginfo) ? rules->debuginfo : NULL, is_of_debuginfod}},
        .drawing = drawing,
        .service = hf_http_broker_serve,
        .service_context = &rules->http,
    };
}

/* What the worker was reading, for a message; "the input" if it did not say. */
static const char *culprit(const struct hf_worker_ending *ending)
{
    return ending->trace.reading[0] != '\0' ? ending->trace.reading : "the input";
}

void hf_reader_say_lost(struct hf_common *common, const struct hf_worker_ending *ending)
{
    struct hf_notes notes = {0};
    hf_notes_add(&notes, HF_NOTE_LOSS, "the names in %s, because its reader %s (signal %d)",
        culprit(ending), hf_worker_cause(ending->signal), ending->signal);
    hf_report_notes(common, &notes);
    hf_notes_done(&notes);
}

/* As if it had been this process. */
static void die_of(int signal_number)
{
    sigset_t only;
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    (void)sigprocmask(SIG_UNBLOCK, &only, NULL);
}

/* Something is left of its work. */
static bool has_survived(
    const struct hf_reader_service *service, const struct hf_worker_ending *ending)
{
    char cause[PATH_MAX + 64];
    if (service == NULL || service->survives == NULL || ending->signal == 0)
        return false;
    (void)snprintf(cause, sizeof cause, "the reader of %s %s (signal %d)", culprit(ending),
        hf_worker_cause(ending->signal), ending->signal);
    return service->survives(service->survivor, cause);
}

static enum hf_status conclude(const struct hf_worker_ending *ending,
    const struct hf_reader_service *service, bool has_lost, int *out_code, struct hf_error *err)
{
    if (ending->was_told || ending->signal == SIGPIPE) /* who read its output wants no more */
        die_of(ending->signal);
    if (ending->signal == 0 && ending->code == HF_RIGHTS_NOT_DROPPED)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "nothing was read, because the process that reads cannot give up its rights on this "
            "system: use --no-sandbox to read with all rights");
    if (has_survived(service, ending)) {
        *out_code = HF_EXIT_PARTIAL;
        return HF_OK;
    }
    *out_code = has_lost && ending->code == HF_EXIT_OK ? HF_EXIT_PARTIAL : ending->code;
    if (ending->signal == 0)
        return HF_OK;
    return hf_error_set(err, HF_ERR_INPUT,
        "no answer: the reader of %s %s (signal %d); nothing else is affected", culprit(ending),
        hf_worker_cause(ending->signal), ending->signal);
}

/* Who answers what the broker itself does not. */
struct services {
    struct hf_http_broker *http;
    const struct hf_reader_service *service; /* NULL: nothing */
};

static void reader_serve(
    void *context, const struct hf_broker_question *question, struct hf_broker_answer *answer)
{
    struct services *services = context;
    const struct hf_reader_service *service = services->service;
    if (service != NULL && question->kind >= service->first)
        service->serve(service->context, question, answer);
    else
        hf_http_broker_serve(services->http, question, answer);
}

/* One worker after the other, until one needs not to be repeated; or in it. */
static enum hf_status run_workers(struct hf_sandbox *sandbox, const struct hf_common *common,
    const struct hf_reader_service *service, bool *out_is_worker, int *out_code,
    struct hf_error *err)
{
    struct hf_worker_ending ending = {0};
    struct hf_common said = *common;
    bool has_lost = false, goes_on = true;
    enum hf_status status = HF_OK;
    while (status == HF_OK && goes_on) {
        status = hf_sandbox_run(sandbox, out_is_worker, &ending, err);
        if (*out_is_worker)
            return status;
        if (service != NULL)
            service->worker_ended(service->context);
        goes_on = status == HF_OK && hf_sandbox_may_repeat(sandbox, &ending);
        if (goes_on)
            hf_reader_say_lost(&said, &ending);
        has_lost = has_lost || goes_on;
    }
    return status == HF_OK ? conclude(&ending, service, has_lost, out_code, err) : status;
}

enum hf_status hf_reader_begin(const struct hf_command *command, const struct hf_common *common,
    char **words, const struct hf_reader_service *service, bool *out_is_worker, int *out_code,
    struct hf_error *err)
{
    const char *outputs[OUTPUTS_MAX + 1];
    struct hf_reader_rules rules;
    list_outputs(command, common, outputs);
    hf_reader_rules_init(&rules, common->quiet, (const char *const *)words, outputs);
    struct services services = {.http = &rules.http, .service = service};
    rules.rules.kept = service != NULL ? &service->kept : NULL;
    rules.rules.service = reader_serve;
    rules.rules.service_context = &services;
    struct hf_sandbox sandbox;
    *out_is_worker = false;
    enum hf_status status = hf_sandbox_init(&sandbox, &rules.rules, err);
    if (status == HF_OK)
        status = run_workers(&sandbox, common, service, out_is_worker, out_code, err);
    if (!*out_is_worker)
        hf_sandbox_done(&sandbox);
    return status;
}
