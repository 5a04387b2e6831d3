/*
 * cmd_addr2line.c: in the place of binutils' addr2line: addresses in, functions and lines out.
 *
 * Answers are given as soon as nothing more can be read without waiting, so that whoever asks one
 * address at a time through a pipe gets each answer, and a whole list is looked up at once.
 */
#include "base/attr.h"
#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/strings/escape.h"
#include "base/strings/num.h"
#include "cli/command.h"
#include "cli/compat/arguments.h"
#include "config.h"
#include "os/input.h"
#include "profile/fold.h"
#include "profile/modules.h"
#include "symbol/cache/cache_folder.h"
#include "symbol/lookup/lookup.h"
#include "symbol/names/demangle.h"
#include "symbol/names/foreign.h"
#include "symbol/names/naming.h"
#include "symbol/names/printed_texts.h"

#include <stdlib.h>
#include <string.h>

/* Looked up together. */
#define BATCH_ADDRESSES ((size_t)1 << 16)

struct addr2line_options {
    struct hf_common common;
    const char *exe, *section, *target;
    const char *style; /* NULL: names as they are in the file */
    bool addresses, functions, inlines, basenames, pretty, is_version, is_ignored;
    struct hf_name_list symdirs;
    bool no_cache;
    double input_budget; /* base/budget.h; 0: not given */
};

#define AT(field) struct addr2line_options, field

static const struct hf_option addr2line_options[] = {
    {"exe", 'e', HF_OPT_TEXT(AT(exe), "FILE"), "read this program or library (default: a.out)"},
    {"addresses", 'a', HF_OPT_FLAG(AT(addresses)), "print each address before its answer"},
    {"functions", 'f', HF_OPT_FLAG(AT(functions)), "print the function, too"},
    {"inlines", 'i', HF_OPT_FLAG(AT(inlines)),
        "print also the functions into which a call is inlined"},
    {"demangle", 'C', HF_OPT_MAYBE(AT(style), NULL),
        "make names of C++, Rust and D readable; =gnat: Ada, too; =none: do not"},
    {"pretty-print", 'p', HF_OPT_FLAG(AT(pretty)), "print one line for each place"},
    {"basenames", 's', HF_OPT_FLAG(AT(basenames)), "print files without folders"},
    {"section", 'j', HF_OPT_TEXT(AT(section), "NAME"),
        "count addresses from the start of this section"},
    {"version", 'v', HF_OPT_FLAG(AT(is_version)), "print the version and exit"},
    {"target", 'b', HF_OPT_TEXT(AT(target), "FORMAT"), NULL},
    {"recurse-limit", 'R', HF_OPT_FLAG(AT(is_ignored)), NULL},
    {"no-recurse-limit", 'r', HF_OPT_FLAG(AT(is_ignored)), NULL},
    {0},
};

static const struct hf_option own_options[] = {
    {"symdir", 0, HF_OPT_LIST(AT(symdirs), "DIR"), "look for debug files in DIR, too"},
    HF_OPTION_NO_CACHE(AT(no_cache)),
    {"input-budget", 0, HF_OPT_REAL(AT(input_budget), "N"),
        "multiply the limits on memory and work for a file by N (default: 1)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Options", addr2line_options},
    HF_OPTIONS_LIKE_GETOPT,
    HF_OPTIONS_THAT_YIELD,
    {"heapflame's own", own_options},
    {"Help", hf_common_options},
    {0},
};

struct answering {
    const struct addr2line_options *options;
    struct hf_symbol_options symbols;
    char cache_folder[PATH_MAX];
    struct hf_printed_texts names, paths;
    struct hf_module_files files;
    const struct hf_elf_section *section; /* --section; or NULL */
    struct hf_output output;
    struct hf_notes notes;
    bool has_told;        /* of what was not fetched */
    bool has_told_why;    /* something has no name */
    uint64_t given_bytes; /* of the files, as far as they are read */
    struct hf_budget budget;
};

