/* Java frames: what HotSpot exports, its code, its methods, and the chain, in memory that this test
 * lays out. */
#include "check.h"

#include "interpreted.h"
#include "unwind/java/code_cache.h"
#include "unwind/java/method_frames.h"
#include "unwind/java/methods.h"

/* As Java 17 exports it; a static one has no offset. */
enum { IS_STATIC = -1, IS_SIZE = -2, IS_VALUE = -3 };
static const struct {
    const char *type, *field;
    int32_t offset, value;
} exported[] = {
    {"CodeCache", "_low_bound", IS_STATIC, 0},
    {"CodeCache", "_heaps", IS_STATIC, 0},
    {"AbstractInterpreter", "_code", IS_STATIC, 1},
    {"StubRoutines", "_call_stub_return_address", IS_STATIC, 2},
    {"Abstract_VM_Version", "_vm_major_version", IS_STATIC, 3},
    {"Abstract_VM_Version", "_vm_security_version", IS_STATIC, 4},
    {"Universe", "_collectedHeap", IS_STATIC, 5},
    {"CollectedHeap", "_reserved", 32, 0},
    {"MemRegion", "_start", 0, 0},
    {"MemRegion", "_word_size", 8, 0},
    {"GrowableArrayBase", "_len", 0, 0},
    {"GrowableArrayBase", "_max", 4, 0},
    {"GrowableArray<int>", "_data", 8, 0},
    {"CodeHeap", "_memory", 8, 0},
    {"CodeHeap", "_segmap", 120, 0},
    {"CodeHeap", "_log2_segment_size", 256, 0},
    {"VirtualSpace", "_low", 16, 0},
    {"VirtualSpace", "_high", 24, 0},
    {"HeapBlock::Header", "_used", 8, 0},
    {"HeapBlock", "", IS_SIZE, 16},
    {"StubQueue", "_stub_buffer", 8, 0},
    {"StubQueue", "_buffer_limit", 20, 0},
    {"CodeBlob", "_name", 96, 0},
    {"CodeBlob", "_frame_size", 28, 0},
    {"CodeBlob", "_code_begin", 32, 0},
    {"CompiledMethod", "_method", 112, 0},
    {"CompiledMethod", "_scopes_data_begin", 120, 0},
    {"CompiledMethod", "_deopt_handler_begin", 128, 0},
    {"CompiledMethod", "_deopt_mh_handler_begin", 136, 0},
    {"nmethod", "_orig_pc_offset", 300, 0},
    {"nmethod", "_metadata_offset", 260, 0},
    {"nmethod", "_scopes_pcs_offset", 268, 0},
    {"nmethod", "_dependencies_offset", 272, 0},
    {"PcDesc", "_pc_offset", 0, 0},
    {"PcDesc", "_scope_decode_offset", 4, 0},
    {"PcDesc", "", IS_SIZE, 16},
    {"Method", "_constMethod", 8, 0},
    {"ConstMethod", "_constants", 8, 0},
    {"ConstMethod", "_flags", 28, 0},
    {"ConstMethod", "_code_size", 32, 0},
    {"ConstMethod", "_name_index", 34, 0},
    {"ConstMethod", "", IS_SIZE, 48},
    {"ConstantPool", "_tags", 8, 0},
    {"ConstantPool", "_pool_holder", 24, 0},
    {"ConstantPool", "_length", 60, 0},
    {"ConstantPool", "", IS_SIZE, 72},
    {"Klass", "_name", 24, 0},
    {"Symbol", "_length", 4, 0},
    {"Symbol", "_body[0]", 6, 0},
    {"JavaCallWrapper", "_anchor", 32, 0},
    {"JavaFrameAnchor", "_last_Java_sp", 0, 0},
    {"JavaFrameAnchor", "_last_Java_pc", 8, 0},
    {"JavaFrameAnchor", "_last_Java_fp", 16, 0},
    {"InvocationEntryBci", "", IS_VALUE, -1},
    {"ConstMethod::_has_linenumber_table", "", IS_VALUE, 1},
};

