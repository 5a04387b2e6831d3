/*
 * pprof_write.c: a profile as profile.proto (pprof.h), in the order in which others write it.
 *
 * Heap values come in the order alloc_objects, alloc_space, inuse_objects, inuse_space, counts with
 * the unit "count", whatever the profile calls it; a difference is signed. Each address becomes a
 * location with the lines of its names; a named frame a location without address. Every location
 * has an id and a mapping, every sample a stack: others crash on less. mapping[0] is the program.
 * The values of a stack are those of the process: its threads' samples, and one without label for
 * the rest.
 */
#include "base/vec.h"
#include "compress/gzip.h"
#include "formats/pprof.h"
#include "formats/protobuf.h"
#include "formats/writers.h"
#include "profile/fold.h"
#include "profile/modules.h"

#include <inttypes.h>
#include <stdlib.h>

#define NO_SEGMENT SIZE_MAX
#define NO_SAMPLE UINT32_MAX

struct mapping {
    uint32_t module;
    size_t segment; /* of the module, or NO_SEGMENT */
    bool has_functions, has_files, has_lines, has_inlines;
};

struct function {
    uint32_t name, file; /* strings of the output */
};

struct writer {
    const struct hf_profile *profile;
    struct hf_notes *notes;
    struct hf_out *out;
    size_t columns[HF_VALUE_TYPES_MAX]; /* in the order of the output */
    struct hf_intern strings;
    struct mapping *mappings;
    size_t mapping_count, mapping_capacity;
    struct hf_map mapping_index; /* (module << 32 | segment + 1) -> mapping */
    struct function *functions;
    size_t function_count, function_capacity;
    struct hf_map function_index; /* (name << 32 | file) -> function */
    uint32_t *locations;          /* by frame: id of its location, 0 if it has none yet */
    uint32_t location_count, no_stack;
    struct hf_out location_table;                                   /* Location messages */
    struct hf_out message, line, part, sample, stack, values, text; /* scratch */
    uint32_t *first_samples, *next_samples; /* by node, by sample: those of its threads */
    uint64_t clamped_stacks, clamped_values;
};

/* All that is built in memory: a failure there latches. */
#define SCRATCH(w)                                                                                 \
    &(w)->location_table, &(w)->message, &(w)->line, &(w)->part, &(w)->sample, &(w)->stack,        \
        &(w)->values, &(w)->text

static void writer_done(struct writer *w)
{
    struct hf_out *const outs[] = {SCRATCH(w)};
    for (size_t i = 0; i < HF_COUNT(outs); i++)
        hf_out_done(outs[i]);
    hf_intern_done(&w->strings);
    hf_map_done(&w->mapping_index);
    hf_map_done(&w->function_index);
    free(w->mappings);
    free(w->functions);
    free(w->locations);
    free(w->first_samples);
    free(w->next_samples);
}

static enum hf_status intern(
    struct writer *w, struct hf_text text, uint32_t *out_string, struct hf_error *err)
{
    return hf_intern_put(&w->strings, text.data, text.size, out_string) ? HF_OK
                                                                        : hf_error_memory(err);
}

static void put_message(struct writer *w, unsigned field, struct hf_out *message)
{
    hf_protobuf_put_bytes(w->out, field, hf_out_view(message));
    message->size = 0;
}

static enum hf_status add_mapping(
    struct writer *w, uint32_t module, size_t segment, uint32_t *out_mapping, struct hf_error *err)
{
    uint64_t key = (uint64_t)module << 32 | (uint32_t)(segment + 1);
    bool is_new;
    uint32_t *index = hf_map_put(&w->mapping_index, key, (uint32_t)w->mapping_count, &is_new);
    if (index == NULL || !hf_vec_reserve(&w->mappings, &w->mapping_capacity, w->mapping_count + 1,
                             sizeof *w->mappings))
        return hf_error_memory(err);
    *out_mapping = *index;
    if (is_new)
        w->mappings[w->mapping_count++] = (struct mapping){.module = module, .segment = segment};
    return HF_OK;
}

