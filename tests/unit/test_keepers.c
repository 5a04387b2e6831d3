/* What keeps blocks: of graphs by hand, and of drawn ones against the definition. */
#include "check.h"
#include "heap/graph/keepers.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 30
#define HOLDERS 6
#define ROOTS 12
#define POINTERS 200

/* Holders 0 and 1 are of one module, 2 of another, 3 and 4 of threads. */
static struct hf_holder holders[HOLDERS] = {
    {HF_ROOT_DATA, "/app", 0},
    {HF_ROOT_DATA, "/app", 0},
    {HF_ROOT_DATA, "/lib.so", 0},
    {HF_ROOT_STACK, "", 11},
    {HF_ROOT_STACK, "", 12},
    {HF_ROOT_THREAD_LOCAL, "", 11},
};

struct model {
    struct hf_heap heap;
    struct hf_block_graph graph;
    uint32_t first[BLOCKS + 1], targets[POINTERS];
    uint8_t states[BLOCKS];
    struct hf_root roots[HF_ROOT_KINDS][ROOTS];
};

static void model_init(struct model *m)
{
    struct hf_error err;
    memset(m, 0, sizeof *m);
    for (size_t i = 0; i < BLOCKS; i++)
        check_ok(hf_heap_add(&m->heap, 0x1000 + i * UINT64_C(0x100), 16, &err), &err);
    m->graph = (struct hf_block_graph){.first = m->first,
        .targets = m->targets,
        .states = m->states,
        .holders = holders,
        .holder_count = HOLDERS};
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++)
        m->graph.roots[kind] = m->roots[kind];
}

static void add_root(struct model *m, uint32_t holder, uint32_t block, uint64_t address)
{
    enum hf_root_kind kind = holders[holder].kind;
    assert_true(m->graph.root_count[kind] < ROOTS);
    m->roots[kind][m->graph.root_count[kind]++] = (struct hf_root){block, holder, address};
}

static void reach_state(struct model *m, uint32_t block, uint8_t state)
{
    if (m->states[block] != UINT8_MAX)
        return;
    m->states[block] = state;
    for (uint32_t t = m->first[block]; t < m->first[block + 1]; t++)
        reach_state(m, m->targets[t], state == HF_BLOCK_LOST ? HF_BLOCK_LOST_WITH : state);
}

/* As block_graph.c does; what is lost begins with the first block that is not reached. */
static void put_states(struct model *m)
{
    memset(m->states, 0xff, sizeof m->states);
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        for (size_t i = 0; i < m->graph.root_count[kind]; i++)
            reach_state(m, m->roots[kind][i].block, (uint8_t)(HF_BLOCK_HELD + kind));
    }
    for (uint32_t i = 0; i < BLOCKS; i++)
        reach_state(m, i, HF_BLOCK_LOST);
}

/* Each block points to the next: 0 -> 1 -> 2 ... up to `last`. */
static void put_list(struct model *m, uint32_t last)
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        m->first[i + 1] = m->first[i] + (i < last);
        if (i < last)
            m->targets[m->first[i]] = i + 1;
    }
}

static const struct hf_block_keeper *keeper_of(const struct hf_keepers *keepers, uint32_t block)
{
    return &keepers->items[keepers->of[block]];
}

static void make(struct hf_keepers *keepers, struct model *m, const struct hf_variables *variables)
{
    struct hf_error err;
    put_states(m);
    check_ok(hf_keepers_make(keepers, &m->heap, &m->graph, variables, &err), &err);
}

/* A list in the data of a module, one pointer on a stack into the middle: it is the module's. */
static void test_list(void **state)
{
    struct model m;
    struct hf_keepers keepers;
    uint32_t block = 9, keeper = 0, steps = 0;
    (void)state;
    model_init(&m);
    put_list(&m, 9);
    add_root(&m, 0, 0, 0x400010);
    add_root(&m, 3, 5, 0x7ff000);
    make(&keepers, &m, NULL);
    for (uint32_t i = 0; i <= 9; i++) {
        assert_int_equal(keeper_of(&keepers, i)->form, HF_KEEPER_ONE);
        assert_string_equal(keeper_of(&keepers, i)->holder->path, "/app");
        assert_int_equal(keepers.depth[i], i);
    }
    while (hf_keepers_before(&keepers, block, &block, &keeper))
        steps++;
    assert_int_equal(steps, 9);
    assert_int_equal(keeper, keepers.of[0]);
    assert_int_equal(keepers.of[10], HF_KEEPER_IS_LOST);
    hf_keepers_done(&keepers);
    hf_heap_done(&m.heap);
}

