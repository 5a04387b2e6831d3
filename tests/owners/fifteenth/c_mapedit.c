/* mapedit - headless tile map editor; replays a scripted editing session. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

#define W 512
#define H 512
#define PREVIEWS 128
#define PREVIEW_PX (96 * 96)

typedef uint16_t tile_t;

struct map {
    tile_t *cells;
    unsigned dirty;
};

struct patch {
    int x, y, w, h;
    tile_t *saved;
    struct patch *older;
};

struct tool {
    const char *name;
    void (*apply)(struct map *m, int x, int y, int size, tile_t t);
};

static struct patch *history;
static unsigned history_len;
static uint32_t *previews[PREVIEWS];
static unsigned lcg = 77;

static unsigned roll(unsigned n)
{
    lcg = lcg * 1103515245u + 12345u;
    return (lcg >> 8) % n;
}

static void *must_alloc(size_t n)
{
    void *p = malloc(n);
    if (!p) abort();
    return p;
}

static void brush(struct map *m, int x, int y, int size, tile_t t)
{
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            if ((i - size / 2) * (i - size / 2) + (j - size / 2) * (j - size / 2) < size * size / 4)
                m->cells[(y + j) * W + x + i] = t;
}

static void stamp(struct map *m, int x, int y, int size, tile_t t)
{
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            m->cells[(y + j) * W + x + i] = (tile_t)(t + ((i ^ j) & 3));
}

static void noise_fill(struct map *m, int x, int y, int size, tile_t t)
{
    uint8_t *mask = must_alloc((size_t)size * size);
    for (int k = 0; k < size * size; k++) mask[k] = (uint8_t)roll(2);
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            if (mask[j * size + i]) m->cells[(y + j) * W + x + i] = t;
    free(mask);
}

static const struct tool toolbox[] = {
    { "brush", brush }, { "stamp", stamp }, { "noise", noise_fill },
};

static tile_t *copy_rect(const struct map *m, int x, int y, int w, int h)
{
    tile_t *out = must_alloc(sizeof(tile_t) * w * h);
    for (int j = 0; j < h; j++)
        memcpy(out + j * w, m->cells + (y + j) * W + x, sizeof(tile_t) * w);
    return out;
}

static void paste_rect(struct map *m, const struct patch *p)
{
    for (int j = 0; j < p->h; j++)
        memcpy(m->cells + (p->y + j) * W + p->x, p->saved + j * p->w, sizeof(tile_t) * p->w);
}

static void remember_region(const struct map *m, int x, int y, int w, int h)
{
    struct patch *p = must_alloc(sizeof *p);
    p->x = x; p->y = y; p->w = w; p->h = h;
    p->saved = copy_rect(m, x, y, w, h); /* guilty */
    p->older = history;
    history = p;
    history_len++;
}

static void undo(struct map *m)
{
    struct patch *p = history;
    if (!p) return;
    paste_rect(m, p);
    history = p->older;
    history_len--;
    free(p->saved);
    free(p);
}

static uint32_t *preview_tile(tile_t t)
{
    unsigned k = t % PREVIEWS;
    if (!previews[k]) {
        previews[k] = must_alloc(sizeof(uint32_t) * PREVIEW_PX);
        for (int i = 0; i < PREVIEW_PX; i++)
            previews[k][i] = 0xff000000u | (uint32_t)(t * 2654435761u + i);
    }
    return previews[k];
}

static unsigned render_viewport(const struct map *m, int ox, int oy)
{
    uint32_t *frame = must_alloc(sizeof(uint32_t) * 64 * 48);
    unsigned sum = 0;
    for (int j = 0; j < 48; j++)
        for (int i = 0; i < 64; i++) {
            const uint32_t *px = preview_tile(m->cells[(oy + j) * W + ox + i]);
            frame[j * 64 + i] = px[(i * j) % PREVIEW_PX];
            sum += frame[j * 64 + i];
        }
    free(frame);
    return sum;
}

static void edit(struct map *m)
{
    const struct tool *t = &toolbox[roll(3)];
    int size = 32 + (int)roll(64);
    int x = (int)roll(W - 100), y = (int)roll(H - 100);
    remember_region(m, x, y, size, size);
    t->apply(m, x, y, size, (tile_t)roll(400));
    m->dirty++;
}

int main(void)
{
    struct map m = { must_alloc(sizeof(tile_t) * W * H), 0 };
    unsigned check = 0;
    memset(m.cells, 0, sizeof(tile_t) * W * H);
    for (int step = 0; step < 420; step++) {
        for (int k = 0; k < 22; k++) edit(&m);
        if (roll(3) == 0) undo(&m);
        check ^= render_viewport(&m, (int)roll(W - 64), (int)roll(H - 48));
        usleep(9000);
    }
    printf("edits=%u undo depth=%u check=%08x\n", m.dirty, history_len, check);
    free(m.cells);
    return 0;
}
