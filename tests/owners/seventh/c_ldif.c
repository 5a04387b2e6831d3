/* Imports a directory from LDIF and answers searches by its indexes. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t id_t32;

typedef struct {
    id_t32 *ids;
    uint32_t n, max;
} idlist;

typedef struct slot {
    struct slot *next;
    uint64_t key;
    idlist list;
} slot;

typedef struct {
    slot **buckets;
    size_t mask, used;
} idmap;

typedef struct {
    const char *name;
    idmap eq, sub;
    idlist present;
} attr;

enum { CN, MAIL, UID, DESCRIPTION, ATTRS };

static attr attrs[ATTRS] = {{.name = "cn"}, {.name = "mail"}, {.name = "uid"}, {.name = "description"}};

static void *ch_realloc(void *old, size_t n)
{
    void *p = realloc(old, n);
    if (!p && n) {
        fprintf(stderr, "ldif: cannot allocate %zu bytes\n", n);
        exit(2);
    }
    return p;
}

static void *ch_calloc(size_t n, size_t size)
{
    return memset(ch_realloc(NULL, n * size), 0, n * size);
}

static void idl_append(idlist *l, id_t32 id)
{
    if (l->n && l->ids[l->n - 1] == id) return;
    if (l->n == l->max) {
        l->max = l->max ? l->max * 2 : 4;
        l->ids = ch_realloc(l->ids, l->max * sizeof *l->ids);
    }
    l->ids[l->n++] = id;
}

static void map_resize(idmap *m)
{
    size_t mask = m->mask ? 2 * m->mask + 1 : 255;
    slot **fresh = ch_calloc(mask + 1, sizeof *fresh);
    for (size_t i = 0; m->buckets && i <= m->mask; i++) {
        for (slot *s = m->buckets[i], *next; s; s = next) {
            next = s->next;
            s->next = fresh[s->key & mask];
            fresh[s->key & mask] = s;
        }
    }
    free(m->buckets);
    m->buckets = fresh;
    m->mask = mask;
}

static idlist *map_find(idmap *m, uint64_t key, int add)
{
    slot *s;
    if (m->buckets)
        for (s = m->buckets[key & m->mask]; s; s = s->next)
            if (s->key == key) return &s->list;
    if (!add) return NULL;
    if (m->used >= m->mask) map_resize(m);
    s = ch_calloc(1, sizeof *s);
    s->key = key;
    s->next = m->buckets[key & m->mask];
    m->buckets[key & m->mask] = s;
    m->used++;
    return &s->list;
}

static uint64_t hash(const char *s, size_t n)
{
    uint64_t h = 1469598103934665603u;
    while (n--) h = (h ^ (unsigned char)tolower(*s++)) * 1099511628211u;
    return h ^ h >> 29;
}

static void index_presence(attr *a, id_t32 id)
{
    idl_append(&a->present, id);
}

static void index_equality(attr *a, const char *value, id_t32 id)
{
    if (a == &attrs[DESCRIPTION]) return;
    idl_append(map_find(&a->eq, hash(value, strlen(value)), 1), id);
}

/* For filters such as (cn=*art*). */
static void index_substrings(attr *a, const char *value, id_t32 id)
{
    size_t n = strlen(value);
    for (size_t i = 0; i + 3 <= n; i++) {
        idlist *l = map_find(&a->sub, hash(value + i, 3), 1);
        idl_append(l, id); /* guilty */
    }
}

static attr *attr_of(const char *line, size_t n)
{
    for (int i = 0; i < ATTRS; i++)
        if (strlen(attrs[i].name) == n && strncasecmp(attrs[i].name, line, n) == 0) return &attrs[i];
    return NULL;
}

static void add_value(char *line, id_t32 id)
{
    char *colon = strchr(line, ':');
    attr *a = colon ? attr_of(line, colon - line) : NULL;
    if (!a) return;
    char *value = colon + 1 + strspn(colon + 1, " ");
    index_presence(a, id);
    index_equality(a, value, id);
    index_substrings(a, value, id);
}

static id_t32 import(FILE *f)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t n;
    id_t32 id = 1;
    while ((n = getline(&line, &size, f)) > 0) {
        while (n && isspace((unsigned char)line[n - 1])) line[--n] = '\0';
        if (n == 0) id++;
        else add_value(line, id);
    }
    free(line);
    return id - 1;
}

static FILE *made_up(id_t32 people)
{
    static const char *first[] = {"Ada", "Bertil", "Carmen", "Dorothea", "Emeka", "Fatima", "Goran", "Hanako"};
    FILE *f = tmpfile();
    for (id_t32 i = 0; i < people; i++) {
        fprintf(f, "dn: uid=u%u,ou=people\ncn: %s Surname%u\nuid: u%u\nmail: %s.%u@example.org\n", i, first[i % 8], i * 37 % 9973, i, first[i % 8], i);
        fprintf(f, "description: works in room %u of building %u, and can be called by extension %u\n\n", i % 613, i % 41, i * 7);
    }
    rewind(f);
    return f;
}

int main(void)
{
    FILE *f = made_up(60000);
    id_t32 n = import(f);
    fclose(f);
    idlist *found = map_find(&attrs[CN].sub, hash("ert", 3), 0);
    idlist *one = map_find(&attrs[UID].eq, hash("u4711", 5), 0);
    printf("%u entries; %u with *ert*, %u of u4711\n", n, found ? found->n : 0, one ? one->n : 0);
    for (int i = 0; i < ATTRS; i++) printf("%s: %zu equal, %zu parts\n", attrs[i].name, attrs[i].eq.used, attrs[i].sub.used);
    return 0;
}
