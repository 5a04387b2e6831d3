/* Receive path of a field-bus adapter: descriptors, frames, upper layer queues. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RX_RING 64
#define CHANNELS 8
#define FRAME_MAX 1536

struct frame {
    struct frame *next;
    uint16_t len;
    uint16_t channel;
    uint32_t crc;
    uint8_t data[FRAME_MAX];
};

struct channel {
    struct frame *head, **tail;
    unsigned depth;
    unsigned long bytes, dropped, shorted;
};

static struct channel chans[CHANNELS];
static struct frame *ring[RX_RING];
static uint32_t crc_table[256];
static uint32_t wire_state = 77;

static void crc_init(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        crc_table[i] = c;
    }
}

static uint32_t crc32_of(const uint8_t *p, size_t n)
{
    uint32_t c = ~0u;
    while (n--)
        c = crc_table[(c ^ *p++) & 0xff] ^ (c >> 8);
    return ~c;
}

static uint32_t wire_rand(void)
{
    wire_state = wire_state * 747796405u + 2891336453u;
    return wire_state >> 9;
}

static struct frame *frame_alloc(void)
{
    struct frame *f = malloc(sizeof *f);
    f->next = NULL;
    f->len = 0;
    return f;
}

static void ring_refill(void)
{
    for (int i = 0; i < RX_RING; i++)
        if (!ring[i])
            ring[i] = frame_alloc();
}

static void wire_receive(struct frame *f)
{
    f->len = 64 + wire_rand() % (FRAME_MAX - 64);
    f->channel = wire_rand() % CHANNELS;
    uint32_t v = wire_rand();
    for (int i = 0; i < FRAME_MAX; i++)
        f->data[i] = (uint8_t)(v + i * 5);
    f->crc = crc32_of(f->data, f->len);
    if (wire_rand() % 6 == 0)
        f->data[f->len / 2] ^= 0x10;
}

static void rx_frame(struct frame *f)
{
    struct channel *ch = &chans[f->channel];
    if (f->len < 100) {
        ch->shorted++;
        free(f);
        return;
    }
    if (crc32_of(f->data, f->len) != f->crc) { /* guilty */
        ch->dropped++;
        return;
    }
    *ch->tail = f;
    ch->tail = &f->next;
    ch->depth++;
}

static void rx_interrupt(void)
{
    for (int i = 0; i < RX_RING; i++) {
        struct frame *f = ring[i];
        ring[i] = NULL;
        wire_receive(f);
        rx_frame(f);
    }
    ring_refill();
}

static void channel_drain(struct channel *ch)
{
    while (ch->head) {
        struct frame *f = ch->head;
        ch->head = f->next;
        ch->bytes += f->len;
        free(f);
    }
    ch->tail = &ch->head;
    ch->depth = 0;
}

int main(void)
{
    crc_init();
    for (int i = 0; i < CHANNELS; i++)
        chans[i].tail = &chans[i].head;
    ring_refill();
    for (int tick = 0; tick < 3600; tick++) {
        rx_interrupt();
        if (tick % 3 == 0)
            for (int i = 0; i < CHANNELS; i++)
                channel_drain(&chans[i]);
        if (tick % 20 == 0)
            usleep(9000);
    }
    for (int i = 0; i < CHANNELS; i++)
        printf("ch%d %lu bytes, %lu dropped, %lu short\n", i, chans[i].bytes, chans[i].dropped,
               chans[i].shorted);
    usleep(200000);
    return 0;
}
