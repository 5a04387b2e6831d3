/* Routes telephone calls: dial plans parsed into digit trees by handlers of keywords, reloaded while calls go on, and bills by trunk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct digits {
    struct digits *next[10];
    int trunk, cents;
};

struct plan {
    struct plan *older;
    int version, calls, routes;
    struct digits *root;
};

struct exchange {
    struct plan *now, *retired;
    long cents[16], refused;
};

typedef int (*Keyword)(struct plan *plan, char *rest);

static struct digits *digits_new(void)
{
    struct digits *d = calloc(1, sizeof(*d));
    if (!d)
        exit(1);
    d->trunk = -1;
    return d;
}

static int on_route(struct plan *plan, char *rest)
{
    char number[32];
    int trunk, cents;
    if (sscanf(rest, "%31[0-9] %d %d", number, &trunk, &cents) != 3)
        return 0;
    struct digits *at = plan->root;
    for (const char *c = number; *c; c++) {
        struct digits **next = &at->next[*c - '0'];
        if (!*next)
            *next = digits_new();
        at = *next;
    }
    at->trunk = trunk;
    at->cents = cents;
    plan->routes++;
    return 1;
}

static int on_version(struct plan *plan, char *rest)
{
    plan->version = atoi(rest);
    return 1;
}

static const struct {
    const char *word;
    Keyword handle;
} keywords[] = {{"route ", on_route}, {"version ", on_version}};

static struct plan *parse(char *text)
{
    struct plan *plan = calloc(1, sizeof(*plan));
    if (!plan)
        exit(1);
    plan->root = digits_new();
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
            size_t n = strlen(keywords[i].word);
            if (!strncmp(line, keywords[i].word, n) && !keywords[i].handle(plan, line + n))
                fprintf(stderr, "not understood: %s\n", line);
        }
    return plan;
}

static const struct digits *look_up(const struct plan *plan, const char *number)
{
    const struct digits *at = plan->root, *best = NULL;
    for (; at; at = at->next[*number++ - '0']) {
        if (at->trunk >= 0)
            best = at;
        if (!*number)
            break;
    }
    return best;
}

/* Calls that began under the old plan end under it, so it is put aside for now. */
static void reload(struct exchange *x, char *text)
{
    struct plan *fresh = parse(text); /* guilty */
    if (x->now) {
        x->now->older = x->retired;
        x->retired = x->now;
    }
    x->now = fresh;
}

static void call(struct exchange *x, const char *number, int minutes)
{
    const struct digits *d = look_up(x->now, number);
    if (!d) {
        x->refused++;
        return;
    }
    x->now->calls++;
    x->cents[d->trunk & 15] += (long)d->cents * minutes;
}

static unsigned seed = 9;

static unsigned rnd(unsigned n)
{
    seed = seed * 22695477u + 1u;
    return (seed >> 12) % n;
}

static char *text_of_plan(int version)
{
    char *text = malloc(64 * 1024), *at = text;
    at += sprintf(at, "version %d\n", version);
    for (int i = 0; i < 700; i++)
        at += sprintf(at, "route %u%03u %u %u\n", 1 + rnd(9), rnd(1000), rnd(16), 1 + rnd(60));
    return text;
}

int main(void)
{
    static struct exchange x;
    for (int night = 1; night <= 400; night++) {
        char *text = text_of_plan(night);
        reload(&x, text);
        free(text);
        for (int i = 0; i < 9000; i++) {
            char number[24];
            snprintf(number, sizeof(number), "%u%08u", 1 + rnd(9), rnd(100000) * 1000);
            call(&x, number, 1 + (int)rnd(30));
        }
    }
    long total = 0, calls = x.now->calls;
    for (int i = 0; i < 16; i++)
        total += x.cents[i];
    for (const struct plan *p = x.retired; p; p = p->older)
        calls += p->calls;
    printf("plan %d with %d routes, %ld calls, %ld refused, %ld cents\n", x.now->version, x.now->routes, calls, x.refused, total);
    return 0;
}
