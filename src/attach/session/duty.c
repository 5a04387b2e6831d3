#include "attach/session/duty.h"

static uint64_t duty_draw(struct hf_duty *duty)
{
    duty->random ^= duty->random >> 12; /* xorshift64*: G. Marsaglia (2003), S. Vigna (2016) */
    duty->random ^= duty->random << 25;
    duty->random ^= duty->random >> 27;
    double drawn = (double)((duty->random * UINT64_C(0x2545f4914f6cdd1d)) >> 11);
    return (uint64_t)(drawn / 9007199254740992.0 * (double)duty->period_ns);
}

static void draw_window(struct hf_duty *duty)
{
    uint64_t least_ns = duty->end_ns;
    duty->begin_ns = duty->stratum_ns + duty_draw(duty);
    if (duty->begin_ns < least_ns)
        duty->begin_ns = least_ns;
    duty->end_ns = duty->begin_ns + duty->on_ns;
}

struct hf_duty hf_duty_of(uint64_t on_ns, uint64_t period_ns, uint64_t seed, uint64_t now_ns)
{
    struct hf_duty duty = {.on_ns = on_ns,
        .period_ns = period_ns,
        .stratum_ns = now_ns,
        .end_ns = now_ns,
        .random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    if (period_ns != 0)
        draw_window(&duty);
    return duty;
}

bool hf_duty_wants(struct hf_duty *duty, uint64_t now_ns)
{
    if (duty->period_ns == 0)
        return true;
    while (now_ns >= duty->end_ns) {
        duty->stratum_ns += duty->period_ns;
        draw_window(duty);
    }
    return now_ns >= duty->begin_ns;
}

void hf_duty_began(struct hf_duty *duty, uint64_t now_ns)
{
    duty->end_ns = now_ns + duty->on_ns;
}
