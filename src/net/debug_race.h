/*
 * debug_race.h: asks several servers for one file at once. For debug_servers.c only.
 */
#ifndef HF_NET_DEBUG_RACE_H
#define HF_NET_DEBUG_RACE_H

#include "net/debug_servers.h"
#include "net/transfer.h"

#include <stdbool.h>

/* What the variables say (debug_servers.h). */
struct hf_debug_rules {
    uint64_t silent_seconds; /* 0: no end */
    uint64_t most_seconds, most_bytes, retries;
    bool is_verbose, tells_files;
    bool follows; /* redirects */
    struct curl_slist *headers;
};

enum hf_debug_lane_state {
    HF_DEBUG_LANE_WAITS,
    HF_DEBUG_LANE_RUNS,
    HF_DEBUG_LANE_WON,
    HF_DEBUG_LANE_ABSENT,
    HF_DEBUG_LANE_TOO_LARGE,
    HF_DEBUG_LANE_FAILED,
};

struct hf_debug_race;

/* One server in the race. */
struct hf_debug_lane {
    struct hf_debug_race *race;
    struct hf_http_target target;
    struct hf_transfer transfer; /* while it runs */
    enum hf_debug_lane_state state;
    unsigned server;          /* its number in DEBUGINFOD_URLS */
    uint64_t tries;           /* begun */
    uint64_t mark_ms, marked; /* when its speed was looked at, and the bytes that had come then */
    bool is_too_large, is_unwritten;
    bool is_given_up; /* was not reached, or silent */
    char why[512];    /* it has no answer */
};

struct hf_debug_race {
    const struct hf_debug_rules *rules;
    const struct hf_debug_servers_question *question;
    struct hf_http *http;
    CURLM *multi;
    struct hf_debug_lane lanes[HF_DEBUG_SERVERS_MAX];
    size_t count;
    struct hf_debug_lane *leader; /* whose answer comes */
    int fd;                       /* where it goes */
    uint64_t size;                /* of it so far */
    uint64_t begun_ms;
};

/* Until one has won or none is left. */
HF_MUST_CHECK enum hf_status hf_debug_race_run(struct hf_debug_race *race, struct hf_error *err);

#endif
