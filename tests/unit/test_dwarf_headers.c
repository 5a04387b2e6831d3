/* Heads of units and of line tables, by DWARF 2 to 5, with offsets of 32 and 64 bits; cut ones. */
#include "bytes.h"
#include "check.h"
#include "dwarf/constants.h"
#include "dwarf/lookup/line_header.h"

static void headers_put_offset(struct hf_out *out, bool is_wide, uint64_t value)
{
    if (is_wide)
        put_u64(out, value);
    else
        put_u32(out, (uint32_t)value);
}

/* A length, and so many bytes as it says, less `missing`. */
static void put_unit(struct hf_out *out, bool is_wide, struct hf_text body, uint64_t more)
{
    if (is_wide)
        put_u32(out, UINT32_MAX);
    headers_put_offset(out, is_wide, body.size + more);
    hf_out_text(out, body);
}

struct unit_row {
    uint16_t version;
    uint8_t type; /* of version 5 */
    bool is_wide;
    uint64_t dwo_id;
    size_t head_bytes;
};

/* 2 for the version, 1 for the size of addresses, 1 for the type, 4 or 8 for an offset, 8 for ids
 */
static const struct unit_row unit_rows[] = {
    {2, DW_UT_compile, false, 0, 4 + 2 + 4 + 1},
    {4, DW_UT_compile, false, 0, 4 + 2 + 4 + 1},
    {4, DW_UT_compile, true, 0, 12 + 2 + 8 + 1},
    {5, DW_UT_compile, false, 0, 4 + 2 + 1 + 1 + 4},
    {5, DW_UT_partial, true, 0, 12 + 2 + 1 + 1 + 8},
    {5, DW_UT_skeleton, false, 0x1234567890, 4 + 2 + 1 + 1 + 4 + 8},
    {5, DW_UT_split_compile, true, 0x1234567890, 12 + 2 + 1 + 1 + 8 + 8},
    {5, DW_UT_type, false, 0, 4 + 2 + 1 + 1 + 4 + 8 + 4},
    {5, DW_UT_split_type, true, 0, 12 + 2 + 1 + 1 + 8 + 8 + 8},
};

/* The head of the row, and an entry of 3 bytes. */
static struct hf_out unit_body(const struct unit_row *row)
{
    struct hf_out body = {0};
    put_u16(&body, row->version);
    if (row->version >= 5) {
        put_u8(&body, row->type);
        put_u8(&body, 8);
    }
    headers_put_offset(&body, row->is_wide, 0x77);
    if (row->version < 5)
        put_u8(&body, 8);
    if (row->type == DW_UT_skeleton || row->type == DW_UT_split_compile)
        put_u64(&body, row->dwo_id);
    if (row->type == DW_UT_type || row->type == DW_UT_split_type) {
        put_u64(&body, 1);
        headers_put_offset(&body, row->is_wide, 2);
    }
    hf_out_bytes(&body, "\1\2\3", 3);
    return body;
}

static void reads_heads_of_units(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_units units;
    struct hf_out info = {0};
    for (size_t i = 0; i < HF_COUNT(unit_rows); i++) {
        struct hf_out body = unit_body(&unit_rows[i]);
        put_unit(&info, unit_rows[i].is_wide, hf_out_view(&body), 0);
        hf_out_done(&body);
    }
    const struct hf_dwarf_sections sections = {.name = "file", .info = hf_out_view(&info)};
    check_ok(hf_units_scan(&units, &sections, &err), &err);
    assert_int_equal(units.count, HF_COUNT(unit_rows));
    uint64_t offset = 0;
    for (size_t i = 0; i < units.count; i++) {
        const struct hf_unit *unit = &units.items[i];
        const struct unit_row *row = &unit_rows[i];
        assert_int_equal(unit->offset, offset);
        assert_int_equal(unit->first_die, offset + row->head_bytes);
        assert_int_equal(unit->end, unit->first_die + 3);
        assert_int_equal(unit->abbrev_offset, 0x77);
        assert_int_equal(unit->encoding.version, row->version);
        assert_int_equal(unit->encoding.offset_size, row->is_wide ? 8 : 4);
        assert_int_equal(unit->encoding.address_size, 8);
        assert_int_equal(unit->type, row->type);
        assert_int_equal(unit->dwo_id, row->dwo_id);
        assert_ptr_equal(hf_units_at(&units, offset), unit);
        assert_ptr_equal(hf_units_at(&units, unit->end - 1), unit);
        offset = unit->end;
    }
    assert_null(hf_units_at(&units, offset));
    hf_units_done(&units);
    hf_out_done(&info);
}

