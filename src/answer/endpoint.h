/*
 * endpoint.h: a profile from a server: which endpoint has it, and what to do when none gives it.
 *
 * A URL without a path is asked at the endpoints that servers are known to have, in this order:
 * POST /debug/prof/mem (GreptimeDB), GET /v1/prof/mem (its first years), /debug/pprof/heap,
 * /pprof/heap. The first profile ends the search, as does the first error that explains itself. A
 * URL with a path is taken as it is: GET, and POST where GET is not answered.
 */
#ifndef HF_ANSWER_ENDPOINT_H
#define HF_ANSWER_ENDPOINT_H

#include "answer/loader.h"
#include "base/error.h"
#include "base/strings/out.h"
#include "profile/profile.h"

struct hf_endpoint_profile {
    struct hf_out body; /* the server's bytes, unchanged */
    struct hf_profile *profile;
    char *shown; /* the URL it came from, without user and password */
};

/*
 * HF_ERR_NETWORK when there is no profile, with a sentence on what to do; HF_ERR_INPUT when what
 * came is none. Free with hf_endpoint_profile_done.
 */
HF_MUST_CHECK enum hf_status hf_endpoint_fetch(const char *url,
    const struct hf_loader_options *options, struct hf_endpoint_profile *out_fetched,
    struct hf_error *err);
void hf_endpoint_profile_done(struct hf_endpoint_profile *fetched);

/* The switches beside GreptimeDB's endpoint: /debug/prof/mem/status, activate, deactivate, gdump */
enum hf_endpoint_switch {
    HF_ENDPOINT_ACTIVATE,
    HF_ENDPOINT_DEACTIVATE,
    HF_ENDPOINT_GDUMP_ON,
    HF_ENDPOINT_GDUMP_OFF,
};

HF_MUST_CHECK enum hf_status hf_endpoint_turn(
    const char *url, enum hf_endpoint_switch what, struct hf_error *err);

struct hf_endpoint_state {
    bool is_active;                    /* sampling is on */
    bool knows_gdump, gdump_is_active; /* a dump at each new maximum of virtual memory */
};

HF_MUST_CHECK enum hf_status hf_endpoint_ask_state(
    const char *url, struct hf_endpoint_state *out_state, struct hf_error *err);

#endif
