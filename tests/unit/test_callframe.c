/* Call frame information written by hand, from LSB Core 5.0, "Exception Frames". */
#include "check.h"
#include "dwarf/callframe.h"

#define LOADED_AT 0x4000 /* .eh_frame; addresses in it are absolute, of 4 bytes (encoding 0x03) */

/* CIE of 20 bytes: version, letters, code 1, data -8, register 16, one byte of data: 'R' */
#define CIE(version, letters) "\x10\0\0\0\0\0\0\0" version letters "\1\x78\x10\1\3\0\0\0"
/* FDE of 20 bytes at `back` from its CIE; no augmentation data, three instructions */
#define FDE(back, start, size) "\x10\0\0\0" back start size "\0\1\2\3"

static const struct {
    const char *what;
    struct hf_text bytes;
    uint64_t address, start, end; /* end 0: it is not found */
    bool is_signal;
} cases[] = {
    {"nothing", {NULL, 0}, 0x1000, 0, 0, false},
    {"first byte", HF_TEXT(CIE("\1", "zR\0") FDE("\x18\0\0\0", "\0\x10\0\0", "\x20\0\0\0")), 0x1000,
        0x1000, 0x1020, false},
    {"last byte", HF_TEXT(CIE("\1", "zR\0") FDE("\x18\0\0\0", "\0\x10\0\0", "\x20\0\0\0")), 0x101f,
        0x1000, 0x1020, false},
    {"behind", HF_TEXT(CIE("\1", "zR\0") FDE("\x18\0\0\0", "\0\x10\0\0", "\x20\0\0\0")), 0x1020, 0,
        0, false},
    {"version 3", HF_TEXT(CIE("\3", "zR\0") FDE("\x18\0\0\0", "\0\x10\0\0", "\x20\0\0\0")), 0x1000,
        0x1000, 0x1020, false},
    {"version 2", HF_TEXT(CIE("\2", "zR\0") FDE("\x18\0\0\0", "\0\x10\0\0", "\x20\0\0\0")), 0x1000,
        0, 0, false},
    {"an unknown letter", HF_TEXT(CIE("\1", "zQ\0") FDE("\x18\0\0\0", "\0\x10\0\0", "\x20\0\0\0")),
        0x1000, 0, 0, false},
    {"no empty function", HF_TEXT(CIE("\1", "zR\0") FDE("\x18\0\0\0", "\0\x10\0\0", "\0\0\0\0")),
        0x1000, 0, 0, false},
    {"its CIE is no CIE", HF_TEXT(CIE("\1", "zR\0") FDE("\4\0\0\0", "\0\x10\0\0", "\x20\0\0\0")),
        0x1000, 0, 0, false},
    {"the second function",
        HF_TEXT(CIE("\1", "zR\0") FDE("\x18\0\0\0", "\0\x20\0\0", "\x20\0\0\0")
                FDE("\x2c\0\0\0", "\0\x10\0\0", "\x20\0\0\0")),
        0x1010, 0x1000, 0x1020, false},
    {"a signal frame",
        HF_TEXT("\x10\0\0\0\0\0\0\0\1zRS\0\1\x78\x10\1\3\0\0" FDE(
            "\x18\0\0\0", "\0\x10\0\0", "\x20\0\0\0")),
        0x1010, 0x1000, 0x1020, true},
};

static void test_functions_are_found(void **state)
{
    (void)state;
    struct hf_error err;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_elf_section section = {.name = HF_TEXT(".eh_frame"),
            .type = SHT_PROGBITS,
            .address = LOADED_AT,
            .size = cases[i].bytes.size};
        struct hf_elf elf = {.bytes = cases[i].bytes, .sections = &section, .section_count = 1};
        struct hf_callframes callframes;
        struct hf_fde fde;
        check_case = cases[i].what;
        check_ok(hf_callframes_open(&callframes, &elf, &err), &err);
        bool is_found = hf_callframes_find(&callframes, cases[i].address, &fde);
        assert_int_equal(is_found, cases[i].end != 0);
        if (is_found) {
            assert_int_equal(fde.start, cases[i].start);
            assert_int_equal(fde.end, cases[i].end);
            assert_int_equal(fde.cie.is_signal, cases[i].is_signal);
            assert_int_equal(fde.cie.code_factor, 1);
            assert_int_equal(fde.cie.data_factor, -8);
            assert_int_equal(fde.cie.return_register, 16);
            check_text(fde.instructions, "\1\2\3");
        }
        hf_callframes_close(&callframes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
