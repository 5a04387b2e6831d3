#include "dwarf/ranges.h"

#include "base/checked.h"
#include "dwarf/constants.h"

/* Lists up to here are not counted: there are many, and threads share the count. */
#define FREE_BYTES 1024

struct ranges_walk {
    const struct hf_unit *unit;
    const struct hf_dwarf_sections *sections;
    hf_range_fn visit;
    void *context;
};

static bool ranges_give(const struct ranges_walk *w, uint64_t low, uint64_t high)
{
    return low == 0 || low >= high || w->visit(w->context, low, high);
}

static uint64_t indexed(const struct ranges_walk *w, struct hf_cursor *c)
{
    return hf_unit_address(w->unit, w->sections, DW_FORM_addrx, hf_cursor_uleb(c));
}

/* What is counted on from a dead base is dead; a base of 0 is that of a unit with its own ranges.
 */
static bool give_from(const struct ranges_walk *w, uint64_t base, uint64_t low, uint64_t high)
{
    return (base != 0 && hf_dwarf_is_dead(base)) || ranges_give(w, base + low, base + high);
}

/* DWARF 5. Sums wrap: a damaged list gives a senseless range, which matches nothing. */
static void walk_rnglist(const struct ranges_walk *w, struct hf_cursor *c)
{
    uint64_t base = w->unit->low_pc;
    while (!hf_cursor_failed(c)) {
        uint64_t low = 0, high = 0;
        switch (hf_cursor_u8(c)) {
        case DW_RLE_base_addressx: base = indexed(w, c); continue;
        case DW_RLE_base_address: base = hf_cursor_u64(c); continue;
        case DW_RLE_startx_endx:
            low = indexed(w, c);
            high = indexed(w, c);
            break;
        case DW_RLE_startx_length:
            low = indexed(w, c);
            high = low + hf_cursor_uleb(c);
            break;
        case DW_RLE_offset_pair:
            low = hf_cursor_uleb(c);
            high = hf_cursor_uleb(c);
            if (hf_cursor_failed(c) || !give_from(w, base, low, high))
                return;
            continue;
        case DW_RLE_start_end:
            low = hf_cursor_u64(c);
            high = hf_cursor_u64(c);
            break;
        case DW_RLE_start_length:
            low = hf_cursor_u64(c);
            high = low + hf_cursor_uleb(c);
            break;
        default: return;
        }
        if (hf_cursor_failed(c) || !ranges_give(w, low, high))
            return;
    }
}

/* DWARF 3 and 4: pairs; (0, 0) ends, (-1, base) sets the base. lld leaves (-2, -2) for the dead. */
static void walk_ranges(const struct ranges_walk *w, struct hf_cursor *c)
{
    uint64_t base = w->unit->low_pc;
    for (;;) {
        uint64_t low = hf_cursor_u64(c);
        uint64_t high = hf_cursor_u64(c);
        if (hf_cursor_failed(c) || (low == 0 && high == 0))
            return;
        if (low == UINT64_MAX)
            base = high;
        else if (!give_from(w, base, low, high))
            return;
    }
}

/* What was read of a list that starts at `from`. */
static void spend_list(
    const struct hf_dwarf_sections *sections, const struct hf_cursor *c, uint64_t from)
{
    uint64_t size = hf_cursor_failed(c) ? hf_cursor_size(c) : hf_cursor_offset(c) - from;
    if (size > FREE_BYTES)
        (void)!hf_dwarf_spend(sections, size, NULL);
}

void hf_ranges_walk(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint16_t form, uint64_t value, hf_range_fn visit, void *context)
{
    struct ranges_walk w = {unit, sections, visit, context};
    if (!hf_dwarf_spend(sections, 0, NULL))
        return;
    if (unit->encoding.version < 5) {
        struct hf_cursor c = hf_section_cursor(sections->ranges, ".debug_ranges");
        if (!hf_add_u64(value, unit->ranges_base, &value))
            return;
        hf_cursor_seek(&c, value);
        walk_ranges(&w, &c);
        spend_list(sections, &c, value);
        return;
    }
    struct hf_cursor c = hf_section_cursor(sections->rnglists, ".debug_rnglists");
    if (form == DW_FORM_rnglistx) {
        /* An index into the offsets behind the header, relative to there. */
        uint64_t at;
        if (!hf_mul_u64(value, unit->encoding.offset_size, &at) ||
            !hf_add_u64(at, unit->rnglists_base, &at))
            return;
        hf_cursor_seek(&c, at);
        uint64_t offset = hf_cursor_dwarf_offset(&c, &unit->encoding);
        if (!hf_add_u64(offset, unit->rnglists_base, &value))
            return;
    }
    hf_cursor_seek(&c, value);
    walk_rnglist(&w, &c);
    spend_list(sections, &c, value);
}
