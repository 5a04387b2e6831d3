/*
 * A resolver that answers from its cache.  Answers and refusals are both remembered; zones of our own are loaded at the start.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 131072
#define RDATA_MAX 256

enum rcode { NOERROR = 0, SERVFAIL = 2, NXDOMAIN = 3, REFUSED = 5 };

struct rr {
	struct rr *next;
	char *name;
	uint16_t type;
	uint32_t ttl, born;
	enum rcode rcode;
	uint16_t rdlen;
	uint8_t rdata[];
};

struct cache {
	struct rr *bucket[BUCKETS];
	unsigned positive, negative;
};

static uint32_t now;

static unsigned hash_name(const char *s)
{
	unsigned h = 5381;
	for (; *s; s++)
		h = h * 33 ^ (unsigned char)(*s | 32);
	return h % BUCKETS;
}

/* 0, or an errno; the record is in *out. */
static int rr_create(struct rr **out, const char *name, uint16_t type, size_t rdlen)
{
	struct rr *rr;

	if (rdlen > RDATA_MAX)
		return EMSGSIZE;
	rr = calloc(1, sizeof(*rr) + rdlen);
	if (!rr)
		return ENOMEM;
	rr->name = strdup(name);
	if (!rr->name) {
		free(rr);
		return ENOMEM;
	}
	rr->type = type;
	rr->rdlen = (uint16_t)rdlen;
	*out = rr;
	return 0;
}

static void rr_free(struct rr *rr)
{
	free(rr->name);
	free(rr);
}

static struct rr *cache_find(struct cache *c, const char *name, uint16_t type)
{
	struct rr **p = &c->bucket[hash_name(name)];
	while (*p) {
		struct rr *rr = *p;
		if (rr->rcode == NOERROR && rr->born + rr->ttl < now) {
			*p = rr->next;
			rr_free(rr);
			c->positive--;
			continue;
		}
		if (rr->type == type && !strcasecmp(rr->name, name))
			return rr;
		p = &rr->next;
	}
	return NULL;
}

static int cache_answer(struct cache *c, const char *name, uint16_t type, uint32_t ttl, const void *data, size_t len)
{
	struct rr *rr;
	int err = rr_create(&rr, name, type, len);
	if (err)
		return err;
	memcpy(rr->rdata, data, len);
	rr->ttl = ttl;
	rr->born = now;
	rr->next = c->bucket[hash_name(name)];
	c->bucket[hash_name(name)] = rr;
	c->positive++;
	return 0;
}

/* RFC 2308, with a copy of the SOA; what there is not is never looked at again, and so not found to be old. */
static struct rr *cache_refusal(struct cache *c, const char *name, uint16_t type, enum rcode why)
{
	static const char soa[] = "ns.registry.example hostmaster.registry.example 2026112701 7200 3600 1209600 900";
	struct rr *rr = NULL;

	if (rr_create(&rr, name, type, sizeof soa) != 0) /* guilty */
		return NULL;
	memcpy(rr->rdata, soa, sizeof soa);
	rr->rcode = why;
	rr->next = c->bucket[hash_name(name)];
	c->bucket[hash_name(name)] = rr;
	c->negative++;
	return rr;
}

static int on_timeout(struct cache *c, const char *name)
{
	struct rr *rr = cache_refusal(c, name, 28, SERVFAIL);
	return rr ? (int)rr->rcode : -1;
}

static int on_reply(struct cache *c, const char *name, unsigned id)
{
	uint32_t address = id * 2654435761u;
	if (id % 5 == 0) {
		struct rr *rr = cache_refusal(c, name, 1, id % 10 ? NXDOMAIN : REFUSED);
		return rr ? (int)rr->rcode : -1;
	}
	return cache_answer(c, name, 1, 30, &address, sizeof address) ? -1 : NOERROR;
}

static int resolve(struct cache *c, const char *name, unsigned id)
{
	struct rr *known = cache_find(c, name, 1);
	if (known)
		return known->rcode;
	if (id % 3 == 0)
		return on_timeout(c, name);
	return on_reply(c, name, id);
}

static void load_zone(struct cache *c, const char *origin, int hosts)
{
	char name[128];
	for (int i = 0; i < hosts; i++) {
		snprintf(name, sizeof name, "host-%d.%s", i, origin);
		if (cache_answer(c, name, 1, 1u << 30, &i, sizeof i))
			exit(1);
	}
}

int main(void)
{
	static struct cache cache;
	unsigned codes[16] = {0};
	char name[160];

	load_zone(&cache, "corp.example", 6000);
	load_zone(&cache, "lab.example", 3000);
	for (unsigned id = 0; id < 360000; id++) {
		now = id / 400;
		snprintf(name, sizeof name, "%x-%u.tracking.example", id * 2654435761u, id % 977);
		int code = resolve(&cache, name, id);
		codes[code < 0 ? 15 : code]++;
	}
	printf("%u answers, %u refusals, %u failed\n", cache.positive, cache.negative, codes[SERVFAIL]);
	return 0;
}
