/*
 * The tracker's rules: tests/replay/ *.events, events and what they must come to, with no kernel.
 *
 * A file is lines; '#' begins a comment, a line "---" the outcome. Numbers are decimal, or
 * hexadecimal with 0x. A stack is its functions, outermost first: "main;parse".
 *
 *     keep-all                          before all else: no class of contexts is skipped
 *     there CONTEXT NAME                a context that is there at the start
 *     TID SP > ROLE [KEY VALUE]...      a call is entered
 *     TID SP < RESULT [probe N]         it returns; SP as at entry
 *     put ROLE [KEY VALUE]...           a block that is known to be in use
 *     lose events|allocs|stacks|memory COUNT
 *     at TIME                           of the next event; each later one is 1 ns later; from 1
 *
 * Keys: probe, stack, context, in-context, name, address, size.
 *
 * The outcome, all of it: blocks in use by address, then what was ever allocated at each stack in
 * the order of its first allocation, then the counts that are not 0, as struct hf_tracker_counts
 * has them.
 *
 *     live ADDRESS SIZE BIRTH STACK
 *     total OBJECTS BYTES STACK
 *     COUNTER COUNT
 */
#include "attach/tracker/tracker.h"
#include "base/strings/num.h"
#include "live/reader.h"

#include "check.h"

#include <dirent.h>

#define FILE_BYTES 65536
#define FUNCTIONS 64
#define STACK_FUNCTIONS 16
#define BLOCKS 1024

struct replay {
    struct hf_tracker *tracker;
    struct hf_text functions[FUNCTIONS]; /* a frame is the number of one, from 1 */
    size_t function_count, line;
    uint64_t now;
};

static const char *const loss_names[HF_TRACKER_LOSSES] = {"events", "allocs", "stacks", "memory"};

static void bad(const struct replay *r, const char *what, struct hf_text found)
{
    print_error("%s: line %zu: expected %s, found \"%.*s\"\n", check_case, r->line, what,
        (int)found.size, found.size != 0 ? found.data : "");
    fail();
}

/* Takes the first word off a line; empty at its end. */
static struct hf_text take_word(struct hf_text *line)
{
    *line = hf_text_trim_start(*line, " ");
    struct hf_text word = hf_text_first(*line, hf_text_find(*line, ' '));
    *line = hf_text_from(*line, word.size);
    return word;
}

static uint64_t number_of(const struct replay *r, struct hf_text word)
{
    uint64_t value = 0;
    if (!(hf_text_starts(word, "0x") ? hf_num_hex(word, &value) : hf_num_u64(word, &value)))
        bad(r, "a number", word);
    return value;
}

static uint64_t take_number(const struct replay *r, struct hf_text *line)
{
    return number_of(r, take_word(line));
}

static size_t take_one_of(
    const struct replay *r, struct hf_text word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (hf_text_is(word, names[i]))
            return i;
    }
    bad(r, "a role or a loss", word);
    return 0;
}

static enum hf_role role_of(const struct replay *r, struct hf_text word)
{
    static const char *const names[HF_ROLES] = {
        "alloc", "free", "realloc", "reset", "delete", "ctxnew", "map", "unmap"};
    return (enum hf_role)take_one_of(r, word, names, HF_ROLES);
}

static uint64_t frame_of(struct replay *r, struct hf_text function)
{
    size_t i = 0;
    while (i < r->function_count && !hf_text_equal(r->functions[i], function))
        i++;
    if (i == r->function_count) {
        assert_true(i < FUNCTIONS);
        r->functions[r->function_count++] = function;
    }
    return hf_live_frame(0, i + 1);
}

static uint32_t stack_of(struct replay *r, struct hf_text functions)
{
    uint64_t frames[STACK_FUNCTIONS];
    size_t at = STACK_FUNCTIONS;
    while (functions.size != 0) {
        struct hf_text function = hf_text_first(functions, hf_text_find(functions, ';'));
        assert_true(at != 0);
        frames[--at] = frame_of(r, function);
        functions = hf_text_from(functions, function.size + 1);
    }
    uint32_t stack;
    assert_true(hf_tracker_stack(r->tracker, &frames[at], STACK_FUNCTIONS - at, 0, &stack));
    return stack;
}

