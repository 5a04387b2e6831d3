/* The cache of a name server: a map made by a macro, which is asked for names that nobody asks for twice. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

#define DEFINE_MAP(NAME, VALUE)                                                                    \
    struct NAME {                                                                                  \
        char **keys;                                                                               \
        VALUE *values;                                                                             \
        size_t used, size;                                                                         \
    };                                                                                             \
    static VALUE *NAME##_slot(struct NAME *map, const char *key, int *out_is_new)                  \
    {                                                                                              \
        uint64_t h = 14695981039346656037u;                                                        \
        for (const char *c = key; *c; c++)                                                         \
            h = (h ^ (unsigned char)*c) * 1099511628211u;                                          \
        size_t i = h & (map->size - 1);                                                            \
        while (map->keys[i] && strcmp(map->keys[i], key) != 0)                                     \
            i = (i + 1) & (map->size - 1);                                                         \
        *out_is_new = !map->keys[i];                                                               \
        if (*out_is_new) {                                                                         \
            map->keys[i] = copy_text(key);                                                         \
            map->used++;                                                                           \
        }                                                                                          \
        return &map->values[i];                                                                    \
    }                                                                                              \
    static void NAME##_grow(struct NAME *map)                                                      \
    {                                                                                              \
        struct NAME old = *map;                                                                    \
        map->size = old.size ? old.size * 2 : 64;                                                  \
        map->used = 0;                                                                             \
        map->keys = calloc(map->size, sizeof *map->keys);                                          \
        map->values = calloc(map->size, sizeof *map->values);                                      \
        for (size_t i = 0; i < old.size; i++)                                                      \
            if (old.keys[i]) {                                                                     \
                int is_new;                                                                        \
                *NAME##_slot(map, old.keys[i], &is_new) = old.values[i];                           \
                free(old.keys[i]);                                                                 \
            }                                                                                      \
        free(old.keys);                                                                            \
        free(old.values);                                                                          \
    }                                                                                              \
    static VALUE *NAME##_put(struct NAME *map, const char *key)                                    \
    {                                                                                              \
        int is_new;                                                                                \
        if (map->used * 2 >= map->size)                                                            \
            NAME##_grow(map);                                                                      \
        return NAME##_slot(map, key, &is_new);                                                     \
    }

struct answer {
    uint32_t addresses[60];
    uint16_t count, seconds;
};

DEFINE_MAP(answers, struct answer)
DEFINE_MAP(counters, uint64_t)

static struct answers cache;
static struct counters asked;

static void ask_upstream(const char *name, struct answer *out)
{
    unsigned char *packet = malloc(4096);
    snprintf((char *)packet, 4096, "?%s", name);
    out->count = 0;
    for (size_t i = 0; i < 60 && packet[i]; i++)
        out->addresses[out->count++] = packet[i] * 16777619u;
    out->seconds = 300;
    free(packet);
}

static void keep_answer(const char *name, const struct answer *answer)
{
    struct answer *slot = answers_put(&cache, name); /* guilty */
    *slot = *answer;
    slot->seconds = (uint16_t)(slot->seconds < 60 ? 60 : slot->seconds);
}

static void count_zone(const char *name)
{
    const char *zone = strchr(name, '.');
    ++*counters_put(&asked, zone ? zone + 1 : name);
}

static uint32_t resolve(const char *name)
{
    struct answer answer;
    count_zone(name);
    ask_upstream(name, &answer);
    keep_answer(name, &answer);
    return answer.addresses[0];
}

int main(void)
{
    uint32_t sum = 0;
    char name[100];
    for (unsigned i = 0; i < 120000; i++) {
        snprintf(name, sizeof name, "%08x.tracker%u.example.org", i * 2654435761u, i % 300);
        sum += resolve(name);
    }
    printf("%u, %zu names, %zu zones\n", sum, cache.used, asked.used);
    return 0;
}
