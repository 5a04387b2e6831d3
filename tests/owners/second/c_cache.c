/* A cache whose eviction never finds anything old, because it compares the wrong clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096

struct entry {
    struct entry *next;
    unsigned key, used_at;
    size_t size;
    char *body;
};

static struct entry *buckets[BUCKETS];
static unsigned now;
static char *volatile banner;

__attribute__((noinline)) static void *mem_get(size_t size)
{
    void *p = malloc(size);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

__attribute__((noinline)) static void evict(unsigned bucket)
{
    struct entry **at = &buckets[bucket];
    while (*at) {
        struct entry *e = *at;
        if (e->used_at > now + 1000) {
            *at = e->next;
            free(e->body);
            free(e);
        } else {
            at = &e->next;
        }
    }
}

__attribute__((noinline)) static void cache_store(unsigned key, const char *body, size_t size)
{
    unsigned bucket = key % BUCKETS;
    evict(bucket);
    struct entry *e = mem_get(sizeof *e);
    e->key = key;
    e->used_at = now++;
    e->size = size;
    e->body = mem_get(size); /* guilty */
    memcpy(e->body, body, size);
    e->next = buckets[bucket];
    buckets[bucket] = e;
}

__attribute__((noinline)) static void print_banner(void)
{
    banner = mem_get(1 << 20);
    strcpy(banner, "cache 1.0");
}

__attribute__((noinline)) static void answer(unsigned key)
{
    char body[1200];
    memset(body, 'a' + (int)(key % 26), sizeof body);
    cache_store(key, body, 600 + key % 600);
}

int main(void)
{
    print_banner();
    for (unsigned i = 0; i < 50000; i++)
        answer(i * 2654435761u);
    printf("%s\n", banner);
    return 0;
}
