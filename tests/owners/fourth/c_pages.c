/* A web server that makes pages of templates. What belongs together is taken from one region, and dropped with it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct region_s region_t;
struct region_s {
    region_t *next;
    char *pos, *end;
};

#define REGION_BLOCK 4096

static region_t *region_create(void)
{
    region_t *r = malloc(REGION_BLOCK);
    r->next = NULL;
    r->pos = (char *)(r + 1);
    r->end = (char *)r + REGION_BLOCK;
    return r;
}

static void *region_get(region_t *r, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    for (;;) {
        if ((size_t)(r->end - r->pos) >= size) {
            void *p = r->pos;
            r->pos += size;
            return p;
        }
        if (!r->next)
            r->next = region_create();
        r = r->next;
    }
}

static char *region_strndup(region_t *r, const char *s, size_t n)
{
    char *copy = region_get(r, n + 1);
    copy[n] = 0;
    return memcpy(copy, s, n);
}

static void region_drop(region_t *r)
{
    while (r) {
        region_t *next = r->next;
        free(r);
        r = next;
    }
}

typedef struct tpl_op_s {
    struct tpl_op_s *next;
    int is_variable;
    char *text;
} tpl_op_t;

typedef struct {
    region_t *region;
    tpl_op_t *ops;
} tpl_t;

static tpl_t *tpl_parse(region_t *region, const char *source)
{
    tpl_t *tpl = region_get(region, sizeof *tpl);
    tpl_op_t **tail = &tpl->ops;
    tpl->region = region;
    while (*source) {
        int variable = *source == '{';
        size_t n = strcspn(source + variable, variable ? "}" : "{");
        tpl_op_t *op = region_get(region, sizeof *op);
        op->is_variable = variable;
        op->text = region_strndup(region, source + variable, n);
        *tail = op;
        tail = &op->next;
        source += n + 2 * variable;
    }
    *tail = NULL;
    return tpl;
}

typedef struct {
    char uri[96];
    tpl_t *tpl;
} cached_t;

static cached_t cache[16384];
static size_t cached;
static char *source_of_item;

static uint32_t djb2(const char *s)
{
    uint32_t h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h;
}

/* The key is all of the URI, with what stands behind the question mark. */
static tpl_t *page_template(const char *uri)
{
    size_t i = djb2(uri) % 16384;
    for (; cache[i].tpl; i = (i + 1) % 16384)
        if (strcmp(cache[i].uri, uri) == 0)
            return cache[i].tpl;
    region_t *region = region_create();
    cache[i].tpl = tpl_parse(region, source_of_item); /* guilty */
    snprintf(cache[i].uri, sizeof cache[i].uri, "%s", uri);
    cached++;
    return cache[i].tpl;
}

static size_t page_render(const tpl_t *tpl, char *out, size_t size)
{
    size_t n = 0;
    for (const tpl_op_t *op = tpl->ops; op; op = op->next)
        n += (size_t)snprintf(out + n, size - n, op->is_variable ? "<b>%s</b>" : "%s", op->text);
    return n;
}

static size_t error_page(int code, char *out, size_t size)
{
    region_t *region = region_create();
    size_t n = page_render(tpl_parse(region, code == 404 ? "<h1>{code}</h1> not found" : "<h1>{code}</h1>"), out, size);
    region_drop(region);
    return n;
}

static void load_sources(void)
{
    char *p = source_of_item = malloc(8192);
    p += sprintf(p, "<html><h1>{title}</h1>");
    for (int i = 0; i < 60; i++)
        p += sprintf(p, "<p class=line-%d>{line%d}</p>", i, i);
}

int main(void)
{
    static char out[64 << 10];
    char uri[96];
    size_t sent = 0;
    load_sources();
    for (int i = 0; i < 7000; i++) {
        snprintf(uri, sizeof uri, "/item?session=%08x&page=%d", (unsigned)i * 2654435761u, i % 4);
        sent += i % 9 ? page_render(page_template(uri), out, sizeof out) : error_page(404, out, sizeof out);
    }
    printf("%zu bytes, %zu templates\n", sent, cached);
    return 0;
}
