#include "render/page/page_function.h"

#include "base/checked.h"
#include "base/containers/intern.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/escape.h"
#include "elf/plt.h"
#include "symbol/lookup/lookup.h"
#include "symbol/names/demangle.h"
#include "symbol/names/naming.h"

#include <inttypes.h>
#include <stdlib.h>

#define INSTRUCTIONS_AROUND 20u /* a place, in its function */

struct page_instruction {
    uint64_t address;
    struct hf_instruction read;
    size_t text_at, text_size; /* in page_function_maker.texts */
    bool is_shown;
    size_t hot_first, hot_count; /* of the function's */
    uint32_t chain;
};

struct page_function_maker {
    const struct hf_page_function_context *context;
    const struct hf_page_function *function;
    struct page_instruction *items;
    size_t count, capacity;
    struct hf_out texts;
    struct hf_intern files, chains;
    struct hf_lookup lookup;              /* of instructions and what they lead to */
    struct hf_function_code *target_code; /* by address of the lookup */
    uint64_t *slots;                      /* sorted */
    struct hf_symbol *slot_symbols;
    size_t slot_count;
    struct hf_arena slot_names;
};

/* All of it, from its first byte on. */
static enum hf_status page_function_decode(struct page_function_maker *m, struct hf_error *err)
{
    const struct hf_function_code *code = &m->function->code;
    for (size_t at = 0; at < code->bytes.size;) {
        if (!hf_vec_reserve(&m->items, &m->capacity, m->count + 1, sizeof *m->items))
            return hf_error_memory(err);
        struct page_instruction *item = &m->items[m->count++];
        *item = (struct page_instruction){.address = code->start + at, .text_at = m->texts.size};
        item->read = hf_disassembler_read(
            m->context->disassembler, hf_text_from(code->bytes, at), item->address, &m->texts);
        item->text_size = m->texts.size - item->text_at;
        at += item->read.size;
    }
    return m->texts.error.status == HF_OK ? HF_OK : hf_error_memory(err);
}

