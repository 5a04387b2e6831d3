/*
 * memcheck.c: the leak report of Valgrind memcheck, as it is printed (--leak-check=full).
 *
 *     line    = "==" [ time " " ] pid "== " text LF     anything else is the program's own
 *     report  = [ "HEAP SUMMARY:" ... ]  { record LF { frame LF } LF }  "LEAK SUMMARY:" LF
 *               { blanks kind ": " amount LF }  blanks "suppressed: " amount LF
 *             | "All heap blocks were freed ..." LF
 *     record  = memcheck.h        frame = "   at " place | "   by " place     text_frame.h
 *
 * Source: Valgrind manual; recorded from 3.19. Several processes may write into one file, line by
 * line: each has its own state, and their leaks are added up. A program that asks for leak checks
 * gets one report each time: the last one counts. A kind of which the summary has blocks, but no
 * record came, was not asked for (--show-leak-kinds); any other difference is a loss.
 */
#include "formats/valgrind/memcheck.h"

#include "base/checked.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "formats/format.h"
#include "formats/reports/text_frame.h"
#include "formats/skipped_lines.h"

#include <inttypes.h>
#include <stdlib.h>

#define FULL_OPTIONS "--leak-check=full --show-leak-kinds=all"

struct memcheck_leak {
    uint32_t node;
    struct hf_leak_amount amount;
};

struct process {
    uint64_t pid;
    bool is_in_record, is_in_summary;
    bool is_complete;  /* the report has its end */
    bool has_no_check; /* it was run without leak check */
    struct hf_leak_record record;
    struct hf_text_stack stack;
    struct memcheck_leak *leaks; /* of the last report */
    size_t leak_count, leak_capacity;
    struct hf_leak_amount listed[HF_LEAK_KINDS]; /* sums of the records */
    bool is_compared[HF_LEAK_KINDS];
};

struct memcheck_reader {
    struct hf_input *input;
    struct hf_profile *profile;
    struct process *processes;
    size_t process_count, process_capacity;
    struct hf_map process_index; /* pid -> process */
};

/* Takes "==123== " or "==00:00:00:01.234 123== " off the front. */
static bool take_prefix(struct hf_text *line, uint64_t *out_pid)
{
    if (!hf_text_starts(*line, "=="))
        return false;
    struct hf_text rest = hf_text_from(*line, 2);
    const char *end = rest.size != 0 ? memmem(rest.data, rest.size, "==", 2) : NULL;
    if (end == NULL)
        return false;
    struct hf_text head = hf_text_first(rest, (size_t)(end - rest.data));
    size_t blank = hf_text_find_last(head, ' ');
    if (!hf_num_u64(blank == head.size ? head : hf_text_from(head, blank + 1), out_pid))
        return false;
    rest = hf_text_from(rest, head.size + 2);
    *line = hf_text_starts(rest, " ") ? hf_text_from(rest, 1) : rest;
    return rest.size == 0 || rest.data[0] == ' ';
}

static bool holds(struct hf_text line, const char *part)
{
    return line.size != 0 && memmem(line.data, line.size, part, strlen(part)) != NULL;
}

/* Takes the prefix off, and what the program wrote before it into the same line. */
static bool memcheck_find_prefix(struct hf_text *line, uint64_t *out_pid)
{
    struct hf_text rest = *line;
    while (!take_prefix(&rest, out_pid)) {
        const char *next = rest.size > 1 ? memmem(rest.data + 1, rest.size - 1, "==", 2) : NULL;
        if (next == NULL)
            return false;
        rest = hf_text_from(rest, (size_t)(next - rest.data));
    }
    *line = rest;
    return true;
}

/* NULL in *out_process, and a note, beyond HF_LIMIT_PROCESSES. */
static enum hf_status find_process(
    struct memcheck_reader *r, uint64_t pid, struct process **out_process, struct hf_error *err)
{
    uint32_t *known = hf_map_find(&r->process_index, pid);
    *out_process = NULL;
    if (known != NULL) {
        *out_process = &r->processes[*known];
        return HF_OK;
    }
    if (r->process_count == HF_LIMIT_PROCESSES) {
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: more than %u processes (HF_LIMIT_PROCESSES); the others are left out",
            r->input->name, HF_LIMIT_PROCESSES);
        return HF_OK;
    }
    if (!hf_vec_reserve(
            &r->processes, &r->process_capacity, r->process_count + 1, sizeof *r->processes) ||
        hf_map_put(&r->process_index, pid, (uint32_t)r->process_count, NULL) == NULL)
        return hf_error_memory(err);
    r->processes[r->process_count] = (struct process){.pid = pid};
    *out_process = &r->processes[r->process_count++];
    return HF_OK;
}

