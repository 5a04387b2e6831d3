#include "formats/pprof/pprof_pool.h"

#include "base/containers/vec.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/protobuf.h"
#include "profile/fold.h"
#include "profile/modules.h"

#include <stdlib.h>

#define NO_SEGMENT SIZE_MAX

struct hf_pprof_used_mapping {
    uint32_t module;
    size_t segment; /* of the module, or NO_SEGMENT */
    bool has_functions, has_files, has_lines, has_inlines;
};

struct hf_pprof_used_function {
    uint32_t name, file; /* strings of the output */
};

/* All that is built in memory: a failure there latches. */
#define SCRATCH(pool)                                                                              \
    &(pool)->location_table, &(pool)->message, &(pool)->line, &(pool)->part, &(pool)->text

enum hf_status hf_pprof_pool_string(
    struct hf_pprof_pool *pool, struct hf_text text, uint32_t *out_string, struct hf_error *err)
{
    return hf_intern_put(&pool->strings, text.data, text.size, out_string) ? HF_OK
                                                                           : hf_error_memory(err);
}

static enum hf_status pprof_pool_add_mapping(struct hf_pprof_pool *pool, uint32_t module,
    size_t segment, uint32_t *out_mapping, struct hf_error *err)
{
    uint64_t key = (uint64_t)module << 32 | (uint32_t)(segment + 1);
    bool is_new;
    uint32_t *index = hf_map_put(&pool->mapping_index, key, (uint32_t)pool->mapping_count, &is_new);
    if (index == NULL || !hf_vec_reserve(&pool->mappings, &pool->mapping_capacity,
                             pool->mapping_count + 1, sizeof *pool->mappings))
        return hf_error_memory(err);
    *out_mapping = *index;
    if (is_new)
        pool->mappings[pool->mapping_count++] =
            (struct hf_pprof_used_mapping){.module = module, .segment = segment};
    return HF_OK;
}

