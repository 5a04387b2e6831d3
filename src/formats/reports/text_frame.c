#include "formats/reports/text_frame.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/num.h"
#include "base/strings/out.h"

#include <stdlib.h>

#define BUILD_ID "BuildId: "
#define BUILD_ID_BYTES_MAX 64

static struct hf_text text_frame_trim(struct hf_text text)
{
    return hf_text_trim_end(hf_text_trim_start(text, " "), " ");
}

bool hf_text_split_group(struct hf_text text, struct hf_text *out_name, struct hf_text *out_where)
{
    size_t depth = 0, at = text.size;
    if (!hf_text_ends(text, ")"))
        return false;
    do {
        at--;
        depth += text.data[at] == ')';
        depth -= text.data[at] == '(';
    } while (depth != 0 && at != 0);
    if (depth != 0 || (at != 0 && text.data[at - 1] != ' ')) {
        /* Parentheses of a path need not be pairs. */
        at = hf_text_find_last(text, '(');
        if (at == text.size || (at != 0 && text.data[at - 1] != ' '))
            return false;
    }
    *out_name = text_frame_trim(hf_text_first(text, at));
    *out_where = hf_text_from(hf_text_first(text, text.size - 1), at + 1);
    return true;
}

/* Takes ":12" off the end. */
static bool text_frame_take_number(struct hf_text *text, uint64_t *out_number)
{
    size_t colon = hf_text_find_last(*text, ':');
    if (colon == text->size || !hf_num_u64(hf_text_from(*text, colon + 1), out_number))
        return false;
    *text = hf_text_first(*text, colon);
    return true;
}

bool hf_text_source(struct hf_text text, struct hf_text *out_file, uint32_t *out_line)
{
    uint64_t line, column;
    if (!text_frame_take_number(&text, &column))
        return false;
    if (!text_frame_take_number(&text, &line))
        line = column;
    if (text.size == 0 || line > UINT32_MAX)
        return false;
    *out_file = text;
    *out_line = (uint32_t)line;
    return true;
}

bool hf_text_module_offset(struct hf_text text, struct hf_text *out_module, uint64_t *out_offset)
{
    size_t plus = hf_text_find_last(text, '+');
    struct hf_text digits = hf_text_from(text, plus + 1);
    if (plus == text.size || plus == 0 || !hf_text_starts(digits, "0x") ||
        !hf_num_hex(digits, out_offset))
        return false;
    *out_module = hf_text_first(text, plus);
    return true;
}

struct hf_text hf_text_without_offset(struct hf_text name)
{
    struct hf_text without;
    uint64_t offset;
    return hf_text_module_offset(name, &without, &offset) ? without : name;
}

/* "0x1f2e" up to `end`, taken with it off the front. */
static bool text_frame_take_address(struct hf_text *text, const char *end, uint64_t *out_address)
{
    size_t size = hf_text_find(*text, end[0]);
    struct hf_text digits = hf_text_first(*text, size);
    if (!hf_text_starts(digits, "0x") || !hf_num_hex(digits, out_address) ||
        !hf_text_starts(hf_text_from(*text, size), end))
        return false;
    *text = hf_text_from(*text, size + strlen(end));
    return true;
}

bool hf_text_frame_valgrind(struct hf_text line, struct hf_text_frame *out_frame)
{
    struct hf_text_frame frame = {0};
    struct hf_text name, where;
    line = text_frame_trim(line);
    if (!text_frame_take_address(&line, ": ", &frame.address) || line.size == 0)
        return false;
    frame.function = line;
    if (hf_text_split_group(line, &name, &where) && name.size != 0) {
        bool is_module = hf_text_starts(where, "in ");
        if (is_module)
            frame.module = hf_text_from(where, strlen("in "));
        if (is_module || hf_text_source(where, &frame.file, &frame.line))
            frame.function = name;
    }
    if (hf_text_is(frame.function, "???"))
        frame.function.size = 0;
    *out_frame = frame;
    return true;
}

