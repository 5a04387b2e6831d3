/*
 * conversion.h: writes profiles in another format, with the names of their frames.
 *
 * A format without addresses gets the folded profile, and so does every format if profiles are
 * compared. Other formats get the whole profile, without the allocator's frames unless the format
 * keeps them.
 */
#ifndef HF_ANSWER_CONVERSION_H
#define HF_ANSWER_CONVERSION_H

#include "answer/view.h"
#include "formats/writers.h"

struct hf_conversion {
    const struct hf_writer *writer;
    struct hf_profile *profile; /* what to write; NULL: nothing was read */
    size_t type;
    /* Its own. */
    struct hf_view view;
    struct hf_profile *read;
};

/* Reads, names and adds up profiles. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_conversion_read(struct hf_conversion *conversion,
    const struct hf_writer *writer, const struct hf_request *request, const char *const *profiles,
    size_t count, struct hf_error *err);

/* The same for a profile that the caller has already read and keeps; adds names to it. */
HF_MUST_CHECK enum hf_status hf_conversion_of(struct hf_conversion *conversion,
    const struct hf_writer *writer, const struct hf_request *request, struct hf_profile *profile,
    struct hf_error *err);

HF_MUST_CHECK enum hf_status hf_conversion_write(
    struct hf_conversion *conversion, struct hf_out *out, struct hf_error *err);

/* The notes to report, also after an error; NULL: none. Call it before done. */
const struct hf_notes *hf_conversion_notes(struct hf_conversion *conversion);

void hf_conversion_done(struct hf_conversion *conversion);

#endif
