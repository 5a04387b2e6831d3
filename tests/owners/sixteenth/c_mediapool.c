/* mediapool - media service with a worker pool; submitted work is tracked by handles. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKERS 3

struct task {
    struct task *next;
    atomic_int refs;
    int done;
    uint32_t result;
    uint32_t (*run)(const uint8_t *in, size_t n);
    size_t n;
    uint8_t in[];
};

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static struct task *first, **last = &first;
static int stopping, backlog;
static atomic_ulong thumbs;

/* Both the pool and the submitter hold a reference to a task. */
static void task_put(struct task *t)
{
    if (atomic_fetch_sub(&t->refs, 1) == 1) free(t);
}

static struct task *pool_submit(uint32_t (*run)(const uint8_t *, size_t), const void *in, size_t n)
{
    struct task *t = malloc(sizeof *t + n);
    if (!t) abort();
    atomic_init(&t->refs, 2);
    t->done = 0;
    t->run = run;
    t->n = n;
    memcpy(t->in, in, n);
    t->next = NULL;
    pthread_mutex_lock(&mu);
    while (backlog > 200) pthread_cond_wait(&finished, &mu);
    *last = t;
    last = &t->next;
    backlog++;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&mu);
    return t;
}

static uint32_t task_wait(struct task *t)
{
    pthread_mutex_lock(&mu);
    while (!t->done) pthread_cond_wait(&finished, &mu);
    pthread_mutex_unlock(&mu);
    return t->result;
}

static void *worker(void *arg)
{
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&mu);
        while (!first && !stopping) pthread_cond_wait(&work, &mu);
        struct task *t = first;
        if (!t) { pthread_mutex_unlock(&mu); return NULL; }
        if (!(first = t->next)) last = &first;
        pthread_mutex_unlock(&mu);
        uint32_t r = t->run(t->in, t->n);
        pthread_mutex_lock(&mu);
        t->result = r;
        t->done = 1;
        backlog--;
        pthread_cond_broadcast(&finished);
        pthread_mutex_unlock(&mu);
        task_put(t);
    }
}

static uint32_t run_checksum(const uint8_t *in, size_t n)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) { a = (a + in[i]) % 65521; b = (b + a) % 65521; }
    return b << 16 | a;
}

static uint32_t run_thumbnail(const uint8_t *in, size_t n)
{
    uint8_t *small = calloc(1, n / 16 + 1);
    uint32_t sum = 0;
    if (!small) abort();
    for (size_t i = 0; i + 16 <= n; i += 16) {
        unsigned v = 0;
        for (int k = 0; k < 16; k++) v += in[i + (size_t)k];
        small[i / 16] = (uint8_t)(v / 16);
        sum += small[i / 16];
    }
    free(small);
    atomic_fetch_add(&thumbs, 1);
    return sum;
}

static uint32_t verify(const uint8_t *img, size_t n)
{
    struct task *t = pool_submit(run_checksum, img, n);
    uint32_t sum = task_wait(t);
    task_put(t);
    return sum;
}

static void make_preview(const uint8_t *img, size_t n)
{
    if (n < 2000)
        return;
    pool_submit(run_thumbnail, img, n); /* guilty */
}

static uint8_t *receive_upload(unsigned k, size_t *n)
{
    *n = 1000 + k * 7919u % 11000;
    uint8_t *img = malloc(*n);
    if (!img) abort();
    for (size_t i = 0; i < *n; i++) img[i] = (uint8_t)(i * k >> 3);
    return img;
}

int main(void)
{
    pthread_t th[WORKERS];
    uint32_t all = 0;
    for (int i = 0; i < WORKERS; i++) pthread_create(&th[i], NULL, worker, NULL);
    for (unsigned k = 1; k <= 10000; k++) {
        size_t n;
        uint8_t *img = receive_upload(k, &n);
        all ^= verify(img, n);
        make_preview(img, n);
        free(img);
        if (k % 50 == 0) usleep(10000);
    }
    pthread_mutex_lock(&mu);
    stopping = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&mu);
    for (int i = 0; i < WORKERS; i++) pthread_join(th[i], NULL);
    printf("checksum %08x, %lu previews\n", all, atomic_load(&thumbs));
    return 0;
}