/* A unit may end with its head, and at the end of the section, but not later. */
static void refuses_cut_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(unit_rows); i++) {
        struct hf_out body = unit_body(&unit_rows[i]);
        for (size_t cut = 0; cut <= 4; cut++) {
            struct hf_error err;
            struct hf_units units;
            struct hf_out info = {0};
            struct hf_text kept = hf_out_view(&body);
            kept.size -= cut;
            put_unit(&info, unit_rows[i].is_wide, kept, 0);
            struct hf_dwarf_sections sections = {.name = "file", .info = hf_out_view(&info)};
            enum hf_status status = hf_units_scan(&units, &sections, &err);
            assert_int_equal(status, cut <= 3 ? HF_OK : HF_ERR_INPUT);
            assert_int_equal(units.count, cut <= 3);
            hf_units_done(&units);
            sections.info.size--;
            assert_int_equal(hf_units_scan(&units, &sections, &err), HF_ERR_INPUT);
            assert_int_equal(units.count, 0);
            hf_units_done(&units);
            hf_out_done(&info);
        }
        hf_out_done(&body);
    }
}

struct table_row {
    uint16_t version;
    bool is_wide;
    uint8_t operations, line_range;
    int head_more;     /* bytes that the head says to have beside those it has */
    int more;          /* likewise, of the table */
    const char *error; /* part of it; "": none */
};

#define CUT "the head of a line table"

static const struct table_row table_rows[] = {
    {2, false, 1, 14, 0, 0, ""},
    {3, true, 1, 14, 0, 0, ""},
    {4, false, 1, 14, 0, 0, ""},
    {5, false, 1, 14, 0, 0, ""},
    {5, true, 1, 14, 0, 0, ""},
    {1, false, 1, 14, 0, 0, CUT},
    {6, false, 1, 14, 0, 0, CUT},
    {4, false, 0, 14, 0, 0, ""},
    {4, false, 2, 14, 0, 0, "VLIW"},
    {4, false, 1, 0, 0, 0, CUT},
    {4, false, 1, 1, 0, 0, ""},
    {4, false, 1, 14, 5, 0, ""},
    {4, false, 1, 14, 6, 0, CUT},
    {4, false, 1, 14, -1, 0, CUT},
    {4, true, 1, 14, 6, 0, CUT},
    {4, false, 1, 14, 0, 1, CUT},
    {5, true, 1, 14, 0, 1, CUT},
    {4, false, 1, 14, 0, -5, ""},
};

/* Operands of two opcodes; then a program of 5 bytes. */
static struct hf_out table_bytes(const struct table_row *row)
{
    struct hf_out out = {0}, head = {0}, body = {0};
    put_u8(&head, 4); /* bytes of the shortest instruction */
    if (row->version >= 4)
        put_u8(&head, row->operations);
    put_u8(&head, 1);
    put_u8(&head, (uint8_t)-5);
    put_u8(&head, row->line_range);
    hf_out_bytes(&head, "\3\1\2", 3);
    put_u16(&body, row->version);
    if (row->version >= 5)
        put_u16(&body, 8);
    headers_put_offset(&body, row->is_wide, head.size + (uint64_t)(int64_t)row->head_more);
    hf_out_bytes(&body, head.data, head.size);
    hf_out_bytes(&body, "PROGR", 5);
    hf_out_bytes(&out, "before", 6);
    put_unit(&out, row->is_wide, hf_out_view(&body), (uint64_t)(int64_t)row->more);
    hf_out_done(&head);
    hf_out_done(&body);
    return out;
}

static void reads_heads_of_line_tables(void **state)
{
    (void)state;
    const struct hf_unit unit = {.line_offset = 6};
    for (size_t i = 0; i < HF_COUNT(table_rows); i++) {
        char name[32];
        struct hf_error err = {0};
        struct hf_line_header header;
        const struct table_row *row = &table_rows[i];
        struct hf_out table = table_bytes(row);
        const struct hf_dwarf_sections sections = {.name = "file", .line = hf_out_view(&table)};
        enum hf_status status = hf_line_header_read(&header, &unit, &sections, &err);
        (void)snprintf(name, sizeof name, "row %zu", i);
        check_case = name;
        if ((status == HF_OK) != (row->error[0] == '\0') || strstr(err.text, row->error) == NULL)
            fail_msg("%s: status %d, %s", name, (int)status, err.text);
        if (status == HF_OK) {
            assert_int_equal(header.encoding.version, row->version);
            assert_int_equal(header.encoding.offset_size, row->is_wide ? 8 : 4);
            assert_int_equal(header.encoding.address_size, 8);
            assert_int_equal(header.minimum_instruction_length, 4);
            assert_int_equal(header.line_base, -5);
            assert_int_equal(header.line_range, row->line_range);
            assert_int_equal(header.opcode_base, 3);
            assert_int_equal(header.operand_counts[1], 1);
            assert_int_equal(header.operand_counts[2], 2);
            assert_int_equal(header.tables_offset, table.size - 5);
            assert_int_equal(
                header.program_offset, table.size - 5 + (uint64_t)(int64_t)row->head_more);
            assert_int_equal(header.end, table.size + (uint64_t)(int64_t)row->more);
        }
        hf_out_done(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_heads_of_units),
        cmocka_unit_test(refuses_cut_units),
        cmocka_unit_test(reads_heads_of_line_tables),
    };
    return cmocka_run_group_tests_name("dwarf_headers", tests, NULL, NULL);
}
