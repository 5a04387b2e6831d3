/*
 * callframe_agent.h: reads call frame information that lies in memory: of a file, or of an image
 * that runs. Part of the agent, so without allocation; dwarf/callframe.h opens whole files.
 *
 *     .eh_frame      { CIE | FDE }, up to the end or a length of 0
 *     CIE            length u32, 0 u32, version 1 or 3, augmentation string, code and data factor,
 *                    return register, [augmentation data], instructions
 *     FDE            length u32, distance back to its CIE u32, start, size, [augmentation data],
 *                    instructions
 *     .eh_frame_hdr  version 1, three encodings, address of .eh_frame, count,
 *                    { start i32, address of the FDE i32 } sorted by start
 *
 * Source: LSB Core 5.0, "Exception Frames" and "Exception Frame Header"; DWARF 5, section 6.4. A
 * *CIE* is what several functions have in common, an *FDE* is of one function or part of one.
 *
 * Of an entry that is damaged, of 64-bit length or of an unknown augmentation nothing is known.
 * Nothing is unwound here: instructions are handed out as bytes, and unwind/rule.h reads them.
 *
 * Addresses are whatever the caller counts in: virtual addresses of an image for a file, those of
 * the process for an image in memory. All bytes are borrowed. Read-only once filled: any thread,
 * safe inside malloc.
 */
#ifndef HF_DWARF_CALLFRAME_AGENT_H
#define HF_DWARF_CALLFRAME_AGENT_H

#include "base/cursor.h"

struct hf_cie {
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t return_register;
    uint8_t address_encoding;   /* DW_EH_PE_*, of the FDEs' start and size */
    bool has_augmentation_data; /* its FDEs have some, too */
    bool is_signal; /* what returns here was interrupted by a signal, and called nothing */
    struct hf_text instructions;
};

struct hf_fde {
    uint64_t start, end; /* end is not in it */
    struct hf_cie cie;
    struct hf_text instructions;
    uint64_t instructions_address; /* where they lie, in the addresses of start and end */
};

/* An all-zero object knows no function. */
struct hf_callframes {
    struct hf_text frames, table; /* bytes of .eh_frame; of the table of .eh_frame_hdr */
    uint64_t frames_address, header_address;
    struct hf_callframe_start {
        uint64_t start, offset; /* of the FDE in `frames` */
    } * starts;                 /* sorted; what hf_callframes_open makes if there is no table */
    size_t count;               /* of either */
};

#define HF_CALLFRAMES_START_BYTES 24         /* of .eh_frame_hdr before its table, at most */
#define HF_CALLFRAMES_COPY_BYTES (64u << 10) /* the biggest seen are of some 10 KiB */

/*
 * Reads .eh_frame_hdr, which lies at `address`: table, count and both addresses. Only `start` is
 * read, its first HF_CALLFRAMES_START_BYTES, which may be a copy of them. The caller adds
 * `frames`, the bytes at frames_address: of the section, or up to the end of its segment. False if
 * it is not of the kind that linkers write; nothing is known then.
 */
HF_MUST_CHECK bool hf_callframes_read_header(struct hf_callframes *callframes, struct hf_text start,
    struct hf_text header, uint64_t address);

/*
 * The last function that starts at or before `address`; it contains the address if that is below
 * its end. False if there is none, or it is damaged.
 */
HF_MUST_CHECK bool hf_callframes_before(
    const struct hf_callframes *callframes, uint64_t address, struct hf_fde *out_fde);

/* False: they cannot be read. */
typedef bool hf_copy_bytes(void *to, const void *from, size_t size);

/* Of one function: .eh_frame that has a CIE and an FDE. */
struct hf_callframes_copy {
    struct hf_callframe_start start;
    char bytes[HF_CALLFRAMES_COPY_BYTES];
};

/*
 * For bytes that may go away meanwhile: makes *out_one of the function alone that
 * hf_callframes_before would find, in a copy, which it lasts as long as. Of `callframes` nothing is
 * read but by `copy_bytes`. False if that fails, there is none, or the copy has no room for it.
 */
HF_MUST_CHECK bool hf_callframes_copy_one(const struct hf_callframes *callframes, uint64_t address,
    hf_copy_bytes *copy_bytes, struct hf_callframes_copy *copy, struct hf_callframes *out_one);

/* The function that contains `address`. */
HF_MUST_CHECK bool hf_callframes_find(
    const struct hf_callframes *callframes, uint64_t address, struct hf_fde *out_fde);

/* A cursor at the body of the entry at `offset` of .eh_frame, up to its end; it counts from the
 * section. */
struct hf_cursor hf_callframes_entry(const struct hf_callframes *callframes, uint64_t offset);

/* The FDE at `offset` of .eh_frame. False if there stands something else, or it is damaged. */
HF_MUST_CHECK bool hf_callframes_fde(
    const struct hf_callframes *callframes, uint64_t offset, struct hf_fde *out_fde);

/* An address of `encoding` in bytes that lie at `address`; latches if relative to anything else. */
uint64_t hf_callframe_address(struct hf_cursor *c, uint8_t encoding, uint64_t address);

#endif
