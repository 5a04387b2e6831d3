#include "sampler.h"

#include "live/layout.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 u128;

#define LN_2 UINT64_C(0xb17217f7d1cf79ab) /* in 2^-64 */
#define ONE (UINT64_C(1) << 63)

/* High half of the product: of two fractions in 2^-64, their product. */
static uint64_t mul_high(uint64_t a, uint64_t b)
{
    return (uint64_t)((u128)a * b >> 64);
}

/* One step of splitmix64. */
static uint64_t split_mix(uint64_t number)
{
    uint64_t z = number + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void hf_sampler_seed(struct hf_sampler *sampler, uint64_t seed)
{
    uint64_t z = split_mix(seed); /* so that seeds that differ little give sequences that do not */
    sampler->state = z != 0 ? z : 1;
}

static uint64_t next_random(struct hf_sampler *sampler)
{
    uint64_t x = sampler->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    sampler->state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

uint32_t hf_sampler_below(struct hf_sampler *sampler, uint32_t bound)
{
    return (uint32_t)((next_random(sampler) >> 32) * bound >> 32);
}

uint64_t hf_sampler_coin(const struct hf_sampler *sampler)
{
    return split_mix(sampler->state) & 1;
}

/* log2 of a number that is not 0, in 2^-32: each squaring of the mantissa gives one bit. */
static uint64_t sampler_log2_of(uint64_t number)
{
    unsigned zeros = (unsigned)__builtin_clzll(number);
    uint64_t mantissa = number << zeros, bits = 0; /* 1 <= mantissa / 2^63 < 2 */
    for (unsigned i = 0; i < 32; i++) {
        uint64_t square = mul_high(mantissa, mantissa); /* in 2^-62 */
        bool is_two = square >= ONE;
        mantissa = is_two ? square : square << 1;
        bits = bits << 1 | (is_two ? 1 : 0);
    }
    return (uint64_t)(63 - zeros) << 32 | bits;
}

uint64_t hf_sampler_gap(struct hf_sampler *sampler, uint64_t period_bytes)
{
    /* -ln(u) of a u in (0, 1], as (64 - log2(u * 2^64)) * ln(2): at most 44.4. */
    uint64_t random = next_random(sampler);
    uint64_t log2 = (UINT64_C(64) << 32) - sampler_log2_of(random != 0 ? random : 1);
    return (uint64_t)((u128)mul_high(log2 << 24, LN_2) * period_bytes >> 56);
}

/* 1 - exp(-size / period) in 2^-64, for a quotient below 64. */
static uint64_t probability(uint64_t period_bytes, uint64_t size_bytes)
{
    unsigned halvings = 8; /* 64 / 2^8 is 1/4 */
    uint64_t x = (uint64_t)(((u128)size_bytes << (64 - halvings)) / period_bytes);
    uint64_t sum = UINT64_MAX; /* x (1 - x/2 (1 - x/3 (...))) */
    for (unsigned i = 9; i >= 2; i--)
        sum = UINT64_MAX - mul_high(x, sum) / i;
    uint64_t p = mul_high(x, sum);
    for (; halvings != 0; halvings--)
        p += mul_high(p, ~p); /* of twice the size: 1 - (1 - p)^2 */
    return p;
}

struct hf_sampler_weight hf_sampler_weigh(uint64_t period_bytes, uint64_t size_bytes)
{
    if (size_bytes / 64 >= period_bytes || period_bytes <= 1 || size_bytes == 0)
        return (struct hf_sampler_weight){HF_LIVE_OBJECT, size_bytes};
    if (size_bytes < period_bytes >> 20) /* of x / (1 - exp(-x)), the first terms: 1 + x/2 */
        return (struct hf_sampler_weight){
            .objects =
                (uint64_t)((u128)period_bytes * HF_LIVE_OBJECT / size_bytes) + HF_LIVE_OBJECT / 2,
            .bytes = period_bytes + size_bytes / 2,
        };
    uint64_t p = probability(period_bytes, size_bytes);
    return (struct hf_sampler_weight){
        .objects = (uint64_t)((((u128)HF_LIVE_OBJECT << 64) + p / 2) / p),
        .bytes = (uint64_t)((((u128)size_bytes << 64) + p / 2) / p),
    };
}
