#include "heap/graph/variables.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "heap/mapped_module.h"
#include "heap/stack_frames.h"
#include "heap/thread_variables.h"
#include "symbol/names/demangle.h"

#include <stdlib.h>
#include <string.h>

#define MODULES_SEEN 64

/* The addresses to name, and for each the name of its best symbol. */
struct variable_queries {
    uint64_t *addresses; /* sorted; as in the process */
    struct hf_text *names;
    size_t count;
};

/* Those of one module: [at, end) of all. */
struct module_queries {
    const struct variable_queries *all;
    size_t at, end;
    struct hf_symbol *found; /* from `at` on */
};

struct variables_maker {
    struct hf_variables *variables;
    const struct hf_process_image *image;
    const struct hf_symbol_options *options;
    struct hf_stack_frames frames;
    const struct hf_block_graph *graph;
    /* Roots in data; an address in the function of each frame. */
    struct variable_queries data, code;
};

/* What is to be named in one module. */
struct module_asked {
    struct module_queries data, code;
    uint64_t bias;
};

/* Gives a symbol to the addresses that it contains, if it is better than the one that they have. */
static void answer_queries(
    const struct module_queries *q, const struct hf_symbol *symbol, uint64_t start)
{
    const uint64_t *addresses = q->all->addresses;
    size_t i = q->at + hf_lower_bound_u64(addresses + q->at, q->end - q->at, start);
    for (; i < q->end && addresses[i] - start < symbol->size; i++) {
        struct hf_symbol *found = &q->found[i - q->at];
        if (found->name.size == 0 || hf_symbol_is_better(symbol, found))
            *found = *symbol;
    }
}

static void see_named(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    struct module_asked *asked = context;
    const struct module_queries *q = type == STT_OBJECT                          ? &asked->data
                                     : type == STT_FUNC || type == STT_GNU_IFUNC ? &asked->code
                                                                                 : NULL;
    (void)is_local;
    if (q != NULL)
        answer_queries(q, symbol, symbol->address + asked->bias);
}

static void see_own(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    (void)type;
    (void)is_local;
    answer_queries(context, symbol, symbol->address);
}

/* A copy of the readable name; empty if there is no memory. */
static enum hf_status copy_readable(struct hf_variables *variables, struct hf_text mangled,
    struct hf_text *out_name, struct hf_error *err)
{
    struct hf_out name = {0};
    hf_demangle(mangled, false, &name);
    enum hf_status status = hf_out_finish(&name, err);
    size_t size = name.size != 0 ? hf_text_find_string(hf_out_view(&name), "[abi:") : 0;
    char *copy = status == HF_OK ? hf_arena_copy(&variables->arena, name.data, size) : NULL;
    if (status == HF_OK && copy == NULL)
        status = hf_error_memory(err);
    *out_name = (struct hf_text){copy, copy != NULL ? size : 0};
    hf_out_done(&name);
    return status;
}

static enum hf_status add_variable(
    struct hf_variables *variables, struct hf_variable variable, struct hf_error *err)
{
    if (!hf_vec_reserve(&variables->items, &variables->capacity, variables->count + 1,
            sizeof *variables->items))
        return hf_error_memory(err);
    variables->items[variables->count++] = variable;
    return HF_OK;
}

static enum hf_status name_data(
    struct variables_maker *m, const struct module_asked *asked, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t last = 0; /* several addresses may lie in one variable */
    for (size_t i = 0; i < asked->data.end - asked->data.at && status == HF_OK; i++) {
        const struct hf_symbol *symbol = &asked->data.found[i];
        uint64_t start = symbol->address + asked->bias;
        if (symbol->name.size == 0 || start == last)
            continue;
        struct hf_variable variable = {start, start + symbol->size, {NULL, 0}};
        last = start;
        status = copy_readable(m->variables, symbol->name, &variable.name, err);
        if (status == HF_OK)
            status = add_variable(m->variables, variable, err);
    }
    return status;
}

static enum hf_status name_code(
    struct variables_maker *m, const struct module_asked *asked, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct module_queries *q = &asked->code;
    for (size_t i = q->at; i < q->end && status == HF_OK; i++) {
        if (q->found[i - q->at].name.size != 0)
            status = copy_readable(m->variables, q->found[i - q->at].name, &m->code.names[i], err);
    }
    return status;
}

/* Names from the image first, then from the debug file, which has those that are stripped. */
static enum hf_status ask_files(struct variables_maker *m, struct hf_mapped_module *module,
    struct module_asked *asked, struct hf_error *err)
{
    struct hf_error ignored; /* a table that is too large names nothing */
    struct hf_module_files *files = &module->files;
    hf_module_files_find_debug(files, m->options);
    (void)!hf_symtab_each(&files->image, see_named, asked, &ignored);
    if (files->debug.section_count != 0)
        (void)!hf_symtab_each(&files->debug, see_named, asked, &ignored);
    if (!hf_module_files_are_sound(files))
        return HF_OK;
    enum hf_status status = name_data(m, asked, err);
    return status == HF_OK ? name_code(m, asked, err) : status;
}

