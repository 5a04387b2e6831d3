/*
 * cmd_dump.c: a profile now: from a server, or from the live table of a process, dead or alive.
 */
#include "answer/endpoint.h"
#include "answer/operand.h"
#include "base/plural.h"
#include "base/strings/units.h"
#include "capture/table_control.h"
#include "cli/save.h"
#include "cli/say.h"
#include "os/process/proc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct dump_options {
    struct hf_report_options report; /* -o is its view.output */
    const char *gdump, *folder;
    bool show_status, activate, deactivate, removes;
};

#define AT(field) struct dump_options, field

static const struct hf_option output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(AT(report.view.output), "FILE"),
        "write the profile to FILE instead of standard output"},
    {0},
};

static const struct hf_option table_options[] = {
    {"dir", 0, HF_OPT_TEXT(AT(folder), "DIR"),
        "look for the live table of a dead process in DIR first"},
    {"rm", 0, HF_OPT_FLAG(AT(removes)),
        "remove the live table, after writing the profile if -o is given"},
    {0},
};

static const struct hf_option switch_options[] = {
    {"status", 0, HF_OPT_FLAG(AT(show_status)),
        "print whether allocations are sampled, and fetch nothing"},
    {"activate", 0, HF_OPT_FLAG(AT(activate)), "switch sampling on"},
    {"deactivate", 0, HF_OPT_FLAG(AT(deactivate)), "switch sampling off"},
    {"gdump", 0, HF_OPT_TEXT(AT(gdump), "on|off"),
        "let the server write a dump at each new maximum of memory, or not"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", output_options},
    {"Live tables", table_options},
    {"", hf_binary_options},
    {"", hf_input_budget_options},
    {"Switches", switch_options},
    {"Help", hf_common_options},
    {0},
};

/* A heap profile's totals in one line. */
static void describe_heap(const struct hf_profile *profile, uint64_t objects, uint64_t bytes)
{
    char sampled[HF_UNITS_MAX], estimated[HF_UNITS_MAX], in_use[HF_UNITS_MAX], period[HF_UNITS_MAX];
    hf_units_grouped(objects, estimated);
    hf_units_bytes(bytes, in_use);
    if (profile->capture.period_bytes > 1 && profile->capture.sampled_objects == 0)
        hf_say("no object was sampled; period %s. Is sampling switched on (--status), and has the "
               "server allocated since?",
            hf_units_exact(profile->capture.period_bytes, period));
    else if (profile->capture.period_bytes > 1)
        hf_say("%s sampled objects stand for about %s objects, %s in use; period %s",
            hf_units_grouped(profile->capture.sampled_objects, sampled), estimated, in_use,
            hf_units_exact(profile->capture.period_bytes, period));
    else
        hf_say("%s objects, %s in use%s", estimated, in_use,
            profile->capture.period_bytes == 1 ? "; every allocation is recorded" : "");
}

static void dump_describe(const struct hf_profile *profile)
{
    size_t objects, bytes;
    if (hf_profile_find_type(profile, HF_TEXT("inuse_objects"), &objects) &&
        hf_profile_find_type(profile, HF_TEXT("inuse_space"), &bytes)) {
        describe_heap(profile, hf_profile_total(profile, objects, HF_THREAD_ALL).value,
            hf_profile_total(profile, bytes, HF_THREAD_ALL).value);
        return;
    }
    struct hf_total total = hf_profile_total(profile, profile->default_type, HF_THREAD_ALL);
    char value[HF_UNITS_MAX];
    hf_say("%s in total; the stacks contain no object sizes", hf_units_grouped(total.value, value));
}

static enum hf_status dump_save(const char *path, struct hf_text bytes, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open_data(&output, path, true, err);
    if (status != HF_OK)
        return status;
    hf_out_text(&output.out, bytes);
    return hf_output_close(&output, status, err);
}

static enum hf_status check_output(const char *output, struct hf_error *err)
{
    if (output == NULL && isatty(STDOUT_FILENO))
        return hf_error_set(err, HF_ERR_USAGE,
            "standard output is a terminal: give -o FILE for the profile, or -o - to print it "
            "here");
    return HF_OK;
}

static enum hf_status dump_url(struct dump_options *options, const char *url, struct hf_error *err)
{
    struct hf_endpoint_profile fetched;
    struct hf_view_options *view = &options->report.view;
    enum hf_status status = check_output(view->output, err);
    if (status == HF_OK)
        status = hf_endpoint_fetch(url, &hf_view_options_request(view)->input, &fetched, err);
    if (status != HF_OK)
        return status;
    status = dump_save(view->output, hf_out_view(&fetched.body), err);
    if (status == HF_OK) {
        hf_report_notes(&view->common, &fetched.profile->notes);
        if (!view->common.quiet)
            dump_describe(fetched.profile);
    }
    hf_endpoint_profile_done(&fetched);
    return status;
}

static enum hf_status dump_write_table(struct dump_options *options,
    const struct hf_found_table *table, uint32_t pid, struct hf_error *err)
{
    struct hf_profile *profile;
    const char *output = options->report.view.output;
    enum hf_status status = hf_save_check(output, err);
    if (status == HF_OK)
        status = check_output(output, err);
    if (status == HF_OK)
        status = hf_found_table_read(table, pid, NULL, &profile, err);
    if (status != HF_OK)
        return status;
    status = hf_save(&options->report, output, profile, err);
    if (status == HF_OK && !options->report.view.common.quiet)
        dump_describe(profile);
    hf_profile_free(profile);
    return status;
}

static enum hf_status dump_table(struct dump_options *options, const struct hf_found_table *table,
    uint32_t pid, struct hf_error *err)
{
    uint32_t writer = hf_found_table_writer(table);
    if (options->removes && writer != 0)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "nothing was removed: process %u still writes its live table, which --rm removes after "
            "it has ended",
            writer);
    if (!options->removes || options->report.view.output != NULL)
        return dump_write_table(options, table, pid, err);
    return HF_OK;
}

