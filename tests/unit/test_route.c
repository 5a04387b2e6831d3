/* Targets of requests. */
#include "server/route.h"

#include "check.h"

static void knows_its_pages(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        enum hf_route_kind kind;
        uint32_t pid;
    } cases[] = {{"/", HF_ROUTE_LIST, 0}, {"/?x=y", HF_ROUTE_LIST, 0},
        {"/metrics", HF_ROUTE_METRICS, 0}, {"/metrics?name[]=a", HF_ROUTE_METRICS, 0},
        {"/process/1/flame", HF_ROUTE_FLAME, 1},
        {"/process/2147483647/debug/pprof/heap", HF_ROUTE_HEAP, 2147483647},
        {"/process/7/debug/pprof/heap?gc=1", HF_ROUTE_HEAP, 7},
        {"/process/7/debug/pprof/allocs?debug=0&gc=1", HF_ROUTE_ALLOCS, 7},
        {"/process/7/debug/pprof/allocs?gc=1&seconds=30", HF_ROUTE_REFUSED, 7},
        {"/process/7/debug/pprof/heap?debug=1", HF_ROUTE_REFUSED, 7},
        {"/process/7/debug/pprof/heap?profile=x", HF_ROUTE_REFUSED, 7},
        {"/process/7/debug/pprof/profile", HF_ROUTE_NONE, 0},
        {"/process/7/debug/pprof/", HF_ROUTE_NONE, 0}, {"/process/7/", HF_ROUTE_NONE, 0},
        {"/process/7", HF_ROUTE_NONE, 0}, {"/process/07/flame", HF_ROUTE_NONE, 0},
        {"/process/0/flame", HF_ROUTE_NONE, 0}, {"/process/-1/flame", HF_ROUTE_NONE, 0},
        {"/process/+1/flame", HF_ROUTE_NONE, 0}, {"/process/1e3/flame", HF_ROUTE_NONE, 0},
        {"/process/2147483648/flame", HF_ROUTE_NONE, 0},
        {"/process/99999999999999999999999/flame", HF_ROUTE_NONE, 0},
        {"/process/7/flame/", HF_ROUTE_NONE, 0}, {"/process/7//flame", HF_ROUTE_NONE, 0},
        {"/process/7/../7/flame", HF_ROUTE_NONE, 0}, {"/process/7/%66lame", HF_ROUTE_NONE, 0},
        {"//", HF_ROUTE_NONE, 0}, {"", HF_ROUTE_NONE, 0}, {"*", HF_ROUTE_NONE, 0},
        {"metrics", HF_ROUTE_NONE, 0}, {"/METRICS", HF_ROUTE_NONE, 0},
        {"/../etc/passwd", HF_ROUTE_NONE, 0}, {"http://localhost/metrics", HF_ROUTE_NONE, 0}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_route route = hf_route_parse(hf_text_of(cases[i].target));
        if (route.kind != cases[i].kind || route.pid != cases[i].pid)
            fail_msg("'%s' is kind %d of process %u", cases[i].target, (int)route.kind, route.pid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(knows_its_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
