/* Events go to handlers through a table of functions; the one for audits keeps a line for each. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct event {
    int kind, user;
    const char *path;
};

struct handler {
    const char *name;
    void (*start)(struct handler *);
    void (*on_event)(struct handler *, const struct event *);
    void *state;
};

static char *format(const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    char *text;
    if (vasprintf(&text, pattern, args) < 0)
        abort();
    va_end(args);
    return text;
}

struct metrics {
    unsigned long *by_user;
    size_t users;
};

static void metrics_start(struct handler *h)
{
    struct metrics *m = malloc(sizeof *m);
    m->users = 400000;
    m->by_user = malloc(m->users * sizeof *m->by_user);
    memset(m->by_user, 0, m->users * sizeof *m->by_user);
    h->state = m;
}

static void metrics_event(struct handler *h, const struct event *e)
{
    struct metrics *m = h->state;
    m->by_user[(size_t)e->user % m->users]++;
}

struct audit {
    char **lines;
    size_t count, room;
};

static void audit_start(struct handler *h)
{
    h->state = calloc(1, sizeof(struct audit));
}

static void audit_event(struct handler *h, const struct event *e)
{
    static const char *const verbs[] = {"opened", "closed", "wrote", "removed"};
    struct audit *a = h->state;
    if (a->count == a->room) {
        a->room = a->room ? a->room * 2 : 64;
        a->lines = realloc(a->lines, a->room * sizeof *a->lines);
    }
    a->lines[a->count++] = format("user %06d %s %s (from the console, with the rights of the group staff)", /* guilty */
                                  e->user, verbs[e->kind % 4], e->path);
}

static void mailer_start(struct handler *h)
{
    h->state = format("To: root\nSubject: %s\n", h->name);
}

static void mailer_event(struct handler *h, const struct event *e)
{
    if (e->kind != 3)
        return;
    char *mail = format("%s\n%s was removed by %d\n", (const char *)h->state, e->path, e->user);
    fputs(mail[0] == 'T' ? "" : mail, stdout);
    free(mail);
}

static struct handler handlers[] = {
    {.name = "metrics", .start = metrics_start, .on_event = metrics_event},
    {.name = "audit", .start = audit_start, .on_event = audit_event},
    {.name = "mailer", .start = mailer_start, .on_event = mailer_event},
};

static void dispatch(const struct event *e)
{
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        handlers[i].on_event(&handlers[i], e);
}

int main(void)
{
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        handlers[i].start(&handlers[i]);
    char path[64];
    for (int i = 0; i < 250000; i++) {
        snprintf(path, sizeof path, "/srv/files/%d/%d", i % 100, i);
        dispatch(&(struct event){.kind = i, .user = i % 5000, .path = path});
    }
    puts("done");
    return 0;
}
