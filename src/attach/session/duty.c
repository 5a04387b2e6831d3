#include "attach/session/duty.h"

#include "base/mix.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15)

static uint64_t duty_draw(struct hf_duty *duty)
{
    duty->random += STEP;
    double drawn = (double)(hf_mix(duty->random, duty->random ^ STEP) >> 11);
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
        .random = seed};
    if (period_ns != 0)
        draw_window(&duty);
    return duty;
}

uint64_t hf_duty_per_mille(uint64_t on_ns, uint64_t period_ns)
{
    uint64_t part = period_ns != 0 ? on_ns * 1000 / period_ns : 1000;
    return part != 0 ? part : 1;
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
