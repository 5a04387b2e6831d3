/*
 * stap.c: stacks with a number, as SystemTap scripts print them.
 *
 *     stack  = { frame LF }  blanks [ "-" ] digits LF            leaf first
 *     frame  = " 0x" hex " : " symbol [ " [" module "]" ]         print_usyms, print_ubacktrace
 *            | " 0x" hex [ " : 0x" hex ] " [" path "+0x" hex [ "/0x" hex ] "]"        no symbol
 *            | symbol [ " [" module "]" ]                         sprint_usyms, ..._brief
 *            | "0x" hex { " 0x" hex }                             no symbol, no module;
 * ubacktrace() symbol = name "+0x" hex [ "/0x" hex ]                       offset in it, its size
 *
 * Source: function::print_usyms(3stap) and its kin, runtime/sym.c of SystemTap 2 to 5. Kernel
 * frames have module "kernel" or a kernel module's name. " (inexact)" at the end of a frame is
 * dropped. The number is what the script counted; below zero it is what was released.
 *
 * Lines of another form between stacks (what a script says when it begins) are left out and noted;
 * within a stack they make it unsound, and it is left out with its number.
 *
 * Addresses are return addresses: the byte before belongs to the call. Where a caller's is
 * `next+0x0`, the call ends the function before `next`. SystemTap's sizes reach to the next symbol,
 * so that function is known if another frame of the text, `f+0x../size`, ends just there. If not,
 * the frame is "[before next]" until a symbol table names it (profile/frame.h).
 */
#include "base/containers/intern.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"
#include "formats/skipped_lines.h"
#include "profile/samples.h"

#include <inttypes.h>
#include <stdlib.h>

#define INEXACT " (inexact)"

struct parsed {
    uint64_t address;
    bool has_address;
    struct hf_text symbol; /* empty: none is known */
    struct hf_text module; /* empty: none is known */
    bool has_offset;       /* in the symbol or, without one, in the module */
    uint64_t offset, size; /* size 0: not said */
};

/* A function of the text by its end. */
struct function {
    uint32_t module, symbol;
    uint64_t size;
    bool is_ambiguous;
};

/* A return address `next+0x0`. */
struct ending {
    uint64_t address;
    uint32_t frame, padding; /* 0 */
};

struct stap_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    uint32_t *stack; /* leaf first */
    size_t depth, stack_capacity;
    uint64_t unsound_line; /* the first of another form in the stack that is open now; 0: none */
    bool is_too_deep;      /* that stack */
    bool is_cut;           /* the file ends in the blanks before a frame */
    bool has_cut;
    struct hf_skipped_lines foreign; /* lines between stacks */
    struct hf_skipped_lines unsound; /* stacks with a line of another form */
    struct hf_skipped_lines bare;    /* numbers without a stack */
    struct hf_map function_ends;     /* address -> functions */
    struct function *functions;
    size_t function_count, function_capacity;
    struct hf_intern endings; /* bytes of struct ending, each once */
};

static struct hf_text stap_trim(struct hf_text text)
{
    return hf_text_trim_end(hf_text_trim_start(text, " \t"), " \t\r");
}

static bool parse_address(struct hf_text text, uint64_t *out_address)
{
    return hf_text_starts(text, "0x") && hf_num_hex(text, out_address);
}

/* "name+0x1f/0x40" or "name+0x1f" */
static bool split_offset(struct hf_text text, struct hf_text *out_name, struct parsed *p)
{
    size_t plus = hf_text_find_last(text, '+');
    struct hf_text tail = hf_text_from(text, plus + 1);
    struct hf_text offset = hf_text_first(tail, hf_text_find(tail, '/'));
    uint64_t size = 0;
    if (plus == 0 || plus == text.size || !parse_address(offset, &p->offset) ||
        (offset.size < tail.size && !parse_address(hf_text_from(tail, offset.size + 1), &size)))
        return false;
    *out_name = hf_text_first(text, plus);
    p->size = size;
    p->has_offset = true;
    return true;
}

