/*
 * Probes many hosts at once.  Jobs run on threads, and give a result to a future that somebody may wait for.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *(*job_fn)(void *);

struct future {
	_Atomic(void *) result;
	job_fn fn;
	void *arg;
	struct future *next;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t some, done;
	struct future *head, **tail;
	int closed, pending;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &queue.head, 0, 0};

struct host {
	unsigned addr;
	struct future *probe, *resolve;
};

struct report {
	unsigned addr, rtt_us[32];
	char banner[700];
};

struct hostname {
	char name[64];
};

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static void *worker(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&queue.lock);
		while (!queue.head && !queue.closed)
			pthread_cond_wait(&queue.some, &queue.lock);
		struct future *f = queue.head;
		if (f && !(queue.head = f->next))
			queue.tail = &queue.head;
		pthread_mutex_unlock(&queue.lock);
		if (!f)
			return unused;
		atomic_store(&f->result, f->fn(f->arg));
		pthread_mutex_lock(&queue.lock);
		if (--queue.pending == 0)
			pthread_cond_broadcast(&queue.done);
		pthread_mutex_unlock(&queue.lock);
	}
}

static struct future *async(job_fn fn, void *arg)
{
	struct future *f = must(calloc(1, sizeof(*f)));
	f->fn = fn;
	f->arg = arg;
	pthread_mutex_lock(&queue.lock);
	*queue.tail = f;
	queue.tail = &f->next;
	queue.pending++;
	pthread_cond_signal(&queue.some);
	pthread_mutex_unlock(&queue.lock);
	return f;
}

static void wait_for_all(void)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.pending)
		pthread_cond_wait(&queue.done, &queue.lock);
	pthread_mutex_unlock(&queue.lock);
}

/* All that was measured, of which only the fastest is asked for. */
static void *measure(void *arg)
{
	const struct host *h = arg;
	struct report *r = must(calloc(1, sizeof(*r))); /* guilty */
	unsigned seed = h->addr;
	r->addr = h->addr;
	for (int i = 0; i < 32; i++)
		r->rtt_us[i] = 200 + (seed = seed * 1664525u + 1013904223u) % 9000;
	snprintf(r->banner, sizeof r->banner, "SSH-2.0-OpenSSH_9.2p1 host %08x", h->addr);
	return r;
}

static void *reverse_lookup(void *arg)
{
	const struct host *h = arg;
	struct hostname *n = must(malloc(sizeof(*n)));
	snprintf(n->name, sizeof n->name, "ip-%u-%u.provider.example", h->addr >> 8, h->addr & 255);
	return n;
}

static void collect_names(struct host *hosts, unsigned n, size_t *total)
{
	for (unsigned i = 0; i < n; i++) {
		struct hostname *name = atomic_load(&hosts[i].resolve->result);
		*total += strlen(name->name);
		free(name);
		free(hosts[i].resolve);
		hosts[i].resolve = NULL;
	}
}

static unsigned fastest(const struct host *hosts, unsigned n)
{
	unsigned best = ~0u;
	for (unsigned i = 0; i < n; i++) {
		const struct report *r = atomic_load(&hosts[i].probe->result);
		for (int k = 0; k < 32; k++)
			best = r->rtt_us[k] < best ? r->rtt_us[k] : best;
	}
	return best;
}

int main(void)
{
	enum { THREADS = 3, HOSTS = 48000, BLOCK = 4000 };
	pthread_t t[THREADS];
	struct host *hosts = must(calloc(HOSTS, sizeof(*hosts)));
	size_t total = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (unsigned from = 0; from < HOSTS; from += BLOCK) {
		for (unsigned i = from; i < from + BLOCK; i++) {
			hosts[i].addr = 0x0a000000u + i;
			hosts[i].resolve = async(reverse_lookup, &hosts[i]);
			hosts[i].probe = async(measure, &hosts[i]);
		}
		wait_for_all();
		collect_names(hosts + from, BLOCK, &total);
	}
	pthread_mutex_lock(&queue.lock);
	queue.closed = 1;
	pthread_cond_broadcast(&queue.some);
	pthread_mutex_unlock(&queue.lock);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("the fastest took %u us, names of %zu bytes\n", fastest(hosts, HOSTS), total);
	return 0;
}
