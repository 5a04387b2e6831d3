/*
 * growth_cohorts.h: who survives of what each place of growth.h allocated, from the looks of a
 * history. A part of growth.c.
 */
#ifndef HF_ANALYSIS_GROWTH_COHORTS_H
#define HF_ANALYSIS_GROWTH_COHORTS_H

#include "analysis/growth/growth.h"

/* Of one place, while samples are added. NULL: it has none, as most places. Freed by free(3). */
struct hf_growth_cohorts {
    struct hf_survival_table table; /* bytes */
    struct hf_survival_table fine;  /* the same by shorter epochs, once it is judged */
    double squares, bytes;
};

/* Whether the values of a sample of the folded history are of a cohort. */
bool hf_growth_is_of_cohort(const struct hf_growth *growth, size_t sample);

/* Adds such a sample. */
HF_MUST_CHECK enum hf_status hf_growth_cohorts_add(const struct hf_growth *growth,
    struct hf_growth_cohorts **cohorts, size_t sample, struct hf_error *err);

/* Gives a place, whose points are known, its survival and course, of `cohorts`; these may be NULL.
 */
HF_MUST_CHECK enum hf_status hf_growth_cohorts_judge(struct hf_growth *growth,
    struct hf_growth_place *place, struct hf_growth_cohorts *cohorts, struct hf_error *err);

/* All that for each place, and for the whole. `owners`: by node, the place it belongs to. */
HF_MUST_CHECK enum hf_status hf_growth_measure_survival(
    struct hf_growth *growth, const uint32_t *owners, struct hf_error *err);

#endif
