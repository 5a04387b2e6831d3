/*
 * shares.h: the shares of parts in their sum, so that the shares that people see add up.
 *
 * Each is rounded down; what is missing then goes, a permille each, to the parts that lost most by
 * it (the method of the largest remainder). So equal parts differ by a permille at most, and no
 * share is a whole permille off.
 *
 * Example:
 *
 *     const uint64_t parts[] = {1, 1, 1};
 *     unsigned permille[3]; // 334, 333, 333
 *     if (hf_shares_permille(parts, 3, permille))
 *         hf_out_u64(out, permille[0]);
 */
#ifndef HF_RENDER_SHARES_H
#define HF_RENDER_SHARES_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* They add up to 1000, or are all 0 if the parts are. False: no memory. */
HF_MUST_CHECK bool hf_shares_permille(const uint64_t *parts, size_t count, unsigned *out_permille);

#endif
