/*
 * format.h: from bytes to a profile, whoever wrote them.
 *
 * Each format is one file with a reader that *bids* on the first bytes: how sure it is that the
 * input is its own. The highest bid reads; no option is needed. Readers keep what is sound: a cut
 * or damaged record is left out and becomes a loss note of the profile (exit status 4). Only an
 * input that is of no known format at all is an error.
 */
#ifndef HF_FORMATS_FORMAT_H
#define HF_FORMATS_FORMAT_H

#include "base/budget.h"
#include "base/error.h"
#include "base/text.h"
#include "os/input.h"
#include "profile/profile.h"

/* Bytes of the start of the input that a bid may look at. */
#define HF_FORMAT_PEEK_BYTES ((size_t)64 << 10)

enum hf_bid {
    HF_BID_NO = 0,
    HF_BID_MAYBE = 1, /* looks like it, as much else may */
    HF_BID_LIKELY = 5,
    HF_BID_SURE = 9, /* a magic word says so */
};

struct hf_format {
    const char *name; /* "jemalloc heap_v2" */
    enum hf_bid (*bid)(struct hf_text first_bytes);
    /* Fills the empty `profile`. What is cut or damaged is noted there, not an error. */
    enum hf_status (*read)(
        struct hf_input *input, struct hf_profile *profile, struct hf_error *err);
};

extern const struct hf_format hf_format_heap_v2;
extern const struct hf_format hf_format_stap;
extern const struct hf_format hf_format_heaptrack;
extern const struct hf_format hf_format_gperftools;
extern const struct hf_format hf_format_symbolized;
extern const struct hf_format hf_format_bpftrace;
extern const struct hf_format hf_format_memleak;
extern const struct hf_format hf_format_perf_script;
extern const struct hf_format hf_format_folded;
extern const struct hf_format hf_format_memcheck;
extern const struct hf_format hf_format_memcheck_xml;
extern const struct hf_format hf_format_massif;
extern const struct hf_format hf_format_dhat;
extern const struct hf_format hf_format_lsan;
extern const struct hf_format hf_format_pprof;
extern const struct hf_format hf_format_bundle;
extern const struct hf_format hf_format_live;

/* Recognises and reads, compressed or not. Free the profile with hf_profile_free. */
HF_MUST_CHECK enum hf_status hf_format_read(
    struct hf_input *input, struct hf_profile **out_profile, struct hf_error *err);

/* The format that bids highest on the first bytes; NULL: none bids. */
const struct hf_format *hf_format_of(struct hf_text first_bytes);

/*
 * Enters `budget` for an input, or goes on with that which the caller has entered for it. Leave
 * with hf_budget_leave.
 */
struct hf_budget_scope hf_format_enter_budget(
    struct hf_budget *budget, const struct hf_input *input);

#endif
