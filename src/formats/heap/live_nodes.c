/* live_nodes.c: see live_nodes.h. */
#include "formats/heap/live_nodes.h"

#include "base/budget.h"
#include "live/interpreted.h"

#include <stdlib.h>

/* A table whose stacks are named, and the profile that gets them. */
struct namer {
    const struct hf_live_snapshot *table;
    struct hf_profile *profile;
    struct hf_live_nodes *nodes;
    uint32_t *modules; /* of the table -> of the profile */
};

/*
 * The module whose file `module` is. Where a process maps a part of a file once more, as V8 does
 * with its builtins, the start of the file is not there, nor the build-id that stands in it.
 */
static size_t whole_module(const struct hf_live_module *modules, size_t count, size_t module)
{
    const struct hf_live_module *part = &modules[module];
    bool is_part = part->build_id_bytes == 0 && part->inode != 0;
    for (size_t i = 0; is_part && i < count && hf_budget_step(1); i++) {
        const struct hf_live_module *m = &modules[i];
        if (m->build_id_bytes != 0 && m->inode == part->inode && m->device == part->device &&
            m->path_bytes == part->path_bytes)
            return i;
    }
    return module;
}

static enum hf_status add_modules(struct namer *n, struct hf_error *err)
{
    size_t count = n->table->counts[HF_LIVE_MODULES];
    const struct hf_live_module *modules = hf_live_modules(n->table);
    n->modules = calloc(count + 1, sizeof *n->modules);
    if (n->modules == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        const struct hf_live_module *module = &modules[whole_module(modules, count, i)];
        struct hf_text path = hf_live_text(n->table, module->path, module->path_bytes);
        struct hf_text build_id = hf_live_text(n->table, module->build_id, module->build_id_bytes);
        enum hf_status status =
            path.size != 0 ? hf_profile_module(n->profile, path, build_id, &n->modules[i + 1], err)
                           : HF_OK;
        if (status != HF_OK)
            return status;
    }
    const struct hf_live_segment *segments = hf_live_segments(n->table);
    for (size_t i = 0; i < n->table->counts[HF_LIVE_SEGMENTS]; i++) {
        const struct hf_live_segment *from = &segments[i];
        if (from->module >= count || from->end <= from->start) {
            n->nodes->damaged++;
            continue;
        }
        struct hf_segment segment = {
            from->start, from->end, from->file_offset, from->is_executable != 0};
        enum hf_status status =
            hf_profile_add_segment(n->profile, n->modules[from->module + 1], &segment, err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

enum hf_status hf_live_add_name(
    struct hf_profile *profile, struct hf_text name, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    enum hf_status status = hf_profile_string(profile, name, &frame.name, err);
    return status == HF_OK ? hf_profile_frame(profile, &frame, out_frame, err) : status;
}

/* A line of a function of an interpreter's; false: the table does not have it. */
static bool live_find_code(
    struct namer *n, uint64_t offset, struct hf_text *out_name, struct hf_text *out_file)
{
    struct hf_live_code code;
    uint32_t at = (uint32_t)(offset >> HF_LIVE_CODE_LINE_BITS);
    struct hf_text head = hf_live_text(n->table, at, sizeof code);
    if (head.size != sizeof code)
        return false;
    memcpy(&code, head.data, sizeof code);
    *out_name = hf_live_text(n->table, at + (uint32_t)sizeof code, code.name_bytes);
    *out_file = hf_live_text(n->table, code.file, code.file_bytes);
    return out_name->size != 0;
}

static enum hf_status live_add_code(struct namer *n, uint32_t line, struct hf_text name,
    struct hf_text file, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.line = line, .flags = HF_FRAME_NAMED};
    enum hf_status status = hf_profile_string(n->profile, name, &frame.name, err);
    if (status == HF_OK)
        status = hf_profile_string(n->profile, file, &frame.file, err);
    return status == HF_OK ? hf_profile_frame(n->profile, &frame, out_frame, err) : status;
}

static enum hf_status live_add_frame(
    struct namer *n, uint64_t packed, uint32_t *out_frame, struct hf_error *err)
{
    uint32_t module = hf_live_frame_module(packed);
    struct hf_frame frame = {.offset = hf_live_frame_offset(packed), .flags = HF_FRAME_HAS_OFFSET};
    struct hf_text function, file;
    if (module == HF_LIVE_CODE && n->table->head.minor >= 5 &&
        live_find_code(n, frame.offset, &function, &file))
        return live_add_code(
            n, frame.offset & HF_LIVE_CODE_LINE_MAX, function, file, out_frame, err);
    if (module == HF_LIVE_NAME && n->table->head.minor >= 1) {
        struct hf_text name =
            hf_live_text(n->table, (uint32_t)(frame.offset >> 16), frame.offset & 0xffff);
        if (name.size != 0)
            return hf_live_add_name(n->profile, name, out_frame, err);
    }
    if (module <= n->table->counts[HF_LIVE_MODULES])
        frame.module = n->modules[module];
    else
        n->nodes->damaged++;
    return hf_profile_frame(n->profile, &frame, out_frame, err);
}

/* Makes the node of one stack, outermost frame first. */
static enum hf_status live_add_stack(
    struct namer *n, const struct hf_live_stack *stack, uint32_t *out_node, struct hf_error *err)
{
    size_t count;
    const uint64_t *frames = hf_live_stack_frames(n->table, stack, &count);
    *out_node = HF_STACK_ROOT;
    for (size_t i = count; i-- != 0;) {
        uint32_t frame;
        enum hf_status status = live_add_frame(n, frames[i], &frame, err);
        if (status == HF_OK)
            status = hf_stacktree_child(&n->profile->stacks, *out_node, frame, out_node, err);
        if (status != HF_OK)
            return status;
    }
    if (count == 0)
        n->nodes->damaged++;
    return HF_OK;
}

enum hf_status hf_live_nodes_add(struct hf_live_nodes *nodes, const struct hf_live_snapshot *table,
    struct hf_profile *profile, struct hf_error *err)
{
    struct namer n = {.table = table, .profile = profile, .nodes = nodes};
    size_t count = table->counts[HF_LIVE_STACKS];
    const struct hf_live_stack *stacks = hf_live_stacks(table);
    nodes->of = calloc(count + 1, sizeof *nodes->of);
    enum hf_status status = nodes->of != NULL ? add_modules(&n, err) : hf_error_memory(err);
    for (size_t i = 0; i < count && status == HF_OK; i++)
        status = live_add_stack(&n, &stacks[i], &nodes->of[i], err);
    free(n.modules);
    return status;
}

void hf_live_nodes_done(struct hf_live_nodes *nodes)
{
    free(nodes->of);
    *nodes = (struct hf_live_nodes){0};
}
