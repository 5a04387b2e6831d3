/* Renders map tiles on a few worker threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 3
#define TILE 48
#define JOBS 6600

struct scratch {
    struct scratch *next;
    int busy;
    size_t size;
    float *px;
};

struct job {
    int x, y, zoom;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_job;
static unsigned long checksum;
static __thread struct scratch *my_scratch;

static struct scratch *scratch_get(size_t n)
{
    for (struct scratch *s = my_scratch; s; s = s->next) {
        if (!s->busy && s->size == n) {
            s->busy = 1;
            return s;
        }
    }
    struct scratch *s = malloc(sizeof *s);
    s->px = malloc(n * sizeof(float)); /* guilty */
    s->size = n;
    s->busy = 1;
    s->next = my_scratch;
    my_scratch = s;
    return s;
}

static void scratch_put(struct scratch *s)
{
    s->busy = 0;
}

static int take_job(struct job *j)
{
    pthread_mutex_lock(&lock);
    int n = next_job < JOBS ? next_job++ : -1;
    pthread_mutex_unlock(&lock);
    if (n < 0)
        return 0;
    j->x = n % 97;
    j->y = n / 97;
    j->zoom = 1 + n % 7;
    return 1;
}

static void shade(float *px, int w, int h, const struct job *j)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            px[y * w + x] = (float)((x * j->zoom + j->x) ^ (y + j->y)) / 255.0f;
}

static unsigned char *quantize(const float *px, size_t n)
{
    unsigned char *out = malloc(n);
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)(px[i] * 31);
    return out;
}

static unsigned long encode(const unsigned char *q, size_t n)
{
    unsigned long runs = 0;
    for (size_t i = 1; i < n; i++)
        runs += q[i] != q[i - 1];
    return runs;
}

static void render(const struct job *j)
{
    int w = TILE + j->x, h = TILE + j->y + j->zoom;
    size_t n = (size_t)w * h;
    struct scratch *s = scratch_get(n);
    shade(s->px, w, h, j);
    unsigned char *q = quantize(s->px, n);
    unsigned long runs = encode(q, n);
    free(q);
    scratch_put(s);
    pthread_mutex_lock(&lock);
    checksum += runs;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    struct job j;
    unsigned done = 0;
    (void)arg;
    while (take_job(&j)) {
        render(&j);
        if (++done % 10 == 0)
            usleep(6000);
    }
    usleep(250000);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("checksum %lu\n", checksum);
    return 0;
}
