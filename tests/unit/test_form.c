/* Values of attributes by DWARF 5, section 7.5.6. */
#include "check.h"
#include "dwarf/form.h"

static const struct hf_dwarf_encoding dwarf32 = {5, 8, 4}, dwarf64 = {5, 8, 8}, dwarf2 = {2, 8, 4};

static const struct {
    uint16_t form;
    const struct hf_dwarf_encoding *encoding;
    const char *bytes;
    size_t size;
    uint64_t value;
} forms[] = {
    {DW_FORM_addr, &dwarf32, "\1\2\3\4\5\6\7\x08", 8, 0x0807060504030201},
    {DW_FORM_data1, &dwarf32, "\xfe", 1, 0xfe},
    {DW_FORM_data2, &dwarf32, "\1\2", 2, 0x0201},
    {DW_FORM_data4, &dwarf32, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_data8, &dwarf32, "\1\2\3\4\5\6\7\x08", 8, 0x0807060504030201},
    {DW_FORM_data16, &dwarf32, "0123456789abcdef", 16, 0},
    {DW_FORM_sdata, &dwarf32, "\x7f", 1, UINT64_MAX},
    {DW_FORM_udata, &dwarf32, "\x80\x01", 2, 0x80},
    {DW_FORM_flag, &dwarf32, "\1", 1, 1},
    {DW_FORM_flag_present, &dwarf32, "", 0, 1},
    {DW_FORM_implicit_const, &dwarf32, "", 0, (uint64_t)-7},
    {DW_FORM_string, &dwarf32, "ab\0", 3, 0},
    {DW_FORM_strp, &dwarf32, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_strp, &dwarf64, "\1\2\3\4\0\0\0\1", 8, 0x0100000004030201},
    {DW_FORM_line_strp, &dwarf32, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_line_strp, &dwarf64, "\1\2\3\4\0\0\0\1", 8, 0x0100000004030201},
    {DW_FORM_sec_offset, &dwarf64, "\1\2\3\4\0\0\0\1", 8, 0x0100000004030201},
    {DW_FORM_strp_sup, &dwarf32, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_GNU_strp_alt, &dwarf32, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_GNU_ref_alt, &dwarf64, "\1\2\3\4\0\0\0\1", 8, 0x0100000004030201},
    {DW_FORM_ref_sup4, &dwarf64, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_ref_sup8, &dwarf32, "\1\2\3\4\0\0\0\1", 8, 0x0100000004030201},
    {DW_FORM_ref_addr, &dwarf32, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_ref_addr, &dwarf2, "\1\2\3\4\0\0\0\0", 8, 0x04030201}, /* the size of an address */
    {DW_FORM_ref1, &dwarf32, "\x11", 1, 0x11},
    {DW_FORM_ref2, &dwarf32, "\1\2", 2, 0x0201},
    {DW_FORM_ref4, &dwarf64, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_ref8, &dwarf32, "\1\2\3\4\0\0\0\0", 8, 0x04030201},
    {DW_FORM_ref_udata, &dwarf32, "\x80\x01", 2, 0x80},
    {DW_FORM_ref_sig8, &dwarf32, "\1\2\3\4\0\0\0\0", 8, 0x04030201},
    {DW_FORM_strx, &dwarf32, "\x80\x01", 2, 0x80},
    {DW_FORM_strx1, &dwarf32, "\xff", 1, 0xff},
    {DW_FORM_strx2, &dwarf32, "\1\2", 2, 0x0201},
    {DW_FORM_strx3, &dwarf32, "\1\2\3", 3, 0x030201},
    {DW_FORM_strx4, &dwarf32, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_addrx, &dwarf32, "\x80\x01", 2, 0x80},
    {DW_FORM_addrx1, &dwarf32, "\xff", 1, 0xff},
    {DW_FORM_addrx2, &dwarf32, "\1\2", 2, 0x0201},
    {DW_FORM_addrx3, &dwarf32, "\1\2\3", 3, 0x030201},
    {DW_FORM_addrx4, &dwarf32, "\1\2\3\4", 4, 0x04030201},
    {DW_FORM_GNU_addr_index, &dwarf32, "\x80\x01", 2, 0x80},
    {DW_FORM_GNU_str_index, &dwarf32, "\x80\x01", 2, 0x80},
    {DW_FORM_loclistx, &dwarf32, "\x80\x01", 2, 0x80},
    {DW_FORM_rnglistx, &dwarf32, "\x80\x01", 2, 0x80},
    {DW_FORM_block1, &dwarf32, "\2ab", 3, 0},
    {DW_FORM_block2, &dwarf32, "\2\0ab", 4, 0},
    {DW_FORM_block4, &dwarf32, "\2\0\0\0ab", 6, 0},
    {DW_FORM_block, &dwarf32, "\2ab", 3, 0},
    {DW_FORM_exprloc, &dwarf32, "\2ab", 3, 0},
    {DW_FORM_indirect, &dwarf32, "\x0d\x7f", 2, 0},
};

/* Read, skipped, or passed over by its fixed size: always as many bytes; and one less is too few.
 */
static void reads_every_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(forms); i++) {
        struct hf_cursor read = hf_cursor_of(forms[i].bytes, forms[i].size, "read");
        struct hf_cursor skipped = hf_cursor_of(forms[i].bytes, forms[i].size, "skipped");
        int known = hf_form_size(forms[i].form, forms[i].encoding);
        assert_int_equal(hf_form_read(&read, forms[i].form, -7, forms[i].encoding), forms[i].value);
        hf_form_skip(&skipped, forms[i].form, known, forms[i].encoding);
        assert_true(!hf_cursor_failed(&read) && hf_cursor_left(&read) == 0);
        assert_true(!hf_cursor_failed(&skipped) && hf_cursor_left(&skipped) == 0);
        assert_true(known < 0 || (size_t)known == forms[i].size);
        if (forms[i].size == 0)
            continue;
        struct hf_cursor cut = hf_cursor_of(forms[i].bytes, forms[i].size - 1, "cut");
        (void)hf_form_read(&cut, forms[i].form, -7, forms[i].encoding);
        assert_true(hf_cursor_failed(&cut));
    }
}

static void gives_up_unknown_forms(void **state)
{
    static const uint16_t unknown[] = {0, 0x02, 0x2d, 0x1f03, UINT16_MAX};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(unknown); i++) {
        struct hf_cursor c = hf_cursor_of("0123456789", 10, "unknown");
        hf_form_skip(&c, unknown[i], hf_form_size(unknown[i], &dwarf32), &dwarf32);
        assert_true(hf_cursor_failed(&c));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_form),
        cmocka_unit_test(gives_up_unknown_forms),
    };
    return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
