#include "routes.h"

#include "leak.h"
#include "parse.h"
#include "profiling.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* No single request may ask for more blocks than this; a typing error should not take the machine
 * down. More is had by asking again. */
#define REQUEST_MAX_BLOCKS 4096

/* Reads ?n=K, 1 when it is missing. On a bad value the reply is filled in and false returned. */
static bool read_count(const struct request *request, struct reply *reply, uint64_t *out_count)
{
    const char *text = request_query(request, "n");

    *out_count = 1;
    if (text == NULL || parse_count(text, REQUEST_MAX_BLOCKS, out_count))
        return true;
    reply_text(reply, 400, "n must be a number from 0 to %d.\n", REQUEST_MAX_BLOCKS);
    return false;
}

static void answer_hello(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    (void)context;
    (void)request;
    reply_text(reply, 200, "Hello from a service that leaks 1 MiB per GET /leak.\n");
}

static void answer_leak(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    uint64_t count;

    (void)context;
    if (!read_count(request, reply, &count))
        return;
    for (uint64_t i = 0; i < count; i++) {
        if (!process_leak()) {
            reply_text(reply, 503, "Out of memory after %" PRIu64 " MiB.\n", i);
            return;
        }
    }
    reply_text(reply, 200, "Leaked %" PRIu64 " MiB.\n", count);
}

static void describe_cache(const struct cache *cache, struct reply *reply)
{
    reply_text(reply, 200,
        "The cache holds %zu entries, %" PRIu64 " of at most %" PRIu64 " bytes.\n",
        cache->entry_count, cache->size_bytes, cache->limit_bytes);
}

static void answer_cache(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    struct cache *cache = &context->cache;
    const char *size_text = request_query(request, "size");
    uint64_t entry_bytes = 0;
    uint64_t count;

    if (!read_count(request, reply, &count))
        return;
    if (!parse_size(size_text != NULL ? size_text : "1MiB", cache->limit_bytes, &entry_bytes) ||
        entry_bytes < CACHE_ENTRY_MIN_BYTES) {
        reply_text(reply, 400,
            "size must lie between %zu and %" PRIu64 " bytes; 64KiB and 1MiB are "
            "understood.\n",
            CACHE_ENTRY_MIN_BYTES, cache->limit_bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!cache_fill(cache, (size_t)entry_bytes)) {
            reply_text(reply, 503, "Out of memory after %" PRIu64 " entries.\n", i);
            return;
        }
    }
    describe_cache(cache, reply);
}

static void answer_cache_drop(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    uint64_t count;

    if (!read_count(request, reply, &count))
        return;
    cache_drop(&context->cache, (size_t)count);
    describe_cache(&context->cache, reply);
}

/* The words of GreptimeDB, which tell the user which switch was forgotten. */
static bool require_profiling(struct reply *reply)
{
    if (profiling_is_enabled())
        return true;
    reply_json(reply, 500, "{\"error\":\"Memory profiling is not enabled\"}");
    return false;
}

/* For EFAULT mallctl has one meaning only: the dump could not be written. */
static void answer_dump_error(struct reply *reply, int error)
{
    reply_json(reply, 500, "{\"error\":\"prof.dump: %s\"}",
        error == EFAULT ? "no file could be written; is prof_prefix set, the folder writable?"
                        : strerror(error));
}

static void answer_dump(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    char pattern[256];

    (void)context;
    (void)request;
    if (!require_profiling(reply))
        return;
    int error = profiling_dump(pattern, sizeof pattern);
    if (error == 0)
        reply_text(reply, 200, "Dumped to %s\n", pattern);
    else
        answer_dump_error(reply, error);
}

static void answer_profile(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    (void)context;
    (void)request;
    if (!require_profiling(reply))
        return;
    int error = profiling_snapshot(&reply->body_fd, &reply->body_fd_size);
    if (error != 0)
        answer_dump_error(reply, error);
}

