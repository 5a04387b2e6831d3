/* Frames of Ruby: labels, lines, the layout, and the chain, in memory that this test lays out. */
#include "check.h"

#include "interpreted.h"
#include "unwind/ruby/control_frames.h"
#include "unwind/ruby/labels.h"
#include "unwind/ruby/objects.h"

#define RUN UINT64_C(0x400000)
#define FRAMES 5u
#define LEDGER "Ledger"

enum { INTERNAL = 0x1a, METHOD = 6 << 12 | INTERNAL, SEQUENCE = 7 << 12 | INTERNAL };
enum { IS_LOCAL = 0x02, IS_FINISH = 0x20, IS_NATIVE = 0x80 };
#define KIND_METHOD 0x11110001u
#define KIND_BLOCK 0x22220001u
#define KIND_TOP 0x44440001u
#define KIND_C 0x55550001u
#define KIND_DUMMY 0x79990001u

static const struct hf_ruby_layout *layout;
static struct hf_ruby ruby;
static struct hf_interpreted_chain chain;
static uint64_t context, thread, heap_of_objects, stack, ledger, key;

static void put_u32(uint64_t address, uint32_t offset, uint32_t value)
{
    memcpy((void *)(uintptr_t)(address + offset), &value, sizeof value);
}

static uint64_t make_object(uint64_t flags, uint64_t class)
{
    uint64_t object = make(HF_RUBY_OBJECT_BYTES);
    put_u64(object, 0, flags);
    put_u64(object, 8, class);
    return object;
}

static uint64_t make_string(const char *text)
{
    size_t size = strlen(text);
    bool is_within = size < 24;
    uint64_t at = make(size + 1);
    uint64_t string = make_object(5 | (is_within ? size << 14 : 1u << 13), 0);
    if (is_within)
        at = string + 16;
    memcpy((void *)(uintptr_t)at, text, size);
    if (!is_within) {
        put_u64(string, 16, size);
        put_u64(string, 24, at);
    }
    return string;
}

/* A class with these variables, of which the first was removed. */
static uint64_t make_class(uint64_t flags, uint64_t of, uint64_t name, uint64_t value)
{
    uint64_t more = make(112), table = make(56), entries = make(3 * 24);
    uint64_t class = make_object(flags, of);
    put_u64(class, layout->class_more, more);
    put_u64(more, layout->more_variables, table);
    put_u64(table, layout->table_bound, 3);
    put_u64(table, layout->table_entries, entries);
    put_u64(entries, 0, UINT64_MAX);
    put_u64(entries, 8, name);
    put_u64(entries + 24, 8, 77);
    put_u64(entries + 24, 16, 0x15);
    put_u64(entries + 48, 8, name);
    put_u64(entries + 48, 16, value);
    return class;
}

/* 100 words of code, which begins at line 40; from word 10 on it is line 41, from word 60 on 47. */
static uint64_t make_code(uint32_t kind, const char *label, const char *base, uint64_t path)
{
    uint64_t code = make(312), index = make(48 + 80), lines = make(36), sequence;
    put_u32(code, layout->code_kind, kind);
    put_u32(code, layout->code_words, 100);
    put_u64(code, layout->code_start, make(8));
    put_u64(code, layout->code_path, path);
    put_u64(code, layout->code_label, make_string(label));
    put_u64(code, layout->code_base_label, make_string(base));
    put_u64(code, layout->code_lines, lines);
    put_u32(code, layout->code_line_count, 3);
    put_u64(code, layout->code_line_index, index);
    for (uint32_t word = 0; word < 54; word++) {
        uint64_t counts = hf_interpreted_u64((const uint8_t *)(uintptr_t)index, word / 9 * 8);
        put_u64(index, word / 9 * 8, counts | (word < 10 ? UINT64_C(1) : 2) << (word % 9 * 7));
    }
    put_u32(index, 48, 2);
    put_u64(index, 48 + 16, UINT64_C(1) << 6); /* word 60 */
    put_u32(lines, 0, 40);
    put_u32(lines, 12, 41);
    put_u32(lines, 24, 47);
    sequence = make_object(SEQUENCE, 0);
    put_u64(sequence, layout->sequence_code, code);
    put_u64(code, layout->code_local, sequence);
    return sequence;
}

static uint64_t code_of(uint64_t sequence)
{
    return hf_interpreted_u64((const uint8_t *)(uintptr_t)sequence, layout->sequence_code);
}

