/* Targets of requests: what is a route is written in one way, and names no other process. */
#include "server/route.h"

#include "fuzz.h"
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const pages[] = {[HF_ROUTE_LIST] = "/",
    [HF_ROUTE_METRICS] = "/metrics",
    [HF_ROUTE_FLAME] = "/process/%u/flame",
    [HF_ROUTE_HEAP] = "/process/%u/debug/pprof/heap",
    [HF_ROUTE_ALLOCS] = "/process/%u/debug/pprof/allocs"};

static void check_path(struct hf_text path, const struct hf_route *route)
{
    char expected[64];
    switch (route->kind) {
    case HF_ROUTE_FLAME:
        (void)snprintf(expected, sizeof expected, "/process/%u/flame", route->pid);
        break;
    case HF_ROUTE_HEAP:
        (void)snprintf(expected, sizeof expected, "/process/%u/debug/pprof/heap", route->pid);
        break;
    case HF_ROUTE_ALLOCS:
        (void)snprintf(expected, sizeof expected, "/process/%u/debug/pprof/allocs", route->pid);
        break;
    default: (void)snprintf(expected, sizeof expected, "%s", pages[route->kind]); break;
    }
    if (!hf_text_is(path, expected))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_text target = {(const char *)data, size};
    struct hf_route route = hf_route_parse(target);
    fuzz_tell("kind %d, process %u\n", (int)route.kind, route.pid);
    if (route.kind == HF_ROUTE_NONE && route.pid != 0)
        abort();
    if (route.kind != HF_ROUTE_NONE && route.kind != HF_ROUTE_REFUSED)
        check_path(hf_text_first(target, hf_text_find(target, '?')), &route);
    return 0;
}