static struct hf_text make_printed_name(struct answering *a, struct hf_text name)
{
    struct hf_out readable = {0}, escaped = {0};
    struct hf_text as_found = name;
    bool is_demangled =
        a->options->style != NULL && strcmp(a->options->style, "none") != 0 &&
        hf_printed_texts_bytes(&a->names) < hf_budget_memory_allowed(&a->budget) / 2;
    if (is_demangled && !hf_symbol_cache_readable(&a->files.cache, name, &name)) {
        bool is_ada = strcmp(a->options->style, "gnat") == 0 && hf_foreign_ada(name, &readable);
        if (!is_ada)
            hf_demangle(name, true, &readable);
        name = hf_out_view(&readable);
    }
    hf_escape_terminal(&escaped, name);
    if (readable.error.status != HF_OK)
        escaped.error = readable.error;
    struct hf_text printed = hf_printed_texts_add(&a->names, as_found, &escaped);
    hf_out_done(&readable);
    hf_out_done(&escaped);
    return printed;
}

static struct hf_text make_printed_path(struct answering *a, struct hf_text path)
{
    struct hf_out escaped = {0};
    hf_escape_terminal(&escaped, a->options->basenames ? hf_text_basename(path) : path);
    struct hf_text printed = hf_printed_texts_add(&a->paths, path, &escaped);
    hf_out_done(&escaped);
    return printed;
}

/* Writes what a text is printed as. */
static void put_printed(struct answering *a, struct hf_printed_texts *texts, struct hf_text text,
    struct hf_text (*make)(struct answering *a, struct hf_text text), struct hf_out *out)
{
    struct hf_text printed = hf_printed_texts_find(texts, text);
    if (printed.data == NULL)
        printed = make(a, text);
    if (printed.data == NULL && out->error.status == HF_OK)
        (void)!hf_error_memory(&out->error);
    hf_out_text(out, printed);
}

static void addr2line_put_name(struct answering *a, struct hf_text name, struct hf_out *out)
{
    put_printed(a, &a->names, name.size != 0 ? name : HF_TEXT("??"), make_printed_name, out);
    hf_out_string(out, a->options->pretty ? " at " : "\n");
}

static void addr2line_put_place(struct answering *a, struct hf_text name, struct hf_text file,
    uint32_t line, bool is_near, uint32_t twins, struct hf_out *out)
{
    if (a->options->functions)
        addr2line_put_name(a, name, out);
    put_printed(a, &a->paths, file.size != 0 ? file : HF_TEXT("??"), make_printed_path, out);
    hf_out_char(out, ':');
    if (file.size != 0 && line != 0)
        hf_out_u64(out, line);
    else
        hf_out_char(out, '?');
    hf_out_string(out, is_near ? " (near)" : "");
    hf_frame_put_twins(twins, " (", ")", out);
    hf_out_char(out, '\n');
}

static void put_unknown(const struct addr2line_options *options, struct hf_out *out)
{
    if (options->functions)
        hf_out_string(out, options->pretty ? "?? " : "??\n");
    hf_out_string(out, "??:0\n");
}

static void put_answer(struct answering *a, const struct hf_finding *finding, struct hf_out *out)
{
    const struct hf_dwarf_place *place = &finding->place;
    struct hf_text symbol = finding->symbol;
    uint32_t twins = a->options->functions ? finding->twins : 0;
    size_t count = a->options->inlines || place->count == 0 ? place->count : 1;
    if (place->count == 0 && symbol.size == 0 && place->file.size == 0)
        put_unknown(a->options, out);
    else if (place->count == 0)
        addr2line_put_place(a, symbol, place->file, place->line, place->detail.is_near, twins, out);
    for (size_t i = 0; i < count; i++) {
        const struct hf_dwarf_frame *call = &place->frames[i];
        bool is_function = i + 1 == place->count;
        if (i != 0 && a->options->pretty)
            hf_out_string(out, " (inlined by) ");
        addr2line_put_place(a, hf_naming_choose(call, is_function ? symbol : HF_TEXT("")),
            call->file, call->line, call->detail.is_near, is_function ? twins : 0, out);
    }
}

/* Where the address lies in the image; 0, where nothing is, if it lies nowhere. */
static uint64_t place_address(const struct answering *a, uint64_t address)
{
    if (a->section != NULL)
        return address < a->section->size ? a->section->address + address : 0;
    return address != UINT64_MAX ? address : 0;
}

/* As 0x%016llx of printf, which takes a tenth of the time of cached answers. */
static void put_address(uint64_t address, const char *end, struct hf_out *out)
{
    char text[18] = "0x";
    for (size_t i = sizeof text - 1; i >= 2; i--, address >>= 4)
        text[i] = "0123456789abcdef"[address & 15];
    hf_out_bytes(out, text, sizeof text);
    hf_out_string(out, end);
}

