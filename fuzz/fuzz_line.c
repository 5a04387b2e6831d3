/*
 * Line tables: header, tables of folders and files, program.
 *
 * Input: first address (u64) and distance (u8) of a sweep of addresses; size (u16) and bytes of
 * .debug_line; the rest is .debug_line_str and .debug_str both.
 */
#include "dwarf/lookup/line.h"
#include "fuzz.h"
#include "input.h"

#define ADDRESSES 128

static void check_rows(const struct hf_queries *queries, const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections)
{
    struct hf_error err;
    struct hf_line_files files;
    struct hf_intern texts = {0};
    (void)!hf_line_files_read(&files, unit, sections, &err);
    for (size_t i = 0; i < queries->count; i++) {
        if (queries->answers[i].has_line) {
            struct hf_text path = hf_line_files_find(&files, queries->answers[i].file, &texts).path;
            if (path.size != 0 && path.data[path.size - 1] == '/' && path.size > 1)
                abort();
        }
    }
    hf_intern_done(&texts);
    hf_line_files_done(&files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint64_t start = hf_cursor_u64(&c);
    uint64_t step = (uint64_t)hf_cursor_u8(&c) + 1;
    struct hf_dwarf_sections sections = {.name = "input"};
    uint16_t line_size = hf_cursor_u16(&c);
    sections.line = fuzz_take_part(&c, line_size);
    sections.line_str = fuzz_take_part(&c, hf_cursor_left(&c));
    sections.str = sections.line_str;

    uint64_t addresses[ADDRESSES];
    uint32_t indices[ADDRESSES];
    size_t count = fuzz_sweep(addresses, ADDRESSES, start, step);
    struct hf_queries queries;
    if (hf_queries_init(&queries, addresses, count, &err) != HF_OK)
        abort();
    for (size_t i = 0; i < count; i++) {
        indices[i] = (uint32_t)i;
        queries.answers[i].owner = 0;
    }
    struct hf_unit unit = {.has_line = true, .queries = indices, .query_count = count};
    unit.encoding = (struct hf_dwarf_encoding){5, 8, 4};
    unit.comp_dir = HF_TEXT("/src");
    (void)!hf_unit_find_lines(&unit, 0, &sections, &queries, &err);
    check_rows(&queries, &unit, &sections);
    hf_queries_done(&queries);
    fuzz_free_part(sections.line);
    fuzz_free_part(sections.line_str);
    return 0;
}
