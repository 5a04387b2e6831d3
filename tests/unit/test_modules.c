/*
 * What the agent makes of memory maps: fixtures in the words of proc(5), with images of the test's
 * own where headers and notes are read.
 */
#include "check.h"

#include "../../agent/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define TABLE_BYTES HF_LIVE_TABLE_MIN

static _Alignas(HF_LIVE_PAGE_BYTES) uint8_t memory[TABLE_BYTES];
static struct hf_live_table table;
static struct hf_unwind_cache cache;
static struct hf_modules modules;

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static void write_map(const char *text)
{
    int fd = open("maps", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
}

static void begin(const char *text)
{
    struct hf_live_head head = {.period_bytes = 1};
    memset(memory, 0, sizeof memory);
    hf_live_plan(&head, TABLE_BYTES);
    assert_true(hf_live_begin(&table, memory, &head, commit));
    write_map(text);
    assert_true(hf_modules_begin(&modules, &table, &cache, "maps"));
}

static int end(void **state)
{
    (void)state;
    hf_modules_forget(&modules);
    return unlink("maps");
}

/* The map has become `text`, and a dlclose was among what made it so. */
static void change(const char *text)
{
    write_map(text);
    hf_modules_unloading(&modules);
    hf_modules_unloaded(&modules);
    hf_modules_settle(&modules);
}

static uint64_t count_of(enum hf_live_kind kind)
{
    return table.state->counts[kind];
}

static struct hf_text table_text(uint32_t at, uint32_t size)
{
    return (struct hf_text){(const char *)table.regions[HF_LIVE_TEXT] + at, size};
}

static const struct hf_live_module *module_at(size_t number)
{
    assert_true(number < count_of(HF_LIVE_MODULES));
    return (const struct hf_live_module *)(void *)table.regions[HF_LIVE_MODULES] + number;
}

static void check_module(size_t number, const char *path)
{
    const struct hf_live_module *module = module_at(number);
    check_text(table_text(module->path, module->path_bytes), path);
}

static uint64_t frame_of(uint64_t pc)
{
    assert_true(hf_modules_frames(&modules, &pc, 1));
    return pc;
}

/* `pc` is a return address: the frame is of the byte before it. */
static void check_frame(uint64_t pc, uint64_t module, uint64_t offset)
{
    uint64_t frame = frame_of(pc);
    assert_int_equal(hf_live_frame_module(frame), module);
    assert_int_equal(hf_live_frame_offset(frame), offset);
}

static void test_frames(void **state)
{
    (void)state;
    begin(
        "00400000-00401000 r--p 00000000 08:01 11         /bin/server\n"
        "00401000-00403000 r-xp 00001000 08:01 11         /bin/server\n"
        "00403000-00404000 rw-p 00003000 08:01 11         /bin/server\n"
        "01000000-01021000 rw-p 00000000 00:00 0          [heap]\n"
        "7f0000000000-7f0000010000 rwxp 00000000 00:00 0 \n"
        "7f0000010000-7f0000020000 r-xp 00000000 00:00 0          [anon:v8]\n"
        "7f1000000000-7f1000002000 r-xp 00000000 103:105 12       /opt/a b/lib\\012x.so (deleted)\n"
        "7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0          [vdso]\n"
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n");
    assert_int_equal(count_of(HF_LIVE_MODULES), 3);
    assert_int_equal(count_of(HF_LIVE_SEGMENTS), 3);
    check_module(0, "/bin/server");
    check_module(1, "/opt/a b/lib\nx.so");
    check_module(2, "[vdso]");
    assert_int_equal(module_at(0)->device, 0x801);
    assert_int_equal(module_at(0)->inode, 11);
    assert_int_equal(module_at(1)->device, 0x110305);
    check_frame(0x401001, 1, 0x1000);
    check_frame(0x403000, 1, 0x2fff);
    check_frame(0x401000, 0, 0x400fff);             /* the last byte before the code */
    check_frame(0x403001, 0, 0x403000);             /* data */
    check_frame(0x7f0000000101, 0, 0x7f0000000100); /* code of no file */
    check_frame(0x7f0000010101, 0, 0x7f0000010100);
    check_frame(0x7f1000000101, 2, 0x100);
    check_frame(0x7ffc00000011, 3, 0x10);
    check_frame(0, 0, (UINT64_C(1) << 48) - 1);
}

/* Lines that are damaged, or longer than any path, are passed over; the next one is read. */
static void test_damaged_lines(void **state)
{
    (void)state;
    static char text[HF_LIVE_PAGE_BYTES * 16];
    int size = snprintf(text, sizeof text,
        "\n00401000\n00401000-00400000 r-xp 00000000 08:01 11 /bin/backwards\n"
        "00401000-00402000 r-xp 0 08:01 eleven /bin/words\n"
        "00500000-00501000 r-xp 00000000 08:01 12 /%040000d\n"
        "00600000-00601000 r-xp 00000000 08:01 13 /bin/good\n",
        0);
    snprintf(text + size, sizeof text - (size_t)size, "00700000-00701000 r-xp 00000000 08:01 14");
    begin(text);
    assert_int_equal(count_of(HF_LIVE_MODULES), 1);
    check_module(0, "/bin/good");
    check_frame(0x600001, 1, 0);
}

static const char one[] = "7f0000000000-7f0000002000 r-xp 00001000 08:01 11 /lib/one.so\n";
static const char two[] = "7f0000000000-7f0000002000 r-xp 00001000 08:01 12 /lib/two.so\n";

/* dlopen: an address of no known code has the map read again. */
static void test_new_code(void **state)
{
    (void)state;
    begin("");
    check_frame(0x7f0000000011, 0, 0x7f0000000010);
    write_map(one);
    uint64_t clears = cache.generation;
    check_frame(0x7f0000000011, 1, 0x1010);
    assert_int_equal(cache.generation, clears + 1);
    assert_int_equal(hf_modules_generation(&modules), 0);
}

/* dlclose, and the same file again: the same module, the same generation, no segment more. */
static void test_back_again(void **state)
{
    (void)state;
    begin(one);
    check_frame(0x7f0000000011, 1, 0x1010);
    for (int i = 0; i < 3; i++) {
        uint64_t clears = cache.generation;
        change("");
        check_frame(0x7f0000000011, 0, 0x7f0000000010);
        change(one);
        check_frame(0x7f0000000011, 1, 0x1010);
        assert_int_equal(cache.generation, clears + 2);
    }
    assert_int_equal(hf_modules_generation(&modules), 0);
    assert_int_equal(count_of(HF_LIVE_MODULES), 1);
    assert_int_equal(count_of(HF_LIVE_SEGMENTS), 1);
}

/* Another file where there was one, at once or later: pcs mean something else. */
static void test_other_file(void **state)
{
    (void)state;
    begin(one);
    change(two);
    check_frame(0x7f0000000011, 2, 0x1010);
    assert_int_equal(hf_modules_generation(&modules), 1);
    change("");
    change("7f0000001000-7f0000003000 r-xp 00000000 00:00 0 \n"); /* code made at run time */
    assert_int_equal(hf_modules_generation(&modules), 2);
    check_frame(0x7f0000001011, 0, 0x7f0000001010);
    change(one); /* which overlaps what was there between, too */
    assert_int_equal(hf_modules_generation(&modules), 3);
    check_frame(0x7f0000001011, 1, 0x2010);
    assert_int_equal(count_of(HF_LIVE_MODULES), 2);
    /* The same path, a new file: another module. */
    change("7f0000000000-7f0000002000 r-xp 00001000 08:01 99 /lib/one.so\n");
    check_frame(0x7f0000001011, 3, 0x2010);
    /* The same file, moved by a page: its bytes lie elsewhere. */
    change("7f0000000000-7f0000002000 r-xp 00002000 08:01 99 /lib/one.so\n");
    assert_int_equal(hf_modules_generation(&modules), 5);
}

/* Part of a segment goes and comes back; the rest stays all the time. */
static void test_split(void **state)
{
    (void)state;
    begin(one);
    change("7f0000001000-7f0000002000 r-xp 00002000 08:01 11 /lib/one.so\n");
    check_frame(0x7f0000000011, 0, 0x7f0000000010);
    check_frame(0x7f0000001011, 1, 0x2010);
    change(one);
    check_frame(0x7f0000000011, 1, 0x1010);
    assert_int_equal(hf_modules_generation(&modules), 0);
    change("7f0000000000-7f0000000800 r-xp 00001000 08:01 11 /lib/one.so\n"
           "7f0000000800-7f0000001000 r-xp 00001000 08:01 12 /lib/two.so\n");
    assert_int_equal(hf_modules_generation(&modules), 1);
    check_frame(0x7f0000000811, 2, 0x1010);
    change("");
    change("7f0000001800-7f0000002000 r-xp 00001000 08:01 12 /lib/two.so\n");
    assert_int_equal(hf_modules_generation(&modules), 2); /* one.so was there at the very first */
}

/* An image in memory, as the loader leaves it: headers, a note, call frame information. */
static _Alignas(4096) uint8_t image[8192];

static void make_image(void)
{
    Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_phoff = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 2,
    };
    Elf64_Phdr segments[] = {
        {.p_type = PT_NOTE, .p_vaddr = 0x10800, .p_memsz = 36, .p_filesz = 36},
        {.p_type = PT_LOAD, .p_vaddr = 0x10000, .p_memsz = 8192, .p_filesz = 8192},
    };
    static const uint8_t note[] = {
        4, 0, 0, 0, 4, 0, 0, 0, NT_GNU_BUILD_ID, 0, 0, 0, 'G', 'N', 'U', 0, 0xca, 0xfe, 0xba, 0xbe};
    memcpy(image, &header, sizeof header);
    memcpy(image + sizeof header, segments, sizeof segments);
    memcpy(image + 0x800, note, sizeof note);
}

static void test_build_id(void **state)
{
    (void)state;
    char text[200];
    uintptr_t at = (uintptr_t)image;
    make_image();
    snprintf(text, sizeof text,
        "%lx-%lx r--p 00000000 08:01 11 /lib/one.so\n%lx-%lx r-xp 00001000 08:01 11 /lib/one.so\n",
        at, at + 4096, at + 4096, at + 8192);
    begin(text);
    const struct hf_live_module *module = module_at(0);
    check_text(table_text(module->build_id, module->build_id_bytes), "\xca\xfe\xba\xbe");
    /* Written over in place: the same file by name and inode, and yet another. */
    image[0x800 + 16] = 0xdd;
    change(text);
    assert_int_equal(count_of(HF_LIVE_MODULES), 2);
    assert_int_equal(hf_modules_generation(&modules), 1);
    check_frame(at + 4097, 2, 0x1000);
}

/* Headers that say anything, and memory that is not there: no build-id, no crash. */
static void test_damaged_images(void **state)
{
    (void)state;
    char text[200];
    uintptr_t at = (uintptr_t)image;
    snprintf(text, sizeof text, "%lx-%lx r-xp 00000000 08:01 11 /lib/one.so\n", at, at + 8192);
    begin(text);
    for (size_t byte = 0; byte < sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr); byte++) {
        make_image();
        image[byte] ^= 0xff;
        change(text);
        (void)hf_modules_rule(&modules, at + 100, byte % 2 == 0);
        check_frame(at + 101, hf_live_frame_module(frame_of(at + 101)), 100);
    }
    memset(image, 0xff, sizeof image);
    change(text);
    change("00001000-00003000 r-xp 00000000 08:01 11 /lib/one.so\n");
    assert_int_equal(hf_modules_rule(&modules, 0x1800, false).bits, HF_UNWIND_UNKNOWN);
}

