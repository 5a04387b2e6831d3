/* A bot that learns from tickets which word follows which three, and writes new ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 3, MAX_WORDS = 64 };

struct successor {
    struct successor *next;
    const char *word;
    unsigned count;
};

struct state {
    struct state *chain;
    const char *words[ORDER];
    struct successor *successors;
    unsigned total;
};

struct dictionary {
    char **words;
    size_t size;
};

struct model {
    struct state **table;
    size_t size, states;
};

static unsigned seed = 2024;

static unsigned rnd(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static size_t hash_words(const char *const *words, size_t size)
{
    size_t h = 14695981039346656037ull;
    for (int i = 0; i < ORDER; i++)
        for (const char *p = words[i]; *p; p++)
            h = (h ^ (unsigned char)*p) * 1099511628211ull;
    return h % size;
}

static void dictionary_load(struct dictionary *d, size_t size)
{
    static const char *const parts[] = {"ser", "ver", "pri", "nt", "log", "in", "re", "set", "dis", "k", "mail", "net", "er", "or", "work"};
    d->words = malloc(size * sizeof(*d->words));
    d->size = size;
    for (size_t i = 0; i < size; i++) {
        char word[40] = "";
        for (unsigned n = 2 + rnd(3); n > 0; n--)
            strcat(word, parts[rnd(15)]);
        d->words[i] = strdup(word);
    }
}

static struct state *state_for(struct model *m, const char *const *words)
{
    size_t h = hash_words(words, m->size);
    struct state *s = m->table[h];
    for (; s; s = s->chain)
        if (strcmp(s->words[0], words[0]) == 0 && strcmp(s->words[1], words[1]) == 0 && strcmp(s->words[2], words[2]) == 0)
            return s;
    s = calloc(1, sizeof(*s)); /* guilty */
    memcpy(s->words, words, sizeof(s->words));
    s->chain = m->table[h];
    m->table[h] = s;
    m->states++;
    return s;
}

static void follow(struct state *s, const char *word)
{
    s->total++;
    for (struct successor *f = s->successors; f; f = f->next)
        if (f->word == word) {
            f->count++;
            return;
        }
    if (s->total < 3 && s->successors) /* a second word must come twice */
        return;
    struct successor *f = malloc(sizeof(*f));
    f->word = word;
    f->count = 1;
    f->next = s->successors;
    s->successors = f;
}

static void learn(struct model *m, char *text, const struct dictionary *d)
{
    const char *words[MAX_WORDS];
    size_t n = 0;
    for (char *p = strtok(text, " "); p && n < MAX_WORDS; p = strtok(NULL, " "))
        words[n++] = d->words[strtoul(p, NULL, 36) % d->size];
    for (size_t i = 0; i + ORDER < n; i++) {
        struct state *s = state_for(m, words + i);
        if (n > 20)
            follow(s, words[i + ORDER]);
        else
            s->total++;
    }
}

static char *ticket(void)
{
    size_t room = 256, n = 0;
    char *text = malloc(room);
    for (unsigned w = 6 + rnd(18); w > 0; w--) {
        if (n + 16 > room)
            text = realloc(text, room *= 2);
        n += (size_t)sprintf(text + n, "%x ", rnd(60) * rnd(60));
    }
    return text;
}

static size_t babble(const struct model *m, char *out, size_t size)
{
    const struct state *s = NULL;
    while (s == NULL)
        s = m->table[rnd((unsigned)m->size)];
    size_t n = 0;
    for (const struct successor *f = s->successors; f && n + 80 < size; f = f->next)
        n += (size_t)snprintf(out + n, size - n, "%s %s %s %s. ", s->words[0], s->words[1], s->words[2], f->word);
    return n;
}

int main(void)
{
    struct dictionary d;
    struct model m = {.size = 1 << 18};
    char out[512];
    size_t written = 0;
    dictionary_load(&d, 4000);
    m.table = calloc(m.size, sizeof(*m.table));
    for (int i = 0; i < 50000; i++) {
        char *text = ticket();
        learn(&m, text, &d);
        free(text);
        if (i % 10 == 9)
            written += babble(&m, out, sizeof(out));
    }
    printf("%zu states, %zu bytes written\n", m.states, written);
    return 0;
}
