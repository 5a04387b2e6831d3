#include "formats/pprof/pprof_frames.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/protobuf.h"

#include <stdlib.h>

/* The name that drop_frames is written for: without a leading dot and without parameters. */
static struct hf_text without_parameters(struct hf_text name)
{
    static const char *const kept[] = {"(anonymous namespace)", "operator()"};
    if (hf_text_starts(name, "."))
        name = hf_text_from(name, 1);
    for (size_t at = 0; at < name.size; at++) {
        struct hf_text rest = hf_text_from(name, at);
        size_t skipped = 0;
        for (size_t i = 0; i < HF_COUNT(kept) && skipped == 0; i++)
            skipped = hf_text_starts(rest, kept[i]) ? strlen(kept[i]) : 0;
        if (skipped == 0 && rest.data[0] == '(')
            return hf_text_first(name, at);
        at += skipped != 0 ? skipped - 1 : 0;
    }
    return name;
}

static struct hf_text pprof_frames_name_of(
    const struct hf_pprof_tables *tables, const struct hf_pprof_function *function)
{
    struct hf_text name = hf_pprof_string(tables, function->name);
    return name.size != 0 ? name : hf_pprof_string(tables, function->system_name);
}

static bool is_dropped(struct hf_pprof_frames *f, struct hf_pprof_function *function)
{
    if (function->fate == HF_PPROF_UNTRIED && f->drop != NULL &&
        f->tried_names < HF_LIMIT_PPROF_DROP_NAMES) {
        struct hf_text name = without_parameters(pprof_frames_name_of(f->tables, function));
        f->tried_names++;
        function->fate = name.size != 0 && hf_regex_matches(f->drop, name) &&
                                 (f->keep == NULL || !hf_regex_matches(f->keep, name))
                             ? HF_PPROF_DROPPED
                             : HF_PPROF_SHOWN;
    }
    return function->fate == HF_PPROF_DROPPED;
}

static bool hex_digit(char c, unsigned *out_value)
{
    if (c >= '0' && c <= '9')
        *out_value = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *out_value = (unsigned)(c - 'a' + 10);
    else
        return false;
    return true;
}

/* Build ids of the GNU linker are written in hexadecimal; Go's own kind is not ours to compare. */
static void put_build_id(struct hf_out *out, struct hf_text hex)
{
    for (size_t i = 0; i + 1 < hex.size; i += 2) {
        unsigned high, low;
        if (!hex_digit(hex.data[i], &high) || !hex_digit(hex.data[i + 1], &low)) {
            out->size = 0;
            return;
        }
        hf_out_char(out, (char)(high << 4 | low));
    }
    if (hex.size % 2 != 0)
        out->size = 0;
}

static enum hf_status add_module(
    struct hf_pprof_frames *f, struct hf_pprof_mapping *mapping, struct hf_error *err)
{
    struct hf_text path = hf_pprof_string(f->tables, mapping->file);
    if (path.size == 0)
        return HF_OK; /* HF_NO_MODULE */
    bool is_deleted = hf_text_ends(path, HF_PPROF_DELETED);
    if (is_deleted)
        path.size -= strlen(HF_PPROF_DELETED);
    struct hf_out build_id = {0};
    put_build_id(&build_id, hf_pprof_string(f->tables, mapping->build_id));
    enum hf_status status = hf_out_finish(&build_id, err);
    if (status == HF_OK)
        status = hf_profile_module(f->profile, path,
            build_id.size != 0 ? hf_out_view(&build_id) : HF_TEXT(""), &mapping->module, err);
    hf_out_done(&build_id);
    if (status != HF_OK)
        return status;
    if (is_deleted)
        f->profile->modules[mapping->module].is_deleted = true;
    struct hf_segment segment = {mapping->start, mapping->limit, mapping->offset, true};
    if (mapping->start < mapping->limit)
        status = hf_profile_add_segment(f->profile, mapping->module, &segment, err);
    return status;
}

/* "^(?:pattern)$"; without it, and with a note, if the pattern is none. */
static enum hf_status pprof_frames_compile(struct hf_pprof_frames *f, const char *field,
    uint64_t string, const char *name, struct hf_regex **out_regex, struct hf_error *err)
{
    struct hf_text pattern = hf_pprof_string(f->tables, string);
    if (pattern.size == 0)
        return HF_OK;
    struct hf_out text = {0};
    struct hf_error reason = {0};
    hf_out_string(&text, "^(?:");
    hf_out_text(&text, pattern);
    hf_out_string(&text, ")$");
    hf_out_char(&text, '\0');
    enum hf_status status = hf_out_finish(&text, err);
    if (status == HF_OK && pattern.size > HF_LIMIT_PPROF_PATTERN)
        hf_notes_add(&f->profile->notes, HF_NOTE_INFO,
            "%s: %s has %zu bytes (HF_LIMIT_PPROF_PATTERN) and is not used", name, field,
            pattern.size);
    else if (status == HF_OK && hf_regex_new(text.data, out_regex, &reason) != HF_OK)
        hf_notes_add(
            &f->profile->notes, HF_NOTE_INFO, "%s: %s is not used: %s", name, field, reason.text);
    hf_out_done(&text);
    return status;
}