/* What the kernel mapped to be run, the program first; other mappings are added when needed. */
static enum hf_status add_executable(struct writer *w, uint32_t module, struct hf_error *err)
{
    const struct hf_module *m = &w->profile->modules[module];
    for (size_t i = 0; i < m->segment_count; i++) {
        uint32_t mapping;
        enum hf_status status =
            m->segments[i].is_executable ? add_mapping(w, module, i, &mapping, err) : HF_OK;
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

static enum hf_status add_mappings(struct writer *w, struct hf_error *err)
{
    uint32_t program = hf_modules_program(w->profile);
    enum hf_status status = add_executable(w, program, err);
    for (uint32_t i = 1; i < w->profile->module_count && status == HF_OK; i++)
        status = add_executable(w, i, err);
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

static enum hf_status add_function(struct writer *w, struct hf_text name, struct hf_text file,
    uint64_t *out_id, struct hf_error *err)
{
    struct function function;
    enum hf_status status = intern(w, name, &function.name, err);
    if (status == HF_OK)
        status = intern(w, file, &function.file, err);
    if (status != HF_OK)
        return status;
    bool is_new;
    uint64_t key = (uint64_t)function.name << 32 | function.file;
    uint32_t *index = hf_map_put(&w->function_index, key, (uint32_t)w->function_count, &is_new);
    if (index == NULL || !hf_vec_reserve(&w->functions, &w->function_capacity,
                             w->function_count + 1, sizeof *w->functions))
        return hf_error_memory(err);
    *out_id = (uint64_t)*index + 1;
    if (is_new)
        w->functions[w->function_count++] = function;
    return HF_OK;
}

static enum hf_status put_line(
    struct writer *w, struct hf_text name, struct hf_text file, uint32_t line, struct hf_error *err)
{
    uint64_t function = 0;
    enum hf_status status = add_function(w, name, file, &function, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&w->part, HF_PPROF_LINE_FUNCTION_ID, function);
    hf_protobuf_put_u64(&w->part, HF_PPROF_LINE_LINE, line);
    hf_protobuf_put_bytes(&w->line, HF_PPROF_LOCATION_LINE, hf_out_view(&w->part));
    w->part.size = 0;
    return HF_OK;
}

/* True for an offset in a file, or an address in none: what Location.address can say. */
static bool is_address(const struct hf_frame *frame)
{
    unsigned flags = frame->flags & (HF_FRAME_NAMED | HF_FRAME_HAS_OFFSET | HF_FRAME_LINKED);
    return flags == HF_FRAME_HAS_OFFSET;
}

/* The names of a frame as lines, leaf first; an address without names has none. */
static enum hf_status put_lines(
    struct writer *w, uint32_t frame_id, struct mapping *mapping, struct hf_error *err)
{
    size_t count;
    const uint32_t *named = hf_profile_expansion(w->profile, &frame_id, &count);
    for (size_t i = 0; i < count; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(w->profile, named[i]);
        struct hf_text name = hf_profile_text(w->profile, frame->name);
        struct hf_text file = hf_profile_text(w->profile, frame->file);
        bool is_named = (frame->flags & HF_FRAME_NAMED) != 0 && name.size != 0;
        if (is_address(frame))
            continue;
        if (!is_named) { /* a file, or an address of another kind: it is called as it is shown */
            w->text.size = 0;
            hf_frame_label(w->profile, frame, &w->text);
            name = hf_out_view(&w->text);
        }
        enum hf_status status = put_line(w, name, file, frame->line, err);
        if (status != HF_OK)
            return status;
        mapping->has_functions = true;
        mapping->has_files = mapping->has_files || file.size != 0;
        mapping->has_lines = mapping->has_lines || frame->line != 0;
        mapping->has_inlines = mapping->has_inlines || i != 0;
    }
    return HF_OK;
}

/* Puts a Location message with what `line` holds into the table; *out_id is its id. */
static void put_location(struct writer *w, uint32_t mapping, uint64_t address, uint32_t *out_id)
{
    *out_id = ++w->location_count;
    hf_protobuf_put_u64(&w->message, HF_PPROF_LOCATION_ID, *out_id);
    hf_protobuf_put_u64(&w->message, HF_PPROF_LOCATION_MAPPING_ID, (uint64_t)mapping + 1);
    hf_protobuf_put_u64(&w->message, HF_PPROF_LOCATION_ADDRESS, address);
    hf_out_text(&w->message, hf_out_view(&w->line));
    hf_protobuf_put_bytes(&w->location_table, HF_PPROF_LOCATION, hf_out_view(&w->message));
    w->message.size = 0;
    w->line.size = 0;
}

static enum hf_status add_location(struct writer *w, uint32_t frame_id, struct hf_error *err)
{
    const struct hf_frame *frame = hf_profile_frame_at(w->profile, frame_id);
    const struct hf_module *module = &w->profile->modules[frame->module];
    uint64_t address = is_address(frame) ? frame->offset : 0;
    size_t segment = is_address(frame) && frame->module != HF_NO_MODULE
                         ? find_segment(module, frame->offset)
                         : NO_SEGMENT;
    if (segment != NO_SEGMENT)
        address = module->segments[segment].start +
                  (frame->offset - module->segments[segment].file_offset);
    uint32_t mapping = 0;
    enum hf_status status = add_mapping(w, frame->module, segment, &mapping, err);
    if (status == HF_OK)
        status = put_lines(w, frame_id, &w->mappings[mapping], err);
    if (status == HF_OK)
        put_location(w, mapping, address, &w->locations[frame_id]);
    return status;
}

/* A stack without frames would vanish in others' hands. */
static enum hf_status add_no_stack(struct writer *w, struct hf_error *err)
{
    uint32_t mapping = 0;
    enum hf_status status = add_mapping(w, HF_NO_MODULE, NO_SEGMENT, &mapping, err);
    if (status == HF_OK)
        status = put_line(w, HF_TEXT(HF_NO_STACK), HF_TEXT(""), 0, err);
    if (status == HF_OK)
        put_location(w, mapping, 0, &w->no_stack);
    return status;
}

static enum hf_status put_stack(struct writer *w, uint32_t node, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (node == HF_STACK_ROOT) {
        status = w->no_stack == 0 ? add_no_stack(w, err) : HF_OK;
        hf_protobuf_put_varint(&w->stack, w->no_stack);
    }
    for (; node != HF_STACK_ROOT && status == HF_OK; node = w->profile->stacks.nodes[node].parent) {
        uint32_t frame = w->profile->stacks.nodes[node].frame;
        if (w->locations[frame] == 0)
            status = add_location(w, frame, err);
        hf_protobuf_put_varint(&w->stack, w->locations[frame]);
    }
    hf_protobuf_put_bytes(&w->sample, HF_PPROF_SAMPLE_LOCATION_ID, hf_out_view(&w->stack));
    w->stack.size = 0;
    return status;
}

/* grew - released, as a signed number of 64 bits. */
static uint64_t signed_value(struct writer *w, uint64_t grew, uint64_t released)
{
    bool is_negative = released > grew;
    uint64_t size = is_negative ? released - grew : grew - released;
    if (size > INT64_MAX) {
        w->clamped_values++;
        size = INT64_MAX;
    }
    return is_negative ? 0 - size : size;
}

static enum hf_status put_label(
    struct writer *w, struct hf_text key, struct hf_text text, struct hf_error *err)
{
    uint32_t key_string, text_string;
    enum hf_status status = intern(w, key, &key_string, err);
    if (status == HF_OK)
        status = intern(w, text, &text_string, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&w->part, HF_PPROF_LABEL_KEY, key_string);
    hf_protobuf_put_u64(&w->part, HF_PPROF_LABEL_STR, text_string);
    hf_protobuf_put_bytes(&w->sample, HF_PPROF_SAMPLE_LABEL, hf_out_view(&w->part));
    w->part.size = 0;
    return HF_OK;
}

/* The number as text: a label of number 0 is no label to Go, and most show texts only. */
static enum hf_status put_thread(struct writer *w, uint32_t thread, struct hf_error *err)
{
    const struct hf_thread *t = &w->profile->threads[thread];
    struct hf_text name = hf_profile_text(w->profile, t->name);
    w->text.size = 0;
    hf_out_u64(&w->text, t->uid);
    enum hf_status status = put_label(w, HF_TEXT("thread_id"), hf_out_view(&w->text), err);
    if (status == HF_OK && name.size != 0)
        status = put_label(w, HF_TEXT("thread"), name, err);
    return status;
}

/* One Sample message, unless all its values are 0. */
static enum hf_status put_sample(
    struct writer *w, uint32_t node, uint32_t thread, const uint64_t *row, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    bool is_zero = true;
    for (size_t i = 0; i < p->type_count; i++) {
        size_t type = w->columns[i];
        uint64_t released = p->is_difference ? row[p->type_count + type] : 0;
        uint64_t value = signed_value(w, row[type], released);
        is_zero = is_zero && value == 0;
        hf_protobuf_put_varint(&w->values, value);
    }
    enum hf_status status = is_zero ? HF_OK : put_stack(w, node, err);
    hf_protobuf_put_bytes(&w->sample, HF_PPROF_SAMPLE_VALUE, hf_out_view(&w->values));
    w->values.size = 0;
    if (status == HF_OK && thread != HF_THREAD_ALL)
        status = put_thread(w, thread, err);
    if (!is_zero)
        hf_protobuf_put_bytes(w->out, HF_PPROF_SAMPLE, hf_out_view(&w->sample));
    w->sample.size = 0;
    return status;
}

/* Chains the samples of threads to their stacks. */
static enum hf_status chain_samples(struct writer *w, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    w->first_samples = reallocarray(NULL, p->stacks.count, sizeof *w->first_samples);
    w->next_samples = reallocarray(NULL, p->sample_count + 1, sizeof *w->next_samples);
    if (w->first_samples == NULL || w->next_samples == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < p->stacks.count; i++)
        w->first_samples[i] = NO_SAMPLE;
    for (size_t i = p->sample_count; i-- != 0;) {
        if (p->samples[i].thread == HF_THREAD_ALL)
            continue;
        w->next_samples[i] = w->first_samples[p->samples[i].node];
        w->first_samples[p->samples[i].node] = (uint32_t)i;
    }
    return HF_OK;
}

/*
 * The samples of one stack. Estimates of threads are rounded, and corrected, each by itself: where
 * they add up to more than the process has, the last are written smaller.
 */
static enum hf_status put_samples_of(struct writer *w, size_t sample, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    size_t stride = hf_profile_stride(p);
    uint32_t node = p->samples[sample].node;
    uint64_t rest[2 * HF_VALUE_TYPES_MAX], row[2 * HF_VALUE_TYPES_MAX];
    memcpy(rest, hf_profile_values(p, sample), stride * sizeof rest[0]);
    bool is_clamped = false;
    enum hf_status status = HF_OK;
    for (uint32_t i = w->first_samples[node]; i != NO_SAMPLE && status == HF_OK;
         i = w->next_samples[i]) {
        const uint64_t *values = hf_profile_values(p, i);
        for (size_t v = 0; v < stride; v++) {
            row[v] = values[v] < rest[v] ? values[v] : rest[v];
            is_clamped = is_clamped || row[v] != values[v];
            rest[v] -= row[v];
        }
        status = put_sample(w, node, p->samples[i].thread, row, err);
    }
    w->clamped_stacks += is_clamped;
    return status == HF_OK ? put_sample(w, node, HF_THREAD_ALL, rest, err) : status;
}

static enum hf_status put_samples(struct writer *w, struct hf_error *err)
{
    enum hf_status status = chain_samples(w, err);
    for (size_t i = 0; i < w->profile->sample_count && status == HF_OK; i++) {
        if (w->profile->samples[i].thread == HF_THREAD_ALL)
            status = put_samples_of(w, i, err);
    }
    return status;
}

/* The order of Go's heap profiles, then what other kinds there are. */
static void order_types(struct writer *w)
{
    static const char *const first[] = {
        "alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};
    bool is_taken[HF_VALUE_TYPES_MAX] = {false};
    size_t count = 0, type;
    for (size_t i = 0; i < HF_COUNT(first); i++) {
        if (!hf_profile_find_type(w->profile, hf_text_of(first[i]), &type) || is_taken[type])
            continue;
        is_taken[type] = true;
        w->columns[count++] = type;
    }
    for (size_t i = 0; i < w->profile->type_count; i++) {
        if (!is_taken[i])
            w->columns[count++] = i;
    }
}

static enum hf_status put_value_type(struct writer *w, unsigned field, struct hf_text name,
    struct hf_text unit, struct hf_error *err)
{
    uint32_t name_string, unit_string;
    enum hf_status status = intern(w, name, &name_string, err);
    if (status == HF_OK)
        status =
            intern(w, hf_text_is(unit, "objects") ? HF_TEXT("count") : unit, &unit_string, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&w->message, HF_PPROF_TYPE_TYPE, name_string);
    hf_protobuf_put_u64(&w->message, HF_PPROF_TYPE_UNIT, unit_string);
    put_message(w, field, &w->message);
    return HF_OK;
}

static enum hf_status put_types(struct writer *w, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < p->type_count && status == HF_OK; i++) {
        const struct hf_value_type *type = &p->types[w->columns[i]];
        status = put_value_type(w, HF_PPROF_SAMPLE_TYPE, hf_profile_text(p, type->name),
            hf_profile_text(p, type->unit), err);
    }
    return status;
}

static enum hf_status put_mapping(struct writer *w, size_t index, struct hf_error *err)
{
    const struct mapping *mapping = &w->mappings[index];
    const struct hf_module *module = &w->profile->modules[mapping->module];
    struct hf_segment segment = {0};
    uint32_t path, build_id;
    if (mapping->segment != NO_SEGMENT)
        segment = module->segments[mapping->segment];
    w->text.size = 0;
    struct hf_text id = hf_profile_text(w->profile, module->build_id);
    for (size_t i = 0; i < id.size; i++)
        hf_out_printf(&w->text, "%02x", (unsigned)(uint8_t)id.data[i]);
    enum hf_status status = intern(w, hf_out_view(&w->text), &build_id, err);
    w->text.size = 0;
    hf_out_text(&w->text, hf_profile_text(w->profile, module->path));
    if (module->is_deleted)
        hf_out_string(&w->text, HF_PPROF_DELETED);
    if (status == HF_OK)
        status = intern(w, hf_out_view(&w->text), &path, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_ID, index + 1);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_START, segment.start);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_LIMIT, segment.end);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_OFFSET, segment.file_offset);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_FILENAME, path);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_BUILD_ID, build_id);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_HAS_FUNCTIONS, mapping->has_functions);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_HAS_FILENAMES, mapping->has_files);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_HAS_LINE_NUMBERS, mapping->has_lines);
    hf_protobuf_put_u64(&w->message, HF_PPROF_MAPPING_HAS_INLINE_FRAMES, mapping->has_inlines);
    put_message(w, HF_PPROF_MAPPING, &w->message);
    return HF_OK;
}

