/* The text of an editor as a list of pieces, with what is needed to undo. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Span {
    size_t from, len;
} Span;

typedef struct Edit {
    struct Edit *earlier;
    size_t at;
    Span *removed;
    size_t nremoved;
    char *inserted;
} Edit;

typedef struct Text {
    Span *spans;
    size_t nspans, room;
    char *added;
    size_t nadded, added_room;
    Edit *last;
    size_t edits;
} Text;

static void *e_realloc(void *p, size_t n)
{
    p = realloc(p, n);
    if (p == NULL) {
        fprintf(stderr, "editor: out of memory\n");
        exit(1);
    }
    return p;
}

static void spans_copy(Span **to, size_t *nto, const Span *from, size_t n)
{
    *to = e_realloc(NULL, (n ? n : 1) * sizeof **to);
    memcpy(*to, from, n * sizeof **to);
    *nto = n;
}

static size_t append(Text *t, const char *s, size_t n)
{
    size_t from = t->nadded;
    if (t->nadded + n > t->added_room) {
        t->added_room = (t->nadded + n) * 2;
        t->added = e_realloc(t->added, t->added_room);
    }
    memcpy(t->added + from, s, n);
    t->nadded += n;
    return from;
}

static Edit *begin_edit(Text *t, size_t at, const char *inserted)
{
    Edit *e = e_realloc(NULL, sizeof *e);
    e->at = at;
    e->inserted = inserted ? strdup(inserted) : NULL;
    e->earlier = t->last;
    spans_copy(&e->removed, &e->nremoved, t->spans, t->nspans); /* guilty */
    t->last = e;
    t->edits++;
    return e;
}

static size_t split(Text *t, size_t at)
{
    size_t i = 0;
    while (i < t->nspans && at >= t->spans[i].len)
        at -= t->spans[i++].len;
    if (at == 0 || i == t->nspans)
        return i;
    if (t->nspans + 2 > t->room) {
        t->room = t->room * 2 + 8;
        t->spans = e_realloc(t->spans, t->room * sizeof *t->spans);
    }
    memmove(t->spans + i + 1, t->spans + i, (t->nspans - i) * sizeof *t->spans);
    t->nspans++;
    t->spans[i].len = at;
    t->spans[i + 1].from += at;
    t->spans[i + 1].len -= at;
    return i + 1;
}

static void insert(Text *t, size_t at, const char *s)
{
    Edit *e = begin_edit(t, at, s);
    size_t i = split(t, e->at), n = strlen(s);
    if (t->nspans + 1 > t->room) {
        t->room = t->room * 2 + 8;
        t->spans = e_realloc(t->spans, t->room * sizeof *t->spans);
    }
    memmove(t->spans + i + 1, t->spans + i, (t->nspans - i) * sizeof *t->spans);
    t->spans[i] = (Span){append(t, s, n), n};
    t->nspans++;
}

static void erase(Text *t, size_t at, size_t n)
{
    begin_edit(t, at, NULL);
    size_t first = split(t, at), last = split(t, at + n);
    memmove(t->spans + first, t->spans + last, (t->nspans - last) * sizeof *t->spans);
    t->nspans -= last - first;
}

static bool undo(Text *t)
{
    Edit *e = t->last;
    if (e == NULL)
        return false;
    free(t->spans);
    t->spans = e->removed;
    t->nspans = t->room = e->nremoved;
    t->last = e->earlier;
    free(e->inserted);
    free(e);
    return true;
}

static char *contents(const Text *t, size_t *n)
{
    size_t total = 0;
    for (size_t i = 0; i < t->nspans; i++)
        total += t->spans[i].len;
    char *all = e_realloc(NULL, total + 1);
    *n = 0;
    for (size_t i = 0; i < t->nspans; i++) {
        memcpy(all + *n, t->added + t->spans[i].from, t->spans[i].len);
        *n += t->spans[i].len;
    }
    return all;
}

int main(void)
{
    Text t = {0};
    size_t n = 0, saved = 0;
    unsigned r = 7;

    insert(&t, 0, "The beginning of a long text, which many people have to write together.\n");
    for (int i = 0; i < 1700; i++) {
        char word[40];
        r = r * 1103515245u + 12345u;
        snprintf(word, sizeof word, "word-%u ", r >> 12);
        insert(&t, r % (t.nadded / 2 + 1), word);
        if (i % 4 == 0)
            erase(&t, r % (t.nadded / 3 + 1), 3);
        if (i % 100 == 99)
            undo(&t);
        if (i % 50 == 0) {
            char *all = contents(&t, &n);
            saved += fwrite(all, 1, 0, stdout) + n;
            free(all);
        }
    }
    printf("%zu bytes in %zu pieces, %zu edits, %zu saved\n", n, t.nspans, t.edits, saved);
    return 0;
}
