/*
 * perf_script.c: samples of Linux perf, as `perf script` prints them.
 *
 *     file   = { "#" comment LF | sample }
 *     sample = head [ frame ] LF { TAB frame LF [ "  " source LF ] } [ LF ]
 *     head   = [ command ] [ pid [ "/" tid ] ] [ "[" cpu "]" ] [ seconds ":" ] [ period ]
 *              [ event ":" ]
 *     frame  = address [ " " name [ "+0x" hex ] ] [ " (" where ")" ]
 *     source = file ":" line [ " (inlined)" ]
 *     where  = path [ "+0x" hex ] | "[kernel.kallsyms]" | "[unknown]" | "inlined"
 *
 * Source: perf-script(1) and its output, perf 6.1: the default fields, and -F with more or fewer,
 * as +srcline or comm,pid,tid,time,event,ip,sym,dso. What follows the event of a tracepoint or
 * probe is not read. Frames are leaf first; "inlined" is inlined into the frame that follows.
 *
 * The command is the root frame, as stackcollapse-perf.pl has it. Each event is a value type of its
 * own, in the order of the file: the sum of the periods, or of the samples where no period is
 * printed. Distances from symbols are left out. A frame without a name is the place in its file
 * that perf prints since 5.9, less one for a return address; the symbolizer may know more than
 * perf did. If it does not, all such places of a file are one frame "[file]", but by address. A
 * perf that prints addresses of the process is known by some of them being no offsets. Without a
 * name and a file it is "[unknown]": an address that nothing explains would be a frame of its own
 * each time.
 *
 * Dumps of old perfs, and those that went through an editor, have blanks or nothing before a frame
 * in place of the TAB: there it is what has an address, a name and a place, and says no offset.
 *
 * Names of Java: java_frame.h.
 */
#include "base/strings/num.h"
#include "base/strings/out.h"
#include "formats/format.h"
#include "formats/reports/java_frame.h"
#include "formats/reports/text_frame.h"
#include "formats/reports/typed_values.h"
#include "formats/skipped_lines.h"
#include "profile/modules.h"
#include "profile/samples.h"

#include <stdlib.h>

#define ADDRESS_COLUMNS 16
#define OTHER_RECORD "PERF_RECORD_" /* as --show-mmap-events prints them between the samples */
#define FILE_OFFSET_MAX UINT32_MAX  /* beyond it the address is one of the process */

struct head {
    struct hf_text command, task, event, rest; /* task: "123" or "123/124" */
    uint64_t period;
    bool is_bare; /* a command and a pid, or an event, alone: much else looks like this */
};

struct perf_script_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    struct hf_typed_values values; /* of the events */
    struct hf_text_stack stack;
    struct hf_out name;      /* scratch */
    uint32_t command, event; /* strings, of the sample that is being read */
    uint64_t period;
    bool has_sample, is_after_kernel;
    bool is_old;                 /* perf before 5.9: it prints addresses of the process */
    bool has_no_pid;             /* of some sample, where processes are to be told apart */
    bool has_stacks, has_frames; /* some sample has: a frame on a line of its own, any frame */
    uint64_t sample_count;
    struct hf_skipped_lines skipped;
};

/* Takes the next word and the blanks behind it off the front. */
static struct hf_text perf_script_take_word(struct hf_text *rest)
{
    struct hf_text word = hf_text_first(*rest, hf_text_find(*rest, ' '));
    *rest = hf_text_trim_start(hf_text_from(*rest, word.size), " ");
    return word;
}

static bool is_number(struct hf_text text)
{
    uint64_t value;
    return hf_num_u64(text, &value);
}

/* "123" or "123/124" */
static bool is_pid(struct hf_text word)
{
    size_t slash = hf_text_find(word, '/');
    return is_number(hf_text_first(word, slash)) &&
           (slash == word.size || is_number(hf_text_from(word, slash + 1)));
}

/* "2347.055694:" */
static bool is_time(struct hf_text word)
{
    size_t dot = hf_text_find(word, '.');
    return hf_text_ends(word, ":") && dot < word.size && is_number(hf_text_first(word, dot)) &&
           is_number(hf_text_from(hf_text_first(word, word.size - 1), dot + 1));
}

