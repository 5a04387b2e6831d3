/* The drawing of a small game: sprites are turned as the things they stand for turn. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEW(type) ((type *)Mem_Zeroed(1, sizeof(type)))
#define NEW_ARRAY(type, n) ((type *)Mem_Zeroed((n), sizeof(type)))

static size_t g_MemUsed;

static void *Mem_Zeroed(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    g_MemUsed += n * size;
    return p;
}

typedef struct Surface {
    int w, h;
    uint32_t *pixels;
} Surface;

typedef struct Turned {
    float angle;
    Surface *surface;
    struct Turned *next;
} Turned;

typedef struct Sprite {
    char name[24];
    Surface *original;
    Turned *turned;
} Sprite;

typedef struct Ship {
    Sprite *sprite;
    float x, y, angle, spin;
} Ship;

static Surface *Surface_Create(int w, int h)
{
    Surface *s = NEW(Surface);
    s->w = w;
    s->h = h;
    s->pixels = NEW_ARRAY(uint32_t, (size_t)w * h);
    return s;
}

static void Surface_Blit(const Surface *from, Surface *to, int x0, int y0)
{
    for (int y = 0; y < from->h; y += 4)
        for (int x = 0; x < from->w; x += 4) {
            int tx = x0 + x, ty = y0 + y;
            if (tx >= 0 && ty >= 0 && tx < to->w && ty < to->h)
                to->pixels[ty * to->w + tx] |= from->pixels[y * from->w + x];
        }
}

static Sprite *Sprite_Load(const char *name, int size)
{
    Sprite *sprite = NEW(Sprite);
    snprintf(sprite->name, sizeof sprite->name, "%s", name);
    sprite->original = Surface_Create(size, size);
    for (int i = 0; i < size * size; i++)
        sprite->original->pixels[i] = 0xff000000u | (uint32_t)(i * 2654435761u);
    return sprite;
}

/* Turning is slow, so what was turned is kept for this angle. */
static const Surface *Sprite_AtAngle(Sprite *sprite, float angle)
{
    for (Turned *t = sprite->turned; t; t = t->next)
        if (t->angle == angle)
            return t->surface;
    const Surface *from = sprite->original;
    Turned *t = NEW(Turned);
    t->angle = angle;
    t->surface = Surface_Create(from->w, from->h); /* guilty */
    t->next = sprite->turned;
    sprite->turned = t;
    float c = cosf(angle), s = sinf(angle), half = (float)from->w / 2;
    for (int y = 0; y < from->h; y++)
        for (int x = 0; x < from->w; x++) {
            int u = (int)(c * (x - half) + s * (y - half) + half), v = (int)(c * (y - half) - s * (x - half) + half);
            bool inside = u >= 0 && v >= 0 && u < from->w && v < from->h;
            t->surface->pixels[y * from->w + x] = inside ? from->pixels[v * from->w + u] : 0;
        }
    return t->surface;
}

static void Scene_Draw(Surface *screen, Ship *ships, int n)
{
    memset(screen->pixels, 0, (size_t)screen->w * screen->h * sizeof *screen->pixels);
    for (int i = 0; i < n; i++)
        Surface_Blit(Sprite_AtAngle(ships[i].sprite, ships[i].angle), screen, (int)ships[i].x, (int)ships[i].y);
}

static void Scene_Update(Ship *ships, int n, float dt)
{
    for (int i = 0; i < n; i++) {
        ships[i].angle = fmodf(ships[i].angle + ships[i].spin * dt, 6.2831853f);
        ships[i].x += 3 * dt;
    }
}

int main(void)
{
    Surface *screen = Surface_Create(800, 600);
    Sprite *fighter = Sprite_Load("fighter", 64), *rock = Sprite_Load("rock", 48);
    Ship ships[12];
    for (int i = 0; i < 12; i++)
        ships[i] = (Ship){i % 3 ? rock : fighter, 60.0f * i, 40.0f * i, 0.1f * i, 0.37f + 0.011f * i};
    for (int frame = 0; frame < 300; frame++) {
        Scene_Update(ships, 12, 1.0f / 60);
        Scene_Draw(screen, ships, 12);
    }
    printf("%zu KiB\n", g_MemUsed / 1024);
    return 0;
}
