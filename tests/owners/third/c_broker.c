/* A message broker: who comes again is subscribed again, beside the subscriptions that the client had before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    void **items;
    size_t count, room;
};

static void list_push(struct list *list, void *item)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 8;
        list->items = reallocarray(list->items, list->room, sizeof *list->items);
        if (!list->items)
            abort();
    }
    list->items[list->count++] = item;
}

struct object {
    void (*destroy)(struct object *);
    int references;
};

/* Everything of the broker is made here. */
static void *object_new(size_t size, void (*destroy)(struct object *))
{
    struct object *o = calloc(1, size);
    if (!o)
        abort();
    o->destroy = destroy;
    o->references = 1;
    return o;
}

static void object_release(struct object *o)
{
    if (o && --o->references == 0)
        o->destroy(o);
}

struct client {
    struct object base;
    int id;
    char address[48];
};

struct subscription {
    struct object base;
    struct client *client;
    char filter[160];
    unsigned char seen[256];
};

struct topic {
    char name[32];
    struct list subscriptions;
};

static struct topic topics[64];

static void client_destroy(struct object *o)
{
    free(o);
}

static void subscription_destroy(struct object *o)
{
    free(o);
}

static struct subscription *subscribe(struct client *client, struct topic *topic, const char *filter)
{
    struct subscription *s = object_new(sizeof *s, subscription_destroy); /* guilty */
    s->client = client;
    snprintf(s->filter, sizeof s->filter, "%s/%s/#", topic->name, filter);
    list_push(&topic->subscriptions, s);
    s->base.references++;
    return s;
}

static void connect_client(int id)
{
    struct client *client = object_new(sizeof *client, client_destroy);
    client->id = id;
    snprintf(client->address, sizeof client->address, "10.0.%d.%d", id / 256 % 256, id % 256);
    for (int i = 0; i < 4; i++)
        object_release(&subscribe(client, &topics[(id + i) % 64], "status")->base);
    object_release(&client->base);
}

static size_t publish(struct topic *topic, const char *text)
{
    char *packet = malloc(strlen(text) + 64);
    size_t n = (size_t)sprintf(packet, "PUBLISH %s %s", topic->name, text);
    for (size_t i = 0; i < topic->subscriptions.count && i < 10; i++)
        ((struct subscription *)topic->subscriptions.items[i])->seen[n % 256]++;
    free(packet);
    return n;
}

int main(void)
{
    size_t sent = 0;
    for (int i = 0; i < 64; i++)
        sprintf(topics[i].name, "sensors/%d", i);
    for (int round = 0; round < 200; round++)
        for (int id = 0; id < 120; id++) {
            connect_client(id);
            sent += publish(&topics[id % 64], "online");
        }
    printf("%zu\n", sent);
    return 0;
}