/* This program's own map: its rules and its module, and the frame of a function of its own. */
static void test_own_map(void **state)
{
    (void)state;
    begin("");
    modules.map_path = "/proc/self/maps";
    hf_modules_unloading(&modules);
    hf_modules_unloaded(&modules);
    hf_modules_settle(&modules);
    uint64_t pc = (uint64_t)(uintptr_t)test_own_map + 1;
    uint64_t frame = frame_of(pc);
    const struct hf_live_module *module = module_at(hf_live_frame_module(frame) - 1);
    struct hf_text path = table_text(module->path, module->path_bytes);
    assert_true(hf_text_ends(path, "/test_modules"));
    assert_int_not_equal(module->build_id_bytes, 0);
    struct hf_unwind_rule rule = hf_modules_rule(&modules, pc - 1, false);
    assert_int_equal(hf_unwind_rule_kind(rule), HF_UNWIND_SP); /* at its first instruction: */
    assert_int_equal(hf_unwind_rule_offset(rule), 8);
    /* Of copies the rules are the same: here, and in the C library, near its signal frames. */
    const uint64_t places[] = {pc, (uint64_t)(uintptr_t)&sigaction};
    size_t known = 0;
    for (size_t i = 0; i < 2 * 4096; i++) {
        uint64_t address = (places[i % 2] & ~UINT64_C(4095)) + i / 2;
        rule = hf_modules_rule(&modules, address, false);
        assert_int_equal(hf_modules_rule(&modules, address, true).bits, rule.bits);
        known += rule.bits != HF_UNWIND_UNKNOWN;
    }
    assert_in_range(known, 4096, 2 * 4096);
}