static uint64_t make_method(uint64_t owner)
{
    uint64_t entry = make_object(METHOD, 0);
    put_u64(entry, layout->method_definition, make(8));
    put_u64(entry, layout->method_owner, owner);
    return entry;
}

/* Frame `i` is at that word of the code; returns the address of its environment. */
static uint64_t set_frame(
    uint32_t i, uint64_t sequence, uint32_t word, uint32_t flags, uint64_t method, uint64_t outer)
{
    uint64_t control = stack + 1024 - (FRAMES - i) * 64, slots = make(24);
    uint64_t start =
        sequence != 0
            ? hf_interpreted_u64((const uint8_t *)(uintptr_t)code_of(sequence), layout->code_start)
            : 0;
    put_u64(control, layout->frame_pc, sequence != 0 ? start + 8 * word : 0);
    put_u64(control, layout->frame_sequence, sequence);
    put_u64(control, layout->frame_environment, slots + 16);
    put_u64(slots, 0, method);
    put_u64(slots, 8, outer | 1);
    put_u64(slots, 16, flags);
    return slots + 16;
}

static uint64_t post, block, main_code, method, environment;

/* Code of the program calls Ledger#post, which gives a block to a function of C. */
static void begin(void)
{
    heap.used = 0;
    layout = hf_ruby_layout_find(0x0301);
    assert_non_null(layout);
    make_natives();
    for (size_t i = 0; i < HF_COUNT(natives); i++)
        natives[i].pc = 0x1234; /* native frames 1 and 3 run Ruby */
    natives[1].pc = natives[3].pc = RUN + 8;
    ruby = (struct hf_ruby){
        .layout = layout, .run = RUN, .run_bytes = 0x40, .vm = make(8), .string = make(8)};
    context = make(HF_RUBY_CONTEXT_BYTES);
    thread = make(HF_RUBY_THREAD_BYTES);
    stack = make(1024);
    heap_of_objects = make(32);
    uint64_t vm = make(1200);
    put_u64(ruby.vm, 0, vm);
    put_u64(vm, layout->vm_heap, heap_of_objects);
    put_u64(thread, layout->thread_vm, vm);
    put_u64(thread, layout->thread_context, context);
    put_u64(context, layout->context_stack, stack);
    put_u64(context, layout->context_stack_words, 128);
    put_u64(context, layout->context_frame, stack + 1024 - FRAMES * 64);
    put_u64(context, layout->context_thread, thread);
    key = 0x3331;
    put_u64(ruby.string, 0, make_class(2, 0, key, make_string("String")));
    ledger = make_class(2, 0, key, make_string(LEDGER));
    uint64_t paths = make_object(7 | 1u << 13, 0);
    put_u64(paths, layout->array_items, make_string("ledger.rb"));
    put_u64(paths, layout->array_items + 8, make_string("/srv/some/where/far/ledger.rb"));
    uint64_t pair = make_object(7 | 1u << 13, 0);
    put_u64(pair, layout->array_items, make_string("(eval)"));
    put_u64(pair, layout->array_items + 8, HF_RUBY_NIL);
    post = make_code(1, "post", "post", paths);
    block = make_code(2, "block in post", "post", paths);
    put_u64(code_of(block), layout->code_local, post);
    main_code = make_code(7, "<main>", "<main>", pair);
    method = make_method(ledger);
    (void)set_frame(4, main_code, 1, KIND_DUMMY | IS_LOCAL | IS_FINISH, 0, 0);
    (void)set_frame(3, main_code, 61, KIND_TOP | IS_LOCAL | IS_FINISH, 0, 0);
    environment = set_frame(2, post, 12, KIND_METHOD | IS_LOCAL, method, 0);
    (void)set_frame(1, 0, 0, KIND_C | IS_LOCAL | IS_NATIVE, make_method(ledger), 0);
    (void)set_frame(0, block, 10, KIND_BLOCK | IS_FINISH, 0, environment);
}

static void read_chain(void)
{
    hf_ruby_chain_read(&chain, &ruby, &heap_memory, context, natives);
}

static void expect_name(uint32_t i, const char *name)
{
    char out[HF_RUBY_NAME_BYTES + 1];
    size_t size = hf_ruby_name_write(&ruby, &heap_memory, &chain.frames[i], out);
    out[size] = '\0';
    assert_string_equal(out, name);
}