/*
 * "name file": an absolute path begins at the first " /", which no name holds. A relative one
 * begins after the first blank of a C name, and after the last of any other.
 */
static void split_source(struct hf_text text, struct hf_text_frame *frame)
{
    frame->function = text;
    const char *slash = text.size != 0 ? memmem(text.data, text.size, " /", 2) : NULL;
    bool is_c = hf_text_find(text, '(') == text.size && hf_text_find(text, '<') == text.size &&
                !hf_text_starts(text, "operator");
    size_t at = slash != NULL ? (size_t)(slash - text.data)
                : is_c        ? hf_text_find(text, ' ')
                              : hf_text_find_last(text, ' ');
    if (at == text.size)
        return;
    struct hf_text source = hf_text_from(text, at + 1);
    /* "f() const", or "f.c" without a line, as where only a symbol table is known. */
    if (!hf_text_source(source, &frame->file, &frame->line)) {
        if (slash == NULL && !is_c)
            return;
        frame->file = source;
    }
    frame->function = text_frame_trim(hf_text_first(text, at));
}

bool hf_text_frame_sanitizer(struct hf_text line, struct hf_text_frame *out_frame)
{
    struct hf_text_frame frame = {0};
    struct hf_text name, where;
    uint64_t number;
    line = text_frame_trim(line);
    size_t blank = hf_text_find(line, ' ');
    if (!hf_text_starts(line, "#") ||
        !hf_num_u64(hf_text_from(hf_text_first(line, blank), 1), &number))
        return false;
    line = hf_text_from(line, blank + 1);
    if (!text_frame_take_address(&line, " ", &frame.address))
        return false;
    line = text_frame_trim(line);
    if (hf_text_split_group(line, &name, &where) && hf_text_starts(where, BUILD_ID)) {
        frame.build_id = hf_text_from(where, strlen(BUILD_ID));
        line = name;
    }
    bool has_name = hf_text_starts(line, "in ");
    if (has_name)
        line = text_frame_trim(hf_text_from(line, strlen("in ")));
    if (hf_text_split_group(line, &name, &where) &&
        (hf_text_module_offset(where, &frame.module, &frame.offset) ||
            hf_text_is(where, "<unknown module>"))) {
        frame.has_offset = frame.module.size != 0;
        frame.function = name;
    } else if (has_name) {
        split_source(line, &frame);
    } else {
        return false;
    }
    frame.function = hf_text_without_offset(frame.function);
    *out_frame = frame;
    return true;
}

static enum hf_status text_frame_module_of(struct hf_profile *profile,
    const struct hf_text_frame *frame, uint32_t *out_module, struct hf_error *err)
{
    char bytes[BUILD_ID_BYTES_MAX];
    size_t size = 0;
    uint64_t byte;
    if (frame->build_id.size % 2 == 0 && frame->build_id.size <= 2 * sizeof bytes) {
        while (2 * size < frame->build_id.size &&
               hf_num_hex(hf_text_first(hf_text_from(frame->build_id, 2 * size), 2), &byte))
            bytes[size++] = (char)byte;
    }
    if (2 * size != frame->build_id.size)
        size = 0; /* no build-id */
    return hf_profile_module(
        profile, frame->module, (struct hf_text){bytes, size}, out_module, err);
}

enum hf_status hf_text_frame_label(
    struct hf_profile *profile, struct hf_text label, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    enum hf_status status = hf_profile_string(profile, label, &frame.name, err);
    return status == HF_OK ? hf_profile_frame(profile, &frame, out_frame, err) : status;
}

