/* The model of a spreadsheet: cells that depend on others are computed again when those change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE_VEC(T, name)                                                        \
    typedef struct { T *at; unsigned len, cap; } name;                             \
    static inline T *name##_push(name *v, T item)                                  \
    {                                                                              \
        if (v->len == v->cap) {                                                    \
            v->cap = v->cap ? v->cap + v->cap / 2 + 1 : 4;                         \
            v->at = realloc(v->at, v->cap * sizeof *v->at);                        \
            if (!v->at)                                                            \
                abort();                                                           \
        }                                                                          \
        v->at[v->len] = item;                                                      \
        return &v->at[v->len++];                                                   \
    }

enum { Rows = 300, Cols = 24 };

typedef struct { short row, col; } ref;
typedef struct {
    ref who;
    int round;
    double then;
    const char *formula;
} dependency;
DEFINE_VEC(ref, refs)
DEFINE_VEC(dependency, dependencies)

typedef struct {
    char *formula;
    double value;
    int visited;
    dependencies dependents;
} cell;

typedef struct {
    cell cells[Rows][Cols];
    refs changed;
    int round;
    unsigned long computed;
} sheet;

static cell *cellAt(sheet *s, ref r) { return &s->cells[r.row][r.col]; }

/* Called each time that a formula is read, also when it has been before. */
static void addDependent(sheet *s, ref on, ref who)
{
    cell *c = cellAt(s, on);
    dependencies_push(&c->dependents, (dependency){who, s->round, c->value, c->formula}); /* guilty */
}

static double evaluate(sheet *s, ref at)
{
    cell *c = cellAt(s, at);
    char *p = c->formula;
    double sum = 0;
    if (*p != '=')
        return strtod(p, NULL);
    while (*p) {
        char *end;
        ref on;
        on.col = (short)(p[1] - 'A');
        on.row = (short)strtol(p + 2, &end, 10);
        addDependent(s, on, at);
        sum += cellAt(s, on)->value;
        p = end;
    }
    s->computed++;
    return sum;
}

static void recompute(sheet *s, ref at, int depth)
{
    cell *c = cellAt(s, at);
    if (c->visited == s->round || depth > 40)
        return;
    c->visited = s->round;
    c->value = evaluate(s, at);
    for (unsigned i = 0, n = c->dependents.len; i < n; i++)
        recompute(s, c->dependents.at[i].who, depth + 1);
}

static void setCell(sheet *s, ref at, const char *formula)
{
    cell *c = cellAt(s, at);
    free(c->formula);
    c->formula = strdup(formula);
    refs_push(&s->changed, at);
    s->round++;
    recompute(s, at, 0);
}

static void fill(sheet *s)
{
    char text[160];
    for (short r = 0; r < Rows; r++)
        for (short c = 0; c < Cols; c++) {
            snprintf(text, sizeof text, "%d", r * c);
            if (c > 0)
                snprintf(text, sizeof text, "=%c%d+%c%d", 'A' + c - 1, r, 'A', r / 2);
            setCell(s, (ref){r, c}, text);
        }
}

int main(void)
{
    static sheet s;
    char number[32];
    fill(&s);
    for (int edit = 0; edit < 19000; edit++) {
        snprintf(number, sizeof number, "%d", edit);
        setCell(&s, (ref){(short)(Rows - 1 - edit * 7 % 290), 0}, number);
    }
    printf("%g, %lu computed, %u changes\n", s.cells[Rows - 1][Cols - 1].value, s.computed, s.changed.len);
    return 0;
}
