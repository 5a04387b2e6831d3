/*
 * The tracker against a process that is made up: a million calls of four threads, in contexts and
 * without, of which the truth is known. Without losses the tracker knows exactly that; with calls
 * dropped at random, what it believes beyond the truth is suspect, and what it misses is no more
 * than what was dropped.
 */
#include "attach/tracker/tracker.h"
#include "live/reader.h"
#include "profile/notes.h"

#include "check.h"

#include <sys/mman.h>

#define CELLS 2048 /* places for blocks */
#define BLOCKS_AT UINT64_C(0x100000)
#define CELL_BYTES 64u
#define PAGES 256 /* places for mappings */
#define PAGES_AT UINT64_C(0x7000000)
#define PAGE UINT64_C(0x1000)
#define CONTEXTS 16
#define CONTEXTS_AT UINT64_C(0x20000)
#define THREADS 4
#define STACKS 8
#define EVENTS 350000u
#define EVENTS_BETWEEN_LOOKS 10000u

struct cell {
    uint64_t birth, size; /* birth 0: nothing is there */
    uint32_t context;     /* from 1; 0: none */
    uint32_t stack;
};

/* What a thread is in the middle of. */
struct thread {
    struct hf_traced_call call;
    bool is_in_call;
    uint32_t old_cell; /* of a realloc; CELLS: none */
};

struct world {
    struct hf_tracker *tracker;
    struct cell cells[CELLS];
    uint64_t page_births[PAGES], context_births[CONTEXTS + 1];
    uint64_t objects[STACKS], bytes[STACKS]; /* ever allocated; of mappings, too */
    struct thread threads[THREADS];
    uint64_t seed, now, events, dropped, last_drop;
    uint32_t drop_one_in; /* 0: none */
};

static uint32_t pick(struct world *w, uint32_t count)
{
    return check_random(&w->seed) % count;
}

static uint64_t address_of(uint32_t cell)
{
    return BLOCKS_AT + cell * CELL_BYTES;
}

/* True if the next half call does not reach the tracker; which then knows of a loss. */
static bool is_dropped(struct world *w)
{
    w->events++;
    w->now++;
    if (w->drop_one_in == 0 || pick(w, w->drop_one_in) != 0)
        return false;
    w->dropped++;
    w->last_drop = w->now;
    hf_tracker_lose(w->tracker, HF_TRACKER_LOST_EVENTS, 1, w->now);
    return true;
}

static void enter(struct world *w, struct hf_traced_call call)
{
    if (is_dropped(w))
        return;
    call.time_ns = w->now;
    if (!hf_tracker_wants(w->tracker, &call))
        call.stack = HF_TRACKER_NO_STACK;
    hf_tracker_enter(w->tracker, &call);
}

static void leave(struct world *w, const struct hf_traced_call *call, uint64_t result)
{
    if (!is_dropped(w))
        hf_tracker_return(w->tracker, call->probe, call->tid, call->sp + 8, w->now, result);
}

/* An empty cell; CELLS if a few tries found none. */
static uint32_t pick_empty(struct world *w)
{
    for (unsigned i = 0; i < 8; i++) {
        uint32_t cell = pick(w, CELLS);
        if (w->cells[cell].birth == 0)
            return cell;
    }
    return CELLS;
}

static struct hf_traced_call call_of(
    struct world *w, uint32_t tid, enum hf_role role, uint32_t context)
{
    static const char *const names[] = {"Cache", "Message", "Executor", "Plan"};
    struct hf_traced_call call = {
        .role = role, .probe = role, .tid = tid, .sp = 0x1000 * (tid + 1)};
    call.stack = pick(w, STACKS);
    if (context != 0) {
        call.context = CONTEXTS_AT + 16 * context;
        call.name = hf_text_of(names[context % HF_COUNT(names)]);
    }
    return call;
}

static void allocated(struct world *w, const struct hf_traced_call *call)
{
    w->objects[call->stack]++;
    w->bytes[call->stack] += call->size;
}

static uint32_t context_in(const struct hf_traced_call *call)
{
    return call->context != 0 ? (uint32_t)(call->context - CONTEXTS_AT) / 16 : 0;
}

/* The allocator gives `call` a block; 0: it fails. */
static uint64_t give(
    struct world *w, const struct hf_traced_call *call, uint32_t cell, uint64_t birth)
{
    if (cell == CELLS)
        return 0;
    w->cells[cell] = (struct cell){birth, call->size, context_in(call), call->stack};
    allocated(w, call);
    return address_of(cell);
}

