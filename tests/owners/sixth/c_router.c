/* A simulated network of routers: link states are flooded, and each router computes its routes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUTERS 260
#define NEIGHBOURS 5

struct list_head { struct list_head *next, *prev; };
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#include <stddef.h>

struct lsa {
	struct list_head on;
	int origin, seq, age;
	int n;
	struct { int to, cost; } link[NEIGHBOURS];
};

struct route { int to, via, cost; };

struct router {
	int id;
	struct list_head database;
	int newest[ROUTERS];
	struct route *routes;
	long received;
};

struct pool { void **item; int count, room; size_t size; };

static struct pool lsa_pool = {.size = sizeof(struct lsa)};
static struct router net[ROUTERS];

static void list_init(struct list_head *h) { h->next = h->prev = h; }
static void list_add(struct list_head *e, struct list_head *h) { e->next = h->next; e->prev = h; h->next->prev = e; h->next = e; }
static void list_del(struct list_head *e) { e->prev->next = e->next; e->next->prev = e->prev; }

static void *pool_get(struct pool *p)
{
	void *item = p->count ? p->item[--p->count] : malloc(p->size);
	if (!item)
		exit(1);
	return item;
}

static void pool_put(struct pool *p, void *item)
{
	if (p->count == p->room) {
		p->room = p->room ? p->room * 2 : 32;
		p->item = realloc(p->item, sizeof(void *) * p->room);
		if (!p->item)
			exit(1);
	}
	p->item[p->count++] = item;
}

static struct lsa *lsa_dup(const struct lsa *from)
{
	return memcpy(pool_get(&lsa_pool), from, sizeof *from);
}

static void neighbours(int id, int out[NEIGHBOURS])
{
	for (int i = 0; i < NEIGHBOURS; i++)
		out[i] = (id + 1 + i * i * 7) % ROUTERS;
}

/* The old one of the same router ought to go. */
static void install(struct router *r, const struct lsa *lsa)
{
	struct lsa *mine = lsa_dup(lsa); /* guilty */
	list_add(&mine->on, &r->database);
	r->newest[lsa->origin] = lsa->seq;
}

static void flood(int origin, int seq)
{
	int *queue = malloc(sizeof *queue * ROUTERS * (NEIGHBOURS + 1)), head = 0, tail = 0, near[NEIGHBOURS];
	struct lsa *sent = pool_get(&lsa_pool);
	if (!queue)
		exit(1);
	sent->origin = origin;
	sent->seq = seq;
	sent->age = 0;
	sent->n = NEIGHBOURS;
	neighbours(origin, near);
	for (int i = 0; i < NEIGHBOURS; i++) {
		sent->link[i].to = near[i];
		sent->link[i].cost = 1 + (origin * 13 + i * 5 + seq) % 20;
	}
	queue[tail++] = origin;
	while (head < tail) {
		struct router *r = &net[queue[head++]];
		r->received++;
		if (r->newest[origin] >= seq)
			continue;
		sent->age++;
		install(r, sent);
		neighbours(r->id, near);
		for (int i = 0; i < NEIGHBOURS; i++)
			queue[tail++] = near[i];
	}
	pool_put(&lsa_pool, sent);
	free(queue);
}

static int compute(struct router *r)
{
	struct lsa *latest[ROUTERS] = {0};
	int reached = 0;
	for (struct list_head *e = r->database.prev; e != &r->database; e = e->prev) {
		struct lsa *l = container_of(e, struct lsa, on);
		latest[l->origin] = l;
	}
	free(r->routes);
	r->routes = calloc(ROUTERS, sizeof *r->routes);
	for (int i = 0; i < ROUTERS && r->routes; i++)
		if (latest[i]) {
			r->routes[reached++] = (struct route){i, latest[i]->link[0].to, latest[i]->link[0].cost};
		}
	return reached;
}

static void restart(struct router *r)
{
	struct list_head *e = r->database.next;
	while (e != &r->database) {
		struct lsa *l = container_of(e, struct lsa, on);
		e = e->next;
		list_del(&l->on);
		pool_put(&lsa_pool, l);
	}
	memset(r->newest, 0, sizeof r->newest);
}

int main(void)
{
	long received = 0, routes = 0;
	for (int i = 0; i < ROUTERS; i++) {
		net[i].id = i;
		list_init(&net[i].database);
	}
	for (int seq = 1; seq <= 8; seq++)
		for (int i = 0; i < ROUTERS; i++)
			flood(i, seq);
	restart(&net[3]);
	for (int i = 0; i < ROUTERS; i++) {
		routes += compute(&net[i]);
		received += net[i].received;
	}
	printf("%ld received, %ld routes\n", received, routes);
	return 0;
}