static void expect_frame(
    uint32_t i, const char *name, const char *file, uint32_t line, uint32_t native)
{
    char out[HF_RUBY_TEXT_MAX];
    assert_true(i < chain.count);
    expect_name(i, name);
    assert_int_equal(hf_ruby_file_write(&ruby, &heap_memory, &chain.frames[i], out), strlen(file));
    assert_memory_equal(out, file, strlen(file));
    assert_int_equal(hf_ruby_line(&ruby, &heap_memory, &chain.frames[i]), line);
    assert_int_equal(chain.frames[i].native, native);
}

static void reads_control_frames(void **state)
{
    (void)state;
    begin();
    assert_true(hf_ruby_runs(&ruby, natives));
    read_chain();
    assert_false(chain.is_broken || chain.is_cut);
    assert_int_equal(chain.count, 3);
    expect_frame(0, "block in Ledger#post", "/srv/some/where/far/ledger.rb", 40, 1);
    expect_frame(1, "Ledger#post", "/srv/some/where/far/ledger.rb", 41, 3);
    expect_frame(2, "<main>", "(eval)", 47, 3);
    uint64_t hash = chain.hash;
    (void)set_frame(3, main_code, 60, KIND_TOP | IS_LOCAL | IS_FINISH, 0, 0);
    read_chain();
    expect_frame(2, "<main>", "(eval)", 41, 3);
    assert_true(chain.hash != hash);
    natives[1].pc = natives[3].pc = RUN + 0x41; /* behind its last byte */
    assert_false(hf_ruby_runs(&ruby, natives));
}

/* More frames than are kept; and a stack of control frames that is larger than any. */
static void cuts_what_is_long(void **state)
{
    (void)state;
    static uint8_t frames[(HF_INTERPRETED_STEPS_MAX + 9) * 64];
    struct hf_interpreted_memory own = {NULL, NULL};
    const size_t kept = (HF_INTERPRETED_FRAMES_MAX + 9) * 64;
    begin();
    for (size_t i = 0; i < sizeof frames / 64; i++)
        memcpy(frames + i * 64, (const void *)(uintptr_t)(stack + 1024 - 3 * 64), 64);
    put_u64(context, layout->context_stack, (uintptr_t)frames);
    put_u64(context, layout->context_frame, (uintptr_t)frames);
    put_u64(context, layout->context_stack_words, kept / 8);
    hf_ruby_chain_read(&chain, &ruby, &own, context, natives);
    assert_true(chain.is_cut && chain.count == HF_INTERPRETED_FRAMES_MAX);
    for (size_t i = 0; i < sizeof frames / 64; i++)
        memcpy(frames + i * 64, (const void *)(uintptr_t)(stack + 1024 - 4 * 64), 64);
    put_u64(context, layout->context_stack_words, sizeof frames / 8);
    hf_ruby_chain_read(&chain, &ruby, &own, context, natives);
    assert_true(chain.is_cut && chain.count == 0 && !chain.is_broken);
}

static void refuses(uint64_t at, uint32_t offset, uint64_t value)
{
    uint64_t was = hf_interpreted_u64((const uint8_t *)(uintptr_t)at, offset);
    put_u64(at, offset, value);
    read_chain();
    assert_true(chain.is_broken && chain.count == 0);
    put_u64(at, offset, was);
    read_chain();
    assert_true(!chain.is_broken && chain.count == 3);
}

/* What cannot be a chain has no frames. */
static void refuses_what_is_none(void **state)
{
    (void)state;
    begin();
    uint64_t frame = stack + 1024 - 3 * 64;
    uint64_t code = code_of(post);
    uint64_t label = hf_interpreted_u64((const uint8_t *)(uintptr_t)code, layout->code_label);
    refuses(ruby.vm, 0, 8);
    refuses(thread, layout->thread_context, 8);
    refuses(context, layout->context_thread, 8);
    refuses(context, layout->context_frame, stack + 1024 + 64);
    refuses(context, layout->context_frame, stack + 1024 - 65);
    refuses(context, layout->context_frame, stack - 64);
    refuses(frame, layout->frame_environment, 8);
    refuses(environment, 0, KIND_METHOD + 0x10000);
    refuses(environment - 16, 0, 8);
    refuses(environment - 16, 0, method + 4);
    refuses(method, 0, 5);
    refuses(method, layout->method_definition, 8);
    refuses(frame, layout->frame_sequence, 8);
    refuses(post, 0, METHOD);
    refuses(post, layout->sequence_code, 8);
    refuses(frame, layout->frame_pc, 8);
    refuses(code, layout->code_words, 11); /* it is behind the end */
    refuses(code, layout->code_label, method);
    refuses(code, layout->code_path, ledger);
    refuses(label, 0, 5 | 31u << 14); /* more than there is room for */
    assert_null(hf_ruby_layout_find(0x0300));
    assert_null(hf_ruby_layout_find(0x0302));
}