static void put_function(struct writer *w, size_t index)
{
    const struct function *function = &w->functions[index];
    hf_protobuf_put_u64(&w->message, HF_PPROF_FUNCTION_ID, index + 1);
    hf_protobuf_put_u64(&w->message, HF_PPROF_FUNCTION_NAME, function->name);
    hf_protobuf_put_u64(&w->message, HF_PPROF_FUNCTION_FILENAME, function->file);
    put_message(w, HF_PPROF_FUNCTION, &w->message);
}

/* What the samples refer to, and what is said of them all. */
static enum hf_status put_tables(struct writer *w, size_t type, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    uint32_t default_type;
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < w->mapping_count && status == HF_OK; i++)
        status = put_mapping(w, i, err);
    if (status != HF_OK)
        return status;
    hf_out_text(w->out, hf_out_view(&w->location_table));
    for (size_t i = 0; i < w->function_count; i++)
        put_function(w, i);
    if (p->period_bytes != 0) {
        status = put_value_type(w, HF_PPROF_PERIOD_TYPE, HF_TEXT("space"), HF_TEXT("bytes"), err);
        hf_protobuf_put_u64(w->out, HF_PPROF_PERIOD, p->period_bytes);
    }
    if (status == HF_OK)
        status = intern(w, hf_profile_text(p, p->types[type].name), &default_type, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(w->out, HF_PPROF_DEFAULT_SAMPLE_TYPE, default_type);
    for (uint32_t i = 0; i < w->strings.count; i++)
        hf_protobuf_put_bytes(w->out, HF_PPROF_STRING_TABLE, hf_intern_at(&w->strings, i));
    return HF_OK;
}

