/* Who holds the blocks of a program that keeps each kind in its way, and loses some. */
#include "base/attr.h"
#include "check.h"
#include "heap/allocators/glibc.h"
#include "heap/graph/lost_trees.h"
#include "memory/race.h"
#include "snapshots.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OF_EACH 50
#define MASK UINT64_C(0x5555555555555555)

enum shape {
    GLOBAL_ARRAY,
    GLOBAL_LIST,
    GLOBAL_INTERIOR,
    GLOBAL_TAGGED,
    GLOBAL_TAGGED_HIGH,
    GLOBAL_TAGGED_INTERIOR,
    GLOBAL_PACKED,
    GLOBAL_PACKED_INTERIOR,
    PACKED_CHILD,
    OF_THREAD,
    OF_STACK,
    OF_REGISTER,
    OF_MAPPING,
    LOST,
    LOST_CHILD,
    LOST_RING,
    LOST_PACKED_CHILD,
    HEAD_OF_NEXT,
    SHAPES
};

/* Addresses, masked so that they hold nothing, in memory that is shared. */
struct told {
    uint64_t masked[SHAPES][OF_EACH];
    atomic_uint ready;
};

static struct told *told;

struct node {
    struct node *next;
    char rest[72];
};

/* At odd places, all seven. */
struct __attribute__((packed)) packed {
    char kind;
    void *block;
};

static volatile struct packed packed[OF_EACH], packed_interior[OF_EACH];
static void *volatile array[OF_EACH];
static struct node *volatile list;
static char *volatile interior[OF_EACH];
static volatile uintptr_t tagged[OF_EACH], tagged_high[OF_EACH], tagged_interior[OF_EACH];
static __thread void *volatile own[OF_EACH];

static __attribute__((noinline)) void *make(enum shape shape, int i)
{
    struct node *node = calloc(1, sizeof *node);
    if (node == NULL)
        abort();
    told->masked[shape][i] = (uintptr_t)node ^ MASK;
    return node;
}

/* So that no address stays where a stack was. */
static __attribute__((noinline)) void wipe_stack(void)
{
    volatile char bytes[65536];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
}

/* Right behind the program's data, if there is room: the kernel makes both one mapping. */
static void *volatile *map_behind_data(void)
{
    extern char end[];
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void *behind = (void *)(((uintptr_t)end + 4095) & ~(uintptr_t)4095);
    void *mapping = mmap(behind, 65536, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapping == MAP_FAILED)
        mapping = mmap(NULL, 65536, PROT_READ | PROT_WRITE, flags, -1, 0);
    return mapping;
}

static __attribute__((noinline)) void keep_globals(void)
{
    void *volatile *mapping = map_behind_data();
    for (int i = 0; i < OF_EACH; i++) {
        struct node *node = make(GLOBAL_LIST, i);
        node->next = list;
        list = node;
        array[i] = make(GLOBAL_ARRAY, i);
        interior[i] = (char *)make(GLOBAL_INTERIOR, i) + 33;
        tagged[i] = (uintptr_t)make(GLOBAL_TAGGED, i) | 1;
        tagged_high[i] = (uintptr_t)make(GLOBAL_TAGGED_HIGH, i) | (UINT64_C(0xfffc) << 48) | 5;
        tagged_interior[i] = ((uintptr_t)make(GLOBAL_TAGGED_INTERIOR, i) + 16) | UINT64_C(3) << 48;
        mapping[i] = make(OF_MAPPING, i);
        volatile struct packed *child = make(GLOBAL_PACKED, i);
        packed[i].block = (void *)(uintptr_t)child;
        child->block = make(PACKED_CHILD, i);
        packed_interior[i].block = (char *)make(GLOBAL_PACKED_INTERIOR, i) + 24;
    }
}

static __attribute__((noinline)) void lose(void)
{
    struct node *first = NULL, *last = NULL;
    for (int i = 0; i < OF_EACH; i++) {
        struct node *parent = make(LOST, i), *ring = make(LOST_RING, i);
        parent->next = make(LOST_CHILD, i);
        ((volatile struct packed *)parent->rest)->block = make(LOST_PACKED_CHILD, i);
        first = first == NULL ? ring : first;
        if (last != NULL)
            last->next = ring;
        last = ring;
        ring->next = first;
    }
}

/*
 * The last word of a block is the first one of the next chunk, where a list of free
 * chunks points to: no pointer to the block is that.
 */
