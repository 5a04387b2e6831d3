/*
 * cmd_llvm_symbolizer.c: in the place of LLVM's llvm-symbolizer: requests in, functions and lines
 * out, as the runtimes of sanitizers ask and read them. Each request (symbolizer.h) is answered
 * before anybody has to wait for more.
 */
#include "cli/compat/arguments.h"
#include "cli/compat/symbolizer.h"
#include "config.h"
#include "os/input.h"
#include "symbol/cache/cache_folder.h"

#include <stdlib.h>
#include <string.h>

struct symbolizer_options {
    struct hf_common common;
    const char *obj, *style, *functions, *demangle, *inlining, *adjust, *ignored;
    int inlines, demangling; /* 0: not given; 1: yes; 2: no */
    bool addresses, pretty, verbose, basenames, relative_names, is_relative, is_version;
    bool is_ignored;
    struct hf_name_list symdirs;
    bool no_cache;
    double input_budget;
};

#define AT(field) struct symbolizer_options, field

static const struct hf_option symbolizer_rows[] = {
    {"obj", 'e', HF_OPT_TEXT(AT(obj), "FILE"),
        "read this program or library; without it, each request names one"},
    {"exe", 0, HF_OPT_TEXT(AT(obj), "FILE"), NULL},
    {"output-style", 0, HF_OPT_TEXT(AT(style), "STYLE"),
        "print the answers as LLVM, GNU or JSON (default: LLVM)"},
    {"functions", 'f', HF_OPT_MAYBE(AT(functions), NULL),
        "print names of functions: =none, =short or =linkage (default)"},
    {"inlines", 'i', HF_OPT_VALUE(AT(inlines), 1),
        "print also the functions into which a call is inlined (default)"},
    {"no-inlines", 0, HF_OPT_VALUE(AT(inlines), 2), "print one place for each address"},
    {"inlining", 0, HF_OPT_MAYBE(AT(inlining), NULL), NULL},
    {"demangle", 'C', HF_OPT_MAYBE(AT(demangle), NULL),
        "make names of C++, Rust and D readable (default)"},
    {"no-demangle", 0, HF_OPT_VALUE(AT(demangling), 2), "print names as they are in the file"},
    {"addresses", 'a', HF_OPT_FLAG(AT(addresses)), "print each address before its answer"},
    {"print-address", 0, HF_OPT_FLAG(AT(addresses)), NULL},
    {"pretty-print", 'p', HF_OPT_FLAG(AT(pretty)), "print one line for each place; indent JSON"},
    {"verbose", 0, HF_OPT_FLAG(AT(verbose)), "print each part of a place on its own line"},
    {"basenames", 's', HF_OPT_FLAG(AT(basenames)), "print files without folders"},
    {"relativenames", 0, HF_OPT_FLAG(AT(relative_names)),
        "print files without the folder that the compiler ran in"},
    {"adjust-vma", 0, HF_OPT_TEXT(AT(adjust), "OFFSET"), "subtract OFFSET from each address"},
    {"relative-address", 0, HF_OPT_FLAG(AT(is_relative)),
        "count addresses from the lowest one at which the file is loaded"},
    {"debug-file-directory", 0, HF_OPT_LIST(AT(symdirs), "DIR"),
        "look for debug files in DIR, too"},
    {"version", 'v', HF_OPT_FLAG(AT(is_version)), "print the version and exit"},
    {0},
};

/* Accepted, as the runtimes of sanitizers and old scripts pass them, and of no effect. */
static const struct hf_option ignored_rows[] = {
    {"default-arch", 0, HF_OPT_TEXT(AT(ignored), "ARCH"), NULL},
    {"fallback-debug-path", 0, HF_OPT_LIST(AT(symdirs), "DIR"), NULL},
    {"dsym-hint", 0, HF_OPT_TEXT(AT(ignored), "DIR"), NULL},
    {"dwp", 0, HF_OPT_TEXT(AT(ignored), "FILE"), NULL},
    {"use-symbol-table", 0, HF_OPT_MAYBE(AT(ignored), NULL), NULL},
    {"untag-addresses", 0, HF_OPT_FLAG(AT(is_ignored)), NULL},
    {"no-untag-addresses", 0, HF_OPT_FLAG(AT(is_ignored)), NULL},
    {"dia", 0, HF_OPT_FLAG(AT(is_ignored)), NULL},
    {0},
};

