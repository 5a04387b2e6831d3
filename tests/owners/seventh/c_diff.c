/* Compares revisions of texts, and says how many lines came and went in each; after Myers. */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    uint64_t *lines;
    int n, room;
};

struct edit {
    struct edit *next;
    int line;
    char what;
};

struct trace {
    int **rows;
    int n, room;
};

struct diff {
    struct trace trace;
    struct edit *script;
    int added, removed;
};

static void *grown(void *old, int *room, size_t size)
{
    *room = *room ? 2 * *room : 32;
    old = reallocarray(old, *room, size);
    if (!old) err(1, NULL);
    return old;
}

static void add_line(struct text *t, uint64_t hash)
{
    if (t->n == t->room) t->lines = grown(t->lines, &t->room, sizeof *t->lines);
    t->lines[t->n++] = hash;
}

static int *copied(const int *from, size_t n)
{
    int *to = malloc(n * sizeof *to);
    if (!to) err(1, NULL);
    return memcpy(to, from, n * sizeof *to);
}

static int shortest_edit(struct trace *trace, const struct text *a, const struct text *b)
{
    int max = a->n + b->n, found = -1;
    int *v = calloc(2 * max + 3, sizeof *v), *mid = v + max + 1;
    if (!v) err(1, NULL);
    for (int d = 0; d <= max && found < 0; d++) {
        if (trace->n == trace->room) trace->rows = grown(trace->rows, &trace->room, sizeof *trace->rows);
        trace->rows[trace->n++] = copied(mid - d - 1, 2 * d + 3); /* guilty */
        for (int k = -d; k <= d; k += 2) {
            int x = k == -d || (k != d && mid[k - 1] < mid[k + 1]) ? mid[k + 1] : mid[k - 1] + 1;
            while (x < a->n && x - k < b->n && a->lines[x] == b->lines[x - k]) x++;
            mid[k] = x;
            if (x >= a->n && x - k >= b->n) {
                found = d;
                break;
            }
        }
    }
    free(v);
    return found;
}

static void push_edit(struct diff *d, char what, int line)
{
    struct edit *e = malloc(sizeof *e);
    if (!e) err(1, NULL);
    *e = (struct edit){d->script, line, what};
    d->script = e;
    *(what == '+' ? &d->added : &d->removed) += 1;
}

static void backtrack(struct diff *diff, const struct text *a, const struct text *b)
{
    int x = a->n, y = b->n;
    for (int d = diff->trace.n - 1; d > 0; d--) {
        const int *mid = diff->trace.rows[d] + d + 1;
        int k = x - y;
        int from = k == -d || (k != d && mid[k - 1] < mid[k + 1]) ? k + 1 : k - 1;
        x = mid[from];
        y = x - from;
        if (from == k + 1) push_edit(diff, '+', y);
        else push_edit(diff, '-', x);
    }
}

static void diff_texts(struct diff *diff, const struct text *a, const struct text *b)
{
    memset(diff, 0, sizeof *diff);
    shortest_edit(&diff->trace, a, b);
    backtrack(diff, a, b);
}

static void diff_free(struct diff *diff)
{
    while (diff->script) {
        struct edit *next = diff->script->next;
        free(diff->script);
        diff->script = next;
    }
    free(diff->trace.rows);
}

static void revise(struct text *to, const struct text *from, unsigned revision)
{
    to->n = 0;
    for (int i = 0; i < from->n; i++) {
        unsigned luck = (unsigned)(i * 2654435761u + revision * 40503u) >> 16;
        if (luck % 29 == 0) continue;
        if (luck % 31 == 0) add_line(to, (uint64_t)revision << 32 | luck);
        add_line(to, from->lines[i]);
    }
    while (to->n < 2000) add_line(to, (uint64_t)revision << 32 | to->n << 8);
}

int main(void)
{
    struct text old = {0}, new = {0};
    long added = 0, removed = 0;
    for (int i = 0; i < 2000; i++) add_line(&old, (uint64_t)i << 40);
    for (unsigned revision = 1; revision <= 400; revision++) {
        struct diff diff;
        revise(&new, &old, revision);
        diff_texts(&diff, &old, &new);
        added += diff.added;
        removed += diff.removed;
        diff_free(&diff);
        struct text swap = old;
        old = new;
        new = swap;
    }
    printf("%ld lines added, %ld removed\n", added, removed);
    free(old.lines);
    free(new.lines);
    return 0;
}
