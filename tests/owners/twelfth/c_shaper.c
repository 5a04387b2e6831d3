/* Sets the lines of a catalogue: shapes words with a font, breaks lines, and reports how full the pages are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLYPHS = 128, BUCKETS = 1 << 14, LINE_WIDTH = 42000, LINES_A_PAGE = 54 };

struct font {
    int16_t advance[GLYPHS];
    int16_t *kerning; /* GLYPHS x GLYPHS */
    uint8_t ligature[GLYPHS];
    int size;
};

struct glyph {
    uint16_t index, cluster;
    int16_t x_advance, x_offset, y_offset;
};

struct run {
    struct run *next;
    uint32_t hash;
    const struct font *font;
    char *text;
    int n_glyphs, width;
    struct glyph *glyphs;
};

struct layout {
    struct run *runs[BUCKETS];
    struct font *fonts[3];
    int x, line, pages;
    long glyphs, slack, hits, misses;
};

static uint32_t seed = 77;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static struct font *font_open(int size)
{
    struct font *f = calloc(1, sizeof(*f));
    if (!f)
        exit(1);
    f->size = size;
    f->kerning = calloc(GLYPHS * GLYPHS, sizeof(*f->kerning));
    if (!f->kerning)
        exit(1);
    for (int g = 0; g < GLYPHS; g++) {
        f->advance[g] = (int16_t)(300 + rnd(500));
        f->ligature[g] = g == 'f' ? 'i' : g == 't' ? 't' : 0;
        for (int other = 0; other < GLYPHS; other++)
            if (rnd(5) == 0)
                f->kerning[g * GLYPHS + other] = (int16_t)(rnd(80) - 40);
    }
    return f;
}

static void font_close(struct font *f)
{
    free(f->kerning);
    free(f);
}

static uint32_t hash_text(const struct font *f, const char *text)
{
    uint32_t h = 2166136261u ^ (uint32_t)f->size;
    while (*text)
        h = (h ^ (uint8_t)*text++) * 16777619u;
    return h;
}

static struct run *shape(const struct font *f, const char *text)
{
    size_t length = strlen(text);
    struct run *r = calloc(1, sizeof(*r));
    struct glyph *scratch = malloc((length + 1) * sizeof(*scratch));
    if (!r || !scratch)
        exit(1);
    int n = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned c = (uint8_t)text[i] % GLYPHS;
        if (n && f->ligature[scratch[n - 1].index] == c) {
            scratch[n - 1].x_advance = (int16_t)(scratch[n - 1].x_advance + f->advance[c] / 2);
            continue;
        }
        scratch[n] = (struct glyph){.index = (uint16_t)c, .cluster = (uint16_t)i, .x_advance = f->advance[c]};
        if (n)
            scratch[n - 1].x_advance = (int16_t)(scratch[n - 1].x_advance + f->kerning[scratch[n - 1].index * GLYPHS + c]);
        n++;
    }
    r->glyphs = malloc((n ? n : 1) * sizeof(*r->glyphs));
    if (!r->glyphs)
        exit(1);
    memcpy(r->glyphs, scratch, n * sizeof(*scratch));
    r->n_glyphs = n;
    r->font = f;
    for (int i = 0; i < n; i++)
        r->width += r->glyphs[i].x_advance * f->size / 10;
    free(scratch);
    return r;
}

static const struct run *shaped(struct layout *l, const struct font *f, const char *text)
{
    uint32_t h = hash_text(f, text);
    for (struct run *r = l->runs[h % BUCKETS]; r; r = r->next)
        if (r->hash == h && r->font == f && strcmp(r->text, text) == 0) {
            l->hits++;
            return r;
        }
    struct run *r = shape(f, text);
    r->hash = h;
    r->text = strdup(text);
    r->next = l->runs[h % BUCKETS];
    l->runs[h % BUCKETS] = r; /* guilty */
    l->misses++;
    return r;
}

static void line_break(struct layout *l)
{
    l->slack += LINE_WIDTH - l->x;
    l->x = 0;
    if (++l->line == LINES_A_PAGE) {
        l->line = 0;
        l->pages++;
    }
}

static void place(struct layout *l, const struct font *f, const char *text)
{
    const struct run *r = shaped(l, f, text);
    if (l->x + r->width > LINE_WIDTH)
        line_break(l);
    l->x += r->width + f->size * 25;
    l->glyphs += r->n_glyphs;
}

static char *article_number(int article)
{
    char buffer[64];
    snprintf(buffer, sizeof(buffer), "%03u-%06d/%c%u", rnd(1000), article, (int)('A' + rnd(26)), rnd(90));
    return strdup(buffer);
}

static void article(struct layout *l, int number)
{
    static const char *const words[] = {"bolt", "hexagonal", "stainless", "fitting", "shaft", "with", "nut", "zinc", "left", "for"};
    char price[32];
    char *id = article_number(number);
    place(l, l->fonts[0], id);
    for (unsigned i = 0, n = 4 + rnd(8); i < n; i++)
        place(l, l->fonts[1], words[rnd(10)]);
    snprintf(price, sizeof(price), "EUR %u.%02u per 100", 1 + rnd(400), rnd(100));
    place(l, l->fonts[2], price);
    line_break(l);
    free(id);
}

int main(void)
{
    struct layout *l = calloc(1, sizeof(*l));
    if (!l)
        return 1;
    for (int i = 0; i < 3; i++)
        l->fonts[i] = font_open(9 + 2 * i);
    for (int i = 0; i < 110000; i++)
        article(l, i);
    printf("%d pages, %ld glyphs, slack %ld, %ld hits, %ld misses\n", l->pages, l->glyphs, l->slack / 1000, l->hits, l->misses);
    for (int i = 0; i < 3; i++)
        font_close(l->fonts[i]);
    return 0;
}