/* "ROLE [KEY VALUE]..." */
static struct hf_traced_call take_call(struct replay *r, struct hf_text line)
{
    struct hf_traced_call call = {
        .role = role_of(r, take_word(&line)), .stack = HF_TRACKER_NO_STACK, .time_ns = r->now};
    call.probe = call.role; /* as if each had one */
    for (struct hf_text key = take_word(&line); key.size != 0; key = take_word(&line)) {
        struct hf_text value = take_word(&line);
        if (hf_text_is(key, "stack"))
            call.stack = stack_of(r, value);
        else if (hf_text_is(key, "name"))
            call.name = value;
        else if (hf_text_is(key, "probe"))
            call.probe = (uint32_t)number_of(r, value);
        else if (hf_text_is(key, "context"))
            call.context = number_of(r, value);
        else if (hf_text_is(key, "address"))
            call.address = number_of(r, value);
        else if (hf_text_is(key, "size"))
            call.size = number_of(r, value);
        else if (hf_text_is(key, "in-context"))
            call.is_in_context = number_of(r, value) != 0;
        else
            bad(r, "a key", key);
    }
    return call;
}

/* The probe of the call that was entered last at each depth, so that a return need not say it. */
static uint32_t probe_at[8][0x1000]; /* by thread and stack pointer */

static void do_half_call(struct replay *r, uint32_t tid, struct hf_text line)
{
    uint64_t sp = take_number(r, &line);
    struct hf_text direction = take_word(&line);
    assert_true(tid < HF_COUNT(probe_at) && sp < HF_COUNT(probe_at[0]));
    if (hf_text_is(direction, ">")) {
        struct hf_traced_call call = take_call(r, line);
        call.tid = tid;
        call.sp = sp;
        probe_at[tid][sp] = call.probe;
        (void)hf_tracker_wants(r->tracker, &call); /* changes nothing */
        hf_tracker_enter(r->tracker, &call);
    } else if (hf_text_is(direction, "<")) {
        uint64_t result = take_number(r, &line);
        uint32_t probe = probe_at[tid][sp];
        if (hf_text_is(take_word(&line), "probe"))
            probe = (uint32_t)take_number(r, &line);
        hf_tracker_return(r->tracker, probe, tid, sp + 8, r->now, result);
    } else {
        bad(r, "> or <", direction);
    }
}

static void begin(struct replay *r, bool skips_short_lived)
{
    struct hf_tracker_options options = {.pid = 1,
        .period_bytes = 1,
        .table_bytes = HF_LIVE_TABLE_MIN,
        .skips_short_lived = skips_short_lived};
    struct hf_error err;
    hf_tracker_free(r->tracker);
    check_ok(hf_tracker_new(&options, &r->tracker, &err), &err);
    r->now = 1;
}

static void do_line(struct replay *r, struct hf_text line)
{
    struct hf_text first = take_word(&line);
    if (hf_text_is(first, "keep-all")) {
        begin(r, false);
    } else if (hf_text_is(first, "there")) {
        uint64_t context = take_number(r, &line);
        hf_tracker_add_context(r->tracker, context, take_word(&line));
    } else if (hf_text_is(first, "at")) {
        r->now = take_number(r, &line);
    } else if (hf_text_is(first, "lose")) {
        size_t why = take_one_of(r, take_word(&line), loss_names, HF_TRACKER_LOSSES);
        hf_tracker_lose(r->tracker, (enum hf_tracker_loss)why, take_number(r, &line), r->now++);
    } else if (hf_text_is(first, "put")) {
        struct hf_traced_call call = take_call(r, line);
        hf_tracker_put(r->tracker, &call);
        r->now++;
    } else if (first.size != 0) {
        do_half_call(r, (uint32_t)number_of(r, first), line);
        r->now++;
    }
}

struct seen {
    struct hf_live_seen_block blocks[BLOCKS];
    size_t count;
};

static enum hf_status see(
    void *context, const struct hf_live_seen_block *block, struct hf_error *err)
{
    struct seen *seen = context;
    (void)err;
    assert_true(seen->count < BLOCKS);
    seen->blocks[seen->count++] = *block;
    return HF_OK;
}

