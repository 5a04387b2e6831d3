/*
 * sections.h: the bytes that DWARF is read from, decompressed, and how numbers in them are sized.
 */
#ifndef HF_DWARF_SECTIONS_H
#define HF_DWARF_SECTIONS_H

#include "base/cursor.h"
#include "base/text.h"

#include <stdatomic.h>
#include <stdint.h>

/*
 * What a file may still cost, in bytes read and kept. A sound file is read about once. In a hostile
 * one a thousand units share one long list, which is then read a thousand times, and no limit on
 * the list alone helps. Shared by all threads.
 */
struct hf_dwarf_effort {
    atomic_int_least64_t left;
};

struct hf_callframes;
struct hf_split_source;

/* Sections of one image; an absent one is empty. Borrowed. */
struct hf_dwarf_sections {
    const char *name; /* of the file, for messages */
    struct hf_text info, abbrev, line, str, line_str, ranges, rnglists, addr, str_offsets;
    struct hf_dwarf_effort *effort; /* NULL: no bound */
    /* Of the supplementary file (DWARF 5, 7.3.6; dwz); NULL: there is none, or it is missing. */
    const struct hf_dwarf_sections *supplement;
    /* Of what is in files apart (dwarf/split.h); NULL: such files are not looked for. */
    struct hf_split_source *split;
    /* Of the image; NULL: unknown. Tells what is between two functions (unit.h). */
    const struct hf_callframes *callframes;
};

/* Takes `bytes` of the effort. False, and HF_ERR_LIMIT in `err`, if nothing was left. */
HF_MUST_CHECK bool hf_dwarf_spend(
    const struct hf_dwarf_sections *sections, uint64_t bytes, struct hf_error *err);

/* What reading this file may cost. */
void hf_dwarf_effort_init(struct hf_dwarf_effort *effort, const struct hf_dwarf_sections *sections);

/* Lets so many bytes more be read, as often as HF_LIMIT_DWARF_EFFORT_RATIO says. */
void hf_dwarf_grant(struct hf_dwarf_effort *effort, uint64_t bytes);

/* Bytes of all sections of this file. */
uint64_t hf_dwarf_bytes(const struct hf_dwarf_sections *sections);

/* What the size of an attribute's value depends on (DWARF 5, section 7.4 and 7.5.1). */
struct hf_dwarf_encoding {
    uint8_t version;      /* 2 to 5 */
    uint8_t address_size; /* 8 */
    uint8_t offset_size;  /* 4 or 8: 32-bit or 64-bit DWARF */
};

static inline struct hf_cursor hf_section_cursor(struct hf_text section, const char *name)
{
    return hf_cursor_of(section.data, section.size, name);
}

/*
 * Where linkers leave what they threw away (--gc-sections, comdat): binutils at 0, lld at 2^64 - 1,
 * or - 2 in .debug_ranges. An address counted on from there wraps to small ones, which a PIE has.
 */
static inline bool hf_dwarf_is_dead(uint64_t address)
{
    return address == 0 || address >= UINT64_MAX - 1;
}

static inline uint64_t hf_cursor_dwarf_offset(
    struct hf_cursor *c, const struct hf_dwarf_encoding *encoding)
{
    return encoding->offset_size == 8 ? hf_cursor_u64(c) : hf_cursor_u32(c);
}

#endif
