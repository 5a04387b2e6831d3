#include "cli/compat/symbolizer.h"

#include "base/containers/vec.h"
#include "base/strings/escape.h"
#include "symbol/lookup/lookup.h"
#include "symbol/names/demangle.h"
#include "symbol/names/naming.h"

#include <stdlib.h>
#include <string.h>

/* Looked up together. */
#define BATCH_REQUESTS ((size_t)1 << 16)

/* Parts the answers of an array. */
static void next_answer(struct hf_symbolizer *s)
{
    if (s->format.is_list && s->has_answered)
        hf_out_char(&s->output.out, ',');
    if (s->format.is_list && s->format.pretty)
        hf_out_string(&s->output.out, "\n  ");
    s->has_answered = true;
}

static void symbolizer_escape(
    const struct hf_symbolizer *s, struct hf_out *out, struct hf_text text)
{
    if (s->format.style == HF_SYMBOLIZER_JSON)
        hf_escape_json(out, text);
    else
        hf_escape_terminal(out, text);
}

/* A name as it is printed. Borrowed up to the next look-up of the file. */
static struct hf_text printed_name(
    struct hf_symbolizer *s, struct hf_symbolizer_file *file, struct hf_text name)
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
    const struct hf_symbolizer *s, struct hf_text path, struct hf_dwarf_detail detail)
{
    if (s->basenames)
        return hf_text_basename(path);
    if (s->relative_names && detail.folder_bytes != 0)
        return hf_text_trim_start(hf_text_from(path, detail.folder_bytes), "/");
    return path;
}

/* As llvm-symbolizer says it: of code without a line of its own, the line is 0. */
static struct hf_symbolizer_call call_at(const struct hf_symbolizer *s, struct hf_text file,
    uint32_t line, struct hf_dwarf_detail detail)
{
    return (struct hf_symbolizer_call){.file = printed_file(s, file, detail),
        .line = detail.is_near ? 0 : line,
        .column = detail.column};
}

static struct hf_text name_of_call(
    const struct hf_symbolizer *s, const struct hf_finding *finding, size_t at)
{
    const struct hf_dwarf_frame *call = &finding->place.frames[at];
    bool is_function = at + 1 == finding->place.count;
    if (s->names == HF_SYMBOLIZER_NAMES_SHORT && call->name.size != 0)
        return call->name;
    return hf_naming_choose(call, is_function ? finding->symbol : HF_TEXT(""));
}

/*
 * Without inlined calls the place is of the innermost one, and the name of the function itself, if
 * it is the symbol's: so does llvm-symbolizer, but in GNU's style.
 */
static size_t name_index(const struct hf_symbolizer *s, size_t at, size_t count)
{
    bool is_symbol =
        s->names == HF_SYMBOLIZER_NAMES_LINKAGE && s->format.style != HF_SYMBOLIZER_GNU;
    return !s->has_inlines && is_symbol ? count - 1 : at;
}

static void put_code(struct hf_symbolizer *s, struct hf_symbolizer_file *file,
    const struct hf_symbolizer_request *request, const struct hf_finding *finding)
{
    struct hf_out *out = &s->output.out;
    const struct hf_dwarf_place *place = &finding->place;
    size_t count = s->has_inlines || place->count == 0 ? place->count : 1;
    next_answer(s);
    hf_symbolizer_begin(out, &s->format, request);
    if (count == 0) {
        struct hf_symbolizer_call call = call_at(s, place->file, place->line, place->detail);
        call.twins = finding->twins;
        if (s->format.functions)
            call.name = printed_name(s, file, finding->symbol);
        hf_symbolizer_call(out, &s->format, &call, true);
    }
    for (size_t i = 0; i < count; i++) {
        const struct hf_dwarf_frame *at = &place->frames[i];
        struct hf_symbolizer_call call = call_at(s, at->file, at->line, at->detail);
        call.twins = name_index(s, i, place->count) + 1 == place->count ? finding->twins : 0;
        if (s->format.functions)
            call.name =
                printed_name(s, file, name_of_call(s, finding, name_index(s, i, place->count)));
        hf_symbolizer_call(out, &s->format, &call, i == 0);
    }
    hf_symbolizer_end(out, &s->format);
}

/* Nobody knows anything, and JSON says why. */
static void put_unanswered(
    struct hf_symbolizer *s, const struct hf_symbolizer_request *request, const char *why)
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

static void symbolizer_tell_file(struct hf_symbolizer *s, struct hf_symbolizer_file *file)
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
    const struct hf_symbolizer *s, const struct hf_symbolizer_file *file, uint64_t asked)
{
    const struct hf_elf *image = &file->files.image;
    uint64_t base = UINT64_MAX;
    for (size_t i = 0; s->is_relative && i < image->segment_count; i++) {
        if (image->segments[i].type == PT_LOAD && image->segments[i].address < base)
            base = image->segments[i].address;
    }
    return asked - s->adjust + (base != UINT64_MAX ? base : 0);
}

static enum hf_status look_up_code(
    struct hf_symbolizer *s, struct hf_symbolizer_file *file, struct hf_error *err)
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

static enum hf_status look_up_data(struct hf_symbolizer *s, struct hf_symbolizer_file *file,
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

static enum hf_status answer_of_file(struct hf_symbolizer *s, struct hf_symbolizer_file *file,
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

enum hf_status hf_symbolizer_flush(
    struct hf_symbolizer *s, enum hf_symbolizer_kind kind, struct hf_error *err)
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

static void put_misread(struct hf_symbolizer *s, struct hf_text line, struct hf_text module)
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
    struct hf_symbolizer *s, const struct hf_symbolizer_request *line, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    bool is_same = s->module != NULL && hf_text_is(line->module, s->module);
    if (!is_same || line->kind != HF_SYMBOLIZER_CODE || s->count == BATCH_REQUESTS)
        status = hf_symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
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

enum hf_status hf_symbolizer_take(
    struct hf_symbolizer *s, struct hf_text text, struct hf_error *err)
{
    struct hf_symbolizer_request line;
    if (!hf_symbolizer_read(text, s->obj, &line)) {
        enum hf_status status = hf_symbolizer_flush(s, HF_SYMBOLIZER_CODE, err);
        if (status == HF_OK)
            put_misread(s, text, line.module);
        return status;
    }
    enum hf_status status = symbolizer_wait_for(s, &line, err);
    if (status == HF_OK && line.kind != HF_SYMBOLIZER_CODE)
        status = hf_symbolizer_flush(s, line.kind, err);
    return status;
}

void hf_symbolizer_done(struct hf_symbolizer *s)
{
    hf_notes_done(&s->notes);
    hf_symbolizer_files_done(&s->files);
    free(s->asked);
    free(s->module);
}
