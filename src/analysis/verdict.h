/*
 * verdict.h: what a place is: a leak, a cache, or nothing to worry about.
 *
 * A verdict is a claim that the data bear out, each by a test against the nearest other claim, at 5
 * % (docs/verdict.md). What they do not bear out is *undecided*; what they are too few for is *too
 * little data*.
 *
 * Where births are known, who survives decides whether it is a leak (statistics/survival.h); the
 * shape of the total says what else it is. Where they are not, *leak* needs all of these:
 *
 *   - the slope's interval is above zero;
 *   - the growth bends less than that of a cache: a bend of HF_VERDICT_CACHE_BEND, as of the 2/3rd
 *     power of time, is rejected;
 *   - it goes on to the end;
 *   - old blocks are not given back, as far as the source can tell (hf_verdict_facts.old_freed);
 *   - what was lost on the way could not explain it.
 *
 * Example:
 *
 *     struct hf_verdict_facts facts = {0}; // of a place: what its verdict stands on
 *     struct hf_verdict verdict = hf_verdict_of(&facts);
 *     if (verdict.kind == HF_VERDICT_LEAK)
 *         hf_verdict_sentence(&verdict, &facts, HF_TEXT("record"), out);
 *     hf_verdict_evidence(&verdict, &facts, out);
 */
#ifndef HF_ANALYSIS_VERDICT_H
#define HF_ANALYSIS_VERDICT_H

#include "base/strings/out.h"
#include "base/text.h"
#include "statistics/survival.h"
#include "statistics/trend.h"

#define HF_VERDICT_CACHE_BEND 0.1
#define HF_VERDICT_CACHE_HALVES                                                                    \
    0.45                          /* a cache that fills grows by less of this in its second half */
#define HF_VERDICT_OLD_FREED 0.08 /* of what was there: more, and old blocks do not just stay */

enum hf_verdict_kind {
    HF_VERDICT_LEAK,
    HF_VERDICT_FILLING_CACHE,
    HF_VERDICT_FULL_CACHE,
    HF_VERDICT_STEADY,
    HF_VERDICT_BURST,
    HF_VERDICT_UNDECIDED,
    HF_VERDICT_TOO_LITTLE,
};

/* Something that happened to the process: a mark that was made, a build that was started. */
struct hf_verdict_event {
    const char *kind;    /* "mark", "build" */
    struct hf_text name; /* raw */
    double time_s;       /* as times_s below; below 0: before the first of these */
};

/* Until the memory of the process reaches a limit, at the rate of its leaks. */
struct hf_verdict_left {
    double limit_bytes, s, low_s, high_s; /* `s` finite and above 0 */
};

struct hf_verdict_facts {
    const struct hf_trend *trend;
    const double *times_s, *values;
    const double *objects; /* of a course: of each value */
    size_t count;
    double share; /* of all that grew */
    double
        old_freed; /* of what was there and not new, the part that was given back; NAN: unknown */
    double lost_samples; /* by all profiles; infinite if something was lost, but not how much */
    bool is_bytes;
    const struct hf_survival *survival; /* NULL: no births */
    double began_s;      /* the recording's begin in times_s: of the times of `survival` */
    double thousand_s;   /* rates are told by a thousand of what takes so long; 0: by the minute */
    const char *counted; /* what that is: "requests"; NULL if time counts */
    bool has_clock;      /* times are known by the clock: */
    int64_t first_ms;    /* that of times_s 0, since 1970 */
    const struct hf_verdict_event *event; /* the last before a leak began; NULL: not known */
    const struct hf_verdict_left *left;   /* NULL: no limit */
    double blocks, freed;    /* of a place all of whose blocks were recorded; 0: not known */
    struct hf_text freed_in; /* where most of its like are freed, raw; empty: not known */
    bool is_brief;           /* evidence without its figures: for who did not ask for them */
};

struct hf_verdict {
    enum hf_verdict_kind kind;
    /* 0.5 .. 1, of the weakest of its tests. That is no probability of being right: it orders
     * verdicts, and is not shown. */
    double confidence;
    bool is_by_shape; /* of a course: a leak that the total showed, because blocks move */
    double full_s;    /* of a full cache: since when; 0: since the trend's break */
    double held_s;    /* so old is the last profile that shows it (verdict_course.h); 0: the last */
};

struct hf_verdict hf_verdict_of(const struct hf_verdict_facts *facts);

/* "leak", "filling cache" ... */
const char *hf_verdict_name(enum hf_verdict_kind kind);

/* One sentence, and what it stands on, as two or three more. All raw: escape it. */
void hf_verdict_sentence(const struct hf_verdict *verdict, const struct hf_verdict_facts *facts,
    struct hf_text name, struct hf_out *out);
void hf_verdict_evidence(
    const struct hf_verdict *verdict, const struct hf_verdict_facts *facts, struct hf_out *out);

/* The sentence on a leak behind "LEAK since 03:12 UTC: ": what keeps how much; without a period. */
void hf_verdict_leak(const struct hf_verdict_facts *facts, struct hf_text name, struct hf_out *out);

/* "+3.1 MiB/min", "+12.0/min": a slope, which is by the second; with its sign. */
void hf_verdict_rate(double slope, bool is_bytes, struct hf_out *out);

/* "3.1 MiB/min", "12.0/min": likewise, of what goes one way only, as what is allocated. */
void hf_verdict_flow(double flow, bool is_bytes, struct hf_out *out);

/* "+3.1 MiB/min (+2.7 MiB to +3.5 MiB)": with its interval. */
void hf_verdict_rate_between(
    double rate, double low, double high, bool is_bytes, struct hf_out *out);

/* "3.1 MiB", "12" */
void hf_verdict_amount(double value, bool is_bytes, struct hf_out *out);

/* "45 s", "12 min", "3.5 h", "2.1 d" */
void hf_verdict_duration(double seconds, struct hf_out *out);

#endif
