/*
 * shared_leaks.h: what several processes of one program say together about a place: those of a
 * service that was started again, or its replicas.
 *
 * Text: a line for each, above what is said of each process:
 *
 *     open_session leaks in 3 of 3 processes of server, +2.1 MiB/min (+1.9 MiB to +2.3 MiB) in
 * each, again after each restart. Since build 2.4.1; the 2 processes of earlier builds do not leak.
 *
 *     open_session leaks in 1 of 2 processes of server, +2.1 MiB/min (+1.9 MiB to +2.3 MiB). The
 * latest process does not leak: at that rate it would have kept 1.1 GiB in 8.9 h, and has 2.0 MiB.
 *
 * JSON: "together" of "heapflame.processes/1" (docs/json).
 */
#ifndef HF_RENDER_SHARED_LEAKS_H
#define HF_RENDER_SHARED_LEAKS_H

#include "analysis/growth/growth.h"
#include "base/containers/arena.h"
#include "base/strings/out.h"
#include "statistics/pooled_rate.h"

/* The processes of one build of a program, or all of them. */
struct hf_shared_rate {
    struct hf_text build;       /* raw: "2.4.1", "3f2a91c0"; empty: unknown */
    size_t judged;              /* processes with enough profiles */
    size_t leaks;               /* of these, in so many it is a leak */
    size_t open;                /* and in so many nobody knows: undecided, or too little data */
    struct hf_pooled_rate rate; /* of those that leak, or of all if they show it only together */
};

struct hf_shared_leak {
    const struct hf_growth_place *place; /* of one of the processes; borrowed */
    struct hf_text program;              /* raw; empty: unknown */
    bool is_bytes;
    const char *counted;   /* rates are by a thousand of these; NULL: by the second */
    bool are_restarts;     /* each began after those before had ended */
    bool is_only_together; /* no process shows it, but all together do */
    struct hf_shared_rate all;
    struct hf_shared_rate *builds; /* in the order in which they begin; those of unknown build are
                                      one of them */
    size_t build_count;
    size_t since;   /* the build with which it began, or became another; 0: the first */
    bool has_ended; /* it leaks no more since the build `since` */
    /* No process that began after the last leaking one had ended leaks, though each would have
     * shown it at the least rate: */
    bool is_gone;
    double gone_s;             /* so long the last of them was seen, */
    double gone_due, gone_has; /* in which it would have kept so much, and what it has */
};

struct hf_shared_leaks {
    struct hf_shared_leak *items;
    size_t count, capacity;
    struct hf_arena arena;
};

/* Its line. Raw: escape it. */
void hf_shared_leak_sentence(const struct hf_shared_leak *leak, struct hf_out *out);

/* With an empty line behind them; nothing if there are none. */
void hf_shared_leaks_text(const struct hf_shared_leaks *leaks, struct hf_out *out);

/* , "together": [...] */
void hf_shared_leaks_json(const struct hf_shared_leaks *leaks, struct hf_out *out);

void hf_shared_leaks_done(struct hf_shared_leaks *leaks);

#endif