static void add_notes(const struct writer *w)
{
    if (w->clamped_values != 0)
        hf_notes_add(w->notes, HF_NOTE_LOSS,
            "%" PRIu64 " values are beyond 2^63-1, which pprof cannot hold; they are written as it",
            w->clamped_values);
    if (w->clamped_stacks != 0)
        hf_notes_add(w->notes, HF_NOTE_INFO,
            "of %" PRIu64 " stacks the threads' estimates add up to more than the process has; "
            "some of them are written smaller",
            w->clamped_stacks);
}

static enum hf_status write_all(struct writer *w, size_t type, struct hf_error *err)
{
    uint32_t empty;
    w->locations = calloc((size_t)w->profile->frames.count + 1, sizeof *w->locations);
    if (w->locations == NULL)
        return hf_error_memory(err);
    order_types(w);
    enum hf_status status = intern(w, HF_TEXT(""), &empty, err);
    if (status == HF_OK)
        status = put_types(w, err);
    if (status == HF_OK)
        status = add_mappings(w, err);
    if (status == HF_OK)
        status = put_samples(w, err);
    if (status == HF_OK)
        status = put_tables(w, type, err);
    return status;
}

static bool has_failed(const struct writer *w)
{
    const struct hf_out *const outs[] = {SCRATCH(w)};
    bool failed = false;
    for (size_t i = 0; i < HF_COUNT(outs); i++)
        failed = failed || outs[i]->error.status != HF_OK;
    return failed;
}

static enum hf_status write_plain(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    struct writer w = {.profile = profile, .notes = notes, .out = out};
    enum hf_status status = write_all(&w, type, err);
    if (status == HF_OK && has_failed(&w))
        status = hf_error_memory(err);
    if (status == HF_OK)
        add_notes(&w);
    writer_done(&w);
    return status;
}

static enum hf_status write_gzip(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    struct hf_gzip *gzip;
    enum hf_status status = hf_gzip_open(&gzip, out, err);
    if (status != HF_OK)
        return status;
    status = write_plain(profile, type, notes, hf_gzip_out(gzip), err);
    if (status == HF_OK)
        status = hf_gzip_finish(gzip, err);
    hf_gzip_close(gzip);
    return status;
}

const struct hf_writer hf_writer_pprof = {
    .name = "pprof",
    .what = "profile.proto, compressed",
    .endings = {".pb.gz", ".pprof"},
    .is_binary = true,
    .write = write_gzip,
};

const struct hf_writer hf_writer_pb = {
    .name = "pb",
    .what = "profile.proto, not compressed",
    .endings = {".pb"},
    .is_binary = true,
    .write = write_plain,
};