/* What the kernel mapped to be run, the program first; other mappings are added when needed. */
static enum hf_status add_executable(
    struct hf_pprof_pool *pool, uint32_t module, struct hf_error *err)
{
    const struct hf_module *m = &pool->profile->modules[module];
    for (size_t i = 0; i < m->segment_count; i++) {
        uint32_t mapping;
        enum hf_status status = m->segments[i].is_executable
                                    ? pprof_pool_add_mapping(pool, module, i, &mapping, err)
                                    : HF_OK;
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

static enum hf_status add_mappings(struct hf_pprof_pool *pool, struct hf_error *err)
{
    uint32_t program = hf_modules_program(pool->profile);
    enum hf_status status = add_executable(pool, program, err);
    for (uint32_t i = 1; i < pool->profile->module_count && status == HF_OK; i++)
        status = add_executable(pool, i, err);
    return status;
}

static size_t find_segment(const struct hf_module *module, uint64_t offset)
{
    size_t found = NO_SEGMENT;
    for (size_t i = 0; i < module->segment_count; i++) {
        const struct hf_segment *s = &module->segments[i];
        if (offset < s->file_offset || offset - s->file_offset >= s->end - s->start)
            continue;
        if (s->is_executable)
            return i;
        found = found == NO_SEGMENT ? i : found;
    }
    return found;
}

static enum hf_status pprof_pool_add_function(struct hf_pprof_pool *pool, struct hf_text name,
    struct hf_text file, uint64_t *out_id, struct hf_error *err)
{
    struct hf_pprof_used_function function;
    enum hf_status status = hf_pprof_pool_string(pool, name, &function.name, err);
    if (status == HF_OK)
        status = hf_pprof_pool_string(pool, file, &function.file, err);
    if (status != HF_OK)
        return status;
    bool is_new;
    uint64_t key = (uint64_t)function.name << 32 | function.file;
    uint32_t *index =
        hf_map_put(&pool->function_index, key, (uint32_t)pool->function_count, &is_new);
    if (index == NULL || !hf_vec_reserve(&pool->functions, &pool->function_capacity,
                             pool->function_count + 1, sizeof *pool->functions))
        return hf_error_memory(err);
    *out_id = (uint64_t)*index + 1;
    if (is_new)
        pool->functions[pool->function_count++] = function;
    return HF_OK;
}

static enum hf_status pprof_pool_put_line(struct hf_pprof_pool *pool, struct hf_text name,
    struct hf_text file, uint32_t line, struct hf_error *err)
{
    uint64_t function = 0;
    enum hf_status status = pprof_pool_add_function(pool, name, file, &function, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&pool->part, HF_PPROF_LINE_FUNCTION_ID, function);
    hf_protobuf_put_u64(&pool->part, HF_PPROF_LINE_LINE, line);
    hf_protobuf_put_bytes(&pool->line, HF_PPROF_LOCATION_LINE, hf_out_view(&pool->part));
    pool->part.size = 0;
    return HF_OK;
}

/* True for an offset in a file, or an address in none: what Location.address can say. */
static bool pprof_pool_is_address(const struct hf_frame *frame)
{
    unsigned flags = frame->flags & (HF_FRAME_NAMED | HF_FRAME_HAS_OFFSET | HF_FRAME_LINKED);
    return flags == HF_FRAME_HAS_OFFSET;
}

/* The names of a frame as lines, leaf first; an address without names has none. */
static enum hf_status put_lines(struct hf_pprof_pool *pool, uint32_t frame_id,
    struct hf_pprof_used_mapping *mapping, struct hf_error *err)
{
    size_t count;
    const uint32_t *named = hf_profile_expansion(pool->profile, &frame_id, &count);
    for (size_t i = 0; i < count; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(pool->profile, named[i]);
        struct hf_text name = hf_profile_text(pool->profile, frame->name);
        struct hf_text file = hf_profile_text(pool->profile, frame->file);
        bool is_named = (frame->flags & HF_FRAME_NAMED) != 0 && name.size != 0;
        if (pprof_pool_is_address(frame))
            continue;
        if (!is_named) { /* a file, or an address of another kind: it is called as it is shown */
            pool->text.size = 0;
            hf_frame_label(pool->profile, frame, &pool->text);
            name = hf_out_view(&pool->text);
        } else if ((frame->flags & HF_FRAME_TWINS) != 0) {
            pool->text.size = 0;
            hf_frame_name(pool->profile, frame, &pool->text);
            name = hf_out_view(&pool->text);
        }
        uint32_t line =
            (frame->flags & HF_FRAME_IS_NEAR) != 0 ? 0 : frame->line; /* it has no mark */
        enum hf_status status = pprof_pool_put_line(pool, name, file, line, err);
        if (status != HF_OK)
            return status;
        mapping->has_functions = true;
        mapping->has_files = mapping->has_files || file.size != 0;
        mapping->has_lines = mapping->has_lines || line != 0;
        mapping->has_inlines = mapping->has_inlines || i != 0;
    }
    return HF_OK;
}

/*
 * Puts a Location message with what `line` holds into the table; *out_id is its id. Frames may
 * differ in what a location cannot say: they share one, as the next reader will have it.
 */
static enum hf_status put_location(struct hf_pprof_pool *pool, uint32_t mapping, uint64_t address,
    uint32_t *out_id, struct hf_error *err)
{
    uint32_t count = pool->known_locations.count, known;
    hf_protobuf_put_u64(&pool->part, HF_PPROF_LOCATION_MAPPING_ID, (uint64_t)mapping + 1);
    hf_protobuf_put_u64(&pool->part, HF_PPROF_LOCATION_ADDRESS, address);
    hf_out_text(&pool->part, hf_out_view(&pool->line));
    if (!hf_intern_put(&pool->known_locations, pool->part.data, pool->part.size, &known))
        return hf_error_memory(err);
    *out_id = known + 1;
    if (known == count) {
        hf_protobuf_put_u64(&pool->message, HF_PPROF_LOCATION_ID, *out_id);
        hf_out_text(&pool->message, hf_out_view(&pool->part));
        hf_protobuf_put_bytes(
            &pool->location_table, HF_PPROF_LOCATION, hf_out_view(&pool->message));
    }
    pool->message.size = 0;
    pool->part.size = 0;
    pool->line.size = 0;
    return HF_OK;
}

static enum hf_status pprof_pool_add_location(
    struct hf_pprof_pool *pool, uint32_t frame_id, struct hf_error *err)
{
    const struct hf_frame *frame = hf_profile_frame_at(pool->profile, frame_id);
    const struct hf_module *module = &pool->profile->modules[frame->module];
    uint64_t address = pprof_pool_is_address(frame) ? frame->offset : 0;
    size_t segment = pprof_pool_is_address(frame) && frame->module != HF_NO_MODULE
                         ? find_segment(module, frame->offset)
                         : NO_SEGMENT;
    if (segment != NO_SEGMENT)
        address = module->segments[segment].start +
                  (frame->offset - module->segments[segment].file_offset);
    uint32_t mapping = 0;
    enum hf_status status = pprof_pool_add_mapping(pool, frame->module, segment, &mapping, err);
    if (status == HF_OK)
        status = put_lines(pool, frame_id, &pool->mappings[mapping], err);
    if (status == HF_OK)
        status = put_location(pool, mapping, address, &pool->locations[frame_id], err);
    return status;
}

enum hf_status hf_pprof_pool_location(
    struct hf_pprof_pool *pool, uint32_t frame, uint32_t *out_id, struct hf_error *err)
{
    enum hf_status status =
        pool->locations[frame] == 0 ? pprof_pool_add_location(pool, frame, err) : HF_OK;
    *out_id = pool->locations[frame];
    return status;
}

static enum hf_status add_no_stack(struct hf_pprof_pool *pool, struct hf_error *err)
{
    uint32_t mapping = 0;
    enum hf_status status = pprof_pool_add_mapping(pool, HF_NO_MODULE, NO_SEGMENT, &mapping, err);
    if (status == HF_OK)
        status = pprof_pool_put_line(pool, HF_TEXT(HF_NO_STACK), HF_TEXT(""), 0, err);
    if (status == HF_OK)
        status = put_location(pool, mapping, 0, &pool->no_stack, err);
    return status;
}

enum hf_status hf_pprof_pool_no_stack(
    struct hf_pprof_pool *pool, uint32_t *out_id, struct hf_error *err)
{
    enum hf_status status = pool->no_stack == 0 ? add_no_stack(pool, err) : HF_OK;
    *out_id = pool->no_stack;
    return status;
}

static void pprof_pool_put_message(struct hf_pprof_pool *pool, struct hf_out *out, unsigned field)
{
    hf_protobuf_put_bytes(out, field, hf_out_view(&pool->message));
    pool->message.size = 0;
}

static enum hf_status put_mapping(
    struct hf_pprof_pool *pool, struct hf_out *out, size_t index, struct hf_error *err)
{
    const struct hf_pprof_used_mapping *mapping = &pool->mappings[index];
    const struct hf_module *module = &pool->profile->modules[mapping->module];
    struct hf_segment segment = {0};
    uint32_t path, build_id;
    if (mapping->segment != NO_SEGMENT)
        segment = module->segments[mapping->segment];
    pool->text.size = 0;
    hf_out_hex_bytes(&pool->text, hf_profile_text(pool->profile, module->build_id));
    enum hf_status status = hf_pprof_pool_string(pool, hf_out_view(&pool->text), &build_id, err);
    pool->text.size = 0;
    hf_out_text(&pool->text, hf_profile_text(pool->profile, module->path));
    if (module->is_deleted)
        hf_out_string(&pool->text, HF_PPROF_DELETED);
    if (status == HF_OK)
        status = hf_pprof_pool_string(pool, hf_out_view(&pool->text), &path, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_ID, index + 1);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_START, segment.start);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_LIMIT, segment.end);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_OFFSET, segment.file_offset);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_FILENAME, path);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_BUILD_ID, build_id);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_HAS_FUNCTIONS, mapping->has_functions);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_HAS_FILENAMES, mapping->has_files);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_HAS_LINE_NUMBERS, mapping->has_lines);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_MAPPING_HAS_INLINE_FRAMES, mapping->has_inlines);
    pprof_pool_put_message(pool, out, HF_PPROF_MAPPING);
    return HF_OK;
}

