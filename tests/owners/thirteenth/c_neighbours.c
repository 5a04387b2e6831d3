/* The table of neighbours of a small network stack: requests for addresses, answers, packets that wait for one, and ageing. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096
#define ANSWERS 64

typedef struct frame {
    struct frame *next;
    uint32_t to;
    uint16_t length;
    uint8_t bytes[];
} Frame;

typedef struct neighbour {
    struct neighbour *next;
    uint32_t address;
    uint8_t mac[6];
    int known, tries;
    long asked, confirmed;
    Frame *waiting, **end;
    int waiting_count;
} Neighbour;

typedef struct stack {
    Neighbour *table[BUCKETS];
    uint32_t answers[ANSWERS];
    int answer_count;
    long now, sent, sent_bytes, asked, aged, dropped;
} Stack;

static uint32_t seed = 101;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 747796405u + 2891336453u;
    return (seed >> 9) % below;
}

static Frame *frame_copy(uint32_t to, const uint8_t *bytes, uint16_t length)
{
    Frame *f = malloc(sizeof(*f) + length);
    if (!f)
        exit(1);
    f->next = NULL;
    f->to = to;
    f->length = length;
    memcpy(f->bytes, bytes, length);
    return f;
}

static Neighbour *look_up(Stack *s, uint32_t address)
{
    Neighbour **slot = &s->table[(address * 2654435769u) >> 20];
    for (Neighbour *n = *slot; n; n = n->next)
        if (n->address == address)
            return n;
    Neighbour *n = calloc(1, sizeof(*n));
    if (!n)
        exit(1);
    n->address = address;
    n->asked = -100;
    n->end = &n->waiting;
    n->next = *slot;
    *slot = n;
    return n;
}

static void transmit(Stack *s, const Neighbour *n, const uint8_t *bytes, uint16_t length)
{
    uint8_t sum = n->mac[5];
    for (uint16_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    s->sent++;
    s->sent_bytes += length + (sum & 1);
}

/* Who has that address? Machines that are on will answer a little later. */
static void ask(Stack *s, Neighbour *n)
{
    if (s->now - n->asked < 5)
        return;
    n->asked = s->now;
    n->tries++;
    s->asked++;
    if (n->address % 5 && s->answer_count < ANSWERS)
        s->answers[s->answer_count++] = n->address;
}

static void hold(Neighbour *n, const uint8_t *bytes, uint16_t length)
{
    Frame *f = frame_copy(n->address, bytes, length); /* guilty */
    *n->end = f;
    n->end = &f->next;
    n->waiting_count++;
}

static void output(Stack *s, uint32_t to, const uint8_t *bytes, uint16_t length)
{
    Neighbour *n = look_up(s, to);
    if (n->known) {
        transmit(s, n, bytes, length);
        return;
    }
    hold(n, bytes, length);
    ask(s, n);
}

static void release(Stack *s, Neighbour *n)
{
    for (Frame *f = n->waiting, *next; f; f = next) {
        next = f->next;
        transmit(s, n, f->bytes, f->length);
        free(f);
    }
    n->waiting = NULL;
    n->end = &n->waiting;
    n->waiting_count = 0;
}

static void answer(Stack *s, uint32_t address)
{
    Neighbour *n = look_up(s, address);
    n->known = 1;
    n->tries = 0;
    n->confirmed = s->now;
    for (int i = 0; i < 6; i++)
        n->mac[i] = (uint8_t)(address >> (i * 4));
    release(s, n);
}

static void age(Stack *s)
{
    for (int i = 0; i < BUCKETS; i++)
        for (Neighbour *n = s->table[i]; n; n = n->next)
            if (n->known && s->now - n->confirmed > 900) {
                n->known = 0;
                s->aged++;
            }
}

static void second(Stack *s)
{
    s->now++;
    int n = s->answer_count;
    uint32_t answers[ANSWERS];
    memcpy(answers, s->answers, sizeof(answers));
    s->answer_count = 0;
    for (int i = 0; i < n; i++)
        answer(s, answers[i]);
    if (s->now % 60 == 0)
        age(s);
}

static uint16_t build(uint8_t *frame, int service)
{
    uint16_t length = (uint16_t)(60 + rnd(service == 2 ? 1200 : 300));
    for (uint16_t i = 0; i < length; i++)
        frame[i] = (uint8_t)(i * (uint16_t)service);
    return length;
}

int main(void)
{
    Stack s = {0};
    uint8_t frame[1514];
    for (int second_no = 0; second_no < 13000; second_no++) {
        for (int i = 0; i < 30; i++) {
            uint16_t length = build(frame, (int)rnd(4));
            output(&s, 0xc0a80000u + rnd(2500), frame, length);
        }
        second(&s);
    }
    int silent = 0, most = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (const Neighbour *n = s.table[i]; n; n = n->next) {
            silent += !n->known;
            most = n->waiting_count > most ? n->waiting_count : most;
        }
    printf("%ld frames sent (%ld bytes), %ld requests, %ld aged, %d silent, %d wait at most\n", s.sent, s.sent_bytes, s.asked, s.aged, silent, most);
    return 0;
}
