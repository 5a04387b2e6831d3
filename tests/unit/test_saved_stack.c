/* A stack that was copied is walked as one that is there: this process copies its own. */
#include "attach/saved_stack.h"

#include "check.h"

#include <sys/ucontext.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define COPIED 65536

struct scene {
    struct hf_registers registers;
    char bytes[COPIED];
    size_t size;
    uint64_t returns[4]; /* innermost first */
    uint64_t slot;       /* of returns[0] */
};

static volatile int no_tail_call;

__attribute__((noinline)) static void copy_stack(struct scene *s)
{
    static ucontext_t here; /* not between the frames, which are copied */
    uint64_t word;
    assert_int_equal(getcontext(&here), 0);
    const greg_t *g = here.uc_mcontext.gregs;
    s->registers = (struct hf_registers){
        .sp = (uint64_t)g[REG_RSP], .bp = (uint64_t)g[REG_RBP], .ip = (uint64_t)g[REG_RIP]};
    s->returns[0] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    /* As the kernel copies it: also what a sanitizer keeps between the frames. */
    struct iovec to = {s->bytes, s->size}, from = {(void *)(uintptr_t)s->registers.sp, s->size};
    assert_int_equal(process_vm_readv(getpid(), &to, 1, &from, 1, 0), s->size);
    s->slot = (uint64_t)(uintptr_t)__builtin_frame_address(0) + 8;
    memcpy(&word, s->bytes + (s->slot - s->registers.sp), 8);
    assert_int_equal(word, s->returns[0]);
    no_tail_call++;
}

__attribute__((noinline)) static void middle(struct scene *s)
{
    s->returns[1] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    copy_stack(s);
    no_tail_call++;
}

__attribute__((noinline)) static void outer(struct scene *s)
{
    volatile char space[3000]; /* there is some distance to go */
    space[2999] = 1;
    s->returns[2] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    middle(s);
    no_tail_call += space[2999];
}

static struct hf_saved_stack walked;

static void walk(struct scene *s, struct hf_images *images)
{
    hf_saved_stack_walk(
        &walked, images, &s->registers, (struct hf_text){s->bytes, s->size}, false, NULL);
}

static void assert_callers(const struct scene *s)
{
    assert_true(walked.count > 3);
    assert_int_equal(walked.addresses[0], s->registers.ip + 1);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(walked.addresses[i + 1], s->returns[i]);
}

static void test_walk(void **state)
{
    (void)state;
    static struct scene s = {.size = 8192};
    struct hf_images images;
    assert_int_equal(hf_images_open(&images, (uint32_t)getpid(), NULL), HF_OK);
    outer(&s);
    walk(&s, &images);
    assert_callers(&s);
    assert_false(walked.is_guessed);
    hf_images_close(&images);
}

/* The copy ends before the stack does: what is there is right, and it says so. */
static void test_short(void **state)
{
    (void)state;
    static struct scene s = {.size = 2048};
    struct hf_images images;
    assert_int_equal(hf_images_open(&images, (uint32_t)getpid(), NULL), HF_OK);
    outer(&s);
    walk(&s, &images);
    assert_true(walked.count >= 3 && walked.is_cut && walked.is_short);
    assert_int_equal(walked.addresses[1], s.returns[0]);
    assert_int_equal(walked.addresses[2], s.returns[1]);
    hf_images_close(&images);
}

/* As if the return of copy_stack were probed. */
static void test_trampoline(void **state)
{
    (void)state;
    static struct scene s = {.size = 8192};
    struct hf_images images;
    assert_int_equal(hf_images_open(&images, (uint32_t)getpid(), NULL), HF_OK);
    images.trampoline = 0x7fffffffe000;
    images.trampoline_end = 0x7ffffffff000;
    outer(&s);
    memcpy(s.bytes + (s.slot - s.registers.sp), &images.trampoline, 8);
    walk(&s, &images);
    assert_int_not_equal(walked.addresses[1], s.returns[0]);
    /* Beyond, only frame pointers could lead, where the compiler made some. */
    assert_true(walked.is_guessed || (walked.count <= 3 && walked.is_cut && !walked.is_short));
    struct hf_replaced_return others[] = {{s.slot, s.returns[0]}, {s.slot + 8, 1}, {8, 2},
        {s.registers.sp + s.size - 4, 3}, {UINT64_MAX, 4}};
    hf_saved_stack_repair(&images, s.registers.sp, s.bytes, s.size, others, HF_COUNT(others));
    walk(&s, &images);
    assert_callers(&s);
    hf_images_close(&images);
}

/* The frame of a function of this very program. */
static void test_frame(void **state)
{
    (void)state;
    struct hf_images images;
    assert_int_equal(hf_images_open(&images, (uint32_t)getpid(), NULL), HF_OK);
    const struct hf_code_segment *segment =
        hf_images_find(&images, (uint64_t)(uintptr_t)test_frame);
    assert_non_null(segment);
    char own[4096];
    ssize_t size = readlink("/proc/self/exe", own, sizeof own);
    assert_true(size > 0);
    assert_true(
        hf_text_is((struct hf_text){own, (size_t)size}, images.images[segment->image].path));
    assert_null(hf_images_find(&images, 0));
    hf_images_close(&images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_trampoline),
        cmocka_unit_test(test_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