/* "[libfoo.so]"; "[vdso]" is one already. */
static enum hf_status module_label(
    struct hf_profile *profile, struct hf_text path, uint32_t *out_name, struct hf_error *err)
{
    if (hf_text_starts(path, "[") && hf_text_ends(path, "]"))
        return hf_profile_string(profile, path, out_name, err);
    struct hf_out label = {0};
    hf_out_char(&label, '[');
    hf_out_text(&label, hf_text_basename(path));
    hf_out_char(&label, ']');
    enum hf_status status = hf_out_finish(&label, err);
    if (status == HF_OK)
        status = hf_profile_string(profile, hf_out_view(&label), out_name, err);
    hf_out_done(&label);
    return status;
}

enum hf_status hf_text_frame_add(struct hf_profile *profile, const struct hf_text_frame *from,
    uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame frame = {.flags = HF_FRAME_NAMED, .line = from->line};
    if (from->is_inlined)
        frame.flags |= HF_FRAME_INLINED;
    enum hf_status status = HF_OK;
    if (from->module.size != 0)
        status = text_frame_module_of(profile, from, &frame.module, err);
    if (status == HF_OK && from->function.size != 0) {
        frame.flags |= HF_FRAME_IS_LONG;
        status = hf_profile_string(profile, from->function, &frame.name, err);
        if (status == HF_OK)
            status = hf_profile_string(profile, from->file, &frame.file, err);
    } else if (status == HF_OK && from->has_offset) {
        frame.offset = from->offset;
        frame.flags =
            from->is_in_file ? HF_FRAME_HAS_OFFSET : HF_FRAME_HAS_OFFSET | HF_FRAME_LINKED;
        frame.flags |= from->is_module ? HF_FRAME_IS_MODULE : 0;
        profile->has_addresses = true;
    } else if (status == HF_OK && from->module.size != 0) {
        status = module_label(profile, from->module, &frame.name, err);
    } else if (status == HF_OK && from->address != 0) {
        frame.offset = from->address;
        frame.flags = HF_FRAME_HAS_OFFSET;
    } else if (status == HF_OK) {
        return hf_text_frame_label(profile, HF_TEXT("[unknown]"), out_frame, err);
    }
    return status == HF_OK ? hf_profile_frame(profile, &frame, out_frame, err) : status;
}

void hf_text_stack_done(struct hf_text_stack *stack)
{
    free(stack->frames);
    *stack = (struct hf_text_stack){0};
}

static enum hf_status text_frame_push(
    struct hf_text_stack *stack, uint32_t frame, struct hf_error *err)
{
    if (!hf_vec_reserve(&stack->frames, &stack->capacity, stack->depth + 1, sizeof *stack->frames))
        return hf_error_memory(err);
    stack->frames[stack->depth++] = frame;
    return HF_OK;
}

enum hf_status hf_text_stack_push(struct hf_text_stack *stack, struct hf_profile *profile,
    const struct hf_text_frame *frame, struct hf_error *err)
{
    uint32_t id;
    if (stack->depth == HF_LIMIT_STACK_FRAMES) {
        hf_notes_add(&profile->notes, HF_NOTE_LOSS,
            "a stack has more than %u frames (HF_LIMIT_STACK_FRAMES); its root is cut",
            HF_LIMIT_STACK_FRAMES);
        return HF_OK;
    }
    enum hf_status status = hf_text_frame_add(profile, frame, &id, err);
    return status == HF_OK ? text_frame_push(stack, id, err) : status;
}

enum hf_status hf_text_stack_push_label(struct hf_text_stack *stack, struct hf_profile *profile,
    struct hf_text label, struct hf_error *err)
{
    uint32_t id;
    enum hf_status status = hf_text_frame_label(profile, label, &id, err);
    return status == HF_OK ? text_frame_push(stack, id, err) : status;
}

enum hf_status hf_text_stack_end(struct hf_text_stack *stack, struct hf_profile *profile,
    struct hf_text label, uint32_t *out_node, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (label.size != 0)
        status = hf_text_stack_push_label(stack, profile, label, err);
    if (status == HF_OK)
        status = hf_stacktree_add(&profile->stacks, stack->frames, stack->depth, out_node, err);
    stack->depth = 0;
    return status;
}
