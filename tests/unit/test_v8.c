/* JavaScript frames: objects, strings, and the chain, in memory that this test lays out. */
#include "check.h"

#include "interpreted.h"
#include "unwind/v8/frames.h"

/* As Node.js 20 exports it (unwind/v8/metadata.c). */
static const int32_t values[HF_V8_SYMBOLS] = {-16, -8, 2066, 262, 167, 261, 12, 24, 16, 32, 16, 8,
    12, 16, 16, 16, 16, 24, 16, 24, 16, 0, 2, 8, 1, 31, 1, 128, 7, 8, 2, 3, 5};

enum { FUNCTION = 2066, SHARED = 262, SCRIPT = 167, SCOPE = 261, BUILTIN = 131 };
enum { ONE_BYTE = 8, TWO_BYTE = 0, JOINED = 41, SLICED = 43, THIN = 5, EXTERNAL = 42 };

static struct hf_v8 v8;
static struct hf_interpreted_chain chain;

static bool copy_of_none(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    (void)address;
    (void)out;
    (void)size;
    return false;
}

static uint64_t number(uint64_t value)
{
    return value << 32;
}

static uint64_t make_object(uint16_t type, const uint64_t *words, size_t count)
{
    uint64_t map = make(16), object = make(8 * (count + 1));
    memcpy((void *)(uintptr_t)(map + 12), &type, sizeof type);
    put_u64(object, 0, map | 1);
    memcpy((void *)(uintptr_t)(object + 8), words, 8 * count);
    return object | 1;
}
#define MAKE(type, ...)                                                                            \
    make_object(type, (uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / 8)

static uint64_t make_string(const char *text)
{
    size_t size = strlen(text);
    uint64_t words[64] = {number(size)};
    assert_true(size <= 8 * (HF_COUNT(words) - 1));
    memcpy(&words[1], text, size);
    return make_object(ONE_BYTE, words, 1 + size / 8 + 1);
}

static uint64_t scope, shared, script, function;

/* take, which begins in the third line, runs in native frame 1, of which native frame 3 is too. */
static void begin(void)
{
    heap.used = 0;
    for (size_t i = 0; i < HF_V8_SYMBOLS; i++)
        assert_true(hf_v8_set(&v8, i, values[i]));
    make_natives();
    script = MAKE(
        SCRIPT, make_string("let a;\r\nlet b;\nfunction take() {}\n"), make_string("/srv/a.js"));
    scope = MAKE(SCOPE, number(2 | 3 << 12 | 1 << 14), 0, number(1), make_string("x"), number(7),
        make_string("take"), number(1), make_string("Feed.take"), number(23), number(40));
    shared = MAKE(SHARED, 0, scope, 0, script);
    function = MAKE(FUNCTION, 0, 0, shared);
    for (size_t i = 0; i < HF_COUNT(natives); i++) {
        natives[i].fp = natives[i].sp + 128;
        natives[i].rule = hf_unwind_rule_make(HF_UNWIND_SP, 1, 0);
        put_u64(natives[i].fp - 16, 0, 0);
    }
    for (size_t i = 1; i < 4; i += 2) {
        natives[i].rule = (struct hf_unwind_rule){HF_UNWIND_UNKNOWN};
        put_u64(natives[i].fp - 16, 0, function);
        put_u64(natives[i].fp - 16, 8, script); /* any object is a context */
    }
}

static void read_chain(void)
{
    struct hf_v8_sight sight = {.surely = &heap_memory};
    hf_v8_chain_read(&chain, &v8, &heap_memory, &sight, natives);
}

static void expect_name(uint64_t string, const char *text)
{
    struct hf_v8_name name;
    char out[HF_V8_NAME_BYTES];
    assert_true(hf_v8_name_read(&v8, &heap_memory, string, &name));
    assert_int_equal(hf_v8_name_write(&name, out), strlen(text));
    assert_memory_equal(out, text, strlen(text));
}

static uint32_t line_of(const struct hf_interpreted_frame *frame)
{
    struct hf_v8_text source;
    uint64_t word;
    assert_true(hf_v8_object_word(&heap_memory, frame->scope, v8.script_source, &word));
    assert_true(hf_v8_text_find(&v8, &heap_memory, word, &source));
    return hf_v8_text_line(&heap_memory, &source, frame->offset);
}

static void reads_functions(void **state)
{
    (void)state;
    begin();
    assert_false(hf_v8_runs(natives));
    natives[0].traits = HF_UNWIND_IS_GUESSED;
    assert_true(hf_v8_runs(natives));
    read_chain();
    assert_true(chain.count == 2 && !chain.is_broken);
    assert_int_equal(chain.frames[0].native, 1);
    assert_int_equal(chain.frames[1].native, 3);
    expect_name(chain.frames[0].name, "take");
    expect_name(chain.frames[0].file, "/srv/a.js");
    assert_int_equal(line_of(&chain.frames[0]), 3);
    put_u64(natives[1].fp - 16, 8, UINT64_C(24) << 1); /* a builtin's frame */
    read_chain();
    assert_int_equal(chain.count, 1);
    put_u64(shared - 1, 32, MAKE(BUILTIN, 0)); /* V8's own function */
    read_chain();
    assert_true(chain.count == 0 && !chain.is_broken);
    natives[3].caller = NULL;
    read_chain();
    assert_true(chain.count == 0 && !chain.is_broken);
}

/* The collector moves things: a chain is the same wherever they are. */
static void knows_what_moved(void **state)
{
    (void)state;
    begin();
    read_chain();
    uint64_t hash = chain.hash;
    uint64_t moved = MAKE(FUNCTION, 0, 0, MAKE(SHARED, 0, scope, 0, script));
    put_u64(function - 1, 0, moved - 1); /* where it is now is in place of the map */
    read_chain();
    assert_true(chain.count == 2 && chain.hash == hash);
    put_u64(scope - 1, 8 * 6, make_string("taken"));
    read_chain();
    assert_true(chain.count == 2 && chain.hash != hash);
}

static void names_what_has_no_name(void **state)
{
    (void)state;
    begin();
    put_u64(scope - 1, 8 * 6, 0);
    read_chain();
    expect_name(chain.frames[0].name, "Feed.take");
    put_u64(scope - 1, 8 * 8, make_string(""));
    read_chain();
    assert_int_equal(chain.frames[0].name, HF_V8_NO_NAME);
    put_u64(scope - 1, 8 * 9, number(0));
    read_chain();
    assert_int_equal(chain.frames[0].name, HF_V8_MAIN);
    put_u64(script - 1, 16, MAKE(BUILTIN, 0));
    read_chain();
    assert_true(chain.count == 2 && chain.frames[0].file == 0);
}

static void refuses(uint64_t object, int32_t offset, uint64_t value)
{
    uint64_t was = hf_interpreted_u64((const uint8_t *)(uintptr_t)(object - 1), (uint32_t)offset);
    put_u64(object - 1, (uint32_t)offset, value);
    read_chain();
    assert_true(chain.is_broken && chain.count == 0);
    put_u64(object - 1, (uint32_t)offset, was);
    read_chain();
    assert_true(!chain.is_broken && chain.count == 2);
}

/* What cannot be a function has no frame. */
static void refuses_what_is_none(void **state)
{
    (void)state;
    begin();
    refuses(function, 0, 8);
    refuses(function, 0, MAKE(SHARED, 0));
    refuses(function, v8.function_shared, script);
    refuses(shared, v8.shared_name, script);
    refuses(shared, v8.shared_script, 8);
    refuses(scope, 8, 1);                /* flags that are no number */
    refuses(scope, 24, number(1 << 20)); /* more variables than a function has */
    refuses(scope, 72, script);          /* where it begins */
    assert_false(hf_v8_is_known(0x0c04));
    assert_true(hf_v8_is_known(0x0a02) && hf_v8_is_known(0x0b03));
    assert_false(hf_v8_set(&v8, 0, 16)); /* not in the frame */
    assert_false(hf_v8_set(&v8, 7, 25));
    assert_false(hf_v8_set(&v8, 23, 4)); /* compressed pointers */
}

/* What is no function, and no address, is not read as it is; what was one before is. */
static void looks_before_it_reads(void **state)
{
    (void)state;
    begin();
    static const struct hf_interpreted_memory as_it_is = {NULL, NULL},
                                              nothing = {copy_of_none, NULL};
    struct hf_v8_sight sight = {.surely = &heap_memory};
    put_u64(natives[1].fp - 16, 0, 0x2001); /* a number, as code of regular expressions has there */
    hf_v8_chain_read(&chain, &v8, &as_it_is, &sight, natives);
    assert_true(chain.count == 1 && chain.frames[0].native == 3);
    sight.surely = &nothing;
    hf_v8_chain_read(&chain, &v8, &as_it_is, &sight, natives);
    assert_int_equal(chain.count, 1);
    put_u64(natives[3].fp - 16, 0, MAKE(FUNCTION, 0, 0, shared));
    hf_v8_chain_read(&chain, &v8, &as_it_is, &sight, natives);
    assert_true(chain.count == 0 && chain.is_broken);
}

static void reads_strings(void **state)
{
    (void)state;
    begin();
    char many[301];
    memset(many, 'a', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    memcpy(many + 290, "0123456789", 10);
    uint64_t text = make_string("not take it"), empty = make_string("");
    uint64_t slice = MAKE(SLICED, number(4), text, number(4));
    expect_name(slice, "take");
    expect_name(MAKE(THIN, number(4), slice), "take");
    uint64_t feed = MAKE(JOINED, number(5), make_string("Feed"), make_string("."));
    expect_name(MAKE(JOINED, number(9), feed, slice), "Feed.take");
    expect_name(MAKE(JOINED, number(4), slice, empty), "take");
    uint64_t wide[] = {number(3), UINT64_C(0xde00d83d540d)};
    expect_name(make_object(TWO_BYTE, wide, 2), "\xe5\x90\x8d\xf0\x9f\x98\x80");
    uint64_t bytes = make(16);
    memcpy((void *)(uintptr_t)bytes, "gr\xf6\xdf", 4);
    expect_name(MAKE(EXTERNAL, number(4), 0, bytes), "gr\xc3\xb6\xc3\x9f");
    struct hf_v8_name name;
    uint64_t joined = make_string("x");
    for (int i = 0; i < 100; i++) /* the end of it is far inside */
        joined = MAKE(JOINED, number(2), make_string("y"), joined);
    assert_false(hf_v8_name_read(&v8, &heap_memory, joined, &name));
    assert_true(hf_v8_name_read(&v8, &heap_memory, make_string(many), &name));
    assert_int_equal(name.count, HF_V8_NAME_MAX);
    assert_int_equal(name.units[HF_V8_NAME_MAX - 1], '9');
    assert_false(hf_v8_name_read(&v8, &heap_memory, script, &name));
    assert_false(
        hf_v8_name_read(&v8, &heap_memory, MAKE(SLICED, number(9), text, number(8)), &name));
    assert_int_equal(hf_v8_string_length(&v8, &heap_memory, script), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_functions),
        cmocka_unit_test(knows_what_moved),
        cmocka_unit_test(names_what_has_no_name),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(looks_before_it_reads),
        cmocka_unit_test(reads_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
