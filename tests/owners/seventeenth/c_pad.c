/* Line based text pad driven by a scripted typist. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char *text;
    size_t len, cap;
} Buffer;

typedef struct {
    char *text;
    size_t len;
    size_t caret;
} Step;

typedef struct {
    Buffer buf;
    size_t caret;
    Step *steps;
    size_t nsteps, capsteps;
} Pad;

static unsigned state = 12345;

static unsigned dice(unsigned n)
{
    state = state * 1103515245u + 12345u;
    return (state >> 8) % n;
}

static void buffer_reserve(Buffer *b, size_t want)
{
    if (want <= b->cap)
        return;
    while (b->cap < want)
        b->cap = b->cap ? b->cap * 2 : 256;
    b->text = realloc(b->text, b->cap);
}

static void buffer_insert(Buffer *b, size_t at, const char *s, size_t n)
{
    buffer_reserve(b, b->len + n);
    memmove(b->text + at + n, b->text + at, b->len - at);
    memcpy(b->text + at, s, n);
    b->len += n;
}

static void buffer_erase(Buffer *b, size_t at, size_t n)
{
    if (at + n > b->len)
        n = b->len - at;
    memmove(b->text + at, b->text + at + n, b->len - at - n);
    b->len -= n;
}

static void remember(Pad *p)
{
    if (p->nsteps == p->capsteps) {
        p->capsteps = p->capsteps ? p->capsteps * 2 : 64;
        p->steps = realloc(p->steps, p->capsteps * sizeof *p->steps);
    }
    Step *s = &p->steps[p->nsteps++];
    s->text = malloc(p->buf.len + 1); /* guilty */
    memcpy(s->text, p->buf.text, p->buf.len);
    s->text[p->buf.len] = 0;
    s->len = p->buf.len;
    s->caret = p->caret;
}

static void pad_undo(Pad *p)
{
    if (p->nsteps == 0)
        return;
    Step *s = &p->steps[--p->nsteps];
    buffer_reserve(&p->buf, s->len);
    memcpy(p->buf.text, s->text, s->len);
    p->buf.len = s->len;
    p->caret = s->caret;
    free(s->text);
}

static void pad_type(Pad *p, const char *word)
{
    remember(p);
    size_t n = strlen(word);
    buffer_insert(&p->buf, p->caret, word, n);
    p->caret += n;
}

static void pad_cut(Pad *p, size_t n)
{
    remember(p);
    if (p->caret >= n)
        p->caret -= n;
    buffer_erase(&p->buf, p->caret, n);
}

static size_t pad_find(const Pad *p, const char *needle)
{
    char *copy = malloc(p->buf.len + 1);
    memcpy(copy, p->buf.text, p->buf.len);
    copy[p->buf.len] = 0;
    char *hit = strstr(copy, needle);
    size_t at = hit ? (size_t)(hit - copy) : p->buf.len;
    free(copy);
    return at;
}

int main(void)
{
    static const char *words[] = { "draft ", "meeting ", "budget ", "the ", "of ", "quarter\n",
                                   "review ", "and ", "client ", "forecast ", "2024 " };
    Pad pad = { 0 };
    for (int i = 0; i < 9000; i++) {
        unsigned what = dice(100);
        if (what < 78)
            pad_type(&pad, words[dice(11)]);
        else if (what < 90 && pad.buf.len > 20)
            pad_cut(&pad, 1 + dice(30));
        else if (what < 93)
            pad_undo(&pad);
        else
            pad.caret = pad_find(&pad, words[dice(11)]);
        if (i % 30 == 0)
            usleep(8000);
    }
    printf("%zu bytes, caret %zu\n", pad.buf.len, pad.caret);
    usleep(200000);
    return 0;
}