enum { SEGMENT_BITS = 7, SEGMENTS = 64, INTERPRETER_BYTES = 1024, CALL = 96 };

static struct hf_java java;
static struct hf_interpreted_chain chain;
static struct hf_java_exports exports;
static uint64_t statics, code, map, interpreter, take, feed;

static uint64_t make_text(const char *text)
{
    size_t size = strlen(text) + 1;
    uint64_t at = make(size < 64 ? 64 : size);
    memcpy((void *)(uintptr_t)at, text, size);
    return at;
}

static void put_u32(uint64_t address, uint32_t offset, uint32_t value)
{
    memcpy((void *)(uintptr_t)(address + offset), &value, sizeof value);
}

static void put_u16(uint64_t address, uint32_t offset, uint16_t value)
{
    memcpy((void *)(uintptr_t)(address + offset), &value, sizeof value);
}

static void put_u8(uint64_t address, uint64_t offset, uint8_t value)
{
    *(uint8_t *)(uintptr_t)(address + offset) = value;
}

/* The lists, without what is called `left_out`. */
static void make_lists(const char *left_out)
{
    uint64_t fields = make(48 * (HF_COUNT(exported) + 1)), sizes = make(40 * 8);
    uint64_t values = make(16 * 4), lists = make(24);
    uint32_t field = 0, size = 0, value = 0;
    for (size_t i = 0; i < HF_COUNT(exported); i++) {
        uint64_t type = make_text(exported[i].type);
        if (left_out != NULL && strcmp(left_out, exported[i].type) == 0)
            continue;
        if (exported[i].offset == IS_SIZE) {
            put_u64(sizes, 40 * size, type);
            put_u64(sizes, 40 * size++ + 32, (uint64_t)exported[i].value);
        } else if (exported[i].offset == IS_VALUE) {
            put_u64(values, 16 * value, type);
            put_u32(values, 16 * value++ + 8, (uint32_t)exported[i].value);
        } else {
            bool is_static = exported[i].offset == IS_STATIC;
            put_u64(fields, 48 * field, type);
            put_u64(fields, 48 * field + 8, make_text(exported[i].field));
            put_u32(fields, 48 * field + 24, is_static);
            put_u64(fields, 48 * field + 32, is_static ? 0 : (uint64_t)exported[i].offset);
            put_u64(fields, 48 * field++ + 40,
                is_static ? statics + 8 * (uint64_t)exported[i].value : 0);
        }
    }
    put_u64(lists, 0, fields);
    put_u64(lists, 8, sizes);
    put_u64(lists, 16, values);
    exports = (struct hf_java_exports){lists, lists + 8, lists + 16};
}

static uint64_t make_symbol(const char *text)
{
    size_t size = strlen(text);
    uint64_t symbol = make(8 + size);
    put_u16(symbol, 4, (uint16_t)size);
    memcpy((void *)(uintptr_t)(symbol + 6), text, size);
    return symbol;
}

/* A method of 40 bytes of bytecode, and its lines. */
static uint64_t make_method(
    const char *class, const char *name, const char *file, const uint8_t *lines, size_t size)
{
    uint64_t method = make(88), constant = make(48 + 40 + 64), pool = make(72 + 32);
    uint64_t holder = make(64), tags = make(16);
    put_u64(holder, 24, make_symbol(class));
    put_u64(pool, 8, tags);
    put_u64(pool, 24, holder);
    put_u16(pool, 54, 2);
    put_u32(pool, 60, 4);
    put_u64(pool, 72 + 8, make_symbol(name));
    put_u64(pool, 72 + 16, make_symbol(file));
    put_u8(tags, 4 + 1, 1);
    put_u8(tags, 4 + 2, 1);
    put_u64(constant, 8, pool);
    put_u16(constant, 28, 1);
    put_u16(constant, 32, 40);
    put_u16(constant, 34, 1);
    memcpy((void *)(uintptr_t)(constant + 48 + 40), lines, size);
    put_u64(method, 8, constant);
    return method;
}
#define LINES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* A block of the code's heap, from a segment on; `used` of them. */
static uint64_t make_blob(uint32_t segment, uint32_t used, const char *name, uint32_t frame_words)
{
    uint64_t block = code + ((uint64_t)segment << SEGMENT_BITS), blob = block + 16;
    for (uint32_t i = 0; i < used; i++)
        put_u8(map, segment + i, (uint8_t)i);
    put_u8(block, 8, 1);
    put_u64(blob, 96, make_text(name));
    put_u32(blob, 28, frame_words);
    put_u64(blob, 32, blob + 512);
    return blob;
}