/* Nothing more may be made of the files: each address has its line all the same. */
static void put_all_unknown(
    struct answering *a, const uint64_t *asked, size_t count, const struct hf_error *why)
{
    hf_notes_add(&a->notes, HF_NOTE_LOSS, "%s: %s", a->files.path, why->text);
    for (size_t i = 0; i < count; i++) {
        if (a->options->addresses)
            put_address(asked[i], a->options->pretty ? ": " : "\n", &a->output.out);
        put_unknown(a->options, &a->output.out);
    }
}

/* Once, as soon as an address has no name: where its debug information would be. */
static void tell_why_unnamed(struct answering *a, const struct hf_lookup *lookup)
{
    for (size_t i = 0; i < lookup->count && !a->has_told_why; i++) {
        const struct hf_finding *finding = &lookup->findings[i];
        a->has_told_why = lookup->addresses[i] != 0 && finding->place.count == 0 &&
                          finding->place.file.size == 0 && finding->symbol.size == 0 &&
                          hf_text_starts(hf_text_of(a->files.why), HF_WHY_NO_DEBUG);
        if (a->has_told_why)
            hf_notes_add(&a->notes, HF_NOTE_INFO, "%s: %s", a->files.path, a->files.why);
    }
}

static enum hf_status answer_within(
    struct answering *a, const uint64_t *asked, size_t count, struct hf_error *err)
{
    struct hf_lookup lookup = {0};
    struct hf_out *out = &a->output.out;
    uint64_t *addresses = calloc(count + 1, sizeof *addresses);
    if (addresses == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++)
        addresses[i] = place_address(a, asked[i]);
    enum hf_status status =
        hf_lookup_run(&lookup, &a->files, &a->symbols, addresses, count, &a->notes, err);
    if (status == HF_ERR_LIMIT && hf_budget_is_used_up()) {
        put_all_unknown(a, asked, count, err);
        count = 0;
        status = HF_OK;
    }
    if (status == HF_OK && a->files.unfetched[0] != '\0' && !a->has_told) {
        hf_notes_add(&a->notes, HF_NOTE_INFO, "%s: %s", a->files.path, a->files.unfetched);
        a->has_told = true;
    }
    if (status == HF_OK && lookup.is_void)
        hf_notes_add(&a->notes, HF_NOTE_LOSS, "%s", a->files.why);
    if (status == HF_OK && !lookup.is_void)
        tell_why_unnamed(a, &lookup);
    hf_printed_texts_begin(&a->names, lookup.generation);
    hf_printed_texts_begin(&a->paths, lookup.generation);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        size_t at = hf_lookup_find(&lookup, addresses[i]);
        if (a->options->addresses)
            put_address(asked[i], a->options->pretty ? ": " : "\n", out);
        put_answer(a, &lookup.findings[at], out);
    }
    if (status == HF_OK)
        status = hf_out_finish(out, err);
    hf_lookup_done(&lookup);
    free(addresses);
    return status;
}

/* Each time within a budget: who asks may go on for days, and never about more than the files. */
static enum hf_status addr2line_answer(
    struct answering *a, const uint64_t *asked, size_t count, struct hf_error *err)
{
    a->budget = (struct hf_budget){.given_bytes = a->given_bytes + count * sizeof *asked};
    struct hf_budget_scope before = hf_budget_enter(&a->budget);
    enum hf_status status = answer_within(a, asked, count, err);
    hf_budget_leave(before);
    a->given_bytes = a->budget.given_bytes - count * sizeof *asked;
    return status;
}

/* Every text is an address, as far as its digits go: who asks counts on an answer to each line. */
static uint64_t read_address(struct hf_text text)
{
    uint64_t address = 0;
    text = hf_text_trim_start(text, " \t\r\v\f");
    if (!hf_text_take(&text, "0x"))
        (void)hf_text_take(&text, "0X");
    return hf_num_take_hex(&text, &address) ? address : 0;
}

static enum hf_status answer_operands(
    struct answering *a, const struct hf_operands *operands, struct hf_error *err)
{
    uint64_t *asked = calloc(operands->count, sizeof *asked);
    if (asked == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < operands->count; i++)
        asked[i] = read_address(hf_text_of(operands->items[i]));
    enum hf_status status = addr2line_answer(a, asked, operands->count, err);
    free(asked);
    return status;
}

