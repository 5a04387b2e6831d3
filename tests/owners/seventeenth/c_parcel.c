/* Reads scan events of a parcel hub and keeps counters by depot and status. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NSYM (1u << 16)
#define DEPOTS 40

struct sym {
    struct sym *next;
    uint32_t hash;
    unsigned refs;
    char text[];
};

struct scan {
    const char *tracking;
    const char *depot;
    const char *status;
    const char *note;
    int grams;
};

static struct sym *symtab[NSYM];
static unsigned long nsyms, by_depot[DEPOTS], delivered, weight;
static uint32_t rs = 4242;

static uint32_t roll(void)
{
    rs ^= rs << 13;
    rs ^= rs >> 17;
    rs ^= rs << 5;
    return rs;
}

static const char *intern(const char *s, size_t n)
{
    uint32_t h = 5381;
    for (size_t i = 0; i < n; i++)
        h = h * 33 + (unsigned char)s[i];
    for (struct sym *y = symtab[h % NSYM]; y; y = y->next) {
        if (y->hash == h && strncmp(y->text, s, n) == 0 && y->text[n] == 0) {
            y->refs++;
            return y->text;
        }
    }
    struct sym *y = malloc(sizeof *y + n + 1);
    y->hash = h;
    y->refs = 1;
    memcpy(y->text, s, n);
    y->text[n] = 0;
    y->next = symtab[h % NSYM];
    symtab[h % NSYM] = y;
    nsyms++;
    return y->text;
}

static char *feed_line(void)
{
    static const char *st[] = { "IN", "OUT", "SORTED", "DELIVERED", "RETURN" };
    char *l = malloc(256);
    snprintf(l, 256, "%08X%08X|DEP%02u|%s|%u|lane %u belt %u operator %u photo %08x%08x.jpg", roll(),
             roll(), roll() % DEPOTS, st[roll() % 5], 100 + roll() % 20000, roll() % 30,
             roll() % 12, roll() % 5000, roll(), roll());
    return l;
}

static const char *field(const char **p, size_t *n)
{
    const char *s = *p;
    *n = strcspn(s, "|");
    *p = s + *n + (s[*n] == '|');
    return s;
}

static void scan_parse(const char *line, struct scan *out)
{
    size_t n;
    const char *f;
    f = field(&line, &n);
    out->tracking = intern(f, n);
    f = field(&line, &n);
    out->depot = intern(f, n);
    f = field(&line, &n);
    out->status = intern(f, n);
    f = field(&line, &n);
    out->grams = atoi(f);
    f = field(&line, &n);
    out->note = intern(f, n); /* guilty */
}

static void scan_count(const struct scan *s)
{
    static const char *done;
    if (!done)
        done = intern("DELIVERED", 9);
    by_depot[atoi(s->depot + 3) % DEPOTS]++;
    if (s->status == done)
        delivered++;
    weight += s->grams;
}

int main(void)
{
    for (int batch = 0; batch < 240; batch++) {
        for (int i = 0; i < 1600; i++) {
            struct scan s;
            char *l = feed_line();
            scan_parse(l, &s);
            scan_count(&s);
            free(l);
        }
        usleep(8000);
    }
    printf("%lu symbols, %lu delivered, %lu kg, depot0 %lu\n", nsyms, delivered, weight / 1000,
           by_depot[0]);
    usleep(200000);
    return 0;
}
