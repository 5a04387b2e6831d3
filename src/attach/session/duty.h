/*
 * duty.h: when allocations are recorded, of those who record a part of the time: in windows of
 * `on_ns`, one for each `period_ns`, so that a window is a sample of time.
 *
 * A window begins anywhere in its period, drawn evenly and each for itself (stratified sampling):
 * what a process does every minute on the minute is then seen as often as anything else, which
 * windows at even distances would see always or never. No pause is as long as two
 * periods. A window that would begin before the last one is over begins at its end.
 *
 * Times are ns of one clock; what is measured from the moment the probes are in is the caller's to
 * say, for that takes a while (hf_duty_began).
 *
 *     struct hf_duty duty = hf_duty_of(1000000000, 60000000000, 1, now_ns);
 *     while (...)
 *         if (hf_duty_wants(&duty, now_ns) && !follows) {
 *             ... put the probes in
 *             hf_duty_began(&duty, later_ns);
 *         }
 */
#ifndef HF_ATTACH_DUTY_H
#define HF_ATTACH_DUTY_H

#include <stdbool.h>
#include <stdint.h>

struct hf_duty {
    uint64_t on_ns, period_ns; /* 0: all of the time */
    /* Its own. */
    uint64_t stratum_ns;       /* where the period of the window begins */
    uint64_t begin_ns, end_ns; /* the window, which is running or the next */
    uint64_t random;
};

struct hf_duty hf_duty_of(uint64_t on_ns, uint64_t period_ns, uint64_t seed, uint64_t now_ns);

/* The part of the time, at least 1. */
uint64_t hf_duty_per_mille(uint64_t on_ns, uint64_t period_ns);

/* A window is open. Time never goes back. */
bool hf_duty_wants(struct hf_duty *duty, uint64_t now_ns);

/* What the window is for is there since now: so it ends `on_ns` later. */
void hf_duty_began(struct hf_duty *duty, uint64_t now_ns);

/* How much of the time allocations were followed until now. */
struct hf_duty_part {
    uint64_t on_ns, period_ns;    /* as in struct hf_duty */
    uint64_t all_ns, followed_ns; /* since the start */
    uint64_t windows, windows_ns; /* those that are over, and how long they were together */
};

/*
 * What an allocation that was followed stands for, at least 1. `before`: what it stood for at the
 * look before; 0: there was none. It stays that unless it was wrong by a twentieth: else blocks
 * that stay would become fewer with each window that is a little longer than those before it, and
 * who survives would be told to die.
 */
double hf_duty_weight(const struct hf_duty_part *part, double before);

#endif
