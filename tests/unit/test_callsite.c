/* Bytes as GNU as makes them of the instruction in the comment. */
#include "check.h"

#include "symbol/callsite.h"

static bool ends_call(const char *bytes, size_t size)
{
    return hf_callsite_ends_at((struct hf_text){bytes, size}, size);
}

#define ENDS_CALL(bytes) ends_call(bytes, sizeof(bytes) - 1)

static void test_every_form_of_call(void **state)
{
    (void)state;
    assert_true(ENDS_CALL("\xe8\x01\x02\x03\x04"));             /* call rel32 */
    assert_true(ENDS_CALL("\xff\xd0"));                         /* call *%rax */
    assert_true(ENDS_CALL("\x41\xff\xd4"));                     /* call *%r12 */
    assert_true(ENDS_CALL("\xff\x10"));                         /* call *(%rax) */
    assert_true(ENDS_CALL("\xff\x14\x24"));                     /* call *(%rsp) */
    assert_true(ENDS_CALL("\xff\x50\x18"));                     /* call *24(%rax) */
    assert_true(ENDS_CALL("\xff\x54\x24\x08"));                 /* call *8(%rsp) */
    assert_true(ENDS_CALL("\xff\x15\x01\x02\x03\x04"));         /* call *sym(%rip) */
    assert_true(ENDS_CALL("\xff\x90\x01\x02\x03\x04"));         /* call *disp32(%rax) */
    assert_true(ENDS_CALL("\xff\x94\x24\x01\x02\x03\x04"));     /* call *disp32(%rsp) */
    assert_true(ENDS_CALL("\xff\x14\xc5\x01\x02\x03\x04"));     /* call *table(,%rax,8) */
    assert_true(ENDS_CALL("\x66\x66\x48\xe8\x01\x02\x03\x04")); /* call of __tls_get_addr */
}

static void test_what_is_no_call(void **state)
{
    (void)state;
    assert_false(ENDS_CALL(""));
    assert_false(ENDS_CALL("\xff"));
    assert_false(ENDS_CALL("\xe8\x01\x02\x03"));         /* cut */
    assert_false(ENDS_CALL("\xe9\x01\x02\x03\x04"));     /* jmp rel32 */
    assert_false(ENDS_CALL("\xff\xe0"));                 /* jmp *%rax */
    assert_false(ENDS_CALL("\xff\x14"));                 /* SIB byte is missing */
    assert_false(ENDS_CALL("\xff\x50"));                 /* displacement is missing */
    assert_false(ENDS_CALL("\xff\x54\x24"));             /* likewise, after a SIB byte */
    assert_false(ENDS_CALL("\x48\x89\xc7\x90\x90\x90")); /* mov, nops */
    assert_false(hf_callsite_ends_at(HF_TEXT("\xff\xd0"), 3));
    assert_false(hf_callsite_ends_at(HF_TEXT("\xff\xd0"), UINT64_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form_of_call),
        cmocka_unit_test(test_what_is_no_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
