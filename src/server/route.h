/*
 * route.h: what the target of an HTTP request asks for.
 *
 *     target  = "/" | "/metrics" | "/process/" PID "/" page ["?" query]
 *     page    = "flame" | "debug/pprof/heap" | "debug/pprof/allocs"
 *     query   = what clients of Go's net/http/pprof add: "gc=1", "debug=0"
 *
 * PID is a number as it is written, without leading zeros. Nothing else is a target, nothing is
 * decoded, and no part of it becomes the name of a file. A query is refused where a client expects
 * its effect: seconds asks for a difference, debug for text.
 *
 * Example:
 *
 *     struct hf_route route = hf_route_parse(HF_TEXT("/process/4711/flame"));
 *     if (route.kind == HF_ROUTE_FLAME)
 *         hf_out_u64(out, route.pid);
 */
#ifndef HF_SERVER_ROUTE_H
#define HF_SERVER_ROUTE_H

#include "base/attr.h"
#include "base/text.h"

#include <stdint.h>

enum hf_route_kind {
    HF_ROUTE_NONE, /* there is no such page */
    HF_ROUTE_LIST,
    HF_ROUTE_METRICS,
    HF_ROUTE_FLAME,
    HF_ROUTE_HEAP,
    HF_ROUTE_ALLOCS,
    HF_ROUTE_REFUSED, /* one of the last two, but not as the query asks for it */
};

struct hf_route {
    enum hf_route_kind kind;
    uint32_t pid; /* of a page of a process */
};

HF_MUST_CHECK struct hf_route hf_route_parse(struct hf_text target);

#endif
