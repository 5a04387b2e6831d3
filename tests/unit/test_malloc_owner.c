/* Which file is the program, where it lies, and whose malloc is called: of this process. */
#include "attach/probes/malloc_owner.h"

#include "attach/probes/ifunc.h"
#include "check.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

static struct hf_images images;

static uint32_t image_of(const void *code)
{
    const struct hf_code_segment *segment = hf_images_at(&images, (uint64_t)(uintptr_t)code);
    return segment != NULL ? segment->image : HF_NO_IMAGE;
}

static const void *code_of(const char *function)
{
    return dlsym(RTLD_DEFAULT, function);
}

static int begin(void **state)
{
    (void)state;
    return hf_images_open(&images, (uint32_t)getpid(), NULL) == HF_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    hf_images_close(&images);
    return 0;
}

static void own_function(void) {}

static void test_program(void **state)
{
    (void)state;
    void (*volatile own)(void) = own_function;
    assert_int_equal(hf_images_program(&images), image_of(__extension__(const void *) own));
    struct hf_images other = images;
    other.pid = 4000000; /* there is no such process */
    assert_int_equal(hf_images_program(&other), HF_NO_IMAGE);
    other = images;
    other.image_count = 0;
    assert_int_equal(hf_images_program(&other), HF_NO_IMAGE);
}

static int check_bias(struct dl_phdr_info *info, size_t size, void *count)
{
    uint64_t bias;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0 ||
            strncmp(info->dlpi_name, "linux-vdso", 10) == 0)
            continue;
        uint32_t image = image_of((const char *)info->dlpi_addr + segment->p_vaddr); // NOLINT
        assert_int_not_equal(image, HF_NO_IMAGE);
        assert_true(hf_images_bias(&images, image, &bias));
        assert_int_equal(bias, info->dlpi_addr);
        ++*(size_t *)count;
    }
    return 0;
}

static void test_bias(void **state)
{
    (void)state;
    size_t count = 0;
    uint64_t bias;
    dl_iterate_phdr(check_bias, &count);
    assert_true(count >= 3); /* the program, the C library, the linker */
    struct hf_images other = images;
    other.segment_count = 0; /* nothing of it is mapped */
    assert_false(hf_images_bias(&other, 0, &bias));
}

static void test_whose_malloc(void **state)
{
    (void)state;
    uint32_t owner = image_of(code_of("malloc"));
    assert_int_not_equal(owner, HF_NO_IMAGE);
    assert_int_equal(hf_malloc_owner(&images), owner);
    struct hf_images other = images;
    other.pid = 4000000; /* without the list of the linker, the first that exports one */
    assert_int_not_equal(hf_malloc_owner(&other), HF_NO_IMAGE);
    assert_true(hf_malloc_owner(&other) <= owner);
    other.image_count = 0;
    assert_int_equal(hf_malloc_owner(&other), HF_NO_IMAGE);
}

struct wanted {
    const char *name;
    struct hf_symbol symbol;
    bool is_found;
};

static void see(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    struct wanted *wanted = context;
    if (type != STT_GNU_IFUNC || is_local || !hf_text_is(symbol->name, wanted->name))
        return;
    wanted->symbol = *symbol;
    wanted->is_found = true;
}

/* What the dynamic linker put where this program's relocation of the name is. */
static void test_ifunc(void **state)
{
    (void)state;
    void *(*volatile chosen)(void *, const void *, size_t) = memcpy;
    struct wanted wanted = {.name = "memcpy"};
    uint64_t address = 0, here = (uint64_t)(uintptr_t)chosen;
    uint32_t libc = image_of(code_of("qsort"));
    assert_int_not_equal(libc, HF_NO_IMAGE);
    check_ok(hf_symtab_each(&images.images[libc].elf, see, &wanted, NULL), NULL);
    if (!wanted.is_found || hf_images_at(&images, here)->image != libc) {
        print_message("skipped: memcpy is a sanitizer's in this build\n");
        skip();
    }
    assert_true(hf_ifunc_target(&images, libc, &wanted.symbol, &address));
    assert_int_equal(address, here);
    wanted.symbol.name = HF_TEXT("nobody_has_this_name");
    wanted.symbol.address++; /* nor is it resolved there */
    assert_false(hf_ifunc_target(&images, libc, &wanted.symbol, &address));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_bias),
        cmocka_unit_test(test_whose_malloc),
        cmocka_unit_test(test_ifunc),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