static void pprof_pool_put_function(struct hf_pprof_pool *pool, struct hf_out *out, size_t index)
{
    const struct hf_pprof_used_function *function = &pool->functions[index];
    hf_protobuf_put_u64(&pool->message, HF_PPROF_FUNCTION_ID, index + 1);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_FUNCTION_NAME, function->name);
    hf_protobuf_put_u64(&pool->message, HF_PPROF_FUNCTION_FILENAME, function->file);
    pprof_pool_put_message(pool, out, HF_PPROF_FUNCTION);
}

enum hf_status hf_pprof_pool_put(
    struct hf_pprof_pool *pool, struct hf_out *out, struct hf_error *err)
{
    for (size_t i = 0; i < pool->mapping_count; i++) {
        enum hf_status status = put_mapping(pool, out, i, err);
        if (status != HF_OK)
            return status;
    }
    hf_out_text(out, hf_out_view(&pool->location_table));
    for (size_t i = 0; i < pool->function_count; i++)
        pprof_pool_put_function(pool, out, i);
    const struct hf_out *const built[] = {SCRATCH(pool)};
    for (size_t i = 0; i < HF_COUNT(built); i++) {
        if (built[i]->error.status != HF_OK)
            return hf_error_memory(err);
    }
    return HF_OK;
}

void hf_pprof_pool_put_strings(const struct hf_pprof_pool *pool, struct hf_out *out)
{
    for (uint32_t i = 0; i < pool->strings.count; i++)
        hf_protobuf_put_bytes(out, HF_PPROF_STRING_TABLE, hf_intern_at(&pool->strings, i));
}

enum hf_status hf_pprof_pool_init(
    struct hf_pprof_pool *pool, const struct hf_profile *profile, struct hf_error *err)
{
    uint32_t empty;
    *pool = (struct hf_pprof_pool){.profile = profile};
    pool->locations = calloc((size_t)profile->frames.count + 1, sizeof *pool->locations);
    if (pool->locations == NULL)
        return hf_error_memory(err);
    enum hf_status status = hf_pprof_pool_string(pool, HF_TEXT(""), &empty, err);
    return status == HF_OK ? add_mappings(pool, err) : status;
}

void hf_pprof_pool_done(struct hf_pprof_pool *pool)
{
    struct hf_out *const built[] = {SCRATCH(pool)};
    for (size_t i = 0; i < HF_COUNT(built); i++)
        hf_out_done(built[i]);
    hf_intern_done(&pool->strings);
    hf_intern_done(&pool->known_locations);
    hf_map_done(&pool->mapping_index);
    hf_map_done(&pool->function_index);
    free(pool->mappings);
    free(pool->functions);
    free(pool->locations);
}
