#include "render/page/page_code.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/plural.h"
#include "profile/fold.h"
#include "profile/modules.h"
#include "render/page/page_function.h"
#include "symbol/lookup/module_search.h"

#include <stdio.h>
#include <stdlib.h>

#define MODULES_OPENED 32u /* places in more of them are left out */

/* An address frame, in the order of module and address. */
struct page_code_place {
    struct hf_wanted wanted;
    bool is_return; /* a call ends there: it called another frame, or the allocator */
    const struct hf_page_line *line;
    struct hf_function_code code;
};

/* A module of the profile, and which places are its own. */
struct page_code_module {
    struct hf_module_files *files; /* NULL: not opened, or none fits */
    size_t first, count;
    bool is_tried;
};

struct page_code_maker {
    const struct hf_page_code_options *options;
    struct hf_notes *notes;
    struct hf_page_lines lines;
    const struct hf_page_line **order;
    struct hf_module_search search;
    struct page_code_place *places;
    size_t place_count;
    bool *is_caller; /* by frame: of another frame */
    struct page_code_module *modules;
    size_t opened, unbounded, moved;
    size_t types[HF_VALUE_TYPES_MAX]; /* of what the page shows, in the profile */
    struct hf_disassembler *disassembler;
    struct hf_page_hot *hot;                  /* room for those of one function */
    const struct page_code_place **functions; /* the most important place of each */
    size_t function_count;
    bool is_full;
};

static int page_code_compare(const void *a, const void *b)
{
    const struct page_code_place *x = a, *y = b;
    if (x->wanted.module != y->wanted.module)
        return x->wanted.module < y->wanted.module ? -1 : 1;
    if (x->wanted.address != y->wanted.address)
        return x->wanted.address < y->wanted.address ? -1 : 1;
    return (x->wanted.frame > y->wanted.frame) - (x->wanted.frame < y->wanted.frame);
}

/* The address frames that hold something. */
static void page_code_list(struct page_code_maker *m)
{
    const struct hf_profile *p = m->options->by_address;
    for (size_t i = 1; i < p->stacks.count; i++) {
        uint32_t parent = p->stacks.nodes[i].parent;
        if (parent != HF_STACK_ROOT)
            m->is_caller[p->stacks.nodes[parent].frame] = true;
    }
    for (size_t i = 0; i < m->lines.count; i++) {
        const struct hf_page_line *line = &m->lines.items[i];
        if (line->file != HF_NO_STRING || line->weight == 0)
            continue;
        const struct hf_frame *frame = hf_profile_frame_at(p, line->number);
        bool is_interrupted = (frame->flags & HF_FRAME_INTERRUPTED) != 0;
        if (frame->module == HF_NO_MODULE)
            continue;
        bool is_caller = m->is_caller[line->number] && !is_interrupted;
        bool is_of_heap = p->capture.period_bytes != 0 && !p->capture.is_no_heap;
        m->places[m->place_count++] = (struct page_code_place){.line = line,
            .is_return = is_caller || (is_of_heap && !is_interrupted),
            .wanted = {.module = frame->module,
                .frame = line->number,
                .symbol = frame->symbol,
                .offset = frame->offset + is_interrupted,
                .is_linked = (frame->flags & HF_FRAME_LINKED) != 0,
                .is_caller = is_caller}};
    }
    qsort(m->places, m->place_count, sizeof *m->places, page_code_compare);
    for (size_t i = 0; i < m->place_count; i++) {
        struct page_code_module *module = &m->modules[m->places[i].wanted.module];
        if (module->count++ == 0)
            module->first = i;
    }
}

/* Places the addresses in the image, and finds the functions that have them. */
static enum hf_status page_code_bound(
    struct page_code_maker *m, struct page_code_module *module, struct hf_error *err)
{
    struct page_code_place *places = m->places + module->first;
    uint64_t *addresses = calloc(module->count + 1, sizeof *addresses);
    struct hf_function_code *codes = calloc(module->count + 1, sizeof *codes);
    enum hf_status status = addresses != NULL && codes != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < module->count; i++) {
        if (!hf_wanted_place(&places[i].wanted, &module->files->image))
            places[i].wanted.address = 0;
    }
    qsort(places, module->count, sizeof *places, page_code_compare);
    for (size_t i = 0; status == HF_OK && i < module->count; i++)
        addresses[i] = places[i].wanted.address;
    if (status == HF_OK)
        status = hf_function_code_find(module->files, addresses, module->count, codes, err);
    for (size_t i = 0; status == HF_OK && i < module->count; i++)
        places[i].code = codes[i];
    free(addresses);
    free(codes);
    return status;
}

