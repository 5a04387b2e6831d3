/*
 * cmd_llvm_symbolizer.c: in the place of LLVM's llvm-symbolizer: requests in, functions and lines
 * out, as the runtimes of sanitizers ask and read them.
 *
 * Requests for code of one file that come together are looked up together; each is answered before
 * anybody has to wait for more.
 */
#include "base/containers/vec.h"
#include "base/strings/escape.h"
#include "cli/command.h"
#include "cli/compat/arguments.h"
#include "cli/compat/symbolizer_files.h"
#include "cli/compat/symbolizer_print.h"
#include "cli/compat/symbolizer_request.h"
#include "config.h"
#include "os/input.h"
#include "symbol/cache/cache_folder.h"
#include "symbol/lookup/lookup.h"
#include "symbol/names/demangle.h"
#include "symbol/names/naming.h"

#include <stdlib.h>
#include <string.h>

/* Looked up together. */
#define BATCH_REQUESTS ((size_t)1 << 16)

enum { NAMES_SHORT = 1, NAMES_LINKAGE };

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

struct symbolizing {
    const struct symbolizer_options *options;
    struct hf_symbolizer_format format;
    struct hf_symbol_options symbols;
    char cache_folder[PATH_MAX];
    uint64_t adjust;
    int names; /* NAMES_... */
    bool has_inlines, is_demangled, has_answered;
    struct hf_symbolizer_files files;
    char *module; /* of the requests that wait */
    uint64_t *asked;
    size_t count, capacity;
    struct hf_output output;
    struct hf_notes notes;
    struct hf_budget budget;
};

/* Parts the answers of an array. */
static void next_answer(struct symbolizing *s)
{
    if (s->format.is_list && s->has_answered)
        hf_out_char(&s->output.out, ',');
    if (s->format.is_list && s->format.pretty)
        hf_out_string(&s->output.out, "\n  ");
    s->has_answered = true;
}

static void symbolizer_escape(const struct symbolizing *s, struct hf_out *out, struct hf_text text)
{
    if (s->format.style == HF_SYMBOLIZER_JSON)
        hf_escape_json(out, text);
    else
        hf_escape_terminal(out, text);
}

/* A name as it is printed. Borrowed up to the next look-up of the file. */
static struct hf_text printed_name(
    struct symbolizing *s, struct hf_symbolizer_file *file, struct hf_text name)
{
    struct hf_text printed = hf_printed_texts_find(&file->names, name), as_found = name;
    if (printed.data != NULL || name.size == 0)
        return printed.data != NULL ? printed : name;
    struct hf_out readable = {0}, escaped = {0};
    bool has_room = hf_printed_texts_bytes(&file->names) < hf_budget_memory_allowed(&s->budget) / 2;
    if (s->is_demangled && has_room && !hf_symbol_cache_readable(&file->files.cache, name, &name)) {
        hf_demangle(name, true, &readable);
        name = hf_out_view(&readable);
    }
    symbolizer_escape(s, &escaped, name);
    if (readable.error.status != HF_OK)
        escaped.error = readable.error;
    printed = hf_printed_texts_add(&file->names, as_found, &escaped);
    if (printed.data == NULL && s->output.out.error.status == HF_OK)
        (void)!hf_error_memory(&s->output.out.error);
    hf_out_done(&readable);
    hf_out_done(&escaped);
    return printed;
}

static struct hf_text printed_file(
    const struct symbolizing *s, struct hf_text path, struct hf_dwarf_detail detail)
{
    if (s->options->basenames)
        return hf_text_basename(path);
    if (s->options->relative_names && detail.folder_bytes != 0)
        return hf_text_trim_start(hf_text_from(path, detail.folder_bytes), "/");
    return path;
}

/* As llvm-symbolizer says it: of code without a line of its own, the line is 0. */
static struct hf_symbolizer_call call_at(
    const struct symbolizing *s, struct hf_text file, uint32_t line, struct hf_dwarf_detail detail)
{
    return (struct hf_symbolizer_call){.file = printed_file(s, file, detail),
        .line = detail.is_near ? 0 : line,
        .column = detail.column};
}