/* feed(), compiled, with take() in it: at 40 bytes both, at 60 feed() alone, at 80 nothing is said.
 */
static uint64_t make_compiled(void)
{
    static const uint8_t scopes[] = {0, 0, 2, 8, 1, 1, 6};
    static const int32_t pcs[][2] = {{-1, 0}, {40, 4}, {60, 1}, {70, 0}, {900, 0}};
    uint64_t blob = make_blob(4, 12, "nmethod", 4);
    put_u64(blob, 112, feed);
    put_u64(blob, 120, blob + 480);
    memcpy((void *)(uintptr_t)(blob + 480), scopes, sizeof scopes);
    put_u32(blob, 260, 464);
    put_u64(blob, 464, take);
    put_u64(blob, 472, feed);
    put_u32(blob, 268, 376);
    put_u32(blob, 272, 376 + 16 * (uint32_t)HF_COUNT(pcs));
    for (uint32_t i = 0; i < HF_COUNT(pcs); i++) {
        put_u32(blob, 376 + 16 * i, (uint32_t)pcs[i][0]);
        put_u32(blob, 376 + 16 * i + 4, (uint32_t)pcs[i][1]);
    }
    put_u64(blob, 128, blob + 512 + 200);
    put_u64(blob, 136, blob + 512 + 210);
    put_u32(blob, 300, 8);
    return blob + 512;
}

static uint64_t compiled, stub, adapter;

static void begin(void)
{
    heap.used = 0;
    make_natives();
    statics = make(48);
    make_lists(NULL);
    uint64_t heaps = make(16), items = make(8), code_heap = make(264), queue = make(40);
    code = make(SEGMENTS << SEGMENT_BITS);
    map = make(SEGMENTS);
    memset((void *)(uintptr_t)map, 0xff, SEGMENTS);
    interpreter = make(INTERPRETER_BYTES);
    put_u64(statics, 0, heaps);
    put_u64(statics, 8, queue);
    put_u64(statics, 16, interpreter + INTERPRETER_BYTES + CALL);
    put_u32(heaps, 0, 1);
    put_u64(heaps, 8, items);
    put_u64(items, 0, code_heap);
    put_u64(code_heap, 8 + 16, code);
    put_u64(code_heap, 8 + 24, code + (SEGMENTS << SEGMENT_BITS));
    put_u64(code_heap, 120 + 16, map);
    put_u64(code_heap, 120 + 24, map + SEGMENTS);
    put_u32(code_heap, 256, SEGMENT_BITS);
    put_u64(queue, 8, interpreter);
    put_u32(queue, 20, INTERPRETER_BYTES);
    /* Lines 10 and 12, and 300 by a wide step. */
    take = make_method("org/acme/Feed", "take", "Feed.java",
        LINES(0xff, 0, 20, 8 << 3 | 2, 0xff, 20, 192 + 0, 6, 0));
    feed = make_method("org/acme/Feed$$Lambda$14+0x0000000800c03000", "feed", "Feed.java",
        LINES(0xff, 0, 14, 5 << 3 | 1, 0));
    compiled = make_compiled();
    stub = make_blob(20, 6, "RuntimeStub - new_instance", 2) + 512;
    adapter = make_blob(30, 6, "I2C/C2I adapters", 0) + 512;
    java = (struct hf_java){0};
    assert_true(hf_java_structs_read(&java, &heap_memory, &exports));
}

