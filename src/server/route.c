#include "server/route.h"

#include "base/strings/num.h"

/* Whether a client would be misled by an answer that does not obey the query. */
static bool route_obeys(struct hf_text query)
{
    while (query.size != 0) {
        struct hf_text word = hf_text_first(query, hf_text_find(query, '&'));
        query = hf_text_from(query, word.size + 1);
        if (hf_text_starts(word, "seconds") || hf_text_starts(word, "profile"))
            return false;
        if (hf_text_starts(word, "debug") && !hf_text_is(word, "debug=0"))
            return false;
    }
    return true;
}

static bool route_take_pid(struct hf_text *path, uint32_t *out_pid)
{
    uint64_t pid;
    if (hf_text_starts(*path, "0") || !hf_num_take_u64(path, &pid) || pid > INT32_MAX)
        return false;
    *out_pid = (uint32_t)pid;
    return hf_text_take(path, "/");
}

static enum hf_route_kind route_page(struct hf_text page, struct hf_text query)
{
    if (hf_text_is(page, "flame"))
        return HF_ROUTE_FLAME;
    enum hf_route_kind kind = hf_text_is(page, "debug/pprof/heap")     ? HF_ROUTE_HEAP
                              : hf_text_is(page, "debug/pprof/allocs") ? HF_ROUTE_ALLOCS
                                                                       : HF_ROUTE_NONE;
    return kind != HF_ROUTE_NONE && !route_obeys(query) ? HF_ROUTE_REFUSED : kind;
}

struct hf_route hf_route_parse(struct hf_text target)
{
    struct hf_route route = {HF_ROUTE_NONE, 0};
    struct hf_text path = hf_text_first(target, hf_text_find(target, '?'));
    struct hf_text query = hf_text_from(target, path.size + 1);
    if (hf_text_is(path, "/"))
        route.kind = HF_ROUTE_LIST;
    else if (hf_text_is(path, "/metrics"))
        route.kind = HF_ROUTE_METRICS;
    else if (hf_text_take(&path, "/process/") && route_take_pid(&path, &route.pid))
        route.kind = route_page(path, query);
    if (route.kind == HF_ROUTE_NONE)
        route.pid = 0;
    return route;
}