static struct hf_text name_of_call(
    const struct symbolizing *s, const struct hf_finding *finding, size_t at)
{
    const struct hf_dwarf_frame *call = &finding->place.frames[at];
    bool is_function = at + 1 == finding->place.count;
    if (s->names == NAMES_SHORT && call->name.size != 0)
        return call->name;
    return hf_naming_choose(call, is_function ? finding->symbol : HF_TEXT(""));
}

/*
 * Without inlined calls the place is of the innermost one, and the name of the function itself, if
 * it is the symbol's: so does llvm-symbolizer, but in GNU's style.
 */
static size_t name_index(const struct symbolizing *s, size_t at, size_t count)
{
    bool is_symbol = s->names == NAMES_LINKAGE && s->format.style != HF_SYMBOLIZER_GNU;
    return !s->has_inlines && is_symbol ? count - 1 : at;
}

static void put_code(struct symbolizing *s, struct hf_symbolizer_file *file,
    const struct hf_symbolizer_request *request, const struct hf_finding *finding)
{
    struct hf_out *out = &s->output.out;
    const struct hf_dwarf_place *place = &finding->place;
    size_t count = s->has_inlines || place->count == 0 ? place->count : 1;
    next_answer(s);
    hf_symbolizer_begin(out, &s->format, request);
    if (count == 0) {
        struct hf_symbolizer_call call = call_at(s, place->file, place->line, place->detail);
        if (s->format.functions)
            call.name = printed_name(s, file, finding->symbol);
        hf_symbolizer_call(out, &s->format, &call, true);
    }
    for (size_t i = 0; i < count; i++) {
        const struct hf_dwarf_frame *at = &place->frames[i];
        struct hf_symbolizer_call call = call_at(s, at->file, at->line, at->detail);
        if (s->format.functions)
            call.name =
                printed_name(s, file, name_of_call(s, finding, name_index(s, i, place->count)));
        hf_symbolizer_call(out, &s->format, &call, i == 0);
    }
    hf_symbolizer_end(out, &s->format);
}

/* Nobody knows anything, and JSON says why. */
static void put_unanswered(
    struct symbolizing *s, const struct hf_symbolizer_request *request, const char *why)
{
    struct hf_out *out = &s->output.out;
    const struct hf_symbolizer_call unknown = {.name = HF_TEXT(""), .file = HF_TEXT("")};
    next_answer(s);
    if (s->format.style == HF_SYMBOLIZER_JSON) {
        hf_symbolizer_error(out, &s->format, request, true, hf_text_of(why));
        return;
    }
    hf_symbolizer_begin(out, &s->format, request);
    hf_symbolizer_call(out, &s->format, &unknown, true);
    hf_symbolizer_end(out, &s->format);
}

static void symbolizer_tell_file(struct symbolizing *s, struct hf_symbolizer_file *file)
{
    const char *text = file->is_open ? file->files.unfetched : file->why;
    if (text[0] == '\0' || file->has_told)
        return;
    if (file->is_open)
        hf_notes_add(&s->notes, HF_NOTE_INFO, "%s: %s", file->files.path, text);
    else
        hf_notes_add(&s->notes, HF_NOTE_INFO, "%s", text);
    file->has_told = true;
}

/* Where the image has what is asked for. */
static uint64_t image_address(
    const struct symbolizing *s, const struct hf_symbolizer_file *file, uint64_t asked)
{
    const struct hf_elf *image = &file->files.image;
    uint64_t base = UINT64_MAX;
    for (size_t i = 0; s->options->is_relative && i < image->segment_count; i++) {
        if (image->segments[i].type == PT_LOAD && image->segments[i].address < base)
            base = image->segments[i].address;
    }
    return asked - s->adjust + (base != UINT64_MAX ? base : 0);
}