static bool java_find_objects(uint64_t start, uint64_t words)
{
    uint64_t objects = make(64), found, end;
    put_u64(objects, 32, start);
    put_u64(objects, 40, words);
    put_u64(statics, 40, objects);
    return hf_java_find_objects(&java, &heap_memory, &found, &end) && found == start &&
           end == start + 8 * words;
}

static void finds_where_objects_are(void **state)
{
    (void)state;
    uint64_t start, end;
    begin();
    assert_false(hf_java_find_objects(&java, &heap_memory, &start, &end)); /* not made yet */
    assert_true(java.update == statics + 32);
    assert_true(java_find_objects(0xe0000000, 1 << 26));
    assert_false(java_find_objects(0, 1 << 26));
    assert_false(java_find_objects(0xe0000000, 0));
    assert_false(java_find_objects(UINT64_C(1) << 47, 1));
    assert_false(java_find_objects(0xe0000000, UINT64_MAX / 8));
    put_u64(statics, 40, 8); /* there is nothing */
    assert_false(hf_java_find_objects(&java, &heap_memory, &start, &end));
}

static void takes_what_is_exported(void **state)
{
    (void)state;
    begin();
    assert_true(java.heaps == statics && java.version == statics + 24);
    assert_true(java.array_data == 8 && java.heap_segments == 120 && java.symbol_body == 6);
    assert_true(java.const_bytes == 48 && java.has_lines == 1 && java.anchor_fp == 16);
    for (size_t i = 1; i < HF_COUNT(exported); i++) {
        bool is_wanted = strcmp(exported[i].type, "InvocationEntryBci") != 0;
        struct hf_java none = {0};
        heap.used = 0;
        statics = make(48);
        make_lists(exported[i].type);
        assert_int_equal(hf_java_structs_read(&none, &heap_memory, &exports), !is_wanted);
    }
    begin();
    put_u64(*(uint64_t *)(uintptr_t)exports.structs, 48 * 9 + 32, 1 << 20); /* no offset is that */
    assert_false(hf_java_structs_read(&java, &heap_memory, &exports));
    exports.types = 8;
    assert_false(hf_java_structs_read(&java, &heap_memory, &exports));
    assert_true(hf_java_is_known(17) && !hf_java_is_known(21));
}

static void finds_code(void **state)
{
    (void)state;
    begin();
    struct hf_java_code found;
    assert_int_equal(
        hf_java_code_find(&java, &heap_memory, compiled + 40, &found), HF_JAVA_COMPILED);
    assert_true(found.begin == compiled && found.frame_bytes == 32);
    assert_int_equal(hf_java_code_find(&java, &heap_memory, stub + 1, &found), HF_JAVA_STUB);
    assert_int_equal(hf_java_code_find(&java, &heap_memory, adapter, &found), HF_JAVA_NO_CODE);
    assert_int_equal(
        hf_java_code_find(&java, &heap_memory, interpreter + 5, &found), HF_JAVA_INTERPRETER);
    assert_int_equal(
        hf_java_code_find(&java, &heap_memory, interpreter + INTERPRETER_BYTES, &found),
        HF_JAVA_NO_CODE);
    assert_int_equal(
        hf_java_code_find(&java, &heap_memory, interpreter + INTERPRETER_BYTES + CALL, &found),
        HF_JAVA_CALL);
    assert_int_equal(hf_java_code_find(&java, &heap_memory, code, &found), HF_JAVA_NO_CODE);
    put_u8(map, 6, 7); /* before the first segment */
    assert_int_equal(hf_java_code_find(&java, &heap_memory, code + (6 << SEGMENT_BITS), &found),
        HF_JAVA_NO_CODE);
    put_u8(compiled - 512 - 16, 8, 0); /* it was freed */
    assert_int_equal(hf_java_code_find(&java, &heap_memory, compiled, &found), HF_JAVA_NO_CODE);
}

