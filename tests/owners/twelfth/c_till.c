/* The till of a supermarket: rings up baskets, gives discounts, prints receipts, and closes the day. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARTICLES 3000
#define TAXES 3

typedef struct article {
    unsigned ean;
    char name[24];
    int cents, tax, group;
} Article;

typedef struct line {
    struct line *next;
    const Article *article;
    int quantity, cents;
    char text[48];
} Line;

typedef struct receipt {
    struct receipt *next;
    int number, total, discount, by_tax[TAXES];
    int card;
    Line *lines, **end;
} Receipt;

typedef struct till {
    Article *articles;
    Receipt *open, *day_first, *day_last;
    int next_number, voids, drawer;
    long printed;
} Till;

static unsigned seed = 31;

static int rnd(int below)
{
    seed = seed * 214013u + 2531011u;
    return (int)(seed >> 12) % below;
}

static void load_articles(Till *t)
{
    static const char *const goods[] = {"Oat milk", "Rye bread", "Apples", "Coffee", "Soap", "Pasta", "Yoghurt", "Batteries"};
    t->articles = calloc(ARTICLES, sizeof(Article));
    if (!t->articles)
        exit(1);
    for (int i = 0; i < ARTICLES; i++) {
        Article *a = &t->articles[i];
        a->ean = 400000u + (unsigned)i * 7u;
        snprintf(a->name, sizeof(a->name), "%s %d", goods[i % 8], i / 8);
        a->cents = 49 + rnd(900);
        a->tax = i % 8 < 4 ? 1 : i % 8 == 7 ? 0 : 2;
        a->group = i % 8;
    }
}

static const Article *look_up(const Till *t, unsigned ean)
{
    int low = 0, high = ARTICLES;
    while (low < high) {
        int middle = (low + high) / 2;
        if (t->articles[middle].ean < ean)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ARTICLES && t->articles[low].ean == ean ? &t->articles[low] : NULL;
}

static Receipt *receipt_new(int number)
{
    Receipt *r = calloc(1, sizeof(*r));
    if (!r)
        exit(1);
    r->number = number;
    r->end = &r->lines;
    return r;
}

static void receipt_free(Receipt *r)
{
    for (Line *l = r->lines, *next; l; l = next) {
        next = l->next;
        free(l);
    }
    free(r);
}

static void scan(Till *t, unsigned ean, int quantity)
{
    const Article *a = look_up(t, ean);
    if (!a)
        return;
    if (!t->open)
        t->open = receipt_new(t->next_number++);
    Line *l = calloc(1, sizeof(*l));
    if (!l)
        exit(1);
    l->article = a;
    l->quantity = quantity;
    l->cents = quantity * a->cents;
    snprintf(l->text, sizeof(l->text), "%d x %-20s %d.%02d", quantity, a->name, l->cents / 100, l->cents % 100);
    *t->open->end = l;
    t->open->end = &l->next;
}

/* Three of a group: the cheapest is half its price. */
static void discount(Receipt *r)
{
    for (int group = 0; group < 8; group++) {
        int n = 0;
        Line *cheapest = NULL;
        for (Line *l = r->lines; l; l = l->next)
            if (l->article->group == group) {
                n += l->quantity;
                if (!cheapest || l->article->cents < cheapest->article->cents)
                    cheapest = l;
            }
        if (n >= 3)
            r->discount += cheapest->article->cents / 2;
    }
}

static void print_receipt(Till *t, const Receipt *r)
{
    size_t room = 64, used = 0;
    for (const Line *l = r->lines; l; l = l->next)
        room += strlen(l->text) + 1;
    char *paper = malloc(room);
    if (!paper)
        return;
    for (const Line *l = r->lines; l; l = l->next)
        used += (size_t)sprintf(paper + used, "%s\n", l->text);
    used += (size_t)sprintf(paper + used, "total %d.%02d\n", r->total / 100, r->total % 100);
    t->printed += (long)used;
    free(paper);
}

static void pay(Till *t, int card)
{
    Receipt *r = t->open;
    t->open = NULL;
    discount(r);
    for (Line *l = r->lines; l; l = l->next) {
        r->total += l->cents;
        r->by_tax[l->article->tax] += l->cents;
    }
    r->total -= r->discount;
    r->card = card;
    if (!card)
        t->drawer += r->total;
    print_receipt(t, r);
    if (t->day_last)
        t->day_last->next = r; /* guilty */
    else
        t->day_first = r;
    t->day_last = r;
}

static void cancel(Till *t)
{
    if (t->open)
        receipt_free(t->open);
    t->open = NULL;
    t->voids++;
}

static void close_day(const Till *t)
{
    long total = 0, tax[TAXES] = {0}, n = 0, cards = 0;
    for (const Receipt *r = t->day_first; r; r = r->next, n++) {
        total += r->total;
        cards += r->card;
        for (int i = 0; i < TAXES; i++)
            tax[i] += r->by_tax[i];
    }
    printf("Z: %ld receipts, %ld by card, %ld cents, taxed %ld %ld %ld, drawer %d\n", n, cards, total, tax[0], tax[1], tax[2], t->drawer);
    printf("%d cancelled, %ld bytes printed\n", t->voids, t->printed);
}

int main(void)
{
    Till t = {.next_number = 1};
    load_articles(&t);
    for (int customer = 0; customer < 26000; customer++) {
        for (int i = 0, n = 1 + rnd(30); i < n; i++)
            scan(&t, 400000u + (unsigned)rnd(ARTICLES) * 7u, 1 + rnd(3) / 2);
        if (rnd(25) == 0)
            cancel(&t);
        else
            pay(&t, rnd(2));
    }
    close_day(&t);
    free(t.articles);
    return 0;
}
