#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct tile { int x, y; unsigned char *pixels; struct tile *next; };
static struct { struct tile *head, *tail; int closed; pthread_mutex_t lock; pthread_cond_t more; } queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};
static struct tile *atlas[1 << 14];
static void enqueue(struct tile *t)
{
    pthread_mutex_lock(&queue.lock);
    t->next = NULL;
    if (queue.tail) queue.tail->next = t; else queue.head = t;
    queue.tail = t;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}
static struct tile *dequeue(void)
{
    pthread_mutex_lock(&queue.lock);
    while (!queue.head && !queue.closed) pthread_cond_wait(&queue.more, &queue.lock);
    struct tile *t = queue.head;
    if (t) { queue.head = t->next; if (!queue.head) queue.tail = NULL; }
    pthread_mutex_unlock(&queue.lock);
    return t;
}
static struct tile *decode(int x, int y)
{
    struct tile *t = malloc(sizeof *t);
    t->x = x; t->y = y;
    t->pixels = malloc(8192);
    memset(t->pixels, x ^ y, 8192);
    return t;
}
static void place(struct tile *t)
{
    unsigned key = ((unsigned)t->y << 7 | (unsigned)t->x) & ((1 << 14) - 1);
    if (atlas[key]) { free(atlas[key]->pixels); free(atlas[key]); }
    atlas[key] = t; /* guilty */
}
static void *assemble(void *unused)
{
    (void)unused;
    struct tile *t;
    while ((t = dequeue())) place(t);
    return NULL;
}
static void scan(int rows) { for (int y = 0; y < rows; y++) for (int x = 0; x < 128; x++) enqueue(decode(x, y)); }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, assemble, NULL);
    scan(40);
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
    pthread_join(thread, NULL);
    printf("%p\n", (void *)atlas[1]);
    return 0;
}