enum hf_status hf_pprof_frames_init(struct hf_pprof_frames *frames, struct hf_profile *profile,
    struct hf_pprof_tables *tables, const char *name, struct hf_error *err)
{
    *frames = (struct hf_pprof_frames){.profile = profile, .tables = tables};
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < tables->mapping_count && status == HF_OK; i++)
        status = add_module(frames, &tables->mappings[i], err);
    if (status == HF_OK)
        status = pprof_frames_compile(
            frames, "drop_frames", tables->drop_frames, name, &frames->drop, err);
    if (status == HF_OK && frames->drop != NULL)
        status = pprof_frames_compile(
            frames, "keep_frames", tables->keep_frames, name, &frames->keep, err);
    return status;
}

void hf_pprof_frames_done(struct hf_pprof_frames *frames)
{
    hf_regex_free(frames->drop);
    hf_regex_free(frames->keep);
    free(frames->items);
    *frames = (struct hf_pprof_frames){0};
}

static enum hf_status pprof_frames_push(
    struct hf_pprof_frames *f, const struct hf_frame *frame, struct hf_error *err)
{
    if (f->count == UINT32_MAX ||
        !hf_vec_reserve(&f->items, &f->capacity, f->count + 1, sizeof *f->items))
        return hf_error_memory(err);
    return hf_profile_frame(f->profile, frame, &f->items[f->count++], err);
}

/* One line as a named frame; `*out_function` is NULL if there is nothing to show. */
static enum hf_status pprof_frames_read_line(struct hf_pprof_frames *f, struct hf_text message,
    struct hf_frame *out_frame, struct hf_pprof_function **out_function, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field;
    uint64_t id = 0, line = 0;
    *out_function = NULL;
    while (hf_protobuf_next(&c, &field)) {
        if (field.number == HF_PPROF_LINE_FUNCTION_ID)
            id = field.value;
        else if (field.number == HF_PPROF_LINE_LINE)
            line = field.value;
    }
    const uint32_t *known = hf_map_find(&f->tables->function_index, id);
    f->damaged += hf_cursor_failed(&c) || (known == NULL && id != 0);
    if (known == NULL)
        return HF_OK;
    struct hf_pprof_function *function = &f->tables->functions[*known];
    struct hf_text name = pprof_frames_name_of(f->tables, function);
    if (name.size == 0)
        return HF_OK;
    *out_function = function;
    *out_frame =
        (struct hf_frame){.flags = HF_FRAME_NAMED, .line = line <= UINT32_MAX ? (uint32_t)line : 0};
    enum hf_status status = hf_profile_string(f->profile, name, &out_frame->name, err);
    if (status == HF_OK)
        status = hf_profile_string(
            f->profile, hf_pprof_string(f->tables, function->file), &out_frame->file, err);
    return status;
}

/* How many of the innermost lines are dropped: up to the outermost that drop_frames names. */
static enum hf_status pprof_frames_count_dropped(struct hf_pprof_frames *f,
    struct hf_pprof_location *location, size_t *out_count, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(location->message.data, location->message.size, "");
    struct hf_protobuf_field field;
    size_t lines = 0;
    *out_count = 0;
    while (f->drop != NULL && lines < HF_LIMIT_INLINE_DEPTH && hf_protobuf_next(&c, &field)) {
        struct hf_frame frame;
        struct hf_pprof_function *function;
        if (field.number != HF_PPROF_LOCATION_LINE)
            continue;
        enum hf_status status = pprof_frames_read_line(f, field.bytes, &frame, &function, err);
        if (status != HF_OK)
            return status;
        lines++;
        if (function != NULL && is_dropped(f, function))
            *out_count = lines;
    }
    location->ends_stack = *out_count != 0;
    location->is_dropped = location->ends_stack && *out_count == lines;
    if (location->is_dropped)
        *out_count = 0; /* shown where it is the root of a stack */
    return HF_OK;
}

/*
 * Appends the lines of a location as named frames, leaf first, less those that are dropped.
 * `place` is the module and offset that the innermost carries.
 */
static enum hf_status push_lines(struct hf_pprof_frames *f, struct hf_pprof_location *location,
    struct hf_frame place, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(location->message.data, location->message.size, "");
    struct hf_protobuf_field field;
    size_t first = f->count, lines = 0, dropped;
    enum hf_status status = pprof_frames_count_dropped(f, location, &dropped, err);
    while (status == HF_OK && hf_protobuf_next(&c, &field)) {
        struct hf_frame frame;
        struct hf_pprof_function *function;
        if (field.number != HF_PPROF_LOCATION_LINE)
            continue;
        if (lines == HF_LIMIT_INLINE_DEPTH) {
            f->cut_lines++;
            break;
        }
        status = pprof_frames_read_line(f, field.bytes, &frame, &function, err);
        if (lines++ < dropped || status != HF_OK || function == NULL)
            continue;
        frame.module = place.module;
        frame.flags |= f->count == first ? place.flags : 0;
        frame.offset = f->count == first ? place.offset : 0;
        status = pprof_frames_push(f, &frame, err);
    }
    return status;
}

