/* Serves boot images over a simple protocol of numbered blocks: requests, acknowledgements, retransmissions, and statistics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512
#define TABLE 256

enum opcode { READ = 1, DATA = 3, ACK = 4, ERROR = 5 };

typedef struct packet {
    enum opcode op;
    unsigned client;
    int block, length;
    char text[64];
} Packet;

typedef struct image {
    char name[32];
    int size;
    unsigned char *bytes;
} Image;

typedef struct transfer {
    struct transfer *next;
    unsigned client;
    const Image *image;
    unsigned char *content;
    int size, block, resent;
    long touched;
} Transfer;

typedef struct server {
    Image images[6];
    Transfer *table[TABLE];
    long now, sent, done, refused, resent;
} Server;

static unsigned seed = 41;

static unsigned rnd(unsigned below)
{
    seed = seed * 22695477u + 1u;
    return (seed >> 11) % below;
}

static void load_images(Server *s)
{
    static const char *const names[] = {"pxelinux.0", "menu.cfg", "phone.bin", "switch.img", "initrd.gz", "memtest"};
    for (int i = 0; i < 6; i++) {
        Image *image = &s->images[i];
        snprintf(image->name, sizeof(image->name), "%s", names[i]);
        image->size = 3000 + i * 9000;
        image->bytes = malloc((size_t)image->size);
        if (!image->bytes)
            exit(1);
        for (int k = 0; k < image->size; k++)
            image->bytes[k] = (unsigned char)(k * 7 + i);
    }
}

static const Image *image_named(const Server *s, const char *name)
{
    for (int i = 0; i < 6; i++)
        if (!strcmp(s->images[i].name, name))
            return &s->images[i];
    return NULL;
}

/* The image as this client gets it: its address is patched into the head. */
static unsigned char *personalise(const Image *image, unsigned client)
{
    unsigned char *content = malloc((size_t)image->size);
    if (!content)
        exit(1);
    memcpy(content, image->bytes, (size_t)image->size);
    for (int i = 0; i < 4; i++)
        content[16 + i] = (unsigned char)(client >> (8 * i));
    return content;
}

static Transfer **slot_of(Server *s, unsigned client)
{
    Transfer **slot = &s->table[client * 2654435761u >> 24];
    while (*slot && (*slot)->client != client)
        slot = &(*slot)->next;
    return slot;
}

static void send_block(Server *s, Transfer *t)
{
    int at = (t->block - 1) * BLOCK, n = t->size - at;
    unsigned sum = 0;
    if (n > BLOCK)
        n = BLOCK;
    for (int i = 0; i < n; i++)
        sum += t->content[at + i];
    s->sent += n + (sum == 0);
    t->touched = s->now;
}

static void start(Server *s, const Packet *p)
{
    const Image *image = image_named(s, p->text);
    if (!image) {
        s->refused++;
        return;
    }
    Transfer *t = calloc(1, sizeof(*t));
    if (!t)
        exit(1);
    t->client = p->client;
    t->image = image;
    t->size = image->size;
    t->content = personalise(image, p->client); /* guilty */
    t->block = 1;
    Transfer **slot = slot_of(s, p->client);
    t->next = *slot;
    *slot = t;
    send_block(s, t);
}

static void finish(Server *s, Transfer **slot)
{
    Transfer *t = *slot;
    *slot = t->next;
    s->done++;
    s->resent += t->resent;
    free(t->content);
    free(t);
}

static void acknowledge(Server *s, const Packet *p)
{
    Transfer **slot = slot_of(s, p->client), *t = *slot;
    if (!t)
        return;
    if (p->block != t->block) {
        t->resent++;
        send_block(s, t);
        return;
    }
    if (t->block * BLOCK > t->size) {
        finish(s, slot);
        return;
    }
    t->block++;
    send_block(s, t);
}

static void receive(Server *s, const Packet *p)
{
    switch (p->op) {
    case READ: start(s, p); break;
    case ACK: acknowledge(s, p); break;
    default: s->refused++;
    }
}

/* A machine boots: it asks for an image and takes the blocks, unless someone pulls the plug. */
static void boot(Server *s, unsigned client)
{
    static const char *const wishes[] = {"pxelinux.0", "menu.cfg", "phone.bin", "switch.img", "initrd.gz", "memtest", "default"};
    Packet p = {.op = READ, .client = client};
    snprintf(p.text, sizeof(p.text), "%s", wishes[rnd(7)]);
    receive(s, &p);
    int patience = rnd(5) ? 1000 : (int)rnd(20);
    p.op = ACK;
    for (p.block = 1; p.block <= patience && *slot_of(s, client); p.block++) {
        s->now++;
        if (rnd(60) == 0) {
            p.block--;
            receive(s, &p);
            p.block++;
        }
        receive(s, &p);
    }
}

static void report(const Server *s)
{
    int longest = 0, open = 0;
    for (int i = 0; i < TABLE; i++) {
        int n = 0;
        for (const Transfer *t = s->table[i]; t; t = t->next, n++);
        open += n;
        longest = n > longest ? n : longest;
    }
    printf("%ld transfers done, %d open, %ld bytes sent, %ld blocks again, %ld refused, longest chain %d\n", s->done, open, s->sent, s->resent, s->refused, longest);
}

int main(void)
{
    Server s = {0};
    load_images(&s);
    for (unsigned i = 0; i < 9000; i++)
        boot(&s, 0x0a000000u + i);
    report(&s);
    return 0;
}