static enum hf_status name_module(struct variables_maker *m, const struct hf_process_mapping *first,
    struct module_asked *asked, struct hf_error *err)
{
    struct hf_mapped_module module;
    enum hf_status status = HF_OK;
    size_t data = asked->data.end - asked->data.at, code = asked->code.end - asked->code.at;
    if (data + code == 0)
        return HF_OK;
    asked->data.found = calloc(data + 1, sizeof *asked->data.found);
    asked->code.found = calloc(code + 1, sizeof *asked->code.found);
    if (asked->data.found == NULL || asked->code.found == NULL) {
        status = hf_error_memory(err);
    } else {
        if (hf_mapped_module_open(&module, m->image, first)) {
            asked->bias = module.bias;
            status = ask_files(m, &module, asked, err);
        }
        hf_mapped_module_close(&module);
    }
    free(asked->data.found);
    free(asked->code.found);
    return status;
}

/* ---- What is to be named ---- */

static enum hf_status queries_init(
    struct variable_queries *queries, size_t count, struct hf_error *err)
{
    queries->addresses = malloc((count + 1) * sizeof *queries->addresses);
    queries->names = calloc(count + 1, sizeof *queries->names);
    queries->count = count;
    bool has_memory = queries->addresses != NULL && queries->names != NULL;
    return has_memory ? HF_OK : hf_error_memory(err);
}

static void queries_sort(struct variable_queries *queries)
{
    hf_sort_u64(queries->addresses, queries->count);
    queries->count = hf_unique_u64(queries->addresses, queries->count);
}

static void queries_done(struct variable_queries *queries)
{
    free(queries->addresses);
    free(queries->names);
}

static enum hf_status ask_for_all(
    struct variables_maker *m, const struct hf_block_graph *graph, struct hf_error *err)
{
    const struct hf_root *roots = graph->roots[HF_ROOT_DATA];
    enum hf_status status = hf_stack_frames_read(&m->frames, m->image, err);
    if (status == HF_OK)
        status = queries_init(&m->data, graph->root_count[HF_ROOT_DATA], err);
    if (status == HF_OK)
        status = queries_init(&m->code, m->frames.count, err);
    if (status != HF_OK)
        return status;
    for (size_t i = 0; i < m->data.count; i++)
        m->data.addresses[i] = roots[i].address;
    for (size_t i = 0; i < m->code.count; i++)
        m->code.addresses[i] = m->frames.items[i].code;
    queries_sort(&m->data);
    queries_sort(&m->code);
    return HF_OK;
}

/* ---- What has a name ---- */

/* The queries from `at` on that lie below an address. */
static struct module_queries queries_up_to(
    const struct variable_queries *all, size_t at, uint64_t address)
{
    return (struct module_queries){.all = all,
        .at = at,
        .end = at + hf_lower_bound_u64(all->addresses + at, all->count - at, address)};
}

/* A module is what lies from the start of a file up to that of the next. */
static enum hf_status name_modules(struct variables_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_process_image *image = m->image;
    const struct hf_process_mapping *first = NULL;
    struct module_asked asked = {.data.end = 0};
    for (size_t i = 0; i <= image->count && status == HF_OK; i++) {
        const struct hf_process_mapping *next = i < image->count ? &image->mappings[i] : NULL;
        if (next != NULL && !hf_mapped_module_starts(next))
            continue;
        uint64_t end = next != NULL ? next->start : UINT64_MAX;
        asked.data = queries_up_to(&m->data, asked.data.end, end);
        asked.code = queries_up_to(&m->code, asked.code.end, end);
        if (first != NULL)
            status = name_module(m, first, &asked, err);
        first = next;
    }
    return status;
}

static enum hf_status add_frames(struct variables_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->frames.count && status == HF_OK; i++) {
        const struct hf_stack_frame *frame = &m->frames.items[i];
        size_t at = hf_lower_bound_u64(m->code.addresses, m->code.count, frame->code);
        if (m->code.names[at].size != 0)
            status = add_variable(m->variables,
                (struct hf_variable){frame->start, frame->end, m->code.names[at]}, err);
    }
    return status;
}

/* ---- Thread-local variables ---- */

/* Where the variables of the program begin in a thread's storage; false: it has none. */
static bool start_of_own(
    const struct variables_maker *m, pid_t tid, uint64_t below, uint64_t *out_start)
{
    for (size_t i = 0; i < m->image->thread_count; i++) {
        const struct hf_stopped_thread *thread = &m->image->threads[i];
        *out_start = thread->registers.fs_base - below;
        if (thread->tid == tid)
            return thread->registers.fs_base >= below;
    }
    return false;
}

