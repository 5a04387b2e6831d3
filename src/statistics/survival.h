/*
 * survival.h: whether what a place allocates stays, judged by who survives.
 *
 * Words: a *cohort* is what was allocated in one epoch, all epochs being of equal length; a *look*
 * is a time at which it is known how much of each cohort is in use. Deaths are differences between
 * looks. What was allocated before the first look is truncated on the left and decides nothing: a
 * program frees at leisure what it loaded at its start. What is in use at the last look is censored
 * on the right (Keiding and Gill 1990).
 *
 * Amounts are in samples: bytes, divided by sum w^2 / sum w of the weights w of the samples behind
 * them. So n samples that differ in weight are (sum w)^2 / sum w^2 (Kish 1965), and what is said is
 * said of bytes. Where every allocation was recorded they are blocks.
 *
 * *Leak* is said of survivors beyond an age tau, the smallest for which all of this holds:
 *
 *   - they stay: of the hazard beyond tau, times the time since the onset (or twice their mean
 *     age, if less), the upper bound is at most HF_SURVIVAL_HAZARD, the lower one at most
 *     HF_SURVIVAL_HAZARD_LEAST; and neither any age nor the oldest lost more than
 *     HF_SURVIVAL_OLD_LOST since they were tau old;
 *   - they keep coming, in all of the time since the onset, and do not become fewer as the keys of
 *     a cache do; or, where a place frees most of what it allocates, in all of what it allocated
 *     since then, so that they follow the load;
 *   - they are HF_SURVIVAL_SAMPLES or more.
 *
 * One look more may change that by chance. A *course* has what each look says of those up to it,
 * and where a leak that was found before is in doubt: its survivors surely die or become fewer, by
 * a measure that is harder to meet than that by which they were accepted.
 *
 * docs/verdict.md has the mathematics.
 */
#ifndef HF_STATISTICS_SURVIVAL_H
#define HF_STATISTICS_SURVIVAL_H

#include <stdbool.h>
#include <stddef.h>

#define HF_SURVIVAL_EPOCHS 64
#define HF_SURVIVAL_LOOKS 64
#define HF_SURVIVAL_LOOKS_MIN 8
#define HF_SURVIVAL_HAZARD 0.7
#define HF_SURVIVAL_HAZARD_LEAST 0.1
#define HF_SURVIVAL_OLD_LOST 0.3
#define HF_SURVIVAL_SAMPLES 10
#define HF_SURVIVAL_SAMPLES_MANY 20
#define HF_SURVIVAL_SAMPLES_SURE 25 /* 5 standard errors of Poisson's */
#define HF_SURVIVAL_FALL 3          /* of the logarithm of the likelihood: 5 % */

struct hf_survival_table {
    double sample;  /* what one stands for, e.g. bytes */
    double epoch_s; /* cohort i was allocated from i x epoch_s on, since the recording began */
    size_t look_count;
    double looks_s[HF_SURVIVAL_LOOKS];                    /* rising, since the recording began */
    double in_use[HF_SURVIVAL_LOOKS][HF_SURVIVAL_EPOCHS]; /* samples: of each cohort at each look */
    double born[HF_SURVIVAL_EPOCHS]; /* samples: all of each cohort; all 0: that is not known */
};

enum hf_survival_kind {
    HF_SURVIVAL_UNKNOWN,   /* no births, or too few looks */
    HF_SURVIVAL_LEAK,      /* survivors stay and keep coming */
    HF_SURVIVAL_RENEWED,   /* the old ones die, or there are none */
    HF_SURVIVAL_ENDED,     /* survivors stay, but came at some time only, or ever fewer do */
    HF_SURVIVAL_UNDECIDED, /* none of these can be told yet */
};

struct hf_survival {
    enum hf_survival_kind kind;
    /* Of a leak, and of what is undecided as far as it goes: */
    double age_s;                              /* tau: survivors are older */
    double onset_s, onset_low_s, onset_high_s; /* when they began; since the recording began */
    bool has_onset; /* there is a change after the first look; else they may be from its begin on */
    double survivors;                 /* samples, of the cohorts since the onset */
    double rate, rate_low, rate_high; /* of those: a second, 95 %, as `sample` says */
    double lost;                      /* of them, at most so much is gone: 95 % */
    double sigmas;                    /* how far `lost` is below what is no leak */
    double bend;                      /* of their number over time: as in struct hf_trend */
    double bend_error;
    /* That fewer come since some time: the gain of the logarithm of the likelihood, by how unevenly
     * they came before; infinite: not asked, because it is not known that they stay. */
    double fall;
    /* Of what is renewed: nine tenths are gone at this age; NAN: not known. */
    double gone_s;
    /* Since when there may be no more: of what is renewed, since its blocks die, of which few did
     * before; of what has ended, since the last survivor. NAN: not known. */
    double level_s;
    bool lengthens; /* of what is renewed: its blocks become older and older before they die */
    bool is_recent; /* they stay, but too few cohorts have passed since the onset */
    bool moves;     /* set by the caller: blocks move when they grow, so that lives say nothing */
};

struct hf_survival hf_survival_of(const struct hf_survival_table *table);

struct hf_survival_look {
    enum hf_survival_kind kind; /* by all looks up to this one */
    double fall;
    bool is_thin;    /* a leak of few survivors: fewer than HF_SURVIVAL_SAMPLES_MANY */
    bool is_sure;    /* a leak with an onset, of HF_SURVIVAL_SAMPLES_SURE survivors since then */
    bool lengthens;  /* renewed, but ever later: as of the survival */
    bool may_stay;   /* renewed after a leak; but some of the oldest may be survivors */
    bool is_doubted; /* undecided; and what was a leak before surely is none any more */
    bool is_gone;    /* half of what was a leak before is not in use at this look */
};

struct hf_survival_course {
    size_t count; /* of the table's looks */
    struct hf_survival_look looks[HF_SURVIVAL_LOOKS];
    struct hf_survival last; /* by all looks */
    struct hf_survival leak; /* by the last look that showed one */
};

/* Whether some of the oldest are in use, and nothing says that they die: too few to be a leak yet.
 */
bool hf_survival_may_stay(const struct hf_survival_table *table);

/*
 * `fine`: the same by shorter epochs, asked where so few of those of `table` have passed since the
 * onset that nothing can be told of them: what began lately. NULL: there is none. Changes the
 * tables' look_count in between.
 */
void hf_survival_course_of(struct hf_survival_table *table, struct hf_survival_table *fine,
    struct hf_survival_course *out_course);

/*
 * The share that survives to each age, which are multiples of `step_s` from 0 on, and its variance:
 * Kaplan and Meier 1958, Greenwood 1926, with delayed entry. Returns how many ages are known, at
 * most `count`.
 */
struct hf_survival_point {
    double share, variance;
    double at_risk; /* samples; 0 at the last age, if nothing was seen older */
};
size_t hf_survival_curve(const struct hf_survival_table *table, double step_s,
    struct hf_survival_point *out_points, size_t count);

#endif
