#include "attach/session/duty.h"

#include "base/mix.h"

#include <math.h>

#define STEP UINT64_C(0x9e3779b97f4a7c15)
#define ALWAYS_PART 100 /* of the time, it takes to begin and to end */
#define UNFINISHED 2    /* windows: the last, and one that is late */
#define SAME_WEIGHT 0.05

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

static double weight_by_time(const struct hf_duty_part *part)
{
    uint64_t all_ns = part->all_ns, followed_ns = part->followed_ns;
    return followed_ns == 0 || followed_ns > all_ns - all_ns / ALWAYS_PART
               ? 1
               : (double)all_ns / (double)followed_ns;
}

/* Each period has one window, unless some were left out, for the price or because the machine was
 * busy. Probes take a while to go out, so that a window is longer than it is wanted. */
static double weight_by_windows(const struct hf_duty_part *part)
{
    double period_ns = (double)part->period_ns;
    double periods = fmax((double)part->windows, (double)part->all_ns / period_ns - UNFINISHED);
    return part->windows_ns != 0 ? periods * period_ns / (double)part->windows_ns
                                 : period_ns / (double)part->on_ns;
}

double hf_duty_weight(const struct hf_duty_part *part, double before)
{
    double now = fmax(1, part->period_ns != 0 ? weight_by_windows(part) : weight_by_time(part));
    return fabs(now - before) <= SAME_WEIGHT * before ? before : now;
}