static void end_realloc(struct world *w, struct thread *thread)
{
    struct hf_traced_call inner = thread->call;
    uint32_t old = thread->old_cell, cell = old;
    uint64_t result = 0, birth = 0;
    switch (pick(w, 3)) {
    case 0: /* fails */ break;
    case 1: /* in place */
        if (old != CELLS)
            birth = w->cells[old].birth;
        result = give(w, &thread->call, cell, birth);
        break;
    default: /* moves, by an inner alloc and free */
        cell = pick_empty(w);
        if (cell == CELLS || old == CELLS)
            break;
        inner.sp -= 64;
        inner.role = HF_ROLE_ALLOC;
        inner.probe = HF_ROLE_ALLOC;
        enter(w, inner);
        leave(w, &inner, address_of(cell));
        result = give(w, &thread->call, cell, w->now + 2); /* the free comes between */
        inner.role = HF_ROLE_FREE;
        inner.address = address_of(old);
        w->cells[old].birth = 0;
        enter(w, inner);
    }
    leave(w, &thread->call, result);
}

static void end_call(struct world *w, struct thread *thread)
{
    thread->is_in_call = false;
    if (thread->call.role == HF_ROLE_REALLOC)
        end_realloc(w, thread);
    else
        leave(w, &thread->call,
            give(w, &thread->call, pick(w, 16) != 0 ? pick_empty(w) : CELLS, w->now + 1));
}

/* Frees whatever lives in a context. Not while a thread is in a call about it: that is no sound
 * program. */
static void end_context(struct world *w, uint32_t tid, uint32_t context)
{
    struct hf_traced_call call = call_of(w, tid, HF_ROLE_RESET, context);
    for (uint32_t i = 0; i < THREADS; i++) {
        if (w->threads[i].is_in_call && context_in(&w->threads[i].call) == context)
            return;
    }
    if (pick(w, 2) == 0) {
        call.role = HF_ROLE_DELETE;
        w->context_births[context] = 0;
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        if (w->cells[i].context == context)
            w->cells[i].birth = 0;
    }
    enter(w, call);
}

static void make_context(struct world *w, uint32_t tid, uint32_t context)
{
    if (w->context_births[context] != 0)
        return;
    struct hf_traced_call call = call_of(w, tid, HF_ROLE_CTXNEW, context);
    enter(w, call);
    leave(w, &call, call.context);
    w->context_births[context] = w->now;
    allocated(w, &call);
}

static void map_or_unmap(struct world *w, uint32_t tid)
{
    enum hf_role role = pick(w, 2) == 0 ? HF_ROLE_MAP : HF_ROLE_UNMAP;
    struct hf_traced_call call = call_of(w, tid, role, 0);
    uint32_t first = pick(w, PAGES), count = 1 + pick(w, 16);
    if (count > PAGES - first)
        count = PAGES - first;
    uint64_t address = PAGES_AT + first * PAGE;
    call.size = count * PAGE;
    if (role == HF_ROLE_UNMAP)
        call.address = address;
    enter(w, call);
    if (role == HF_ROLE_MAP) {
        leave(w, &call, address);
        allocated(w, &call);
    }
    for (uint32_t i = first; i < first + count; i++)
        w->page_births[i] = role == HF_ROLE_MAP ? w->now : 0;
}

/* A block that no thread is reallocating. */
static bool is_free_to_use(const struct world *w, uint32_t cell)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        if (w->threads[i].is_in_call && w->threads[i].old_cell == cell)
            return false;
    }
    return w->cells[cell].birth != 0;
}

static void begin_call(struct world *w, uint32_t tid)
{
    struct thread *thread = &w->threads[tid];
    uint32_t cell = pick(w, CELLS), context = pick(w, CONTEXTS + 1);
    if (context != 0 && w->context_births[context] == 0) {
        make_context(w, tid, context);
        return;
    }
    thread->call = call_of(w, tid, HF_ROLE_ALLOC, context);
    thread->call.size = 1 + pick(w, CELL_BYTES);
    thread->old_cell = CELLS;
    if (pick(w, 2) == 0 && is_free_to_use(w, cell)) {
        uint64_t size = thread->call.size;
        thread->call = call_of(w, tid, HF_ROLE_REALLOC, w->cells[cell].context);
        thread->call.address = address_of(cell);
        thread->call.size = size;
        thread->old_cell = cell;
    }
    thread->is_in_call = true;
    enter(w, thread->call);
}

static void free_one(struct world *w, uint32_t tid)
{
    uint32_t cell = pick(w, CELLS);
    if (!is_free_to_use(w, cell))
        return;
    struct hf_traced_call call = call_of(w, tid, HF_ROLE_FREE, w->cells[cell].context);
    call.address = address_of(cell);
    w->cells[cell].birth = 0;
    enter(w, call);
}

