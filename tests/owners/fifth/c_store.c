/* An ordered store in memory, with snapshots for readers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { ST_OK = 0, ST_NOMEM = -1, ST_NOTFOUND = -2 } status_t;

#define MAX_LEVEL 12

typedef struct node {
    char *key, *value;
    int levels;
    struct node *next[];
} node_t;

typedef struct {
    node_t *head;
    unsigned count;
} skiplist_t;

typedef struct snapshot {
    skiplist_t *view;
    unsigned long sequence;
    int references;
    struct snapshot *older;
} snapshot_t;

typedef struct {
    skiplist_t *live;
    snapshot_t *snapshots;
    unsigned long sequence;
} store_t;

static status_t node_create(node_t **out, int levels, const char *key, const char *value)
{
    node_t *n = calloc(1, sizeof(node_t) + (size_t)levels * sizeof(node_t *));
    if (n == NULL)
        goto fail;
    n->levels = levels;
    if ((n->key = strdup(key)) == NULL)
        goto fail;
    if ((n->value = strdup(value)) == NULL)
        goto fail;
    *out = n;
    return ST_OK;
fail:
    if (n != NULL)
        free(n->key);
    free(n);
    return ST_NOMEM;
}

static status_t skiplist_create(skiplist_t **out)
{
    skiplist_t *l = calloc(1, sizeof *l);
    if (l == NULL)
        return ST_NOMEM;
    status_t st = node_create(&l->head, MAX_LEVEL, "", "");
    if (st == ST_OK)
        *out = l;
    else
        free(l);
    return st;
}

static status_t skiplist_put(skiplist_t *l, const char *key, const char *value)
{
    node_t *before[MAX_LEVEL], *at = l->head, *made;
    for (int i = MAX_LEVEL - 1; i >= 0; i--) {
        while (at->next[i] && strcmp(at->next[i]->key, key) < 0)
            at = at->next[i];
        before[i] = at;
    }
    node_t *same = at->next[0];
    if (same && strcmp(same->key, key) == 0) {
        char *copy = strdup(value);
        if (copy == NULL)
            return ST_NOMEM;
        free(same->value);
        same->value = copy;
        return ST_OK;
    }
    int levels = 1;
    while (levels < MAX_LEVEL && rand() % 4 == 0)
        levels++;
    status_t st = node_create(&made, levels, key, value);
    if (st != ST_OK)
        return st;
    for (int i = 0; i < levels; i++) {
        made->next[i] = before[i]->next[i];
        before[i]->next[i] = made;
    }
    l->count++;
    return ST_OK;
}

static status_t skiplist_copy(const skiplist_t *from, skiplist_t **out)
{
    skiplist_t *l;
    status_t st = skiplist_create(&l);
    node_t *last[MAX_LEVEL];
    if (st != ST_OK)
        return st;
    for (int i = 0; i < MAX_LEVEL; i++)
        last[i] = l->head;
    for (const node_t *n = from->head->next[0]; n; n = n->next[0]) {
        node_t *copy;
        if ((st = node_create(&copy, n->levels, n->key, n->value)) != ST_OK)
            return st;
        for (int i = 0; i < n->levels; i++)
            last[i] = last[i]->next[i] = copy;
    }
    l->count = from->count;
    *out = l;
    return ST_OK;
}

/* Made for a reader, who gives it back; it is dropped with the store, though, not with the last reference. */
static snapshot_t *snapshot_acquire(store_t *s)
{
    if (s->snapshots && s->snapshots->sequence == s->sequence) {
        s->snapshots->references++;
        return s->snapshots;
    }
    snapshot_t *snap = calloc(1, sizeof *snap);
    if (snap == NULL || skiplist_copy(s->live, &snap->view) != ST_OK) { /* guilty */
        free(snap);
        return NULL;
    }
    snap->sequence = s->sequence;
    snap->references = 1;
    snap->older = s->snapshots;
    return s->snapshots = snap;
}

static void snapshot_release(snapshot_t *snap) { snap->references--; }

static status_t cmd_set(store_t *s, const char *key, const char *value)
{
    s->sequence++;
    return skiplist_put(s->live, key, value);
}

static long cmd_count(store_t *s)
{
    snapshot_t *snap = snapshot_acquire(s);
    if (snap == NULL)
        return ST_NOMEM;
    long n = snap->view->count;
    snapshot_release(snap);
    return n;
}

static long cmd_range(store_t *s, const char *from, const char *to)
{
    snapshot_t *snap = snapshot_acquire(s);
    long n = 0;
    if (snap == NULL)
        return ST_NOMEM;
    for (node_t *at = snap->view->head->next[0]; at; at = at->next[0])
        n += strcmp(at->key, from) >= 0 && strcmp(at->key, to) < 0;
    snapshot_release(snap);
    return n;
}

int main(void)
{
    store_t s = {0};
    char key[32], value[64];
    long seen = 0;
    if (skiplist_create(&s.live) != ST_OK)
        return 1;
    for (int i = 0; i < 6000; i++) {
        snprintf(key, sizeof key, "user:%d", i * 7919 % 5003);
        snprintf(value, sizeof value, "{\"visits\": %d, \"last\": \"page %d\"}", i, i % 40);
        if (cmd_set(&s, key, value) != ST_OK)
            return 1;
        if (i % 64 == 63)
            seen += i % 128 == 63 ? cmd_count(&s) : cmd_range(&s, "user:2", "user:4");
    }
    printf("%ld seen, %u keys\n", seen, s.live->count);
    return seen < 0;
}
