/*
 * reading.h: for tests of the readers: text to a profile, and the profile back to text.
 */
#ifndef HF_TESTS_UNIT_READING_H
#define HF_TESTS_UNIT_READING_H

#include "check.h"
#include "formats/folded.h"
#include "formats/format.h"

static inline enum hf_status read_bytes(
    const char *data, size_t size, struct hf_profile **out_profile, struct hf_error *err)
{
    /* A copy of exactly the size: a read past the end is seen by the sanitizer. */
    char *copy = malloc(size != 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    struct hf_input input;
    hf_input_open_memory(&input, (struct hf_text){copy, size}, "in");
    enum hf_status status = hf_format_read(&input, out_profile, err);
    hf_input_close(&input);
    free(copy);
    return status;
}

static inline struct hf_profile *read_text(const char *text)
{
    struct hf_error err;
    struct hf_profile *profile = NULL;
    check_ok(read_bytes(text, strlen(text), &profile, &err), &err);
    return profile;
}

/* All notes, losses as "LOSS text", joined by '\n'. */
static inline void check_notes(const struct hf_profile *profile, const char *expected)
{
    struct hf_out out = {0};
    for (size_t i = 0; i < profile->notes.count; i++) {
        const struct hf_note *note = &profile->notes.items[i];
        hf_out_printf(&out, "%s%s\n", note->kind == HF_NOTE_LOSS ? "LOSS " : "", note->text);
    }
    check_out(&out, expected);
    hf_out_done(&out);
}

/* One of its types, written as folded stacks, so that order, sums and sign are seen. */
static inline void check_type(const struct hf_profile *profile, size_t type, const char *expected)
{
    struct hf_error err;
    struct hf_out out = {0};
    check_ok(hf_folded_write(profile, type, &out, &err), &err);
    check_out(&out, expected);
    hf_out_done(&out);
}

/* What is read of a text: its default type and its notes. */
static inline void check_folded(const char *text, const char *expected, const char *notes)
{
    struct hf_profile *profile = read_text(text);
    check_type(profile, profile->default_type, expected);
    check_notes(profile, notes);
    hf_profile_free(profile);
}

#endif
