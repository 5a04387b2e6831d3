/* Dominators of drawn graphs, against their definition: what cannot be reached without a block, by
 * paths of the first kind that reaches it. */
#include "check.h"
#include "heap/graph/dominators.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 40
#define POINTERS 400

struct drawn {
    struct hf_heap heap;
    struct hf_block_graph graph;
    uint32_t first[BLOCKS + 1], targets[POINTERS];
    struct hf_root roots[2][4];
    uint8_t states[BLOCKS];
};

static unsigned draw(unsigned *seed, unsigned below)
{
    return (unsigned)rand_r(seed) % below;
}

/* `density`: pointers of each block, at most. */
static void draw_graph(struct drawn *d, unsigned seed, unsigned density)
{
    size_t count = 0;
    struct hf_error err;
    memset(d, 0, sizeof *d);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        check_ok(hf_heap_add(&d->heap, 0x1000 + i * UINT64_C(0x100), 16 + i, &err), &err);
        d->first[i] = (uint32_t)count;
        for (unsigned p = draw(&seed, density + 1); p != 0; p--)
            d->targets[count++] = draw(&seed, BLOCKS);
    }
    d->first[BLOCKS] = (uint32_t)count;
    d->graph.first = d->first;
    d->graph.targets = d->targets;
    for (unsigned kind = 0; kind < 2; kind++) {
        d->graph.roots[kind * 3] = d->roots[kind];
        d->graph.root_count[kind * 3] = 1 + draw(&seed, 4);
        for (size_t i = 0; i < d->graph.root_count[kind * 3]; i++)
            d->roots[kind][i].block = draw(&seed, BLOCKS);
    }
}

/* As block_graph.c does; what nothing reaches is lost. */
static void put_state(struct drawn *d, uint32_t block, uint8_t state)
{
    if (d->states[block] != HF_BLOCK_LOST)
        return;
    d->states[block] = state;
    for (uint32_t t = d->first[block]; t < d->first[block + 1]; t++)
        put_state(d, d->targets[t], state);
}

static void reach(const struct drawn *d, uint32_t block, uint32_t without, bool *reached)
{
    if (block == without || reached[block])
        return;
    reached[block] = true;
    for (uint32_t t = d->first[block]; t < d->first[block + 1]; t++) {
        if (d->states[d->targets[t]] == d->states[block])
            reach(d, d->targets[t], without, reached);
    }
}

static void reach_without(const struct drawn *d, uint32_t without, bool reached[BLOCKS])
{
    memset(reached, 0, BLOCKS * sizeof *reached);
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        for (size_t i = 0; i < d->graph.root_count[kind]; i++) {
            uint32_t block = d->graph.roots[kind][i].block;
            if (d->states[block] == HF_BLOCK_HELD + kind)
                reach(d, block, without, reached);
        }
    }
}

static void put_states(struct drawn *d)
{
    d->graph.states = d->states;
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        for (size_t i = 0; i < d->graph.root_count[kind]; i++)
            put_state(d, d->graph.roots[kind][i].block, (uint8_t)(HF_BLOCK_HELD + kind));
    }
}

/* Of those that dominate a block, the one that all the others dominate. */
static uint32_t nearest(bool dominates[BLOCKS][BLOCKS], uint32_t block)
{
    uint32_t best = HF_BLOCK_NONE;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (i != block && dominates[i][block] && (best == HF_BLOCK_NONE || dominates[best][i]))
            best = i;
    }
    return best;
}

static void check_graph(const struct drawn *d)
{
    struct hf_error err;
    struct hf_dominators tree;
    static bool dominates[BLOCKS][BLOCKS];
    bool all[BLOCKS], some[BLOCKS];
    reach_without(d, HF_BLOCK_NONE, all);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        reach_without(d, i, some);
        for (uint32_t b = 0; b < BLOCKS; b++)
            dominates[i][b] = all[b] && !some[b];
    }
    check_ok(hf_dominators_make(&tree, &d->heap, &d->graph, &err), &err);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint64_t retained = 0;
        for (uint32_t b = 0; b < BLOCKS; b++)
            retained += dominates[i][b] ? d->heap.blocks[b].bytes : 0;
        assert_int_equal(tree.retained[i], retained);
        assert_int_equal(tree.immediate[i], all[i] ? nearest(dominates, i) : HF_BLOCK_NONE);
    }
    hf_dominators_done(&tree);
}

static void test_drawn_graphs(void **state)
{
    static struct drawn drawn;
    (void)state;
    for (unsigned seed = 1; seed <= 600; seed++) {
        draw_graph(&drawn, seed, 1 + seed % 4);
        put_states(&drawn);
        check_graph(&drawn);
        hf_heap_done(&drawn.heap);
    }
}

/* A list of 200,000, each of which points to the one before, too: no recursion, no square. */
static void test_long_list(void **state)
{
    enum { COUNT = 200000 };
    struct hf_error err;
    struct hf_heap heap = {0};
    struct hf_dominators tree;
    struct hf_root root = {0};
    uint32_t *first = malloc((COUNT + 1) * sizeof *first);
    uint32_t *targets = malloc(2 * COUNT * sizeof *targets), count = 0;
    uint8_t *states = malloc(COUNT);
    (void)state;
    assert_non_null(first);
    assert_non_null(targets);
    assert_non_null(states);
    memset(states, HF_BLOCK_HELD, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        check_ok(hf_heap_add(&heap, 0x1000 + i * UINT64_C(32), 24, &err), &err);
        first[i] = count;
        if (i + 1 < COUNT)
            targets[count++] = i + 1;
        if (i != 0)
            targets[count++] = i - 1;
    }
    first[COUNT] = count;
    struct hf_block_graph graph = {
        .first = first, .targets = targets, .states = states, .roots = {&root}, .root_count = {1}};
    check_ok(hf_dominators_make(&tree, &heap, &graph, &err), &err);
    assert_int_equal(tree.retained[0], UINT64_C(24) * COUNT);
    assert_int_equal(tree.retained[COUNT - 1], 24);
    assert_int_equal(tree.immediate[COUNT - 1], COUNT - 2);
    hf_dominators_done(&tree);
    hf_heap_done(&heap);
    free(first);
    free(targets);
    free(states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_graphs),
        cmocka_unit_test(test_long_list),
    };
    return cmocka_run_group_tests_name("dominators", tests, NULL, NULL);
}