static const struct hf_option own_rows[] = {
    {"symdir", 0, HF_OPT_LIST(AT(symdirs), "DIR"), "look for debug files in DIR, too"},
    HF_OPTION_NO_CACHE(AT(no_cache)),
    {"input-budget", 0, HF_OPT_REAL(AT(input_budget), "N"),
        "multiply the limits on memory and work for a file by N (default: 1)"},
    {0},
};

static const struct hf_option_group symbolizer_groups[] = {
    {"Options", symbolizer_rows},
    HF_OPTIONS_THAT_YIELD,
    {NULL, ignored_rows},
    {"heapflame's own", own_rows},
    {"Help", hf_common_options},
    {0},
};

static enum hf_status symbolize_operands(
    struct hf_symbolizer *s, const struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (s->format.is_list)
        hf_out_char(&s->output.out, '[');
    for (size_t i = 0; i < operands->count && status == HF_OK; i++)
        status = hf_symbolizer_take(s, hf_text_of(operands->items[i]), err);
    if (status == HF_OK)
        status = hf_symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
    if (s->format.is_list)
        hf_out_string(&s->output.out, s->format.pretty ? "\n]\n" : "]\n");
    return status;
}

static enum hf_status symbolize_input(struct hf_symbolizer *s, struct hf_error *err)
{
    struct hf_input input;
    struct hf_text line;
    enum hf_status status = hf_input_open(&input, "-", err);
    while (hf_input_next(&input, &line, &status, err)) {
        status = hf_symbolizer_take(s, line, err);
        if (status == HF_OK && !hf_input_line_is_ready(&input)) {
            status = hf_symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
            if (status == HF_OK)
                status = hf_out_finish(&s->output.out, err);
        }
    }
    if (status == HF_OK)
        status = hf_symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
    hf_input_close(&input);
    return status;
}

/* "true" and "false", as older versions have them. */
static enum hf_status read_choice(
    const char *name, const char *text, int *out_choice, struct hf_error *err)
{
    if (text == NULL)
        return HF_OK;
    if (strcmp(text, "false") != 0 && strcmp(text, "true") != 0 && text[0] != '\0')
        return hf_error_set(
            err, HF_ERR_USAGE, "--%s: expected true or false, found '%s'", name, text);
    *out_choice = strcmp(text, "false") == 0 ? 2 : 1;
    return HF_OK;
}

static enum hf_status read_style(struct hf_symbolizer *s, const char *given, struct hf_error *err)
{
    static const char *const styles[] = {
        [HF_SYMBOLIZER_LLVM] = "LLVM", [HF_SYMBOLIZER_GNU] = "GNU", [HF_SYMBOLIZER_JSON] = "JSON"};
    const char *style = given != NULL ? given : "LLVM";
    for (size_t i = 0; i < HF_COUNT(styles); i++) {
        if (strcmp(style, styles[i]) == 0) {
            s->format.style = (enum hf_symbolizer_style)i;
            return HF_OK;
        }
    }
    return hf_error_set(
        err, HF_ERR_USAGE, "--output-style: expected LLVM, GNU or JSON, found '%s'", style);
}

static enum hf_status symbolizer_read_functions(
    struct hf_symbolizer *s, const char *given, struct hf_error *err)
{
    const char *text = given != NULL ? given : "";
    s->names = strcmp(text, "short") == 0 ? HF_SYMBOLIZER_NAMES_SHORT : HF_SYMBOLIZER_NAMES_LINKAGE;
    s->format.functions = strcmp(text, "none") != 0;
    if (text[0] == '\0' || strcmp(text, "none") == 0 || strcmp(text, "short") == 0 ||
        strcmp(text, "linkage") == 0)
        return HF_OK;
    return hf_error_set(
        err, HF_ERR_USAGE, "--functions: expected none, short or linkage, found '%s'", text);
}