/* The file that fits the module; *out_why: why there is none, a text of `room`. */
static enum hf_status page_code_search(struct page_code_maker *m, struct page_code_module *module,
    char room[1024], const char **out_why, struct hf_error *err)
{
    bool is_open;
    struct hf_wanted *wanted = calloc(module->count, sizeof *wanted);
    if (wanted == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < module->count; i++)
        wanted[i] = m->places[module->first + i].wanted;
    struct hf_module_files *files =
        hf_module_search_open(&m->search, wanted, module->count, &is_open);
    for (size_t i = 0; i < module->count; i++)
        m->places[module->first + i].wanted = wanted[i];
    free(wanted);
    if (files == NULL)
        return hf_error_memory(err);
    snprintf(room, 1024, "%s", is_open ? "" : files->why);
    *out_why = is_open ? NULL : room;
    if (is_open && files->image.machine != EM_X86_64)
        *out_why = "it is not for x86-64, and only that is decoded";
    if (*out_why != NULL) {
        hf_kept_files_drop(files);
        return HF_OK;
    }
    hf_module_files_find_debug(files, m->options->symbols);
    module->files = files;
    return HF_OK;
}

/* Once for each module. `is_told`: say why there is none. */
static enum hf_status page_code_open(
    struct page_code_maker *m, uint32_t id, bool is_told, struct hf_error *err)
{
    struct page_code_module *module = &m->modules[id];
    const struct hf_profile *p = m->options->by_address;
    struct hf_text path = hf_profile_text(p, p->modules[id].path);
    char room[1024];
    const char *why = NULL;
    bool is_file = hf_text_starts(path, "/") || hf_text_is(path, HF_VDSO);
    if (module->is_tried || !is_file || m->opened == MODULES_OPENED)
        return HF_OK;
    module->is_tried = true;
    m->opened++;
    enum hf_status status = page_code_search(m, module, room, &why, err);
    if (status == HF_OK && why != NULL && is_told)
        hf_notes_add(m->notes, HF_NOTE_INFO, "no instructions of %.*s are shown: %s",
            (int)path.size, path.data, why);
    return status == HF_OK && module->files != NULL ? page_code_bound(m, module, err) : status;
}

static const struct page_code_place *place_of_line(
    const struct page_code_maker *m, const struct hf_page_line *line)
{
    const struct hf_frame *frame = hf_profile_frame_at(m->options->by_address, line->number);
    const struct page_code_module *module = &m->modules[frame->module];
    for (size_t i = module->first; i < module->first + module->count; i++) {
        if (m->places[i].line == line)
            return &m->places[i];
    }
    return NULL;
}

static bool page_code_is_same(const struct page_code_place *a, const struct page_code_place *b)
{
    return a->wanted.module == b->wanted.module && a->code.start == b->code.start &&
           a->code.bytes.size == b->code.bytes.size;
}

static void choose_function(struct page_code_maker *m, const struct page_code_place *place)
{
    for (size_t i = 0; i < m->function_count; i++) {
        if (page_code_is_same(m->functions[i], place))
            return;
    }
    m->functions[m->function_count++] = place;
}

/* What calls the program from outside matters less than what the program is. */
static bool is_of_program(const struct page_code_maker *m, uint32_t module)
{
    const struct hf_profile *p = m->options->by_address;
    struct hf_text program = hf_profile_text(p, p->modules[hf_modules_program(p)].path);
    return hf_modules_belong(
        program, hf_modules_folder(program), hf_profile_text(p, p->modules[module].path));
}

/*
 * The functions of the places that matter, up to so many places: those that own memory, wherever
 * they are, then others of the program.
 */
