/* The session cache of a TLS terminator: a full handshake stores its session, a returning client resumes it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 14, LIFETIME_S = 7200, HOSTS = 300 };

struct blob {
    uint8_t *data;
    size_t len;
};

struct session {
    uint8_t id[32];
    uint8_t master[48];
    uint32_t expires;
    uint16_t cipher;
    char *host;
    struct blob peer_chain;
    struct blob ticket;
    struct session *next;
};

struct identity {
    char *host;
    struct blob chain;
    struct blob staple;
};

struct conn {
    uint8_t client_random[32];
    struct blob transcript;
    struct blob peer_chain;
    const struct identity *identity;
    int is_resumed;
};

static struct session *buckets[BUCKETS];
static struct identity identities[HOSTS];
static uint32_t now = 1000;
static unsigned long stored, resumed, expired;
static uint32_t seed = 7;

static uint32_t rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static void *must(void *memory)
{
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void fill(uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        data[i] = (uint8_t)rnd();
}

static struct blob blob_random(size_t len)
{
    struct blob made = {must(malloc(len)), len};
    fill(made.data, len);
    return made;
}

static struct blob blob_copy(const struct blob *from)
{
    struct blob made = {must(malloc(from->len)), from->len};
    memcpy(made.data, from->data, from->len);
    return made;
}

static void blob_free(struct blob *blob)
{
    free(blob->data);
    blob->data = NULL;
    blob->len = 0;
}

static unsigned slot_of(const uint8_t *id)
{
    unsigned hash = 2166136261u;
    for (int i = 0; i < 32; i++)
        hash = (hash ^ id[i]) * 16777619u;
    return hash % BUCKETS;
}

static void load_identities(void)
{
    for (int i = 0; i < HOSTS; i++) {
        char name[64];
        snprintf(name, sizeof name, "shop%d.example.net", i);
        identities[i].host = must(strdup(name));
        identities[i].chain = blob_random(14000);
        identities[i].staple = blob_random(2200);
    }
}

static void session_free(struct session *session)
{
    free(session->host);
    blob_free(&session->peer_chain);
    blob_free(&session->ticket);
    free(session);
}

static struct session *session_lookup(const uint8_t *id)
{
    struct session **at = &buckets[slot_of(id)];
    for (; *at != NULL; at = &(*at)->next) {
        struct session *session = *at;
        if (memcmp(session->id, id, sizeof session->id) != 0)
            continue;
        if (session->expires >= now)
            return session;
        *at = session->next;
        session_free(session);
        expired++;
        return NULL;
    }
    return NULL;
}

static const struct session *session_store(const struct conn *conn)
{
    struct session *session = must(calloc(1, sizeof *session));
    memcpy(session->id, conn->client_random, sizeof session->id);
    fill(session->master, sizeof session->master);
    session->expires = now + LIFETIME_S;
    session->cipher = 0x1301;
    session->host = must(strdup(conn->identity->host));
    session->peer_chain = blob_copy(&conn->peer_chain); /* guilty */
    session->ticket = blob_random(192);
    unsigned slot = slot_of(session->id);
    session->next = buckets[slot];
    buckets[slot] = session;
    stored++;
    return session;
}

static void handshake(struct conn *conn, const uint8_t *offered)
{
    conn->identity = &identities[rnd() % HOSTS];
    conn->transcript = blob_random(600);
    if (offered != NULL && session_lookup(offered) != NULL) {
        conn->is_resumed = 1;
        resumed++;
        return;
    }
    fill(conn->client_random, sizeof conn->client_random);
    conn->peer_chain = blob_random(900 + rnd() % 500);
    const struct session *session = session_store(conn);
    conn->transcript.data[0] ^= session->master[0];
}

static void conn_close(struct conn *conn)
{
    blob_free(&conn->transcript);
    if (!conn->is_resumed)
        blob_free(&conn->peer_chain);
}

int main(void)
{
    load_identities();
    uint8_t recent[64][32];
    memset(recent, 0, sizeof recent);
    for (int i = 0; i < 30000; i++, now += 2) {
        struct conn conn = {.is_resumed = 0};
        uint32_t pick = rnd() % 64;
        handshake(&conn, rnd() % 8 == 0 ? recent[pick] : NULL);
        if (!conn.is_resumed)
            memcpy(recent[pick], conn.client_random, 32);
        conn_close(&conn);
    }
    printf("%lu sessions stored, %lu resumed, %lu expired\n", stored, resumed, expired);
    return 0;
}
