/* A Forth that steers a test bench: each recipe is sent as words which are compiled and run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { LIT, ADD, MUL, SUB, DUP, DROP, SWAP, CALL, JUMP_ZERO, EXIT };

union cell {
    long number;
    enum op op;
    struct word *word;
};

struct word {
    struct word *previous;
    char name[16];
    union cell *code;
    int length;
};

struct forth {
    struct word *latest;
    long stack[64];
    int depth, failed;
    unsigned long steps, words;
};

struct lines {
    char **items;
    int n, room;
};

static unsigned seed = 2024;

static unsigned rnd(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

static void *grow(void *p, size_t bytes)
{
    p = realloc(p, bytes);
    if (!p)
        abort();
    return p;
}

static struct word *find(struct forth *f, const char *name)
{
    for (struct word *w = f->latest; w; w = w->previous)
        if (strcmp(w->name, name) == 0)
            return w;
    return NULL;
}

static void push(struct forth *f, long v)
{
    if (f->depth < 64)
        f->stack[f->depth++] = v;
    else
        f->failed++;
}

static long pop(struct forth *f)
{
    if (f->depth)
        return f->stack[--f->depth];
    f->failed++;
    return 0;
}

static int builtin(const char *token)
{
    static const char *const names[] = {"", "+", "*", "-", "dup", "drop", "swap"};
    for (int i = 1; i < 7; i++)
        if (strcmp(names[i], token) == 0)
            return i;
    return 0;
}

static union cell *compile(struct forth *f, char *tokens, int *length)
{
    union cell *code = NULL;
    int n = 0, room = 0, fix = -1;
    for (char *t = strtok(tokens, " "); t; t = strtok(NULL, " ")) {
        struct word *w;
        if (n + 3 > room)
            code = grow(code, (size_t)(room = room ? room * 2 : 16) * sizeof(*code));
        if (strcmp(t, "if") == 0) {
            code[n++].op = JUMP_ZERO;
            fix = n++;
        } else if (strcmp(t, "then") == 0) {
            if (fix >= 0)
                code[fix].number = n;
        } else if (builtin(t)) {
            code[n++].op = (enum op)builtin(t);
        } else if (*t >= '0' && *t <= '9') {
            code[n++].op = LIT;
            code[n++].number = strtol(t, NULL, 10);
        } else if ((w = find(f, t)) != NULL) {
            code[n++].op = CALL;
            code[n++].word = w;
        }
    }
    code = grow(code, (size_t)(n + 1) * sizeof(*code));
    code[n++].op = EXIT;
    *length = n;
    return code;
}

static void define(struct forth *f, const char *name, char *body)
{
    struct word *w = calloc(1, sizeof(*w));
    if (!w)
        abort();
    snprintf(w->name, sizeof(w->name), "%s", name);
    w->code = compile(f, body, &w->length); /* guilty */
    w->previous = f->latest;
    f->latest = w;
    f->words++;
}

static void run(struct forth *f, const struct word *w)
{
    for (int i = 0; i < w->length; f->steps++) {
        long a, b;
        switch (w->code[i++].op) {
        case LIT: push(f, w->code[i++].number); break;
        case ADD: push(f, pop(f) + pop(f)); break;
        case MUL: push(f, pop(f) * pop(f) % 1000003); break;
        case SUB: b = pop(f); push(f, pop(f) - b); break;
        case DUP: a = pop(f); push(f, a); push(f, a); break;
        case DROP: pop(f); break;
        case SWAP: a = pop(f); b = pop(f); push(f, a); push(f, b); break;
        case CALL: run(f, w->code[i++].word); break;
        case JUMP_ZERO: i = pop(f) ? i + 1 : (int)w->code[i].number; break;
        case EXIT: return;
        }
    }
}

static void add_line(struct lines *l, const char *text)
{
    if (l->n == l->room)
        l->items = grow(l->items, (size_t)(l->room = l->room ? l->room * 2 : 4) * sizeof(*l->items));
    l->items[l->n++] = strdup(text);
}

static void free_lines(struct lines *l)
{
    for (int i = 0; i < l->n; i++)
        free(l->items[i]);
    free(l->items);
    memset(l, 0, sizeof(*l));
}

/* A recipe: words for heating, holding and cooling, of which the last calls the others. */
static void recipe(struct lines *l, int number)
{
    static const char *const parts[] = {"dup 3 + swap drop", "2 * 7 -", "dup if 5 + then", "11 swap -", "4 + 9 * 13 -"};
    static const char *const names[] = {"heat", "hold", "cool"};
    char text[1024];
    for (int k = 0; k < 3; k++) {
        int n = snprintf(text, sizeof(text), "%s %d +", names[k], number % 90);
        for (unsigned i = 0, m = 8 + rnd(24); i < m; i++)
            n += snprintf(text + n, sizeof(text) - (size_t)n, " %s", parts[rnd(5)]);
        add_line(l, text);
    }
    add_line(l, "cycle heat hold cool");
}

int main(void)
{
    struct forth *f = calloc(1, sizeof(*f));
    struct lines l = {0};
    long sum = 0;
    if (!f)
        return 1;
    for (int i = 0; i < 14000; i++) {
        recipe(&l, i);
        for (int k = 0; k < l.n; k++) {
            char *body = strchr(l.items[k], ' ');
            *body++ = 0;
            define(f, l.items[k], body);
        }
        free_lines(&l);
        push(f, i);
        run(f, find(f, "cycle"));
        sum += pop(f);
        f->depth = 0;
    }
    printf("%lu words, %lu steps, %d failures, sum %ld\n", f->words, f->steps, f->failed, sum);
    free(f);
    return 0;
}