/* All but the outermost of the frames from `first` on are calls inlined into the next. */
static enum hf_status mark_inlined(struct hf_pprof_frames *f, size_t first, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = first; i + 1 < f->count && status == HF_OK; i++) {
        struct hf_frame frame = *hf_profile_frame_at(f->profile, f->items[i]);
        frame.flags |= HF_FRAME_INLINED;
        status = hf_profile_frame(f->profile, &frame, &f->items[i], err);
    }
    return status;
}

/* Turns the named frames from `first` on into the names of the address frame. */
static enum hf_status pprof_frames_name_address(struct hf_pprof_frames *f, size_t first,
    struct hf_frame place, uint32_t location, struct hf_error *err)
{
    uint32_t id;
    size_t count = f->count - first;
    enum hf_status status = hf_profile_frame(f->profile, &place, &id, err);
    if (status != HF_OK)
        return status;
    bool is_known = hf_profile_is_expanded(f->profile, id);
    if (count != 0 && is_known &&
        !hf_profile_is_expanded_to(f->profile, id, f->items + first, count)) {
        place.variant = location + 1; /* the same address under other names */
        is_known = false;
        status = hf_profile_frame(f->profile, &place, &id, err);
    }
    if (status == HF_OK && count != 0 && !is_known)
        status = hf_profile_expand(f->profile, id, f->items + first, count, err);
    f->count = first;
    return status == HF_OK ? pprof_frames_push(f, hf_profile_frame_at(f->profile, id), err)
                           : status;
}

/* "[libfoo.so]": all that is known of a location without address and lines. */
static enum hf_status push_module(struct hf_pprof_frames *f, uint32_t module, struct hf_error *err)
{
    struct hf_text path = hf_profile_text(f->profile, f->profile->modules[module].path);
    struct hf_text name = hf_text_basename(path);
    struct hf_frame frame = {.flags = HF_FRAME_NAMED, .module = module};
    struct hf_out text = {0};
    hf_out_char(&text, '[');
    hf_out_text(&text, name);
    hf_out_char(&text, ']');
    enum hf_status status = hf_out_finish(&text, err);
    if (status == HF_OK)
        status = hf_profile_string(f->profile, hf_out_view(&text), &frame.name, err);
    hf_out_done(&text);
    return status == HF_OK ? pprof_frames_push(f, &frame, err) : status;
}

static enum hf_status place_location(
    struct hf_pprof_frames *f, uint32_t index, struct hf_error *err)
{
    struct hf_pprof_location *location = &f->tables->locations[index];
    const uint32_t *known = hf_map_find(&f->tables->mapping_index, location->mapping_id);
    const struct hf_pprof_mapping *mapping = known != NULL ? &f->tables->mappings[*known] : NULL;
    struct hf_frame place = {.offset = location->address, .flags = HF_FRAME_HAS_OFFSET};
    bool is_inside = mapping != NULL && location->address >= mapping->start &&
                     (mapping->limit == 0 || location->address < mapping->limit);
    if (is_inside && mapping->module != HF_NO_MODULE) {
        place.module = mapping->module;
        place.offset = location->address - mapping->start + mapping->offset;
    }
    f->damaged += mapping == NULL && location->mapping_id != 0;
    f->folded += location->is_folded;
    size_t first = f->count;
    bool has_address = location->address != 0;
    struct hf_frame nowhere = {.module = mapping != NULL ? mapping->module : HF_NO_MODULE};
    enum hf_status status = push_lines(f, location, has_address ? place : nowhere, err);
    if (status == HF_OK)
        status = mark_inlined(f, first, err);
    if (status == HF_OK && has_address) {
        f->profile->has_addresses = true;
        status = pprof_frames_name_address(f, first, place, index, err);
    } else if (status == HF_OK && f->count == first) {
        status = nowhere.module != HF_NO_MODULE ? push_module(f, nowhere.module, err)
                                                : pprof_frames_push(f, &place, err);
    }
    location->first = (uint32_t)first;
    location->count = (uint32_t)(f->count - first);
    location->is_placed = true;
    return status;
}

enum hf_status hf_pprof_place(struct hf_pprof_frames *frames, uint64_t id,
    const struct hf_pprof_location **out_location, struct hf_error *err)
{
    const uint32_t *known = hf_map_find(&frames->tables->location_index, id);
    *out_location = known != NULL ? &frames->tables->locations[*known] : NULL;
    if (known == NULL || (*out_location)->is_placed)
        return HF_OK;
    return place_location(frames, *known, err);
}
