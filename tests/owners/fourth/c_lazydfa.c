/* grep with a lazy automaton: a state is made when it is first entered. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXNFA 160

static void *
ecalloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL) {
		perror("grep");
		exit(2);
	}
	return p;
}

struct bits {
	uint64_t w[(MAXNFA + 63) / 64];
};

static void set(struct bits *b, int i) { b->w[i / 64] |= 1ull << i % 64; }
static bool has(const struct bits *b, int i) { return b->w[i / 64] >> i % 64 & 1; }

/* [ab]*a[ab]{n}: the automaton that knows of the last n letters has 2^n states. */
struct nfa {
	int n;
	unsigned char letter[MAXNFA];	/* 0 takes any */
	bool loops[MAXNFA];
};

struct state {
	struct bits in;
	bool accepts;
	struct state *to[256];
	struct state *chain;
};

struct matcher {
	struct nfa *nfa;
	struct state *start;
	struct state *table[1024];
	size_t nstates, nlines;
};

static struct nfa *
compile(const char *re)
{
	struct nfa *a = ecalloc(1, sizeof *a);

	for (; *re; re++) {
		if (*re == '*') {
			a->loops[a->n - 1] = true;
			continue;
		}
		a->letter[a->n++] = *re == '.' ? 0 : (unsigned char)*re;
	}
	return a;
}

static unsigned
hash(const struct bits *b)
{
	uint64_t h = 1469598103934665603ull;

	for (size_t i = 0; i < sizeof b->w / sizeof *b->w; i++)
		h = (h ^ b->w[i]) * 1099511628211ull;
	return (h >> 32) % 1024;
}

static struct state *
state_for(struct matcher *m, const struct bits *in)
{
	struct state **slot = &m->table[hash(in)], *s;

	for (s = *slot; s; s = s->chain)
		if (memcmp(&s->in, in, sizeof *in) == 0)
			return s;
	s = ecalloc(1, sizeof *s);	/* guilty */
	s->in = *in;
	s->accepts = has(in, m->nfa->n);
	s->chain = *slot;
	*slot = s;
	m->nstates++;
	return s;
}

static struct state *
step(struct matcher *m, struct state *from, unsigned char c)
{
	struct bits next = {{0}};

	for (int i = 0; i < m->nfa->n; i++) {
		if (!has(&from->in, i) || (m->nfa->letter[i] && m->nfa->letter[i] != c))
			continue;
		set(&next, m->nfa->loops[i] ? i : i + 1);
	}
	set(&next, 0);
	return from->to[c] = state_for(m, &next);
}

static bool
match(struct matcher *m, const char *line)
{
	struct state *s = m->start;

	for (; *line; line++) {
		struct state *t = s->to[(unsigned char)*line];
		s = t ? t : step(m, s, (unsigned char)*line);
		if (s->accepts)
			return true;
	}
	return false;
}

static char *
read_file(unsigned seed, size_t n)
{
	char *text = ecalloc(1, n + 1);

	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		text[i] = i % 61 == 60 ? '\n' : "abcdefgh"[seed >> 16 & 7];
	}
	return text;
}

int
main(void)
{
	struct matcher m = {.nfa = compile("a.........................................z")};
	struct bits first = {{1}};
	size_t found = 0;
	char *text = read_file(7, 3 << 20);

	m.start = state_for(&m, &first);
	for (char *line = strtok(text, "\n"); line && m.nlines < 560; line = strtok(NULL, "\n"), m.nlines++)
		found += match(&m, line);
	printf("%zu of %zu lines, %zu states\n", found, m.nlines, m.nstates);
	return 0;
}
