/*
 * inlined_unit.h: debug information with inlined calls, put together by hand, and what it says of
 * each address.
 */
#ifndef HF_TESTS_UNIT_INLINED_UNIT_H
#define HF_TESTS_UNIT_INLINED_UNIT_H

#include "bytes.h"
#include "check.h"
#include "dwarf/constants.h"

enum { UNIT = 1, NAMED, FUNCTION, INLINED, LEAF };

static const char inlined_abbrevs[] = {UNIT, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr,
    DW_AT_high_pc, DW_FORM_data4, DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0, NAMED,
    DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, 0, 0, FUNCTION, DW_TAG_subprogram, 1,
    DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
    INLINED, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc,
    DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_call_line, DW_FORM_data1, 0, 0, 0};

static inline void put_range(struct hf_out *out, uint64_t low, uint32_t size)
{
    put_u64(out, low);
    put_u32(out, size);
}

static inline void begin_unit(struct hf_out *out, uint64_t low, uint32_t size)
{
    put_u16(out, 4);
    put_u32(out, 0);
    put_u8(out, 8);
    put_u8(out, UNIT);
    put_range(out, low, size);
    put_u32(out, 0);
}

/* The children of what this begins end with a 0. */
static inline void begin_function(struct hf_out *out, const char *name, uint64_t low, uint32_t size)
{
    put_u8(out, FUNCTION);
    put_string(out, name);
    put_range(out, low, size);
}

static inline void begin_inlined(
    struct hf_out *out, uint32_t origin, uint64_t low, uint32_t size, uint8_t line)
{
    put_u8(out, INLINED);
    put_u32(out, origin);
    put_range(out, low, size);
    put_u8(out, line);
}

/*
 * outer [0x1000, 0x1100) has mid inlined at [0x1020, 0x1060), which has leaf at [0x1030, 0x1040)
 * and again at [0x1040, 0x1048); behind a gap follows next [0x1200, 0x1210), with leaf in all of
 * it.
 */
static inline struct hf_out make_inlined_unit(void)
{
    struct hf_out info = {0}, body = {0};
    begin_unit(&body, 0x9000, 0x10); /* another one, from which references do not count */
    put_u8(&body, 0);
    put_u32(&info, (uint32_t)body.size);
    hf_out_bytes(&info, body.data, body.size);
    body.size = 0;
    begin_unit(&body, 0x1000, 0x210);
    uint32_t mid = (uint32_t)body.size + 4;
    put_u8(&body, NAMED);
    put_string(&body, "mid");
    uint32_t leaf = (uint32_t)body.size + 4;
    put_u8(&body, NAMED);
    put_string(&body, "leaf");
    begin_function(&body, "outer", 0x1000, 0x100);
    begin_inlined(&body, mid, 0x1020, 0x40, 11);
    begin_inlined(&body, leaf, 0x1030, 0x10, 12);
    put_u8(&body, 0);
    begin_inlined(&body, leaf, 0x1040, 8, 13);
    hf_out_bytes(&body, "\0\0\0", 3);
    begin_function(&body, "next", 0x1200, 0x10);
    begin_inlined(&body, leaf, 0x1200, 0x10, 14);
    hf_out_bytes(&body, "\0\0\0", 3);
    put_u32(&info, (uint32_t)body.size);
    hf_out_bytes(&info, body.data, body.size);
    hf_out_done(&body);
    return info;
}

/* A line of each 16 bytes: 20 at 0x1000, 21 at 0x1010 ... up to 0x1100, and 50 at 0x1200. */
static inline struct hf_out make_inlined_lines(void)
{
    struct hf_out program = {0};
    hf_out_bytes(&program, "\0\x09\x02", 3); /* DW_LNE_set_address */
    put_u64(&program, 0x1000);
    hf_out_bytes(&program, "\x03\x13\x01", 3); /* to line 20, a row */
    for (size_t i = 0; i < 15; i++)
        hf_out_bytes(&program, "\x03\x01\x02\x10\x01", 5); /* a line, 16 bytes, a row */
    hf_out_bytes(&program, "\x02\x10\0\x01\x01", 5);       /* 16 bytes, the end */
    hf_out_bytes(&program, "\0\x09\x02", 3);
    put_u64(&program, 0x1200);
    hf_out_bytes(&program, "\x03\x31\x01\x02\x10\0\x01\x01", 8); /* line 50, 16 bytes, the end */
    return make_line_table(&program);
}

static const struct {
    uint64_t address;
    const char *frames; /* innermost first, with their lines */
} inlined_places[] = {{0xfff, ""}, {0x1000, "outer:20 "}, {0x100f, "outer:20 "},
    {0x1010, "outer:21 "}, {0x101f, "outer:21 "}, {0x1020, "mid:22 outer:11 "},
    {0x102f, "mid:22 outer:11 "}, {0x1030, "leaf:23 mid:12 outer:11 "},
    {0x103f, "leaf:23 mid:12 outer:11 "}, {0x1040, "leaf:24 mid:13 outer:11 "},
    {0x1047, "leaf:24 mid:13 outer:11 "}, {0x1048, "mid:24 outer:11 "},
    {0x105f, "mid:25 outer:11 "}, {0x1060, "outer:26 "}, {0x10ff, "outer:35 "}, {0x1100, ""},
    {0x11ff, ""}, {0x1200, "leaf:50 next:14 "}, {0x120f, "leaf:50 next:14 "}, {0x1210, ""}};

#endif