/* A program that asks for unknown code all the time gets 1/64 of the time for it. */
static void test_credit(void **state)
{
    (void)state;
    begin("");
    modules.credit_ns = -INT64_C(1000000000000);
    write_map(one);
    check_frame(0x7f0000000011, 0, 0x7f0000000010);
    hf_modules_settle(&modules);
    check_frame(0x7f0000000011, 0, 0x7f0000000010);
    modules.credit_ns = HF_MODULES_CREDIT_NS;
    hf_modules_settle(&modules); /* what is owed is done now */
    assert_int_equal(count_of(HF_LIVE_MODULES), 1);
    check_frame(0x7f0000000011, 1, 0x1010);
}

/* A rule that was asked for while the lock was not to be had is not kept. */
static void test_locked(void **state)
{
    (void)state;
    begin(one);
    uint64_t pc = 0x7f0000000011;
    assert_true(hf_spinlock_take(&modules.lock));
    assert_false(hf_modules_frames(&modules, &pc, 1));
    assert_int_equal(pc, 0x7f0000000011);
    assert_int_equal(hf_modules_rule(&modules, 0x7f0000000010, false).bits, HF_UNWIND_UNKNOWN);
    uint64_t clears = cache.generation;
    hf_modules_settle(&modules);
    hf_spinlock_release(&modules.lock);
    assert_int_equal(cache.generation, clears);
    hf_modules_settle(&modules);
    assert_int_equal(cache.generation, clears + 1);
}

/* No room in the table: frames stay addresses. */
static void test_full_table(void **state)
{
    (void)state;
    begin("");
    while (hf_live_add_module(&table, "", 0, (const uint8_t *)"", 0, 0, 0) != HF_LIVE_NONE) {
    }
    change(one);
    check_frame(0x7f0000000011, 0, 0x7f0000000010);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_frames, end),
        cmocka_unit_test_teardown(test_damaged_lines, end),
        cmocka_unit_test_teardown(test_new_code, end),
        cmocka_unit_test_teardown(test_back_again, end),
        cmocka_unit_test_teardown(test_other_file, end),
        cmocka_unit_test_teardown(test_split, end),
        cmocka_unit_test_teardown(test_build_id, end),
        cmocka_unit_test_teardown(test_damaged_images, end),
        cmocka_unit_test_teardown(test_own_map, end),
        cmocka_unit_test_teardown(test_credit, end),
        cmocka_unit_test_teardown(test_locked, end),
        cmocka_unit_test_teardown(test_full_table, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
