/* Tracing for a web service: a span is open as long as its block. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span {
    const char *name;
    uint64_t id, parent, began, ended;
    int nattrs;
    struct { const char *key; char value[48]; } attrs[4];
};

#define OTR_SPAN(var, title) __attribute__((cleanup(otr_span_close))) struct span var = otr_span_open(title)

static _Thread_local uint64_t current;
static atomic_uint_fast64_t ids = 1, ticks;

static struct {
    pthread_mutex_t lock;
    struct span **spans;
    size_t n, room, limit;
} exporter = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = 10u << 20};

static void *otr_copy(const void *p, size_t size)
{
    void *q = malloc(size);
    if (!q)
        abort();
    return memcpy(q, p, size);
}

static struct span otr_span_open(const char *name)
{
    struct span s = {.name = name, .id = ids++, .parent = current, .began = ticks++};
    current = s.id;
    return s;
}

static void otr_attr(struct span *s, const char *key, const char *value)
{
    s->attrs[s->nattrs].key = key;
    snprintf(s->attrs[s->nattrs++].value, sizeof s->attrs->value, "%s", value);
}

static void exporter_flush(void)
{
    for (size_t i = 0; i < exporter.n; i++)
        free(exporter.spans[i]);
    exporter.n = 0;
}

/* The limit was meant to be bytes, and is compared with a number of spans. */
static void otr_export(const struct span *s)
{
    pthread_mutex_lock(&exporter.lock);
    if (exporter.n >= exporter.limit)
        exporter_flush();
    if (exporter.n == exporter.room) {
        exporter.room = exporter.room ? exporter.room * 2 : 256;
        exporter.spans = realloc(exporter.spans, exporter.room * sizeof *exporter.spans);
    }
    exporter.spans[exporter.n] = otr_copy(s, sizeof *s); /* guilty */
    exporter.n++;
    pthread_mutex_unlock(&exporter.lock);
}

static void otr_span_close(struct span *s)
{
    s->ended = ticks++;
    current = s->parent;
    otr_export(s);
}

struct page {
    char *html;
    size_t len;
};

static struct page render(const char *path)
{
    OTR_SPAN(span, "render");
    struct page page = {.html = malloc(32768)};
    otr_attr(&span, "template", "item.html");
    page.len = (size_t)snprintf(page.html, 32768, "<h1>%s</h1>", path);
    return page;
}

static void query(int id, char *out, size_t size)
{
    OTR_SPAN(span, "query");
    otr_attr(&span, "db.statement", "SELECT name FROM items WHERE id = ?");
    snprintf(out, size, "item %d", id);
}

static size_t handle(int id)
{
    OTR_SPAN(span, "GET /items");
    char name[32];
    otr_attr(&span, "http.status", "200");
    query(id, name, sizeof name);
    struct page page = render(name);
    free(page.html);
    return page.len;
}

static void *worker(void *arg)
{
    size_t *sent = arg;
    char *scratch = calloc(1, 700 << 10);
    for (int i = 0; i < 14000; i++)
        *sent += handle(i) + (size_t)scratch[i];
    return scratch;
}

int main(void)
{
    pthread_t threads[4];
    size_t sent[4] = {0};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, worker, &sent[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%zu bytes, %zu spans wait\n", sent[0] + sent[1] + sent[2] + sent[3], exporter.n);
    return 0;
}