/* A report began after one that had ended: it takes the place of that one. */
static void memcheck_begin_report(struct memcheck_reader *r, struct process *p)
{
    if (!p->is_complete)
        return;
    if (p->leak_count != 0)
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: process %" PRIu64 " made several leak checks; the last one is shown",
            r->input->name, p->pid);
    p->is_complete = false;
    p->leak_count = 0;
    memset(p->listed, 0, sizeof p->listed);
    memset(p->is_compared, 0, sizeof p->is_compared);
}

static enum hf_status end_record(struct memcheck_reader *r, struct process *p, struct hf_error *err)
{
    struct memcheck_leak leak = {.amount = p->record.amount};
    bool ignored = false;
    if (!p->is_in_record)
        return HF_OK;
    p->is_in_record = false;
    enum hf_status status =
        hf_text_stack_end(&p->stack, r->profile, hf_leak_label(p->record.kind), &leak.node, err);
    if (status != HF_OK)
        return status;
    if (!hf_vec_reserve(&p->leaks, &p->leak_capacity, p->leak_count + 1, sizeof *p->leaks))
        return hf_error_memory(err);
    p->leaks[p->leak_count++] = leak;
    struct hf_leak_amount *sum = &p->listed[p->record.kind];
    sum->bytes = hf_add_saturating(sum->bytes, leak.amount.bytes, &ignored);
    sum->blocks = hf_add_saturating(sum->blocks, leak.amount.blocks, &ignored);
    return HF_OK;
}

/* "definitely lost: 336 bytes in 10 blocks" of the summary against the records. */
static void memcheck_compare(struct memcheck_reader *r, struct process *p, enum hf_leak_kind kind,
    const struct hf_leak_amount *row)
{
    const struct hf_leak_amount *listed = &p->listed[kind];
    p->is_compared[kind] = true;
    if (row->bytes == listed->bytes && row->blocks == listed->blocks)
        return;
    const char *bytes = hf_plural(row->bytes, "byte", "bytes");
    const char *blocks = hf_plural(row->blocks, "block is", "blocks are");
    if (listed->blocks == 0)
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: process %" PRIu64 ": %" PRIu64 " %s in %" PRIu64
            " %s %s, but not listed: run valgrind with " FULL_OPTIONS,
            r->input->name, p->pid, row->bytes, bytes, row->blocks, blocks,
            hf_leak_kind_names[kind]);
    else
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: process %" PRIu64 ": its summary says that %" PRIu64 " %s in %" PRIu64
            " %s %s, its records say %" PRIu64 " in %" PRIu64 ": the file is cut or damaged",
            r->input->name, p->pid, row->bytes, bytes, row->blocks, blocks,
            hf_leak_kind_names[kind], listed->bytes, listed->blocks);
}

static void read_summary(struct memcheck_reader *r, struct process *p, struct hf_text text)
{
    while (hf_text_starts(text, " "))
        text = hf_text_from(text, 1);
    size_t colon = hf_text_find(text, ':');
    struct hf_text kind_name = hf_text_first(text, colon);
    struct hf_leak_amount amount;
    if (!hf_leak_parse_amount(hf_text_from(text, colon + 2), &amount))
        return; /* seen when it ends: a row is missing */
    for (size_t kind = 0; kind < HF_LEAK_KINDS; kind++) {
        if (hf_text_is(kind_name, hf_leak_kind_names[kind]))
            memcheck_compare(r, p, (enum hf_leak_kind)kind, &amount);
    }
    if (!hf_text_is(kind_name, "suppressed"))
        return;
    p->is_in_summary = false;
    p->is_complete = true;
    for (size_t kind = 0; kind < HF_LEAK_KINDS; kind++)
        p->is_complete = p->is_complete && p->is_compared[kind];
}

static enum hf_status memcheck_read_frame(
    struct memcheck_reader *r, struct process *p, struct hf_text text, struct hf_error *err)
{
    struct hf_text_frame frame;
    if (!hf_text_frame_valgrind(hf_text_from(text, strlen("   at ")), &frame)) {
        hf_skipped_line(r->input, r->profile, "a frame '   by 0x...: name (file:line)'", text);
        return HF_OK;
    }
    return hf_text_stack_push(&p->stack, r->profile, &frame, err);
}

static enum hf_status read_text(
    struct memcheck_reader *r, struct process *p, struct hf_text text, struct hf_error *err)
{
    if (p->is_in_record) {
        if (hf_text_starts(text, "   at ") || hf_text_starts(text, "   by "))
            return memcheck_read_frame(r, p, text, err);
        if (text.size != 0)
            hf_skipped_line(r->input, r->profile,
                "a frame '   by 0x...: name (file:line)' or the end of the stack", text);
        enum hf_status status = end_record(r, p, err);
        if (status != HF_OK)
            return status;
    }
    if (hf_leak_is_record(text)) {
        memcheck_begin_report(r, p);
        p->is_in_record = hf_leak_parse_record(text, &p->record);
        if (!p->is_in_record)
            hf_skipped_line(r->input, r->profile,
                "'N bytes in N blocks are definitely lost in loss record'", text);
    } else if (hf_text_is(text, "LEAK SUMMARY:")) {
        memcheck_begin_report(r, p);
        p->is_in_summary = true;
    } else if (p->is_in_summary) {
        read_summary(r, p, text);
    } else if (hf_text_starts(text, "All heap blocks were freed")) {
        memcheck_begin_report(r, p);
        p->is_complete = true;
    } else if (hf_text_starts(text, "For a detailed leak analysis")) {
        p->has_no_check = true;
    }
    return HF_OK;
}