/* Fills `offsets` for all roots in such storage. */
static enum hf_status ask_for_own(const struct variables_maker *m, uint64_t below,
    struct variable_queries *offsets, struct hf_error *err)
{
    const struct hf_root *roots = m->graph->roots[HF_ROOT_THREAD_LOCAL];
    size_t count = m->graph->root_count[HF_ROOT_THREAD_LOCAL];
    uint32_t holder = UINT32_MAX;
    bool has_start = false;
    uint64_t start = 0;
    enum hf_status status = queries_init(offsets, count, err);
    offsets->count = 0;
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        if (roots[i].holder != holder) {
            holder = roots[i].holder;
            has_start = start_of_own(m, m->graph->holders[holder].thread, below, &start);
        }
        if (has_start && roots[i].address - start < below)
            offsets->addresses[offsets->count++] = roots[i].address - start;
    }
    queries_sort(offsets);
    return status;
}

static enum hf_status add_own_variable(
    struct variables_maker *m, const struct hf_symbol *symbol, uint64_t below, struct hf_error *err)
{
    struct hf_variable variable;
    enum hf_status status = copy_readable(m->variables, symbol->name, &variable.name, err);
    for (size_t i = 0; i < m->image->thread_count && status == HF_OK; i++) {
        variable.start = m->image->threads[i].registers.fs_base - below + symbol->address;
        variable.end = variable.start + symbol->size;
        status = add_variable(m->variables, variable, err);
    }
    return status;
}

static enum hf_status name_own_of(
    struct variables_maker *m, struct hf_module_files *files, struct hf_error *err)
{
    struct hf_error ignored;
    struct variable_queries offsets = {0};
    uint64_t below = hf_thread_variables_below(&files->image), last = UINT64_MAX;
    enum hf_status status = ask_for_own(m, below, &offsets, err);
    struct module_queries q = {.all = &offsets, .end = offsets.count};
    q.found = status == HF_OK ? calloc(offsets.count + 1, sizeof *q.found) : NULL;
    if (status == HF_OK && q.found == NULL)
        status = hf_error_memory(err);
    if (status == HF_OK && offsets.count != 0) {
        hf_module_files_find_debug(files, m->options);
        (void)!hf_symtab_each_thread_local(&files->image, see_own, &q, &ignored);
        if (files->debug.section_count != 0)
            (void)!hf_symtab_each_thread_local(&files->debug, see_own, &q, &ignored);
    }
    bool is_sound = hf_module_files_are_sound(files);
    for (size_t i = 0; i < offsets.count && status == HF_OK && is_sound; i++) {
        if (q.found[i].name.size != 0 && q.found[i].address != last)
            status = add_own_variable(m, &q.found[i], below, err);
        last = q.found[i].address;
    }
    queries_done(&offsets);
    free(q.found);
    return status;
}

/* Names those of the program, which is mapped before its libraries, or soon behind them. */
static enum hf_status name_own(struct variables_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    bool is_done = m->graph->root_count[HF_ROOT_THREAD_LOCAL] == 0;
    for (size_t i = 0, seen = 0; i < m->image->count && seen < MODULES_SEEN && !is_done; i++) {
        struct hf_mapped_module module;
        if (!hf_mapped_module_starts(&m->image->mappings[i]))
            continue;
        seen++;
        bool is_open = hf_mapped_module_open(&module, m->image, &m->image->mappings[i]);
        is_done = is_open && hf_thread_variables_is_program(&module.files.image);
        if (is_done)
            status = name_own_of(m, &module.files, err);
        hf_mapped_module_close(&module);
    }
    return status;
}

static int by_variable_start(const void *a, const void *b)
{
    const struct hf_variable *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

enum hf_status hf_variables_read(struct hf_variables *variables,
    const struct hf_process_image *image, const struct hf_block_graph *graph,
    const struct hf_symbol_options *options, struct hf_error *err)
{
    struct variables_maker m = {
        .variables = variables, .image = image, .options = options, .graph = graph};
    *variables = (struct hf_variables){0};
    enum hf_status status = ask_for_all(&m, graph, err);
    if (status == HF_OK)
        status = name_modules(&m, err);
    if (status == HF_OK)
        status = add_frames(&m, err);
    if (status == HF_OK)
        status = name_own(&m, err);
    if (variables->count != 0) /* one may lie within another */
        qsort(variables->items, variables->count, sizeof *variables->items, by_variable_start);
    queries_done(&m.data);
    queries_done(&m.code);
    hf_stack_frames_done(&m.frames);
    return status;
}

const struct hf_variable *hf_variables_find(const struct hf_variables *variables, uint64_t address)
{
    size_t at = HF_FIRST_ABOVE(variables->items, variables->count, start, address);
    if (at == 0 || address >= variables->items[at - 1].end)
        return NULL;
    return &variables->items[at - 1];
}

void hf_variables_done(struct hf_variables *variables)
{
    free(variables->items);
    hf_arena_done(&variables->arena);
    *variables = (struct hf_variables){0};
}
