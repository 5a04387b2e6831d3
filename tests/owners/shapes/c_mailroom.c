#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct list { void **items; size_t count, room; };
static void list_add(struct list *l, void *item)
{
    if (l->count == l->room) { l->room = l->room ? 2 * l->room : 8; l->items = realloc(l->items, l->room * sizeof *l->items); }
    l->items[l->count++] = item;
}
static void *list_pop(struct list *l) { return l->count ? l->items[--l->count] : NULL; }
struct letter { int to; char *body; };
struct office { struct list inbox, returned, routes; };
static struct letter *read_letter(unsigned n)
{
    struct letter *l = malloc(sizeof *l);
    l->to = (int)(n * 40503u % 1000);
    l->body = malloc(2000);
    memset(l->body, 'x', 2000);
    return l;
}
static void burn(struct letter *l) { free(l->body); free(l); }
static void deliver(struct office *o, struct letter *l)
{
    if (l->to < 600) burn(l);
    else list_add(&o->returned, l); /* guilty */
}
static void morning(struct office *o, unsigned day)
{
    for (unsigned i = 0; i < 60; i++) list_add(&o->inbox, read_letter(day * 60 + i));
}
static void afternoon(struct office *o)
{
    struct letter *l;
    while ((l = list_pop(&o->inbox))) deliver(o, l);
}
static void plan_routes(struct office *o) { for (int i = 0; i < 500; i++) list_add(&o->routes, strdup("north street, then south")); }
int main(void)
{
    struct office o = {0};
    plan_routes(&o);
    for (unsigned d = 0; d < 900; d++) { morning(&o, d); afternoon(&o); }
    printf("%zu\n", o.returned.count);
    return 0;
}
