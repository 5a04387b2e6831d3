/* Merges the coverage of many test runs: hits by line, which tests reached a line, and what no test reaches. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 512

typedef struct reach {
    struct reach *next;
    const char *test;
    unsigned count;
} Reach;

typedef struct source {
    struct source *next;
    char *name;
    int lines;
    unsigned long *hits;
    Reach **reached;
    unsigned char *code;
} Source;

typedef struct suite {
    Source *sources[BUCKETS];
    char **tests;
    int count, room;
    long records, broken;
} Suite;

static unsigned seed = 19;

static unsigned rnd(unsigned below)
{
    seed = seed * 134775813u + 1u;
    return (seed >> 9) % below;
}

static void *need(void *p)
{
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static const char *add_test(Suite *s, const char *name)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->tests = need(realloc(s->tests, (size_t)s->room * sizeof(char *)));
    }
    s->tests[s->count] = need(strdup(name));
    return s->tests[s->count++];
}

static Source *source_of(Suite *s, const char *name, int lines)
{
    unsigned h = 5381;
    for (const char *c = name; *c; c++)
        h = h * 33 + (unsigned char)*c;
    Source **slot = &s->sources[h % BUCKETS];
    for (Source *f = *slot; f; f = f->next)
        if (!strcmp(f->name, name))
            return f;
    Source *f = need(calloc(1, sizeof(*f)));
    f->name = need(strdup(name));
    f->lines = lines;
    f->hits = need(calloc((size_t)lines + 1, sizeof(*f->hits)));
    f->reached = need(calloc((size_t)lines + 1, sizeof(*f->reached)));
    f->code = need(calloc((size_t)lines + 1, 1));
    f->next = *slot;
    *slot = f;
    return f;
}

static void attribute(Source *f, int line, const char *test, unsigned count)
{
    Reach *r = need(malloc(sizeof(*r))); /* guilty */
    r->test = test;
    r->count = count;
    r->next = f->reached[line];
    f->reached[line] = r;
}

/* One record as the compiler's runtime writes it: SF, DA, and end_of_record. */
static void read_record(Suite *s, const char *test, const char *text)
{
    Source *f = NULL;
    const char *at = text;
    while (*at) {
        const char *end = strchr(at, '\n');
        if (!end)
            break;
        if (!strncmp(at, "SF:", 3)) {
            char name[64];
            int lines = 0;
            if (sscanf(at, "SF:%63[^,],%d", name, &lines) == 2)
                f = source_of(s, name, lines);
            else
                s->broken++;
        } else if (!strncmp(at, "DA:", 3) && f) {
            char *rest;
            int line = (int)strtol(at + 3, &rest, 10);
            unsigned count = *rest == ',' ? (unsigned)strtoul(rest + 1, NULL, 10) : 0;
            if (line < 1 || line > f->lines) {
                s->broken++;
            } else {
                f->code[line] = 1;
                f->hits[line] += count;
                if (count)
                    attribute(f, line, test, count);
            }
        }
        at = end + 1;
    }
    s->records++;
}

static char *run_test(int test, int file)
{
    int lines = 200 + file * 13 % 400;
    char *text = need(malloc((size_t)lines * 24 + 100)), *at = text;
    at += sprintf(at, "SF:src/part%02d.c,%d\n", file, lines);
    for (int line = 1; line <= lines; line++) {
        if (line % 4 == 0)
            continue;
        int taken = (line / 20 + test) % 3 && line % 50 < 44;
        at += sprintf(at, "DA:%d,%u\n", line, taken ? 1 + rnd(900) : 0);
    }
    strcpy(at, "end_of_record\n");
    return text;
}

static void summary(const Suite *s)
{
    long lines = 0, covered = 0, only_one = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (const Source *f = s->sources[i]; f; f = f->next)
            for (int line = 1; line <= f->lines; line++) {
                lines += f->code[line];
                covered += f->hits[line] > 0;
                only_one += f->reached[line] && !f->reached[line]->next;
            }
    printf("%ld of %ld lines covered, %ld by one test only; %ld records, %ld broken lines\n", covered, lines, only_one, s->records, s->broken);
}

static void first_tests(const Suite *s, const char *name, int line)
{
    for (int i = 0; i < BUCKETS; i++)
        for (const Source *f = s->sources[i]; f; f = f->next) {
            if (strcmp(f->name, name) || line > f->lines)
                continue;
            int n = 0;
            for (const Reach *r = f->reached[line]; r && n < 3; r = r->next, n++)
                printf("  %s:%d by %s, %u times\n", name, line, r->test, r->count);
        }
}

int main(void)
{
    Suite s = {0};
    for (int test = 0; test < 220; test++) {
        char name[48];
        snprintf(name, sizeof(name), "%s_%03d", test % 2 ? "unit" : "system", test);
        name[0] = (char)toupper((unsigned char)name[0]);
        const char *kept = add_test(&s, name);
        for (int part = 0; part < 30; part++) {
            char *text = run_test(test, (test + part) % 45);
            read_record(&s, kept, text);
            free(text);
        }
    }
    summary(&s);
    first_tests(&s, "src/part07.c", 21);
    return 0;
}
