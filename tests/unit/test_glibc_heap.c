/* The heap of a program of threads, read from outside, against what the program itself knows. */
#include "base/attr.h"
#include "check.h"
#include "heap/allocators/glibc.h"
#include "snapshots.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 6
#define SLOTS 6000

struct slot {
    uint64_t address, bytes; /* 0: it was freed last */
};

struct told {
    struct slot slots[THREADS][SLOTS];
    uint64_t no_chunk; /* a page that begins like a chunk with a mapping of its own */
    atomic_uint ready;
    uint64_t in_use_bytes, free_bytes, mapped_bytes; /* as mallinfo2(3) has them */
};

static struct told *told;
static pthread_barrier_t done;

static size_t next_size(unsigned *seed)
{
    unsigned kind = (unsigned)rand_r(seed) % 1000;
    if (kind == 0)
        return 150000 + (size_t)rand_r(seed) % 400000;
    return kind < 30 ? (size_t)rand_r(seed) % 20000 : (size_t)rand_r(seed) % 300;
}

static void keep(struct slot *slot, size_t size)
{
    void *block = malloc(size);
    *slot = (struct slot){(uintptr_t)block, malloc_usable_size(block)};
}

/* Fills, frees at random, fills again: holes of all sizes, and full caches. The first block has a
 * mapping of its own whatever the threshold has become. */
static void churn(unsigned thread)
{
    unsigned seed = 20261125 + thread;
    struct slot *slots = told->slots[thread];
    keep(&slots[0], 36u << 20);
    for (unsigned i = 0; i < 6 * SLOTS; i++) {
        struct slot *slot = &slots[1 + (unsigned)rand_r(&seed) % (SLOTS - 1)];
        free((void *)(uintptr_t)slot->address);
        *slot = (struct slot){0};
        if (i % 3 != 2)
            keep(slot, next_size(&seed));
    }
}

static void *work(void *number)
{
    churn((unsigned)(uintptr_t)number);
    (void)pthread_barrier_wait(&done);
    for (;;)
        pause();
    return NULL;
}

/* As objects of Python have it that are ints of 958,466, in an arena of their own. */
static void map_no_chunk(void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    uint64_t *words = mmap(NULL, 4u << 20, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (words == MAP_FAILED)
        _exit(1);
    for (size_t page = 1; page < 700; page++) {
        words[page * 512] = 1 + page % 3;
        words[page * 512 + 1] = 0xEA002;
    }
    told->no_chunk = (uintptr_t)(words + 512);
}

static void run_program(void)
{
    pthread_t thread;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    map_no_chunk();
    (void)pthread_barrier_init(&done, NULL, THREADS);
    for (uintptr_t i = 1; i < THREADS; i++)
        (void)pthread_create(&thread, NULL, work, (void *)i);
    churn(0);
    (void)pthread_barrier_wait(&done);
    struct mallinfo2 info = mallinfo2();
    told->in_use_bytes = info.uordblks;
    told->free_bytes = info.fordblks;
    told->mapped_bytes = info.hblkhd;
    told->ready = 1;
    for (;;)
        pause();
}

static double share(uint64_t a, uint64_t b)
{
    return (double)a / (double)b;
}

static void test_blocks_of_a_program(void **state)
{
    struct hf_error err;
    struct hf_snapshot snapshot;
    struct hf_process_image image = {0};
    struct hf_heap heap = {0};
    uint64_t live = 0, live_bytes = 0, in_use = 0, idle = 0, unknown = 0, mapped = 0;
    (void)state;
#if HF_SANITIZED
    print_message("skipped: a sanitizer owns malloc in this build\n");
    skip();
#endif
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    pid_t pid = fork();
    if (pid == 0)
        run_program();
    while (told->ready == 0)
        usleep(1000);
    take_snapshot(&snapshot, pid);
    check_ok(hf_process_image_of_snapshot(&image, &snapshot, &err), &err);
    check_ok(hf_heap_read_glibc(&heap, &image, &err), &err);
    for (size_t i = 0; i < heap.region_count; i++) {
        const struct hf_heap_region *r = &heap.regions[i];
        bool is_mapped = strcmp(r->part, "mapped block") == 0;
        in_use += is_mapped ? 0 : r->in_use_bytes;
        mapped += is_mapped ? r->in_use_bytes : 0;
        idle += is_mapped ? 0 : r->free_bytes;
        unknown += is_mapped ? 0 : r->unknown_bytes;
        print_message("%s %s: in use %" PRIu64 " in %" PRIu64 ", free %" PRIu64 " in %" PRIu64
                      ", unknown %" PRIu64 "\n",
            r->allocator, r->part, r->in_use_bytes, r->in_use_count, r->free_bytes, r->free_count,
            r->unknown_bytes);
    }
    for (unsigned thread = 0; thread < THREADS; thread++) {
        for (unsigned i = 0; i < SLOTS; i++) {
            struct slot slot = told->slots[thread][i];
            const struct hf_heap_block *block = hf_heap_find(&heap, slot.address);
            if (slot.address == 0)
                continue;
            live++;
            live_bytes += slot.bytes;
            assert_non_null(block);
            assert_int_equal(block->address, slot.address);
            assert_int_equal(block->bytes, slot.bytes);
        }
    }
    print_message("program: %" PRIu64 " live of %" PRIu64 " bytes; mallinfo2: %" PRIu64
                  " in use, %" PRIu64 " free, %" PRIu64 " mapped; found %zu blocks, %" PRIu64
                  " in use, %" PRIu64 " free, %" PRIu64 " mapped\n",
        live, live_bytes, told->in_use_bytes, told->free_bytes, told->mapped_bytes, heap.count,
        in_use, idle, mapped);
    assert_int_equal(unknown, 0);
    assert_null(hf_heap_find(&heap, told->no_chunk + 16));
    assert_int_equal(mapped, told->mapped_bytes);
    assert_true(heap.count >= live && heap.count <= live + live / 100);
    /* What lies in the threads' caches mallinfo2 counts as in use. */
    assert_true(share(in_use + idle, told->in_use_bytes + told->free_bytes) > 0.995);
    assert_true(share(in_use + idle, told->in_use_bytes + told->free_bytes) < 1.005);
    hf_heap_done(&heap);
    hf_process_image_done(&image);
    hf_snapshot_end(&snapshot);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_of_a_program),
    };
    return cmocka_run_group_tests_name("glibc_heap", tests, NULL, NULL);
}