/* "symbol [module]", either may be missing, and the symbol may be the address again. */
static bool stap_parse_place(struct hf_text text, struct parsed *p)
{
    struct hf_text symbol = text;
    if (hf_text_ends(text, "]")) {
        size_t open = hf_text_find_last(text, '[');
        p->module = hf_text_first(hf_text_from(text, open + 1), text.size - open - 2);
        symbol = stap_trim(hf_text_first(text, open));
        if (open == text.size || p->module.size == 0)
            return false;
    }
    uint64_t again;
    if (symbol.size == 0 || parse_address(symbol, &again)) {
        struct hf_text path;
        if (split_offset(p->module, &path, p))
            p->module = path;
        return p->has_address;
    }
    if (split_offset(symbol, &p->symbol, p))
        return p->has_address || hf_text_find(p->symbol, ' ') == p->symbol.size;
    p->symbol = symbol;
    return p->has_address;
}

/* `line` without blanks around it. False: it is no frame. */
static bool parse_frame(struct hf_text line, struct parsed *out)
{
    *out = (struct parsed){0};
    if (hf_text_ends(line, INEXACT))
        line.size -= strlen(INEXACT);
    struct hf_text word = hf_text_first(line, hf_text_find(line, ' '));
    if (!parse_address(word, &out->address))
        return stap_parse_place(line, out);
    out->has_address = true;
    struct hf_text rest = hf_text_from(line, word.size);
    if (hf_text_starts(rest, " : "))
        return stap_parse_place(hf_text_from(rest, 3), out);
    return rest.size == 0 || (hf_text_starts(rest, " [") && stap_parse_place(stap_trim(rest), out));
}

/* Digits, perhaps after a minus. A number beyond 2^64-1 stays there. */
static bool stap_parse_count(
    struct stap_reader *r, struct hf_text line, uint64_t *grew, uint64_t *released)
{
    bool is_negative = hf_text_starts(line, "-");
    struct hf_text digits = hf_text_from(line, is_negative);
    uint64_t value = UINT64_MAX;
    if (digits.size == 0)
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return false;
    }
    r->has_cut = !hf_num_u64(digits, &value) || r->has_cut;
    *grew = is_negative ? 0 : value;
    *released = is_negative ? value : 0;
    return true;
}

/* Remembers where a function of the text ends. */
static enum hf_status learn_end(struct stap_reader *r, const struct parsed *p,
    const struct hf_frame *frame, struct hf_error *err)
{
    if (!p->has_address || p->size == 0 || p->offset >= p->size)
        return HF_OK;
    uint64_t end = p->address - p->offset + p->size;
    if (!hf_vec_reserve(
            &r->functions, &r->function_capacity, r->function_count + 1, sizeof *r->functions))
        return hf_error_memory(err);
    bool is_new;
    uint32_t *known = hf_map_put(&r->function_ends, end, (uint32_t)r->function_count, &is_new);
    if (known == NULL)
        return hf_error_memory(err);
    if (is_new) {
        r->functions[r->function_count++] =
            (struct function){.module = frame->module, .symbol = frame->symbol, .size = p->size};
    } else {
        struct function *f = &r->functions[*known];
        f->is_ambiguous =
            f->is_ambiguous || f->module != frame->module || f->symbol != frame->symbol;
    }
    return HF_OK;
}

static enum hf_status learn_ending(
    struct stap_reader *r, uint32_t frame, uint64_t address, struct hf_error *err)
{
    const struct ending ending = {.address = address, .frame = frame};
    uint32_t ignored;
    return hf_intern_put(&r->endings, &ending, sizeof ending, &ignored) ? HF_OK
                                                                        : hf_error_memory(err);
}

/*
 * The frame of what a line says. Even a leaf follows a call, in a return probe; where it does not,
 * the byte before is in the same function, unless the probe is at its start.
 */
static enum hf_status make_frame(struct stap_reader *r, const struct parsed *p, bool is_leaf,
    struct hf_frame *frame, struct hf_error *err)
{
    uint64_t offset = p->has_offset ? p->offset : p->address;
    bool is_return = !is_leaf || offset != 0;
    bool is_ending = is_return && offset == 0;
    *frame = (struct hf_frame){0};
    enum hf_status status = p->module.size == 0 ? HF_OK
                                                : hf_profile_module(r->profile, p->module,
                                                      HF_TEXT(""), &frame->module, err);
    if (status == HF_OK && p->symbol.size != 0)
        status = hf_profile_string(r->profile, p->symbol, &frame->symbol, err);
    if (status != HF_OK)
        return status;
    if (p->symbol.size != 0 && !p->has_offset) {
        frame->name = frame->symbol;
        frame->symbol = HF_NO_STRING;
        frame->flags = HF_FRAME_NAMED;
        return HF_OK;
    }
    frame->offset = offset - is_return;
    frame->flags = is_return ? HF_FRAME_RETURN : 0u;
    if (p->symbol.size == 0) {
        frame->flags |= HF_FRAME_HAS_OFFSET;
        frame->flags |= p->module.size != 0 ? HF_FRAME_LINKED : 0u;
        return HF_OK;
    }
    if (!is_ending) {
        frame->name = frame->symbol;
        frame->flags |= HF_FRAME_NAMED;
    }
    return learn_end(r, p, frame, err);
}

