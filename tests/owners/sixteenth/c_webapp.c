/* webapp - request loop with arenas: one for the process, one for each request. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 65536

struct block { struct block *next; size_t used; char data[BLOCK]; };
struct arena { struct block *head; size_t total; };

struct route { const char *path; int cost; unsigned long hits; };
struct app {
    struct arena pool;
    struct route *routes;
    int nroutes;
    const char *slowest;
    unsigned slow_ms;
};
struct request {
    struct arena pool;
    unsigned id;
    struct route *route;
    char **params;
    int nparams;
    unsigned ms;
};

static void *arena_get(struct arena *a, size_t n)
{
    n = (n + 15) & ~(size_t)15;
    if (!a->head || a->head->used + n > BLOCK) {
        struct block *b = malloc(sizeof *b);
        if (!b) abort();
        b->used = 0;
        b->next = a->head;
        a->head = b;
    }
    void *p = a->head->data + a->head->used;
    a->head->used += n;
    a->total += n;
    return p;
}

static char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = arena_get(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}

static void arena_done(struct arena *a)
{
    while (a->head) {
        struct block *b = a->head;
        a->head = b->next;
        free(b);
    }
    a->total = 0;
}

static void load_routes(struct app *app)
{
    app->nroutes = 40;
    app->routes = arena_get(&app->pool, sizeof(struct route) * 40);
    for (int i = 0; i < 40; i++) {
        app->routes[i].path = arena_printf(&app->pool, "/api/v1/resource%d", i);
        app->routes[i].cost = 1 + i % 9;
        app->routes[i].hits = 0;
    }
}

static void parse_params(struct request *rq, uint32_t h)
{
    rq->nparams = 3 + (int)(h % 9);
    rq->params = arena_get(&rq->pool, sizeof(char *) * (size_t)rq->nparams);
    for (int i = 0; i < rq->nparams; i++)
        rq->params[i] = arena_printf(&rq->pool, "field%d=%08x%08x", i, h, h * 31u + (unsigned)i);
}

static char *render_body(struct request *rq)
{
    char *body = arena_printf(&rq->pool, "{\"id\":%u}", rq->id);
    for (int i = 0; i < rq->nparams; i++)
        body = arena_printf(&rq->pool, "%s\n{\"path\":\"%s\",\"%s\":true}", body, rq->route->path, rq->params[i]);
    return body;
}

static void check_latency(struct app *app, struct request *rq)
{
    if (rq->ms < 18)
        return;
    char *line = arena_printf(&app->pool, "slow request %u %s took %u ms", rq->id, rq->route->path, rq->ms);
    for (int i = 0; i < rq->nparams; i++)
        line = arena_printf(&app->pool, "%s %s", line, rq->params[i]); /* guilty */
    if (rq->ms >= app->slow_ms) {
        app->slow_ms = rq->ms;
        app->slowest = line;
    }
}

static size_t handle(struct app *app, unsigned id)
{
    uint32_t h = id * 2654435761u;
    struct request rq = { .id = id, .route = &app->routes[(h >> 9) % (unsigned)app->nroutes] };
    rq.route->hits++;
    parse_params(&rq, h);
    char *body = render_body(&rq);
    rq.ms = (unsigned)rq.route->cost * (1 + (h >> 20) % 7);
    check_latency(app, &rq);
    size_t n = strlen(body);
    arena_done(&rq.pool);
    return n;
}

int main(void)
{
    struct app app = { 0 };
    size_t sent = 0;
    load_routes(&app);
    for (unsigned id = 1; id <= 65000; id++) {
        sent += handle(&app, id);
        if (id % 300 == 0) usleep(9000);
    }
    printf("sent %zu, slowest: %s\n", sent, app.slowest);
    arena_done(&app.pool);
    return 0;
}
