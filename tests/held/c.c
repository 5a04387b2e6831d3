/*
 * Shapes in which programs in C keep memory, or lose it, one a word (README.md). What is kept has
 * less than 2,048 bytes, what is lost has more, if the shape allows it, so sizes tell them apart.
 */
#include "ledger.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

/* Variables are not static: what nobody else can read is not written. */

static size_t kept_size(int i)
{
    return 64 + (size_t)i * 7919 % 1900;
}

static size_t lost_size(int i)
{
    return 2100 + (size_t)i * 7919 % 1900;
}

static NOINLINE void **new_array(int count)
{
    void **all = ledger_new((size_t)count * sizeof *all);
    for (int i = 0; i < count; i++)
        all[i] = ledger_new(kept_size(i));
    return all;
}

/* What lives beside what is lost. */
void **others;
static NOINLINE void keep_others(int count)
{
    ledger_owner("data:others");
    others = new_array(count);
}

/* ---- Data ---- */

void *table[1 << 20];
static NOINLINE void fill_table(int count)
{
    ledger_owner("data:table");
    for (int i = 0; i < count; i++)
        table[i] = ledger_new(kept_size(i));
}

void **grown;
static NOINLINE void fill_grown(int count)
{
    ledger_owner("data:grown");
    for (int i = 0, room = 0; i < count; i++) {
        if (i == room) {
            room = 2 * room + 16;
            void **more = ledger_new((size_t)room * sizeof *more);
            if (i != 0)
                memcpy(more, grown, (size_t)i * sizeof *more);
            ledger_free(grown);
            grown = more;
        }
        grown[i] = ledger_new(kept_size(i));
    }
}

struct node {
    struct node *next;
    char rest[];
};
struct node *first_node;
static NOINLINE void fill_list(int count)
{
    ledger_owner("data:first_node");
    for (int i = 0; i < count; i++) {
        struct node *node = ledger_new(sizeof *node + kept_size(i));
        node->next = first_node;
        first_node = node;
    }
}

/* As the kernel's: a ring through links in the middle of its items. */
struct link {
    struct link *next, *before;
};
struct linked_item {
    char name[32];
    struct link link;
    char *text;
};
struct link ring_head = {&ring_head, &ring_head};
static NOINLINE void fill_links(int count)
{
    ledger_owner("data:ring_head");
    for (int i = 0; i < count; i++) {
        struct linked_item *item = ledger_new(sizeof *item);
        item->text = ledger_new(kept_size(i));
        item->link = (struct link){&ring_head, ring_head.before};
        ring_head.before->next = &item->link;
        ring_head.before = &item->link;
    }
}

struct leaf {
    struct leaf *low, *high;
    uint32_t key;
    char rest[];
};
struct leaf *tree_top;
static NOINLINE void fill_tree(int count)
{
    ledger_owner("data:tree_top");
    for (int i = 0; i < count; i++) {
        struct leaf *leaf = ledger_new(sizeof *leaf + kept_size(i)), **at = &tree_top;
        leaf->key = (uint32_t)i * 2654435761u;
        while (*at != NULL)
            at = leaf->key < (*at)->key ? &(*at)->low : &(*at)->high;
        *at = leaf;
    }
}

struct entry {
    struct entry *next;
    char *key, *value;
};
struct entry **buckets;
static NOINLINE void fill_hash(int count)
{
    ledger_owner("data:buckets");
    buckets = ledger_new(4096 * sizeof *buckets);
    for (int i = 0; i < count; i++) {
        struct entry *entry = ledger_new(sizeof *entry), **at = &buckets[i * 31 % 4096];
        entry->key = ledger_new(20);
        entry->value = ledger_new(kept_size(i));
        entry->next = *at;
        *at = entry;
    }
}

