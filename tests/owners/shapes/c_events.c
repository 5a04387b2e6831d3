#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct buffer { char *data; size_t size, room; };
struct conn { int id; struct buffer in; struct conn *next; void (*on_data)(struct conn *, const char *, size_t); };
static struct conn *conns;
static struct buffer audit;
static void buffer_add(struct buffer *b, const char *data, size_t size)
{
    if (b->size + size > b->room) { b->room = (b->size + size) * 2; b->data = realloc(b->data, b->room); }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}
static void on_request(struct conn *c, const char *data, size_t size)
{
    buffer_add(&c->in, data, size);
    if (c->in.size > 300) c->in.size = 0;
}
static void on_upload(struct conn *c, const char *data, size_t size)
{
    if (data[0] == '!') c->in.size = 0;
    buffer_add(&c->in, data, size); /* guilty */
}
static void accept_one(int id)
{
    struct conn *c = calloc(1, sizeof *c);
    c->id = id;
    c->on_data = id % 4 ? on_request : on_upload;
    c->next = conns;
    conns = c;
}
static void poll_once(unsigned turn)
{
    char packet[200];
    for (struct conn *c = conns; c; c = c->next) {
        memset(packet, 'a' + turn % 26, sizeof packet);
        c->on_data(c, packet, 50 + (turn * 7 + (unsigned)c->id) % 150);
    }
    if (turn % 50 == 0) buffer_add(&audit, packet, 20);
}
int main(void)
{
    for (int i = 0; i < 64; i++) accept_one(i);
    for (unsigned t = 0; t < 12000; t++) poll_once(t);
    printf("%zu\n", audit.size);
    return 0;
}
