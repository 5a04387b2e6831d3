/* Frames of PHP: strings, the layout, and the chain, in memory that this test lays out. */
#include "check.h"

#include "interpreted.h"
#include "unwind/php/call_chain.h"
#include "unwind/php/strings.h"

#define EXECUTE UINT64_C(0x400000)
#define EXECUTE_BYTES 0x1000
#define LINE_CODES 4u

static const struct hf_php_layout *layout;
static struct hf_php php;
static struct hf_interpreted_chain chain;

static uint64_t make_string(const char *bytes, size_t size)
{
    uint64_t string = make(layout->string_bytes + size + 1);
    put_u64(string, 0, UINT64_C(6) << 32 | 1); /* counted once, IS_STRING */
    put_u64(string, layout->string_length, size);
    memcpy((void *)(uintptr_t)(string + layout->string_bytes), bytes, size);
    return string;
}

static void put_u32(uint64_t address, uint32_t offset, uint32_t value)
{
    memcpy((void *)(uintptr_t)(address + offset), &value, sizeof value);
}

/* Of the program's, `kind` 2; its four operations are on lines 11 to 14. */
static uint64_t make_function(uint8_t kind, const char *name, const char *class)
{
    uint64_t function = make(HF_PHP_FUNCTION_BYTES), codes = make(32 * LINE_CODES);
    *(uint8_t *)(uintptr_t)function = kind;
    for (uint32_t i = 0; i < LINE_CODES; i++)
        put_u32(codes + 32 * i, layout->code_line, 11 + i);
    put_u64(function, layout->function_codes, codes);
    put_u32(function, layout->function_code_count, LINE_CODES);
    put_u64(function, layout->function_file, make_string("a.php", 5));
    if (name != NULL)
        put_u64(function, layout->function_name, make_string(name, strlen(name)));
    if (class != NULL) {
        uint64_t scope = make(HF_PHP_CLASS_BYTES);
        put_u64(scope, layout->class_name, make_string(class, strlen(class)));
        put_u64(function, layout->function_scope, scope);
    }
    return function;
}

/* A call at operation number `code`, which a call that `previous` made leads to. */
static uint64_t make_call(uint64_t function, uint32_t code, bool is_top)
{
    uint64_t call = make(HF_PHP_CALL_BYTES), codes = 0;
    memcpy(&codes, (const void *)(uintptr_t)(function + layout->function_codes), sizeof codes);
    put_u64(call, layout->call_code, codes + UINT64_C(32) * code);
    put_u64(call, layout->call_function, function);
    put_u32(call, layout->call_info, is_top ? layout->call_is_top : 0);
    return call;
}

static void begin(void)
{
    layout = hf_php_layout_find(1800);
    assert_non_null(layout);
    heap.used = 0;
    make_natives();
    uint64_t registry = make(56), bucket = make(32), module = make(168);
    put_u64(registry, layout->table_data, bucket);
    put_u32(registry, layout->table_used, 1);
    put_u64(bucket, 0, module);
    put_u32(module, layout->module_api, layout->api);
    php = (struct hf_php){layout, make(layout->globals_bytes), registry, EXECUTE, EXECUTE_BYTES};
    for (size_t i = 0; i < HF_COUNT(natives); i++)
        natives[i].pc = 0x1234; /* native frames 1 and 3 run PHP */
    natives[1].pc = natives[3].pc = EXECUTE + 8;
}

static void read_from(uint64_t call)
{
    put_u64(php.globals, layout->current, call);
    assert_true(hf_php_runs(&php, natives));
    hf_php_chain_read(&chain, &php, &heap_memory, natives);
}

static void expect_frame(
    uint32_t i, const char *name, const char *class, uint32_t line, uint32_t native)
{
    char out[HF_PHP_TEXT_MAX];
    struct hf_php_text text;
    assert_true(i < chain.count);
    const uint64_t strings[] = {chain.frames[i].name, chain.frames[i].scope, chain.frames[i].file};
    const char *words[] = {name, class, "a.php"};
    for (size_t j = 0; j < HF_COUNT(words); j++) {
        assert_int_equal(strings[j] != 0, words[j] != NULL);
        if (words[j] == NULL)
            continue;
        assert_true(hf_php_text_find(layout, &heap_memory, strings[j], &text));
        assert_int_equal(hf_php_text_write(&heap_memory, &text, out), strlen(words[j]));
        assert_memory_equal(out, words[j], strlen(words[j]));
    }
    assert_int_equal(chain.frames[i].line, line);
    assert_int_equal(chain.frames[i].native, native);
}

/* put, for which native code entered the executor; render, which main called. */
struct php_calls {
    uint64_t put, native, render, main;
};

static struct php_calls make_calls(void)
{
    begin();
    struct php_calls calls = {
        .put = make_call(make_function(2, "put", "Archive"), 1, true),
        .native = make_call(make_function(1, "array_map", NULL), 0, false),
        .render = make_call(make_function(2, "render", NULL), 2, false),
        .main = make_call(make_function(2, NULL, NULL), 3, true),
    };
    put_u64(calls.put, layout->call_previous, calls.native);
    put_u64(calls.native, layout->call_previous, calls.render);
    put_u64(calls.render, layout->call_previous, calls.main);
    return calls;
}

