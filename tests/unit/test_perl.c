/* Frames of Perl: names, the layout, and the chain, in memory that this test lays out. */
#include "check.h"

#include "interpreted.h"
#include "unwind/perl/context_chain.h"
#include "unwind/perl/package_names.h"

#define RUN UINT64_C(0x400000)
#define GROW UINT64_C(0x500000)
#define STRING UINT64_C(0x600000)

static const struct hf_perl_layout *layout;
static struct hf_perl perl;
static struct hf_interpreted_chain chain;
static uint64_t interpreter;

static void put_u32(uint64_t address, uint32_t offset, uint32_t value)
{
    memcpy((void *)(uintptr_t)(address + offset), &value, sizeof value);
}

static uint64_t make_bytes(const char *bytes, size_t size)
{
    uint64_t at = make(size + 64); /* paths are read in pieces */
    memcpy((void *)(uintptr_t)at, bytes, size);
    return at;
}

static uint64_t make_hek(const char *bytes, size_t size, bool is_utf8)
{
    uint64_t hek = make(8 + size + 2);
    put_u32(hek, 0, 99);
    put_u32(hek, 4, (uint32_t)size);
    memcpy((void *)(uintptr_t)(hek + 8), bytes, size);
    *(uint8_t *)(uintptr_t)(hek + 8 + size + 1) = is_utf8;
    return hek;
}

static uint64_t make_value(uint32_t flags, uint64_t body, uint64_t more)
{
    uint64_t value = make(24);
    put_u64(value, 0, body);
    put_u32(value, 12, flags);
    put_u64(value, 16, more);
    return value;
}

/* A function of package main, named by a glob. */
static uint64_t make_code(const char *name)
{
    uint64_t stash = make(88), glob = make(48), code = make(104);
    put_u64(stash, layout->hash_name, make_hek("main", 4, false));
    put_u64(glob, layout->glob_name, make_hek(name, strlen(name), false));
    put_u64(glob, layout->glob_stash, make_value(0x2000000 | layout->type_hash, stash, 0));
    put_u64(code, layout->code_glob, make_value(0x8000 | layout->type_glob, glob, make(80)));
    return make_value(layout->type_code, code, 0);
}

static uint64_t make_cop(const char *path, uint32_t line)
{
    uint64_t cop = make(88);
    put_u32(cop, layout->cop_line, line);
    put_u64(cop, layout->cop_file, make_bytes(path, strlen(path) + 1));
    return cop;
}

static uint64_t make_stack(uint64_t previous, uint32_t count)
{
    uint64_t stack = make(56);
    put_u64(stack, layout->stack_contexts, make((size_t)layout->context_bytes * count));
    put_u64(stack, layout->stack_previous, previous);
    put_u32(stack, layout->stack_top, count - 1);
    put_u32(stack, layout->stack_max, count - 1);
    return stack;
}

/* Context `i` of a stack; it was called from line `line`. */
static uint64_t set_context(
    uint64_t stack, uint32_t i, uint8_t kind, uint32_t line, bool is_end, uint64_t code)
{
    uint64_t context =
        hf_interpreted_u64((const uint8_t *)(uintptr_t)stack, layout->stack_contexts) +
        (uint64_t)i * layout->context_bytes;
    *(uint8_t *)(uintptr_t)context = kind;
    put_u64(context, layout->context_cop, make_cop("/srv/feed.pl", line));
    put_u64(context, layout->context_end, is_end ? 0 : 0x77);
    put_u64(context, layout->context_code, code);
    return context;
}

static uint64_t order_context, load_context, main_stack, load;

/* load, called by the program, sorts in a block that calls order last. */
static void begin(void)
{
    heap.used = 0;
    layout = hf_perl_layout_find(0x0524, 3768);
    assert_non_null(layout);
    make_natives();
    for (size_t i = 0; i < HF_COUNT(natives); i++)
        natives[i].pc = 0x1234; /* native frames 0 and 4 run Perl */
    natives[0].pc = natives[4].pc = RUN + 8;
    perl = (struct hf_perl){
        .layout = layout, .run = {RUN, 0x40}, .grow = {GROW, 0x40}, .grow_string = {STRING, 0x40}};
    interpreter = make(layout->interpreter_bytes);
    load = make_code("load");
    main_stack = make_stack(0, 3);
    (void)set_context(main_stack, 0, 2, 1, false, 0);
    load_context = set_context(main_stack, 1, 9, 70, false, load);
    (void)set_context(main_stack, 2, 0x4b, 41, false, 0); /* eval {} */
    uint64_t sort = make_stack(main_stack, 2);
    (void)set_context(sort, 0, 0, 42, false, 0);
    order_context = set_context(sort, 1, 9, 43, true, make_code("order"));
    put_u64(interpreter, layout->current_cop, make_cop("(eval 17)", 5));
    put_u64(interpreter, layout->current_stack, sort);
}

static void read_chain(void)
{
    hf_perl_chain_read(&chain, &perl, &heap_memory, interpreter, natives);
}