static enum hf_status read_options(struct hf_symbolizer *s, const struct symbolizer_options *o,
    const struct hf_operands *operands, struct hf_error *err)
{
    int inlines = o->inlines, demangling = o->demangling;
    enum hf_status status = read_style(s, o->style, err);
    if (status == HF_OK)
        status = symbolizer_read_functions(s, o->functions, err);
    if (status == HF_OK)
        status = read_choice("inlining", o->inlining, &inlines, err);
    if (status == HF_OK)
        status = read_choice("demangle", o->demangle, &demangling, err);
    if (status == HF_OK && o->adjust != NULL &&
        !hf_symbolizer_number(hf_text_of(o->adjust), &s->adjust))
        status = hf_error_set(err, HF_ERR_USAGE,
            "--adjust-vma: expected a number, e.g. 0x1000, found '%s'", o->adjust);
    s->obj = o->obj;
    s->basenames = o->basenames;
    s->relative_names = o->relative_names;
    s->is_relative = o->is_relative;
    s->has_inlines = inlines != 2;
    s->is_demangled = demangling != 2;
    s->format.addresses = o->addresses;
    s->format.pretty = o->pretty;
    s->format.verbose = o->verbose;
    s->format.is_list = s->format.style == HF_SYMBOLIZER_JSON && operands->count != 0;
    s->symbols = (struct hf_symbol_options){
        .symdirs = o->symdirs.items,
        .symdir_count = o->symdirs.count,
        .columns = true,
        .cache_folder = hf_cache_folder(o->no_cache, s->cache_folder),
    };
    if (o->input_budget != 0)
        hf_budget_set_factor(o->input_budget);
    return status;
}

static enum hf_status symbolizer_print_version(struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    hf_out_string(&output.out, "heapflame " HF_VERSION ", in place of llvm-symbolizer\n");
    return hf_output_close(&output, HF_OK, err);
}

static enum hf_status symbolize_all_requests(
    struct symbolizer_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_symbolizer *s = calloc(1, sizeof *s);
    if (s == NULL)
        return hf_error_memory(err);
    enum hf_status status = read_options(s, options, operands, err);
    if (status == HF_OK)
        status = hf_output_open_data(&s->output, NULL, false, err); /* names are escaped, once */
    if (status == HF_OK) {
        status =
            operands->count != 0 ? symbolize_operands(s, operands, err) : symbolize_input(s, err);
        status = hf_output_close(&s->output, status, err);
    }
    hf_report_notes(&options->common, &s->notes);
    hf_symbolizer_done(s);
    free(s);
    return status;
}

static enum hf_status symbolizer_run(void *o, struct hf_operands *operands, struct hf_error *err)
{
    struct symbolizer_options *options = o;
    struct hf_arguments arguments = {0};
    enum hf_status status =
        hf_arguments_expand(&arguments, symbolizer_groups, options, operands, err);
    if (status == HF_OK)
        status = options->is_version ? symbolizer_print_version(err)
                                     : symbolize_all_requests(options, &arguments.operands, err);
    hf_arguments_done(&arguments);
    return status;
}

const struct hf_command hf_cmd_llvm_symbolizer = {
    .name = "llvm-symbolizer",
    .summary = "Replace llvm-symbolizer: print the functions, files and lines of addresses.",
    .operands = "[REQUEST...]",
    .details =
        "A request is an address; without --obj, a file and an address, e.g. CODE FILE 0x1f, DATA\n"
        "FILE 0x1f or FILE 0x1f. Without requests, reads one from each line of standard input,\n"
        "and answers each line at once. @FILE stands for the arguments in that file.",
    .groups = symbolizer_groups,
    .options_size = sizeof(struct symbolizer_options),
    .is_reader = hf_command_is_reader,
    .run = symbolizer_run,
};