struct ring {
    void **slots;
    size_t room, next;
} ring;
static NOINLINE void fill_ring(int count)
{
    ledger_owner("data:ring");
    ring = (struct ring){ledger_new((size_t)count * sizeof *ring.slots), (size_t)count, 0};
    for (int i = 0; i < 3 * count; i++, ring.next = (ring.next + 1) % ring.room) {
        if (ring.slots[ring.next] != NULL)
            ledger_free(ring.slots[ring.next]);
        ring.slots[ring.next] = ledger_new(kept_size(i));
    }
}

static NOINLINE void fill_static(int count)
{
    static void **volatile remembered;
    ledger_owner("data:remembered");
    remembered = new_array(count);
    if (remembered == NULL)
        abort();
}

void **index_by_name, **index_by_time;
static NOINLINE void fill_two(int count)
{
    ledger_owner("data:index_by_name+index_by_time");
    index_by_name = index_by_time = new_array(count);
}

void **index_one, **index_two, **index_three;
static NOINLINE void fill_three(int count)
{
    ledger_owner("data:many");
    index_one = index_two = index_three = new_array(count);
}

/* Half of them here, half there, by the same code. */
void **left_half;
struct node *right_half;
static NOINLINE void fill_halves(int count)
{
    ledger_owner("data:left_half");
    left_half = ledger_new((size_t)count * 2 * sizeof *left_half);
    for (int i = 0; i < 3 * count; i++) {
        ledger_owner(i % 2 == 0 ? "data:left_half" : "data:right_half");
        struct node *node = ledger_new(sizeof *node + 2000 + lost_size(i / 2));
        node->next = i % 2 == 0 ? NULL : right_half;
        right_half = i % 2 == 0 ? right_half : node;
        if (i % 2 == 0)
            left_half[i / 2] = node;
    }
}

void **large;
static NOINLINE void fill_large(int count)
{
    ledger_owner("data:large");
    int larges = (count + 49) / 50;
    large = ledger_new((size_t)larges * sizeof *large);
    for (int i = 0; i < larges; i++) {
        void **block = malloc(300000);
        memset(block, 0, 4000);
        ledger_note(block, 300000);
        for (int k = 0; k < 50; k++)
            block[k] = ledger_new(kept_size(i * 50 + k));
        large[i] = block;
    }
}

void **aligned;
static NOINLINE void fill_aligned(int count)
{
    ledger_owner("data:aligned");
    aligned = ledger_new((size_t)count * sizeof *aligned);
    for (int i = 0; i < count; i++) {
        size_t size = kept_size(i);
        if (posix_memalign(&aligned[i], (size_t)64 << i % 7, size) != 0)
            abort();
        memset(aligned[i], 0, size);
        ledger_note(aligned[i], size);
    }
}

/* ---- Forms of pointers ---- */

char **insides;
static NOINLINE void fill_interior(int count)
{
    ledger_owner("data:insides");
    insides = ledger_new((size_t)count * sizeof *insides);
    for (int i = 0; i < count; i++)
        insides[i] = (char *)ledger_new(kept_size(i)) + kept_size(i) / 2;
}

/* A head before the text, as strings with a length have. */
static char *text_of(int i)
{
    return (char *)ledger_new(kept_size(i)) + 5;
}
char **texts;
static NOINLINE void fill_texts(int count)
{
    ledger_owner("data:texts");
    texts = ledger_new((size_t)count * sizeof *texts);
    for (int i = 0; i < count; i++)
        texts[i] = text_of(i);
}

uintptr_t *low_tags;
static NOINLINE void fill_low_tags(int count)
{
    ledger_owner("data:low_tags");
    low_tags = ledger_new((size_t)count * sizeof *low_tags);
    for (int i = 0; i < count; i++)
        low_tags[i] = (uintptr_t)ledger_new(kept_size(i)) | (unsigned)i % 8;
}

uintptr_t *high_tags;
static NOINLINE void fill_high_tags(int count)
{
    ledger_owner("data:high_tags");
    high_tags = ledger_new((size_t)count * sizeof *high_tags);
    for (int i = 0; i < count; i++)
        high_tags[i] = (uintptr_t)ledger_new(kept_size(i)) | (uintptr_t)(1 + i % 60000) << 48;
}

