/* The lock daemon of a file server: grants ranges of files to clients, and queues those that conflict. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES 40000
#define CLIENTS 900

struct lock {
    struct lock *next;
    uint32_t client, pid;
    uint64_t start, end;
    bool exclusive;
    char owner[36]; /* as the client calls itself */
};

struct wait {
    struct wait *next;
    uint32_t file, client, pid;
    uint64_t start, end;
    bool exclusive;
};

struct file {
    struct lock *locks;
    uint32_t n_locks;
    uint32_t handle[8];
};

struct client {
    char *host;
    bool alive;
    uint32_t boot, requests;
};

struct daemon {
    struct file *files;
    struct client clients[CLIENTS];
    struct wait *first, **last;
    unsigned long granted, denied, unlocked, woken, reboots;
};

static uint32_t seed = 99;

static uint32_t rnd(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

static void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        perror("lockd");
        exit(1);
    }
    return p;
}

static bool conflicts(const struct file *f, uint32_t client, uint32_t pid, uint64_t start, uint64_t end, bool exclusive)
{
    int looked = 0;
    for (const struct lock *l = f->locks; l && looked < 64; l = l->next, looked++)
        if ((l->client != client || l->pid != pid) && l->start < end && start < l->end && (exclusive || l->exclusive))
            return true;
    return false;
}

static void grant(struct daemon *d, uint32_t file, uint32_t client, uint32_t pid, uint64_t start, uint64_t end, bool exclusive)
{
    struct file *f = &d->files[file];
    struct lock *l = xcalloc(1, sizeof(*l)); /* guilty */
    l->client = client;
    l->pid = pid;
    l->start = start;
    l->end = end;
    l->exclusive = exclusive;
    snprintf(l->owner, sizeof(l->owner), "%u@%s#%u", pid, d->clients[client].host, d->clients[client].boot);
    l->next = f->locks;
    f->locks = l;
    f->n_locks++;
    d->granted++;
}

static void enqueue(struct daemon *d, uint32_t file, uint32_t client, uint32_t pid, uint64_t start, uint64_t end, bool exclusive)
{
    struct wait *w = xcalloc(1, sizeof(*w));
    *w = (struct wait){NULL, file, client, pid, start, end, exclusive};
    *d->last = w;
    d->last = &w->next;
}

static void request(struct daemon *d, uint32_t file, uint32_t client, uint32_t pid, uint64_t start, uint64_t end, bool exclusive, bool block)
{
    d->clients[client].requests++;
    if (!conflicts(&d->files[file], client, pid, start, end, exclusive))
        grant(d, file, client, pid, start, end, exclusive);
    else if (block)
        enqueue(d, file, client, pid, start, end, exclusive);
    else
        d->denied++;
}

static void release(struct daemon *d, uint32_t file, uint32_t client, uint32_t pid)
{
    struct file *f = &d->files[file];
    for (struct lock **at = &f->locks; *at;) {
        struct lock *l = *at;
        if (l->client != client || l->pid != pid) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        free(l);
        f->n_locks--;
        d->unlocked++;
    }
}

/* Tries those that wait once more; who waits longer than one turn is told so. */
static void wake(struct daemon *d)
{
    struct wait *w = d->first;
    d->first = NULL;
    d->last = &d->first;
    while (w) {
        struct wait *next = w->next;
        if (!conflicts(&d->files[w->file], w->client, w->pid, w->start, w->end, w->exclusive)) {
            grant(d, w->file, w->client, w->pid, w->start, w->end, w->exclusive);
            d->woken++;
        } else {
            d->denied++;
        }
        free(w);
        w = next;
    }
}

/* A client that starts again counts from the beginning; it asks for other locks than before. */
static void reboot(struct daemon *d, uint32_t client)
{
    char host[20];
    struct client *c = &d->clients[client];
    snprintf(host, sizeof(host), "node%03u.lab", client);
    free(c->host);
    c->host = xcalloc(1, sizeof(host));
    strcpy(c->host, host);
    c->alive = true;
    c->boot++;
    d->reboots++;
}

static void statistics(const struct daemon *d)
{
    unsigned busiest = 0, *counts = xcalloc(64, sizeof(*counts));
    for (int i = 0; i < FILES; i++)
        counts[d->files[i].n_locks < 63 ? d->files[i].n_locks : 63]++;
    for (unsigned i = 1; i < 64; i++)
        if (counts[i] > counts[busiest] || !busiest)
            busiest = i;
    printf("%lu granted, %lu denied, %lu unlocked, %lu woken, %lu boots, mostly %u a file\n", d->granted, d->denied, d->unlocked,
           d->woken, d->reboots, busiest);
    free(counts);
}

int main(void)
{
    struct daemon d = {.files = xcalloc(FILES, sizeof(struct file))};
    d.last = &d.first;
    for (uint32_t i = 0; i < CLIENTS; i++)
        reboot(&d, i);
    for (int i = 0; i < 700000; i++) {
        uint32_t file = rnd(FILES), client = rnd(CLIENTS), pid = 100 + rnd(30000);
        uint64_t start = (uint64_t)rnd(1 << 20) << 12;
        request(&d, file, client, pid, start, start + 4096 + rnd(1 << 20), rnd(4) == 0, rnd(2));
        if (rnd(5) < 2) /* the others are gone before they could */
            release(&d, file, client, pid);
        if (i % 200 == 0)
            wake(&d);
        if (rnd(3000) == 0)
            reboot(&d, rnd(CLIENTS));
    }
    statistics(&d);
    for (int i = 0; i < CLIENTS; i++)
        free(d.clients[i].host);
    return 0;
}
