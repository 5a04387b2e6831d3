/* Where a pprof file says that code lies: mappings, and addresses in them. */
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/protobuf.h"
#include "formats/writers.h"
#include "reading.h"

#include <inttypes.h>

/* Mappings as "start-limit@offset bits" (functions, files, lines, inlined calls), then locations.
 */
static void put_places(struct hf_text message, struct hf_out *out)
{
    struct hf_cursor c = hf_cursor_of(message.data, message.size, "");
    struct hf_protobuf_field field, part;
    while (hf_protobuf_next(&c, &field)) {
        if (field.number != HF_PPROF_MAPPING && field.number != HF_PPROF_LOCATION)
            continue;
        uint64_t numbers[16] = {0};
        struct hf_cursor parts = hf_cursor_of(field.bytes.data, field.bytes.size, "");
        while (hf_protobuf_next(&parts, &part)) {
            if (part.number < HF_COUNT(numbers))
                numbers[part.number] = part.value;
        }
        if (field.number == HF_PPROF_MAPPING)
            hf_out_printf(out,
                "%" PRIx64 "-%" PRIx64 "@%" PRIx64 " %" PRIu64 "%" PRIu64 "%" PRIu64 "%" PRIu64
                "\n",
                numbers[HF_PPROF_MAPPING_START], numbers[HF_PPROF_MAPPING_LIMIT],
                numbers[HF_PPROF_MAPPING_OFFSET], numbers[HF_PPROF_MAPPING_HAS_FUNCTIONS],
                numbers[HF_PPROF_MAPPING_HAS_FILENAMES], numbers[HF_PPROF_MAPPING_HAS_LINE_NUMBERS],
                numbers[HF_PPROF_MAPPING_HAS_INLINE_FRAMES]);
        else
            hf_out_printf(out, "%" PRIu64 ": %" PRIx64 " in %" PRIu64 "\n",
                numbers[HF_PPROF_LOCATION_ID], numbers[HF_PPROF_LOCATION_ADDRESS],
                numbers[HF_PPROF_LOCATION_MAPPING_ID]);
    }
}

static uint32_t pprof_frame(struct hf_profile *p, const struct hf_frame *frame)
{
    struct hf_error err;
    uint32_t id;
    check_ok(hf_profile_frame(p, frame, &id, &err), &err);
    return id;
}

/* Code is looked for where it may run, at the first and the last byte, and beside every part. */
static void writes_where_code_lies(void **state)
{
    static const struct hf_segment segments[] = {{0x10000, 0x11000, 0, false},
        {0x20000, 0x21000, 0x800, false}, {0x30000, 0x31000, 0x1000, true},
        {0x40000, 0x41000, 0x1800, false}};
    static const uint64_t offsets[] = {0x7ff, 0x800, 0xfff, 0x1000, 0x1fff, 0x2000, 0x27ff, 0x2800};
    static const struct {
        size_t count;
        uint32_t line;
    } names[] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0}, {2, 7}, {2, 8}};
    (void)state;
    struct hf_error err;
    struct hf_profile *p;
    struct hf_out out = {0}, text = {0};
    uint32_t module, strings[3], frames[2], node;
    const uint64_t value = 1;
    check_ok(hf_profile_new(&p, &err), &err);
    check_ok(hf_profile_add_type(p, "inuse_space", "bytes", &err), &err);
    check_ok(hf_profile_string(p, HF_TEXT("f"), &strings[1], &err), &err);
    check_ok(hf_profile_string(p, HF_TEXT("f.c"), &strings[2], &err), &err);
    check_ok(hf_profile_module(p, HF_TEXT("/bin/a"), HF_TEXT(""), &module, &err), &err);
    for (size_t i = 0; i < HF_COUNT(segments); i++)
        check_ok(hf_profile_add_segment(p, module, &segments[i], &err), &err);
    for (size_t i = 0; i < HF_COUNT(offsets); i++) {
        uint32_t address = pprof_frame(
            p, &(struct hf_frame){
                   .module = module, .offset = offsets[i], .flags = HF_FRAME_HAS_OFFSET});
        size_t count = i < HF_COUNT(names) ? names[i].count : 0;
        for (size_t n = 0; n < count; n++)
            frames[n] = pprof_frame(
                p, &(struct hf_frame){.name = strings[1],
                       .file = names[i].line != 0 ? strings[2] : HF_NO_STRING,
                       .line = names[i].line,
                       .flags = HF_FRAME_NAMED | (n + 1 < count ? HF_FRAME_INLINED : 0)});
        if (count != 0)
            check_ok(hf_profile_expand(p, address, frames, count, &err), &err);
        check_ok(hf_stacktree_add(&p->stacks, &address, 1, &node, &err), &err);
        check_ok(hf_profile_add_sample(p, node, HF_THREAD_ALL, &value, &err), &err);
    }
    check_ok(hf_writer_pb.write(p, 0, &p->notes, &out, &err), &err);
    check_ok(hf_out_finish(&out, &err), &err);
    put_places(hf_out_view(&out), &text);
    check_out(&text, "30000-31000@1000 1000\n"
                     "10000-11000@0 0000\n"
                     "40000-41000@1800 1111\n"
                     "0-0@0 0000\n"
                     "1: 107ff in 2\n"
                     "2: 10800 in 2\n"
                     "3: 10fff in 2\n"
                     "4: 30000 in 1\n"
                     "5: 30fff in 1\n"
                     "6: 40800 in 3\n"
                     "7: 40fff in 3\n"
                     "8: 2800 in 4\n");
    hf_out_done(&text);
    hf_out_done(&out);
    hf_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writes_where_code_lies)};
    return cmocka_run_group_tests_name("pprof_pool", tests, NULL, NULL);
}