static enum hf_status answer_input(struct answering *a, struct hf_error *err)
{
    struct hf_input input;
    uint64_t *asked = NULL;
    size_t count = 0, capacity = 0;
    bool has_line = true;
    enum hf_status status = hf_input_open(&input, "-", err);
    while (status == HF_OK && has_line) {
        struct hf_text line;
        has_line = hf_input_next(&input, &line, &status, err);
        if (has_line && !hf_vec_reserve(&asked, &capacity, count + 1, sizeof *asked))
            status = hf_error_memory(err);
        else if (has_line)
            asked[count++] = read_address(line);
        bool is_due = !has_line || count == BATCH_ADDRESSES || !hf_input_line_is_ready(&input);
        if (status == HF_OK && count != 0 && is_due) {
            a->files.expects_more = count == BATCH_ADDRESSES && hf_input_line_is_ready(&input);
            status = addr2line_answer(a, asked, count, err);
            count = 0;
        }
    }
    free(asked);
    hf_input_close(&input);
    return status;
}

static enum hf_status open_files(struct answering *a, struct hf_error *err)
{
    const struct addr2line_options *options = a->options;
    const char *exe = options->exe != NULL ? options->exe : "a.out";
    a->symbols = (struct hf_symbol_options){
        .symdirs = options->symdirs.items,
        .symdir_count = options->symdirs.count,
        .cache_folder = hf_cache_folder(options->no_cache, a->cache_folder),
    };
    struct hf_budget_scope before = hf_budget_enter(&a->budget);
    enum hf_status status = hf_module_files_open_any(&a->files, exe, err);
    hf_budget_leave(before);
    a->given_bytes = a->budget.given_bytes;
    if (status != HF_OK)
        return status;
    if (options->section == NULL)
        return HF_OK;
    a->section = hf_elf_section(&a->files.image, options->section);
    if (a->section == NULL)
        return hf_error_set(err, HF_ERR_INPUT,
            "%s: there is no section '%s' (readelf -S lists them)", exe, options->section);
    return HF_OK;
}

static enum hf_status answer_all(
    struct addr2line_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    struct answering a = {.options = options};
    if (options->input_budget != 0)
        hf_budget_set_factor(options->input_budget);
    enum hf_status status = open_files(&a, err);
    if (status == HF_OK)
        status = hf_output_open_data(&a.output, NULL, false, err); /* printed_name escapes, once */
    if (status == HF_OK) {
        status = operands->count != 0 ? answer_operands(&a, operands, err) : answer_input(&a, err);
        status = hf_output_close(&a.output, status, err);
    }
    hf_report_notes(&options->common, &a.notes);
    hf_notes_done(&a.notes);
    hf_printed_texts_done(&a.names);
    hf_printed_texts_done(&a.paths);
    hf_module_files_close(&a.files);
    return status;
}

static enum hf_status addr2line_print_version(struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    hf_out_string(&output.out, "heapflame " HF_VERSION ", in place of addr2line\n");
    return hf_output_close(&output, HF_OK, err);
}

static bool is_style(const char *style)
{
    static const char *const known[] = {"", "auto", "gnu-v3", "rust", "dlang", "gnat", "none"};
    for (size_t i = 0; i < HF_COUNT(known); i++) {
        if (strcmp(style, known[i]) == 0)
            return true;
    }
    return false;
}

static enum hf_status addr2line_run(void *o, struct hf_operands *operands, struct hf_error *err)
{
    struct addr2line_options *options = o;
    struct hf_arguments arguments = {0};
    enum hf_status status = hf_arguments_expand(&arguments, groups, options, operands, err);
    if (status == HF_OK && options->style != NULL && !is_style(options->style))
        status = hf_error_set(err, HF_ERR_USAGE,
            "--demangle: expected auto, gnu-v3, rust, dlang, gnat or none, found '%s'",
            options->style);
    if (status == HF_OK)
        status = options->is_version ? addr2line_print_version(err)
                                     : answer_all(options, &arguments.operands, err);
    hf_arguments_done(&arguments);
    return status;
}

const struct hf_command hf_cmd_addr2line = {
    .name = "addr2line",
    .summary = "Replace addr2line: print the function, file and line of addresses.",
    .operands = "[ADDRESS...]",
    .details =
        "Without addresses, reads one from each line of standard input, and answers each line\n"
        "at once. @FILE stands for the arguments in that file.",
    .groups = groups,
    .options_size = sizeof(struct addr2line_options),
    .is_reader = hf_command_is_reader,
    .run = addr2line_run,
};
