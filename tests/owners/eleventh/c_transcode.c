/* Turns recorded clips into small previews with a few threads; a page shows how far it is. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3, QUEUE = 16, WIDTH = 160, HEIGHT = 90, CLIPS = 2600 };

struct clip {
    int id, frames;
    unsigned char *pixels; /* one frame */
};

struct preview {
    unsigned char *bytes;
    size_t size;
};

struct done {
    struct done *next;
    int id;
    double ratio;
    struct preview preview;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct clip *clips[QUEUE];
    int head, count, closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    struct done *last;
    size_t count, bytes;
} status = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct clip *record_clip(int id)
{
    struct clip *c = malloc(sizeof(*c));
    c->id = id;
    c->frames = 4 + id % 5;
    c->pixels = malloc(WIDTH * HEIGHT);
    unsigned noise = (unsigned)id * 2654435761u;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        noise = noise * 1103515245u + 12345u;
        c->pixels[i] = (unsigned char)((i % WIDTH + i / WIDTH) / 2 + (noise >> 30));
    }
    return c;
}

static void queue_put(struct clip *c)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.count == QUEUE)
        pthread_cond_wait(&queue.emptied, &queue.lock);
    queue.clips[(queue.head + queue.count++) % QUEUE] = c;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

static void queue_close(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

static struct clip *queue_take(void)
{
    struct clip *c = NULL;
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && !queue.closed)
        pthread_cond_wait(&queue.filled, &queue.lock);
    if (queue.count > 0) {
        c = queue.clips[queue.head];
        queue.head = (queue.head + 1) % QUEUE;
        queue.count--;
        pthread_cond_signal(&queue.emptied);
    }
    pthread_mutex_unlock(&queue.lock);
    return c;
}

static void average(const unsigned char *in, unsigned char *out, int shift)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        out[i] = (unsigned char)((in[i] + in[(i + shift) % (WIDTH * HEIGHT)]) / 2);
}

/* Runs of equal values, after smoothing as often as there are frames. */
static struct preview encode(const struct clip *c)
{
    struct preview p = {malloc(2 * WIDTH * HEIGHT), 0};
    unsigned char *a = malloc(WIDTH * HEIGHT), *b = malloc(WIDTH * HEIGHT);
    memcpy(a, c->pixels, WIDTH * HEIGHT);
    for (int f = 0; f < c->frames; f++) {
        average(a, b, f + 1);
        unsigned char *t = a;
        a = b;
        b = t;
    }
    for (int i = 0, run; i < WIDTH * HEIGHT; i += run) {
        for (run = 1; i + run < WIDTH * HEIGHT && run < 255 && a[i + run] == a[i]; run++)
            ;
        p.bytes[p.size++] = (unsigned char)run;
        p.bytes[p.size++] = a[i];
    }
    free(a);
    free(b);
    p.bytes = realloc(p.bytes, p.size);
    return p;
}

static void finished(int id, struct preview preview)
{
    struct done *d = malloc(sizeof(*d));
    d->id = id;
    d->ratio = (double)preview.size / (WIDTH * HEIGHT);
    d->preview = preview; /* guilty */
    pthread_mutex_lock(&status.lock);
    d->next = status.last;
    status.last = d;
    status.count++;
    status.bytes += preview.size;
    pthread_mutex_unlock(&status.lock);
}

static void *work(void *unused)
{
    for (struct clip *c; (c = queue_take()) != NULL;) {
        finished(c->id, encode(c));
        free(c->pixels);
        free(c);
    }
    return unused;
}

static double status_page(void)
{
    double sum = 0;
    int n = 0;
    pthread_mutex_lock(&status.lock);
    for (const struct done *d = status.last; d && n < 10; d = d->next, n++)
        sum += d->ratio;
    pthread_mutex_unlock(&status.lock);
    return n ? sum / n : 0;
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int id = 0; id < CLIPS; id++) {
        queue_put(record_clip(id));
        if (id % 500 == 499)
            printf("%d queued, ratio %.2f\n", id + 1, status_page());
    }
    queue_close();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%zu previews, %zu bytes\n", status.count, status.bytes);
    return 0;
}