static enum hf_status page_code_choose(struct page_code_maker *m, struct hf_error *err)
{
    const struct hf_profile *p = m->options->by_address;
    uint64_t left = m->options->places;
    hf_page_lines_rank(&m->lines, m->order);
    for (size_t i = 0; left > 0 && i < m->lines.count; i++) {
        const struct hf_page_line *line = m->order[i];
        if (line->file != HF_NO_STRING || line->weight == 0)
            continue;
        uint32_t module = hf_profile_frame_at(p, line->number)->module;
        if (module == HF_NO_MODULE || !(line->is_owner || is_of_program(m, module)))
            continue;
        enum hf_status status = page_code_open(m, module, i < m->options->places, err);
        if (status != HF_OK)
            return status;
        const struct page_code_place *place = place_of_line(m, line);
        if (place == NULL || m->modules[module].files == NULL)
            continue;
        if (place->code.bytes.size != 0)
            choose_function(m, place);
        else if (line->is_owner)
            m->unbounded++;
        left--;
    }
    return HF_OK;
}

/* As the page calls it: that of the function itself, whatever was inlined. */
static void page_code_name(
    const struct hf_profile *p, const struct page_code_place *place, struct hf_out *out)
{
    size_t count;
    const uint32_t *named = hf_profile_expansion(p, &place->wanted.frame, &count);
    if (count != 0)
        hf_fold_label(p, hf_profile_frame_at(p, named[count - 1]), HF_BY_FUNCTION, out);
}

static size_t page_code_list_hot(struct page_code_maker *m, const struct page_code_place *of)
{
    const struct page_code_module *module = &m->modules[of->wanted.module];
    size_t count = 0;
    for (size_t i = module->first; i < module->first + module->count; i++) {
        const struct page_code_place *place = &m->places[i];
        if (page_code_is_same(of, place))
            m->hot[count++] = (struct hf_page_hot){.address = place->wanted.address,
                .is_return = place->is_return,
                .line = place->line};
    }
    return count;
}

static enum hf_status page_code_put(struct page_code_maker *m, const struct page_code_place *place,
    struct hf_out *out, bool *out_is_shown, struct hf_error *err)
{
    const struct hf_profile *p = m->options->by_address;
    struct hf_out name = {0};
    page_code_name(p, place, &name);
    if (place->code.bytes.size > HF_LIMIT_CODE_FUNCTION_BYTES) {
        hf_notes_add(m->notes, HF_NOTE_INFO,
            "%.*s has more than %u bytes of code (HF_LIMIT_CODE_FUNCTION_BYTES), so the page does "
            "not show its instructions",
            (int)name.size, name.data, HF_LIMIT_CODE_FUNCTION_BYTES);
        hf_out_done(&name);
        return HF_OK;
    }
    uint32_t path = p->modules[place->wanted.module].path;
    const struct hf_page_function function = {.name = hf_out_view(&name),
        .module = hf_text_basename(hf_profile_text(p, path)),
        .code = place->code,
        .hot = m->hot,
        .hot_count = page_code_list_hot(m, place)};
    const struct hf_page_function_context context = {.disassembler = m->disassembler,
        .symbols = m->options->symbols,
        .lines = &m->lines,
        .types = m->types,
        .type_count = m->options->shown->type_count,
        .files = m->modules[place->wanted.module].files};
    enum hf_status status = hf_page_function_put(&context, &function, out, out_is_shown, err);
    m->moved += status == HF_OK && !*out_is_shown;
    hf_out_done(&name);
    return status;
}

static enum hf_status page_code_put_all(
    struct page_code_maker *m, struct hf_out *out, struct hf_error *err)
{
    size_t begun = out->size, written = 0;
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && !m->is_full && i < m->function_count; i++) {
        size_t before = out->size;
        bool is_shown = false;
        hf_out_char(out, written == 0 ? '[' : ',');
        status = page_code_put(m, m->functions[i], out, &is_shown, err);
        m->is_full = out->size - begun > HF_LIMIT_CODE_BYTES;
        if (is_shown && !m->is_full)
            written++;
        else
            out->size = before;
    }
    hf_out_string(out, written != 0 ? "]" : "");
    return status;
}