static enum hf_status stap_push(struct stap_reader *r, const struct parsed *p, struct hf_error *err)
{
    if (r->depth == HF_LIMIT_STACK_FRAMES) {
        if (!r->is_too_deep)
            hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
                "%s: line %" PRIu64 ": more than %u frames (HF_LIMIT_STACK_FRAMES); the root is "
                "cut",
                r->input->name, r->input->line, HF_LIMIT_STACK_FRAMES);
        r->is_too_deep = true;
        return HF_OK;
    }
    if (!hf_vec_reserve(&r->stack, &r->stack_capacity, r->depth + 1, sizeof *r->stack))
        return hf_error_memory(err);
    if (p->symbol.size == 0 && p->module.size != 0 && !p->has_offset) {
        const struct hf_text_frame unknown = {.module = p->module};
        return hf_text_frame_add(r->profile, &unknown, &r->stack[r->depth++], err);
    }
    struct hf_frame frame;
    enum hf_status status = make_frame(r, p, r->depth == 0, &frame, err);
    if (status == HF_OK)
        status = hf_profile_frame(r->profile, &frame, &r->stack[r->depth], err);
    bool is_ending = frame.symbol != HF_NO_STRING && frame.name == HF_NO_STRING;
    if (status == HF_OK && is_ending && p->has_address)
        status = learn_ending(r, r->stack[r->depth], p->address, err);
    r->depth++;
    return status;
}

/* "0x4011d6 0x40120b": each word is a frame. False if some word is no address. */
static bool is_addresses(struct hf_text line)
{
    size_t count = 0;
    for (; line.size != 0; count++) {
        struct hf_text word = hf_text_first(line, hf_text_find(line, ' '));
        uint64_t ignored;
        if (!parse_address(word, &ignored))
            return false;
        line = hf_text_from(line, word.size + 1);
    }
    return count > 1;
}

static enum hf_status push_addresses(
    struct stap_reader *r, struct hf_text line, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    while (line.size != 0 && status == HF_OK) {
        struct hf_text word = hf_text_first(line, hf_text_find(line, ' '));
        struct parsed p = {.has_address = true};
        if (parse_address(word, &p.address))
            status = stap_push(r, &p, err);
        line = hf_text_from(line, word.size + 1);
    }
    return status;
}

static enum hf_status stap_end_stack(
    struct stap_reader *r, uint64_t grew, uint64_t released, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint32_t node;
    if (r->unsound_line != 0) {
        hf_skipped_lines_add(&r->unsound, r->unsound_line);
    } else if (r->depth == 0) {
        hf_skipped_lines_add(&r->bare, r->input->line);
    } else {
        uint64_t values[] = {grew, released};
        status = hf_stacktree_add(&r->profile->stacks, r->stack, r->depth, &node, err);
        if (status == HF_OK)
            status = hf_profile_add_change(r->profile, node, HF_THREAD_ALL, values, err);
        if (r->input->last_line_is_cut)
            hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
                "%s: line %" PRIu64
                " ends without a newline: if the file was cut there, its number is too low",
                r->input->name, r->input->line);
    }
    r->depth = 0;
    r->unsound_line = 0;
    r->is_too_deep = false;
    return status;
}

static enum hf_status stap_read_line(
    struct stap_reader *r, struct hf_text line, struct hf_error *err)
{
    uint64_t grew, released;
    struct parsed p;
    bool is_blank = stap_trim(line).size == 0;
    r->is_cut = r->input->last_line_is_cut && line.size != 0 && is_blank;
    line = stap_trim(line);
    if (is_blank)
        return HF_OK;
    if (stap_parse_count(r, line, &grew, &released))
        return stap_end_stack(r, grew, released, err);
    if (is_addresses(line))
        return push_addresses(r, line, err);
    if (parse_frame(line, &p))
        return stap_push(r, &p, err);
    if (r->depth != 0 || hf_text_starts(line, "0x")) {
        if (r->unsound_line == 0)
            r->unsound_line = r->input->line;
    } else {
        hf_skipped_lines_add(&r->foreign, r->input->line);
    }
    return HF_OK;
}

