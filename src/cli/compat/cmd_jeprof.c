/*
 * cmd_jeprof.c: jeprof's command lines, unchanged: jeprof [options] PROGRAM PROFILE...
 *
 * Source: jeprof of jemalloc 5.3. Where the two differ, docs/compat/jeprof.md says who is right,
 * and tests/e2e/jeprof_side_by_side.py holds it to that.
 */
#include "cli/compat/jeprof.h"
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTION(field) struct hf_jeprof_options, field
#define VIEW(field) struct hf_jeprof_options, report.view.field
#define FLAG HF_OPT_FLAG
#define TEXT HF_OPT_TEXT

static const struct hf_option kind_options[] = {
    {"text", 0, FLAG(OPTION(text)), "print the table (default)"},
    {"collapsed", 0, FLAG(OPTION(collapsed)), "print folded stacks (also --collapse)"},
    {"dot", 0, FLAG(OPTION(dot)), "print the call graph as DOT"},
    {"svg", 0, FLAG(OPTION(svg)), "draw the call graph with Graphviz"},
    {"list", 0, TEXT(OPTION(list), "REGEX"),
        "print the source of functions that match, with flat and cum of each line"},
    {"raw", 0, FLAG(OPTION(raw)), "write the profile with its names, readable without the binary"},
    {"symbols", 0, FLAG(OPTION(symbols)), "print names for the addresses on standard input"},
    {"cum", 0, FLAG(OPTION(report.table.is_cumulative)),
        "rank by cum: a function with all that it calls"},
    {"show_bytes", 0, FLAG(VIEW(show_bytes)), "print whole bytes instead of MB"},
    {0},
};

static const struct hf_option files_options[] = {
    {"lib_prefix", 0, TEXT(OPTION(lib_prefix), "DIR,DIR"), "look for binaries below these folders"},
    {0},
};

static const struct hf_option needless_options[] = {
    {"add_lib", 0, TEXT(OPTION(needless), "FILE"),
        "do nothing: the memory map lists every library"},
    {"tools", 0, TEXT(OPTION(needless), "PREFIX"), "do nothing: no tool of binutils is used"},
    {"debug-syms-by-id", 0, FLAG(OPTION(is_needless)), "do nothing: build-ids are always used"},
    {"seconds", 0, TEXT(OPTION(needless), "N"), "do nothing: only CPU profiles need it"},
    {"scale", 0, TEXT(OPTION(needless), "N"), "do nothing: it was for --gv"},
    {"version", 0, FLAG(OPTION(version)), "print heapflame's version and exit"},
    {0},
};

static const struct hf_option missing_options[] = {
    {"callgrind", 0, FLAG(OPTION(callgrind)), NULL},
    {"disasm", 0, TEXT(OPTION(disasm), "REGEX"), NULL},
    {"evince", 0, FLAG(OPTION(evince)), NULL},
    {"gif", 0, FLAG(OPTION(gif)), NULL},
    {"gv", 0, FLAG(OPTION(gv)), NULL},
    {"interactive", 0, FLAG(OPTION(interactive)), NULL},
    {"pdf", 0, FLAG(OPTION(pdf)), NULL},
    {"ps", 0, FLAG(OPTION(ps)), NULL},
    {"web", 0, FLAG(OPTION(web)), NULL},
    {"weblist", 0, TEXT(OPTION(weblist), "REGEX"), NULL},
    {0},
};

