/*
 * reading.h: for tests of the readers: bytes to a profile, also damaged ones, and the profile back
 * to text.
 */
#ifndef HF_TESTS_UNIT_READING_H
#define HF_TESTS_UNIT_READING_H

#include "check.h"
#include "formats/folded/folded.h"
#include "formats/format.h"

/* A copy of exactly the size: a read past the end is seen by the sanitizer. */
static inline char *copy_bytes(struct hf_text bytes)
{
    char *copy = malloc(bytes.size != 0 ? bytes.size : 1);
    assert_non_null(copy);
    if (bytes.size != 0)
        memcpy(copy, bytes.data, bytes.size);
    return copy;
}

static inline enum hf_status read_bytes(
    struct hf_text bytes, struct hf_profile **out_profile, struct hf_error *err)
{
    char *copy = copy_bytes(bytes);
    struct hf_input input;
    hf_input_open_memory(&input, (struct hf_text){copy, bytes.size}, "in");
    enum hf_status status = hf_format_read(&input, out_profile, err);
    hf_input_close(&input);
    free(copy);
    return status;
}

static inline struct hf_profile *read_text(const char *text)
{
    struct hf_error err;
    struct hf_profile *profile = NULL;
    check_ok(read_bytes(hf_text_of(text), &profile, &err), &err);
    return profile;
}

/* NULL if it is refused. */
static inline struct hf_profile *read_damaged(struct hf_text bytes)
{
    struct hf_error err;
    struct hf_profile *profile = NULL;
    return read_bytes(bytes, &profile, &err) == HF_OK ? profile : NULL;
}

/* Reads it with each of its bits changed, and shows `see` (NULL: nobody) what is not refused. */
static inline void read_each_flip(struct hf_text bytes,
    void (*see)(const struct hf_profile *profile, const void *context), const void *context)
{
    char *copy = copy_bytes(bytes);
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        char was = copy[bit / 8];
        copy[bit / 8] = (char)(was ^ (char)(1u << bit % 8));
        struct hf_profile *profile = read_damaged((struct hf_text){copy, bytes.size});
        if (profile != NULL && see != NULL)
            see(profile, context);
        hf_profile_free(profile);
        copy[bit / 8] = was;
    }
    free(copy);
}

/* It is refused with this status and sentence. */
static inline void check_refused(struct hf_text bytes, enum hf_status status, const char *sentence)
{
    struct hf_error err;
    struct hf_profile *profile = NULL;
    assert_int_equal(read_bytes(bytes, &profile, &err), status);
    check_error(&err, sentence);
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