/* What follows the pid. False if it is no head. */
static bool parse_tail(struct hf_text rest, struct head *out)
{
    struct hf_text before = rest, word = perf_script_take_word(&rest);
    if (hf_text_starts(word, "[") && hf_text_ends(word, "]")) {
        before = rest;
        word = perf_script_take_word(&rest);
    }
    bool has_time = is_time(word);
    if (has_time) {
        before = rest;
        word = perf_script_take_word(&rest);
    }
    out->period = 1;
    if (hf_num_u64(word, &out->period))
        word = perf_script_take_word(&rest);
    bool has_event = word.size > 1 && hf_text_ends(word, ":") && !is_time(word);
    if (!has_event)
        out->period = 1; /* it was an address */
    out->event = has_event ? hf_text_first(word, word.size - 1) : HF_TEXT("samples");
    out->rest = has_event ? rest : before;
    out->is_bare = !has_event && !has_time;
    return !out->is_bare || before.size == 0;
}

/* The command may hold blanks and numbers: the pid is the first number that a head follows. */
static bool parse_head(struct hf_text line, struct head *out)
{
    line = hf_text_trim_end(hf_text_trim_start(line, " "), " ");
    struct hf_text rest = line;
    if (hf_text_has(line, OTHER_RECORD))
        return false;
    while (rest.size != 0) {
        size_t at = line.size - rest.size;
        if (is_pid(perf_script_take_word(&rest)) && parse_tail(rest, out)) {
            out->command = hf_text_trim_end(hf_text_first(line, at), " ");
            out->task = hf_text_from(line, at);
            out->task.size = hf_text_find(out->task, ' ');
            return true;
        }
    }
    size_t last = hf_text_find_last(line, ' ');
    if (last == line.size || !hf_text_ends(line, ":"))
        return false;
    *out = (struct head){
        .command = hf_text_trim_end(hf_text_first(line, last), " "),
        .event = hf_text_from(hf_text_first(line, line.size - 1), last + 1),
        .period = 1,
        .is_bare = true,
    };
    return true;
}

static enum hf_status end_sample(struct perf_script_reader *r, struct hf_error *err)
{
    uint32_t node;
    if (!r->has_sample)
        return HF_OK;
    r->has_sample = false;
    r->sample_count++;
    enum hf_status status = hf_text_stack_end(
        &r->stack, r->profile, hf_profile_text(r->profile, r->command), &node, err);
    if (status == HF_OK)
        status = hf_typed_values_add(&r->values, node, r->event, r->period, err);
    return status;
}

/* "name+0x12 (where)" */
static void perf_script_parse_place(struct hf_text text, struct hf_text_frame *frame)
{
    struct hf_text where = {NULL, 0};
    frame->function = text;
    if (hf_text_split_group(text, &frame->function, &where)) {
        if (hf_text_ends(where, " (deleted)"))
            where.size -= strlen(" (deleted)");
        frame->is_inlined = hf_text_is(where, "inlined");
        if (!frame->is_inlined && !hf_text_is(where, "[unknown]"))
            frame->module = where;
    }
    frame->function = hf_text_without_offset(frame->function);
    if (hf_text_is(frame->function, "[unknown]"))
        frame->function.size = 0;
}

/* True for a file that is mapped as it is: no memory, no code made at run time. */
static bool is_mapped_file(struct hf_text module)
{
    return hf_text_starts(module, "/") && !hf_text_starts(module, "//") &&
           !hf_text_starts(module, "/dev/zero") && !hf_text_starts(module, "/SYSV") &&
           !hf_text_starts(module, "/anon_hugepage") && !hf_text_ends(module, ".map");
}

/* `address` is 0 if none is printed; in a call chain it is a place in the file since perf 5.9. */
static enum hf_status perf_script_add_frame(struct perf_script_reader *r, uint64_t address,
    bool is_in_chain, struct hf_text place, struct hf_error *err)
{
    struct hf_text_frame frame = {.address = address};
    perf_script_parse_place(place, &frame);
    bool is_file = is_in_chain && is_mapped_file(frame.module);
    r->is_old = r->is_old || (is_file && address > FILE_OFFSET_MAX);
    bool is_kernel = hf_modules_is_kernel(frame.module);
    struct hf_text file;
    if (hf_text_module_offset(frame.module, &file, &frame.offset)) {
        frame.module = file; /* -F +dsoff */
        frame.address = frame.offset;
    }
    /* A sample and an interrupt stop at an instruction, a call returns to the next. */
    if (r->stack.depth != 0 && !r->is_after_kernel && frame.address != 0)
        frame.address--;
    frame.offset = frame.address;
    frame.has_offset = is_file && frame.offset <= FILE_OFFSET_MAX && frame.offset != 0;
    frame.is_in_file = frame.is_module = true;
    r->is_after_kernel = is_kernel;
    r->has_frames = true;
    if (frame.module.size == 0)
        frame.address = 0; /* of nothing that is known */
    return hf_java_frame_push(&r->stack, r->profile, &frame, &r->name, err);
}

