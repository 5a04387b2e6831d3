/* The buffer of a hex editor, driven by a macro: overwrites, fills, inserts and deletes bytes, all of which can be undone. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum edit_kind { OVERWRITE, INSERT, DELETE };

struct edit {
    struct edit *previous;
    enum edit_kind kind;
    size_t offset, length;
    unsigned char *old;
};

struct document {
    unsigned char *data;
    size_t size, room;
    struct edit *undo;
    unsigned long edits, undone;
};

struct view {
    size_t top, rows;
    char *lines;
};

static unsigned long long state = 42;

static unsigned rnd(unsigned below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % below;
}

static void document_open(struct document *d, size_t size)
{
    memset(d, 0, sizeof(*d));
    d->room = d->size = size;
    d->data = malloc(size);
    for (size_t i = 0; i < size; i++)
        d->data[i] = (unsigned char)(i * 7 ^ i >> 8);
}

static void reserve(struct document *d, size_t size)
{
    if (size > d->room) {
        d->room = size + size / 4;
        d->data = realloc(d->data, d->room);
    }
}

static unsigned char *bytes_dup(const unsigned char *from, size_t length)
{
    unsigned char *copy = malloc(length ? length : 1);
    return memcpy(copy, from, length);
}

static void record(struct document *d, enum edit_kind kind, size_t offset, size_t length)
{
    struct edit *e = malloc(sizeof(*e));
    e->kind = kind;
    e->offset = offset;
    e->length = length;
    e->old = kind == INSERT ? NULL : bytes_dup(d->data + offset, length); /* guilty */
    e->previous = d->undo;
    d->undo = e;
    d->edits++;
}

static void overwrite(struct document *d, size_t offset, const unsigned char *with, size_t length)
{
    record(d, OVERWRITE, offset, length);
    memcpy(d->data + offset, with, length);
}

static void insert(struct document *d, size_t offset, const unsigned char *what, size_t length)
{
    record(d, INSERT, offset, length);
    reserve(d, d->size + length);
    memmove(d->data + offset + length, d->data + offset, d->size - offset);
    memcpy(d->data + offset, what, length);
    d->size += length;
}

static void erase(struct document *d, size_t offset, size_t length)
{
    record(d, DELETE, offset, length);
    memmove(d->data + offset, d->data + offset + length, d->size - offset - length);
    d->size -= length;
}

static void undo(struct document *d)
{
    struct edit *e = d->undo;
    if (e == NULL)
        return;
    d->undo = e->previous;
    if (e->kind == OVERWRITE) {
        memcpy(d->data + e->offset, e->old, e->length);
    } else if (e->kind == INSERT) {
        memmove(d->data + e->offset, d->data + e->offset + e->length, d->size - e->offset - e->length);
        d->size -= e->length;
    } else {
        reserve(d, d->size + e->length);
        memmove(d->data + e->offset + e->length, d->data + e->offset, d->size - e->offset);
        memcpy(d->data + e->offset, e->old, e->length);
        d->size += e->length;
    }
    free(e->old);
    free(e);
    d->undone++;
}

static size_t search(const struct document *d, const unsigned char *what, size_t length, size_t from)
{
    size_t range = d->size - from < 8192 ? d->size - from : 8192;
    const unsigned char *hit = memmem(d->data + from, range, what, length);
    return hit ? (size_t)(hit - d->data) : from;
}

static void draw(struct view *v, const struct document *d)
{
    free(v->lines);
    char *p = v->lines = malloc(v->rows * 64 + 1);
    for (size_t r = 0; r < v->rows; r++) {
        p += sprintf(p, "%08zx", v->top + r * 16);
        for (size_t i = v->top + r * 16; i < v->top + r * 16 + 16 && i < d->size; i++)
            p += sprintf(p, " %02x", d->data[i]);
    }
}

static void run_macro(struct document *d, struct view *v, int steps)
{
    unsigned char block[4096];
    for (int i = 0; i < steps; i++) {
        size_t length = 1 + rnd(sizeof(block)), offset = rnd((unsigned)(d->size - sizeof(block)));
        memset(block, (int)rnd(256), length);
        unsigned what = rnd(10);
        if (what < 5)
            overwrite(d, offset, block, length);
        else if (what < 7)
            insert(d, offset, block, length / 2);
        else if (what < 9)
            erase(d, offset, length / 2);
        else
            undo(d);
        v->top = search(d, block, 3, offset / 2) & ~(size_t)15;
        if (i % 4 == 0)
            draw(v, d);
    }
}

int main(void)
{
    struct document d;
    struct view v = {0, 24, NULL};
    document_open(&d, 1 << 20);
    run_macro(&d, &v, 30000);
    printf("%lu edits, %lu undone, %zu bytes\n", d.edits, d.undone, d.size);
    free(v.lines);
    return 0;
}
