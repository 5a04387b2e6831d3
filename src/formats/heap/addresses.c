#include "formats/heap/addresses.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/skipped_lines.h"
#include "profile/samples.h"

#include <stdlib.h>

#define MAPS_HEADING "MAPPED_LIBRARIES:"
#define COOKED_HEADING "--- Memory map:"
#define BUILD "$build"

void hf_addresses_done(struct hf_addresses *a)
{
    hf_map_done(&a->frames);
    free(a->by_frame);
    free(a->stack);
    hf_maps_done(&a->maps);
    hf_out_done(&a->build);
    hf_out_done(&a->line);
    *a = (struct hf_addresses){0};
}

bool hf_addresses_next(
    struct hf_addresses *a, struct hf_text *out_line, enum hf_status *status, struct hf_error *err)
{
    if (!hf_input_next(a->input, out_line, status, err))
        return false;
    if (!a->input->last_line_is_cut)
        return true;
    hf_skipped_cut_line(a->input, a->profile);
    return false;
}

enum hf_status hf_addresses_raw_frame(
    struct hf_profile *profile, uint64_t address, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {
        .offset = address != 0 ? address - 1 : 0, .flags = HF_FRAME_HAS_OFFSET};
    return hf_profile_frame(profile, &frame, out_frame, err);
}

static enum hf_status addresses_frame_of(
    struct hf_addresses *a, uint64_t address, uint32_t *out_frame, struct hf_error *err)
{
    uint32_t *known = hf_map_find(&a->frames, address);
    if (known != NULL) {
        *out_frame = *known;
        return HF_OK;
    }
    enum hf_status status = hf_addresses_raw_frame(a->profile, address, out_frame, err);
    if (status != HF_OK)
        return status;
    if (!hf_vec_reserve(
            &a->by_frame, &a->frame_capacity, (size_t)*out_frame + 1, sizeof *a->by_frame) ||
        hf_map_put(&a->frames, address, *out_frame, NULL) == NULL)
        return hf_error_memory(err);
    a->by_frame[*out_frame] = address;
    return HF_OK;
}

/* Takes " 0x1f2e" off the front of `rest`. */
static bool addresses_take_address(struct hf_text *rest, uint64_t *out_address)
{
    if (!hf_text_starts(*rest, " 0x"))
        return false;
    *rest = hf_text_from(*rest, 3);
    return hf_num_take_hex(rest, out_address) && (rest->size == 0 || rest->data[0] == ' ');
}

/* Reads the addresses of a stack. *out_is_sound is false if `text` has another form. */
static enum hf_status take_stack(
    struct hf_addresses *a, struct hf_text text, bool *out_is_sound, struct hf_error *err)
{
    a->depth = 0;
    *out_is_sound = false;
    while (text.size != 0 && !hf_text_is(text, " ")) {
        uint64_t address;
        if (!addresses_take_address(&text, &address))
            return HF_OK;
        if (a->depth == HF_LIMIT_STACK_FRAMES) {
            hf_notes_add(&a->profile->notes, HF_NOTE_LOSS,
                "%s: a stack has more than %u frames (HF_LIMIT_STACK_FRAMES); its root is cut",
                a->input->name, HF_LIMIT_STACK_FRAMES);
            break;
        }
        if (a->depth == a->capacity &&
            !hf_vec_reserve(&a->stack, &a->capacity, a->depth + 1, sizeof *a->stack))
            return hf_error_memory(err);
        a->stack[a->depth++] = address;
    }
    *out_is_sound = true;
    return HF_OK;
}

/* *node goes on to the callee at `address`. All nodes came this way. */
static enum hf_status addresses_step(
    struct hf_addresses *a, uint64_t address, uint32_t *node, struct hf_error *err)
{
    struct hf_stacktree *stacks = &a->profile->stacks;
    uint32_t next = hf_stacktree_next_child(stacks, *node), frame;
    if (next != HF_STACK_ROOT && a->by_frame[stacks->nodes[next].frame] == address) {
        *node = next;
        return HF_OK;
    }
    enum hf_status status = addresses_frame_of(a, address, &frame, err);
    return status == HF_OK ? hf_stacktree_child(stacks, *node, frame, node, err) : status;
}

enum hf_status hf_addresses_stack(struct hf_addresses *a, struct hf_text text, uint32_t *out_node,
    bool *out_is_sound, struct hf_error *err)
{
    uint32_t node = HF_STACK_ROOT;
    enum hf_status status = take_stack(a, text, out_is_sound, err);
    for (size_t i = *out_is_sound ? a->depth : 0; i-- != 0 && status == HF_OK;)
        status = addresses_step(a, a->stack[i], &node, err);
    if (status == HF_OK)
        *out_node = node;
    return status;
}

bool hf_addresses_heading(struct hf_addresses *a, struct hf_text line)
{
    if (!hf_text_is(line, MAPS_HEADING) && !hf_text_starts(line, COOKED_HEADING))
        return false;
    a->has_heading = true;
    return true;
}

/* The line with each $build replaced; the line itself if there is none. */
static enum hf_status expand_build(
    struct hf_addresses *a, struct hf_text *line, struct hf_error *err)
{
    if (memmem(line->data, line->size, BUILD, strlen(BUILD)) == NULL)
        return HF_OK;
    a->line.size = 0;
    for (size_t i = 0; i < line->size;) {
        struct hf_text rest = hf_text_from(*line, i);
        if (hf_text_starts(rest, BUILD)) {
            hf_out_text(&a->line, hf_out_view(&a->build));
            i += strlen(BUILD);
        } else {
            hf_out_char(&a->line, line->data[i++]);
        }
        if (a->line.size > HF_LIMIT_LINE_BYTES)
            return hf_error_set(err, HF_ERR_LIMIT,
                "a mapping with " BUILD " replaced is longer than %u bytes (HF_LIMIT_LINE_BYTES)",
                HF_LIMIT_LINE_BYTES);
    }
    *line = hf_out_view(&a->line);
    return hf_out_finish(&a->line, err);
}

