/* A broker of messages: packets are parsed, matched with subscriptions, and sent; a client that is away gets them later. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

typedef enum { CONNECT = 1, PUBLISH = 3, SUBSCRIBE = 8, DISCONNECT = 14 } PacketType;

typedef struct Message {
    TAILQ_ENTRY(Message) link;
    uint8_t qos;
    uint32_t size;
    char *topic;
    unsigned char *payload;
} Message;
TAILQ_HEAD(MessageList, Message);

typedef struct Client {
    char id[32];
    bool isConnected, isPersistent;
    char **filters;
    size_t filterCount;
    struct MessageList outbox;
    size_t sent;
} Client;

typedef struct {
    Client *clients;
    size_t clientCount;
    struct MessageList retained;
} Broker;

typedef int (*Handler)(Broker *, Client *, const char *topic, const unsigned char *data, uint32_t size);

static void *Mem_Get(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (p == NULL) {
        fputs("broker: out of memory\n", stderr);
        abort();
    }
    return p;
}

static char *Mem_String(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(Mem_Get(n, 1), s, n);
}

static Message *Message_Clone(const Message *from)
{
    Message *m = Mem_Get(1, sizeof *m);
    m->qos = from->qos;
    m->size = from->size;
    m->topic = Mem_String(from->topic);
    m->payload = Mem_Get(1, from->size);
    memcpy(m->payload, from->payload, from->size);
    return m;
}

static void Message_Free(Message *m)
{
    free(m->payload);
    free(m->topic);
    free(m);
}

static bool Topic_Matches(const char *filter, const char *topic)
{
    for (; *filter && *filter != '#'; filter++, topic++) {
        if (*filter == '+') {
            while (topic[1] && topic[1] != '/') topic++;
        } else if (*filter != *topic) {
            return false;
        }
    }
    return *filter == '#' || *topic == '\0';
}

static void Client_Flush(Client *c)
{
    Message *m;
    while ((m = TAILQ_FIRST(&c->outbox)) != NULL) {
        TAILQ_REMOVE(&c->outbox, m, link);
        c->sent += m->size;
        Message_Free(m);
    }
}

static void Client_Send(Client *c, const Message *m)
{
    Message *mine = Message_Clone(m);
    TAILQ_INSERT_TAIL(&c->outbox, mine, link);
    if (m->qos == 0 || c->isConnected) Client_Flush(c);
}

/* For a session that outlives its connection. */
static void Client_Defer(Client *c, const Message *m)
{
    if (!c->isPersistent || m->qos == 0) return;
    Message *mine = Message_Clone(m); /* guilty */
    TAILQ_INSERT_TAIL(&c->outbox, mine, link);
}

static int Broker_Retain(Broker *b, const Message *m)
{
    Message *old;
    TAILQ_FOREACH (old, &b->retained, link) {
        if (strcmp(old->topic, m->topic) == 0) {
            TAILQ_REMOVE(&b->retained, old, link);
            Message_Free(old);
            break;
        }
    }
    Message *mine = Message_Clone(m);
    TAILQ_INSERT_HEAD(&b->retained, mine, link);
    return 0;
}

static int onPublish(Broker *b, Client *from, const char *topic, const unsigned char *data, uint32_t size)
{
    Message m = {.qos = size % 3 ? 1 : 0, .size = size, .topic = (char *)topic, .payload = (unsigned char *)data};
    (void)from;
    if (topic[0] == 's') Broker_Retain(b, &m);
    for (size_t i = 0; i < b->clientCount; i++) {
        Client *c = &b->clients[i];
        for (size_t k = 0; k < c->filterCount; k++) {
            if (!Topic_Matches(c->filters[k], topic)) continue;
            if (c->isConnected) Client_Send(c, &m);
            else Client_Defer(c, &m);
            break;
        }
    }
    return 0;
}

static int onSubscribe(Broker *b, Client *c, const char *topic, const unsigned char *data, uint32_t size)
{
    (void)b, (void)data, (void)size;
    c->filters = realloc(c->filters, (c->filterCount + 1) * sizeof *c->filters);
    assert(c->filters != NULL);
    c->filters[c->filterCount++] = Mem_String(topic);
    return 0;
}

static int onDisconnect(Broker *b, Client *c, const char *topic, const unsigned char *data, uint32_t size)
{
    (void)b, (void)topic, (void)data, (void)size;
    Client_Flush(c);
    c->isConnected = false;
    return 0;
}

static const Handler handlers[16] = {[PUBLISH] = onPublish, [SUBSCRIBE] = onSubscribe, [DISCONNECT] = onDisconnect};

int main(void)
{
    Broker b = {.clientCount = 12};
    unsigned char data[1024];
    char topic[64];

    TAILQ_INIT(&b.retained);
    b.clients = Mem_Get(b.clientCount, sizeof *b.clients);
    memset(data, 'm', sizeof data);
    for (size_t i = 0; i < b.clientCount; i++) {
        Client *c = &b.clients[i];
        snprintf(c->id, sizeof c->id, "client-%zu", i);
        c->isConnected = true;
        c->isPersistent = i % 4 == 3;
        TAILQ_INIT(&c->outbox);
        handlers[SUBSCRIBE](&b, c, i % 2 ? "home/+/power" : "#", NULL, 0);
    }
    handlers[DISCONNECT](&b, &b.clients[3], NULL, NULL, 0);
    handlers[DISCONNECT](&b, &b.clients[7], NULL, NULL, 0);
    for (unsigned i = 0; i < 60000; i++) {
        snprintf(topic, sizeof topic, i % 10 ? "home/room%u/power" : "status/room%u", i % 50);
        handlers[PUBLISH](&b, &b.clients[0], topic, data, 300 + i % 500);
    }
    for (size_t i = 0; i < 4; i++) printf("%s: %zu bytes\n", b.clients[i].id, b.clients[i].sent);
    return 0;
}