/* `error` is 0 for success. */
static void answer_switch(struct reply *reply, int error, const char *success)
{
    if (error == 0)
        reply_text(reply, 200, "%s", success);
    else
        reply_json(reply, 500, "{\"error\":\"%s\"}", strerror(error));
}

static void answer_activate(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    (void)context;
    (void)request;
    if (require_profiling(reply))
        answer_switch(reply, profiling_set_active(true), "Heap profiling activated");
}

static void answer_deactivate(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    (void)context;
    (void)request;
    if (require_profiling(reply))
        answer_switch(reply, profiling_set_active(false), "Heap profiling deactivated");
}

static void answer_status(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    (void)context;
    (void)request;
    reply_json(reply, 200, "{\"active\": %s}", profiling_is_active() ? "true" : "false");
}

static void answer_gdump_status(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    (void)context;
    (void)request;
    reply_json(reply, 200, "{\"active\": %s}", profiling_gdump_is_active() ? "true" : "false");
}

static void answer_gdump(
    struct routes_context *context, const struct request *request, struct reply *reply)
{
    const char *body = request_body(request);
    bool is_on = strcmp(body, "activate=true") == 0;

    (void)context;
    if (!is_on && strcmp(body, "activate=false") != 0) {
        reply_text(reply, 422, "The body must be activate=true or activate=false.\n");
        return;
    }
    if (require_profiling(reply))
        answer_switch(
            reply, profiling_set_gdump(is_on), is_on ? "gdump activated" : "gdump deactivated");
}

static const struct route {
    enum routes_group group;
    const char *method;
    const char *path;
    void (*answer)(struct routes_context *, const struct request *, struct reply *);
} ROUTES[] = {
    {ROUTES_SERVICE, "GET", "/", answer_hello},
    {ROUTES_SERVICE, "GET", "/leak", answer_leak},
    {ROUTES_SERVICE, "GET", "/cache", answer_cache},
    {ROUTES_SERVICE, "GET", "/cache/drop", answer_cache_drop},
    {ROUTES_SERVICE, "GET", "/dump", answer_dump},
    {ROUTES_GREPTIME, "POST", "/debug/prof/mem", answer_profile},
    {ROUTES_GREPTIME, "POST", "/debug/prof/mem/activate", answer_activate},
    {ROUTES_GREPTIME, "POST", "/debug/prof/mem/deactivate", answer_deactivate},
    {ROUTES_GREPTIME, "GET", "/debug/prof/mem/status", answer_status},
    {ROUTES_GREPTIME, "GET", "/debug/prof/mem/gdump", answer_gdump_status},
    {ROUTES_GREPTIME, "POST", "/debug/prof/mem/gdump", answer_gdump},
    {ROUTES_GREPTIME_OLD, "GET", "/v1/prof/mem", answer_profile},
    {ROUTES_PPROF, "GET", "/debug/pprof/heap", answer_profile},
    {ROUTES_PPROF, "GET", "/pprof/heap", answer_profile},
};

void routes_answer(void *context_pointer, const struct request *request, struct reply *reply)
{
    struct routes_context *context = context_pointer;

    reply_text(reply, 404, "There is nothing here.\n");
    for (size_t i = 0; i < sizeof ROUTES / sizeof ROUTES[0]; i++) {
        const struct route *route = &ROUTES[i];

        if ((route->group & context->groups) == 0 ||
            strcmp(route->path, request_path(request)) != 0)
            continue;
        reply->route = route->path;
        if (strcmp(route->method, request_method(request)) != 0) {
            // The path may come again with another method: keep looking.
            reply->allow = reply->allow == NULL ? route->method : "GET, POST";
            reply_text(reply, 405, "The method here is %s.\n", reply->allow);
            continue;
        }
        reply->allow = NULL;
        if (context->is_built_without_profile && route->group != ROUTES_SERVICE)
            reply_text(reply, 501, "The 'mem-prof' feature is disabled");
        else {
            reply_text(reply, 200, "%s", "");
            route->answer(context, request, reply);
        }
        return;
    }
}
