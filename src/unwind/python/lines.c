#include "unwind/python/lines.h"

#include "base/cursor.h"

enum { LINES_LONG = 14, LINES_NO_COLUMNS = 13, LINES_NONE = 15, LINES_ONE = 10 };

static uint32_t lines_varint(struct hf_cursor *c)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = hf_cursor_u8(c);
        if (shift > 30)
            hf_cursor_fail(c);
        else
            value |= (uint64_t)(byte & 0x3f) << shift;
        shift += 6;
    } while ((byte & 0x40) != 0);
    return (uint32_t)value;
}

static int64_t lines_signed(struct hf_cursor *c)
{
    uint32_t value = lines_varint(c);
    return (value & 1) != 0 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* By how much the line changes; what follows of the entry is read, too. */
static int64_t lines_step(struct hf_cursor *c, unsigned kind)
{
    int64_t step = 0;
    switch (kind) {
    case LINES_NONE: break;
    case LINES_NO_COLUMNS: step = lines_signed(c); break;
    case LINES_LONG:
        step = lines_signed(c);
        for (int i = 0; i < 3; i++)
            (void)lines_varint(c);
        break;
    default:
        step = kind >= LINES_ONE ? (int64_t)kind - LINES_ONE : 0;
        (void)hf_cursor_u8(c);
        if (kind >= LINES_ONE)
            (void)hf_cursor_u8(c);
    }
    return step;
}

uint32_t hf_python_line(struct hf_text table, uint32_t first_line, uint32_t offset)
{
    struct hf_cursor c = hf_cursor_of(table.data, table.size, "co_linetable");
    int64_t line = first_line;
    uint64_t end = 0;
    while (hf_cursor_left(&c) != 0) {
        uint8_t head = hf_cursor_u8(&c);
        unsigned kind = head >> 3 & 15;
        line += lines_step(&c, kind);
        end += 2 * ((head & 7) + UINT64_C(1));
        if (hf_cursor_failed(&c) || head < 0x80)
            return 0;
        if (offset < end)
            return kind != LINES_NONE && line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
    }
    return 0;
}