static volatile uintptr_t heads[OF_EACH];
static __attribute__((noinline)) void point_to_heads(void)
{
    for (int i = 0; i < OF_EACH; i++) {
        char *block = calloc(1, 24);
        told->masked[HEAD_OF_NEXT][i] = (uintptr_t)block ^ MASK;
        heads[i] = (uintptr_t)block + malloc_usable_size(block) - 8;
    }
}

static void *hold_in_thread(void *unused)
{
    void *volatile here[OF_EACH];
    for (int i = 0; i < OF_EACH; i++) {
        own[i] = make(OF_THREAD, i);
        here[i] = make(OF_STACK, i);
    }
    atomic_fetch_add(&told->ready, 1);
    for (;;)
        pause();
    return here[0] != NULL ? unused : NULL;
}

/* Only rbx has it: what the asm is given is masked. */
static void *hold_in_register(void *unused)
{
    (void)make(OF_REGISTER, 0);
    wipe_stack();
    atomic_fetch_add(&told->ready, 1);
    __asm__ volatile("mov %0, %%rbx\n\txor %1, %%rbx\n1:\tpause\n\tjmp 1b"
                     :
                     : "r"(told->masked[OF_REGISTER][0]), "r"(MASK)
                     : "rbx");
    return unused;
}

static void run_program(void)
{
    pthread_t thread;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    keep_globals();
    lose();
    point_to_heads();
    (void)pthread_create(&thread, NULL, hold_in_thread, NULL);
    (void)pthread_create(&thread, NULL, hold_in_register, NULL);
    while (told->ready != 2)
        usleep(1000);
    wipe_stack();
    told->ready = 3;
    for (;;)
        pause();
}

static unsigned count_states(const struct hf_heap *heap, const struct hf_block_graph *graph,
    enum shape shape, unsigned state)
{
    unsigned count = 0;
    for (int i = 0; i < OF_EACH && told->masked[shape][i] != 0; i++) {
        const struct hf_heap_block *block = hf_heap_find(heap, told->masked[shape][i] ^ MASK);
        assert_non_null(block);
        count += graph->states[block - heap->blocks] == state;
    }
    return count;
}

static const struct expected_shape {
    enum shape shape;
    unsigned state, least;
} expected_shapes[] = {
    {GLOBAL_ARRAY, HF_BLOCK_HELD + HF_ROOT_DATA, OF_EACH},
    {GLOBAL_LIST, HF_BLOCK_HELD + HF_ROOT_DATA, OF_EACH},
    {GLOBAL_INTERIOR, HF_BLOCK_HELD + HF_ROOT_DATA, OF_EACH},
    {GLOBAL_TAGGED, HF_BLOCK_HELD + HF_ROOT_DATA, OF_EACH},
    {GLOBAL_TAGGED_HIGH, HF_BLOCK_HELD + HF_ROOT_DATA, OF_EACH},
    {GLOBAL_TAGGED_INTERIOR, HF_BLOCK_LOST, OF_EACH - 1}, /* rather a number */
    {GLOBAL_PACKED, HF_BLOCK_HELD + HF_ROOT_DATA, OF_EACH},
    {GLOBAL_PACKED_INTERIOR, HF_BLOCK_HELD + HF_ROOT_DATA, OF_EACH},
    {PACKED_CHILD, HF_BLOCK_HELD + HF_ROOT_DATA, OF_EACH},
    {OF_THREAD, HF_BLOCK_HELD + HF_ROOT_THREAD_LOCAL, OF_EACH},
    {OF_STACK, HF_BLOCK_HELD + HF_ROOT_STACK, OF_EACH},
    {OF_REGISTER, HF_BLOCK_HELD + HF_ROOT_REGISTER, 1},
    {OF_MAPPING, HF_BLOCK_HELD + HF_ROOT_MAPPING, OF_EACH},
    /* A stale word somewhere may hold one of them. */
    {LOST, HF_BLOCK_LOST, OF_EACH - 1},
    {LOST_CHILD, HF_BLOCK_LOST_WITH, OF_EACH - 1},
    {LOST_RING, HF_BLOCK_LOST_WITH, OF_EACH - 1},
    {LOST_PACKED_CHILD, HF_BLOCK_LOST_WITH, OF_EACH - 1},
    {HEAD_OF_NEXT, HF_BLOCK_LOST, OF_EACH - 1},
};