/* "401000 main (/bin/a)" with any blanks before it: no TAB tells that it is a frame. */
static bool parse_bare_frame(struct hf_text line, uint64_t *out_address, struct hf_text *out_place)
{
    struct hf_text place = hf_text_trim_start(line, " "), word = perf_script_take_word(&place),
                   name, where;
    *out_place = place;
    return !hf_text_starts(word, "0x") && hf_num_hex(word, out_address) &&
           hf_text_split_group(place, &name, &where) && name.size != 0;
}

/* "            1297 main+0x27 (/bin/a)": the address is right-aligned in its columns, unless
 * an editor was there. */
static enum hf_status perf_script_read_frame(
    struct perf_script_reader *r, struct hf_text text, struct hf_error *err)
{
    struct hf_text place = hf_text_trim_start(text, " "), word = perf_script_take_word(&place);
    uint64_t address = 0;
    r->has_stacks = true;
    struct hf_text ignored;
    bool is_narrow = text.size - place.size < ADDRESS_COLUMNS;
    if (is_narrow ? !parse_bare_frame(text, &address, &ignored) : !hf_num_hex(word, &address))
        place = hf_text_trim_start(text, " ");
    return perf_script_add_frame(r, address, true, place, err);
}

/* What "  source:line" says of the frame before it. "??:0" and "libc.so.6[27249]" say nothing. */
static enum hf_status add_source(
    struct perf_script_reader *r, struct hf_text text, struct hf_error *err)
{
    struct hf_text file = {NULL, 0}, where;
    uint32_t line = 0, *last = &r->stack.frames[r->stack.depth - 1];
    struct hf_frame frame = *hf_profile_frame_at(r->profile, *last);
    if (hf_text_split_group(text, &text, &where) && hf_text_is(where, "inlined"))
        frame.flags |= HF_FRAME_INLINED;
    if (hf_text_source(hf_text_trim_start(text, " "), &file, &line) && !hf_text_is(file, "??"))
        frame.line = line;
    else
        file.size = 0;
    if ((frame.flags & HF_FRAME_NAMED) == 0)
        return HF_OK;
    enum hf_status status = hf_profile_string(r->profile, file, &frame.file, err);
    return status == HF_OK ? hf_profile_frame(r->profile, &frame, last, err) : status;
}

/* The root frame: "java", "java-12688" or "java-12688/12764"; a number that is not there is "?". */
static enum hf_status name_task(
    struct perf_script_reader *r, const struct head *head, struct hf_error *err)
{
    size_t slash = hf_text_find(head->task, '/');
    bool has_pid = slash != head->task.size;
    struct hf_text unknown = HF_TEXT("?");
    struct hf_text pid = has_pid ? hf_text_first(head->task, slash) : unknown;
    struct hf_text tid = has_pid ? hf_text_from(head->task, slash + 1) : head->task;
    r->name.size = 0;
    hf_out_text(&r->name, head->command.size != 0 ? head->command : HF_TEXT("[unknown]"));
    if (r->input->tasks_by != HF_TASKS_BY_COMMAND) {
        hf_out_char(&r->name, '-');
        hf_out_text(&r->name, pid);
        r->has_no_pid = r->has_no_pid || !has_pid;
    }
    if (r->input->tasks_by == HF_TASKS_BY_THREAD) {
        hf_out_char(&r->name, '/');
        hf_out_text(&r->name, tid.size != 0 ? tid : unknown);
    }
    enum hf_status status = hf_out_finish(&r->name, err);
    return status == HF_OK ? hf_profile_string(r->profile, hf_out_view(&r->name), &r->command, err)
                           : status;
}

static enum hf_status begin_sample(
    struct perf_script_reader *r, const struct head *head, struct hf_error *err)
{
    enum hf_status status = name_task(r, head, err);
    if (status == HF_OK)
        status = hf_profile_string(r->profile, head->event, &r->event, err);
    if (status != HF_OK)
        return status;
    r->period = head->period;
    r->has_sample = true;
    r->is_after_kernel = false;
    /* Without call chains the one frame stands behind the head. */
    struct hf_text place = head->rest, word = perf_script_take_word(&place), name, where;
    uint64_t address;
    if (hf_num_hex(word, &address) && hf_text_split_group(place, &name, &where))
        return perf_script_add_frame(r, address, false, place, err);
    return HF_OK;
}

