/* Which jemalloc a program has, by the strings in files that are made here. */
#include "check.h"
#include "symbol/jemalloc_build.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

#define ERROR "<jemalloc>: Error in malloc\0"
#define HASH "54eaed1d8b56b1aa528be3bdd1877e59c56fa90c"

/* A program of two parts: one that is written, and behind it one that is not. */
static void save_program(int fd, struct hf_text written, struct hf_text constant)
{
    struct {
        Elf64_Ehdr head;
        Elf64_Phdr parts[2];
    } file = {0};
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS64;
    file.head.e_ident[EI_DATA] = ELFDATA2LSB;
    file.head.e_ident[EI_VERSION] = EV_CURRENT;
    file.head.e_type = ET_DYN;
    file.head.e_machine = MACHINE;
    file.head.e_version = EV_CURRENT;
    file.head.e_phoff = sizeof file.head;
    file.head.e_ehsize = sizeof file.head;
    file.head.e_phentsize = sizeof file.parts[0];
    file.head.e_phnum = HF_COUNT(file.parts);
    for (size_t i = 0; i < HF_COUNT(file.parts); i++) {
        size_t size = i == 0 ? written.size : constant.size;
        file.parts[i].p_type = PT_LOAD;
        file.parts[i].p_flags = i == 0 ? PF_R | PF_W : PF_R;
        file.parts[i].p_offset = sizeof file + (i == 0 ? 0 : written.size);
        file.parts[i].p_vaddr = 0x10000 * (i + 1) + file.parts[i].p_offset;
        file.parts[i].p_filesz = file.parts[i].p_memsz = size;
    }
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, &file, sizeof file, 0), sizeof file);
    assert_int_equal(pwrite(fd, written.data, written.size, sizeof file), written.size);
    assert_int_equal(pwrite(fd, constant.data, constant.size, (off_t)(sizeof file + written.size)),
        constant.size);
}

static void build_find(struct hf_jemalloc_build *build, struct hf_text written, struct hf_text text)
{
    struct hf_error err;
    char path[] = "/tmp/heapflame-test-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    assert_true(fd >= 0);
    save_program(fd, written, text);
    enum hf_status status = hf_jemalloc_build_find(build, path, &err);
    close(fd);
    unlink(path);
    check_ok(status, &err);
    if (build->place != HF_JEMALLOC_NOWHERE)
        assert_string_equal(build->path, path);
}

static void reads_the_version(void **state)
{
    static const struct {
        const char *text, *version;
        uint32_t number;
        bool is_snapshot;
    } rows[] = {
        {"5.3.0-0-g" HASH, "5.3.0-0-g" HASH, 0x050300, false},
        {"5.2.1-171-g54eaed1", "5.2.1-171-g54eaed1", 0x050201, true},
        {"255.255.255-1-g54eaed1", "255.255.255-1-g54eaed1", 0xffffff, true},
        {"256.0.0-0-g54eaed1", "", 0, false},
        {"1.256.0-0-g54eaed1", "", 0, false},
        {"1.0.256-0-g54eaed1", "", 0, false},
        {"0005.3.0-0-g54eaed1", "", 0, false},
        {"005.3.0-0-g54eaed1", "005.3.0-0-g54eaed1", 0x050300, false},
        {"5.3.0-0-g54eaed", "", 0, false},
        {"5.3.0-0-h54eaed1", "", 0, false},
        {"5.3.0-0-g54eaedx", "", 0, false},
        {"5.3.0-x-g54eaed1", "", 0, false},
        {"5.3.0-0", "", 0, false},
        {"5.3-0-g54eaed1", "", 0, false},
        {"x5.3.0-0-g54eaed1", "", 0, false},
        {"9.0.0-0-g54eaed1", "9.0.0-0-g54eaed1", 0x090000, false},
        {"0.0.0-0-g54eaed1", "0.0.0-0-g54eaed1", 0, false},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_jemalloc_build build;
        struct hf_out text = {0};
        check_case = rows[i].text;
        hf_out_bytes(&text, ERROR, sizeof ERROR - 1);
        hf_out_string(&text, "5");
        hf_out_char(&text, '\0');
        hf_out_string(&text, rows[i].text);
        hf_out_char(&text, '\0');
        build_find(&build, HF_TEXT(""), hf_out_view(&text));
        assert_int_equal(build.place, HF_JEMALLOC_INSIDE);
        assert_string_equal(build.version, rows[i].version);
        assert_int_equal(build.version_number, rows[i].number);
        assert_true(build.is_snapshot == rows[i].is_snapshot);
        assert_false(build.has_profiling);
        assert_string_equal(build.link, "/etc/malloc.conf");
        assert_string_equal(build.variable, "MALLOC_CONF");
        hf_jemalloc_build_done(&build);
        hf_out_done(&text);
    }
}