/* Of the program while it waits. */
static void check_shapes(const struct hf_snapshot *look, bool never_stops)
{
    struct hf_error err;
    struct hf_process_image image;
    struct hf_heap heap = {0};
    struct hf_block_graph graph;
    check_ok(hf_process_image_of_snapshot(&image, look, &err), &err);
    if (never_stops)
        check_ok(hf_race_find_threads(&image, look->threads, &err), &err);
    check_ok(hf_heap_read_glibc(&heap, &image, &err), &err);
    check_ok(hf_block_graph_make(&graph, &heap, &image, &err), &err);
    for (size_t i = 0; i < HF_COUNT(expected_shapes); i++) {
        const struct expected_shape *expected = &expected_shapes[i];
        unsigned right = count_states(&heap, &graph, expected->shape, expected->state);
        bool is_seen = !never_stops || expected->shape != OF_REGISTER;
        if (is_seen && right < expected->least)
            fail_msg("shape %d: %u blocks are in state %u, expected %u", expected->shape, right,
                expected->state, expected->least);
    }
    assert_true(graph.lost.count >= 2 * OF_EACH - 2);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
    hf_process_image_done(&image);
}

static void test_shapes(void **unused)
{
    struct hf_error err;
    struct hf_snapshot look;
    (void)unused;
#if HF_SANITIZED
    print_message("skipped: a sanitizer owns malloc in this build\n");
    skip();
#endif
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    pid_t pid = fork();
    if (pid == 0)
        run_program();
    while (told->ready != 3)
        usleep(1000);
    take_snapshot(&look, pid);
    check_shapes(&look, false);
    hf_snapshot_end(&look);
    check_ok(hf_race_open(&look, pid, &err), &err);
    check_shapes(&look, true);
    hf_snapshot_end(&look);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

/* Each address of blocks that lie close and apart, against a search through all. */
static void test_index(void **unused)
{
    struct hf_error err;
    struct hf_heap heap = {0};
    struct hf_block_index index;
    uint64_t at = 0xfff00000, first = at; /* across 4 GiB */
    (void)unused;
    for (unsigned i = 0; i < 3000; i++) {
        uint64_t bytes = i % 7 == 0 ? 24 + i * 13 % 3000 : 24;
        check_ok(hf_heap_add(&heap, at, bytes, &err), &err);
        at += bytes + (i % 100 == 99 ? HF_BLOCK_INDEX_HOLE + i * 37 : i % 3 * 8);
    }
    hf_heap_sort(&heap);
    check_ok(hf_block_index_init(&index, &heap, &err), &err);
    for (uint64_t address = first - 16; address < at + 64; address += 5) {
        const struct hf_heap_block *block = hf_heap_find(&heap, address);
        uint32_t found = hf_block_index_find(&index, address);
        assert_int_equal(found, block != NULL ? (uint32_t)(block - heap.blocks) : HF_BLOCK_NONE);
    }
    hf_block_index_done(&index);
    hf_heap_done(&heap);
}

static void test_no_heap(void **unused)
{
    struct hf_error err;
    struct hf_heap heap = {0};
    struct hf_process_image image = {0};
    struct hf_block_graph graph;
    (void)unused;
    check_ok(hf_block_graph_make(&graph, &heap, &image, &err), &err);
    assert_int_equal(graph.lost.count, 0);
    hf_block_graph_done(&graph);
}

/* A heap of SIDE_BLOCKS blocks side by side from SIDE_HEAP on, and data before it. */
#define SIDE_DATA UINT64_C(0x500000)
#define SIDE_HEAP UINT64_C(0x600000)
#define SIDE_BYTES 64u
#define SIDE_BLOCKS 64u
static struct {
    uint64_t data[512], heap[SIDE_BLOCKS * SIDE_BYTES / 8];
} side;
static unsigned side_count = SIDE_BLOCKS; /* that are listed */
static bool side_is_running;

static size_t side_read(void *unused, uint64_t address, void *out, size_t size)
{
    bool is_heap = address >= SIDE_HEAP;
    const char *bytes = is_heap ? (const char *)side.heap : (const char *)side.data;
    uint64_t at = address - (is_heap ? SIDE_HEAP : SIDE_DATA), end = 4096;
    (void)unused;
    if (at >= end)
        return 0;
    size_t count = size < end - at ? size : (size_t)(end - at);
    memcpy(out, bytes + at, count);
    return count;
}

static uint64_t side_block(unsigned i)
{
    return SIDE_HEAP + i * SIDE_BYTES;
}

static void make_side_again(
    struct hf_heap *heap, const struct hf_lost_blocks *before, struct hf_block_graph *graph)
{
    static const char maps[] = "00500000-00501000 rw-p 00000000 08:01 7 /app\n"
                               "00600000-00601000 rw-p 00000000 00:00 0 \n";
    struct hf_error err;
    struct hf_process_image image = {.memory = {.read = side_read}, .is_running = side_is_running};
    *heap = (struct hf_heap){0};
    check_ok(hf_process_image_add_maps(&image, HF_TEXT(maps), &err), &err);
    for (unsigned i = 0; i < side_count; i++)
        check_ok(hf_heap_add(heap, side_block(i), SIDE_BYTES, &err), &err);
    struct hf_heap_region *region = hf_heap_add_region(heap);
    assert_non_null(region);
    *region = (struct hf_heap_region){
        .start = SIDE_HEAP, .end = SIDE_HEAP + 4096, .allocator = "jemalloc"};
    hf_heap_sort(heap);
    check_ok(hf_block_graph_make_again(graph, heap, &image, before, &err), &err);
    hf_process_image_done(&image);
}

static void make_side(struct hf_heap *heap, struct hf_block_graph *graph)
{
    make_side_again(heap, NULL, graph);
}

static size_t pointers_from(const struct hf_block_graph *graph, unsigned block)
{
    return graph->first[block + 1] - graph->first[block];
}

/* The end of a vector and of a piece of a deque is no pointer to the next block, if another is. */
static void test_ends(void **unused)
{
    struct hf_heap heap;
    struct hf_block_graph graph;
    (void)unused;
    memset(&side, 0, sizeof side);
    for (unsigned i = 0; i < 5; i++) /* an array of blocks side by side: all are pointers */
        side.data[i] = side_block(i);
    side.data[10] = side.heap[3 * 8 + 2] = side_block(10); /* vectors: first, last, end */
    side.data[11] = side.heap[3 * 8 + 3] = side_block(10) + 8;
    side.data[12] = side.heap[3 * 8 + 4] = side_block(11);
    side.data[20] = side_block(20); /* a full one */
    side.data[21] = side.data[22] = side_block(21);
    side.data[30] = side.data[31] = side_block(30); /* an iterator: element, first, end */
    side.data[32] = side_block(31);
    side.data[40] = side_block(40); /* two blocks, and no third word */
    side.data[41] = side_block(41);
    side.heap[0] = side_block(11); /* block 0 has block 11, the second 21; nobody has 31 */
    side.heap[8] = side_block(21);
    side.heap[4 * 8] = side_block(50); /* block 4 has a vector in 50, and nobody has 51 */
    side.heap[4 * 8 + 1] = side_block(50) + 16;
    side.heap[4 * 8 + 2] = side_block(51);
    /* Full vectors in turns: 52 and 54 of the data, 53 and 55 of block 0. */
    for (unsigned k = 0; k < 2; k++) {
        side.data[50 + 3 * k] = side_block(52 + 2 * k);
        side.data[51 + 3 * k] = side.data[52 + 3 * k] = side_block(53 + 2 * k);
        side.heap[2 + 3 * k] = side_block(53 + 2 * k);
        side.heap[3 + 3 * k] = side.heap[4 + 3 * k] = side_block(54 + 2 * k);
    }
    make_side(&heap, &graph);
    for (unsigned i = 0; i < SIDE_BLOCKS; i++) {
        bool is_kept = i < 5 || i == 10 || i == 11 || i == 20 || i == 21 || i == 30 || i == 31 ||
                       i == 40 || i == 41 || (i >= 50 && i <= 56);
        unsigned expected = is_kept ? HF_BLOCK_HELD + HF_ROOT_DATA : HF_BLOCK_LOST;
        if (graph.states[i] != expected)
            fail_msg("block %u is in state %u, expected %u", i, graph.states[i], expected);
    }
    unsigned roots[SIDE_BLOCKS] = {0};
    for (size_t i = 0; i < graph.root_count[HF_ROOT_DATA]; i++)
        roots[graph.roots[HF_ROOT_DATA][i].block]++;
    assert_int_equal(roots[10], 2);
    assert_int_equal(roots[11], 0);
    assert_int_equal(roots[21], 0);
    assert_int_equal(roots[31], 1); /* nothing else leads there */
    assert_int_equal(roots[41], 1);
    assert_int_equal(roots[53] + roots[55], 0);
    assert_int_equal(roots[54], 1); /* where the second begins is no end of 53 */
    /* 11, 53 and 55, and twice 56, which nobody else has. */
    assert_int_equal(pointers_from(&graph, 0), 5);
    assert_int_equal(pointers_from(&graph, 3), 2);
    assert_int_equal(pointers_from(&graph, 4), 3); /* with the end */
    assert_int_equal(graph.targets[graph.first[4] + 2], 51);
    assert_int_equal(graph.first[SIDE_BLOCKS], graph.target_count);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
}

/* Addresses at odd places hold what nothing else does; below 4 GiB only the start of a block. */
static void test_odd_places(void **unused)
{
    struct hf_heap heap;
    struct hf_block_graph graph;
    uint64_t across_blocks = side_block(9), inside = side_block(5) + 8, with_tag = side_block(6);
    with_tag |= UINT64_C(1) << 48;
    (void)unused;
    memset(&side, 0, sizeof side);
    for (unsigned i = 0; i < 3; i++) { /* block 2 is held by block 1, which looks lost, too */
        uint64_t word = side_block(i);
        memcpy((char *)(i == 2 ? &side.heap[8] : &side.data[4 * i]) + 1 + 3 * i, &word, 8);
    }
    side.data[20] = side_block(3);
    memcpy((char *)&side.data[22] + 5, &side.data[20], 8); /* it has another */
    memcpy((char *)&side.data[26] + 3, &inside, 8);
    memcpy((char *)&side.data[30] + 4, &with_tag, 8);
    memcpy((char *)&side.heap[4 * 8] - 4, &across_blocks, 8);   /* the parts of two blocks */
    memcpy((char *)&side.heap[10 * 8] + 12, &side.data[20], 8); /* which is held */
    make_side(&heap, &graph);
    for (unsigned i = 0; i < SIDE_BLOCKS; i++) {
        unsigned expected = i < 4 ? HF_BLOCK_HELD + HF_ROOT_DATA : HF_BLOCK_LOST;
        if (graph.states[i] != expected)
            fail_msg("block %u is in state %u, expected %u", i, graph.states[i], expected);
    }
    assert_int_equal(graph.root_count[HF_ROOT_DATA], 3); /* of 3 only the one that is in order */
    assert_int_equal(graph.roots[HF_ROOT_DATA][1].address, SIDE_DATA + 1);
    assert_int_equal(graph.roots[HF_ROOT_DATA][2].address, SIDE_DATA + 4 * 8 + 4);
    assert_int_equal(pointers_from(&graph, 1), 1);
    assert_int_equal(graph.target_count, 1);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
}

/* What is lost for the first time at the second look has moved, and so have those that it leads to.
 */
static void test_looks_twice(void **unused)
{
    struct hf_error err;
    struct hf_heap heap;
    struct hf_block_graph graph;
    struct hf_lost_blocks lost;
    (void)unused;
    memset(&side, 0, sizeof side);
    side.data[0] = side_block(1);
    side.data[3] = side_block(2);
    side.heap[5 * 8] = side_block(6); /* block 5, lost both times, has 6; and 2 has 7 */
    side.heap[2 * 8] = side_block(7);
    make_side(&heap, &graph);
    assert_int_equal(graph.lost.count + graph.lost_with.count, SIDE_BLOCKS - 3);
    check_ok(hf_lost_blocks_note(&lost, &heap, &graph, &err), &err);
    assert_int_equal(lost.count, SIDE_BLOCKS - 3);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
    side.data[3] = 0; /* on its way */
    make_side_again(&heap, &lost, &graph);
    for (unsigned i = 0; i < SIDE_BLOCKS; i++) {
        unsigned expected = i == 1             ? HF_BLOCK_HELD + HF_ROOT_DATA
                            : i == 2 || i == 7 ? HF_BLOCK_HELD + HF_ROOT_MAPPING
                            : i == 6           ? HF_BLOCK_LOST_WITH
                                               : HF_BLOCK_LOST;
        if (graph.states[i] != expected)
            fail_msg("block %u is in state %u, expected %u", i, graph.states[i], expected);
    }
    assert_int_equal(graph.root_count[HF_ROOT_MAPPING], 1); /* of 2; 7 is held by it */
    assert_string_equal(
        graph.holders[graph.roots[HF_ROOT_MAPPING][0].holder].path, HF_HOLDER_CHANGED);
    hf_lost_blocks_done(&lost);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
}

/* A list that grows at its front: at the first look its head points to a block that is younger than
 * the list of blocks, at the second to a younger one. The same of a head in a block. */
static void test_young_heads(void **unused)
{
    struct hf_error err;
    struct hf_heap heap;
    struct hf_block_graph graph;
    struct hf_lost_blocks lost;
    (void)unused;
    memset(&side, 0, sizeof side);
    side.data[0] = side_block(60);
    side.data[1] = side_block(10);
    side.data[2] = SIDE_DATA;           /* not a heap's */
    side.data[3] = side_block(60) + 1;  /* no pointer */
    side.heap[10 * 8] = side_block(61); /* a head, too */
    side.heap[60 * 8] = side_block(5);
    side.heap[61 * 8] = side_block(7);
    side_is_running = true;
    side_count = 60;
    make_side(&heap, &graph);
    assert_int_equal(graph.lost.count, 59);
    assert_int_equal(graph.open_count, 2);
    check_ok(hf_lost_blocks_note(&lost, &heap, &graph, &err), &err);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
    side.data[0] = side_block(62);
    side.heap[10 * 8] = side_block(63);
    side_count = 62;
    make_side_again(&heap, &lost, &graph);
    for (unsigned i = 0; i < 62; i++) {
        bool is_held = i == 5 || i == 7 || i == 10 || i >= 60;
        unsigned expected = is_held ? HF_BLOCK_HELD + HF_ROOT_DATA : HF_BLOCK_LOST;
        if (graph.states[i] != expected)
            fail_msg("block %u is in state %u, expected %u", i, graph.states[i], expected);
    }
    assert_int_equal(pointers_from(&graph, 10), 1);
    hf_lost_blocks_done(&lost);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
    side_is_running = false;
    side_count = SIDE_BLOCKS;
}

static void check_spared(size_t registers, const uint8_t *expected)
{
    struct hf_error err;
    struct hf_heap heap;
    struct hf_block_graph graph;
    make_side(&heap, &graph);
    check_ok(hf_lost_trees_spare(&graph, &heap, registers, &err), &err);
    assert_memory_equal(graph.states, expected, SIDE_BLOCKS);
    size_t held = 0;
    for (size_t i = 0; i < SIDE_BLOCKS; i++)
        held += expected[i] >= HF_BLOCK_HELD;
    assert_int_equal(graph.held.count, held);
    assert_int_equal(graph.lost.count + graph.lost_with.count, SIDE_BLOCKS - held);
    assert_int_equal(graph.root_count[HF_ROOT_MAPPING], registers);
    for (size_t i = 0; i < registers; i++)
        assert_string_equal(
            graph.holders[graph.roots[HF_ROOT_MAPPING][i].holder].path, HF_HOLDER_REGISTER);
    hf_block_graph_done(&graph);
    hf_heap_done(&heap);
}

/* Each register may hold one block that seems lost: those count that lead to most. */
static void test_unread_registers(void **unused)
{
    uint8_t expected[SIDE_BLOCKS];
    (void)unused;
    memset(&side, 0, sizeof side);
    memset(expected, HF_BLOCK_LOST, sizeof expected);
    side.data[0] = side_block(60);
    expected[60] = HF_BLOCK_HELD + HF_ROOT_DATA;
    for (unsigned i = 10; i < 13; i++) { /* 10 to 13 in a row, 20 and 21, a ring of 30 and 31 */
        side.heap[i * 8] = side_block(i + 1);
        expected[i + 1] = HF_BLOCK_LOST_WITH;
    }
    side.heap[20 * 8] = side_block(21);
    side.heap[30 * 8] = side_block(31);
    side.heap[31 * 8] = side_block(30);
    expected[21] = expected[31] = HF_BLOCK_LOST_WITH;
    check_spared(0, expected);
    memset(expected + 10, HF_BLOCK_HELD + HF_ROOT_MAPPING, 4);
    check_spared(1, expected);
    memset(expected + 20, HF_BLOCK_HELD + HF_ROOT_MAPPING, 2);
    memset(expected + 30, HF_BLOCK_HELD + HF_ROOT_MAPPING, 2);
    check_spared(3, expected);
    expected[0] = HF_BLOCK_HELD + HF_ROOT_MAPPING;
    check_spared(4, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_looks_twice),
        cmocka_unit_test(test_no_heap),
        cmocka_unit_test(test_odd_places),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_unread_registers),
        cmocka_unit_test(test_young_heads),
    };
    return cmocka_run_group_tests_name("block_graph", tests, NULL, NULL);
}