static void step(struct world *w)
{
    uint32_t tid = pick(w, THREADS), choice = pick(w, 64);
    if (w->threads[tid].is_in_call)
        end_call(w, &w->threads[tid]);
    else if (choice == 0)
        end_context(w, tid, 1 + pick(w, CONTEXTS));
    else if (choice < 8)
        map_or_unmap(w, tid);
    else if (choice < 32)
        free_one(w, tid);
    else
        begin_call(w, tid);
}

/* What the tracker believes. */
struct belief {
    struct hf_live_seen_block cells[CELLS];
    uint64_t page_births[PAGES], context_births[CONTEXTS + 1];
    const struct world *world;
};

static enum hf_status see(
    void *context, const struct hf_live_seen_block *block, struct hf_error *err)
{
    struct belief *belief = context;
    (void)err;
    if (block->address >= PAGES_AT) {
        uint64_t first = (block->address - PAGES_AT) / PAGE, count = block->size / PAGE;
        assert_true(first + count <= PAGES);
        for (uint64_t i = first; i < first + count; i++) {
            assert_int_equal(belief->page_births[i], 0); /* ranges do not overlap */
            belief->page_births[i] = block->birth;
        }
    } else if (block->address >= BLOCKS_AT) {
        uint64_t cell = (block->address - BLOCKS_AT) / CELL_BYTES;
        assert_true(cell < CELLS && belief->cells[cell].birth == 0);
        belief->cells[cell] = *block;
    } else {
        uint64_t number = (block->address - CONTEXTS_AT) / 16;
        assert_true(number <= CONTEXTS && belief->context_births[number] == 0);
        belief->context_births[number] = block->birth;
    }
    return HF_OK;
}

/* One place: how it is and what is believed of it. Returns 1 if it is missed. */
static uint64_t compare(const struct belief *belief, uint64_t birth, uint64_t believed)
{
    if (belief->world->dropped == 0)
        assert_int_equal(believed, birth);
    if (birth == 0) /* if it is believed to be there, it is a suspect */
        assert_true(believed <= belief->world->last_drop);
    return birth != 0 && believed == 0;
}

static void compare_totals(struct world *w, const struct hf_live_snapshot *table)
{
    uint64_t objects[STACKS] = {0}, bytes[STACKS] = {0};
    for (size_t i = 0; i < table->counts[HF_LIVE_STACKS]; i++) {
        const struct hf_live_stack *stack = &hf_live_stacks(table)[i];
        size_t count;
        const uint64_t *frames = hf_live_stack_frames(table, stack, &count);
        assert_true(count >= 1 && count <= 2 && frames[0] < STACKS);
        objects[frames[0]] += stack->objects / HF_LIVE_OBJECT;
        bytes[frames[0]] += stack->bytes;
    }
    for (size_t i = 0; i < STACKS; i++) {
        assert_int_equal(objects[i], w->objects[i]);
        assert_int_equal(bytes[i], w->bytes[i]);
    }
}

static void look(struct world *w)
{
    static struct belief belief;
    struct hf_live_snapshot table = {0};
    struct hf_error err;
    const struct hf_live_head *head = hf_tracker_table(w->tracker)->head;
    struct hf_text bytes = {(const char *)head, head->table_bytes};
    uint64_t missed = 0;
    belief = (struct belief){.world = w};
    check_ok(hf_live_read(&table, hf_live_source_in(&bytes, "table"),
                 (struct hf_live_visitor){see, &belief}, &err),
        &err);
    for (uint32_t i = 0; i < CELLS; i++) {
        missed += compare(&belief, w->cells[i].birth, belief.cells[i].birth);
        if (w->dropped == 0 && w->cells[i].birth != 0) {
            const struct hf_live_stack *stack = &hf_live_stacks(&table)[belief.cells[i].stack];
            size_t count;
            assert_int_equal(belief.cells[i].size, w->cells[i].size);
            assert_int_equal(hf_live_stack_frames(&table, stack, &count)[0], w->cells[i].stack);
            assert_int_equal(count, w->cells[i].context != 0 ? 2 : 1);
        }
    }
    for (uint32_t i = 0; i < PAGES; i++)
        missed += compare(&belief, w->page_births[i], belief.page_births[i]);
    for (uint32_t i = 1; i <= CONTEXTS; i++)
        missed += compare(&belief, w->context_births[i], belief.context_births[i]);
    struct hf_tracker_counts counts = hf_tracker_counts(w->tracker);
    if (w->dropped == 0)
        compare_totals(w, &table);
    /* A mapping of 16 pages, and what the other threads were in the middle of. */
    assert_true(missed <= (16 + THREADS) * w->dropped);
    assert_int_equal(counts.lost[HF_TRACKER_LOST_EVENTS], w->dropped);
    assert_int_equal(counts.lost[HF_TRACKER_LOST_MEMORY], 0);
    assert_true(w->dropped != 0 || counts.suspects == 0);
    hf_live_snapshot_done(&table);
}

