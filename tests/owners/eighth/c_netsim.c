/* A packet network simulator: events in a binary heap, queues at links, and a trace that can be written at the end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 1400
#define LINKS_PER_NODE 6
#define BLOCK_RECORDS 120

typedef enum { EV_SEND, EV_ARRIVE, EV_TX_DONE } EventKind;

typedef struct {
    uint32_t id, src, dst, size, hops;
} Packet;

typedef struct {
    double when;
    EventKind kind;
    uint32_t node, link;
    Packet *packet;
} Event;

typedef struct {
    double when;
    uint32_t node, packet, src, dst;
    uint16_t size, queue;
    char action;
} TraceRecord;

typedef struct TraceBlock {
    struct TraceBlock *next;
    unsigned used;
    TraceRecord records[BLOCK_RECORDS];
} TraceBlock;

typedef struct {
    uint32_t to;
    double rate, delay;
    Packet **queue;
    unsigned head, queued, capacity;
} Link;

typedef struct {
    Link links[LINKS_PER_NODE];
    uint16_t *next_hop;
} Node;

static Node nodes[NODES];
static Event *heap;
static size_t heap_used, heap_room;
static TraceBlock *trace_first, *trace_last;
static unsigned long traced, dropped, delivered;
static uint32_t next_packet, seed = 99;

static uint32_t random_below(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % limit;
}

static void *alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        perror("netsim");
        exit(1);
    }
    return memory;
}

static void push_event(Event event)
{
    if (heap_used == heap_room) {
        heap_room = heap_room ? heap_room * 2 : 1024;
        heap = realloc(heap, heap_room * sizeof *heap);
        if (!heap)
            exit(1);
    }
    size_t at = heap_used++;
    for (; at > 0 && heap[(at - 1) / 2].when > event.when; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = event;
}

static Event pop_event(void)
{
    Event top = heap[0], last = heap[--heap_used];
    size_t at = 0;
    for (size_t child; (child = at * 2 + 1) < heap_used; at = child) {
        if (child + 1 < heap_used && heap[child + 1].when < heap[child].when)
            child++;
        if (last.when <= heap[child].when)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

static void trace(double when, char action, uint32_t node, const Packet *packet, unsigned queue)
{
    if (trace_last == NULL || trace_last->used == BLOCK_RECORDS) {
        TraceBlock *block = alloc(1, sizeof *block); /* guilty */
        if (trace_last != NULL)
            trace_last->next = block;
        else
            trace_first = block;
        trace_last = block;
    }
    trace_last->records[trace_last->used++] =
        (TraceRecord){when, node, packet->id, packet->src, packet->dst, (uint16_t)packet->size, (uint16_t)queue, action};
    traced++;
}

static void build_topology(void)
{
    for (uint32_t n = 0; n < NODES; n++) {
        for (int l = 0; l < LINKS_PER_NODE; l++) {
            Link *link = &nodes[n].links[l];
            link->to = (n + (1u << (2 * l))) % NODES;
            link->rate = 1e6 * (1 + l);
            link->delay = 0.001 * (1 + random_below(20));
            link->capacity = 16;
            link->queue = alloc(link->capacity, sizeof(Packet *));
        }
        nodes[n].next_hop = alloc(NODES, sizeof(uint16_t));
        for (uint32_t d = 0; d < NODES; d++) {
            uint32_t ahead = (d + NODES - n) % NODES;
            int best = 0;
            while (best + 1 < LINKS_PER_NODE && (1u << (2 * (best + 1))) <= ahead)
                best++;
            nodes[n].next_hop[d] = (uint16_t)best;
        }
    }
}

static void forward(double now, uint32_t at, Packet *packet)
{
    uint32_t number = nodes[at].next_hop[packet->dst];
    Link *link = &nodes[at].links[number];
    if (link->queued == link->capacity) {
        trace(now, 'd', at, packet, link->queued);
        dropped++;
        free(packet);
        return;
    }
    link->queue[(link->head + link->queued++) % link->capacity] = packet;
    trace(now, '+', at, packet, link->queued);
    if (link->queued == 1)
        push_event((Event){now + packet->size * 8 / link->rate, EV_TX_DONE, at, number, NULL});
}

static void handle(const Event *event)
{
    if (event->kind == EV_SEND) {
        Packet *packet = alloc(1, sizeof *packet);
        *packet = (Packet){++next_packet, event->node, random_below(NODES), 64 + random_below(1400), 0};
        forward(event->when, event->node, packet);
        push_event((Event){event->when + 0.02 + random_below(100) / 1000.0, EV_SEND, event->node, 0, NULL});
    } else if (event->kind == EV_TX_DONE) {
        Link *link = &nodes[event->node].links[event->link];
        Packet *packet = link->queue[link->head];
        link->head = (link->head + 1) % link->capacity;
        link->queued--;
        push_event((Event){event->when + link->delay, EV_ARRIVE, link->to, 0, packet});
        if (link->queued > 0)
            push_event((Event){event->when + link->queue[link->head]->size * 8 / link->rate, EV_TX_DONE, event->node, event->link, NULL});
    } else if (event->node == event->packet->dst) {
        trace(event->when, 'r', event->node, event->packet, 0);
        delivered++;
        free(event->packet);
    } else {
        event->packet->hops++;
        forward(event->when, event->node, event->packet);
    }
}

int main(int argc, char **argv)
{
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    build_topology();
    for (uint32_t n = 0; n < NODES; n++)
        push_event((Event){random_below(1000) / 10000.0, EV_SEND, n, 0, NULL});
    while (heap_used > 0 && heap[0].when < 4.5) {
        Event event = pop_event();
        handle(&event);
    }
    if (out)
        for (const TraceBlock *block = trace_first; block; block = block->next)
            for (unsigned i = 0; i < block->used; i++)
                fprintf(out, "%c %.6f %u %u\n", block->records[i].action, block->records[i].when, block->records[i].node,
                        block->records[i].packet);
    printf("%lu delivered, %lu dropped, %lu lines of trace\n", delivered, dropped, traced);
    return 0;
}
