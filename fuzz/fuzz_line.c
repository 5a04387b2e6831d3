/*
 * Line tables: header, tables of folders and files, program.
 *
 * Input: first address (u64) and distance (u8) of a sweep of addresses; size (u16) and bytes of
 * .debug_line; the rest is .debug_line_str and .debug_str both.
 *
 * The whole list of a sound table answers as the search did.
 */
#include "dwarf/lookup/line.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

#define ADDRESSES 128

static void check_rows(const struct hf_queries *queries, const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections)
{
    struct hf_error err;
    struct hf_line_files files;
    struct hf_intern texts = {0};
    fuzz_tell_error(hf_line_files_read(&files, unit, sections, &err), &err);
    for (size_t i = 0; i < queries->count; i++) {
        if (queries->answers[i].has_line) {
            struct hf_text path = hf_line_files_find(&files, queries->answers[i].file, &texts).path;
            fuzz_tell("0x%llx: line %u, column %u%s, file %u ",
                (unsigned long long)queries->addresses[i], queries->answers[i].line,
                queries->answers[i].column, queries->answers[i].is_near ? ", near" : "",
                queries->answers[i].file);
            fuzz_tell_named("path", path);
            if (path.size != 0 && path.data[path.size - 1] == '/' && path.size > 1)
                abort();
        }
    }
    hf_intern_done(&texts);
    hf_line_files_done(&files);
}

/* The first run of the list with that address has its row; NULL: none has. */
static const struct hf_line_row *row_at(const struct hf_line_list *list, uint64_t address)
{
    for (size_t i = 0; i < list->run_count; i++) {
        const struct hf_line_run *run = &list->runs[i];
        if (address < run->start || address >= run->end)
            continue;
        const struct hf_line_row *row = NULL;
        for (size_t r = run->first; r < run->first + run->count; r++)
            if (list->rows[r].offset <= address - run->start)
                row = &list->rows[r];
        return row;
    }
    return NULL;
}

/* `is_sound`: the search found no damage, though it may have ended before all was looked at. */
static void check_list(const struct hf_queries *queries, const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, bool is_sound)
{
    struct hf_error err;
    struct hf_line_list list = {.has_columns = true};
    bool is_listed = hf_unit_list_lines(unit, sections, &list, &err) == HF_OK;
    for (size_t i = 0; i < queries->count && is_listed && is_sound; i++) {
        const struct hf_answer *answer = &queries->answers[i];
        const struct hf_line_row *row = row_at(&list, queries->addresses[i]);
        if (answer->has_line != (row != NULL) ||
            (row != NULL && (row->line != (answer->line & INT32_MAX) || row->file != answer->file)))
            abort();
    }
    hf_line_list_done(&list);
}

static bool see_range(void *count, uint64_t low, uint64_t high)
{
    if (low >= high)
        abort();
    fuzz_tell("range 0x%llx to 0x%llx\n", (unsigned long long)low, (unsigned long long)high);
    return --*(int *)count != 0;
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
    enum hf_status status = hf_unit_find_lines(&unit, 0, &sections, &queries, &err);
    bool is_sound = status == HF_OK;
    fuzz_tell_error(status, &err);
    check_rows(&queries, &unit, &sections);
    check_list(&queries, &unit, &sections, is_sound);
    int ranges = 16;
    fuzz_tell_error(hf_unit_line_ranges(&unit, &sections, see_range, &ranges, &err), &err);
    hf_queries_done(&queries);
    fuzz_free_part(sections.line);
    fuzz_free_part(sections.line_str);
    return 0;
}
