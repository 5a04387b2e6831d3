#include "render/shares.h"

#include "base/checked.h"

#include <stdlib.h>

#define WHOLE 1000u

struct share_rest {
    uint64_t rest;
    size_t part;
};

static int by_share_rest(const void *a, const void *b)
{
    const struct share_rest *left = a, *right = b;
    if (left->rest != right->rest)
        return left->rest < right->rest ? 1 : -1;
    return left->part < right->part ? -1 : 1;
}

/* By so many bits parts are shifted, so that a product with WHOLE fits. */
static unsigned bits_too_many(const uint64_t *parts, size_t count)
{
    unsigned bits = 0;
    for (bool fits = false; !fits; bits++) {
        uint64_t sum = 0;
        bool is_saturated = false;
        for (size_t i = 0; i < count; i++)
            sum = hf_add_saturating(sum, parts[i] >> bits, &is_saturated);
        fits = sum <= UINT64_MAX / WHOLE;
    }
    return bits - 1;
}

bool hf_shares_permille(const uint64_t *parts, size_t count, unsigned *out_permille)
{
    struct share_rest *rests = calloc(count + 1, sizeof *rests);
    if (rests == NULL)
        return false;
    unsigned bits = bits_too_many(parts, count), left = WHOLE;
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += parts[i] >> bits;
    for (size_t i = 0; i < count; i++) {
        uint64_t product = (parts[i] >> bits) * WHOLE;
        out_permille[i] = all != 0 ? (unsigned)(product / all) : 0;
        rests[i] = (struct share_rest){all != 0 ? product % all : 0, i};
        left -= out_permille[i];
    }
    qsort(rests, count, sizeof *rests, by_share_rest);
    for (size_t i = 0; i < left && i < count && all != 0; i++)
        out_permille[rests[i].part]++;
    free(rests);
    return true;
}