/* A tree whose edges are tagged: what is behind the first is reached by tagged pointers only. */
uintptr_t tag_tree;
static NOINLINE void fill_tag_tree(int count)
{
    ledger_owner("data:tag_tree");
    for (int i = 0; i < count; i++) {
        uintptr_t *leaf = ledger_new(2 * sizeof *leaf + kept_size(i)), *at = &tag_tree;
        for (unsigned bits = (unsigned)i * 2654435761u; *at != 0; bits = bits >> 1 | bits << 31)
            at = (uintptr_t *)(*at << 16 >> 16) + (bits & 1);
        *at = (uintptr_t)leaf | (uintptr_t)(0x8000 + i % 100) << 48;
    }
}

/* At odd addresses, as in packed structures. */
struct __attribute__((packed)) packed_item {
    char kind;
    void *data;
};
struct packed_item *packed;
static NOINLINE void fill_packed(int count)
{
    ledger_owner("data:packed");
    packed = ledger_new((size_t)count * sizeof *packed);
    for (int i = 0; i < count; i++)
        packed[i].data = ledger_new(kept_size(i));
}

struct xor_node {
    uintptr_t both;
    char rest[];
};
struct xor_node *xor_first, *xor_last;
static NOINLINE void fill_xor(int count)
{
    ledger_owner("data:xor_first");
    for (int i = 0; i < count; i++) {
        struct xor_node *node = ledger_new(sizeof *node + kept_size(i));
        node->both = (uintptr_t)xor_last;
        if (xor_last != NULL)
            xor_last->both ^= (uintptr_t)node;
        else
            xor_first = node;
        xor_last = node;
    }
}

/* 32 bits from a base on. */
uint32_t *offsets;
static NOINLINE void fill_offsets(int count)
{
    ledger_owner("data:offsets");
    offsets = ledger_new((size_t)count * sizeof *offsets);
    for (int i = 0; i < count; i++)
        offsets[i] = (uint32_t)((uintptr_t)ledger_new(kept_size(i)) - (uintptr_t)offsets);
}

/* ---- Heaps of its own ---- */

char *arena;
static NOINLINE void fill_arena(int count)
{
    arena = mmap(NULL, (size_t)count * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ledger_owner("mapping");
    for (int i = 0; i < count; i++)
        *(void **)(arena + (size_t)i * 64 + 16) = ledger_new(kept_size(i));
}

/* Chunks of malloc, and what is in them has blocks of malloc. */
struct node *chunks;
static NOINLINE void fill_chunks(int count)
{
    ledger_owner("data:chunks");
    for (int i = 0; i < count; i++) {
        if (i % 1000 == 0) {
            struct node *chunk = ledger_new(sizeof *chunk + 1000 * 24);
            chunk->next = chunks;
            chunks = chunk;
        }
        *(void **)(chunks->rest + i % 1000 * 24) = ledger_new(kept_size(i));
    }
}

static ucontext_t outside, fiber;
static int fiber_count;
static NOINLINE void run_fiber(void)
{
    void **volatile mine = new_array(fiber_count);
    swapcontext(&fiber, &outside);
    abort();
    (void)mine;
}
static NOINLINE void enter_fiber(void *stack, size_t size, int count)
{
    fiber_count = count;
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = size;
    makecontext(&fiber, run_fiber, 0);
    swapcontext(&outside, &fiber);
    memset(&outside, 0, sizeof outside); /* the registers of the call */
}
static NOINLINE void fill_fiber_mapped(int count)
{
    size_t size = 1 << 18;
    void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ledger_owner("mapping");
    enter_fiber(stack, size, count);
}
static NOINLINE void fill_fiber_heap(int count)
{
    ledger_owner("data:fiber");
    enter_fiber(ledger_new(1 << 18), 1 << 18, count);
}

/* ---- Threads ---- */

__thread _Alignas(64) char thread_line[70];
__thread void **thread_all;
static NOINLINE void fill_tls(int count)
{
    ledger_owner("thread_local:thread_all");
    thread_line[0] = 1;
    thread_all = new_array(count);
}

static pthread_key_t key;
static NOINLINE void fill_key(int count)
{
    ledger_owner("thread_local");
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, new_array(count));
}

