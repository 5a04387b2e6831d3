/* Checks records against a schema; what is wrong is told with the path to it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text { char *s; size_t n, room; };

struct problem {
    struct text path, what;
    struct problem *next;
};

struct ctx {
    struct text path;
    struct problem *problems;
    int counted, shown;
};

typedef void check_fn(struct ctx *, const int *values, int n);

static void text_addf(struct text *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (t->n + (size_t)n + 1 > t->room) {
        t->room = t->n + (size_t)n + 32;
        char *s = realloc(t->s, t->room);
        if (s == NULL)
            exit(2);
        t->s = s;
    }
    va_start(ap, format);
    vsnprintf(t->s + t->n, (size_t)n + 1, format, ap);
    va_end(ap);
    t->n += (size_t)n;
}

static void text_free(struct text *t)
{
    free(t->s);
    *t = (struct text){0};
}

static void path_push(struct ctx *c, const char *name, int index)
{
    text_addf(&c->path, "/%s/%d", name, index);
}

static void path_pop(struct ctx *c)
{
    for (int slashes = 2; c->path.n > 0 && slashes > 0; c->path.n--)
        slashes -= c->path.s[c->path.n - 1] == '/';
    if (c->path.s)
        c->path.s[c->path.n] = '\0';
}

static struct problem *complain(struct ctx *c, const char *rule, int value)
{
    struct problem *p = calloc(1, sizeof *p);
    if (p == NULL)
        exit(2);
    text_addf(&p->path, "%s", c->path.n ? c->path.s : "/");
    text_addf(&p->what, "%d does not satisfy '%s', see the schema for values that are allowed", value, rule); /* guilty */
    p->next = c->problems;
    c->problems = p;
    c->counted++;
    return p;
}

static void check_range(struct ctx *c, const int *v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i] < 0 || v[i] > 900) {
            path_push(c, "value", i);
            complain(c, "0 <= x <= 900", v[i]);
            path_pop(c);
        }
}

static void check_unique(struct ctx *c, const int *v, int n)
{
    int *seen = calloc(1024, sizeof *seen);
    for (int i = 0; seen && i < n; i++)
        if (seen[v[i] & 1023]++) {
            path_push(c, "item", i);
            struct problem *p = complain(c, "unique", v[i]);
            c->shown += p->path.n > 40;
            path_pop(c);
        }
    free(seen);
}

static void check_sorted(struct ctx *c, const int *v, int n)
{
    struct text note = {0};
    for (int i = 1; i < n; i++)
        text_addf(&note, "%c", v[i] < v[i - 1] ? '>' : '<');
    if (note.s && strstr(note.s, ">>>>>"))
        complain(c, "nearly sorted", n);
    text_free(&note);
}

static void summary(const struct ctx *c)
{
    struct text t = {0};
    text_addf(&t, "%d problems, %d deep; the last: ", c->counted, c->shown);
    if (c->problems)
        text_addf(&t, "%s: %s", c->problems->path.s, c->problems->what.s);
    puts(t.s);
    text_free(&t);
}

int main(void)
{
    static check_fn *const checks[] = {check_range, check_unique, check_sorted};
    struct ctx c = {0};
    unsigned r = 1;
    for (int record = 0; record < 4000; record++) {
        int v[200];
        for (int i = 0; i < 200; i++) {
            r = r * 1103515245u + 12345u;
            v[i] = (int)(r >> 16) % 1000;
        }
        path_push(&c, "records", record);
        for (size_t k = 0; k < sizeof checks / sizeof *checks; k++)
            checks[k](&c, v, 200);
        path_pop(&c);
    }
    summary(&c);
    return 0;
}