static enum hf_status look_up_code(
    struct symbolizing *s, struct hf_symbolizer_file *file, struct hf_error *err)
{
    struct hf_lookup lookup = {0};
    struct hf_symbolizer_request request = {.module = hf_text_of(s->module)};
    uint64_t *addresses = calloc(s->count + 1, sizeof *addresses);
    if (addresses == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < s->count; i++)
        addresses[i] = image_address(s, file, s->asked[i]);
    enum hf_status status =
        hf_lookup_run(&lookup, &file->files, &s->symbols, addresses, s->count, &s->notes, err);
    if (status == HF_OK && lookup.is_void)
        hf_notes_add(&s->notes, HF_NOTE_LOSS, "%s", file->files.why);
    hf_printed_texts_begin(&file->names, lookup.generation);
    for (size_t i = 0; i < s->count && status == HF_OK; i++) {
        request.address = s->asked[i];
        put_code(s, file, &request, &lookup.findings[hf_lookup_find(&lookup, addresses[i])]);
    }
    hf_lookup_done(&lookup);
    free(addresses);
    return status;
}

/* The variable that holds the address. */
struct variable_search {
    uint64_t address;
    struct hf_symbol found;
};

static void see_symbol(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    struct variable_search *search = context;
    (void)is_local;
    if (type == STT_OBJECT && search->address - symbol->address < symbol->size &&
        (search->found.name.size == 0 || hf_symbol_is_better(symbol, &search->found)))
        search->found = *symbol;
}

static enum hf_status look_up_data(struct symbolizing *s, struct hf_symbolizer_file *file,
    const struct hf_symbolizer_request *request, struct hf_error *err)
{
    struct variable_search search = {.address = image_address(s, file, request->address)};
    struct hf_out name = {0};
    hf_module_files_find_debug(&file->files, &s->symbols);
    enum hf_status status = hf_symtab_each(&file->files.image, see_symbol, &search, err);
    if (status == HF_OK && search.found.name.size == 0 && file->files.debug.section_count != 0)
        status = hf_symtab_each(&file->files.debug, see_symbol, &search, err);
    if (status != HF_OK)
        return status;
    struct hf_out readable = {0};
    if (s->is_demangled)
        hf_demangle(search.found.name, true, &readable);
    else
        hf_out_text(&readable, search.found.name);
    symbolizer_escape(s, &name, hf_out_view(&readable));
    next_answer(s);
    hf_symbolizer_variable(&s->output.out, &s->format, request, hf_out_view(&name),
        search.found.address, search.found.size);
    hf_out_done(&readable);
    hf_out_done(&name);
    return HF_OK;
}

static enum hf_status answer_of_file(struct symbolizing *s, struct hf_symbolizer_file *file,
    enum hf_symbolizer_kind kind, struct hf_error *err)
{
    struct hf_symbolizer_request request = {
        .module = hf_text_of(s->module), .address = s->asked[0]};
    enum hf_status status = HF_OK;
    s->budget = (struct hf_budget){.given_bytes = file->given_bytes + s->count * sizeof *s->asked};
    struct hf_budget_scope before = hf_budget_enter(&s->budget);
    if (kind == HF_SYMBOLIZER_CODE)
        status = look_up_code(s, file, err);
    else if (kind == HF_SYMBOLIZER_DATA)
        status = look_up_data(s, file, &request, err);
    bool is_used_up = status == HF_ERR_LIMIT && hf_budget_is_used_up();
    hf_budget_leave(before);
    file->given_bytes = s->budget.given_bytes - s->count * sizeof *s->asked;
    if (!is_used_up)
        return status;
    hf_notes_add(&s->notes, HF_NOTE_LOSS, "%s: %s", file->files.path, err->text);
    for (size_t i = 0; i < s->count; i++) {
        request.address = s->asked[i];
        put_unanswered(s, &request, err->text);
    }
    return HF_OK;
}