/* Two parts of one module are one keeper; two modules, two; three of a kind, many. */
static void test_several(void **state)
{
    struct model m;
    struct hf_keepers keepers;
    (void)state;
    model_init(&m);
    put_list(&m, 0);
    add_root(&m, 0, 1, 0x400010);
    add_root(&m, 1, 1, 0x500010);
    add_root(&m, 0, 2, 0x400010);
    add_root(&m, 2, 2, 0x600010);
    add_root(&m, 3, 3, 0x7ff000);
    add_root(&m, 4, 3, 0x8ff000);
    add_root(&m, 5, 4, 0x9ff000);
    make(&keepers, &m, NULL);
    assert_int_equal(keeper_of(&keepers, 1)->form, HF_KEEPER_ONE);
    assert_int_equal(keeper_of(&keepers, 2)->form, HF_KEEPER_TWO);
    assert_string_equal(keepers.items[keeper_of(&keepers, 2)->first].holder->path, "/app");
    assert_string_equal(keepers.items[keeper_of(&keepers, 2)->second].holder->path, "/lib.so");
    assert_int_equal(keepers.items[keeper_of(&keepers, 3)->second].holder->thread, 12);
    assert_int_equal(keeper_of(&keepers, 4)->kind, HF_ROOT_THREAD_LOCAL);
    hf_keepers_done(&keepers);
    hf_heap_done(&m.heap);
}

/* Of two frames of a stack the one further out keeps a block; those of a function are one place;
 * what is in no frame is further in than all; and stacks of two threads are two. */
static void test_frames(void **state)
{
    struct model m;
    struct hf_keepers keepers;
    struct hf_variable items[] = {{0x7000, 0x7100, HF_TEXT("leaf")},
        {0x7100, 0x7200, HF_TEXT("recurse")}, {0x7200, 0x7300, HF_TEXT("walk")},
        {0x7300, 0x7400, HF_TEXT("recurse")}, {0x7500, 0x7600, HF_TEXT("main")},
        {0x9000, 0x9100, HF_TEXT("leaf")}};
    const struct hf_variables variables = {.items = items, .count = 6};
    (void)state;
    model_init(&m);
    put_list(&m, 9);
    add_root(&m, 3, 12, 0x6ff8);
    add_root(&m, 3, 8, 0x7008);
    add_root(&m, 3, 11, 0x7010);
    add_root(&m, 3, 10, 0x7110);
    add_root(&m, 3, 2, 0x7208);
    add_root(&m, 3, 12, 0x7210);
    add_root(&m, 3, 5, 0x7308);
    add_root(&m, 4, 11, 0x9008);
    make(&keepers, &m, &variables);
    assert_int_equal(keepers.of[0], HF_KEEPER_IS_LOST);
    assert_ptr_equal(keeper_of(&keepers, 2)->where, &items[2]);
    assert_ptr_equal(keeper_of(&keepers, 4)->where, &items[2]);
    for (uint32_t i = 5; i <= 10; i++) {
        assert_int_equal(keeper_of(&keepers, i)->form, HF_KEEPER_ONE);
        assert_ptr_equal(keeper_of(&keepers, i)->where, &items[3]);
    }
    assert_ptr_equal(keeper_of(&keepers, 12)->where, &items[2]);
    assert_int_equal(keeper_of(&keepers, 11)->form, HF_KEEPER_TWO);
    assert_ptr_equal(keepers.items[keeper_of(&keepers, 11)->first].where, &items[0]);
    assert_ptr_equal(keepers.items[keeper_of(&keepers, 11)->second].where, &items[5]);
    hf_keepers_done(&keepers);
    hf_heap_done(&m.heap);
}

/* With names, a module is as many keepers as it has variables that hold something. */
static void test_variables(void **state)
{
    struct model m;
    struct hf_keepers keepers;
    struct hf_variable items[] = {{0x400010, 0x400020, HF_TEXT("first")},
        {0x400020, 0x400028, HF_TEXT("second")}, {0x400030, 0x400038, HF_TEXT("third")}};
    const struct hf_variables variables = {.items = items, .count = 3};
    (void)state;
    model_init(&m);
    put_list(&m, 0);
    add_root(&m, 0, 1, 0x400010);
    add_root(&m, 0, 1, 0x400018);
    add_root(&m, 0, 2, 0x400018);
    add_root(&m, 0, 2, 0x400020);
    add_root(&m, 0, 3, 0x400028);
    add_root(&m, 0, 4, 0x400018);
    add_root(&m, 0, 4, 0x400020);
    add_root(&m, 0, 4, 0x400030);
    make(&keepers, &m, &variables);
    assert_ptr_equal(keeper_of(&keepers, 1)->where, &items[0]);
    assert_int_equal(keeper_of(&keepers, 2)->form, HF_KEEPER_TWO);
    assert_ptr_equal(keepers.items[keeper_of(&keepers, 2)->second].where, &items[1]);
    assert_int_equal(keeper_of(&keepers, 3)->form, HF_KEEPER_ONE);
    assert_null(keeper_of(&keepers, 3)->where);
    assert_int_equal(keeper_of(&keepers, 4)->form, HF_KEEPER_MANY);
    hf_keepers_done(&keepers);
    hf_heap_done(&m.heap);
}