/* Names of methods without a class that has one. */
static void writes_names(void **state)
{
    (void)state;
    begin();
    uint64_t class = make_class(2 | 1u << 12, 0, 99, 0); /* of class methods, a singleton */
    uint64_t of = make_class(2, class, key, make_string("Journal"));
    uint64_t entries =
        hf_interpreted_u64((const uint8_t *)(uintptr_t)hf_interpreted_u64(
                               (const uint8_t *)(uintptr_t)hf_interpreted_u64(
                                   (const uint8_t *)(uintptr_t) class, layout->class_more),
                               layout->more_variables),
            layout->table_entries);
    put_u64(entries + 48, 16, of);
    put_u64(method, layout->method_owner, class);
    read_chain();
    expect_name(0, "block in Journal.post");
    expect_name(1, "Journal.post");
    put_u64(of, 8, ledger); /* of another object than a class */
    expect_name(1, "post");
    put_u64(method, layout->method_owner, make_class(3, 0, 99, of)); /* a module without a name */
    read_chain();
    expect_name(1, "post");
    put_u64(method, layout->method_owner, 8);
    read_chain();
    expect_name(1, "post");
    put_u64(method, layout->method_owner, ledger);
    read_chain();
    put_u32(code_of(post), layout->code_kind, 2); /* no method */
    expect_name(1, "post");
    put_u32(code_of(post), layout->code_kind, 1);
    put_u64(code_of(post), layout->code_base_label, make_string("other"));
    expect_name(1, "post");
    chain.frames[1].name = 8;
    expect_name(1, "");
    /* A block that was made a method is called as where it stands. */
    put_u64(
        hf_interpreted_u64((const uint8_t *)(uintptr_t)method, layout->method_definition), 0, 4);
    read_chain();
    assert_int_equal(chain.frames[0].scope, 0);
}

static void finds_lines(void **state)
{
    (void)state;
    static const uint32_t lines[][2] = {
        {0, 40}, {9, 40}, {10, 41}, {53, 41}, {54, 41}, {59, 41}, {60, 47}, {99, 47}};
    begin();
    read_chain();
    struct hf_interpreted_frame frame = chain.frames[1];
    for (size_t i = 0; i < HF_COUNT(lines); i++) {
        frame.offset = lines[i][0];
        assert_int_equal(hf_ruby_line(&ruby, &heap_memory, &frame), lines[i][1]);
    }
    put_u32(frame.lines, layout->code_line_count, 2); /* there is no third */
    assert_int_equal(hf_ruby_line(&ruby, &heap_memory, &frame), 0);
    put_u32(frame.lines, layout->code_line_count, 1);
    assert_int_equal(hf_ruby_line(&ruby, &heap_memory, &frame), 40);
    put_u32(frame.lines, layout->code_line_count, 0);
    assert_int_equal(hf_ruby_line(&ruby, &heap_memory, &frame), 0);
    frame.lines = 8;
    assert_int_equal(hf_ruby_line(&ruby, &heap_memory, &frame), 0);
}

/* A thread that waits, or while objects are freed and moved, is not read as it is. */
static void knows_what_is_still(void **state)
{
    (void)state;
    bool is_still;
    begin();
    assert_true(hf_ruby_look(&ruby, &heap_memory, context, &is_still) && is_still);
    put_u32(heap_of_objects, layout->heap_flags, layout->heap_is_collecting);
    assert_true(hf_ruby_look(&ruby, &heap_memory, context, &is_still) && !is_still);
    put_u32(heap_of_objects, layout->heap_flags, 0);
    put_u64(thread, layout->thread_blocking, 0x77);
    assert_true(hf_ruby_look(&ruby, &heap_memory, context, &is_still) && !is_still);
    put_u64(thread, layout->thread_context, 0x77);
    assert_false(hf_ruby_look(&ruby, &heap_memory, context, &is_still));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_control_frames),
        cmocka_unit_test(cuts_what_is_long),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(writes_names),
        cmocka_unit_test(finds_lines),
        cmocka_unit_test(knows_what_is_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