static void expect_method(uint64_t at, const char *name, const char *file)
{
    struct hf_java_method method;
    char out[HF_JAVA_NAME_BYTES];
    assert_true(hf_java_method_read(&java, &heap_memory, at, &method));
    assert_int_equal(hf_java_name_write(&java, &heap_memory, &method, out), strlen(name));
    assert_memory_equal(out, name, strlen(name));
    assert_int_equal(hf_java_file_write(&java, &heap_memory, &method, out), strlen(file));
    assert_memory_equal(out, file, strlen(file));
}

static void names_methods(void **state)
{
    (void)state;
    begin();
    struct hf_java_method method;
    expect_method(take, "org.acme.Feed.take", "org/acme/Feed.java");
    expect_method(feed, "org.acme.Feed$$Lambda.feed", "org/acme/Feed.java");
    expect_method(make_method("Main", "<init>", "Main.kt", LINES(0)), "Main.<init>", "Main.kt");
    expect_method(make_method("Main", "f", "nothing", LINES(0)), "Main.f", "");
    char many[1001];
    memset(many, 'a', sizeof many - 1);
    memcpy(many + 994, "/Late", 6);
    many[999] = '\0';
    assert_true(hf_java_method_read(
        &java, &heap_memory, make_method(many, "f", "Late.java", LINES(0)), &method));
    char out[HF_JAVA_NAME_BYTES];
    size_t size = hf_java_name_write(&java, &heap_memory, &method, out);
    assert_true(size == HF_JAVA_NAME_BYTES / 2 - 1 + 2);
    assert_memory_equal(out + size - 7, ".Late.f", 7);
    assert_false(hf_java_method_read(&java, &heap_memory, take + 4, &method));
    assert_false(hf_java_method_read(&java, &heap_memory, 16, &method));
    put_u16(*(uint64_t *)(uintptr_t)(feed + 8), 34, 9); /* a name that is not in the pool */
    assert_true(hf_java_method_read(&java, &heap_memory, feed, &method));
    assert_int_equal(hf_java_name_write(&java, &heap_memory, &method, out), 0);
}

static void finds_lines(void **state)
{
    (void)state;
    begin();
    struct hf_java_method method;
    assert_true(hf_java_method_read(&java, &heap_memory, take, &method));
    assert_int_equal(hf_java_line(&java, &heap_memory, &method, 0), 10);
    assert_int_equal(hf_java_line(&java, &heap_memory, &method, 7), 10);
    assert_int_equal(hf_java_line(&java, &heap_memory, &method, 8), 12);
    assert_int_equal(hf_java_line(&java, &heap_memory, &method, 39), 300);
    method.flags = 0;
    assert_int_equal(hf_java_line(&java, &heap_memory, &method, 0), 0);
}

static void put_stack(uint32_t word, uint64_t value)
{
    put_u64(stack_at, 8 * word, value);
}

static void read_chain(void)
{
    struct hf_java_sight sight = {.surely = &heap_memory};
    hf_java_chain_read(&chain, &java, &heap_memory, &sight, natives, stack_at + 1280);
}

/*
 * From the leaf: a stub of two words, feed() with take() in it of four, an interpreted take(), and
 * a call from C++ after which there are Java frames no more.
 */
static void lay_stack(void)
{
    for (size_t i = 0; i < HF_COUNT(natives); i++)
        natives[i].rule = hf_unwind_rule_make(HF_UNWIND_SP, 1, 0);
    natives[2].rule = (struct hf_unwind_rule){HF_UNWIND_UNKNOWN};
    natives[2].pc = stub + 4;
    natives[2].sp = stack_at + 8 * 10;
    put_stack(10, stack_at); /* what the stub kept of rbp */
    put_stack(11, compiled + 40);
    put_stack(14, stack_at + 8 * 30); /* what feed() kept of it: the interpreted frame's */
    put_stack(15, interpreter + 8);
    put_stack(22, *(uint64_t *)(uintptr_t)(take + 8) + 48 + 9); /* at the ninth byte */
    put_stack(27, take);
    put_stack(29, stack_at + 8 * 32);
    put_stack(30, stack_at + 8 * 50);
    put_stack(31, interpreter + INTERPRETER_BYTES + CALL);
    put_stack(44, stack_at + 8 * 60); /* the call's wrapper */
}