/* Lost: a list of which the first is lost by itself, and the others with it. */
static void test_lost(void **state)
{
    struct model m;
    struct hf_keepers keepers;
    uint32_t block, keeper = UINT32_MAX;
    (void)state;
    model_init(&m);
    put_list(&m, 2);
    make(&keepers, &m, NULL);
    assert_int_equal(keepers.of[0], HF_KEEPER_IS_LOST);
    assert_int_equal(keepers.of[2], HF_KEEPER_IS_LOST_WITH);
    assert_true(hf_keepers_before(&keepers, 2, &block, &keeper));
    assert_int_equal(block, 1);
    assert_false(hf_keepers_before(&keepers, 0, &block, &keeper));
    assert_int_equal(keeper, HF_KEEPER_IS_LOST);
    hf_keepers_done(&keepers);
    hf_heap_done(&m.heap);
}

static unsigned draw(unsigned *seed, unsigned below)
{
    return (unsigned)rand_r(seed) % below;
}

/* Marks all that a root leads to by blocks of its kind. */
static void mark(const struct model *m, uint32_t block, uint8_t state, bool *reached)
{
    if (m->states[block] != state || reached[block])
        return;
    reached[block] = true;
    for (uint32_t t = m->first[block]; t < m->first[block + 1]; t++)
        mark(m, m->targets[t], state, reached);
}

static void check_block(const struct model *m, const struct hf_keepers *keepers, uint32_t block,
    bool reached[HOLDERS][BLOCKS])
{
    size_t count = 0;
    uint32_t only = 0;
    for (uint32_t h = 0; h < HOLDERS; h++) {
        bool is_second_part = h == 1 && reached[0][block]; /* of the same module */
        if (!reached[h][block] || is_second_part)
            continue;
        count++;
        only = h;
    }
    const struct hf_block_keeper *keeper = keeper_of(keepers, block);
    if (m->states[block] < HF_BLOCK_HELD) {
        assert_int_equal(keepers->of[block], m->states[block]);
        return;
    }
    assert_int_equal(keeper->form, count == 1   ? HF_KEEPER_ONE
                                   : count == 2 ? HF_KEEPER_TWO
                                                : HF_KEEPER_MANY);
    assert_int_equal(HF_BLOCK_HELD + keeper->kind, m->states[block]);
    if (count == 1)
        assert_string_equal(keeper->holder->path, holders[only].path);
}

static void check_model(struct model *m)
{
    static bool reached[HOLDERS][BLOCKS];
    struct hf_keepers keepers;
    memset(reached, 0, sizeof reached);
    make(&keepers, m, NULL);
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        for (size_t i = 0; i < m->graph.root_count[kind]; i++)
            mark(m, m->roots[kind][i].block, (uint8_t)(HF_BLOCK_HELD + kind),
                reached[m->roots[kind][i].holder]);
    }
    for (uint32_t i = 0; i < BLOCKS; i++)
        check_block(m, &keepers, i, reached);
    hf_keepers_done(&keepers);
}

static void test_drawn(void **state)
{
    struct model m;
    (void)state;
    for (unsigned s = 1; s <= 2000; s++) {
        unsigned seed = s;
        size_t count = 0;
        model_init(&m);
        for (uint32_t i = 0; i < BLOCKS; i++) {
            m.first[i] = (uint32_t)count;
            for (unsigned p = draw(&seed, 2 + s % 3); p != 0; p--)
                m.targets[count++] = draw(&seed, BLOCKS);
        }
        m.first[BLOCKS] = (uint32_t)count;
        for (unsigned i = draw(&seed, ROOTS); i != 0; i--)
            add_root(&m, draw(&seed, HOLDERS), draw(&seed, BLOCKS), 0x400000);
        check_model(&m);
        hf_heap_done(&m.heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_drawn),
    };
    return cmocka_run_group_tests_name("keepers", tests, NULL, NULL);
}
