/*
 * check_report.h: whether a program keeps within what was asked of it: text, JSON, JUnit's XML.
 *
 * Text: a line for each check, "ok" or "FAIL", or "?" for growth that is undecided; then the
 * suppressions that were used.
 *
 * JSON: one document, "heapflame.check/1" (docs/json):
 *
 *   {"schema": ..., "passed": false, "checks": [CHECK, ...], "suppressions": [...]
 * (used_suppressions.h)}
 *
 *   CHECK: {"name", "passed", "decided", "message", "value", "compared": "exactly" or "by
 * interval", "interval_95": [low, high] (null: exactly), "limit", "unit": "bytes/second",
 * "bytes/1000 requests", "part", "bytes" or "seconds", "place": {"name", "stack", "suppression"}}
 *
 * XML: a testsuite "heapflame check" with a testcase for each check; what servers for continuous
 * integration read. Source: the schema of Jenkins' xUnit plugin, junit-10.xsd.
 */
#ifndef HF_RENDER_CHECK_REPORT_H
#define HF_RENDER_CHECK_REPORT_H

#include "analysis/growth/growth.h"
#include "analysis/suppressions.h"
#include "base/strings/out.h"

#define HF_CHECK_JSON_SCHEMA "heapflame.check/1"
/*
 * The whole and each place by the budget and by survivors, the growth, the limit, each place by its
 * onset, by its verdict, and by that of several processes together, "none" of each, or that it is
 * too short.
 */
#define HF_CHECKS_MAX (5 * HF_GROWTH_PLACES + 6 + HF_VERDICT_TOO_LITTLE + 1)

struct hf_check {
    const char *name; /* "budget", "growth", "survivors", "leak" ... */
    bool is_passed;
    bool is_open;           /* nobody asked, and it is not decided: told, and no failure */
    struct hf_text message; /* raw: one sentence */
    struct hf_check_number {
        enum hf_check_kind {
            HF_CHECK_NO_NUMBER,
            HF_CHECK_RATE,         /* a second */
            HF_CHECK_RATE_BY_LOAD, /* by a thousand of what is counted */
            HF_CHECK_PART,         /* of the start */
            HF_CHECK_KEPT,         /* of what was allocated */
            HF_CHECK_BYTES,
            HF_CHECK_SECONDS, /* until they are reached */
            HF_CHECK_ONSET    /* seconds since the first profile */
        } kind;
        bool is_exact;           /* nothing was sampled: the value itself is compared */
        double value, low, high; /* 95 %; of what is exact, the value */
        double limit;            /* infinite: none */
    } number;
    const struct hf_growth_place *place; /* borrowed; NULL: the whole, or none */
};

struct hf_check_report {
    const struct hf_check *checks;
    size_t count;
    const struct hf_growth *growth; /* that its places are of */
    const struct hf_suppressions *suppressions;
    struct hf_text process; /* raw: which, of several; empty: there is one */
};

bool hf_check_all_passed(const struct hf_check_report *report);
void hf_check_text(const struct hf_check_report *report, struct hf_out *out);
void hf_check_json(const struct hf_check_report *report, struct hf_out *out);
/* Several reports are several suites. */
void hf_check_xml(const struct hf_check_report *reports, size_t count, struct hf_out *out);

#endif