static enum hf_status perf_script_read_line(
    struct perf_script_reader *r, struct hf_text line, struct hf_error *err)
{
    struct head head;
    struct hf_text place;
    uint64_t address;
    if (line.size == 0)
        return end_sample(r, err);
    if (line.data[0] == '#')
        return HF_OK;
    if (line.data[0] == '\t' && r->has_sample)
        return perf_script_read_frame(r, hf_text_from(line, 1), err);
    if (line.data[0] != '\t' && parse_head(line, &head) && !(head.is_bare && r->has_sample)) {
        enum hf_status status = end_sample(r, err);
        return status == HF_OK ? begin_sample(r, &head, err) : status;
    }
    if (r->has_sample && parse_bare_frame(line, &address, &place)) {
        r->has_stacks = true;
        return perf_script_add_frame(r, address, false, place, err);
    }
    if (line.data[0] == ' ' && r->has_sample && r->stack.depth != 0)
        return add_source(r, line, err);
    if (!hf_text_has(line, OTHER_RECORD))
        hf_skipped_lines_add(&r->skipped, r->input->line);
    return HF_OK;
}

/* A stack ends with a blank line: without one its callers may be missing. */
static enum hf_status perf_script_end_file(struct perf_script_reader *r, struct hf_error *err)
{
    bool is_whole = !r->has_stacks && (r->has_frames || r->sample_count != 0);
    if (r->has_sample && !is_whole) {
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: ends inside a stack, which is skipped: the file is cut", r->input->name);
        r->has_sample = false;
    }
    return end_sample(r, err);
}

/* Takes back what was thought to be offsets: of an old perf only the files are known. */
static enum hf_status forget_offsets(struct perf_script_reader *r, struct hf_error *err)
{
    uint32_t count = r->profile->frames.count;
    uint32_t *changed = calloc((size_t)count + 1, sizeof *changed);
    enum hf_status status = changed != NULL ? HF_OK : hf_error_memory(err);
    for (uint32_t i = 0; i < count && status == HF_OK; i++) {
        struct hf_frame frame = *hf_profile_frame_at(r->profile, i);
        struct hf_text_frame place = {
            .module = hf_profile_text(r->profile, r->profile->modules[frame.module].path)};
        changed[i] = i;
        if ((frame.flags & HF_FRAME_HAS_OFFSET) != 0 && frame.module != HF_NO_MODULE)
            status = hf_text_frame_add(r->profile, &place, &changed[i], err);
    }
    if (status == HF_OK)
        status = hf_samples_map_frames(r->profile, changed, err);
    free(changed);
    r->profile->has_addresses = false;
    return status;
}

static enum hf_status perf_script_read_all(struct perf_script_reader *r, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    r->profile->capture.is_no_heap = true;
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err)) {
        if (!r->input->last_line_is_cut)
            status = perf_script_read_line(r, line, err);
        else
            hf_skipped_lines_add(&r->skipped, r->input->line);
    }
    if (status == HF_OK)
        status = perf_script_end_file(r, err);
    if (status == HF_OK)
        status = hf_typed_values_end(&r->values, r->profile, r->input->name, "events", err);
    if (status == HF_OK && r->is_old)
        status = forget_offsets(r, err);
    if (r->has_no_pid)
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: samples without a PID are shown under '?': let perf script print the PID with -F "
            "+pid",
            r->input->name);
    hf_skipped_lines_note(&r->skipped, HF_NOTE_LOSS,
        "line that is neither a sample nor a frame of perf",
        "lines that are neither a sample nor a frame of perf", r->input->name, &r->profile->notes);
    return status;
}

static enum hf_status read_perf_script(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct perf_script_reader r = {.input = input, .profile = profile};
    enum hf_status status = perf_script_read_all(&r, err);
    hf_text_stack_done(&r.stack);
    hf_out_done(&r.name);
    hf_typed_values_done(&r.values);
    return status;
}

/* The first line that is no comment is a head; sure if a frame is on it or follows. */
static enum hf_bid perf_script_bid(struct hf_text first_bytes)
{
    struct hf_text line;
    struct head head;
    do {
        line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n'));
        first_bytes = hf_text_from(first_bytes, line.size + 1);
    } while (first_bytes.size != 0 &&
             (line.size == 0 || line.data[0] == '#' || hf_text_has(line, OTHER_RECORD)));
    if (line.size == 0 || line.data[0] == '\t' || !parse_head(line, &head))
        return HF_BID_NO;
    struct hf_text next = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n'));
    uint64_t address;
    if (hf_text_ends(line, ")") || hf_text_starts(next, "\t") ||
        parse_bare_frame(next, &address, &line))
        return HF_BID_SURE;
    return head.is_bare ? HF_BID_NO : HF_BID_LIKELY;
}

const struct hf_format hf_format_perf_script = {
    .name = "perf script",
    .bid = perf_script_bid,
    .read = read_perf_script,
};
