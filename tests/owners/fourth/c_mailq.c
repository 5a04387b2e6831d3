/* mq: the queue of a mail server. A message whose host does not answer is tried again later. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts that know their length; the header stands before the first byte. */
typedef char *str;
struct str_head {
    size_t len, room;
    char text[];
};
#define HEAD(s) ((struct str_head *)((s) - offsetof(struct str_head, text)))

static str str_new(const char *text, size_t len)
{
    struct str_head *h = malloc(sizeof *h + len + 1);
    if (!h)
        abort();
    h->len = h->room = len;
    if (text)
        memcpy(h->text, text, len);
    h->text[len] = 0;
    return h->text;
}

static str str_room(str s, size_t more)
{
    struct str_head *h = HEAD(s);
    if (h->len + more <= h->room)
        return s;
    h->room = h->len + more + 64;
    h = realloc(h, sizeof *h + h->room + 1);
    if (!h)
        abort();
    return h->text;
}

static str str_cat(str s, const char *text, size_t len)
{
    s = str_room(s, len);
    memcpy(s + HEAD(s)->len, text, len + 1);
    HEAD(s)->len += len;
    return s;
}

static str str_catf(str s, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return str_cat(s, line, (size_t)n);
}

static void str_free(str s)
{
    free(HEAD(s));
}

struct mq_attempt {
    struct mq_attempt *older;
    int code;
    str transcript;
};

struct mq_message {
    int id, tries;
    str from, to, body;
    struct mq_attempt *attempts;
};

#define MESSAGES 160
static struct mq_message queue[MESSAGES];

static void mq_enqueue(struct mq_message *m, int id)
{
    m->id = id;
    m->from = str_catf(str_new("shop@", 5), "example-%d.org", id % 7);
    m->to = str_catf(str_new("customer-", 9), "%d@example.net", id);
    m->body = str_new(NULL, 4000 + (size_t)id % 50);
    memset(m->body, 'a' + id % 26, HEAD(m->body)->len);
}

static int smtp_talk(const struct mq_message *m, str *said)
{
    *said = str_catf(*said, "MAIL FROM:<%s>\r\nRCPT TO:<%s>\r\nDATA\r\n", m->from, m->to);
    *said = str_cat(*said, m->body, HEAD(m->body)->len);
    *said = str_catf(*said, "\r\n.\r\n451 4.3.0 try again (%d)\r\n", m->tries);
    return 451;
}

/* For the postmaster: what was said, of each try. */
static void mq_remember_try(struct mq_message *m, int code, str said)
{
    struct mq_attempt *a = malloc(sizeof *a);
    if (!a)
        abort();
    a->code = code;
    a->transcript = str_cat(str_new(NULL, 0), said, HEAD(said)->len); /* guilty */
    a->older = m->attempts;
    m->attempts = a;
}

static int mq_deliver(struct mq_message *m)
{
    str said = str_new("220 ready\r\n", 11);
    int code = smtp_talk(m, &said);
    m->tries++;
    mq_remember_try(m, code, said);
    str_free(said);
    return code == 250;
}

int main(void)
{
    int sent = 0;
    for (int i = 0; i < MESSAGES; i++)
        mq_enqueue(&queue[i], i);
    for (int hour = 0; hour < 72; hour++)
        for (int i = 0; i < MESSAGES; i++)
            sent += mq_deliver(&queue[i]);
    printf("%d of %d sent\n", sent, MESSAGES);
    return 0;
}