static pthread_barrier_t barrier;
static NOINLINE void start_threads(int threads, void *(*run)(void *), long count)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 18);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&thread, &attributes, run, (void *)count) != 0)
            abort();
    }
    pthread_barrier_wait(&barrier);
}

static NOINLINE void fill_own(int count)
{
    thread_all = new_array(count);
}
static void *run_own(void *count)
{
    fill_own((int)(intptr_t)count);
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return NULL;
}
static NOINLINE void fill_tls_threads(int count)
{
    ledger_owner("thread_local:thread_all");
    start_threads(8, run_own, (count + 7) / 8);
}

static void *serve(void *count)
{
    void **volatile mine = new_array((int)(intptr_t)count);
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return mine;
}
static NOINLINE void fill_thread_stack(int count)
{
    ledger_owner("stack:serve");
    start_threads(1, serve, count);
}
static NOINLINE void fill_200_threads(int count)
{
    ledger_owner("stack:serve");
    start_threads(200, serve, (count + 199) / 200);
}

static NOINLINE void fill_stack(int count)
{
    ledger_owner("stack:fill_stack");
    void **volatile mine = new_array(count);
    ledger_ready();
    _exit(mine == NULL);
}

/* Each of them is on the stack. */
static NOINLINE void fill_stack_array(int count)
{
    ledger_owner("stack:fill_stack_array");
    void *volatile mine[count];
    for (int i = 0; i < count; i++)
        mine[i] = ledger_new(kept_size(i));
    ledger_ready();
    _exit(mine[0] == NULL);
}

static NOINLINE size_t inverse_array(int count)
{
    return ~(size_t)new_array(count);
}
static NOINLINE void fill_register(int count)
{
    ledger_owner("register");
    size_t inverse = inverse_array(count);
    ledger_ready_with(inverse);
    _exit(0);
}

static NOINLINE void fill_fork(int count)
{
    ledger_owner("data:others@parent");
    others = new_array(count);
    pid_t child = fork();
    if (child != 0) {
        waitpid(child, NULL, 0);
        _exit(0);
    }
    fill_hash(count);
}

/* ---- Libraries ---- */

typedef void filler(void *(*get)(size_t), int count, int is_own);
static NOINLINE void *open_library(int count, int is_own)
{
    char path[4096] = {0};
    if (readlink("/proc/self/exe", path, sizeof path - 16) < 0)
        abort();
    strcpy(strrchr(path, '/'), "/liblibrary.so");
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL)
        abort();
    filler *fill = (filler *)dlsym(library, "library_fill");
    fill(ledger_new, count, is_own);
    return library;
}
static NOINLINE void fill_library(int count)
{
    ledger_owner("data:library_all");
    open_library(count, 0);
}
static NOINLINE void fill_library_tls(int count)
{
    ledger_owner("thread_local");
    open_library(count, 1);
}
static NOINLINE void lose_library(int count)
{
    keep_others(count);
    ledger_owner("lost*");
    dlclose(open_library(count, 0));
}

/* ---- Lost ---- */

static NOINLINE void lose_direct(int count)
{
    keep_others(count);
    ledger_owner("lost");
    for (int i = 0; i < count; i++)
        ledger_new(lost_size(i));
}

static NOINLINE void lose_children(int count)
{
    keep_others(count);
    for (int i = 0; i < count / 4; i++) {
        ledger_owner("lost");
        void **parent = ledger_new(lost_size(i));
        ledger_owner("lost_with");
        for (int k = 0; k < 3; k++)
            parent[k] = ledger_new(2 * lost_size(4 * i + k));
    }
}

static NOINLINE void lose_cycles(int count)
{
    keep_others(count);
    ledger_owner("lost*");
    for (int i = 0; i < count / 5; i++) {
        struct node *first = ledger_new(lost_size(i)), *last = first;
        for (int k = 0; k < 4; k++) {
            struct node *node = ledger_new(lost_size(i + k));
            last->next = node;
            last = node;
        }
        last->next = first;
    }
}