/* What stands in bytes that are written says nothing: it may be a message of this program. */
static void looks_at_constants_alone(void **state)
{
    static const struct {
        struct hf_text written, constant;
        bool is_one, has_profiling;
    } rows[] = {
        {HF_TEXT(""), HF_TEXT(ERROR), true, false},
        {HF_TEXT(ERROR), HF_TEXT(ERROR), true, false},
        {HF_TEXT(ERROR), HF_TEXT("heap_v2/%s"), false, false},
        {HF_TEXT("heap_v2/%s"), HF_TEXT(ERROR), true, false},
        {HF_TEXT(""), HF_TEXT("heap_v2/%s\0" ERROR), true, true},
        {HF_TEXT(""), HF_TEXT("jemalloc>: Error in \0" ERROR), true, false},
        {HF_TEXT(""), HF_TEXT("_jemalloc>: Error in malloc"), false, false},
        {HF_TEXT(""), HF_TEXT("<jemalloc>: Error in"), false, false},
        {HF_TEXT(""), HF_TEXT(""), false, false},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_jemalloc_build build;
        build_find(&build, rows[i].written, rows[i].constant);
        assert_int_equal(build.place, rows[i].is_one ? HF_JEMALLOC_INSIDE : HF_JEMALLOC_NOWHERE);
        assert_true(build.has_profiling == rows[i].has_profiling);
        assert_null(build.built_in);
        assert_string_equal(build.missing, "");
        hf_jemalloc_build_done(&build);
    }
}

static void reads_the_prefix(void **state)
{
    static const struct {
        struct hf_text text;
        const char *link, *variable;
    } rows[] = {
        {HF_TEXT(ERROR "/etc/malloc.conf"), "/etc/malloc.conf", "MALLOC_CONF"},
        {HF_TEXT(ERROR "/etc/malloc.conf\0/etc/_rjem_malloc.conf"), "/etc/_rjem_malloc.conf",
            "_RJEM_MALLOC_CONF"},
        {HF_TEXT(ERROR "/etc/azAZ09._malloc.conf"), "/etc/azAZ09._malloc.conf",
            "AZAZ09._MALLOC_CONF"},
        {HF_TEXT(ERROR "/etc/a-malloc.conf"), "/etc/malloc.conf", "MALLOC_CONF"},
        {HF_TEXT(ERROR "/etc/a/malloc.conf"), "/etc/malloc.conf", "MALLOC_CONF"},
        {HF_TEXT(ERROR "/etc/a:malloc.conf"), "/etc/malloc.conf", "MALLOC_CONF"},
        {HF_TEXT(ERROR "/etc/a@malloc.conf"), "/etc/malloc.conf", "MALLOC_CONF"},
        {HF_TEXT(ERROR "/etc/a[malloc.conf"), "/etc/malloc.conf", "MALLOC_CONF"},
        {HF_TEXT(ERROR "/etc/passwd\0/etc/je_malloc.conf\0/etc/x_malloc.conf"),
            "/etc/je_malloc.conf", "JE_MALLOC_CONF"},
        {HF_TEXT(ERROR "set it in /etc/malloc.conf, or not"), "/etc/malloc.conf", "MALLOC_CONF"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_jemalloc_build build;
        build_find(&build, HF_TEXT(""), rows[i].text);
        assert_string_equal(build.link, rows[i].link);
        assert_string_equal(build.variable, rows[i].variable);
        assert_string_equal(build.version, "");
        hf_jemalloc_build_done(&build);
    }
}

/* What is named must be a program; why it is none is said. */
static void refuses_what_is_no_program(void **state)
{
    struct hf_error err;
    struct hf_jemalloc_build build;
    (void)state;
    assert_int_equal(hf_jemalloc_build_find(&build, "/proc/self/nothing", &err), HF_ERR_SYSTEM);
    char path[] = "/tmp/heapflame-test-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    assert_true(fd >= 0 && write(fd, "#!/bin/sh\n", 10) == 10);
    enum hf_status status = hf_jemalloc_build_find(&build, path, &err);
    close(fd);
    unlink(path);
    assert_int_equal(status, HF_ERR_SYSTEM);
    assert_int_equal(err.status, HF_ERR_SYSTEM);
    assert_int_equal(build.place, HF_JEMALLOC_NOWHERE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_version),
        cmocka_unit_test(looks_at_constants_alone),
        cmocka_unit_test(reads_the_prefix),
        cmocka_unit_test(refuses_what_is_no_program),
    };
    return cmocka_run_group_tests_name("jemalloc_build", tests, NULL, NULL);
}
