/*
 * arrivals.h: how the survivors of a place came: since when, how fast, and whether they keep
 * coming, by time or by the place's own work. A part of survival.h, which finds who survives.
 */
#ifndef HF_STATISTICS_ARRIVALS_H
#define HF_STATISTICS_ARRIVALS_H

#include "statistics/survival.h"

#define HF_ARRIVALS_FEW 8 /* survivors: less says nothing */

/* In samples, by cohorts that follow each other. */
struct hf_arrivals {
    double counts[HF_SURVIVAL_EPOCHS]; /* that survive */
    double born[HF_SURVIVAL_EPOCHS];   /* all of these cohorts, as far as that is known */
    size_t count;
    /* As hf_arrivals_find_onset finds: */
    size_t from;      /* the onset among them, as far as they are judged by it */
    size_t low, high; /* where it may be */
    bool has_onset;   /* there is a change, whatever pauses they make */
    double since;     /* their number since then */
};

void hf_arrivals_find_onset(struct hf_arrivals *arrivals);

/* Sets rate and bend, with their intervals. */
void hf_arrivals_measure(const struct hf_survival_table *table, const struct hf_arrivals *arrivals,
    struct hf_survival *out);

/* Whether they surely bend as the content of a cache does, by so many standard errors. */
bool hf_arrivals_bend(const struct hf_survival *survival, double sigmas);

/* The gain if fewer come since some time, as in struct hf_survival. */
double hf_arrivals_fall(const struct hf_arrivals *arrivals);

/* Of those that stay, and that were measured: do they keep coming? Sets fall, is_recent, level_s,
 * and the bend if it is by work. */
enum hf_survival_kind hf_arrivals_judge(const struct hf_survival_table *table,
    const struct hf_arrivals *arrivals, struct hf_survival *out);

#endif