/* Answers what waits, all of it of one file. */
static enum hf_status symbolizer_flush(
    struct symbolizing *s, enum hf_symbolizer_kind kind, struct hf_error *err)
{
    if (s->count == 0)
        return HF_OK;
    struct hf_symbolizer_request request = {
        .module = hf_text_of(s->module), .address = s->asked[0]};
    struct hf_symbolizer_file *file = hf_symbolizer_files_at(&s->files, s->module);
    if (file == NULL)
        return hf_error_memory(err);
    enum hf_status status = HF_OK;
    if (kind == HF_SYMBOLIZER_FRAME) {
        next_answer(s);
        hf_symbolizer_frame(&s->output.out, &s->format, &request);
    } else if (file->is_open) {
        status = answer_of_file(s, file, kind, err);
    }
    for (size_t i = 0; i < s->count && kind != HF_SYMBOLIZER_FRAME && !file->is_open; i++) {
        request.address = s->asked[i];
        put_unanswered(s, &request, file->why);
    }
    symbolizer_tell_file(s, file);
    s->count = 0;
    return status;
}

static void put_misread(struct symbolizing *s, struct hf_text line, struct hf_text module)
{
    struct hf_out *out = &s->output.out;
    next_answer(s);
    if (s->format.style != HF_SYMBOLIZER_JSON) {
        hf_escape_terminal(out, line);
        hf_out_char(out, '\n');
        return;
    }
    struct hf_out message = {0};
    hf_out_string(&message, "unable to parse arguments: ");
    hf_out_text(&message, line);
    hf_symbolizer_error(out, &s->format, &(struct hf_symbolizer_request){.module = module}, false,
        hf_out_view(&message));
    hf_out_done(&message);
}

/* Of another file than those that wait: these are answered first. */
static enum hf_status symbolizer_wait_for(
    struct symbolizing *s, const struct hf_symbolizer_request *line, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    bool is_same = s->module != NULL && hf_text_is(line->module, s->module);
    if (!is_same || line->kind != HF_SYMBOLIZER_CODE || s->count == BATCH_REQUESTS)
        status = symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
    if (status == HF_OK && !is_same) {
        free(s->module);
        s->module = strndup(line->module.data, line->module.size);
    }
    if (status == HF_OK && (s->module == NULL || !hf_vec_reserve(&s->asked, &s->capacity,
                                                     s->count + 1, sizeof *s->asked)))
        status = hf_error_memory(err);
    if (status == HF_OK)
        s->asked[s->count++] = line->address;
    return status;
}

static enum hf_status symbolizer_take(
    struct symbolizing *s, struct hf_text text, struct hf_error *err)
{
    struct hf_symbolizer_request line;
    if (!hf_symbolizer_read(text, s->options->obj, &line)) {
        enum hf_status status = symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
        if (status == HF_OK)
            put_misread(s, text, line.module);
        return status;
    }
    enum hf_status status = symbolizer_wait_for(s, &line, err);
    if (status == HF_OK && line.kind != HF_SYMBOLIZER_CODE)
        status = symbolizer_flush(s, line.kind, err);
    return status;
}

static enum hf_status symbolize_operands(
    struct symbolizing *s, const struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (s->format.is_list)
        hf_out_char(&s->output.out, '[');
    for (size_t i = 0; i < operands->count && status == HF_OK; i++)
        status = symbolizer_take(s, hf_text_of(operands->items[i]), err);
    if (status == HF_OK)
        status = symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
    if (s->format.is_list)
        hf_out_string(&s->output.out, s->format.pretty ? "\n]\n" : "]\n");
    return status;
}

