/* The screen of a terminal emulator: text, escape sequences, an alternate screen, and what was scrolled away. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t rune;
    uint16_t fg, bg;
    uint8_t attr;
} Cell;

typedef struct {
    int cols;
    bool wrapped;
    Cell cells[];
} Row;

typedef struct {
    Row **rows;
    int x, y;
} Screen;

typedef struct {
    int rows, cols;
    Screen main, alt, *cur;
    Row **history;
    size_t nhistory, maxhistory;
    size_t limit; /* lines of history; 0 as long as nobody has read the settings */
    Cell pen;
    char seq[32];
    int nseq;
} Term;

static void *emalloc(size_t n)
{
    void *p = malloc(n);
    if (!p) {
        perror("term");
        exit(1);
    }
    return p;
}

static Row *row_new(int cols, Cell fill)
{
    Row *r = emalloc(sizeof(Row) + cols * sizeof(Cell));
    r->cols = cols;
    r->wrapped = false;
    fill.rune = ' ';
    for (int i = 0; i < cols; i++) r->cells[i] = fill;
    return r;
}

static void screen_init(Screen *s, int rows, int cols, Cell pen)
{
    s->rows = emalloc(rows * sizeof(Row *));
    for (int i = 0; i < rows; i++) s->rows[i] = row_new(cols, pen);
    s->x = s->y = 0;
}

static void row_clear(Row *r, Cell fill)
{
    fill.rune = ' ';
    for (int i = 0; i < r->cols; i++) r->cells[i] = fill;
}

static Row *tscrollup(Term *t)
{
    Screen *s = t->cur;
    Row *top = s->rows[0];
    memmove(s->rows, s->rows + 1, (t->rows - 1) * sizeof(Row *));
    if (s == &t->alt || (t->limit && t->nhistory >= t->limit)) {
        row_clear(top, t->pen);
        return s->rows[t->rows - 1] = top;
    }
    if (t->nhistory == t->maxhistory) {
        t->maxhistory = t->maxhistory ? t->maxhistory * 2 : 128;
        t->history = realloc(t->history, t->maxhistory * sizeof(Row *));
        if (!t->history) abort();
    }
    t->history[t->nhistory++] = top;
    return s->rows[t->rows - 1] = row_new(t->cols, t->pen); /* guilty */
}

static void tnewline(Term *t)
{
    if (t->cur->y == t->rows - 1) tscrollup(t);
    else t->cur->y++;
}

static void tput(Term *t, uint32_t rune)
{
    Screen *s = t->cur;
    if (s->x == t->cols) {
        s->rows[s->y]->wrapped = true;
        s->x = 0;
        tnewline(t);
    }
    Cell *c = &s->rows[s->y]->cells[s->x++];
    *c = t->pen;
    c->rune = rune;
}

static void tresize(Term *t, int cols)
{
    Screen *both[] = {&t->main, &t->alt};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < t->rows; i++) {
            Row *old = both[k]->rows[i], *r = row_new(cols, t->pen);
            memcpy(r->cells, old->cells, (old->cols < cols ? old->cols : cols) * sizeof(Cell));
            both[k]->rows[i] = r;
            free(old);
        }
        if (both[k]->x > cols) both[k]->x = cols;
    }
    t->cols = cols;
}

static void csi(Term *t)
{
    int n = atoi(t->seq + (t->seq[0] == '?'));
    switch (t->seq[t->nseq - 1]) {
    case 'm': t->pen.fg = n >= 30 && n < 38 ? n - 30 : 7, t->pen.attr = n == 1; break;
    case 'J':
        for (int i = 0; i < t->rows; i++) row_clear(t->cur->rows[i], t->pen);
        break;
    case 'H': t->cur->x = t->cur->y = 0; break;
    case 'h': t->cur = n == 1049 ? &t->alt : t->cur; break;
    case 'l': t->cur = n == 1049 ? &t->main : t->cur; break;
    }
}

static void twrite(Term *t, const char *s)
{
    for (; *s; s++) {
        if (t->nseq >= 0) {
            if (*s == '[' && t->nseq == 0) continue;
            t->seq[t->nseq++] = *s;
            if (isalpha((unsigned char)*s) || t->nseq == sizeof t->seq) csi(t), t->nseq = -1;
        } else if (*s == '\033') {
            t->nseq = 0;
        } else if (*s == '\n') {
            t->cur->x = 0;
            tnewline(t);
        } else {
            tput(t, (unsigned char)*s);
        }
    }
}

static size_t search(const Term *t, uint32_t rune)
{
    size_t found = 0;
    for (size_t i = 0; i < t->nhistory; i++)
        for (int k = 0; k < t->history[i]->cols; k++) found += t->history[i]->cells[k].rune == rune;
    return found;
}

int main(void)
{
    Term t = {.rows = 50, .cols = 132, .pen = {.fg = 7}, .nseq = -1};
    char line[256];
    screen_init(&t.main, t.rows, t.cols, t.pen);
    screen_init(&t.alt, t.rows, t.cols, t.pen);
    t.cur = &t.main;
    for (int i = 0; i < 30000; i++) {
        if (i % 1000 == 500) {
            twrite(&t, "\033[?1049h\033[2J\033[H");
            for (int k = 0; k < 400; k++) twrite(&t, "~ a page of an editor\n");
            twrite(&t, "\033[?1049l");
            tresize(&t, i % 2000 == 500 ? 120 : 132);
        }
        snprintf(line, sizeof line, "\033[3%dm[%5d]\033[0m cc -c -o object%d.o source%d.c -Iinclude -DNUMBER=%d\n", i % 8, i, i, i, i * 3);
        twrite(&t, line);
    }
    printf("%zu lines of history, %zu brackets\n", t.nhistory, search(&t, '['));
    return 0;
}
