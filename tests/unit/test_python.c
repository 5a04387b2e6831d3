/* Frames of Python: lines, strings, and the chain, in memory that this test lays out. */
#include "check.h"

#include "interpreted.h"
#include "unwind/python/chain.h"
#include "unwind/python/lines.h"
#include "unwind/python/unicode.h"

#include <stdlib.h>

/* co_linetable of `def f():\n  a = 1\n\n  b = (a +\n    2)\n` at line 10, and such as Python does
 * not write. */
static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        size_t size;
        uint32_t offset, line;
    } cases[] = {
        {"\x80\x00\xd8\x06\x07\x80\x41", 7, 0, 10}, /* short, then + 1 */
        {"\x80\x00\xd8\x06\x07\x80\x41", 7, 2, 11},
        {"\x80\x00\xd9\x06\x07\x80\x41", 7, 4, 11}, /* of two units */
        {"\x80\x00\xd8\x06\x07\x80\x41", 7, 4, 11}, /* a short one stays on the line */
        {"\x80\x00\xd8\x06\x07\x80\x41", 7, 6, 0},  /* behind the end */
        {"\xe8\x06\xe8\x05", 4, 0, 13},             /* no columns: + 3 */
        {"\xe8\x06\xe8\x05", 4, 2, 11},             /* - 2 */
        {"\xf0\x03\x01\x05\x06\xe8\x02", 7, 0, 9},  /* long: - 1, and three varints */
        {"\xf0\x03\x01\x05\x06\xe8\x02", 7, 2, 10},
        {"\xe8\x50\x01", 3, 0, 50},                    /* a varint of two bytes: + 40 */
        {"\xf8\xe8\x02", 3, 0, 0},                     /* none ... */
        {"\xf8\xe8\x02", 3, 2, 11},                    /* ... and goes on from the line before */
        {"\xe8\x41", 2, 0, 0},                         /* cut */
        {"\x28\x00", 2, 0, 0},                         /* not the start of an entry */
        {"\xe8\x7f\x7f\x7f\x7f\x7f\x7f\x01", 8, 0, 0}, /* too large a number */
        {"\xe8\x15", 2, 0, 0},                         /* - 10: not a line */
        {"", 0, 0, 0},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_text table = {cases[i].table, cases[i].size};
        assert_int_equal(hf_python_line(table, 10, cases[i].offset), cases[i].line);
    }
}

#define CODE_TYPE UINT64_C(0x1000)
#define TEXT_TYPE UINT64_C(0x2000)

static uint64_t make_text(
    const struct hf_python_layout *layout, const void *characters, size_t count, uint32_t unit)
{
    bool is_ascii = unit == 0;
    unit += is_ascii;
    size_t head = is_ascii ? layout->ascii_bytes : layout->compact_bytes;
    uint64_t text = make(head + count * unit + 4);
    put_u64(text, 8, TEXT_TYPE);
    put_u64(text, 16, count);
    put_u64(text, 32, unit << 2 | 1u << 5 | (is_ascii ? 1u << 6 : 0));
    memcpy((void *)(uintptr_t)(text + head), characters, count * unit);
    return text;
}

static size_t written(const struct hf_python_layout *layout, uint64_t text, char *out)
{
    struct hf_python_text found;
    if (!hf_python_text_find(layout, &heap_memory, TEXT_TYPE, text, &found))
        return SIZE_MAX;
    return hf_python_text_write(&heap_memory, &found, out);
}

static void test_text(void **state)
{
    (void)state;
    const struct hf_python_layout *layout = hf_python_layout_find(0x030b02f0);
    char out[HF_PYTHON_TEXT_BYTES], many[1000];
    static const uint16_t two[] = {'a', 0x20ac, 0xd800};
    static const uint32_t four[] = {0x1f600, 0x110000, 'z'};
    heap.used = 0;
    assert_int_equal(written(layout, make_text(layout, "parse", 5, 0), out), 5);
    assert_memory_equal(out, "parse", 5);
    assert_int_equal(written(layout, make_text(layout, "na\xefve", 5, 1), out), 6);
    assert_memory_equal(out, "na\xc3\xafve", 6);
    assert_int_equal(written(layout, make_text(layout, two, 3, 2), out), 5);
    assert_memory_equal(out, "a\xe2\x82\xac?", 5);
    assert_int_equal(written(layout, make_text(layout, four, 3, 4), out), 6);
    assert_memory_equal(out, "\xf0\x9f\x98\x80?z", 6);
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (char)('a' + i % 26);
    assert_int_equal(written(layout, make_text(layout, many, 1000, 0), out), HF_PYTHON_TEXT_MAX);
    assert_memory_equal(out, many + 1000 - HF_PYTHON_TEXT_MAX, HF_PYTHON_TEXT_MAX);
    uint64_t text = make_text(layout, "x", 1, 0);
    put_u64(text, 16, UINT64_MAX); /* a length that cannot be */
    assert_int_equal(written(layout, text, out), SIZE_MAX);
    put_u64(text, 16, 1 << 20); /* characters that are not there */
    assert_int_equal(written(layout, text, out), 0);
    put_u64(text, 32, 3 << 2 | 1 << 5);
    assert_int_equal(written(layout, text, out), SIZE_MAX);
    put_u64(text, 8, CODE_TYPE);
    assert_int_equal(written(layout, text, out), SIZE_MAX);
    assert_int_equal(written(layout, 8, out), SIZE_MAX);
    assert_int_equal(written(layout, (uintptr_t)heap.bytes + sizeof heap.bytes - 8, out), SIZE_MAX);
}

