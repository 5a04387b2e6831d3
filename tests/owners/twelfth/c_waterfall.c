/* Watches a band of radio: threads compute spectra of samples, stations are found, and a picture shows the last minute. */
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 1024, WORKERS = 3, SWEEPS = 5200, PICTURE = 60 };

struct sweep {
    struct sweep *next;
    int number;
    float samples[2 * BINS];
};

struct row {
    int number, peak;
    float floor_db;
    float bins[BINS];
};

struct survey {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct sweep *queue;
    int queued, closed;
    struct row **rows;
    size_t n_rows, room;
    double energy;
};

static void fft(float complex *x, int n, float complex *scratch)
{
    if (n == 1)
        return;
    for (int i = 0; i < n / 2; i++) {
        scratch[i] = x[2 * i];
        scratch[n / 2 + i] = x[2 * i + 1];
    }
    memcpy(x, scratch, (size_t)n * sizeof(*x));
    fft(x, n / 2, scratch);
    fft(x + n / 2, n / 2, scratch);
    float complex step = cexpf(-2 * (float)M_PI * I / (float)n), w = 1;
    for (int i = 0; i < n / 2; i++, w *= step) {
        float complex a = x[i], b = x[n / 2 + i];
        float re = crealf(w) * crealf(b) - cimagf(w) * cimagf(b), im = crealf(w) * cimagf(b) + cimagf(w) * crealf(b);
        x[i] = a + (re + im * I);
        x[n / 2 + i] = a - (re + im * I);
    }
}

static struct sweep *tune(int number)
{
    struct sweep *s = malloc(sizeof(*s));
    if (!s)
        abort();
    uint32_t noise = (uint32_t)number * 2654435761u + 1;
    s->number = number;
    for (int i = 0; i < BINS; i++) {
        noise = noise * 1664525u + 1013904223u;
        s->samples[2 * i] = sinf((float)i * 0.3f) + (float)(noise >> 16) / 65536.0f - 0.5f;
        s->samples[2 * i + 1] = cosf((float)(i * (number % 40)) * 0.01f);
    }
    return s;
}

static void submit(struct survey *v, struct sweep *s)
{
    pthread_mutex_lock(&v->lock);
    while (v->queued >= 32)
        pthread_cond_wait(&v->emptied, &v->lock);
    s->next = v->queue;
    v->queue = s;
    v->queued++;
    pthread_cond_signal(&v->filled);
    pthread_mutex_unlock(&v->lock);
}

static struct sweep *take(struct survey *v)
{
    pthread_mutex_lock(&v->lock);
    while (!v->queue && !v->closed)
        pthread_cond_wait(&v->filled, &v->lock);
    struct sweep *s = v->queue;
    if (s) {
        v->queue = s->next;
        v->queued--;
        pthread_cond_signal(&v->emptied);
    }
    pthread_mutex_unlock(&v->lock);
    return s;
}

static struct row *analyse(const struct sweep *s)
{
    float complex *x = malloc(2 * BINS * sizeof(*x));
    struct row *r = calloc(1, sizeof(*r));
    if (!x || !r)
        abort();
    for (int i = 0; i < BINS; i++)
        x[i] = (s->samples[2 * i] + s->samples[2 * i + 1] * I) * (0.54f - 0.46f * cosf(2 * (float)M_PI * (float)i / BINS));
    fft(x, BINS, x + BINS);
    r->number = s->number;
    for (int i = 0; i < BINS; i++) {
        r->bins[i] = 10 * log10f(crealf(x[i]) * crealf(x[i]) + cimagf(x[i]) * cimagf(x[i]) + 1e-9f);
        r->floor_db += r->bins[i] / BINS;
        if (r->bins[i] > r->bins[r->peak])
            r->peak = i;
    }
    free(x);
    return r;
}

static void show(struct survey *v, struct row *r)
{
    pthread_mutex_lock(&v->lock);
    if (v->n_rows == v->room) {
        v->room = v->room ? v->room * 2 : 128;
        v->rows = realloc(v->rows, v->room * sizeof(*v->rows));
        if (!v->rows)
            abort();
    }
    v->rows[v->n_rows++] = r; /* guilty */
    v->energy += r->floor_db;
    pthread_mutex_unlock(&v->lock);
}

static void *worker(void *argument)
{
    struct survey *v = argument;
    for (struct sweep *s; (s = take(v)) != NULL; free(s))
        show(v, analyse(s));
    return NULL;
}

static uint8_t *picture(struct survey *v, long *bright)
{
    uint8_t *pixels = calloc(PICTURE, BINS);
    pthread_mutex_lock(&v->lock);
    size_t first = v->n_rows > PICTURE ? v->n_rows - PICTURE : 0;
    for (size_t i = first; pixels && i < v->n_rows; i++)
        for (int b = 0; b < BINS; b++) {
            float level = (v->rows[i]->bins[b] - v->rows[i]->floor_db) * 6;
            pixels[(i - first) * BINS + (size_t)b] = level < 0 ? 0 : level > 255 ? 255 : (uint8_t)level;
        }
    pthread_mutex_unlock(&v->lock);
    *bright = 0;
    for (int i = 0; pixels && i < PICTURE * BINS; i++)
        *bright += pixels[i] > 100;
    return pixels;
}

int main(void)
{
    static struct survey v = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER};
    pthread_t threads[WORKERS];
    long bright = 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, &v);
    for (int i = 0; i < SWEEPS; i++) {
        submit(&v, tune(i));
        if (i % 300 == 299)
            free(picture(&v, &bright));
    }
    pthread_mutex_lock(&v.lock);
    v.closed = 1;
    pthread_cond_broadcast(&v.filled);
    pthread_mutex_unlock(&v.lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    free(picture(&v, &bright));
    printf("%zu rows, mean floor %.1f dB\n", v.n_rows, v.energy / (double)v.n_rows);
    return 0;
}
