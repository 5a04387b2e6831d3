/* Recalculates a spreadsheet whose cells hold formula text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS 60
#define COLS 12
#define BLOCK 65536

struct block {
    struct block *prev;
    size_t used;
    char mem[BLOCK];
};

struct node {
    char op;
    double value;
    int row, col;
    struct node *l, *r;
};

struct cell {
    char *formula;
    double value;
};

static struct block *pool;
static struct cell sheet[ROWS][COLS];
static const char *cur;

static void *pool_alloc(size_t n)
{
    n = (n + 15) & ~(size_t)15;
    if (!pool || pool->used + n > BLOCK) {
        struct block *b = malloc(sizeof *b);
        b->prev = pool;
        b->used = 0;
        pool = b;
    }
    void *p = pool->mem + pool->used;
    pool->used += n;
    return p;
}

static struct node *mknode(char op, struct node *l, struct node *r)
{
    struct node *n = pool_alloc(sizeof *n);
    memset(n, 0, sizeof *n);
    n->op = op;
    n->l = l;
    n->r = r;
    return n;
}

static struct node *parse_sum(void);

static struct node *parse_atom(void)
{
    struct node *n;
    if (*cur == '(') {
        cur++;
        n = parse_sum();
        cur++;
    } else if (isupper((unsigned char)*cur)) {
        n = mknode('@', NULL, NULL);
        n->col = *cur++ - 'A';
        n->row = (int)strtol(cur, (char **)&cur, 10);
    } else {
        n = mknode('#', NULL, NULL);
        n->value = strtod(cur, (char **)&cur);
    }
    return n;
}

static struct node *parse_product(void)
{
    struct node *n = parse_atom();
    while (*cur == '*') {
        cur++;
        n = mknode('*', n, parse_atom());
    }
    return n;
}

static struct node *parse_sum(void)
{
    struct node *n = parse_product();
    while (*cur == '+' || *cur == '-') {
        char op = *cur++;
        n = mknode(op, n, parse_product());
    }
    return n;
}

static double walk(const struct node *n)
{
    switch (n->op) {
    case '#': return n->value;
    case '@': return sheet[n->row][n->col].value;
    case '*': return walk(n->l) * walk(n->r);
    case '-': return walk(n->l) - walk(n->r);
    default: return walk(n->l) + walk(n->r);
    }
}

static double cell_eval(const struct cell *c)
{
    cur = c->formula;
    struct node *tree = parse_sum(); /* guilty */
    return walk(tree);
}

static void cell_set(int r, int c, const char *text)
{
    free(sheet[r][c].formula);
    sheet[r][c].formula = strdup(text);
}

static void fill(int round)
{
    char t[128];
    for (int c = 0; c < COLS; c++) {
        int r = 1 + (round * 7 + c) % (ROWS - 1);
        snprintf(t, sizeof t, "(%c%d+%d)*0.25+%c%d*0.5-(%d-%c%d)*0.01", 'A' + c, r - 1, round % 90,
                 'A' + (c + 1) % COLS, r - 1, c, 'A' + (c + 5) % COLS, r / 2);
        cell_set(r, c, t);
    }
}

int main(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            cell_set(r, c, r ? "A0*0.5+(B0-1)*0.2" : "3.5");
    for (int round = 0; round < 170; round++) {
        fill(round);
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLS; c++)
                sheet[r][c].value = cell_eval(&sheet[r][c]);
        usleep(11000);
    }
    printf("A1 = %f, L59 = %f\n", sheet[1][0].value, sheet[59][11].value);
    usleep(200000);
    return 0;
}