/* --rm: the table goes when the profile is written. */
static enum hf_status remove_table(
    void *options_pointer, struct hf_operands *operands, struct hf_error *err)
{
    const struct dump_options *options = options_pointer;
    struct hf_found_table table;
    uint32_t pid;
    if (!options->removes)
        return HF_OK;
    enum hf_status status =
        hf_operand_table(&table, operands->items[0], options->folder, &pid, err);
    if (status != HF_OK)
        return status;
    status = hf_found_table_remove(&table, err);
    hf_found_table_close(&table);
    return status;
}

/* Who switches something reads no profile, and needs the right to write. */
static bool reads(const void *options_pointer)
{
    const struct dump_options *options = options_pointer;
    return !options->show_status && !options->activate && !options->deactivate &&
           options->gdump == NULL;
}

static enum hf_status print_state(const struct hf_endpoint_state *state, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, true, err);
    if (status != HF_OK)
        return status;
    hf_out_printf(&output.out, "sampling: %s\n", state->is_active ? "on" : "off");
    if (state->knows_gdump)
        hf_out_printf(&output.out, "gdump: %s\n", state->gdump_is_active ? "on" : "off");
    return hf_output_close(&output, status, err);
}

static void say_done(const struct dump_options *options, enum hf_endpoint_switch what)
{
    static const char *const done[] = {
        [HF_ENDPOINT_ACTIVATE] = "sampling is switched on",
        [HF_ENDPOINT_DEACTIVATE] = "sampling is switched off",
        [HF_ENDPOINT_GDUMP_ON] = "dumps at each new maximum of memory are switched on",
        [HF_ENDPOINT_GDUMP_OFF] = "dumps at each new maximum of memory are switched off",
    };
    if (!options->report.view.common.quiet)
        hf_say("%s", done[what]);
}

static enum hf_status switch_table(const struct dump_options *options,
    const struct hf_found_table *table, bool is_written, struct hf_error *err)
{
    struct hf_endpoint_state state = {0};
    enum hf_status status = HF_OK;
    if (options->gdump != NULL)
        return hf_error_set(
            err, HF_ERR_USAGE, "--gdump: expected the URL of a server, found a live table");
    if (options->show_status) {
        status = hf_table_control_is_active(table, &state.is_active, err);
        return status == HF_OK ? print_state(&state, err) : status;
    }
    if (!is_written)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "there is nothing to switch: no visible process writes %s", table->path);
    status = hf_table_control_set_active(table, options->activate, err);
    if (status == HF_OK)
        say_done(options, options->activate ? HF_ENDPOINT_ACTIVATE : HF_ENDPOINT_DEACTIVATE);
    return status;
}