static enum hf_status add_leaks(
    struct memcheck_reader *r, const struct process *p, struct hf_error *err)
{
    for (size_t i = 0; i < p->leak_count; i++) {
        uint64_t values[] = {p->leaks[i].amount.blocks, p->leaks[i].amount.bytes};
        enum hf_status status =
            hf_profile_add_sample(r->profile, p->leaks[i].node, HF_THREAD_ALL, values, err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

static enum hf_status end_process(
    struct memcheck_reader *r, struct process *p, struct hf_error *err)
{
    enum hf_status status = end_record(r, p, err);
    if (status == HF_OK)
        status = add_leaks(r, p, err);
    if (p->has_no_check && !p->is_complete && p->leak_count == 0)
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: process %" PRIu64 " was run without leak check: run valgrind with " FULL_OPTIONS,
            r->input->name, p->pid);
    else if (!p->is_complete)
        hf_notes_add(&r->profile->notes, HF_NOTE_LOSS,
            "%s: the leak report of process %" PRIu64
            " has no whole 'LEAK SUMMARY:': the process was killed, or the file is cut or damaged",
            r->input->name, p->pid);
    return status;
}

static enum hf_status end_all(struct memcheck_reader *r, struct hf_error *err)
{
    size_t with_leaks = 0;
    bool has_report = false;
    for (size_t i = 0; i < r->process_count; i++) {
        struct process *p = &r->processes[i];
        has_report = has_report || p->is_complete || p->is_in_record || p->leak_count != 0;
        enum hf_status status = end_process(r, p, err);
        if (status != HF_OK)
            return status;
        with_leaks += p->leak_count != 0;
    }
    if (!has_report)
        return hf_error_set(err, HF_ERR_INPUT,
            "is output of valgrind, but holds no leak report: run valgrind with " FULL_OPTIONS
            " (massif and DHAT write files of their own: massif.out.PID, dhat.out.PID)");
    if (with_leaks > 1)
        hf_notes_add(&r->profile->notes, HF_NOTE_INFO,
            "%s: the leaks of %zu processes are added up", r->input->name,
            /* never 1 */ with_leaks);
    return HF_OK;
}

static enum hf_status memcheck_read_all(struct memcheck_reader *r, struct hf_error *err)
{
    enum hf_status status = hf_profile_add_inuse_types(r->profile, err);
    struct hf_text line;
    while (hf_input_next(r->input, &line, &status, err)) {
        uint64_t pid;
        struct process *p = NULL;
        if (!memcheck_find_prefix(&line, &pid)) {
            if (holds(line, "   by 0x") || holds(line, "   at 0x") || hf_leak_is_record(line))
                hf_skipped_line(
                    r->input, r->profile, "'==PID==' at the start of valgrind's output", line);
            continue;
        }
        status = find_process(r, pid, &p, err);
        if (status == HF_OK && p != NULL)
            status = read_text(r, p, line, err);
    }
    return status == HF_OK ? end_all(r, err) : status;
}

static enum hf_status read_memcheck(
    struct hf_input *input, struct hf_profile *profile, struct hf_error *err)
{
    struct memcheck_reader r = {.input = input, .profile = profile};
    enum hf_status status = memcheck_read_all(&r, err);
    for (size_t i = 0; i < r.process_count; i++) {
        hf_text_stack_done(&r.processes[i].stack);
        free(r.processes[i].leaks);
    }
    free(r.processes);
    hf_map_done(&r.process_index);
    return status;
}

static enum hf_bid memcheck_bid(struct hf_text first_bytes)
{
    enum hf_bid best = HF_BID_NO;
    while (first_bytes.size != 0) {
        struct hf_text line = hf_text_first(first_bytes, hf_text_find(first_bytes, '\n'));
        first_bytes = hf_text_from(first_bytes, line.size + 1);
        uint64_t pid;
        if (!take_prefix(&line, &pid))
            continue;
        if (hf_text_is(line, "LEAK SUMMARY:") || hf_leak_is_record(line) ||
            hf_text_starts(line, "Memcheck, "))
            return HF_BID_SURE;
        best = HF_BID_LIKELY;
    }
    return best;
}

const struct hf_format hf_format_memcheck = {
    .name = "Valgrind memcheck",
    .bid = memcheck_bid,
    .read = read_memcheck,
};
