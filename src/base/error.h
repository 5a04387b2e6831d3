/*
 * error.h: errors as values.
 *
 * A function that can fail returns `enum hf_status` and takes `struct hf_error *err` last. The
 * caller owns the error; it has a fixed size and nothing is allocated for it, so running out of
 * memory can be reported like everything else. Library code never prints and never exits: errors
 * rise, each floor may add its context, and src/cli turns one into text, once.
 *
 * Of URLs, whatever is put in, user and password are left out (credentials.h).
 *
 * A good message says what was expected, what was found and, where there is one, what to do.
 *
 * Safety: any context, except that formatting calls vsnprintf (not async-signal-safe).
 *
 * Example:
 *
 *     int error_number = 2;
 *     if (error_number != 0)
 *         return hf_error_system(err, error_number, "cannot open %s", "a.heap");
 */
#ifndef HF_BASE_ERROR_H
#define HF_BASE_ERROR_H

#include "base/attr.h"

#include <stddef.h>
#include <stdint.h>

enum hf_status {
    HF_OK = 0,
    HF_ERR_USAGE,   /* the command line makes no sense: exit 2 */
    HF_ERR_INPUT,   /* the bytes are not what they should be: exit 3 */
    HF_ERR_LIMIT,   /* a limit of base/limits.h was reached: exit 3 */
    HF_ERR_MEMORY,  /* an allocation failed: exit 5 */
    HF_ERR_SYSTEM,  /* the operating system said no (I/O, permission, missing file): exit 5 */
    HF_ERR_NETWORK, /* the other host said no, or nothing: exit 5 */
};

enum hf_error_position { HF_AT_NOTHING = 0, HF_AT_LINE, HF_AT_OFFSET };

#define HF_ERROR_TEXT_MAX 640
#define HF_ERROR_INPUT_MAX 256

struct hf_error {
    enum hf_status status;
    enum hf_error_position position_kind;
    uint64_t position;              /* line (from 1) or byte offset (from 0) in `input` */
    char input[HF_ERROR_INPUT_MAX]; /* name of the file, URL, section ...; "" if there is none */
    char text[HF_ERROR_TEXT_MAX];   /* one sentence, cut if longer */
};

/*
 * Fills `err` and returns `status`, so that a failing function reads
 * `return hf_error_set(err, HF_ERR_INPUT, "...")`. `err` may be NULL: then only the status rises.
 */
enum hf_status hf_error_set(struct hf_error *err, enum hf_status status, const char *format, ...)
    HF_PRINTF(3, 4);

/* As hf_error_set, for the operating system's refusals: appends ": " and strerror(error_number). */
enum hf_status hf_error_system(struct hf_error *err, int error_number, const char *format, ...)
    HF_PRINTF(3, 4);

/* The one sentence for a failed allocation. Returns HF_ERR_MEMORY. */
enum hf_status hf_error_memory(struct hf_error *err);

/*
 * An error that came from another process, which may be somebody else's by then: nothing of it is
 * believed but that it is one of ours, and text that ends. Fills `err` and returns its status.
 */
enum hf_status hf_error_received(
    struct hf_error *err, const struct hf_error *received, uint32_t status);

/* Adds where it happened. The innermost call wins: a name or position that is set is kept. */
void hf_error_at_line(struct hf_error *err, const char *input, uint64_t line);
void hf_error_at_offset(struct hf_error *err, const char *input, uint64_t offset);
void hf_error_in(struct hf_error *err, const char *input);

/* Puts "<context>: " before the sentence, as the error rises through a floor. */
void hf_error_context(struct hf_error *err, const char *format, ...) HF_PRINTF(2, 3);

/*
 * Writes "input: line N: sentence" (with what is set) into `out`, always ending in NUL.
 * The text may hold bytes of the input: escape it for its destination.
 */
void hf_error_format(const struct hf_error *err, char *out, size_t out_size);

#endif
