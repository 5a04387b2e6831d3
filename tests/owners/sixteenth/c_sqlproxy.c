/* sqlproxy - connection proxy that parses statements and prepares them on the server. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS 16384
#define CLIENTS 64

enum tok { WORD, NUMBER, STRING, PUNCT };

struct token { enum tok kind; int pos, len; struct token *next; };

struct stmt {
    struct stmt *chain;
    char *sql;
    struct token *tokens;
    int ntok, nparam;
    unsigned long used;
};

struct client { int id; char *outbuf; size_t outlen; unsigned long rows; };

static struct stmt *stmts[SLOTS];
static struct client clients[CLIENTS];
static uint32_t state = 12345;

static uint32_t rnd(void) { state = state * 1664525u + 1013904223u; return state >> 8; }

static void *alloc(size_t n)
{
    void *p = malloc(n);
    if (!p) abort();
    return p;
}

static uint32_t fnv(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 16777619u;
    return h;
}

static struct token *push_token(struct token **tail, enum tok k, int pos, int len)
{
    struct token *t = alloc(sizeof *t);
    t->kind = k; t->pos = pos; t->len = len; t->next = NULL;
    if (*tail) (*tail)->next = t;
    *tail = t;
    return t;
}

static struct token *scan(const char *s, int *count)
{
    struct token *head = NULL, *tail = NULL;
    int i = 0;
    *count = 0;
    while (s[i]) {
        int b = i;
        enum tok k;
        if (isspace((unsigned char)s[i])) { i++; continue; }
        if (isalpha((unsigned char)s[i])) { k = WORD; while (isalnum((unsigned char)s[i]) || s[i] == '_') i++; }
        else if (isdigit((unsigned char)s[i])) { k = NUMBER; while (isdigit((unsigned char)s[i])) i++; }
        else if (s[i] == '\'') { k = STRING; i++; while (s[i] && s[i] != '\'') i++; if (s[i]) i++; }
        else { k = PUNCT; i++; }
        struct token *t = push_token(&tail, k, b, i - b);
        if (!head) head = t;
        ++*count;
    }
    return head;
}

static int count_params(const struct token *t)
{
    int n = 0;
    for (; t; t = t->next) n += t->kind == NUMBER || t->kind == STRING;
    return n;
}

static struct stmt *statement_for(const char *sql)
{
    struct stmt **slot = &stmts[fnv(sql) % SLOTS];
    for (struct stmt *s = *slot; s; s = s->chain)
        if (!strcmp(s->sql, sql)) { s->used++; return s; }
    struct stmt *s = alloc(sizeof *s);
    s->sql = strdup(sql);
    s->tokens = scan(s->sql, &s->ntok); /* guilty */
    s->nparam = count_params(s->tokens);
    s->used = 1;
    s->chain = *slot;
    *slot = s;
    return s;
}

static void send_rows(struct client *c, const struct stmt *s)
{
    size_t n = 100u + (size_t)s->ntok * 40u;
    char *p = realloc(c->outbuf, n);
    if (!p) abort();
    c->outbuf = p;
    memset(p, '.', n);
    c->outlen = n;
    c->rows += (unsigned)s->nparam;
}

static char *read_query(struct client *c)
{
    char *q = alloc(400);
    uint32_t r = rnd();
    switch (r % 4) {
    case 0: snprintf(q, 400, "select name, total from orders where customer_id = %u and placed > '2024-0%u-01' order by total desc limit 20", rnd() % 900000, 1 + r % 9); break;
    case 1: snprintf(q, 400, "update carts set qty = qty + 1 where cart_id = %u and sku in ('A%u', 'B%u')", rnd() % 900000, rnd() % 5000, rnd() % 5000); break;
    case 2: snprintf(q, 400, "begin"); break;
    default: snprintf(q, 400, "select 1 from sessions where client = %d", c->id); break;
    }
    return q;
}

static void handle(struct client *c)
{
    char *q = read_query(c);
    struct stmt *s = statement_for(q);
    send_rows(c, s);
    free(q);
}

int main(void)
{
    unsigned long rows = 0;
    for (int i = 0; i < CLIENTS; i++) clients[i].id = i;
    for (int n = 0; n < 120000; n++) {
        handle(&clients[rnd() % CLIENTS]);
        if (n % 400 == 0) usleep(9000);
    }
    for (int i = 0; i < CLIENTS; i++) rows += clients[i].rows;
    printf("rows %lu\n", rows);
    return 0;
}