/* A list, of which only the first is directly lost. */
static NOINLINE void lose_list(int count)
{
    keep_others(count);
    ledger_owner("lost_with");
    struct node *first = NULL;
    for (int i = 0; i < count; i++) {
        struct node *node = ledger_new(lost_size(i));
        node->next = first;
        first = node;
    }
}

/* One of five entries is written over, and its memory lost. */
void **cache;
static NOINLINE void lose_overwritten(int count)
{
    ledger_owner("data:cache");
    cache = ledger_new((size_t)count * 2 * sizeof *cache);
    for (int i = 0; i < 2 * count; i++) {
        ledger_owner("lost");
        if (i % 4 == 0)
            ledger_new(2000 + lost_size(i / 4));
        ledger_owner("data:cache");
        cache[i] = ledger_new(2000 + lost_size(i));
    }
}

/* The addresses of what is lost stay in memory that is used again, a tenth of it, and not cleared. */
void **reused;
static NOINLINE void lose_uncleared(int count)
{
    keep_others(count);
    size_t size = (size_t)count * sizeof(void *);
    void **old = malloc(size);
    ledger_owner("lost");
    for (int i = 0; i < count; i++)
        old[i] = ledger_new(lost_size(i));
    free(old);
    ledger_owner("data:reused");
    reused = malloc(size);
    ledger_note(reused, size);
    for (int i = 0; i < count / 10; i++)
        reused[i] = ledger_new(kept_size(i));
}

/* What others lead to, which are lost, is kept all the same. */
static NOINLINE void lose_pointers_in(int count)
{
    keep_others(count);
    ledger_owner("lost");
    for (int i = 0; i < count; i++) {
        void **block = ledger_new(lost_size(i));
        block[1] = others[i];
    }
}

int main(int count, char **words)
{
    static const struct ledger_shape shapes[] = {
        {"table", "", fill_table},
        {"grown_array", "", fill_grown},
        {"list", "list", fill_list},
        {"linked_ring", "list", fill_links},
        {"tree", "", fill_tree},
        {"hash", "", fill_hash},
        {"ring_buffer", "", fill_ring},
        {"function_static", "", fill_static},
        {"two_globals", "", fill_two},
        {"three_globals", "", fill_three},
        {"halves", "list", fill_halves},
        {"large", "", fill_large},
        {"aligned", "", fill_aligned},
        {"interior", "", fill_interior},
        {"texts", "", fill_texts},
        {"low_tags", "", fill_low_tags},
        {"high_tags", "", fill_high_tags},
        {"tag_tree", "", fill_tag_tree},
        {"packed", "", fill_packed},
        {"xor_list", "impossible", fill_xor},
        {"offsets", "impossible", fill_offsets},
        {"arena", "", fill_arena},
        {"chunks", "", fill_chunks},
        {"fiber_mapped", "", fill_fiber_mapped},
        {"fiber_heap", "", fill_fiber_heap},
        {"tls", "", fill_tls},
        {"tls_threads", "", fill_tls_threads},
        {"thread_key", "", fill_key},
        {"thread_stack", "", fill_thread_stack},
        {"200_threads", "", fill_200_threads},
        {"stack", "", fill_stack},
        {"stack_array", "", fill_stack_array},
        {"register", "", fill_register},
        {"fork", "", fill_fork},
        {"library", "", fill_library},
        {"library_tls", "", fill_library_tls},
        {"lost_library", "", lose_library},
        {"lost", "", lose_direct},
        {"lost_children", "", lose_children},
        {"lost_cycles", "", lose_cycles},
        {"lost_list", "list", lose_list},
        {"lost_overwritten", "", lose_overwritten},
        {"lost_uncleared", "impossible", lose_uncleared},
        {"lost_with_pointers", "", lose_pointers_in},
        {NULL, NULL, NULL},
    };
    return ledger_main(shapes, count, words);
}
