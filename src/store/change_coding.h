/*
 * change_coding.h: a profile as the changes since the one before, for a store that keeps one of
 * each process every minute: few stacks change in a minute, and by little.
 *
 * Words: a *level* is what a stack holds at one time, in bytes and objects; *levels* are those of
 * all stacks of a process at that time. A stack that is not among them holds nothing: absent means
 * zero. Here a stack is a number: its place in a list that goes with the profiles (batch.h).
 * A *keyframe* says all levels, a *change* those that differ from the levels before.
 *
 *     blob = kind sum body                  kind: 1 keyframe, 2 change (1 byte)
 *                                           sum: of the levels that result (4 bytes)
 *     body = count gap{count} bytes{count} objects{count}
 *                                           count, gap: uleb; bytes, objects: sleb
 *
 * Objects are differences. Bytes are, too, less what is expected of so many objects: each as the
 * stack's mean before, bytes / objects, rounded down, or 0 if it had none. A stack often has
 * objects of one size, so mostly that leaves 0.
 *
 * Numbers are little-endian, or LEB128 (base/cursor.h), which takes one byte for what is small,
 * above or below zero. A gap is the number of a stack less the one before it, less one; of the
 * first, it is the number. Differences are modulo 2^64, so every change can be
 * said; a keyframe has the differences from nothing. Equal kinds stand beside each other because
 * zlib, which who keeps many profiles uses on all together, makes less of them than of mixed ones.
 *
 * The sum (half of base/checksum.h) is that of the levels after the change: it fits only if the
 * levels before were the right ones, too. So a lost or doubled blob is an error at the next one,
 * never a wrong number.
 *
 * Blobs may come from elsewhere: a count of rows is checked against the bytes that are there.
 *
 * Example:
 *
 *     struct hf_levels now = {0};
 *     struct hf_level level = {.stack = 7, .bytes = 4096, .objects = 1};
 *     status = hf_levels_add(&now, level, err);
 *     if (status == HF_OK)
 *         status = hf_change_write(NULL, &now, out, err);
 *     hf_levels_done(&now);
 */
#ifndef HF_STORE_CHANGE_CODING_H
#define HF_STORE_CHANGE_CODING_H

#include "base/strings/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_STORE_HOUR_MS 3600000 /* the hours of a store begin at multiples of it since 1970 */

/* No padding: levels are summed bytewise. */
struct hf_level {
    uint64_t stack; /* 32 bits of it */
    uint64_t bytes, objects;
};

/* All-zero: no stack holds anything. Stacks rise, and none holds nothing. */
struct hf_levels {
    struct hf_level *items;
    size_t count, capacity;
};

void hf_levels_done(struct hf_levels *levels);

/* Adds a stack above all others; one that holds nothing is left out. HF_ERR_LIMIT: HF_LIMIT_LEVELS.
 */
HF_MUST_CHECK enum hf_status hf_levels_add(
    struct hf_levels *levels, struct hf_level level, struct hf_error *err);

/*
 * Whether the profile of `now_ms` is to be a keyframe, after one of `before_ms`: the first of each
 * hour is, so who wants the levels of a moment reads no blob of the hours before. So is every one
 * for which the levels before are not known, and every one after a clock that went back.
 */
bool hf_change_needs_keyframe(int64_t before_ms, int64_t now_ms);

/* Writes the blob of `now`: a keyframe if `before` is NULL. */
HF_MUST_CHECK enum hf_status hf_change_write(const struct hf_levels *before,
    const struct hf_levels *now, struct hf_out *out, struct hf_error *err);

bool hf_change_is_keyframe(struct hf_text blob);

/*
 * The levels after a blob; `before` is not used by a keyframe, and may be NULL for one. The caller
 * frees *out_now. HF_ERR_INPUT: damaged, or not made from `before`. HF_ERR_LIMIT: HF_LIMIT_LEVELS.
 */
HF_MUST_CHECK enum hf_status hf_change_read(struct hf_text blob, const struct hf_levels *before,
    struct hf_levels *out_now, struct hf_error *err);

/* The same of a body: what hf_change_read does before it checks the sum. */
HF_MUST_CHECK enum hf_status hf_change_apply(struct hf_text body, const struct hf_levels *before,
    struct hf_levels *out_now, struct hf_error *err);

#endif
