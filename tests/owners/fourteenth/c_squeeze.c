/* Packs a stream of records into blocks: counts bytes, builds a prefix code per block with a heap, writes bits, and checks a sample. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 6000

struct tree {
    uint32_t weight;
    int16_t symbol;
    struct tree *zero, *one;
};

struct heap {
    struct tree *items[512];
    int n;
};

struct bits {
    uint8_t *bytes;
    size_t used, room;
    uint32_t hold;
    int held;
};

static void heap_push(struct heap *h, struct tree *t)
{
    int i = h->n++;
    while (i > 0 && h->items[(i - 1) / 2]->weight > t->weight) {
        h->items[i] = h->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->items[i] = t;
}

static struct tree *heap_pop(struct heap *h)
{
    struct tree *top = h->items[0], *last = h->items[--h->n];
    int i = 0;
    for (int child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && h->items[child + 1]->weight < h->items[child]->weight)
            child++;
        if (h->items[child]->weight >= last->weight)
            break;
        h->items[i] = h->items[child];
    }
    h->items[i] = last;
    return top;
}

static struct tree *tree_new(uint32_t weight, int symbol, struct tree *zero, struct tree *one)
{
    struct tree *t = malloc(sizeof(*t));
    if (!t)
        abort();
    *t = (struct tree){weight, (int16_t)symbol, zero, one};
    return t;
}

static struct tree *build(const uint32_t counts[256])
{
    struct heap *heap = calloc(1, sizeof(*heap));
    for (int i = 0; i < 256; i++)
        heap_push(heap, tree_new(counts[i] + 1, i, NULL, NULL));
    while (heap->n > 1) {
        struct tree *a = heap_pop(heap), *b = heap_pop(heap);
        heap_push(heap, tree_new(a->weight + b->weight, -1, a, b));
    }
    struct tree *root = heap->items[0];
    free(heap);
    return root;
}

static void codes(const struct tree *t, uint32_t code, int length, uint32_t *of, uint8_t *lengths)
{
    if (t->symbol >= 0) {
        of[t->symbol] = code;
        lengths[t->symbol] = (uint8_t)length;
        return;
    }
    codes(t->zero, code << 1, length + 1, of, lengths);
    codes(t->one, code << 1 | 1, length + 1, of, lengths);
}

static void put(struct bits *b, uint32_t code, int length)
{
    while (length-- > 0) {
        b->hold = b->hold << 1 | (code >> length & 1);
        if (++b->held < 8)
            continue;
        if (b->used == b->room)
            b->bytes = realloc(b->bytes, b->room = b->room ? 2 * b->room : 1024);
        b->bytes[b->used++] = (uint8_t)b->hold;
        b->held = 0;
    }
}

static int correct(const struct tree *root, const struct bits *b, const uint8_t *in, size_t n)
{
    size_t bit = 0;
    for (size_t i = 0; i < n; i++) {
        const struct tree *t = root;
        for (; t->symbol < 0; bit++)
            t = b->bytes[bit / 8] >> (7 - bit % 8) & 1 ? t->one : t->zero;
        if (t->symbol != in[i])
            return 0;
    }
    return 1;
}

static size_t pack_block(const uint8_t *in, size_t n, int check)
{
    uint32_t counts[256] = {0}, of[256];
    uint8_t lengths[256];
    struct bits out = {0};
    for (size_t i = 0; i < n; i++)
        counts[in[i]]++;
    struct tree *root = build(counts); /* guilty */
    codes(root, 0, 0, of, lengths);
    for (size_t i = 0; i < n; i++)
        put(&out, of[in[i]], lengths[in[i]]);
    if (check && !correct(root, &out, in, n / 2))
        fprintf(stderr, "a block was packed wrongly\n");
    size_t size = out.used + sizeof(lengths);
    free(out.bytes);
    return size;
}

static size_t record(uint8_t *out, unsigned i)
{
    return (size_t)sprintf((char *)out, "%08x;station %u;%u.%u;ok\n", i * 2654435761u, i % 41, i * 7 % 30, i % 10);
}

int main(void)
{
    uint8_t *block = malloc(BLOCK + 128);
    size_t used = 0, read = 0, written = 0, blocks = 0;
    for (unsigned i = 0; i < 500000; i++) {
        used += record(block + used, i);
        if (used < BLOCK)
            continue;
        written += pack_block(block, used, blocks++ % 16 == 0);
        read += used;
        used = 0;
    }
    printf("%zu blocks, %zu bytes became %zu\n", blocks, read, written);
    free(block);
    return 0;
}
