#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int refs; size_t size; char bytes[]; } Doc;
typedef struct { Doc *last; Doc **history; int n, room; } Account;
static Doc *doc_new(const char *kind, unsigned n)
{
    Doc *d = malloc(sizeof *d + 600);
    d->refs = 1;
    d->size = (size_t)snprintf(d->bytes, 600, "%s statement %u", kind, n);
    memset(d->bytes + d->size, '.', 600 - d->size);
    return d;
}
static Doc *doc_ref(Doc *d) { d->refs++; return d; }
static void doc_unref(Doc *d) { if (--d->refs == 0) free(d); }
static void file_away(Account *a, Doc *d)
{
    if (a->n == a->room) a->history = realloc(a->history, sizeof(Doc *) * (size_t)(a->room = a->room * 2 + 4));
    a->history[a->n++] = doc_ref(d); /* guilty */
}
static void show_last(Account *a, Doc *d)
{
    if (a->last) doc_unref(a->last);
    a->last = doc_ref(d);
}
static void print_out(Doc *d) { Doc *mine = doc_ref(d); doc_unref(mine); }
static void month_end(Account *accounts, unsigned month)
{
    for (unsigned i = 0; i < 200; i++) {
        Doc *d = doc_new(i % 2 ? "savings" : "credit", month * 200 + i);
        show_last(&accounts[i], d);
        if (i % 10) file_away(&accounts[i], d);
        print_out(d);
        doc_unref(d);
    }
}
int main(void)
{
    static Account accounts[200];
    for (unsigned m = 0; m < 300; m++) month_end(accounts, m);
    printf("%d\n", accounts[3].n);
    return 0;
}
