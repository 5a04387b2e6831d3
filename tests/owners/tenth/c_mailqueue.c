/* The queue of a mail server: takes messages, delivers them host by host, and gives back those that cannot be delivered. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct recipient {
    struct recipient *next;
    char *address;
    int attempts;
};

struct message {
    struct message *next;
    char id[20];
    char *sender;
    char *headers, *body;
    size_t size;
    struct recipient *recipients;
};

struct queue {
    struct message *active, **last;
    struct message *dead_letters;
    unsigned long delivered, bounced;
};

static char *format_headers(const char *sender, const char *to, const char *id, const char *subject)
{
    char *text = NULL;
    if (asprintf(&text, "Received: from localhost by mx1.example.org id %s\nFrom: %s\nTo: %s\nSubject: %s\nMessage-ID: <%s@mx1.example.org>\n",
                 id, sender, to, subject, id) < 0)
        abort();
    return text;
}

static struct message *message_new(const char *sender, const char *subject, const char *body, unsigned long number)
{
    struct message *m = calloc(1, sizeof(*m));
    snprintf(m->id, sizeof(m->id), "%010lX", number * 2654435761ul % 0xffffffffff);
    m->sender = strdup(sender);
    m->headers = format_headers(sender, "undisclosed-recipients:;", m->id, subject);
    m->body = strdup(body);
    m->size = strlen(m->headers) + strlen(body);
    return m;
}

static void message_free(struct message *m)
{
    for (struct recipient *r = m->recipients, *next; r; r = next) {
        next = r->next;
        free(r->address);
        free(r);
    }
    free(m->sender);
    free(m->headers);
    free(m->body);
    free(m);
}

static void add_recipient(struct message *m, const char *address)
{
    struct recipient *r = calloc(1, sizeof(*r));
    r->address = strdup(address);
    r->next = m->recipients;
    m->recipients = r;
}

static void enqueue(struct queue *q, struct message *m)
{
    *q->last = m;
    q->last = &m->next;
}

static int smtp_send(const struct message *m, const struct recipient *r)
{
    char *dialog = malloc(m->size + 200);
    int n = snprintf(dialog, m->size + 200, "MAIL FROM:<%s>\r\nRCPT TO:<%s>\r\nDATA\r\n%s\n%s", m->sender, r->address, m->headers, m->body);
    free(dialog);
    return n < 0 || strstr(r->address, "@gone.") ? 550 : 250;
}

/* Tells the sender. A bounce that cannot be delivered either is not answered, but goes to the dead letters of the postmaster. */
static void bounce(struct queue *q, const struct message *m, const struct recipient *r, int code)
{
    char *text = NULL;
    q->bounced++;
    if (asprintf(&text, "<%s>: host said %d, user unknown\n\n--- original ---\n%s\n%s", r->address, code, m->headers, m->body) < 0)
        abort();
    if (m->sender[0] == '\0') {
        struct message *dead = message_new("", "Double bounce", text, q->bounced);
        dead->next = q->dead_letters; /* guilty */
        q->dead_letters = dead;
    } else {
        struct message *notice = message_new("", "Undelivered mail", text, q->bounced + 7000000);
        add_recipient(notice, m->sender);
        enqueue(q, notice);
    }
    free(text);
}

static void run_queue(struct queue *q, size_t limit)
{
    while (q->active && limit--) {
        struct message *m = q->active;
        q->active = m->next;
        if (!q->active)
            q->last = &q->active;
        for (struct recipient *r = m->recipients; r; r = r->next) {
            int code = smtp_send(m, r);
            if (code == 250)
                q->delivered++;
            else
                bounce(q, m, r, code);
        }
        message_free(m);
    }
}

int main(void)
{
    struct queue q = {.last = &q.active};
    char body[1200], address[80];
    for (unsigned long n = 0; n < 60000; n++) {
        int len = snprintf(body, sizeof(body), "Dear customer %lu,\n", n);
        for (int i = 0; i < 4 + (int)(n % 9); i++)
            len += snprintf(body + len, sizeof(body) - (size_t)len, "our offer of week %d is valid until Sunday.\n", i);
        struct message *m = message_new(n % 2 ? "news@gone.example.com" : "shop@example.org", "Offers of the week", body, n);
        for (int i = 0; i < 2; i++) {
            snprintf(address, sizeof(address), "user%lu@%s.example.net", n * 2 + (unsigned)i, i == 1 ? "gone" : "mail");
            add_recipient(m, address);
        }
        enqueue(&q, m);
        run_queue(&q, 3);
    }
    run_queue(&q, (size_t)-1);
    printf("%lu delivered, %lu bounced\n", q.delivered, q.bounced);
    return 0;
}