static void run(uint64_t seed, uint32_t drop_one_in)
{
    static struct world w;
    struct hf_tracker_options options = {
        .pid = 1, .period_bytes = 1, .table_bytes = HF_LIVE_TABLE_MIN};
    struct hf_error err;
    w = (struct world){.seed = seed, .drop_one_in = drop_one_in};
    check_ok(hf_tracker_new(&options, &w.tracker, &err), &err);
    for (uint64_t i = 0; i < STACKS; i++) {
        uint32_t number;
        assert_true(hf_tracker_stack(w.tracker, &i, 1, 0, &number));
        assert_int_equal(number, i);
    }
    for (uint64_t next = EVENTS_BETWEEN_LOOKS; w.events < EVENTS;) {
        step(&w);
        if (w.events < next)
            continue;
        next += EVENTS_BETWEEN_LOOKS;
        look(&w);
    }
    assert_int_equal(w.dropped != 0, drop_one_in != 0);
    hf_tracker_free(w.tracker);
}

static void without_losses(void **state)
{
    (void)state;
    run(1, 0);
}

static void with_few_losses(void **state)
{
    (void)state;
    run(2, 5000);
}

static void with_many_losses(void **state)
{
    (void)state;
    run(3, 20);
}

/* Sentences, and which of them are losses. */
static void it_says_what_was_lost(void **state)
{
    (void)state;
    struct hf_tracker_options options = {
        .pid = 1, .period_bytes = 1, .table_bytes = HF_LIVE_TABLE_MIN};
    struct hf_tracker *tracker;
    struct hf_notes notes = {0};
    struct hf_error err;
    struct hf_out out = {0};
    check_ok(hf_tracker_new(&options, &tracker, &err), &err);
    struct hf_traced_call block = {.role = HF_ROLE_ALLOC,
        .stack = HF_TRACKER_NO_STACK,
        .address = 0x1000,
        .size = 48,
        .time_ns = 1};
    hf_tracker_put(tracker, &block);
    struct hf_traced_call call = {.role = HF_ROLE_FREE, .address = 0x5000};
    hf_tracker_enter(tracker, &call);
    hf_tracker_note(tracker, &notes);
    assert_false(notes.has_loss);
    hf_tracker_put(tracker, &block);
    for (size_t i = 0; i < HF_TRACKER_LOSSES; i++)
        hf_tracker_lose(tracker, (enum hf_tracker_loss)i, 10 + i, 7);
    hf_tracker_note(tracker, &notes);
    for (size_t i = 0; i < notes.count; i++)
        hf_out_printf(&out, "%s%s\n", notes.items[i].kind == HF_NOTE_LOSS ? "LOSS " : "",
            notes.items[i].text);
    check_out(&out,
        "1 freed block had not been recorded: it was allocated before the start, or left out\n"
        "LOSS 10 calls were lost before heapflame could read them, including frees\n"
        "LOSS 11 allocations were lost before heapflame could read them, and are not counted\n"
        "LOSS 12 stacks were lost: their allocations are shown under [stack lost]\n"
        "LOSS 13 calls were lost because there was no memory to remember them\n"
        "LOSS 1 of the blocks in use (48 bytes) was allocated before calls were lost: it "
        "may have been freed\n"
        "LOSS 1 free was missed: its address was allocated again\n");
    hf_out_done(&out);
    hf_notes_done(&notes);
    hf_tracker_free(tracker);
}

static struct hf_tracker *tracker_with_blocks(uint64_t count)
{
    struct hf_tracker_options options = {
        .pid = 1, .period_bytes = 1, .table_bytes = HF_LIVE_TABLE_MIN, .is_dated = true};
    struct hf_tracker *tracker;
    struct hf_error err;
    check_ok(hf_tracker_new(&options, &tracker, &err), &err);
    for (uint64_t i = 1; i <= count; i++) {
        struct hf_traced_call block = {.role = HF_ROLE_ALLOC,
            .stack = HF_TRACKER_NO_STACK,
            .address = 0x1000 * i,
            .size = 48,
            .time_ns = i};
        hf_tracker_put(tracker, &block);
    }
    return tracker;
}

