/* Which pages of a process are gone: of this one, which gives some back. */
#include "attach/perf/touched_pages.h"

#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

#define PAGE HF_TOUCHED_PAGE_BYTES
#define MOST 8

struct gone {
    uint64_t addresses[MOST];
    size_t count;
};

static void take(void *context, uint64_t address)
{
    struct gone *gone = context;
    assert_true(gone->count < MOST);
    gone->addresses[gone->count++] = address;
}

static bool is_gone(const struct gone *gone, uint64_t address)
{
    for (size_t i = 0; i < gone->count; i++)
        if (gone->addresses[i] == address)
            return true;
    return false;
}

static void test_pages(void **state)
{
    (void)state;
    struct hf_touched_pages touched = {0};
    struct gone gone = {0};
    char *pages = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    uint64_t at = (uint64_t)(uintptr_t)pages;
    memset(pages, 1, 5 * PAGE);
    for (uint64_t i = 0; i < 4; i++)
        assert_true(hf_touched_pages_add(&touched, at + i * PAGE + 17 * i));
    assert_true(hf_touched_pages_add(&touched, at + PAGE - 1)); /* the first one again */
    hf_touched_pages_gone(&touched, (uint32_t)getpid(), take, &gone);
    assert_int_equal(gone.count, 0);
    assert_int_equal(madvise(pages + PAGE, PAGE, MADV_DONTNEED), 0);
    assert_int_equal(munmap(pages + 3 * PAGE, PAGE), 0);
    hf_touched_pages_gone(&touched, (uint32_t)getpid(), take, &gone);
    assert_int_equal(gone.count, 2);
    assert_true(is_gone(&gone, at + PAGE));
    assert_true(is_gone(&gone, at + 3 * PAGE));
    gone.count = 0;
    hf_touched_pages_gone(&touched, 4000000, take, &gone); /* there is no such process */
    assert_int_equal(gone.count, 0);
    hf_touched_pages_done(&touched);
    munmap(pages, 3 * PAGE);
    munmap(pages + 4 * PAGE, PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
