/* Blocks as stacks: what keeps them, and from container to content; lists of any length are short.
 */
#include "answer/heap/block_stacks.h"
#include "check.h"

#define BLOCKS 400
#define POINTERS 800

static struct hf_holder holders[] = {{HF_ROOT_DATA, "/bin/app", 0}, {HF_ROOT_STACK, "", 11}};

struct model {
    struct hf_heap heap;
    struct hf_block_graph graph;
    uint32_t first[BLOCKS + 1], targets[POINTERS];
    uint8_t states[BLOCKS];
    struct hf_root roots[2];
    struct hf_variable items[2];
};

/* A block that points to the next one, if it `has_next`. */
static void add_block(struct model *m, uint64_t bytes, bool has_next)
{
    struct hf_error err;
    uint32_t block = (uint32_t)m->heap.count, count = m->first[block];
    check_ok(hf_heap_add(&m->heap, 0x10000 + block * UINT64_C(0x100000), bytes, &err), &err);
    if (has_next)
        m->targets[count++] = block + 1;
    m->first[block + 1] = count;
}

static void add_list(struct model *m, const uint64_t *sizes, size_t count, size_t length)
{
    for (size_t i = 0; i < length; i++)
        add_block(m, sizes[i % count], i + 1 < length);
}

/* From the root on: the data of the program reach the first block, a stack the other. */
static void model_init(struct model *m)
{
    memset(m, 0, sizeof *m);
    m->items[0] = (struct hf_variable){0x400010, 0x400018, HF_TEXT("all")};
    m->items[1] = (struct hf_variable){0x7ff000, 0x7ff100, HF_TEXT("main")};
    m->graph = (struct hf_block_graph){.first = m->first,
        .targets = m->targets,
        .states = m->states,
        .holders = holders,
        .holder_count = 2};
}

static void add_root(struct model *m, enum hf_root_kind kind, uint32_t block)
{
    size_t i = kind == HF_ROOT_DATA ? 0 : 1;
    m->roots[i] = (struct hf_root){block, (uint32_t)i, m->items[i].start};
    m->graph.roots[kind] = &m->roots[i];
    m->graph.root_count[kind] = 1;
    for (uint32_t at = block;; at = m->targets[m->first[at]]) {
        m->states[at] = (uint8_t)(HF_BLOCK_HELD + kind);
        if (m->first[at] == m->first[at + 1])
            return;
    }
}

static void put_stack(const struct hf_profile *profile, uint32_t node, struct hf_out *out)
{
    if (profile->stacks.nodes[node].parent != HF_STACK_ROOT) {
        put_stack(profile, profile->stacks.nodes[node].parent, out);
        hf_out_char(out, ';');
    }
    const struct hf_frame *frame = hf_profile_frame_at(profile, profile->stacks.nodes[node].frame);
    hf_out_text(out, hf_profile_text(profile, frame->name));
}

/* "STACK OBJECTS BYTES\n", in the order of the tree. */
static void check_stacks(struct model *m, const char *expected)
{
    struct hf_error err;
    struct hf_out text = {0};
    struct hf_dominators tree;
    struct hf_keepers keepers;
    struct hf_process_image image = {0};
    struct hf_object_classes classes;
    struct hf_profile *profile;
    const struct hf_variables variables = {.items = m->items, .count = 2};
    const struct hf_block_stacks_of of = {&m->heap, &tree, &keepers, &classes};
    check_ok(hf_dominators_make(&tree, &m->heap, &m->graph, &err), &err);
    check_ok(hf_keepers_make(&keepers, &m->heap, &m->graph, &variables, &err), &err);
    check_ok(hf_object_classes_init(&classes, &m->heap, &image, &err), &err);
    check_ok(hf_block_stacks_make(&of, &profile, &err), &err);
    for (size_t i = 0; i < profile->sample_count; i++) {
        const uint64_t *values = hf_profile_values(profile, i);
        put_stack(profile, profile->samples[i].node, &text);
        hf_out_printf(&text, " %llu %llu\n", (unsigned long long)values[HF_INUSE_OBJECTS],
            (unsigned long long)values[HF_INUSE_SPACE]);
    }
    hf_profile_free(profile);
    hf_object_classes_done(&classes);
    hf_keepers_done(&keepers);
    hf_dominators_done(&tree);
    hf_heap_done(&m->heap);
    check_out(&text, expected);
    hf_out_done(&text);
}