static enum hf_status symbolize_input(struct symbolizing *s, struct hf_error *err)
{
    struct hf_input input;
    struct hf_text line;
    enum hf_status status = hf_input_open(&input, "-", err);
    while (hf_input_next(&input, &line, &status, err)) {
        status = symbolizer_take(s, line, err);
        if (status == HF_OK && !hf_input_line_is_ready(&input)) {
            status = symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
            if (status == HF_OK)
                status = hf_out_finish(&s->output.out, err);
        }
    }
    if (status == HF_OK)
        status = symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
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

static enum hf_status read_style(struct symbolizing *s, struct hf_error *err)
{
    static const char *const styles[] = {
        [HF_SYMBOLIZER_LLVM] = "LLVM", [HF_SYMBOLIZER_GNU] = "GNU", [HF_SYMBOLIZER_JSON] = "JSON"};
    const char *style = s->options->style != NULL ? s->options->style : "LLVM";
    for (size_t i = 0; i < HF_COUNT(styles); i++) {
        if (strcmp(style, styles[i]) == 0) {
            s->format.style = (enum hf_symbolizer_style)i;
            return HF_OK;
        }
    }
    return hf_error_set(
        err, HF_ERR_USAGE, "--output-style: expected LLVM, GNU or JSON, found '%s'", style);
}

static enum hf_status symbolizer_read_functions(struct symbolizing *s, struct hf_error *err)
{
    const char *text = s->options->functions != NULL ? s->options->functions : "";
    s->names = strcmp(text, "short") == 0 ? NAMES_SHORT : NAMES_LINKAGE;
    s->format.functions = strcmp(text, "none") != 0;
    if (text[0] == '\0' || strcmp(text, "none") == 0 || strcmp(text, "short") == 0 ||
        strcmp(text, "linkage") == 0)
        return HF_OK;
    return hf_error_set(
        err, HF_ERR_USAGE, "--functions: expected none, short or linkage, found '%s'", text);
}

static enum hf_status read_options(
    struct symbolizing *s, const struct hf_operands *operands, struct hf_error *err)
{
    const struct symbolizer_options *o = s->options;
    int inlines = o->inlines, demangling = o->demangling;
    enum hf_status status = read_style(s, err);
    if (status == HF_OK)
        status = symbolizer_read_functions(s, err);
    if (status == HF_OK)
        status = read_choice("inlining", o->inlining, &inlines, err);
    if (status == HF_OK)
        status = read_choice("demangle", o->demangle, &demangling, err);
    if (status == HF_OK && o->adjust != NULL &&
        !hf_symbolizer_number(hf_text_of(o->adjust), &s->adjust))
        status = hf_error_set(err, HF_ERR_USAGE,
            "--adjust-vma: expected a number, e.g. 0x1000, found '%s'", o->adjust);
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
    hf_out_string(&output.out, "heapflame " HF_VERSION ", in the place of llvm-symbolizer\n");
    return hf_output_close(&output, HF_OK, err);
}

static enum hf_status symbolize_all_requests(
    struct symbolizer_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    struct symbolizing *s = calloc(1, sizeof *s);
    if (s == NULL)
        return hf_error_memory(err);
    s->options = options;
    enum hf_status status = read_options(s, operands, err);
    if (status == HF_OK)
        status = hf_output_open_data(&s->output, NULL, false, err); /* names are escaped, once */
    if (status == HF_OK) {
        status =
            operands->count != 0 ? symbolize_operands(s, operands, err) : symbolize_input(s, err);
        status = hf_output_close(&s->output, status, err);
    }
    hf_report_notes(&options->common, &s->notes);
    hf_notes_done(&s->notes);
    hf_symbolizer_files_done(&s->files);
    free(s->asked);
    free(s->module);
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
    .summary = "Replace llvm-symbolizer: requests in, functions, files and lines out.",
    .operands = "[REQUEST...]",
    .details =
        "A request is an address, or with no --obj a file and an address: CODE FILE 0x1f, DATA\n"
        "FILE 0x1f or FILE 0x1f. Without requests, reads one from each line of standard input,\n"
        "and answers each line at once. @FILE stands for the arguments in that file.",
    .groups = symbolizer_groups,
    .options_size = sizeof(struct symbolizer_options),
    .is_reader = hf_command_is_reader,
    .run = symbolizer_run,
};