/* The live table of a process, or the one at a path. */
static enum hf_status use_table(
    struct dump_options *options, const char *name, bool is_switched, struct hf_error *err)
{
    struct hf_found_table table;
    uint32_t pid;
    bool is_process = hf_operand_is_process(name, &pid);
    enum hf_status status = hf_operand_table(&table, name, options->folder, &pid, err);
    if (status != HF_OK)
        return status;
    uint64_t start;
    bool is_written =
        is_process ? hf_proc_start_ticks(pid, &start) : hf_found_table_writer(&table) != 0;
    status = is_switched ? switch_table(options, &table, is_written, err)
                         : dump_table(options, &table, pid, err);
    hf_found_table_close(&table);
    return status;
}

static enum hf_status set_switch(const struct dump_options *options, const char *url,
    enum hf_endpoint_switch what, struct hf_error *err)
{
    enum hf_status status = hf_endpoint_turn(url, what, err);
    if (status == HF_OK)
        say_done(options, what);
    return status;
}

static enum hf_status switch_server(
    const struct dump_options *options, const char *url, struct hf_error *err)
{
    if (options->show_status) {
        struct hf_endpoint_state state;
        enum hf_status status = hf_endpoint_ask_state(url, &state, err);
        return status == HF_OK ? print_state(&state, err) : status;
    }
    if (options->activate)
        return set_switch(options, url, HF_ENDPOINT_ACTIVATE, err);
    if (options->deactivate)
        return set_switch(options, url, HF_ENDPOINT_DEACTIVATE, err);
    bool is_on = strcmp(options->gdump, "on") == 0;
    if (!is_on && strcmp(options->gdump, "off") != 0)
        return hf_error_set(
            err, HF_ERR_USAGE, "--gdump: expected 'on' or 'off', found '%s'", options->gdump);
    return set_switch(options, url, is_on ? HF_ENDPOINT_GDUMP_ON : HF_ENDPOINT_GDUMP_OFF, err);
}

static enum hf_status dump_run(
    void *options_pointer, struct hf_operands *operands, struct hf_error *err)
{
    struct dump_options *options = options_pointer;
    int switches =
        options->show_status + options->activate + options->deactivate + (options->gdump != NULL);
    hf_view_options_budget(&options->report.view);
    if (operands->count != 1)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected one PID, live table or URL, e.g. http://localhost:4000; found %zu",
            operands->count);
    if (switches > 1)
        return hf_error_set(
            err, HF_ERR_USAGE, "--status, --activate, --deactivate and --gdump exclude each other");
    if (switches != 0 && (options->report.view.output != NULL || options->removes))
        return hf_error_set(err, HF_ERR_USAGE,
            "-o and --rm need a profile, but with --status, --activate, --deactivate or --gdump "
            "none is fetched");
    const char *name = operands->items[0];
    if (!hf_operand_is_url(name))
        return use_table(options, name, switches != 0, err);
    if (options->removes || options->folder != NULL)
        return hf_error_set(
            err, HF_ERR_USAGE, "--rm and --dir: expected a live table, found a URL");
    return switches != 0 ? switch_server(options, name, err) : dump_url(options, name, err);
}

const struct hf_command hf_cmd_dump = {
    .name = "dump",
    .summary = "Write a heap profile now: of a process, from a live table, or from a server.",
    .operands = "PID|FILE|URL",
    .details =
        "A process that was started with heapflame run, or with the variables of heapflame env,\n"
        "has a live table. dump reads it without stopping the process, and after its death, too.\n"
        "The ending of -o selects the format: .svg, .html, or one that convert writes. Without\n"
        "-o, a bundle (.hfb) goes to standard output.\n\n"
        "For a URL without a path, dump tries the usual endpoints: POST /debug/prof/mem, GET\n"
        "/v1/prof/mem, /debug/pprof/heap, /pprof/heap. It checks the profile and writes it\n"
        "unchanged.",
    .groups = groups,
    .options_size = sizeof(struct dump_options),
    .defaults = hf_report_defaults,
    .is_reader = reads,
    .run = dump_run,
    .after = remove_table,
};