/* What is missing. */
static void page_code_tell(const struct page_code_maker *m)
{
    if (m->is_full)
        hf_notes_add(m->notes, HF_NOTE_INFO,
            "the page shows the first %u bytes of instructions (HF_LIMIT_CODE_BYTES) of the places "
            "that matter; ask for fewer with --source",
            HF_LIMIT_CODE_BYTES);
    if (m->unbounded != 0)
        hf_notes_add(m->notes, HF_NOTE_INFO,
            "no instructions of %zu %s are shown: neither a symbol nor call frame information says "
            "where the function begins",
            m->unbounded, hf_plural(m->unbounded, "place", "places"));
    if (m->moved != 0)
        hf_notes_add(m->notes, HF_NOTE_INFO,
            "no instructions of %zu %s are shown: return addresses of the profile do not follow a "
            "call there, so the file is another build or was changed",
            m->moved, hf_plural(m->moved, "function", "functions"));
}

static enum hf_status page_code_make(
    struct page_code_maker *m, struct hf_out *out, struct hf_error *err)
{
    const struct hf_page_code_options *o = m->options;
    const struct hf_profile *p = o->by_address;
    for (size_t i = 0; i < o->shown->type_count; i++) {
        struct hf_text name = hf_profile_text(o->shown, o->shown->types[i].name);
        if (!hf_profile_find_type(p, name, &m->types[i]))
            m->types[i] = SIZE_MAX;
    }
    enum hf_status status =
        hf_page_lines_init(&m->lines, p, m->types[o->type], o->trie, o->owners, err);
    if (status != HF_OK)
        return status;
    m->order = (const struct hf_page_line **)hf_budget_calloc(m->lines.count + 1, sizeof *m->order);
    m->places = hf_budget_calloc(m->lines.count + 1, sizeof *m->places);
    m->hot = hf_budget_calloc(m->lines.count + 1, sizeof *m->hot);
    m->functions =
        (const struct page_code_place **)hf_budget_calloc(m->lines.count + 1, sizeof *m->functions);
    m->is_caller = hf_budget_calloc((size_t)p->frames.count + 1, sizeof *m->is_caller);
    m->modules = hf_budget_calloc(p->module_count + 1, sizeof *m->modules);
    if (m->order == NULL || m->places == NULL || m->hot == NULL || m->functions == NULL ||
        m->is_caller == NULL || m->modules == NULL)
        return hf_error_memory(err);
    m->search = (struct hf_module_search){p, o->symbols, 0, hf_live_process_of(p)};
    if (o->symbols->exe != NULL)
        m->search.main_module = hf_module_search_program(p, o->symbols->exe);
    page_code_list(m);
    status = page_code_choose(m, err);
    return status == HF_OK ? page_code_put_all(m, out, err) : status;
}

enum hf_status hf_page_code(const struct hf_page_code_options *options, struct hf_notes *notes,
    struct hf_out *out, struct hf_error *err)
{
    struct page_code_maker m = {.options = options, .notes = notes};
    struct hf_error missing;
    if (options->by_address == NULL || options->places == 0)
        return HF_OK;
    enum hf_status status = hf_disassembler_new(&m.disassembler, &missing);
    if (status == HF_ERR_SYSTEM) {
        char why[512];
        hf_error_format(&missing, why, sizeof why);
        hf_notes_add(notes, HF_NOTE_INFO, "no instructions are shown: %s", why);
        return HF_OK;
    }
    status = status == HF_OK ? page_code_make(&m, out, err) : hf_error_memory(err);
    page_code_tell(&m);
    for (size_t i = 0; m.modules != NULL && i < options->by_address->module_count; i++) {
        if (m.modules[i].files != NULL)
            hf_kept_files_put(options->symbols->kept, m.modules[i].files);
    }
    hf_disassembler_free(m.disassembler);
    hf_page_lines_done(&m.lines);
    hf_budget_free((void *)m.order);
    hf_budget_free(m.places);
    hf_budget_free(m.hot);
    hf_budget_free((void *)m.functions);
    hf_budget_free(m.is_caller);
    hf_budget_free(m.modules);
    return status;
}