static uint64_t blocks_in(struct hf_tracker *tracker)
{
    struct hf_live_table *table = hf_tracker_table(tracker);
    uint64_t count = 0;
    for (uint32_t i = 0; i < atomic_load(&table->state->counts[HF_LIVE_BLOCKS]); i++)
        count += hf_live_address_of(table, i) != 0;
    return count;
}

/* A look at a recording: who knows all blocks puts them anew, and none is there twice. */
static void it_forgets_all_for_who_puts_it_anew(void **state)
{
    (void)state;
    struct hf_tracker *tracker = tracker_with_blocks(5);
    const struct hf_live_table *table = hf_tracker_table(tracker);
    assert_int_equal(blocks_in(tracker), 5);
    assert_int_not_equal(table->head->realtime_ns, 0);
    hf_tracker_clear(tracker);
    assert_int_equal(blocks_in(tracker), 0);
    assert_int_equal(atomic_load(&hf_live_stack(table, 0)->bytes), 0);
    struct hf_traced_call block = {.role = HF_ROLE_ALLOC,
        .stack = HF_TRACKER_NO_STACK,
        .address = 0x2000,
        .size = 48,
        .time_ns = 9};
    hf_tracker_put(tracker, &block);
    assert_int_equal(blocks_in(tracker), 1);
    assert_int_equal(atomic_load(&hf_live_stack(table, 0)->bytes), 48);
    assert_int_equal(hf_tracker_counts(tracker).overwritten, 0);
    hf_tracker_free(tracker);
}

/* Calls were lost: a block from before may have been freed, and must not be taken for a survivor.
 */
static void it_forgets_blocks_whose_free_may_be_lost(void **state)
{
    (void)state;
    struct hf_tracker *tracker = tracker_with_blocks(9);
    struct hf_notes notes = {0};
    hf_tracker_forget_suspects(tracker);
    assert_int_equal(blocks_in(tracker), 9);
    hf_tracker_lose(tracker, HF_TRACKER_LOST_EVENTS, 3, 6);
    hf_tracker_forget_suspects(tracker);
    assert_int_equal(blocks_in(tracker), 3);
    assert_int_equal(hf_tracker_counts(tracker).forgotten, 6);
    assert_int_equal(hf_tracker_counts(tracker).suspects, 0);
    hf_tracker_note(tracker, &notes);
    assert_string_equal(notes.items[1].text,
        "6 blocks were left out, because calls were lost after they were allocated: they may have "
        "been freed");
    hf_notes_done(&notes);
    hf_tracker_free(tracker);
}

/* Who goes on with another's table keeps whose it is, whatever it was told; else it is begun anew.
 */
static void it_keeps_whose_table_it_is(void **state)
{
    (void)state;
    static char longest[2 * sizeof((struct hf_live_head *)0)->command];
    struct hf_error err;
    void *memory =
        mmap(NULL, HF_LIVE_TABLE_MIN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    memset(longest, 'x', sizeof longest);
    const struct hf_live_head *head = memory;
    struct hf_tracker_options options = {.pid = 1,
        .start_ticks = 7,
        .period_bytes = 1,
        .table_bytes = HF_LIVE_TABLE_MIN,
        .table = memory,
        .command = {longest, sizeof longest}};
    struct hf_tracker *tracker;
    for (int goes_on = 0; goes_on <= 1; goes_on++) {
        options.goes_on = goes_on != 0;
        check_ok(hf_tracker_new(&options, &tracker, &err), &err);
        hf_tracker_free(tracker);
        assert_int_equal(head->pid, 1);
        assert_int_equal(head->start_ticks, 7);
        assert_int_equal(strlen(head->command), sizeof head->command - 1); /* it has its NUL */
        options.pid = 2;
        options.start_ticks = 8;
        options.command = HF_TEXT("another");
    }
    options.goes_on = false;
    check_ok(hf_tracker_new(&options, &tracker, &err), &err);
    hf_tracker_free(tracker);
    assert_int_equal(head->pid, 2);
    assert_int_equal(head->start_ticks, 8);
    assert_string_equal(head->command, "another");
    munmap(memory, HF_LIVE_TABLE_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_losses),
        cmocka_unit_test(with_few_losses),
        cmocka_unit_test(with_many_losses),
        cmocka_unit_test(it_forgets_all_for_who_puts_it_anew),
        cmocka_unit_test(it_forgets_blocks_whose_free_may_be_lost),
        cmocka_unit_test(it_says_what_was_lost),
        cmocka_unit_test(it_keeps_whose_table_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
