/*
 * What the service answers to which path.
 */
#ifndef LEAKY_SERVICE_ROUTES_H
#define LEAKY_SERVICE_ROUTES_H

#include "cache.h"
#include "server.h"

/* Groups of paths that can be switched on one by one, because a client that fetches profiles has to
 * cope with servers that know only some of them. */
enum routes_group {
    ROUTES_SERVICE = 1 << 0,      // /, /leak, /cache, /cache/drop, /dump
    ROUTES_GREPTIME = 1 << 1,     // GreptimeDB today: POST /debug/prof/mem and below
    ROUTES_GREPTIME_OLD = 1 << 2, // GreptimeDB in its first years: GET /v1/prof/mem
    ROUTES_PPROF = 1 << 3,        // GET /debug/pprof/heap, /pprof/heap
};

struct routes_context {
    struct cache cache;
    unsigned groups;               // enum routes_group, or-ed
    bool is_built_without_profile; // answer as a server compiled without its profiling feature
};

/* The handler for server_start(); `context` is a struct routes_context. */
void routes_answer(void *context, const struct request *request, struct reply *reply);

#endif
