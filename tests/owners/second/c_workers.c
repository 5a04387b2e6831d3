/* Threads that answer requests; what they answer stays in a queue that nobody empties. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct item {
    struct item *next;
    void *payload;
};

struct queue {
    pthread_mutex_t lock;
    struct item *first;
};

static struct queue done = {PTHREAD_MUTEX_INITIALIZER, NULL};

__attribute__((noinline)) static void queue_push(struct queue *q, void *payload)
{
    struct item *it = malloc(sizeof *it);
    it->payload = payload;
    pthread_mutex_lock(&q->lock);
    it->next = q->first;
    q->first = it;
    pthread_mutex_unlock(&q->lock);
}

__attribute__((noinline)) static void handle_request(int number)
{
    char *reply = malloc(1500); /* guilty */
    memset(reply, number, 1500);
    queue_push(&done, reply);
}

__attribute__((noinline)) static void *worker(void *arg)
{
    char *scratch = malloc(100000);
    for (int i = 0; i < 10000; i++) {
        memset(scratch, i, 100);
        handle_request(i);
    }
    free(scratch);
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
