/*
 * unpacked.h: an input that may be compressed, as its decompressed bytes.
 *
 * Stands between an input (os/) and the readers: they see plain bytes whatever came. A compressed
 * file that is damaged, cut or too large ends where that is: what came before is read, and a note
 * says so.
 */
#ifndef HF_FORMATS_UNPACKED_H
#define HF_FORMATS_UNPACKED_H

#include "compress/unpack.h"
#include "os/input.h"
#include "profile/notes.h"

struct hf_unpacked {
    struct hf_input *input; /* read this: `plain`, or the input itself if it is not compressed */
    struct hf_input plain;
    struct hf_input *packed;
    struct hf_unpack *unpack; /* NULL: not compressed */
    uint64_t taken, made;     /* bytes so far, compressed and not */
    uint64_t made_max;
    struct hf_error loss; /* why it ended too early; HF_OK: it did not */
};

/*
 * Looks at the first bytes of `packed`, which stays the caller's and outlives `unpacked`, as
 * `unpacked` stays where it is. At most `made_max` bytes come out (HF_LIMIT_UNPACKED).
 */
HF_MUST_CHECK enum hf_status hf_unpacked_open(
    struct hf_unpacked *unpacked, struct hf_input *packed, uint64_t made_max, struct hf_error *err);
void hf_unpacked_close(struct hf_unpacked *unpacked);

/* Adds what was lost so far. */
void hf_unpacked_note(const struct hf_unpacked *unpacked, struct hf_notes *notes);

#endif