enum hf_status hf_addresses_map_line(
    struct hf_addresses *a, struct hf_text line, struct hf_error *err)
{
    while (line.size != 0 && (line.data[0] == ' ' || line.data[0] == '\t'))
        line = hf_text_from(line, 1);
    if (hf_text_starts(line, "build=")) {
        a->build.size = 0;
        hf_out_text(&a->build, hf_text_from(line, strlen("build=")));
        return hf_out_finish(&a->build, err);
    }
    if (line.size == 0)
        return HF_OK;
    struct hf_text expanded = line;
    bool is_mapping = false;
    enum hf_status status = expand_build(a, &expanded, err);
    if (status == HF_OK)
        status = hf_maps_line(&a->maps, a->profile, expanded, &is_mapping, err);
    a->has_last_mapping = hf_text_ends(line, "]");
    if (status == HF_OK && !is_mapping)
        hf_skipped_line(
            a->input, a->profile, "a mapping 'start-end perms offset dev inode path'", line);
    return status;
}

/*
 * The kernel's own mappings come last ([stack], [vdso], [vsyscall]): without one of them the list
 * may be cut. With one, the library of an address that no mapping has was unloaded.
 */
static void note_unmapped(struct hf_addresses *a, uint32_t unmapped)
{
    struct hf_notes *notes = &a->profile->notes;
    const char *name = a->input->name;
    const char *noun = hf_plural(a->frames.count, "address", "addresses");
    const char *verb = hf_plural(unmapped, "is", "are");
    if (!a->has_heading)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: ends without '" MAPS_HEADING
            "', so its addresses belong to no file: the file is cut",
            name);
    else if (a->maps.count == 0)
        hf_notes_add(
            notes, HF_NOTE_LOSS, "%s: '" MAPS_HEADING "' lists no mapping: the file is cut", name);
    else if (unmapped != 0 && a->has_last_mapping)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: %u of %zu %s %s in no mapping: %s unmapped before the dump", name, unmapped,
            a->frames.count, noun, verb, hf_plural(unmapped, "its file was", "their files were"));
    else if (unmapped != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%s: %u of %zu %s %s in no mapping, and '" MAPS_HEADING
            "' does not end as it does on Linux: the file is cut",
            name, unmapped, a->frames.count, noun, verb);
}

/* Gives `placed` the names of `raw`, which it came from. The innermost has its address. */
static enum hf_status move_names(
    struct hf_profile *profile, uint32_t raw, uint32_t placed, struct hf_error *err)
{
    size_t count;
    const uint32_t *names = hf_profile_expansion(profile, &raw, &count);
    if (placed == raw || count == 0 || hf_profile_is_expanded(profile, placed))
        return HF_OK;
    uint32_t *copy = calloc(count + 1, sizeof *copy);
    if (copy == NULL)
        return hf_error_memory(err);
    memcpy(copy, names, count * sizeof *copy);
    struct hf_frame leaf = *hf_profile_frame_at(profile, names[0]);
    const struct hf_frame *place = hf_profile_frame_at(profile, placed);
    leaf.module = place->module;
    leaf.offset = place->offset;
    enum hf_status status = hf_profile_frame(profile, &leaf, &copy[0], err);
    if (status == HF_OK)
        status = hf_profile_expand(profile, placed, copy, count, err);
    free(copy);
    return status;
}

/* True for a frame of hf_addresses_stack; others came with names for addresses that no stack has.
 */
static bool is_used(const struct hf_addresses *a, const struct hf_frame *frame)
{
    return frame->flags == HF_FRAME_HAS_OFFSET &&
           (frame->offset == 0 || hf_map_find(&a->frames, frame->offset + 1) != NULL);
}

enum hf_status hf_addresses_place(struct hf_addresses *a, struct hf_error *err)
{
    struct hf_profile *profile = a->profile;
    uint32_t count = profile->frames.count, unmapped = 0, nameless = 0;
    uint32_t *placed = calloc((size_t)count + 1, sizeof *placed);
    enum hf_status status = placed != NULL ? HF_OK : hf_error_memory(err);
    for (uint32_t i = 0; i < count && status == HF_OK; i++) {
        const struct hf_frame *raw = hf_profile_frame_at(profile, i);
        placed[i] = i;
        if (!is_used(a, raw))
            continue;
        bool has_names = hf_profile_is_expanded(profile, i);
        struct hf_frame frame = hf_maps_frame(&a->maps, raw->offset);
        nameless += !has_names;
        unmapped += !has_names && frame.module == HF_NO_MODULE;
        status = hf_profile_frame(profile, &frame, &placed[i], err);
        if (status == HF_OK && has_names)
            status = move_names(profile, i, placed[i], err);
    }
    /* Names that came with all addresses need no map. */
    if (status == HF_OK && !a->has_no_map && (nameless != 0 || a->frames.count == 0))
        note_unmapped(a, unmapped);
    if (status == HF_OK)
        status = hf_samples_map_frames(profile, placed, err);
    free(placed);
    return status;
}
