/* dedup: print each line of the input once, in order, with its count; the input is made up here when there is none. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct line {
	char *text;
	unsigned long hash;
	size_t length;
	long number;
	int next;
};

static void *
ereallocarray(void *p, size_t n, size_t size)
{
	if ((p = reallocarray(p, n, size)) == NULL)
		err(1, "reallocarray");
	return p;
}

static char *
estrndup(const char *s, size_t n)
{
	char *p = strndup(s, n);
	if (p == NULL)
		err(1, "strndup");
	return p;
}

static unsigned long
fnv(const char *s, size_t n)
{
	unsigned long h = 14695981039346656037UL;
	while (n--)
		h = (h ^ (unsigned char)*s++) * 1099511628211UL;
	return h;
}

static FILE *
made_up(void)
{
	FILE *f = tmpfile();
	if (f == NULL)
		err(1, "tmpfile");
	for (unsigned i = 0; i < 330000; i++)
		fprintf(f, "%s: session %u opened for user u%u by (uid=%u)\n", i % 2 ? "sshd" : "cron", i * 7 % 150000, i % 10, i % 3);
	rewind(f);
	return f;
}

static char *
options_text(int argc, char **argv)
{
	char *all = estrndup("", 0);
	for (int i = 0; i < argc; i++) {
		all = ereallocarray(all, strlen(all) + strlen(argv[i]) + 2, 1);
		strcat(strcat(all, argv[i]), " ");
	}
	return all;
}

int
main(int argc, char **argv)
{
	int *buckets, ch, quiet = 1;
	size_t n = 0, cap = 1024, size = 0, kept = 0;
	ssize_t got;
	char *input = NULL, *options = options_text(argc, argv);
	struct line *lines = ereallocarray(NULL, cap, sizeof(*lines));
	FILE *in;

	while ((ch = getopt(argc, argv, "v")) != -1)
		if (ch == 'v')
			quiet = 0;
	in = optind < argc ? fopen(argv[optind], "r") : made_up();
	if (in == NULL)
		err(1, "%s", argv[optind]);
	buckets = ereallocarray(NULL, 1 << 16, sizeof(*buckets));
	memset(buckets, -1, (1 << 16) * sizeof(*buckets));

	/* All lines are read before any is compared. */
	while ((got = getline(&input, &size, in)) > 0) {
		if (n == cap)
			lines = ereallocarray(lines, cap *= 2, sizeof(*lines));
		lines[n].text = estrndup(input, (size_t)got - 1); /* guilty */
		lines[n].length = (size_t)got - 1;
		lines[n].hash = fnv(input, (size_t)got - 1);
		lines[n].number = (long)n;
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		int *b = &buckets[lines[i].hash & 0xffff], at;
		for (at = *b; at >= 0; at = lines[at].next)
			if (lines[at].hash == lines[i].hash && !strcmp(lines[at].text, lines[i].text))
				break;
		if (at >= 0)
			continue;
		lines[i].next = *b;
		*b = (int)i;
		kept++;
		if (!quiet)
			puts(lines[i].text);
	}
	fprintf(stderr, "%s: %zu of %zu lines\n", options, kept, n);
	free(options);
	fclose(in);
	return 0;
}
