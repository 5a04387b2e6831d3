/*
 * format.h: turns bytes in any known format into a profile.
 *
 * Each format is one file with a reader that *bids* on the first bytes: how sure it is that the
 * input is its own. The highest bid reads; no option is needed. Readers keep what is sound: a cut
 * or damaged record is left out and becomes a loss note of the profile (exit status 4). Only an
 * input that is of no known format at all is an error.
 *
 * Example:
 *
 *     struct hf_input input;
 *     struct hf_profile *profile;
 *     status = hf_input_open(&input, "heap.pb.gz", err);
 *     if (status != HF_OK)
 *         return status;
 *     status = hf_format_read(&input, &profile, err);
 *     if (status == HF_OK) {
 *         hf_out_u64(out, hf_profile_total(profile, profile->default_type, HF_THREAD_ALL).value);
 *         hf_profile_free(profile);
 *     }
 *     hf_input_close(&input);
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

/*
 * Every format that is read; of equal bids the first wins. `script/lint complete` holds what
 * belongs to each: `script/new format NAME` makes it.
 */
#define HF_FORMATS(USE)                                                                            \
    USE(heap_v2)                                                                                   \
    USE(pprof)                                                                                     \
    USE(bundle)                                                                                    \
    USE(live)                                                                                      \
    USE(stap)                                                                                      \
    USE(heaptrack)                                                                                 \
    USE(gperftools)                                                                                \
    USE(symbolized)                                                                                \
    USE(bpftrace)                                                                                  \
    USE(dtrace)                                                                                    \
    USE(memleak)                                                                                   \
    USE(perf_script)                                                                               \
    USE(folded)                                                                                    \
    USE(memcheck)                                                                                  \
    USE(memcheck_xml)                                                                              \
    USE(massif)                                                                                    \
    USE(dhat)                                                                                      \
    USE(lsan)

#define HF_FORMAT_DECLARE(name) extern const struct hf_format hf_format_##name;
HF_FORMATS(HF_FORMAT_DECLARE)
#undef HF_FORMAT_DECLARE

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