static void reads_calls(void **state)
{
    (void)state;
    struct php_calls calls = make_calls();
    read_from(calls.put);
    assert_false(chain.is_broken || chain.is_cut);
    assert_int_equal(chain.count, 3);
    expect_frame(0, "put", "Archive", 12, 1);
    expect_frame(1, "render", NULL, 13, 3);
    expect_frame(2, NULL, NULL, 14, 3);
    uint64_t hash = chain.hash;
    put_u64(calls.put, layout->call_code,
        hf_interpreted_u64((const uint8_t *)(uintptr_t)calls.put, layout->call_code) + 32);
    read_from(calls.put);
    expect_frame(0, "put", "Archive", 13, 1);
    assert_true(chain.hash != hash);
    read_from(0);
    assert_true(chain.count == 0 && !chain.is_broken);
    natives[1].pc = natives[3].pc = EXECUTE + EXECUTE_BYTES + 1; /* behind its last byte */
    assert_false(hf_php_runs(&php, natives));
}

/* Runs and native frames of the executor that are not of one number. */
static void shares_native_frames(void **state)
{
    (void)state;
    struct php_calls calls = make_calls();
    natives[1].pc = 0x1234; /* a part of it that lies elsewhere */
    read_from(calls.put);
    expect_frame(0, "put", "Archive", 12, 3);
    expect_frame(2, NULL, NULL, 14, 3);
    natives[1].pc = EXECUTE + 1; /* its first byte; it is leaving */
    read_from(calls.render);
    expect_frame(0, "render", NULL, 13, 3);
    natives[3].pc = 0x1234; /* a fiber's stack, or one that is cut */
    natives[0].traits = HF_UNWIND_IS_CUT;
    read_from(calls.put);
    expect_frame(0, "put", "Archive", 12, 1);
    expect_frame(2, NULL, NULL, 14, 1);
}

static void reads_odd_calls(void **state)
{
    (void)state;
    struct php_calls calls = make_calls();
    put_u64(calls.native, layout->call_function, 0);    /* a placeholder */
    put_u64(calls.put, layout->call_code, php.globals); /* it looks for a handler */
    read_from(calls.put);
    expect_frame(0, "put", "Archive", 0, 1);
    put_u64(php.globals, layout->before_exception,
        hf_interpreted_u64((const uint8_t *)(uintptr_t)hf_interpreted_u64(
                               (const uint8_t *)(uintptr_t)calls.put, layout->call_function),
            layout->function_codes));
    read_from(calls.put);
    expect_frame(0, "put", "Archive", 11, 1);
    put_u64(calls.main, layout->call_previous, calls.put); /* a ring: it cannot be told from
                                                              recursion */
    read_from(calls.put);
    assert_true(!chain.is_broken && chain.is_cut);
    assert_int_equal(chain.count, HF_INTERPRETED_FRAMES_MAX);
}

static void refuses(uint64_t at, uint32_t offset, uint64_t value)
{
    uint64_t was = hf_interpreted_u64((const uint8_t *)(uintptr_t)at, offset);
    uint64_t call = hf_interpreted_u64((const uint8_t *)(uintptr_t)php.globals, layout->current);
    put_u64(at, offset, value);
    read_from(call);
    assert_true(chain.is_broken && chain.count == 0);
    put_u64(at, offset, was);
    read_from(call);
    assert_true(!chain.is_broken && chain.count == 3);
}

/* What cannot be a chain has no frames. */
static void refuses_what_is_none(void **state)
{
    (void)state;
    struct php_calls calls = make_calls();
    read_from(calls.put);
    const uint8_t *put = (const uint8_t *)(uintptr_t)calls.put;
    uint64_t function = hf_interpreted_u64(put, layout->call_function);
    uint64_t name = chain.frames[0].name;
    refuses(calls.render, layout->call_previous, 8);
    refuses(calls.put, layout->call_function, 8);
    refuses(function, 0, 3); /* no kind of function */
    refuses(function, layout->function_file, 0);
    refuses(function, layout->function_name, function); /* no string */
    refuses(function, layout->function_scope, 8);
    refuses(name, 0, UINT64_C(7) << 32 | 1); /* an array */
    refuses(name, layout->string_length, 1u << 30);
    refuses(name, layout->string_length, 2); /* no NUL there */
    uint64_t module =
        hf_interpreted_u64((const uint8_t *)(uintptr_t)hf_interpreted_u64(
                               (const uint8_t *)(uintptr_t)php.modules, layout->table_data),
            0);
    refuses(module, layout->module_api, 20230831);
    refuses(module, layout->module_debug, 0x0101); /* built for debugging, and for threads */
    refuses(module, layout->module_debug, 0x0100);
    refuses(php.modules, layout->table_used, 0);
    refuses(php.modules, layout->table_data, 8);
    assert_null(hf_php_layout_find(1801));
}

static void writes_strings(void **state)
{
    (void)state;
    char out[HF_PHP_TEXT_MAX], many[1000];
    struct hf_php_text text;
    begin();
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (char)('a' + i % 26);
    uint64_t string = make_string(many, sizeof many);
    assert_true(hf_php_text_find(layout, &heap_memory, string, &text));
    assert_int_equal(hf_php_text_write(&heap_memory, &text, out), HF_PHP_TEXT_MAX);
    assert_memory_equal(out, many + sizeof many - HF_PHP_TEXT_MAX, HF_PHP_TEXT_MAX);
    string = make_string("class@anonymous\0/srv/a.php:7$0", 30);
    assert_true(hf_php_text_find(layout, &heap_memory, string, &text));
    assert_int_equal(hf_php_text_write(&heap_memory, &text, out), 15);
    string = make_string("", 0);
    assert_true(hf_php_text_find(layout, &heap_memory, string, &text));
    assert_int_equal(hf_php_text_write(&heap_memory, &text, out), 0);
    text = (struct hf_php_text){.at = 8, .size = 4};
    assert_int_equal(hf_php_text_write(&heap_memory, &text, out), 0);
    uint64_t hash = 1;
    assert_false(hf_php_text_hash(&heap_memory, &text, &hash));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_calls),
        cmocka_unit_test(shares_native_frames),
        cmocka_unit_test(reads_odd_calls),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(writes_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
