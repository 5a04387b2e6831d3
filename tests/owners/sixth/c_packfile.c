/*
 * Reads objects of a packed history: an object is whole, or a delta against another one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS 9000
#define SLOTS 16384

struct strbuf {
	char *buf;
	size_t len, cap;
};

struct base {
	unsigned id;
	struct strbuf data;
	struct base *next;
};

struct pack {
	unsigned char kind[OBJECTS];
	unsigned parent[OBJECTS];
	struct base *bases[SLOTS];
	unsigned long hits, reads;
};

static void die(const char *why)
{
	fprintf(stderr, "fatal: %s\n", why);
	exit(128);
}

static void strbuf_grow(struct strbuf *sb, size_t extra)
{
	if (sb->len + extra + 1 <= sb->cap)
		return;
	sb->cap = (sb->len + extra + 1) * 3 / 2;
	sb->buf = realloc(sb->buf, sb->cap);
	if (!sb->buf)
		die("out of memory");
}

static void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_grow(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

static void strbuf_release(struct strbuf *sb)
{
	free(sb->buf);
	memset(sb, 0, sizeof(*sb));
}

static void inflate_object(unsigned id, struct strbuf *out)
{
	char line[96];
	for (int i = 0; i < 60; i++) {
		int n = snprintf(line, sizeof line, "%06u: line %d of the blob, %08x\n", id, i, id * 2654435761u + (unsigned)i);
		strbuf_add(out, line, (size_t)n);
	}
}

static void apply_delta(const struct strbuf *base, unsigned id, struct strbuf *out)
{
	char patch[64];
	size_t half = base->len / 2;
	int n = snprintf(patch, sizeof patch, "+ delta %u\n", id);

	strbuf_add(out, base->buf, half);
	strbuf_add(out, patch, (size_t)n);
	strbuf_add(out, base->buf + half, base->len - half);
	if (out->len > 4000)
		out->len = 4000;
}

static struct base *lookup_base(struct pack *p, unsigned id)
{
	struct base *b = p->bases[id % SLOTS];
	while (b && b->id != id)
		b = b->next;
	if (b)
		p->hits++;
	return b;
}

/* What a delta was made against may be asked for again. */
static struct base *cache_base(struct pack *p, unsigned id, const struct strbuf *data)
{
	struct base *b = calloc(1, sizeof(*b));
	if (!b)
		die("out of memory");
	b->id = id;
	strbuf_add(&b->data, data->buf, data->len); /* guilty */
	b->next = p->bases[id % SLOTS];
	p->bases[id % SLOTS] = b;
	return b;
}

static struct base *base_of(struct pack *p, unsigned id, int depth)
{
	struct strbuf data = {0};
	struct base *b = lookup_base(p, id);
	if (b)
		return b;
	if (depth > 40)
		die("delta chain is too long");
	p->reads++;
	if (p->kind[id] == 0) {
		inflate_object(id, &data);
		b = cache_base(p, id, &data);
	} else {
		struct base *parent = base_of(p, p->parent[id], depth + 1);
		apply_delta(&parent->data, id, &data);
		b = cache_base(p, id, &data);
	}
	strbuf_release(&data);
	return b;
}

static void read_object(struct pack *p, unsigned id, struct strbuf *out)
{
	if (p->kind[id] == 0)
		inflate_object(id, out);
	else
		apply_delta(&base_of(p, p->parent[id], 0)->data, id, out);
}

static void write_index(struct pack *p, const char *path)
{
	struct strbuf sb = {0};
	FILE *f = fopen(path, "w");
	for (unsigned i = 0; i < OBJECTS; i++)
		strbuf_add(&sb, &p->parent[i], sizeof(unsigned));
	if (!f)
		die("cannot write the index");
	fwrite(sb.buf, 1, sb.len, f);
	fclose(f);
	strbuf_release(&sb);
}

int main(void)
{
	static struct pack p;
	unsigned long sum = 0;

	for (unsigned i = 0; i < OBJECTS; i++) {
		p.kind[i] = i % 25 != 0;
		p.parent[i] = i ? i - 1 : 0;
	}
	write_index(&p, "/dev/null");
	for (unsigned i = 0; i < OBJECTS; i++) {
		struct strbuf sb = {0};
		read_object(&p, i, &sb);
		for (size_t k = 0; k < sb.len; k++)
			sum = sum * 31 + (unsigned char)sb.buf[k];
		strbuf_release(&sb);
	}
	printf("%016lx, %lu reads, %lu hits\n", sum, p.reads, p.hits);
	return 0;
}
