/* An API server whose log lines are shipped to a collector by a thread of their own. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORKERS = 3, REQUESTS = 40000, CATALOGUE = 12000 };

struct line {
    struct line *next;
    size_t len;
    int level;
    char text[];
};

struct log_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct line *head, **tail;
    size_t n_lines;
    int is_closing;
};

struct product {
    unsigned sku;
    char *title;
    char *description;
};

struct request {
    unsigned long id;
    unsigned sku;
    const char *method;
    char *body;
};

static struct log_queue queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &queue.head, 0, 0};
static struct product catalogue[CATALOGUE];
static unsigned long shipped, failures;

static char *text_of(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    return text;
}

static struct line *line_new(int level, const char *text, size_t len)
{
    struct line *line = malloc(sizeof *line + len + 1);
    if (line == NULL)
        abort();
    line->next = NULL;
    line->level = level;
    line->len = len;
    memcpy(line->text, text, len + 1);
    return line;
}

static void log_write(int level, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len < 0)
        return;
    struct line *line = line_new(level, text, strlen(text)); /* guilty */
    pthread_mutex_lock(&queue.lock);
    *queue.tail = line;
    queue.tail = &line->next;
    queue.n_lines++;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

static struct line *log_take(void)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.head == NULL && !queue.is_closing)
        pthread_cond_wait(&queue.filled, &queue.lock);
    struct line *line = queue.is_closing ? NULL : queue.head;
    if (line != NULL) {
        queue.head = line->next;
        if (queue.head == NULL)
            queue.tail = &queue.head;
        queue.n_lines--;
    }
    pthread_mutex_unlock(&queue.lock);
    return line;
}

/* The collector takes a batch, and answers 503 more and more. */
static int post_batch(const char *batch, size_t len)
{
    static unsigned n_posts;
    (void)batch;
    return len > 0 && ++n_posts % 4 == 0;
}

static void *ship(void *unused)
{
    enum { BATCH = 16 * 1024 };
    char *batch = malloc(BATCH);
    size_t used = 0;
    long pause_ms = 1;
    for (struct line *line; batch != NULL && (line = log_take()) != NULL;) {
        if (used + line->len + 1 > BATCH) {
            while (!post_batch(batch, used) && !queue.is_closing) {
                struct timespec pause = {0, pause_ms * 1000000};
                failures++;
                nanosleep(&pause, NULL);
                pause_ms = pause_ms < 200 ? pause_ms * 2 : pause_ms;
            }
            used = 0;
        }
        memcpy(batch + used, line->text, line->len);
        used += line->len;
        batch[used++] = '\n';
        shipped++;
        free(line);
    }
    free(batch);
    return unused;
}

static void load_catalogue(void)
{
    for (unsigned i = 0; i < CATALOGUE; i++) {
        catalogue[i].sku = 100000 + i;
        catalogue[i].title = text_of("Garden chair, model %u", i);
        catalogue[i].description = text_of("A chair of the series %u with a seat of %u cm, made of oak, beech or ash; it can be "
                                           "stacked %u high, may stay outside, and is sent in a box of %u kg within %u days. "
                                           "Customers also looked at the table %u, at the bench %u and at our cushions.",
                                           i / 10, 40 + i % 9, i % 7, i % 20, i % 5, i + 1, i + 2);
    }
}

static void handle(const struct request *request)
{
    const struct product *product = &catalogue[request->sku % CATALOGUE];
    log_write(6, "request_id=%lu method=%s path=/v2/products/%u user_agent=\"shop-mobile/4.%lu\" body_bytes=%zu", request->id, request->method,
              product->sku, request->id % 20, strlen(request->body));
    char *answer = text_of("{\"sku\":%u,\"title\":\"%s\",\"description\":\"%s\"}", product->sku, product->title, product->description);
    log_write(7, "request_id=%lu db=products rows=1 cache=%s query=\"SELECT sku, title, description FROM products WHERE sku = %u\"",
              request->id, request->id % 3 ? "hit" : "miss", product->sku);
    log_write(6, "request_id=%lu status=200 bytes=%zu", request->id, strlen(answer));
    free(answer);
}

static void *work(void *number)
{
    unsigned long first = (unsigned long)number;
    for (unsigned long i = first; i < REQUESTS * WORKERS; i += WORKERS) {
        struct request request = {i, (unsigned)(i * 2654435761u), i % 5 ? "GET" : "PATCH", text_of("{\"visitor\":%lu}", i)};
        handle(&request);
        free(request.body);
    }
    return NULL;
}

int main(void)
{
    pthread_t shipper, workers[WORKERS];
    load_catalogue();
    pthread_create(&shipper, NULL, ship, NULL);
    for (unsigned long i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_mutex_lock(&queue.lock);
    queue.is_closing = 1;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
    pthread_join(shipper, NULL);
    printf("%lu lines shipped, %lu times refused, %zu waiting\n", shipped, failures, queue.n_lines);
    return 0;
}
