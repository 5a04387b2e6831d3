/* Fills the grids of crosswords, slot by slot, and remembers which pieces of a grid could not be filled. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 7, CELLS = SIDE * SIDE, SLOTS = 2 * SIDE, WORDS = 4000, TABLE = 1 << 17, BUDGET = 60000 };

struct words {
    char (*list)[SIDE + 1];
    int n;
    int *by_first[26], n_first[26];
};

struct dead {
    struct dead *next;
    uint64_t hash;
    uint8_t depth;
    char cells[CELLS];
};

struct filler {
    struct words words;
    struct dead *dead[TABLE];
    char cells[CELLS];
    long tried, pruned, stored;
    int budget;
};

static uint64_t s = 1234567;

static unsigned rnd(unsigned below)
{
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return (unsigned)(s >> 24) % below;
}

static void load_words(struct words *w)
{
    static const char vowels[] = "aaeeeiou", consonants[] = "bcdffglmnnprrsssttv";
    w->list = calloc(WORDS, sizeof(*w->list));
    for (w->n = 0; w->n < WORDS; w->n++)
        for (int i = 0, start = (int)rnd(2); i < SIDE; i++)
            w->list[w->n][i] = (i + start) % 2 ? vowels[rnd(8)] : consonants[rnd(19)];
    for (int i = 0; i < w->n; i++) {
        int letter = w->list[i][0] - 'a';
        if (w->n_first[letter] % 64 == 0)
            w->by_first[letter] = realloc(w->by_first[letter], (size_t)(w->n_first[letter] + 64) * sizeof(int));
        w->by_first[letter][w->n_first[letter]++] = i;
    }
}

static void free_words(struct words *w)
{
    for (int i = 0; i < 26; i++)
        free(w->by_first[i]);
    free(w->list);
}

static int cell_of(int slot, int i)
{
    return slot % 2 ? i * SIDE + slot / 2 : slot / 2 * SIDE + i;
}

static uint64_t hash_cells(const char *cells, int depth)
{
    uint64_t h = 1469598103934665603ull + (uint64_t)depth;
    for (int i = 0; i < CELLS; i++)
        h = (h ^ (uint8_t)cells[i]) * 1099511628211ull;
    return h;
}

static bool known_dead(const struct filler *f, int depth)
{
    uint64_t h = hash_cells(f->cells, depth);
    for (const struct dead *d = f->dead[h % TABLE]; d; d = d->next)
        if (d->hash == h && d->depth == depth && memcmp(d->cells, f->cells, CELLS) == 0)
            return true;
    return false;
}

static void bury(struct filler *f, int depth)
{
    struct dead *d = malloc(sizeof(*d)); /* guilty */
    if (!d)
        exit(1);
    d->hash = hash_cells(f->cells, depth);
    d->depth = (uint8_t)depth;
    memcpy(d->cells, f->cells, CELLS);
    d->next = f->dead[d->hash % TABLE];
    f->dead[d->hash % TABLE] = d;
    f->stored++;
}

static int candidates(const struct filler *f, int slot, int *out, int room)
{
    const struct words *w = &f->words;
    char first = f->cells[cell_of(slot, 0)];
    int n = 0, start = (int)rnd(64);
    for (int letter = first ? first - 'a' : 0; letter < (first ? first - 'a' + 1 : 26); letter++)
        for (int k = 0; k < w->n_first[letter] && n < room; k++) {
            int word = w->by_first[letter][(k + start) % w->n_first[letter]], i = 0;
            for (; i < SIDE; i++) {
                char c = f->cells[cell_of(slot, i)];
                if (c && c != w->list[word][i])
                    break;
            }
            if (i == SIDE)
                out[n++] = word;
        }
    return n;
}

static bool fill(struct filler *f, int slot, int most)
{
    if (slot == most)
        return true;
    if (f->budget-- <= 0)
        return false;
    if (known_dead(f, slot)) {
        f->pruned++;
        return false;
    }
    char saved[CELLS];
    int room = slot < 2 ? 6 : 40, *list = malloc((size_t)room * sizeof(*list));
    if (!list)
        exit(1);
    int n = candidates(f, slot, list, room);
    memcpy(saved, f->cells, CELLS);
    bool done = false;
    for (int k = 0; k < n && !done; k++) {
        for (int i = 0; i < SIDE; i++)
            f->cells[cell_of(slot, i)] = f->words.list[list[k]][i];
        f->tried++;
        done = fill(f, slot + 1, most);
        if (!done)
            memcpy(f->cells, saved, CELLS);
    }
    free(list);
    if (!done && slot)
        bury(f, slot);
    return done;
}

static char *drawing(const struct filler *f)
{
    char *text = malloc(CELLS + SIDE + 1), *p = text;
    for (int i = 0; text && i < CELLS; i++) {
        *p++ = f->cells[i] ? f->cells[i] : '.';
        if (i % SIDE == SIDE - 1)
            *p++ = '\n';
    }
    if (text)
        *p = 0;
    return text;
}

int main(void)
{
    struct filler *f = calloc(1, sizeof(*f));
    int solved = 0;
    char *last = NULL;
    load_words(&f->words);
    for (int puzzle = 0; puzzle < 14; puzzle++) {
        memset(f->cells, 0, CELLS);
        f->budget = BUDGET;
        solved += fill(f, 0, SLOTS - puzzle % 4 * 2);
        free(last);
        last = drawing(f);
    }
    printf("%d solved, %ld tried, %ld pruned, %ld stored\n%s", solved, f->tried, f->pruned, f->stored, last);
    free(last);
    free_words(&f->words);
    return 0;
}