/* Names each `next+0x0` by the function of the text that ends there. */
static enum hf_status name_endings(struct stap_reader *r, struct hf_error *err)
{
    uint32_t count = r->profile->frames.count;
    uint32_t *new_frames = calloc((size_t)count + 1, sizeof *new_frames);
    if (new_frames == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; i < count; i++)
        new_frames[i] = i;
    enum hf_status status = HF_OK;
    for (uint32_t i = 0; i < r->endings.count && status == HF_OK; i++) {
        struct ending ending;
        memcpy(&ending, hf_intern_at(&r->endings, i).data, sizeof ending);
        const uint32_t *known = hf_map_find(&r->function_ends, ending.address);
        struct hf_frame frame = *hf_profile_frame_at(r->profile, ending.frame);
        if (known == NULL || r->functions[*known].is_ambiguous ||
            r->functions[*known].module != frame.module)
            continue;
        frame.name = frame.symbol = r->functions[*known].symbol;
        frame.offset = r->functions[*known].size - 1;
        frame.flags |= HF_FRAME_NAMED;
        status = hf_profile_frame(r->profile, &frame, &new_frames[ending.frame], err);
    }
    if (status == HF_OK && r->endings.count != 0)
        status = hf_samples_map_frames(r->profile, new_frames, err);
    free(new_frames);
    return status;
}

static void stap_add_notes(struct stap_reader *r)
{
    struct hf_notes *notes = &r->profile->notes;
    const char *name = r->input->name;
    hf_skipped_lines_note(&r->foreign, HF_NOTE_INFO, "line between the stacks that is not a frame",
        "lines between the stacks that are not frames", name, notes);
    hf_skipped_lines_note(&r->unsound, HF_NOTE_LOSS, "stack with a line that is not a frame",
        "stacks with a line that is not a frame", name, notes);
    hf_skipped_lines_note(&r->bare, HF_NOTE_LOSS, "number without a stack above it",
        "numbers without a stack above them", name, notes);
    if (r->depth != 0 || r->unsound_line != 0 || r->is_cut)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: ends within a stack: the file is cut", name);
    if (r->has_cut)
        hf_notes_add(notes, HF_NOTE_LOSS, "%s: numbers above 2^64-1 are taken as 2^64-1", name);
}

static enum hf_status stap_read_all(struct stap_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_type(r->profile, "samples", "count", err);
    r->profile->has_addresses = true;
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err))
        status = stap_read_line(r, line, err);

    if (status == HF_OK)
        status = name_endings(r, err);
    if (status == HF_OK)
        stap_add_notes(r);
    return status;
}

static enum hf_status read_stap(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct stap_reader r = {.input = input, .profile = profile};
    enum hf_status status = stap_read_all(&r, err);
    free(r.stack);
    hf_map_done(&r.function_ends);
    free(r.functions);
    hf_intern_done(&r.endings);
    return status;
}

/* Sure if there is a frame with address and symbol; else frames and numbers must outweigh text. */
static enum hf_bid stap_bid(struct hf_text first_bytes)
{
    size_t full = 0, frames = 0, numbers = 0, others = 0;
    bool is_whole = first_bytes.size < HF_FORMAT_PEEK_BYTES;
    struct stap_reader ignored = {0};
    while (first_bytes.size != 0) {
        struct hf_text line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n'));
        if (line.size == first_bytes.size && !is_whole)
            break; /* its end was not seen */
        first_bytes = hf_text_from(first_bytes, line.size + 1);
        line = stap_trim(line);
        uint64_t grew, released;
        struct parsed p;
        if (line.size == 0)
            continue;
        if (stap_parse_count(&ignored, line, &grew, &released))
            numbers++;
        else if (!is_addresses(line) && !parse_frame(line, &p))
            others++;
        else if (++frames != 0 && hf_text_starts(line, "0x") &&
                 memmem(line.data, line.size, " : ", 3) != NULL)
            full++;
    }
    if (full != 0)
        return HF_BID_SURE;
    return frames != 0 && numbers != 0 && frames + numbers > others ? HF_BID_LIKELY : HF_BID_NO;
}

const struct hf_format hf_format_stap = {
    .name = "SystemTap stacks",
    .bid = stap_bid,
    .read = read_stap,
};
