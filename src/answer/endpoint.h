/*
 * endpoint.h: fetches profiles from servers, and switches their profilers on and off.
 *
 * For a URL without a path it tries the endpoints of known servers, in this order: POST
 * /debug/prof/mem (GreptimeDB), GET /v1/prof/mem (GreptimeDB's first years), /debug/pprof/heap,
 * /pprof/heap. The search ends with the first profile, or the first error that explains itself. A
 * URL with a path is used as it is: GET, then POST if the server does not answer GET.
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
 * HF_ERR_NETWORK if no endpoint has a profile; the message says what to do. HF_ERR_INPUT if the
 * answer is not a profile. Free with hf_endpoint_profile_done.
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
