#include "heap/variables.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "symbol/lookup/module_files.h"
#include "symbol/names/demangle.h"

#include <stdlib.h>
#include <string.h>

/* The addresses of one module that are asked for, and what was found for them. */
struct variable_queries {
    const uint64_t *addresses; /* sorted; of the process */
    size_t count;
    uint64_t bias; /* of the process, less that of the file */
    struct hf_symbol *found;
};

static void see_variable(
    void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    struct variable_queries *q = context;
    (void)is_local;
    if (type != STT_OBJECT || symbol->size == 0)
        return;
    uint64_t start = symbol->address + q->bias;
    for (size_t i = hf_lower_bound_u64(q->addresses, q->count, start);
         i < q->count && q->addresses[i] - start < symbol->size; i++) {
        struct hf_symbol *found = &q->found[i];
        if (found->name.size == 0 || hf_symbol_is_better(symbol, found))
            *found = *symbol;
    }
}

static enum hf_status add_variable(struct hf_variables *variables, const struct hf_symbol *symbol,
    uint64_t start, struct hf_error *err)
{
    struct hf_out name = {0};
    struct hf_variable *last =
        variables->count != 0 ? &variables->items[variables->count - 1] : NULL;
    if (last != NULL && last->start == start)
        return HF_OK;
    hf_demangle(symbol->name, false, &name);
    enum hf_status status = hf_out_finish(&name, err);
    size_t size = name.size != 0 ? hf_text_find_string(hf_out_view(&name), "[abi:") : 0;
    char *copy = status == HF_OK ? hf_arena_copy(&variables->arena, name.data, size) : NULL;
    if (status == HF_OK && (copy == NULL || !hf_vec_reserve(&variables->items, &variables->capacity,
                                                variables->count + 1, sizeof *variables->items)))
        status = hf_error_memory(err);
    if (status == HF_OK)
        variables->items[variables->count++] =
            (struct hf_variable){start, start + symbol->size, {copy, size}};
    hf_out_done(&name);
    return status;
}

/* Names from the image first, then from the debug file, which has those that are stripped. */
static enum hf_status ask_files(struct hf_variables *variables, struct hf_module_files *files,
    const struct hf_symbol_options *options, struct variable_queries *q, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    struct hf_error ignored; /* a table that is too large names nothing */
    hf_module_files_find_debug(files, options);
    (void)!hf_symtab_each(&files->image, see_variable, q, &ignored);
    if (files->debug.section_count != 0)
        (void)!hf_symtab_each(&files->debug, see_variable, q, &ignored);
    if (!hf_module_files_are_sound(files))
        return HF_OK;
    for (size_t i = 0; i < q->count && status == HF_OK; i++) {
        if (q->found[i].name.size != 0)
            status = add_variable(variables, &q->found[i], q->found[i].address + q->bias, err);
    }
    return status;
}

/* The parts of the file that are mapped at `first` and behind: true if they are of this file. */
static bool module_is_of(const struct hf_process_image *image,
    const struct hf_process_mapping *first, struct hf_module_files *files)
{
    struct hf_segment segments[16];
    struct hf_module module = {.segments = segments};
    const struct hf_process_mapping *end = image->mappings + image->count;
    for (const struct hf_process_mapping *m = first; m < end && module.segment_count < 16; m++) {
        if (m->inode == first->inode && m->device == first->device)
            segments[module.segment_count++] =
                (struct hf_segment){m->start, m->end, m->file_offset, m->is_executable};
        else if (m->inode != 0)
            break;
    }
    return files->image_map.stamp.inode == first->inode && hf_module_files_fit(files, &module);
}

static enum hf_status name_module(struct hf_variables *variables,
    const struct hf_process_image *image, const struct hf_process_mapping *first,
    const struct hf_symbol_options *options, struct variable_queries *q, struct hf_error *err)
{
    struct hf_module_files files;
    uint64_t linked;
    enum hf_status status = HF_OK;
    if (q->count == 0)
        return HF_OK;
    q->found = calloc(q->count, sizeof *q->found);
    if (q->found == NULL)
        return hf_error_memory(err);
    if (hf_module_files_open(&files, first->path) && module_is_of(image, first, &files) &&
        hf_elf_address_of_offset(&files.image, 0, &linked)) {
        q->bias = first->start - linked;
        status = ask_files(variables, &files, options, q, err);
    }
    hf_module_files_close(&files);
    free(q->found);
    return status;
}

/* All addresses of roots in data, sorted. */
static uint64_t *root_addresses(const struct hf_block_graph *graph, size_t *out_count)
{
    size_t count = graph->root_count[HF_ROOT_DATA];
    uint64_t *addresses = malloc((count + 1) * sizeof *addresses);
    if (addresses == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        addresses[i] = graph->roots[HF_ROOT_DATA][i].address;
    hf_sort_u64(addresses, count);
    *out_count = hf_unique_u64(addresses, count);
    return addresses;
}

static int by_variable_start(const void *a, const void *b)
{
    const struct hf_variable *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/* A module is what lies from the start of a file up to that of the next. */
enum hf_status hf_variables_read(struct hf_variables *variables,
    const struct hf_process_image *image, const struct hf_block_graph *graph,
    const struct hf_symbol_options *options, struct hf_error *err)
{
    size_t count = 0;
    *variables = (struct hf_variables){0};
    uint64_t *addresses = root_addresses(graph, &count);
    enum hf_status status = addresses != NULL ? HF_OK : hf_error_memory(err);
    const struct hf_process_mapping *first = NULL;
    for (size_t i = 0, at = 0; i <= image->count && status == HF_OK; i++) {
        const struct hf_process_mapping *next = &image->mappings[i];
        bool is_end = i == image->count;
        if (!is_end && (next->inode == 0 || next->file_offset != 0))
            continue;
        size_t end = is_end ? count : hf_lower_bound_u64(addresses, count, next->start);
        struct variable_queries q = {.addresses = addresses + at, .count = end - at};
        if (first != NULL)
            status = name_module(variables, image, first, options, &q, err);
        first = next;
        at = end;
    }
    free(addresses);
    if (variables->count != 0) /* one may lie within another */
        qsort(variables->items, variables->count, sizeof *variables->items, by_variable_start);
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
