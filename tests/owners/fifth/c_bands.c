// Pictures of the Mandelbrot set, computed in bands by some threads, zoomed step by step.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 320
#define HEIGHT 192
#define BAND 16
#define STEPS 50
#define THREADS 3

typedef struct band_t {
    int step, y;
    double *magnitudes;
    uint16_t *counts;
    struct band_t *next;
} band_t;

typedef struct {
    void (*run)(void *context, int index);
    void *context;
    int count;
    atomic_int taken;
} job_t;

typedef struct {
    double x, y, zoom;
    uint8_t *pixels;
    int step;
    pthread_mutex_t lock;
    band_t *bands;
} picture_t;

static void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

static void *worker(void *arg)
{
    job_t *job = arg;
    for (;;) {
        int i = atomic_fetch_add(&job->taken, 1);
        if (i >= job->count)
            return NULL;
        job->run(job->context, i);
    }
}

static void run_parallel(void (*run)(void *, int), void *context, int count)
{
    pthread_t threads[THREADS];
    job_t job = {.run = run, .context = context, .count = count};
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &job);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static int iterate(double cx, double cy, double *magnitude)
{
    double x = 0, y = 0;
    int n = 0;
    while (n < 120 && x * x + y * y < 16) {
        double t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        n++;
    }
    *magnitude = x * x + y * y;
    return n;
}

/* The bands are kept for the next step, which could start from them, but computes all anew. */
static void render_band(void *context, int index)
{
    picture_t *p = context;
    band_t *b = xcalloc(1, sizeof *b);
    b->step = p->step;
    b->y = index * BAND;
    b->magnitudes = xcalloc(WIDTH * BAND, sizeof(double)); // guilty
    b->counts = xcalloc(WIDTH * BAND, sizeof(uint16_t));
    for (int i = 0; i < WIDTH * BAND; i++) {
        double cx = p->x + (i % WIDTH - WIDTH / 2) * p->zoom, cy = p->y + (b->y + i / WIDTH - HEIGHT / 2) * p->zoom;
        b->counts[i] = (uint16_t)iterate(cx, cy, &b->magnitudes[i]);
    }
    pthread_mutex_lock(&p->lock);
    b->next = p->bands;
    p->bands = b;
    pthread_mutex_unlock(&p->lock);
}

static void shade_band(void *context, int index)
{
    picture_t *p = context;
    uint32_t *histogram = xcalloc(256, sizeof *histogram);
    for (band_t *b = p->bands; b; b = b->next)
        if (b->step == p->step && b->y == index * BAND)
            for (int i = 0; i < WIDTH * BAND; i++)
                histogram[p->pixels[b->y * WIDTH + i] = (uint8_t)(b->counts[i] * 2)]++;
    free(histogram);
}

int main(void)
{
    picture_t p = {.x = -0.743643, .y = 0.131825, .zoom = 0.01, .lock = PTHREAD_MUTEX_INITIALIZER};
    unsigned long sum = 0;
    p.pixels = xcalloc(WIDTH * HEIGHT, 1);
    for (p.step = 0; p.step < STEPS; p.step++) {
        run_parallel(render_band, &p, HEIGHT / BAND);
        run_parallel(shade_band, &p, HEIGHT / BAND);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            sum += p.pixels[i];
        p.zoom *= 0.9;
    }
    printf("%lu\n", sum);
    free(p.pixels);
    return 0;
}
