/* Symbols of a small compiler, on an obstack of glibc that is never released. */
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void *checked_malloc(size_t size)
{
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}

#define obstack_chunk_alloc checked_malloc
#define obstack_chunk_free free

struct symbol {
    struct symbol *next;
    char *name;
    int line;
};

static struct obstack symbols;
static struct symbol *table[1024];

__attribute__((noinline)) static struct symbol *intern_symbol(const char *name, int line)
{
    struct symbol *s = obstack_alloc(&symbols, sizeof *s);
    s->name = obstack_copy0(&symbols, name, strlen(name)); /* guilty */
    s->line = line;
    s->next = table[line % 1024];
    table[line % 1024] = s;
    return s;
}

__attribute__((noinline)) static void declare_builtins(void)
{
    for (int i = 0; i < 100; i++) {
        char *name = checked_malloc(64);
        sprintf(name, "builtin %d", i);
    }
}

__attribute__((noinline)) static void compile(void)
{
    char name[300];
    for (int i = 0; i < 200000; i++) {
        snprintf(name, sizeof name, "%0200d", i);
        intern_symbol(name, i);
    }
}

int main(void)
{
    obstack_init(&symbols);
    declare_builtins();
    compile();
    return 0;
}
