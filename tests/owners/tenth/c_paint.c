/* The heart of a paint program: an image of tiles, brushes that change them, layers that are put together, and undo. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 64
#define ACROSS 12

struct tile {
    uint32_t pixels[TILE * TILE];
};

struct layer {
    struct tile *tiles[ACROSS * ACROSS];
    uint8_t opacity;
};

struct saved_tile {
    struct saved_tile *next;
    int layer, index;
    struct tile *before;
};

struct step {
    struct step *older;
    char label[24];
    struct saved_tile *tiles;
};

struct image {
    struct layer layers[3];
    struct step *undo;
    struct tile *canvas;
    unsigned steps;
};

static struct tile *tile_clone(const struct tile *from)
{
    struct tile *t = malloc(sizeof(*t));
    if (!t)
        exit(1);
    if (from)
        memcpy(t, from, sizeof(*t));
    else
        memset(t, 0, sizeof(*t));
    return t;
}

static struct image *image_new(void)
{
    struct image *image = calloc(1, sizeof(*image));
    for (int l = 0; l < 3; l++)
        image->layers[l].opacity = (uint8_t)(255 - 60 * l);
    for (int i = 0; i < ACROSS * ACROSS; i++)
        image->layers[0].tiles[i] = tile_clone(NULL);
    image->canvas = calloc(ACROSS * ACROSS, sizeof(struct tile));
    return image;
}

static void begin_step(struct image *image, const char *label)
{
    struct step *step = calloc(1, sizeof(*step));
    snprintf(step->label, sizeof(step->label), "%s", label);
    step->older = image->undo;
    image->undo = step;
    image->steps++;
}

static void save_tile(struct image *image, int layer, int index)
{
    for (struct saved_tile *s = image->undo->tiles; s; s = s->next)
        if (s->layer == layer && s->index == index)
            return;
    struct saved_tile *saved = calloc(1, sizeof(*saved));
    saved->layer = layer;
    saved->index = index;
    if (image->layers[layer].tiles[index])
        saved->before = tile_clone(image->layers[layer].tiles[index]); /* guilty */
    saved->next = image->undo->tiles;
    image->undo->tiles = saved;
}

static void put_pixel(struct image *image, int layer, int x, int y, uint32_t color)
{
    if (x < 0 || y < 0 || x >= TILE * ACROSS || y >= TILE * ACROSS)
        return;
    int index = y / TILE * ACROSS + x / TILE;
    save_tile(image, layer, index);
    struct layer *l = &image->layers[layer];
    if (!l->tiles[index])
        l->tiles[index] = tile_clone(NULL);
    l->tiles[index]->pixels[y % TILE * TILE + x % TILE] = color;
}

static void stroke(struct image *image, int layer, int x0, int y0, int x1, int y1, int radius, uint32_t color)
{
    begin_step(image, "Brush");
    for (int i = 0; i <= 30; i++) {
        int x = x0 + (x1 - x0) * i / 30, y = y0 + (y1 - y0) * i / 30;
        for (int dy = -radius; dy <= radius; dy += 2)
            for (int dx = -radius; dx <= radius; dx += 2)
                if (dx * dx + dy * dy <= radius * radius)
                    put_pixel(image, layer, x + dx, y + dy, color);
    }
}

static void undo(struct image *image)
{
    struct step *step = image->undo;
    if (!step)
        return;
    for (struct saved_tile *s = step->tiles, *next; s; s = next) {
        next = s->next;
        free(image->layers[s->layer].tiles[s->index]);
        image->layers[s->layer].tiles[s->index] = s->before;
        free(s);
    }
    image->undo = step->older;
    free(step);
}

static uint64_t compose(struct image *image)
{
    uint64_t sum = 0;
    for (int i = 0; i < ACROSS * ACROSS; i++)
        for (int p = 0; p < TILE * TILE; p++) {
            uint32_t c = 0;
            for (int l = 0; l < 3; l++)
                if (image->layers[l].tiles[i] && image->layers[l].tiles[i]->pixels[p])
                    c = image->layers[l].tiles[i]->pixels[p] / 256 * image->layers[l].opacity;
            image->canvas[i].pixels[p] = c;
            sum += c;
        }
    return sum;
}

int main(void)
{
    struct image *image = image_new();
    uint64_t sum = 0;
    unsigned state = 5;
    for (int i = 0; i < 1250; i++) {
        state = state * 1103515245u + 12345u;
        int x = (int)(state >> 16) % 760, y = (int)(state >> 8) % 760;
        stroke(image, i % 3, x, y, x + (int)(state >> 20) % 200 - 100, y + i % 90, 4 + i % 5, state | 0xff);
        if (i % 25 == 24)
            undo(image);
        if (i % 300 == 0)
            sum += compose(image);
    }
    printf("%u steps, %016llx\n", image->steps, (unsigned long long)sum);
    return 0;
}
