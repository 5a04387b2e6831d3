/*
 * batch.h: what goes into a store at once, and is acknowledged at once: profiles of one instance,
 * one after the other, with the stacks that they are about.
 *
 * A batch stands for itself: the stacks of its profiles (change_coding.h) are numbers in its own
 * list of stacks, and its first profile is a keyframe. So a shipper keeps nothing in mind from one
 * batch to the next, and who reads a batch needs no other.
 *
 * It has an *id*: the instance, the times of its first and last profile, and a checksum of all that
 * is in it. Who gets no answer sends the same batch again; a store that has the id says that it has
 * it, and adds nothing. So a batch counts once, however often it was sent.
 *
 *     profiles = (ms size blob)*       ms: since 1970, 8 bytes, rising; size: of the blob, 4 bytes
 *
 * The batch borrows its texts and arrays.
 *
 * Example:
 *
 *     struct hf_levels levels = {0};
 *     struct hf_out profiles = {0};
 *     status = hf_batch_put_profile(&profiles, 0, NULL, &levels, err);
 *     struct hf_batch batch = {.instance.name = HF_TEXT("shop-1")};
 *     batch.profiles = hf_out_view(&profiles);
 *     hf_out_hex(out, hf_batch_id_of(&batch).checksum);
 *     hf_out_done(&profiles);
 */
#ifndef HF_STORE_BATCH_H
#define HF_STORE_BATCH_H

#include "base/containers/fingerprint.h"
#include "base/cursor.h"
#include "store/change_coding.h"

/* Of a run of a process. */
struct hf_batch_instance {
    struct hf_text name; /* unique in the store */
    struct hf_text service, build, node;
};

struct hf_batch_stack {
    struct hf_fingerprint print; /* stack_fingerprint.h */
    struct hf_text place;        /* what is shown of it in a line: the function that owns it */
    struct hf_text frames;       /* named, the leaf first, one a line; the first to name it wins */
};

struct hf_batch {
    struct hf_batch_instance instance;
    const struct hf_batch_stack *stacks;
    size_t stack_count;
    struct hf_text profiles; /* one or more */
};

/* Puts a profile behind those of a batch: a keyframe if `before` is NULL. */
HF_MUST_CHECK enum hf_status hf_batch_put_profile(struct hf_out *profiles, int64_t ms,
    const struct hf_levels *before, const struct hf_levels *now, struct hf_error *err);

/* What was read of the profiles of a batch: {.cursor = hf_batch_cursor_of(profiles)} at first. */
struct hf_batch_reader {
    struct hf_cursor cursor;
    int64_t ms;              /* of the last profile that was read */
    struct hf_levels levels; /* of it; the caller frees them */
    bool has_levels;
};

struct hf_cursor hf_batch_cursor_of(struct hf_text profiles);

/*
 * Reads the next profile; *out_is_one: there was one. HF_ERR_INPUT: it is damaged, its time is not
 * after that of the one before, or it is of a stack that is not below `stack_count`.
 */
HF_MUST_CHECK enum hf_status hf_batch_next_profile(
    struct hf_batch_reader *reader, size_t stack_count, bool *out_is_one, struct hf_error *err);

struct hf_batch_id {
    int64_t first_ms, last_ms;
    uint64_t checksum;
};

/* Its instance is batch->instance.name. Times of profiles that are damaged are 0. */
struct hf_batch_id hf_batch_id_of(const struct hf_batch *batch);

#endif