static void expect_frame(uint32_t i, uint64_t method, uint32_t bytecode)
{
    assert_true(i < chain.count);
    assert_int_equal(chain.frames[i].scope, method);
    assert_int_equal(chain.frames[i].offset, bytecode + 1);
    assert_int_equal(chain.frames[i].native, 2);
}

static void reads_frames(void **state)
{
    (void)state;
    begin();
    lay_stack();
    read_chain();
    assert_true(chain.is_outermost && !chain.is_cut && !chain.is_broken);
    assert_int_equal(chain.count, 3);
    expect_frame(0, take, 5);
    expect_frame(1, feed, 7);
    expect_frame(2, take, 9);
    uint64_t hash = chain.hash;
    put_stack(11, compiled + 60);
    read_chain();
    assert_true(chain.count == 2 && chain.hash != hash);
    expect_frame(0, feed, 7);
    put_stack(11, compiled + 80); /* no line is known */
    read_chain();
    assert_true(chain.count == 2 && chain.frames[0].scope == feed && chain.frames[0].offset == 0);
    put_stack(11, compiled + 200); /* it was given up, and keeps where it was */
    put_stack(13, compiled + 40);
    read_chain();
    assert_true(chain.count == 3 && chain.hash == hash);
    natives[0].pc++; /* other native code inward of the same */
    read_chain();
    assert_true(chain.count == 3 && chain.hash != hash);
}

/* Before the call there are Java frames: a compiled one that is called by nothing known. */
static void goes_on_before_a_call(void **state)
{
    (void)state;
    begin();
    lay_stack();
    put_stack(64, stack_at + 8 * 90);
    put_stack(65, compiled + 60);
    put_stack(90 + 3, 0x7777);
    read_chain();
    assert_true(chain.count == 4 && chain.is_cut && chain.is_outermost);
    expect_frame(3, feed, 7);
    put_stack(65, 0); /* then it stands below the stack's end */
    put_stack(89, compiled + 40);
    read_chain();
    assert_int_equal(chain.count, 5);
    expect_frame(3, take, 5);
    put_stack(64, stack_at + 8 * 20); /* inward: it cannot be */
    read_chain();
    assert_true(chain.count == 3 && chain.is_cut);
}

static void refuses_what_is_none(void **state)
{
    (void)state;
    begin();
    lay_stack();
    put_stack(27, take + 8); /* no method */
    read_chain();
    assert_true(chain.count == 2 && chain.is_cut && !chain.is_broken);
    put_stack(14, stack_at + 8 * 300); /* outside of the stack */
    read_chain();
    assert_true(chain.count == 2 && chain.is_cut);
    natives[2].pc = interpreter + 3;
    natives[2].fp = stack_at + 8 * 30;
    read_chain();
    assert_true(chain.count == 0 && chain.is_broken && !chain.is_outermost);
    natives[2].pc = 0x7777; /* other code without a rule */
    read_chain();
    assert_true(chain.count == 0 && !chain.is_broken);
    natives[2].rule = natives[1].rule;
    read_chain();
    assert_true(chain.count == 0 && !chain.is_broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_is_exported),
        cmocka_unit_test(finds_where_objects_are),
        cmocka_unit_test(finds_code),
        cmocka_unit_test(names_methods),
        cmocka_unit_test(finds_lines),
        cmocka_unit_test(reads_frames),
        cmocka_unit_test(goes_on_before_a_call),
        cmocka_unit_test(refuses_what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