static uint64_t make_code(const struct hf_python_layout *layout, const char *name)
{
    uint64_t code = make(HF_PYTHON_CODE_BYTES + 100);
    put_u64(code, 8, CODE_TYPE);
    put_u64(code, layout->code_first_line, 7);
    put_u64(code, layout->code_name, make_text(layout, name, strlen(name), 0));
    put_u64(code, layout->code_file, make_text(layout, "a.py", 4, 0));
    return code;
}

/* A frame at instruction `offset` of `code`, 0: the shim of an entry. */
static uint64_t make_frame(
    const struct hf_python_layout *layout, uint64_t code, uint32_t offset, bool is_entry)
{
    uint64_t frame = make(HF_PYTHON_FRAME_BYTES);
    put_u64(frame, layout->frame_code, code);
    put_u64(frame, layout->frame_instruction, code + layout->code_instructions + offset);
    if (layout->frame_is_entry != HF_PYTHON_NOWHERE)
        *(uint8_t *)(uintptr_t)(frame + layout->frame_is_entry) = is_entry;
    if (code == 0)
        *(uint8_t *)(uintptr_t)(frame + layout->frame_owner) = HF_PYTHON_SHIM_OWNER;
    return frame;
}

static struct hf_interpreted_chain chain;

static void read_chain(const struct hf_python_layout *layout, uint64_t start)
{
    struct hf_python python = {layout, CODE_TYPE, TEXT_TYPE};
    uint8_t head[HF_PYTHON_THREAD_BYTES] = {0};
    memcpy(head + layout->chain, &start, sizeof start);
    hf_python_chain_read(&chain, &python, &heap_memory, head, natives);
}

static void check_frame(uint32_t i, const char *name, uint32_t offset, uint32_t native)
{
    char out[HF_PYTHON_TEXT_BYTES];
    struct hf_python_text text;
    assert_true(i < chain.count);
    assert_true(hf_python_text_find(
        hf_python_layout_find(0x030b0000), &heap_memory, TEXT_TYPE, chain.frames[i].name, &text));
    assert_int_equal(hf_python_text_write(&heap_memory, &text, out), strlen(name));
    assert_memory_equal(out, name, strlen(name));
    assert_int_equal(chain.frames[i].offset, offset);
    assert_int_equal(chain.frames[i].native, native);
}

/* inner and middle are run by native frame 1, outer by native frame 3. */
static uint64_t make_flags_chain(const struct hf_python_layout *layout, uint64_t *out_middle)
{
    heap.used = 0;
    make_natives();
    uint64_t inner = make_frame(layout, make_code(layout, "inner"), 4, false);
    uint64_t middle = make_frame(layout, make_code(layout, "middle"), 8, true);
    uint64_t outer = make_frame(layout, make_code(layout, "outer"), 12, true);
    uint64_t first = stack_at + 256 + 40, second = stack_at + 3 * 256 + 80, root = make(24);
    put_u64(inner, layout->frame_previous, middle);
    put_u64(middle, layout->frame_previous, outer);
    put_u64(first, layout->cframe_frame, inner);
    put_u64(first, layout->cframe_previous, second);
    put_u64(second, layout->cframe_frame, outer);
    put_u64(second, layout->cframe_previous, root);
    *out_middle = middle;
    return first;
}