/* The instruction that has the byte at `address`, which the function has. */
static size_t instruction_at(const struct page_function_maker *m, uint64_t address)
{
    size_t low = 0, high = m->count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (m->items[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* What is shown; false if a call is not where the profile has it. */
static bool page_function_mark(struct page_function_maker *m)
{
    for (size_t i = 0; i < m->function->hot_count; i++) {
        const struct hf_page_hot *hot = &m->function->hot[i];
        size_t at = instruction_at(m, hot->address);
        struct page_instruction *item = &m->items[at];
        bool ends_call = item->read.is_call && item->address + item->read.size == hot->address + 1;
        if (hot->is_return && !ends_call)
            return false;
        if (item->hot_count++ == 0)
            item->hot_first = i;
        size_t first = at > INSTRUCTIONS_AROUND ? at - INSTRUCTIONS_AROUND : 0;
        for (size_t n = first; n < m->count && n <= at + INSTRUCTIONS_AROUND; n++)
            m->items[n].is_shown = true;
    }
    return true;
}

static int page_function_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Looks up the instructions that are shown, and where they lead. */
static enum hf_status page_function_look_up(struct page_function_maker *m, struct hf_error *err)
{
    struct hf_symbol_options symbols = *m->context->symbols;
    struct hf_notes ignored = {0};
    uint64_t *wanted = calloc(2 * m->count + 1, sizeof *wanted);
    size_t count = 0;
    m->slots = calloc(m->count + 1, sizeof *m->slots);
    m->slot_symbols = calloc(m->count + 1, sizeof *m->slot_symbols);
    enum hf_status status = wanted != NULL && m->slots != NULL && m->slot_symbols != NULL
                                ? HF_OK
                                : hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < m->count; i++) {
        const struct page_instruction *item = &m->items[i];
        if (!item->is_shown)
            continue;
        wanted[count++] = item->address;
        if (item->read.target_kind == HF_TARGET_CODE)
            wanted[count++] = item->read.target;
        else if (item->read.target_kind == HF_TARGET_SLOT)
            m->slots[m->slot_count++] = item->read.target;
    }
    symbols.cache_folder = NULL; /* so many addresses of one function are not asked for again */
    symbols.helpers = false;
    if (status == HF_OK) {
        qsort(m->slots, m->slot_count, sizeof *m->slots, page_function_compare);
        status =
            hf_lookup_run(&m->lookup, m->context->files, &symbols, wanted, count, &ignored, err);
    }
    if (status == HF_OK)
        status = hf_plt_resolve_slots(&m->context->files->image, m->slots, m->slot_count,
            m->slot_symbols, &m->slot_names, err);
    m->target_code = calloc(m->lookup.count + 1, sizeof *m->target_code);
    if (status == HF_OK && m->target_code == NULL)
        status = hf_error_memory(err);
    if (status == HF_OK)
        status = hf_function_code_find(
            m->context->files, m->lookup.addresses, m->lookup.count, m->target_code, err);
    hf_notes_done(&ignored);
    free(wanted);
    return status;
}

/* Adds a line to those of an instruction, the innermost first. */
static bool add_line(struct page_function_maker *m, struct hf_text file, uint32_t line,
    struct hf_dwarf_detail detail, uint32_t *lines, size_t *count)
{
    uint32_t id;
    if (file.size == 0 || line == 0 || detail.is_near != 0)
        return true;
    if (!hf_intern_put(&m->files, file.data, file.size, &id))
        return false;
    lines[(*count)++] = id;
    lines[(*count)++] = line;
    return true;
}

/* The source lines of what is shown. */
static enum hf_status page_function_add_chains(struct page_function_maker *m, struct hf_error *err)
{
    uint32_t lines[2 * HF_LIMIT_INLINE_DEPTH + 2], id;
    bool is_done = hf_intern_put(&m->chains, "", 0, &id);
    for (size_t i = 0; is_done && i < m->count; i++) {
        size_t count = 0;
        if (!m->items[i].is_shown)
            continue;
        const struct hf_finding *found =
            &m->lookup.findings[hf_lookup_find(&m->lookup, m->items[i].address)];
        for (size_t n = 0; is_done && n < found->place.count && n < HF_LIMIT_INLINE_DEPTH; n++) {
            const struct hf_dwarf_frame *frame = &found->place.frames[n];
            is_done = add_line(m, frame->file, frame->line, frame->detail, lines, &count);
        }
        if (is_done && found->place.count == 0)
            is_done = add_line(
                m, found->place.file, found->place.line, found->place.detail, lines, &count);
        is_done =
            is_done && hf_intern_put(&m->chains, lines, count * sizeof *lines, &m->items[i].chain);
    }
    return is_done ? HF_OK : hf_error_memory(err);
}

static void page_function_put_files(const struct page_function_maker *m, struct hf_out *out)
{
    hf_out_string(out, "\"files\":[");
    for (uint32_t i = 0; i < m->files.count; i++) {
        hf_out_string(out, i == 0 ? "\"" : ",\"");
        hf_escape_json(out, hf_intern_at(&m->files, i));
        hf_out_char(out, '"');
    }
    hf_out_string(out, "],\"chains\":[");
    for (uint32_t i = 0; i < m->chains.count; i++) {
        struct hf_text chain = hf_intern_at(&m->chains, i);
        hf_out_string(out, i == 0 ? "[" : ",[");
        for (size_t n = 0; n * sizeof(uint32_t) < chain.size; n++) {
            uint32_t number;
            memcpy(&number, chain.data + n * sizeof number, sizeof number);
            hf_out_printf(out, "%s%" PRIu32, n == 0 ? "" : ",", number);
        }
        hf_out_char(out, ']');
    }
    hf_out_string(out, "]");
}

/* The name of the function that has this address, raw; empty if it has none. */
static struct hf_text target_name(const struct page_function_maker *m, uint64_t address)
{
    const struct hf_finding *found = &m->lookup.findings[hf_lookup_find(&m->lookup, address)];
    if (found->place.count == 0)
        return found->symbol;
    return hf_naming_choose(&found->place.frames[found->place.count - 1], found->symbol);
}

/* Readable, as other names of the page; nothing if it is not known, or it is the function itself.
 */
static void page_function_put_target(
    const struct page_function_maker *m, const struct hf_instruction *read, struct hf_out *out)
{
    const struct hf_function_code *code = &m->function->code;
    bool is_full = m->context->symbols->full_names;
    if (read->target_kind == HF_TARGET_SLOT) {
        size_t at = hf_lower_bound_u64(m->slots, m->slot_count, read->target);
        if (m->slot_symbols[at].name.size == 0)
            return;
        hf_out_char(out, '[');
        hf_demangle(m->slot_symbols[at].name, is_full, out);
        hf_out_char(out, ']');
        return;
    }
    if (read->target != code->start && read->target - code->start < code->bytes.size)
        return;
    struct hf_text name = target_name(m, read->target);
    bool is_of_table = hf_text_ends(name, "@plt");
    if (name.size == 0)
        return;
    if (is_of_table)
        name.size -= strlen("@plt");
    hf_demangle(name, is_full, out);
    hf_out_string(out, is_of_table ? "@plt" : "");
    uint64_t start = m->target_code[hf_lookup_find(&m->lookup, read->target)].start;
    if (!is_of_table && start != 0 && start < read->target)
        hf_out_printf(out, "+0x%" PRIx64, read->target - start);
}

/* [ offset, text, target, chain ] */
static void page_function_put_one(
    const struct page_function_maker *m, const struct page_instruction *item, struct hf_out *out)
{
    struct hf_out target = {0};
    struct hf_text text = {m->texts.data + item->text_at, item->text_size};
    if (item->read.target_kind != HF_TARGET_NONE)
        page_function_put_target(m, &item->read, &target);
    if (target.size != 0) /* which stands for the operand, behind the last blank outside of it */
        text.size = item->read.target_kind == HF_TARGET_SLOT ? hf_text_find_last(text, '[')
                                                             : hf_text_find_last(text, ' ');
    if (hf_text_ends(text, " "))
        text.size--;
    hf_out_printf(out, "[%" PRIu64 ",\"", item->address - m->function->code.start);
    hf_escape_json(out, text);
    hf_out_string(out, "\",\"");
    hf_escape_json(out, hf_out_view(&target));
    hf_out_printf(out, "\",%" PRIu32 "]", item->chain);
    hf_out_done(&target);
}

static void page_function_put_pieces(const struct page_function_maker *m, struct hf_out *out)
{
    bool is_inside = false, has_one = false;
    hf_out_string(out, ",\"pieces\":[");
    for (size_t i = 0; i < m->count; i++) {
        if (is_inside && !m->items[i].is_shown)
            hf_out_char(out, ']');
        if (m->items[i].is_shown) {
            hf_out_string(out, is_inside ? "," : has_one ? ",[" : "[");
            page_function_put_one(m, &m->items[i], out);
            has_one = true;
        }
        is_inside = m->items[i].is_shown;
    }
    hf_out_string(out, is_inside ? "]]" : "]");
}

/* What the stacks of one instruction hold; there are several addresses if names changed there. */
static void page_function_put_sums(
    const struct page_function_maker *m, const struct page_instruction *item, struct hf_out *out)
{
    const struct hf_page_function_context *c = m->context;
    bool ignored = false;
    for (size_t type = 0; type < c->type_count; type++) {
        uint64_t total = 0, self = 0;
        for (size_t i = item->hot_first; i < item->hot_first + item->hot_count; i++) {
            const struct hf_page_line *line = m->function->hot[i].line;
            const uint64_t *held = hf_page_lines_held(c->lines, line, c->types[type]);
            total = hf_add_saturating(total, held[0], &ignored);
            self = hf_add_saturating(self, held[1], &ignored);
        }
        hf_out_printf(out, ",%" PRIu64 ",%" PRIu64, total, self);
    }
}

static void page_function_put_held(const struct page_function_maker *m, struct hf_out *out)
{
    const char *between = "";
    hf_out_string(out, ",\"held\":[");
    for (size_t i = 0; i < m->count; i++) {
        if (m->items[i].hot_count == 0)
            continue;
        hf_out_printf(out, "%s[%" PRIu64, between, m->items[i].address - m->function->code.start);
        page_function_put_sums(m, &m->items[i], out);
        hf_out_char(out, ']');
        between = ",";
    }
    hf_out_string(out, "]}");
}

static void page_function_put_all(const struct page_function_maker *m, struct hf_out *out)
{
    const struct hf_page_function *f = m->function;
    hf_out_string(out, "{\"name\":\"");
    hf_escape_json(out, f->name);
    hf_out_string(out, "\",\"module\":\"");
    hf_escape_json(out, f->module);
    hf_out_printf(out, "\",\"start\":%" PRIu64 ",\"size\":%zu,", f->code.start, f->code.bytes.size);
    page_function_put_files(m, out);
    page_function_put_pieces(m, out);
    page_function_put_held(m, out);
}

enum hf_status hf_page_function_put(const struct hf_page_function_context *context,
    const struct hf_page_function *function, struct hf_out *out, bool *out_is_shown,
    struct hf_error *err)
{
    struct page_function_maker m = {.context = context, .function = function};
    *out_is_shown = false;
    enum hf_status status = page_function_decode(&m, err);
    bool is_there = status == HF_OK && page_function_mark(&m);
    if (is_there)
        status = page_function_look_up(&m, err);
    is_there = is_there && status == HF_OK && !m.lookup.is_void;
    if (is_there)
        status = page_function_add_chains(&m, err);
    if (is_there && status == HF_OK && hf_module_files_are_sound(context->files)) {
        page_function_put_all(&m, out);
        *out_is_shown = true;
    }
    free(m.items);
    hf_out_done(&m.texts);
    hf_intern_done(&m.files);
    hf_intern_done(&m.chains);
    hf_lookup_done(&m.lookup);
    free(m.target_code);
    free(m.slots);
    free(m.slot_symbols);
    hf_arena_done(&m.slot_names);
    return status;
}
