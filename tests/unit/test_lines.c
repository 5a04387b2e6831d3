/* Line tables by DWARF 5, section 6.2, put together here: what no compiler can be asked for. */
#include "bytes.h"
#include "check.h"
#include "dwarf/constants.h"
#include "dwarf/lookup/line.h"

#define END UINT32_MAX /* instead of a line: the end of the sequence */

#define OPERATIONS_AT 11 /* behind length, version, length of the head, instruction length */

struct row {
    uint64_t address;
    uint32_t line;
};

/* A signed LEB128, which ends where the rest is all sign. */
static void put_advance(struct hf_out *out, int32_t lines)
{
    bool is_last = false;
    while (!is_last) {
        is_last = lines >= -64 && lines < 64;
        put_u8(out, (uint8_t)((lines & 0x7f) | (is_last ? 0 : 0x80)));
        lines >>= 7;
    }
}

static struct hf_out make_table(const struct row *rows, size_t count)
{
    struct hf_out program = {0};
    uint32_t line = 1;
    for (size_t i = 0; i < count; i++) {
        put_u8(&program, DW_LNS_extended);
        put_u8(&program, 9);
        put_u8(&program, DW_LNE_set_address);
        put_u64(&program, rows[i].address);
        if (rows[i].line == END) {
            hf_out_bytes(&program, "\0\1\1", 3);
            line = 1;
            continue;
        }
        put_u8(&program, DW_LNS_advance_line);
        put_advance(&program, (int32_t)(rows[i].line - line));
        put_u8(&program, DW_LNS_copy);
        line = rows[i].line;
    }
    return make_line_table(&program);
}

/* The line of each address; 0 also where there is none. */
static void check_lines(
    const struct row *rows, size_t row_count, const struct row *expected, size_t count)
{
    struct hf_error err;
    struct hf_out table = make_table(rows, row_count);
    uint64_t addresses[16];
    uint32_t indices[16];
    assert_true(count <= HF_COUNT(addresses));
    for (uint32_t i = 0; i < count; i++) {
        addresses[i] = expected[i].address;
        indices[i] = i;
    }
    struct hf_queries queries;
    check_ok(hf_queries_init(&queries, addresses, count, &err), &err);
    for (size_t i = 0; i < count; i++)
        queries.answers[i].owner = 0;
    struct hf_dwarf_sections sections = {.name = "file", .line = hf_out_view(&table)};
    struct hf_unit unit = {.has_line = true, .queries = indices, .query_count = count};
    check_ok(hf_unit_find_lines(&unit, 0, &sections, &queries, &err), &err);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(
            queries.answers[i].has_line ? queries.answers[i].line : 0, expected[i].line);
    }
    hf_queries_done(&queries);
    hf_out_done(&table);
}

static void takes_the_last_row_of_an_address(void **state)
{
    static const struct row rows[] = {
        {0x1000, 10}, {0x1000, 11}, {0x1010, 12}, {0x1010, 13}, {0x1010, 14}, {0x1020, END}};
    static const struct row lines[] = {
        {0xfff, 0}, {0x1000, 11}, {0x100f, 11}, {0x1010, 14}, {0x101f, 14}, {0x1020, 0}};
    (void)state;
    check_lines(rows, HF_COUNT(rows), lines, HF_COUNT(lines));
}

/* By what fits one, two and three bytes, and just does not. */
static void advances_by_any_number(void **state)
{
    static const int32_t advances[] = {1, 63, 64, 127, 128, 8191, 8192, 16383, 16384, 1048575,
        1048576, -1, -64, -65, -8192, -8193, -16384, -16385, -1048576, -1048577};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(advances); i++) {
        uint32_t from = 2000000, to = from + (uint32_t)advances[i];
        const struct row rows[] = {{0x1000, from}, {0x1010, to}, {0x1020, to + 1}, {0x1030, END}};
        const struct row before[] = {{0x1008, from}, {0x1018, to}, {0x1028, to + 1}};
        check_lines(rows, HF_COUNT(rows), before, HF_COUNT(before));
        check_lines(rows, HF_COUNT(rows), &before[2], 1); /* none of the others answers anything */
    }
}