static const struct hf_option heapcheck_options[] = {
    {"heapcheck", 0, FLAG(OPTION(report.limits.is_heapcheck)),
        "fill the boxes of functions that allocated memory themselves"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", kind_options},
    {"Compare", hf_base_options},
    {"Graph", hf_graph_options},
    {"", heapcheck_options},
    {"Values", hf_value_options},
    {"Frames", hf_granularity_options},
    {"Filters", hf_filter_options},
    {"Files", files_options},
    {"Accepted, but without effect", needless_options},
    {"", missing_options},
    HF_OPTIONS_UNDONE_BY_NO,
    HF_OPTIONS_THAT_YIELD,
    HF_NAMING_GROUPS,
    {0},
};

/* What to type instead of what is not built. */
static enum hf_status refuse_missing(const struct hf_jeprof_options *o, struct hf_error *err)
{
    static const char as_picture[] = "heapflame graph PROFILE -o heap.svg, which a browser shows";
    static const char as_dot[] = "heapflame graph PROFILE -o heap.dot, which Graphviz's dot draws";
    const struct {
        bool is_given;
        const char *name, *instead;
    } missing[] = {
        {o->callgrind, "callgrind", as_picture},
        {o->disasm != NULL, "disasm", "heapflame top --addresses PROFILE"},
        {o->evince, "evince", as_picture},
        {o->gif, "gif", as_dot},
        {o->gv, "gv", as_picture},
        {o->interactive, "interactive", "heapflame top PROFILE"},
        {o->pdf, "pdf", as_dot},
        {o->ps, "ps", as_dot},
        {o->web, "web", as_picture},
        {o->weblist != NULL, "weblist", "heapflame jeprof --list REGEX PROGRAM PROFILE"},
    };
    for (size_t i = 0; i < HF_COUNT(missing); i++) {
        if (missing[i].is_given)
            return hf_error_set(err, HF_ERR_USAGE, "jeprof's --%s is not supported: use %s",
                missing[i].name, missing[i].instead);
    }
    size_t kinds =
        (size_t)o->text + o->collapsed + o->dot + o->svg + (o->list != NULL) + o->raw + o->symbols;
    if (kinds > 1)
        return hf_error_set(err, HF_ERR_USAGE,
            "--text, --collapsed, --dot, --svg, --list, --raw and --symbols exclude each other");
    if (kinds == 0 && isatty(STDOUT_FILENO))
        return hf_error_set(err, HF_ERR_USAGE,
            "jeprof's interactive mode is not supported: give --text, --collapsed, --dot or "
            "--svg, or use heapflame top");
    return HF_OK;
}

static void jeprof_defaults(void *options)
{
    struct hf_report_options *report = options;
    hf_report_defaults(report);
    report->limits.is_jeprof = true;
    report->table.is_jeprof = true;
    report->view.request.fold.whole_is_thread = true;
}

/* The folders of --lib_prefix, which cuts the text apart. */
static enum hf_status add_prefixes(
    struct hf_jeprof_options *options, char *prefixes, struct hf_error *err)
{
    struct hf_name_list *folders = &options->report.view.request.names.symdirs;
    char *rest = prefixes;
    for (char *folder = strsep(&rest, ","); folder != NULL; folder = strsep(&rest, ",")) {
        if (folders->count == HF_NAME_LIST_MAX)
            return hf_error_set(
                err, HF_ERR_USAGE, "--lib_prefix and --symdir name more than %d", HF_NAME_LIST_MAX);
        folders->items[folders->count++] = folder;
    }
    return HF_OK;
}

static enum hf_status write_raw(struct hf_jeprof_options *options, const char *const *profiles,
    size_t count, struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_budget budget = {0};
    if (options->report.view.request.comparison.base.count != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--raw and --base exclude each other: a profile has no negative numbers");
    struct hf_budget_scope before = hf_budget_enter(&budget);
    enum hf_status status = hf_view_load(
        hf_view_options_request(&options->report.view), profiles, count, &profile, err);
    if (status == HF_OK)
        status = hf_report_raw(&options->report, profile, err);
    hf_budget_leave(before);
    return status;
}

static enum hf_status write_answer(
    struct hf_jeprof_options *o, const struct hf_jeprof_operands *operands, struct hf_error *err)
{
    const char *const *profiles = operands->profiles;
    size_t count = operands->count;
    if (o->collapsed)
        return hf_report_folded(&o->report, profiles, count, err);
    if (o->dot || o->svg)
        return hf_report_graph(&o->report, profiles, count, operands->title, o->svg, err);
    if (o->list != NULL)
        return hf_report_listing(&o->report, profiles, count, o->list, err);
    if (o->raw)
        return write_raw(o, profiles, count, err);
    return hf_jeprof_table(o, profiles, count, err);
}

static enum hf_status jeprof_print_version(struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    hf_out_string(&output.out, "heapflame " HF_VERSION "\n");
    return hf_output_close(&output, status, err);
}

static enum hf_status jeprof_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_jeprof_options *options = all;
    if (options->version) {
        return jeprof_print_version(err);
    }
    enum hf_status status = refuse_missing(options, err);
    if (status == HF_OK && !options->symbols)
        status = hf_view_options_need_profile(operands, err);
    char *prefixes = NULL;
    if (status == HF_OK && options->lib_prefix != NULL) {
        prefixes = strdup(options->lib_prefix);
        status = prefixes != NULL ? add_prefixes(options, prefixes, err) : hf_error_memory(err);
    }
    struct hf_jeprof_operands found = {0};
    if (status == HF_OK && options->symbols) {
        status = hf_jeprof_symbols(options, operands, err);
    } else if (status == HF_OK) {
        status = hf_jeprof_operands_init(&found, options, operands, err);
        if (status == HF_OK)
            status = write_answer(options, &found, err);
    }
    hf_jeprof_operands_done(&found);
    free(prefixes);
    return status;
}

const struct hf_command hf_cmd_jeprof = {
    .name = "jeprof",
    .summary = "Replace jeprof: its command lines work unchanged.",
    .operands = "PROGRAM PROFILE...",
    .details = "For example: heapflame jeprof ./server heap.1 --collapsed\n"
               "A URL, HOST:PORT or a profile that contains names needs no PROGRAM before it.",
    .groups = groups,
    .options_size = sizeof(struct hf_jeprof_options),
    .defaults = jeprof_defaults,
    .is_reader = hf_command_is_reader,
    .run = jeprof_run,
};
