/* A parser that takes its nodes from an arena; the trees are kept. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena {
    struct arena *before;
    size_t used, size;
    _Alignas(16) char bytes[];
};

struct node {
    int op;
    struct node *left, *right;
    char text[40];
};

static struct arena *arena;
static struct node *forest[2000];
static const char *input;

__attribute__((noinline)) static void arena_grow(size_t least)
{
    size_t size = least > 65536 ? least : 65536;
    struct arena *a = malloc(sizeof *a + size);
    if (!a)
        exit(1);
    a->before = arena;
    a->used = 0;
    a->size = size;
    arena = a;
}

__attribute__((noinline)) static void *arena_alloc(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (!arena || arena->size - arena->used < size)
        arena_grow(size);
    void *p = arena->bytes + arena->used;
    arena->used += size;
    return p;
}

__attribute__((noinline)) static struct node *make_leaf(char c)
{
    struct node *n = arena_alloc(sizeof *n); /* guilty */
    memset(n, 0, sizeof *n);
    n->op = c;
    snprintf(n->text, sizeof n->text, "leaf %c", c);
    return n;
}

static struct node *parse_sum(void);

__attribute__((noinline)) static struct node *parse_atom(void)
{
    if (*input == '(') {
        input++;
        struct node *n = parse_sum();
        input++;
        return n;
    }
    return make_leaf(*input++);
}

__attribute__((noinline)) static struct node *parse_sum(void)
{
    struct node *n = parse_atom();
    while (*input == '+') {
        input++;
        struct node *right = parse_atom();
        right->left = n;
        n = right;
    }
    return n;
}

__attribute__((noinline)) static char *read_source(void)
{
    size_t n = 2000;
    char *text = calloc(1, 512 * 1024);
    char *p = text;
    for (size_t i = 0; i < n / 4; i++)
        p += sprintf(p, "(a+b)+");
    *p++ = 'z';
    *p = 0;
    return text;
}

int main(void)
{
    char *source = read_source();
    for (int i = 0; i < 600; i++) {
        input = source;
        forest[i] = parse_sum();
    }
    printf("%p\n", (void *)forest[0]);
    return 0;
}
