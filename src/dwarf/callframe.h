/*
 * callframe.h: call frame information: where the functions of an image begin and end, and what is
 * said of their frames. A stripped image has it, too, because exceptions and backtraces need it.
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
 * The table of .eh_frame_hdr finds an FDE; where there is none, or one of another kind, a table is
 * made of all FDEs. Of an entry that is damaged, of 64-bit length or of an unknown augmentation
 * nothing is known: it is left out. Nothing is unwound here: instructions are handed out as bytes.
 *
 * All bytes are borrowed from the image. Read-only after open: any thread.
 */
#ifndef HF_DWARF_CALLFRAME_H
#define HF_DWARF_CALLFRAME_H

#include "base/error.h"
#include "elf/image.h"

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
    uint64_t start, end; /* virtual addresses of the image; end is not in it */
    struct hf_cie cie;
    struct hf_text instructions;
};

/* An all-zero object knows no function. */
struct hf_callframes {
    struct hf_text frames, table; /* bytes of .eh_frame; of the table of .eh_frame_hdr */
    uint64_t frames_address, header_address;
    struct hf_callframe_start {
        uint64_t start, offset; /* of the FDE in `frames` */
    } * starts;                 /* sorted; if there is no table */
    size_t count;               /* of either */
};

/* Finds the sections of `elf`. What is missing or damaged is not known afterwards, no error. */
HF_MUST_CHECK enum hf_status hf_callframes_open(
    struct hf_callframes *callframes, const struct hf_elf *elf, struct hf_error *err);
void hf_callframes_done(struct hf_callframes *callframes);

/*
 * The last function that starts at or before `address`; it contains the address if that is below
 * its end. False if there is none, or it is damaged.
 */
HF_MUST_CHECK bool hf_callframes_before(
    const struct hf_callframes *callframes, uint64_t address, struct hf_fde *out_fde);

/* The function that contains `address`. */
HF_MUST_CHECK bool hf_callframes_find(
    const struct hf_callframes *callframes, uint64_t address, struct hf_fde *out_fde);

#endif
