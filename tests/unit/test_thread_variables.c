/* Where a program's thread-local variables begin: as glibc places them (elf/dl-tls.c there). */
#include "check.h"
#include "heap/thread_variables.h"

static void test_below(void **state)
{
    static const struct {
        uint64_t address, memory_size, alignment, below;
    } cases[] = {
        {0x3000, 8, 8, 8},
        {0x3000, 20, 8, 24},
        {0x3000, 78, 64, 128}, /* the end has the alignment, so the start has it */
        {0x3010, 78, 64, 112}, /* the start has a remainder of 16 */
        {0x3010, 8, 64, 48},   /* which counts from the alignment below */
        {0x3000, 5, 0, 5},     /* no alignment */
        {0x3000, 1, 4096, 4096},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hf_elf_segment segments[] = {
            {.type = PT_LOAD, .address = 0x1000, .memory_size = 0x9000, .alignment = 4096},
            {.type = PT_TLS,
                .address = cases[i].address,
                .memory_size = cases[i].memory_size,
                .alignment = cases[i].alignment}};
        const struct hf_elf elf = {.segments = segments, .segment_count = 2};
        uint64_t below = hf_thread_variables_below(&elf);
        assert_int_equal(below, cases[i].below);
        assert_true(
            cases[i].alignment == 0 || (below + cases[i].address) % cases[i].alignment == 0);
    }
    assert_int_equal(hf_thread_variables_below(&(const struct hf_elf){.segment_count = 0}), 0);
}

static void test_is_program(void **state)
{
    struct hf_elf elf = {.type = ET_EXEC};
    (void)state;
    assert_true(hf_thread_variables_is_program(&elf));
    elf.type = ET_DYN;
    assert_false(hf_thread_variables_is_program(&elf)); /* it has no flags */
    Elf64_Dyn entries[] = {{DT_FLAGS_1, {DF_1_PIE | DF_1_NOW}}, {DT_NULL, {0}}};
    struct hf_elf_segment segments[] = {
        {.type = PT_LOAD, .address = 0x1000, .file_size = sizeof entries},
        {.type = PT_DYNAMIC, .address = 0x1000, .file_size = sizeof entries}};
    elf = (struct hf_elf){.type = ET_DYN,
        .bytes = {(const char *)entries, sizeof entries},
        .segments = segments,
        .segment_count = 2};
    assert_true(hf_thread_variables_is_program(&elf));
    entries[0].d_un.d_val = DF_1_NOW;
    assert_false(hf_thread_variables_is_program(&elf));
    entries[0].d_tag = DT_NULL;
    entries[1] = (Elf64_Dyn){DT_FLAGS_1, {DF_1_PIE}}; /* behind the end */
    assert_false(hf_thread_variables_is_program(&elf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_below), cmocka_unit_test(test_is_program)};
    return cmocka_run_group_tests_name("thread_variables", tests, NULL, NULL);
}
