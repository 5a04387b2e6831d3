/* A file system over SFTP: looks paths up for the kernel, reads directories from the server, and caches the attributes it gets
 * with each. Here a backup walks the whole tree of the server once, a part of it twice. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_TIMEOUT 20

struct attributes {
    uint64_t size;
    uint32_t uid, gid, mode, atime, mtime;
    char *link;
};

struct cache_node {
    struct cache_node *next;
    char *path;
    struct attributes attributes;
    time_t valid_until;
};

struct cache {
    struct cache_node **table;
    size_t buckets, used;
    unsigned long hits, misses;
};

struct reply {
    char *data;
    size_t length, at;
};

struct entry {
    char name[64];
    struct attributes attributes;
};

struct connection {
    uint32_t next_id;
    unsigned long requests;
    struct cache cache;
    time_t clock;
};

static uint32_t hash_path(const char *path)
{
    uint32_t h = 5381;
    for (; *path; path++)
        h = h * 33 + (unsigned char)*path;
    return h;
}

static void cache_grow(struct cache *cache)
{
    size_t buckets = cache->buckets ? cache->buckets * 2 : 1024;
    struct cache_node **table = calloc(buckets, sizeof(*table));
    for (size_t i = 0; i < cache->buckets; i++)
        for (struct cache_node *node = cache->table[i], *next; node; node = next) {
            next = node->next;
            node->next = table[hash_path(node->path) % buckets];
            table[hash_path(node->path) % buckets] = node;
        }
    free(cache->table);
    cache->table = table;
    cache->buckets = buckets;
}

static struct cache_node *cache_find(const struct cache *cache, const char *path)
{
    if (!cache->buckets)
        return NULL;
    struct cache_node *node = cache->table[hash_path(path) % cache->buckets];
    while (node && strcmp(node->path, path) != 0)
        node = node->next;
    return node;
}

static void cache_attributes(struct connection *c, const char *path, const struct attributes *attributes)
{
    struct cache *cache = &c->cache;
    struct cache_node *node = cache_find(cache, path);
    if (!node) {
        if (cache->used++ >= cache->buckets)
            cache_grow(cache);
        node = calloc(1, sizeof(*node));
        node->path = strdup(path); /* guilty */
        uint32_t at = hash_path(path) % cache->buckets;
        node->next = cache->table[at];
        cache->table[at] = node;
    }
    free(node->attributes.link);
    node->attributes = *attributes;
    node->attributes.link = attributes->link ? strdup(attributes->link) : NULL;
    node->valid_until = c->clock + CACHE_TIMEOUT;
}

static int get_attributes(struct connection *c, const char *path, struct attributes *to)
{
    const struct cache_node *node = cache_find(&c->cache, path);
    if (node && node->valid_until > c->clock) {
        c->cache.hits++;
        *to = node->attributes;
        return 0;
    }
    c->cache.misses++;
    return -ENOENT;
}

/* What the server would send for READDIR. */
static struct reply *request_directory(struct connection *c, const char *path, int depth)
{
    struct reply *reply = calloc(1, sizeof(*reply));
    unsigned files = depth == 3 ? 25 : 12;
    reply->data = malloc(files * sizeof(struct entry));
    for (unsigned i = 0; i < files; i++) {
        struct entry e = {.attributes = {.size = hash_path(path) % 65536 + i, .uid = 1000, .gid = 100, .mtime = 1700000000 + i}};
        e.attributes.mode = depth < 3 ? 040755 : i % 12 == 11 ? 0120777 : 0100644;
        snprintf(e.name, sizeof(e.name), depth < 3 ? "project-%02u" : "IMG_20231104_%06u.jpeg", i * 7);
        memcpy(reply->data + reply->length, &e, sizeof(e));
        reply->length += sizeof(e);
    }
    c->next_id++;
    c->requests++;
    c->clock += c->requests % 4 == 0;
    return reply;
}

static int next_entry(struct reply *reply, struct entry *entry)
{
    if (reply->at == reply->length)
        return 0;
    memcpy(entry, reply->data + reply->at, sizeof(*entry));
    reply->at += sizeof(*entry);
    return 1;
}

static void reply_free(struct reply *reply)
{
    free(reply->data);
    free(reply);
}

static uint64_t sftp_readdir(struct connection *c, const char *path, int depth)
{
    struct reply *reply = request_directory(c, path, depth);
    struct entry entry;
    uint64_t total = 0;
    char full[512], target[64];
    while (next_entry(reply, &entry)) {
        snprintf(full, sizeof(full), "%s/%s", path, entry.name);
        snprintf(target, sizeof(target), "../originals/%.40s", entry.name);
        entry.attributes.link = (entry.attributes.mode & 0170000) == 0120000 ? target : NULL;
        cache_attributes(c, full, &entry.attributes);
        struct attributes now;
        if (get_attributes(c, full, &now) == 0)
            total += now.size;
        if ((entry.attributes.mode & 0170000) == 040000)
            total += sftp_readdir(c, full, depth + 1);
    }
    reply_free(reply);
    return total;
}

int main(void)
{
    struct connection c = {.next_id = 1};
    char *paths[3000];
    size_t mounted = 0;
    uint64_t total = 0;
    for (; mounted < 8; mounted++) {
        paths[mounted] = calloc(1, 1 << 19); /* buffers for reads of the mounted shares */
        snprintf(paths[mounted], 64, "/srv/archive/photos/share-%zu", mounted);
        total += sftp_readdir(&c, paths[mounted], 0) + (mounted % 3 == 0 ? sftp_readdir(&c, paths[mounted], 2) : 0);
    }
    printf("%lu requests, %zu cached, %lu hits, %lu misses, %lu MB\n", c.requests, c.cache.used, c.cache.hits, c.cache.misses, total >> 20);
    while (mounted)
        free(paths[--mounted]);
    return 0;
}