static void keeps_the_line_before_line_0(void **state)
{
    static const struct row rows[] = {{0x1000, 0}, {0x1008, 10}, {0x1010, 0}, {0x1018, 12},
        {0x1020, END}, {0x1020, 0}, {0x1030, END}};
    static const struct row lines[] = {
        {0x1000, 0}, {0x1008, 10}, {0x1010, 10}, {0x1018, 12}, {0x1020, 0}};
    (void)state;
    check_lines(rows, HF_COUNT(rows), lines, HF_COUNT(lines));
}

/* As of comdat functions: gimli 0.25 loses lines there. */
static void answers_in_overlapping_sequences(void **state)
{
    static const struct row rows[] = {{0x2000, 40}, {0x2010, END}, {0x1000, 10}, {0x1100, END},
        {0x1080, 20}, {0x1200, END}, {0x1010, 30}, {0x1020, END}};
    static const struct row lines[] = {
        {0x1000, 10}, {0x1015, 10}, {0x1080, 10}, {0x1100, 20}, {0x11ff, 20}, {0x2000, 40}};
    (void)state;
    check_lines(rows, HF_COUNT(rows), lines, HF_COUNT(lines));
}

/* Of a VLIW machine (DWARF 4, 6.2.2: operations per instruction), and with a file of its own. */
static void says_what_it_does_not_read(void **state)
{
    static const struct row rows[] = {{0x1000, 10}, {0x1010, END}};
    struct hf_error err;
    uint64_t address = 0x1000;
    uint32_t index = 0;
    (void)state;
    for (uint8_t operations = 0; operations <= 4; operations++) {
        struct hf_out table = make_table(rows, HF_COUNT(rows));
        table.data[OPERATIONS_AT] = (char)operations;
        struct hf_queries queries;
        check_ok(hf_queries_init(&queries, &address, 1, &err), &err);
        queries.answers[0].owner = 0;
        struct hf_dwarf_sections sections = {.name = "file", .line = hf_out_view(&table)};
        struct hf_unit unit = {.has_line = true, .queries = &index, .query_count = 1};
        enum hf_status status = hf_unit_find_lines(&unit, 0, &sections, &queries, &err);
        assert_int_equal(status, operations <= 1 ? HF_OK : HF_ERR_INPUT);
        assert_int_equal(queries.answers[0].has_line, operations <= 1);
        assert_true(operations <= 1 || strstr(err.text, "VLIW") != NULL);
        hf_queries_done(&queries);
        hf_out_done(&table);
    }
}

/* Functions that the linker threw away: binutils leaves them at 0, lld at -1. */
static void passes_over_dead_sequences(void **state)
{
    static const struct row rows[] = {{0, 10}, {0x2000, END}, {UINT64_MAX, 11}, {0x1000, 12},
        {0x2000, END}, {0x1500, 20}, {0x1510, END}};
    static const struct row lines[] = {{0x1000, 0}, {0x1500, 20}, {0x1800, 0}};
    (void)state;
    check_lines(rows, HF_COUNT(rows), lines, HF_COUNT(lines));
}

static bool add_range(void *context, uint64_t low, uint64_t high)
{
    hf_out_printf(context, "%llx-%llx ", (unsigned long long)low, (unsigned long long)high);
    return true;
}

static void tells_where_sequences_are(void **state)
{
    static const struct row rows[] = {{0, 10}, {0x20, END}, {0x1000, 10}, {0x1008, 11},
        {0x1020, END}, {0x3000, 7}, {0x3000, END}, {0x2000, 7}, {0x2010, END}};
    (void)state;
    struct hf_error err;
    struct hf_out table = make_table(rows, HF_COUNT(rows)), ranges = {0};
    struct hf_dwarf_sections sections = {.name = "file", .line = hf_out_view(&table)};
    const struct hf_unit unit = {.has_line = true};
    check_ok(hf_unit_line_ranges(&unit, &sections, add_range, &ranges, &err), &err);
    check_out(&ranges, "1000-1020 2000-2010 ");
    hf_out_done(&ranges);
    hf_out_done(&table);
}

