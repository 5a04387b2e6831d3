/* A bouncer that stays connected to a chat network, so that those who come back can read what was said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 40, PLAYBACK = 50, MAX_PARAMS = 4 };

struct message {
    char *buffer, *prefix, *command, *params[MAX_PARAMS];
    int nparams;
};

struct line {
    struct line *previous;
    long when;
    char text[];
};

struct member {
    struct member *next;
    char *nick;
};

struct channel {
    char name[32];
    struct member *members;
    struct line *last;
    unsigned long lines, played;
};

struct bouncer {
    struct channel channels[CHANNELS];
    int attached;
    long now;
};

static unsigned rnd(unsigned below)
{
    static unsigned long long s = 99;
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(s >> 33) % below;
}

static int message_parse(struct message *m, const char *raw)
{
    memset(m, 0, sizeof(*m));
    char *p = m->buffer = strdup(raw);
    if (*p == ':') {
        m->prefix = p + 1;
        p = strchr(p, ' ');
        if (p == NULL)
            return -1;
        *p++ = '\0';
    }
    m->command = p;
    while ((p = strchr(p, ' ')) && m->nparams < MAX_PARAMS) {
        *p++ = '\0';
        m->params[m->nparams++] = *p == ':' ? p + 1 : p;
        if (*p == ':')
            break;
    }
    return 0;
}

static void message_free(struct message *m)
{
    free(m->buffer);
}

static struct channel *channel_find(struct bouncer *b, const char *name)
{
    for (int i = 0; i < CHANNELS; i++)
        if (strcmp(b->channels[i].name, name) == 0)
            return &b->channels[i];
    return NULL;
}

static void member_join(struct channel *c, const char *nick)
{
    for (struct member *m = c->members; m; m = m->next)
        if (strcmp(m->nick, nick) == 0)
            return;
    struct member *m = malloc(sizeof(*m));
    m->nick = strdup(nick);
    m->next = c->members;
    c->members = m;
}

static void member_part(struct channel *c, const char *nick)
{
    for (struct member **at = &c->members; *at; at = &(*at)->next)
        if (strcmp((*at)->nick, nick) == 0) {
            struct member *gone = *at;
            *at = gone->next;
            free(gone->nick);
            free(gone);
            return;
        }
}

static void backlog_add(struct channel *c, long when, const char *nick, const char *text)
{
    size_t room = strlen(nick) + strlen(text) + 4;
    struct line *line = malloc(sizeof(*line) + room); /* guilty */
    line->when = when;
    snprintf(line->text, room, "<%s> %s", nick, text);
    line->previous = c->last;
    c->last = line;
    c->lines++;
}

static void playback(struct bouncer *b, struct channel *c)
{
    char out[600];
    int n = 0;
    for (const struct line *l = c->last; l && n < PLAYBACK; l = l->previous, n++)
        c->played += (unsigned long)snprintf(out, sizeof(out), ":%s [%02ld:%02ld] %s", c->name, l->when / 3600 % 24, l->when / 60 % 60, l->text);
    b->attached = !b->attached;
}

static void handle(struct bouncer *b, const char *raw)
{
    struct message m;
    if (message_parse(&m, raw) == 0 && m.nparams > 0) {
        struct channel *c = channel_find(b, m.params[0]);
        if (c && strcmp(m.command, "PRIVMSG") == 0 && m.nparams > 1)
            backlog_add(c, b->now, m.prefix, m.params[1]);
        else if (c && strcmp(m.command, "JOIN") == 0)
            member_join(c, m.prefix);
        else if (c && strcmp(m.command, "PART") == 0)
            member_part(c, m.prefix);
    }
    message_free(&m);
}

static void say(char *raw, size_t size, const char *channel)
{
    static const char *const words[] = {"build", "is", "broken", "again", "who", "merged", "that", "lunch", "anyone", "nice", "the", "kernel"};
    int n = snprintf(raw, size, ":user%u PRIVMSG %s :", rnd(300), channel);
    for (unsigned w = 4 + rnd(16); w > 0; w--)
        n += snprintf(raw + n, size - (size_t)n, "%s ", words[rnd(12)]);
}

int main(void)
{
    struct bouncer *b = calloc(1, sizeof(*b));
    char raw[512];
    for (int i = 0; i < CHANNELS; i++)
        snprintf(b->channels[i].name, sizeof(b->channels[i].name), "#team-%d", i);
    for (int i = 0; i < 480000; i++, b->now += 3) {
        struct channel *c = &b->channels[rnd(CHANNELS)];
        unsigned what = rnd(20);
        if (what == 0)
            snprintf(raw, sizeof(raw), ":user%u JOIN %s", rnd(300), c->name);
        else if (what == 1)
            snprintf(raw, sizeof(raw), ":user%u PART %s", rnd(300), c->name);
        else
            say(raw, sizeof(raw), c->name);
        handle(b, raw);
        if (i % 500 == 0)
            playback(b, c);
    }
    printf("%s: %lu lines, %lu bytes sent again\n", b->channels[0].name, b->channels[0].lines, b->channels[0].played);
    return 0;
}