static void lists(void **state)
{
    struct model m;
    (void)state;
    model_init(&m);
    add_list(&m, (uint64_t[]){24}, 1, 100);
    add_list(&m, (uint64_t[]){24, 40}, 2, 100);
    add_root(&m, HF_ROOT_DATA, 0);
    add_root(&m, HF_ROOT_STACK, 100);
    check_stacks(&m,
        "global all (app);blocks of 24 B 100 2400\n"
        "stack of thread 11, in main;blocks of 24 B 1 24\n"
        "stack of thread 11, in main;blocks of 24 B;blocks of 40 B 50 2000\n"
        "stack of thread 11, in main;blocks of 24 B;blocks of 40 B;blocks of 24 B 49 1176\n");
}

/* What has no class repeats only where a sequence does; sizes are apart up to 1,024 bytes. */
static void sequences(void **state)
{
    struct model m;
    (void)state;
    model_init(&m);
    add_list(&m, (uint64_t[]){1024, 1025, 2048, 2049, 24, 1500, 24}, 7, 7);
    add_root(&m, HF_ROOT_DATA, 0);
    add_list(&m, (uint64_t[]){8, 16, 32, 64}, 4, 80);
    memset(m.states + 7, HF_BLOCK_LOST_WITH, 80);
    m.states[7] = HF_BLOCK_LOST;
    check_stacks(&m,
        "global all (app);blocks of 1,024 B 1 1024\n"
        "global all (app);blocks of 1,024 B;blocks of up to 2,048 B 2 3073\n"
        "global all (app);blocks of 1,024 B;blocks of up to 2,048 B;blocks of up to 4,096 B 1 "
        "2049\n"
        "global all (app);blocks of 1,024 B;blocks of up to 2,048 B;blocks of up to 4,096 B;blocks "
        "of 24 B 1 24\n"
        "global all (app);blocks of 1,024 B;blocks of up to 2,048 B;blocks of up to 4,096 B;blocks "
        "of 24 B;blocks of up to 2,048 B 1 1500\n"
        "global all (app);blocks of 1,024 B;blocks of up to 2,048 B;blocks of up to 4,096 B;blocks "
        "of 24 B;blocks of up to 2,048 B;blocks of 24 B 1 24\n"
        "nothing: lost;blocks of 8 B 1 8\n"
        "nothing: lost;blocks of 8 B;blocks of 16 B 1 16\n"
        "nothing: lost;blocks of 8 B;blocks of 16 B;blocks of 32 B 1 32\n"
        "nothing: lost;blocks of 8 B;blocks of 16 B;blocks of 32 B;blocks of 64 B 20 1280\n"
        "nothing: lost;blocks of 8 B;blocks of 16 B;blocks of 32 B;blocks of 64 B;blocks of 8 B 19 "
        "152\n"
        "nothing: lost;blocks of 8 B;blocks of 16 B;blocks of 32 B;blocks of 64 B;blocks of 8 "
        "B;blocks of 16 B 19 304\n"
        "nothing: lost;blocks of 8 B;blocks of 16 B;blocks of 32 B;blocks of 64 B;blocks of 8 "
        "B;blocks of 16 B;blocks of 32 B 19 608\n");
}

/* Containers of ever new sizes end somewhere; nothing is missing. */
static void deep(void **state)
{
    struct model m;
    size_t sum = 0;
    struct hf_out stack = {0}, text = {0};
    (void)state;
    model_init(&m);
    for (uint64_t i = 0; i < 100; i++)
        add_list(&m, (uint64_t[]){(i + 1) * 8}, 1, 1);
    for (uint32_t i = 0; i < 100; i++) {
        m.first[i] = i;
        m.targets[i] = i + 1;
    }
    m.first[99] = m.first[100] = 99;
    add_root(&m, HF_ROOT_DATA, 0);
    hf_out_string(&stack, "global all (app)");
    for (size_t i = 0; i < 60; i++) {
        hf_out_printf(&stack, ";blocks of %zu B", (i + 1) * 8);
        hf_out_text(&text, hf_out_view(&stack));
        if (i != 59)
            hf_out_printf(&text, " 1 %zu\n", (i + 1) * 8);
    }
    for (size_t i = 60; i <= 100; i++)
        sum += i * 8;
    hf_out_printf(&text, " 41 %zu\n", sum);
    hf_out_char(&text, '\0');
    check_stacks(&m, text.data);
    hf_out_done(&stack);
    hf_out_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(sequences),
        cmocka_unit_test(deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