/* The folders /abs and ./lib//x, and main.c, a.h, ../b.h: in the unit's folder and in these two. */
static struct hf_out make_files(uint16_t version, const char *unit_folder)
{
    static const char head[] = {1, 1, 1, -5, 14, 1};
    struct hf_out out = {0}, tables = {0};
    if (version == 5) {
        hf_out_bytes(&tables, "\1\1\x08\3", 4); /* a path, as a string; 3 of them */
        put_string(&tables, unit_folder);
    }
    put_string(&tables, "/abs");
    put_string(&tables, "./lib//x");
    if (version == 5) {
        hf_out_bytes(&tables, "\2\1\x08\2\x0b\3", 6); /* and a folder, in a byte; 3 of them */
        hf_out_bytes(&tables, "main.c\0\0a.h\0\1../b.h\0\2", 21);
    } else {
        put_string(&tables, "");
        hf_out_bytes(&tables, "main.c\0\0\0\0a.h\0\1\0\0../b.h\0\2\0\0\0", 28);
    }
    size_t skipped = version < 4 ? 1 : 0; /* operations per instruction */
    size_t head_size = sizeof head - skipped + tables.size;
    put_u32(&out, (uint32_t)(2 + (version == 5 ? 2u : 0u) + 4 + head_size));
    put_u16(&out, version);
    if (version == 5)
        put_u16(&out, 8);
    put_u32(&out, (uint32_t)head_size);
    hf_out_bytes(&out, head + skipped, sizeof head - skipped);
    hf_out_bytes(&out, tables.data, tables.size);
    hf_out_done(&tables);
    return out;
}

/* Files are counted from 1 up to version 4, and from 0 in version 5. */
static void joins_paths(void **state)
{
    static const struct {
        const char *unit_folder, *paths[3];
    } cases[] = {
        {"/build/.", {"/build/main.c", "/abs/a.h", "/build/lib/x/../b.h"}},
        {"./obj", {"obj/main.c", "/abs/a.h", "obj/lib/x/../b.h"}},
    };
    (void)state;
    for (unsigned i = 0; i < 4 * HF_COUNT(cases); i++) {
        uint16_t version = (uint16_t)(2 + i % 4);
        const char *folder = cases[i / 4].unit_folder;
        struct hf_error err;
        struct hf_intern texts = {0};
        struct hf_line_files files;
        struct hf_out table = make_files(version, folder);
        struct hf_dwarf_sections sections = {.name = "file", .line = hf_out_view(&table)};
        const struct hf_unit unit = {.has_line = true, .comp_dir = hf_text_of(folder)};
        check_ok(hf_line_files_read(&files, &unit, &sections, &err), &err);
        uint32_t first = version < 5;
        for (uint32_t file = 0; file < HF_COUNT(cases->paths); file++)
            check_text(
                hf_line_files_find(&files, first + file, &texts).path, cases[i / 4].paths[file]);
        check_text(hf_line_files_find(&files, first + 3, &texts).path, "");
        hf_line_files_done(&files);
        hf_intern_done(&texts);
        hf_out_done(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_last_row_of_an_address),
        cmocka_unit_test(advances_by_any_number),
        cmocka_unit_test(keeps_the_line_before_line_0),
        cmocka_unit_test(answers_in_overlapping_sequences),
        cmocka_unit_test(passes_over_dead_sequences),
        cmocka_unit_test(tells_where_sequences_are),
        cmocka_unit_test(says_what_it_does_not_read),
        cmocka_unit_test(joins_paths),
    };
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
