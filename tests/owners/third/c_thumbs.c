/* A pool of threads: jobs come as functions with an argument; one of the jobs keeps every picture that it scaled. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct job *next;
    void (*run)(void *);
    void *argument;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *first, **last;
    int closed;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &queue.first, 0};

static void submit(void (*run)(void *), void *argument)
{
    struct job *job = malloc(sizeof *job);
    *job = (struct job){NULL, run, argument};
    pthread_mutex_lock(&queue.lock);
    *queue.last = job;
    queue.last = &job->next;
    pthread_cond_signal(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

static void *worker(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&queue.lock);
        while (!queue.first && !queue.closed)
            pthread_cond_wait(&queue.changed, &queue.lock);
        struct job *job = queue.first;
        if (job && !(queue.first = job->next))
            queue.last = &queue.first;
        pthread_mutex_unlock(&queue.lock);
        if (!job)
            return NULL;
        job->run(job->argument);
        free(job);
    }
}

struct image {
    int width, height;
    uint8_t *pixels;
};

/* Rows begin at a cache line, as the code for vectors wants it. */
static uint8_t *pixels_new(int width, int height)
{
    void *p;
    if (posix_memalign(&p, 64, (size_t)width * (size_t)height) != 0)
        abort();
    memset(p, 128, (size_t)width * (size_t)height);
    return p;
}

static struct image *decode(int number)
{
    struct image *image = malloc(sizeof *image);
    image->width = image->height = 256;
    image->pixels = pixels_new(256, 256);
    image->pixels[number % 65536] = (uint8_t)number;
    return image;
}

static void image_free(struct image *image)
{
    free(image->pixels);
    free(image);
}

static pthread_mutex_t gallery_lock = PTHREAD_MUTEX_INITIALIZER;
static struct image gallery[8192];
static size_t pictures;
static unsigned sums[64];

static void make_thumbnail(void *argument)
{
    struct image *full = decode((int)(intptr_t)argument);
    struct image small = {full->width / 4, full->height / 4, NULL};
    small.pixels = pixels_new(small.width, small.height); /* guilty */
    for (int y = 0; y < small.height; y++)
        for (int x = 0; x < small.width; x++)
            small.pixels[y * small.width + x] = full->pixels[4 * (y * full->width + x)];
    image_free(full);
    pthread_mutex_lock(&gallery_lock);
    gallery[pictures++ % 8192] = small;
    pthread_mutex_unlock(&gallery_lock);
}

static void sum_up(void *argument)
{
    struct image *full = decode((int)(intptr_t)argument);
    unsigned sum = 0;
    for (int i = 0; i < full->width * full->height; i++)
        sum = sum * 31 + full->pixels[i];
    sums[(intptr_t)argument % 64] = sum;
    image_free(full);
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (intptr_t i = 0; i < 8000; i++) {
        submit(make_thumbnail, (void *)i);
        if (i % 8 == 0)
            submit(sum_up, (void *)i);
    }
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%zu %u\n", pictures, sums[0]);
    return 0;
}
