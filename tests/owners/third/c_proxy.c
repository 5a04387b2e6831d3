/* A caching proxy: answers are kept in a cache whose limit counts entries as they were before the last cleaning. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buf {
    char *bytes;
    size_t used, room;
};

static void *must(void *p)
{
    if (!p) {
        perror("proxy");
        exit(1);
    }
    return p;
}

static void buf_reserve(struct buf *b, size_t more)
{
    if (b->used + more <= b->room)
        return;
    while (b->room < b->used + more)
        b->room = b->room ? b->room * 2 : 256;
    b->bytes = must(realloc(b->bytes, b->room));
}

static void buf_add(struct buf *b, const void *bytes, size_t n)
{
    buf_reserve(b, n);
    memcpy(b->bytes + b->used, bytes, n);
    b->used += n;
}

struct entry {
    struct entry *next;
    struct buf body;
    char url[64];
    long expires;
};

static struct {
    struct entry *heads[4096];
    size_t count, stale;
} cache;
static long now;

static unsigned hash(const char *text)
{
    unsigned h = 5381;
    while (*text)
        h = h * 33 + (unsigned char)*text++;
    return h % 4096;
}

static struct entry *cache_find(const char *url)
{
    for (struct entry *e = cache.heads[hash(url)]; e; e = e->next)
        if (strcmp(e->url, url) == 0)
            return e;
    return NULL;
}

static void cache_store(const char *url, const struct buf *body)
{
    struct entry *e = must(calloc(1, sizeof *e));
    snprintf(e->url, sizeof e->url, "%s", url);
    buf_add(&e->body, body->bytes, body->used); /* guilty */
    e->expires = now + 100;
    unsigned slot = hash(url);
    e->next = cache.heads[slot];
    cache.heads[slot] = e;
    cache.count++;
}

static void cache_clean(void)
{
    if (cache.stale < 500) /* nobody counts what is stale */
        return;
    for (size_t i = 0; i < 4096; i++)
        while (cache.heads[i] && cache.heads[i]->expires < now) {
            struct entry *e = cache.heads[i];
            cache.heads[i] = e->next;
            free(e->body.bytes);
            free(e);
        }
}

static void fetch(const char *url, struct buf *out)
{
    char line[100];
    int n = snprintf(line, sizeof line, "<p>The page %s\n", url);
    for (int i = 0; i < 40; i++)
        buf_add(out, line, (size_t)n);
}

static size_t serve(int number)
{
    char url[64];
    snprintf(url, sizeof url, "/items?page=%d", number);
    struct entry *e = cache_find(url);
    if (e)
        return e->body.used;
    struct buf body = {0};
    fetch(url, &body);
    size_t n = body.used;
    cache_store(url, &body);
    cache_clean();
    free(body.bytes);
    return n;
}

int main(void)
{
    size_t sent = 0;
    for (now = 0; now < 25000; now++)
        sent += serve((int)now) + serve((int)(now / 2));
    printf("%zu bytes, %zu entries\n", sent, cache.count);
    return 0;
}