static int by_address(const void *a, const void *b)
{
    const struct hf_live_seen_block *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static void print_stack(const struct replay *r, const struct hf_live_snapshot *table,
    uint32_t stack, struct hf_out *out)
{
    size_t count;
    const uint64_t *frames = hf_live_stack_frames(table, &hf_live_stacks(table)[stack], &count);
    for (size_t i = count; i-- != 0;) {
        uint64_t offset = hf_live_frame_offset(frames[i]);
        hf_out_text(out, hf_live_frame_module(frames[i]) == HF_LIVE_NAME
                             ? hf_live_text(table, (uint32_t)(offset >> 16), offset & 0xffff)
                             : r->functions[offset - 1]);
        hf_out_char(out, i != 0 ? ';' : '\n');
    }
}

static void print_counts(struct hf_tracker *tracker, struct hf_out *out)
{
    struct hf_tracker_counts counts = hf_tracker_counts(tracker);
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {
        {"allocs", counts.allocs},
        {"frees", counts.frees},
        {"unknown_frees", counts.unknown_frees},
        {"overwritten", counts.overwritten},
        {"unpaired_entries", counts.unpaired_entries},
        {"unpaired_returns", counts.unpaired_returns},
        {"skipped", counts.skipped},
        {"suspects", counts.suspects},
        {"suspect_bytes", counts.suspect_bytes},
    };
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        if (rows[i].count != 0)
            hf_out_printf(out, "%s %lu\n", rows[i].name, (unsigned long)rows[i].count);
    }
    for (size_t i = 0; i < HF_TRACKER_LOSSES; i++) {
        if (counts.lost[i] != 0)
            hf_out_printf(out, "lost_%s %lu\n", loss_names[i], (unsigned long)counts.lost[i]);
    }
}

static void print_outcome(struct replay *r, struct hf_out *out)
{
    static struct seen seen;
    struct hf_live_snapshot table = {0};
    struct hf_error err;
    const struct hf_live_head *head = hf_tracker_table(r->tracker)->head;
    struct hf_text bytes = {(const char *)head, head->table_bytes};
    seen.count = 0;
    check_ok(hf_live_read(&table, hf_live_source_in(&bytes, "table"),
                 (struct hf_live_visitor){see, &seen}, &err),
        &err);
    qsort(seen.blocks, seen.count, sizeof *seen.blocks, by_address);
    for (size_t i = 0; i < seen.count; i++) {
        const struct hf_live_seen_block *block = &seen.blocks[i];
        hf_out_printf(out, "live 0x%lx %lu %lu ", (unsigned long)block->address,
            (unsigned long)block->size, (unsigned long)block->birth);
        print_stack(r, &table, block->stack, out);
    }
    for (uint32_t i = 0; i < table.counts[HF_LIVE_STACKS]; i++) {
        const struct hf_live_stack *stack = &hf_live_stacks(&table)[i];
        if (stack->objects == 0)
            continue;
        hf_out_printf(out, "total %lu %lu ", (unsigned long)(stack->objects / HF_LIVE_OBJECT),
            (unsigned long)stack->bytes);
        print_stack(r, &table, i, out);
    }
    hf_live_snapshot_done(&table);
    print_counts(r->tracker, out);
}

static void replay_file(void **state)
{
    static char bytes[FILE_BYTES];
    struct replay r = {0};
    struct hf_out path = {0}, out = {0};
    check_case = *state;
    hf_out_printf(&path, "%s/tests/replay/%s", getenv("HEAPFLAME_SRC"), check_case);
    hf_out_char(&path, '\0');
    FILE *file = fopen(hf_out_view(&path).data, "r");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    assert_true(size < sizeof bytes - 1);
    bytes[size] = '\0';
    (void)fclose(file);
    hf_out_done(&path);
    struct hf_text rest = {bytes, size};
    size_t outcome = hf_text_find_string(rest, "\n---\n");
    assert_true(outcome != size);
    struct hf_text events = hf_text_first(rest, outcome);
    begin(&r, true);
    while (events.size != 0) {
        struct hf_text line = hf_text_first(events, hf_text_find(events, '\n'));
        events = hf_text_from(events, line.size + 1);
        r.line++;
        do_line(&r, hf_text_trim_end(hf_text_first(line, hf_text_find(line, '#')), " "));
    }
    print_outcome(&r, &out);
    check_out(&out, bytes + outcome + strlen("\n---\n"));
    hf_out_done(&out);
    hf_tracker_free(r.tracker);
}

static int is_replay(const struct dirent *entry)
{
    return hf_text_ends(hf_text_of(entry->d_name), ".events");
}

int main(void)
{
    struct hf_out folder = {0};
    struct dirent **entries;
    hf_out_printf(&folder, "%s/tests/replay", getenv("HEAPFLAME_SRC"));
    hf_out_char(&folder, '\0');
    int count = scandir(hf_out_view(&folder).data, &entries, is_replay, alphasort);
    hf_out_done(&folder);
    struct CMUnitTest tests[256] = {0};
    if (count <= 0 || (size_t)count > HF_COUNT(tests))
        return 1;
    for (int i = 0; i < count; i++)
        tests[i] =
            (struct CMUnitTest){entries[i]->d_name, replay_file, NULL, NULL, entries[i]->d_name};
    int failed = _cmocka_run_group_tests("replay", tests, (size_t)count, NULL, NULL);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return failed;
}
