/* The encoder of a small video codec: 8x8 blocks, motion from references, a scene cut starts with a key frame. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define W 320
#define H 192
#define B 8

typedef struct frame_s {
    struct frame_s *next;
    int refs, number;
    uint8_t *plane[3];
} frame_t;

typedef struct {
    frame_t *spare;
    int made;
} frame_pool_t;

typedef struct {
    frame_pool_t pool;
    frame_t *ref;
    frame_t *longterm;
    int n_longterm;
    uint8_t *bits;
    size_t n_bits, max_bits;
    size_t total;
} encoder_t;

static frame_t *frame_get(frame_pool_t *pool)
{
    frame_t *f = pool->spare;
    if (f) {
        pool->spare = f->next;
    } else {
        f = calloc(1, sizeof(*f));
        if (!f) abort();
        f->plane[0] = aligned_alloc(64, W * H * 3 / 2);
        if (!f->plane[0]) abort();
        f->plane[1] = f->plane[0] + W * H;
        f->plane[2] = f->plane[1] + W * H / 4;
        pool->made++;
    }
    f->next = NULL;
    f->refs = 1;
    return f;
}

static void frame_unref(frame_pool_t *pool, frame_t *f)
{
    if (!f || --f->refs > 0) return;
    f->next = pool->spare;
    pool->spare = f;
}

static void frame_copy(frame_t *to, const frame_t *from)
{
    memcpy(to->plane[0], from->plane[0], W * H * 3 / 2);
    to->number = from->number;
}

static void put_byte(encoder_t *e, int v)
{
    if (e->n_bits == e->max_bits) {
        e->max_bits = e->max_bits ? 2 * e->max_bits : 4096;
        e->bits = realloc(e->bits, e->max_bits);
        if (!e->bits) abort();
    }
    e->bits[e->n_bits++] = (uint8_t)v;
}

static int sad(const uint8_t *a, const uint8_t *b, int limit)
{
    int sum = 0;
    for (int y = 0; y < B && sum < limit; y++, a += W, b += W)
        for (int x = 0; x < B; x++) sum += abs(a[x] - b[x]);
    return sum;
}

static int search(const frame_t *in, const frame_t *ref, int x, int y, int *mv)
{
    int best = INT_MAX;
    for (int dx = -2; dx <= 2; dx++) {
        if (x + dx < 0 || x + dx + B > W) continue;
        int cost = sad(in->plane[0] + y * W + x, ref->plane[0] + y * W + x + dx, best) + abs(dx);
        if (cost < best) best = cost, *mv = dx;
    }
    return best;
}

/* The picture that each scene began with; a cut may go back to one. */
static void keep_scene(encoder_t *e, const frame_t *recon)
{
    frame_t *scene = frame_get(&e->pool); /* guilty */
    frame_copy(scene, recon);
    scene->next = e->longterm;
    e->longterm = scene;
    e->n_longterm++;
}

static const frame_t *best_scene(const encoder_t *e, const frame_t *in, int *cost)
{
    const frame_t *best = NULL;
    int tried = 0;
    for (const frame_t *f = e->longterm; f && tried < 4; f = f->next, tried++) {
        int sum = 0;
        for (int y = 0; y < H; y += 4 * B) sum += sad(in->plane[0] + y * W, f->plane[0] + y * W, INT_MAX);
        if (sum < *cost) *cost = sum, best = f;
    }
    return best;
}

static void code_block(encoder_t *e, frame_t *recon, const frame_t *in, const frame_t *ref, int x, int y)
{
    int mv = 0;
    if (ref && search(in, ref, x, y, &mv) < 64) put_byte(e, mv & 7);
    else
        for (int i = 0; i < B; i++) put_byte(e, in->plane[0][(y + i) * W + x]);
    for (int i = 0; i < B; i++) memcpy(recon->plane[0] + (y + i) * W + x, in->plane[0] + (y + i) * W + x, B);
}

static size_t encode(encoder_t *e, const frame_t *in, bool cut)
{
    frame_t *recon = frame_get(&e->pool);
    int cost = 600;
    const frame_t *ref = cut ? best_scene(e, in, &cost) : e->ref;
    e->n_bits = 0;
    for (int y = 0; y < H; y += B)
        for (int x = 0; x < W; x += B) code_block(e, recon, in, ref, x, y);
    memset(recon->plane[1], 128, W * H / 2);
    recon->number = in->number;
    if (cut) keep_scene(e, recon);
    frame_unref(&e->pool, e->ref);
    e->ref = recon;
    e->total += e->n_bits;
    return e->n_bits;
}

static void draw(frame_t *f, int n, int scene)
{
    uint8_t *p = f->plane[0];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) *p++ = (uint8_t)((x + n) * (scene % 7 + 1) + y * scene);
    f->number = n;
}

int main(void)
{
    encoder_t e = {0};
    int scene = 0;
    for (int n = 0; n < 2400; n++) {
        frame_t *in = frame_get(&e.pool);
        bool cut = n % 5 == 0;
        if (cut) scene++;
        draw(in, n, scene);
        encode(&e, in, cut);
        frame_unref(&e.pool, in);
    }
    printf("%zu bytes, %d frames made, %d scenes\n", e.total, e.pool.made, e.n_longterm);
    free(e.bits);
    return 0;
}