static void test_flags(void **state)
{
    (void)state;
    const struct hf_python_layout *layout = hf_python_layout_find(0x030b02f0);
    uint64_t middle, first = make_flags_chain(layout, &middle);
    read_chain(layout, first);
    assert_false(chain.is_broken || chain.is_cut);
    assert_int_equal(chain.count, 3);
    check_frame(0, "inner", 4, 1);
    check_frame(1, "middle", 8, 1);
    check_frame(2, "outer", 12, 3);
    uint64_t hash = chain.hash;
    put_u64(middle, layout->frame_instruction,
        hf_interpreted_u64((const uint8_t *)(uintptr_t)middle, layout->frame_instruction) + 2);
    read_chain(layout, first);
    assert_true(chain.count == 3 && chain.hash != hash);
    read_chain(layout, 0);
    assert_true(chain.count == 0 && !chain.is_broken);
}

/* What cannot be a chain has no frames; what lies on another stack has none, either. */
static void test_broken(void **state)
{
    (void)state;
    const struct hf_python_layout *layout = hf_python_layout_find(0x030b02f0);
    uint64_t middle, first = make_flags_chain(layout, &middle);
    put_u64(middle, layout->frame_previous, middle);
    *(uint8_t *)(uintptr_t)(middle + layout->frame_is_entry) = 0;
    read_chain(layout, first); /* a ring */
    assert_true(chain.is_broken && chain.count == 0);
    first = make_flags_chain(layout, &middle);
    put_u64(first, layout->cframe_frame, 0);
    put_u64(first, layout->cframe_previous, first);
    read_chain(layout, first); /* a ring of runs without frames */
    assert_true(chain.is_broken && chain.count == 0);
    first = make_flags_chain(layout, &middle);
    put_u64(middle, layout->frame_code, (uint64_t)(uintptr_t)heap.bytes);
    read_chain(layout, first); /* not a code object */
    assert_true(chain.is_broken && chain.count == 0);
    first = make_flags_chain(layout, &middle);
    put_u64(middle, layout->frame_code, 1);
    read_chain(layout, first); /* nowhere */
    assert_true(chain.is_broken && chain.count == 0);
    first = make_flags_chain(layout, &middle);
    natives[3].caller = NULL; /* the stack is cut before the second run */
    read_chain(layout, first);
    assert_true(!chain.is_broken && chain.count == 2);
    first = make_flags_chain(layout, &middle);
    for (size_t i = 0; i < HF_COUNT(natives); i++)
        natives[i].sp += 1 << 20;
    read_chain(layout, first);
    assert_true(!chain.is_broken && chain.count == 0);
}

static void check_shims(uint32_t version)
{
    const struct hf_python_layout *layout = hf_python_layout_find(version);
    heap.used = 0;
    make_natives();
    uint64_t inner = make_frame(layout, make_code(layout, "inner"), 4, false);
    uint64_t middle = make_frame(layout, make_code(layout, "middle"), 8, false);
    uint64_t outer = make_frame(layout, make_code(layout, "outer"), 12, false);
    uint64_t shims[] = {stack_at + 256 + 40, stack_at + 3 * 256 + 80};
    for (size_t i = 0; i < HF_COUNT(shims); i++)
        *(uint8_t *)(uintptr_t)(shims[i] + layout->frame_owner) = HF_PYTHON_SHIM_OWNER;
    put_u64(inner, layout->frame_previous, middle);
    put_u64(middle, layout->frame_previous, shims[0]);
    put_u64(shims[0], layout->frame_previous, outer);
    put_u64(outer, layout->frame_previous, shims[1]);
    uint64_t start = inner;
    if (layout->cframe_frame != HF_PYTHON_NOWHERE)
        put_u64(start = make(HF_PYTHON_CFRAME_BYTES), layout->cframe_frame, inner);
    read_chain(layout, start);
    assert_false(chain.is_broken || chain.is_cut);
    assert_int_equal(chain.count, 3);
    assert_int_equal(chain.frames[0].native, 1);
    assert_int_equal(chain.frames[1].native, 1);
    assert_int_equal(chain.frames[2].native, 3);
    assert_int_equal(chain.frames[2].offset, 12);
    put_u64(outer, layout->frame_previous, 0); /* its entry is not there */
    read_chain(layout, start);
    assert_int_equal(chain.count, 2);
}

static void test_shims(void **state)
{
    (void)state;
    check_shims(0x030c01f0);
    check_shims(0x030d00f0);
}

static void test_versions(void **state)
{
    (void)state;
    assert_null(hf_python_layout_find(0x030a0df0));
    assert_null(hf_python_layout_find(0x030e00f0));
    const struct hf_python_layout *layout = hf_python_layout_find(0x030d00f0);
    heap.used = 0;
    uint64_t runtime = make(44 * 8);
    assert_true(hf_python_layout_fits(hf_python_layout_find(0x030b02f0), &heap_memory, runtime));
    assert_false(hf_python_layout_fits(layout, &heap_memory, runtime));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_shims),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