static void expect_frame(
    uint32_t i, const char *name, const char *file, uint32_t line, uint32_t native)
{
    char out[HF_PERL_TEXT_BYTES];
    assert_true(i < chain.count);
    if (name != NULL) {
        assert_int_equal(hf_perl_name_write(&heap_memory, chain.frames[i].name, out), strlen(name));
        assert_memory_equal(out, name, strlen(name));
        assert_int_equal(hf_perl_name_write(&heap_memory, chain.frames[i].scope, out), 4);
        assert_memory_equal(out, "main", 4);
    } else {
        assert_int_equal(chain.frames[i].name, HF_PERL_MAIN);
    }
    assert_int_equal(hf_perl_path_write(&heap_memory, chain.frames[i].file, out), strlen(file));
    assert_memory_equal(out, file, strlen(file));
    assert_int_equal(chain.frames[i].line, line);
    assert_int_equal(chain.frames[i].native, native);
}

static void reads_contexts(void **state)
{
    (void)state;
    begin();
    assert_true(hf_perl_runs(&perl, natives));
    read_chain();
    assert_false(chain.is_broken || chain.is_cut);
    assert_int_equal(chain.count, 3);
    expect_frame(0, "order", "(eval)", 5, 0);
    expect_frame(1, "load", "/srv/feed.pl", 43, 4);
    expect_frame(2, NULL, "/srv/feed.pl", 70, 4);
    natives[2].pc = RUN + 8; /* eval ran the loop once more, with one frame between */
    read_chain();
    assert_int_equal(chain.count, 2);
    natives[2].pc = 0x1234;
    put_u64(load_context, layout->context_end, 0); /* a thread's first function: no code around */
    read_chain();
    assert_int_equal(chain.count, 2);
    expect_frame(1, "load", "/srv/feed.pl", 43, 4);
    put_u64(order_context, layout->context_code, 0); /* it has been left */
    read_chain();
    assert_int_equal(chain.count, 1);
    put_u64(interpreter, layout->current_stack, 0); /* it is being made */
    read_chain();
    assert_true(chain.count == 0 && !chain.is_broken);
    natives[0].pc = natives[4].pc = RUN + 0x41; /* behind its last byte */
    assert_false(hf_perl_runs(&perl, natives));
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
    read_chain();
    uint64_t name = chain.frames[1].name;
    refuses(load_context, layout->context_code, 8);
    refuses(load_context, layout->context_cop, 8);
    refuses(load, 8, UINT64_C(9) << 32); /* no function */
    refuses(load, 0, 8);
    refuses(name, 0, UINT64_C(1) << 62 | 99); /* too long */
    refuses(name, 0, UINT64_C(2) << 32 | 99); /* no NUL there */
    refuses(main_stack, layout->stack_top, UINT64_C(2) << 32 | 9);
    refuses(main_stack, layout->stack_contexts, 8);
    refuses(interpreter, layout->current_stack, 8);
    assert_null(hf_perl_layout_find(0x0524, 3769));
    assert_null(hf_perl_layout_find(0x0526, 3768));
}

/* While a block grows that may lead to the frames, they are not read as they are. */
static void knows_what_moves(void **state)
{
    (void)state;
    begin();
    assert_false(hf_perl_moves(&perl, natives));
    natives[0].pc = GROW + 1;
    assert_true(hf_perl_moves(&perl, natives));
    natives[1].pc = STRING + 1;
    assert_false(hf_perl_moves(&perl, natives));
}

static void writes_names(void **state)
{
    (void)state;
    char out[HF_PERL_TEXT_BYTES], many[1000];
    begin();
    memset(many, 0xe4, sizeof many); /* Latin-1, which becomes twice as long */
    uint64_t name = make_hek(many, sizeof many, false);
    assert_int_equal(hf_perl_name_write(&heap_memory, name, out), HF_PERL_TEXT_BYTES);
    assert_memory_equal(out, "\xc3\xa4\xc3\xa4", 4);
    assert_int_equal(
        hf_perl_name_write(&heap_memory, make_hek("gr\xc3\xb6\xc3\x9f", 6, true), out), 6);
    assert_int_equal(hf_perl_name_write(&heap_memory, make_hek("a\0b", 3, true), out), 1);
    assert_int_equal(hf_perl_name_write(&heap_memory, 8, out), 0);
    memset(many, 'a', sizeof many);
    many[sizeof many - 1] = '\0';
    uint64_t path = make_bytes(many, sizeof many), hash = 0, other = 0;
    assert_int_equal(hf_perl_path_write(&heap_memory, path, out), HF_PERL_TEXT_MAX);
    assert_int_equal(hf_perl_path_write(&heap_memory, 8, out), 0);
    assert_true(hf_perl_path_hash(&heap_memory, make_bytes("(eval 7)", 9), &hash));
    assert_true(hf_perl_path_hash(&heap_memory, make_bytes("(eval 123)", 11), &other));
    assert_true(hash == other);
    assert_true(hf_perl_path_hash(&heap_memory, make_bytes("(eval 7a)", 10), &other));
    assert_true(hash != other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_contexts),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(knows_what_moves),
        cmocka_unit_test(writes_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
