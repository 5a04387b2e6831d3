/* From functions to the places of their probes: of functions of this program, written for it. */
#include "attach/probes/probe_site.h"

#include "attach/probes/malloc_owner.h"
#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

void site_pushes(void);
void site_moves(void);
void site_jumps(void);
void site_returns(void);
__asm__(".text\n"
        ".balign 64\n"
        "site_pushes: push %rbp; pop %rbp; ret\n"
        ".balign 64\n"
        "site_moves: xor %eax, %eax; push %rbp; pop %rbp; ret\n"
        ".balign 64\n"
        "site_jumps: jmp site_pushes\n"
        ".balign 64\n"
        "site_returns: ret; nop; nop\n");

static struct hf_images images;
static struct hf_site_finder finder;
static struct hf_arena arena;
static struct hf_specs specs;
static uint32_t program;

static int begin(void **state)
{
    struct hf_error err;
    (void)state;
    check_ok(hf_images_open(&images, (uint32_t)getpid(), &err), &err);
    check_ok(hf_site_finder_init(&finder, &images, &arena, &err), &err);
    check_ok(hf_specs_parse(&specs,
                 HF_TEXT("spec own\nobject exe\nalloc sym:a size=arg0 new=ret\nfree sym:b "
                         "ptr=arg0\n"),
                 "own.spec", &err),
        &err);
    program = hf_images_program(&images);
    assert_int_not_equal(program, HF_NO_IMAGE);
    return 0;
}

static int end(void **state)
{
    (void)state;
    hf_specs_done(&specs);
    hf_site_finder_done(&finder);
    hf_arena_done(&arena);
    hf_images_close(&images);
    return 0;
}

static uint64_t address_of(void (*function)(void))
{
    return (uint64_t)(uintptr_t)function;
}

static uint64_t offset_of(void (*function)(void))
{
    const struct hf_code_segment *segment = hf_images_at(&images, address_of(function));
    assert_non_null(segment);
    return address_of(function) - segment->start + segment->file_offset;
}

static struct hf_probe found(void (*function)(void), size_t entry)
{
    struct hf_probe probe;
    assert_true(hf_site_finder_find(
        &finder, &specs.items[0].entries[entry], program, offset_of(function), &probe));
    return probe;
}

static void test_find(void **state)
{
    (void)state;
    char expected[4200];
    struct hf_probe probe = found(site_pushes, 0);
    (void)snprintf(
        expected, sizeof expected, "/proc/%d/root%s", (int)getpid(), images.images[program].path);
    assert_string_equal(probe.path, expected);
    assert_int_equal(probe.entry_offset, offset_of(site_pushes));
    assert_int_equal(probe.offset, probe.entry_offset);
    assert_int_equal(probe.address, address_of(site_pushes));
    assert_true(probe.returns);
    assert_ptr_equal(probe.entry, &specs.items[0].entries[0]);
    assert_false(found(site_pushes, 1).returns);
    assert_false(hf_site_finder_find(
        &finder, &specs.items[0].entries[0], program, UINT64_C(1) << 40, &probe));
    /* A file that is another by now is found by its mapping. */
    const struct hf_code_segment *segment = hf_images_at(&images, address_of(site_pushes));
    finder.paths[program] = NULL;
    images.images[program].inode++;
    probe = found(site_pushes, 0);
    images.images[program].inode--;
    (void)snprintf(expected, sizeof expected, "/proc/%d/map_files/%llx-%llx", (int)getpid(),
        (unsigned long long)segment->start, (unsigned long long)segment->end);
    assert_string_equal(probe.path, expected);
    finder.paths[program] = NULL;
    images.images[program].device++;
    assert_string_equal(found(site_pushes, 0).path, expected);
    images.images[program].device--;
    finder.paths[program] = NULL;
}

static void test_move(void **state)
{
    (void)state;
    struct hf_probe probe = found(site_pushes, 0);
    hf_site_finder_move(&finder, program, &probe);
    assert_true(probe.is_emulated);
    assert_null(probe.why_stepped);
    assert_int_equal(probe.offset, probe.entry_offset);
    assert_int_equal(probe.jumps_to, UINT64_MAX);
    assert_false(probe.has_breakpoint);
    if (finder.entry_decoder == NULL)
        skip();
    probe = found(site_moves, 0);
    hf_site_finder_move(&finder, program, &probe);
    assert_true(probe.is_emulated);
    assert_int_equal(probe.offset, offset_of(site_moves) + 2);
    assert_int_equal(probe.entry_offset, offset_of(site_moves));
    assert_int_equal(probe.address, address_of(site_moves) + 2);
    probe = found(site_jumps, 0);
    hf_site_finder_move(&finder, program, &probe);
    assert_int_equal(probe.jumps_to, offset_of(site_pushes));
    probe = found(site_returns, 0);
    hf_site_finder_move(&finder, program, &probe);
    assert_false(probe.is_emulated);
    assert_int_equal(probe.offset, probe.entry_offset);
    assert_string_equal(probe.why_stepped, hf_probe_refusal_text(HF_PROBE_REFUSED_LEAVES));
}

/* What the process has in its memory is what its file says, or somebody wrote the file over. */
static void test_trust(void **state)
{
    (void)state;
    struct hf_elf *elf = &images.images[program].elf;
    assert_true(hf_site_finder_trusts(&finder, program));
    struct hf_text id = elf->build_id;
    if (id.size == 0)
        skip();
    elf->build_id.size = 0; /* there is none to compare */
    assert_true(hf_site_finder_trusts(&finder, program));
    elf->build_id = id;
    uint64_t address, bias;
    assert_true(hf_elf_address_of_offset(elf, (uint64_t)(id.data - elf->bytes.data), &address));
    assert_true(hf_images_bias(&images, program, &bias));
    unsigned char *loaded = (unsigned char *)(uintptr_t)(address + bias + id.size - 1); // NOLINT
    void *page = (void *)((uintptr_t)loaded & ~(uintptr_t)4095);                        // NOLINT
    assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
    ++*loaded;
    assert_false(hf_site_finder_trusts(&finder, program));
    --*loaded;
    assert_int_equal(mprotect(page, 4096, PROT_READ), 0);
    assert_true(hf_site_finder_trusts(&finder, program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_move),
        cmocka_unit_test(test_trust),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
