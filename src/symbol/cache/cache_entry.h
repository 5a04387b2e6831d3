/*
 * cache_entry.h: the file format of the symbol cache: answers of the look-up of one image.
 *
 * All numbers are little-endian. A text is its size (u32) and its bytes.
 *
 *     head:  "hfsymc\r\n", u32 version (HF_CACHE_VERSION), u32 size of the head
 *            u64 checksum of the rest of the head
 *            u64 counts of answers, frames, strings and bytes of strings
 *            text context: which image was asked, and how
 *            text why: the sentence on what is missing, or empty
 *            u32 count of sightings; for each u8 whether a file was there, text path, and its
 *            u64 device, inode, size, time of change in ns
 *            zeros up to a multiple of 8; u64 checksum of each block of the body
 *     body:  answers: u64 address, sorted
 *            answers + 1: u64 start of the function or 0, u32 first frame, symbol, file, line,
 *            detail, twins
 *            frames: u32 name, linkage name, scope, file, line, detail (struct hf_dwarf_detail)
 *            strings + 1: u32 offset
 *            strings: u32 number of what a mangled name is in full, demangled; or 0
 *            strings: bytes
 *
 * Symbol, name and file are numbers of strings; string 0 is empty. The frames of an answer, from
 * the innermost on, end where those of the next begin; so does a string. A block is HF_CACHE_BLOCK
 * bytes, the last one fewer. It is checked when something in it is read first, so a few answers of
 * a large file cost little. Whatever is wrong makes the whole entry useless, which is no error: the
 * answers are looked up anew.
 */
#ifndef HF_SYMBOL_CACHE_ENTRY_H
#define HF_SYMBOL_CACHE_ENTRY_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "base/strings/out.h"
#include "symbol/finding.h"
#include "symbol/sightings.h"

#define HF_CACHE_MAGIC "hfsymc\r\n"
#define HF_CACHE_VERSION 4
#define HF_CACHE_HEAD_CHECKED 24 /* the head's own checksum is of what follows it */
#define HF_CACHE_BLOCK ((size_t)16 << 10)

/* An entry that is read. All-zero is closed. */
struct hf_cache_entry {
    struct hf_text body; /* borrowed, as are the texts */
    struct hf_text context, why;
    struct hf_text sightings; /* as in the file */
    struct hf_text checksums;
    uint8_t *is_checked; /* by block */
    uint64_t answer_count, frame_count, string_count;
    uint64_t answers, frames, strings, readables, texts; /* offsets in the body */
    size_t last;                                         /* answer that was found last */
    bool is_damaged; /* what was found is worth nothing, either */
};

/* False if `bytes` are no entry of this version with this context. Close in either case. */
HF_MUST_CHECK bool hf_cache_entry_open(
    struct hf_cache_entry *entry, struct hf_text bytes, struct hf_text context);
void hf_cache_entry_close(struct hf_cache_entry *entry);

/*
 * True if `bytes` may be kept under `name`: an entry with a sound head, whose context is the one
 * that the name is made of. For who keeps entries that somebody else made.
 */
HF_MUST_CHECK bool hf_cache_entry_is_sound(struct hf_text name, struct hf_text bytes);

/* What an entry is called: the image's build-id, and its context. */
void hf_cache_entry_name(struct hf_out *out, struct hf_text build_id, struct hf_text context);

/* True if every file that was looked for is still as it was; they are added to `sightings`. */
HF_MUST_CHECK bool hf_cache_entry_holds(
    const struct hf_cache_entry *entry, struct hf_sightings *sightings);

/*
 * The answer for `address`: texts borrow from the entry, frames are of `arena`. False if it is not
 * there or the entry is damaged. Cheapest in ascending order of addresses.
 */
HF_MUST_CHECK bool hf_cache_entry_find(struct hf_cache_entry *entry, uint64_t address,
    struct hf_arena *arena, struct hf_finding *out_finding);

/* `name`, which an answer of the entry has, in full and demangled. False if that is not known. */
HF_MUST_CHECK bool hf_cache_entry_readable(
    struct hf_cache_entry *entry, struct hf_text name, struct hf_text *out_readable);

/* The address of an answer: for going through all of them. */
uint64_t hf_cache_entry_address(struct hf_cache_entry *entry, size_t answer);

/* An entry that is made. All-zero is empty. */
struct hf_cache_answer {
    uint64_t address, start;
    uint32_t first_frame, frame_count, symbol, file, line, twins;
    struct hf_dwarf_detail detail;
};
struct hf_cache_frame {
    uint32_t name, linkage, scope, file, line;
    struct hf_dwarf_detail detail;
};
struct hf_cache_draft {
    struct hf_intern strings;
    struct hf_map index; /* the addresses */
    struct hf_cache_answer *answers;
    struct hf_cache_frame *frames;
    size_t answer_count, answer_capacity, frame_count, frame_capacity;
    bool is_broken; /* memory ran out: there will be no entry */
};

/* Adds an answer, unless the address has one or the draft has HF_LIMIT_CACHE_ENTRY_BYTES. */
void hf_cache_draft_add(
    struct hf_cache_draft *draft, uint64_t address, const struct hf_finding *finding);

/* Writes the entry. The draft is then of no more use. */
void hf_cache_draft_write(struct hf_cache_draft *draft, struct hf_text context, struct hf_text why,
    const struct hf_sightings *sightings, struct hf_out *out);
void hf_cache_draft_done(struct hf_cache_draft *draft);

#endif
