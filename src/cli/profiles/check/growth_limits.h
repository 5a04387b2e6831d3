/*
 * growth_limits.h: how much the memory of a process may grow, as it is asked for.
 */
#ifndef HF_CLI_GROWTH_LIMITS_H
#define HF_CLI_GROWTH_LIMITS_H

#include "analysis/growth/growth.h"
#include "cli/command.h"

/* As given; NULL: not. */
struct hf_growth_limit_texts {
    const char *budget, *max_growth, *limit, *survivors, *onset_after;
    struct hf_name_list fail_on;
    bool has_load; /* requests are counted */
};

/* Bytes by the time, or by the requests that come. */
struct hf_growth_pace {
    double a_second;  /* infinite: no limit */
    double a_request; /* infinite: time counts */
};

bool hf_growth_pace_is_given(struct hf_growth_pace pace);

struct hf_growth_limits {
    struct hf_growth_pace budget;
    double max_growth; /* a part; infinite: none */
    uint64_t bytes;    /* that it may reach, but not ... 0: none */
    double within_s;   /* ... before this */
    struct hf_growth_pace kept;
    double kept_share;       /* of what it allocated; infinite: none */
    const char *onset_after; /* no leak may begin after this mark, or this time; NULL: any may */
    bool has_onset_time;     /* it is a time: */
    double onset_s;          /* since the first profile */
    int64_t onset_ms;        /* of the mark, since 1970; the caller finds it */
    bool fails_on[HF_VERDICT_TOO_LITTLE + 1];
};

/* True if something else is asked for than leaks. */
bool hf_growth_limits_are_given(const struct hf_growth_limit_texts *texts);

/* HF_ERR_USAGE, and the sentence names the option. */
HF_MUST_CHECK enum hf_status hf_growth_limits_parse(struct hf_growth_limits *out_limits,
    const struct hf_growth_limit_texts *texts, struct hf_error *err);

#endif
