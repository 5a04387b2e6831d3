/* jitdump files: whose they are, and which record an address gets its name from. */
#include "check.h"
#include "profile/profile.h"
#include "symbol/lookup/jit_dump.h"

#include <fcntl.h>
#include <unistd.h>

#define MAGIC 0x4a695444u
#define PID 4711u

static void put_u32(struct hf_out *out, uint32_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static void put_u64(struct hf_out *out, uint64_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static void put_header(
    struct hf_out *out, uint32_t magic, uint32_t version, uint32_t size, uint32_t pid)
{
    put_u32(out, magic);
    put_u32(out, version);
    put_u32(out, size);
    put_u32(out, 62); /* the machine */
    put_u32(out, 0);
    put_u32(out, pid);
    put_u64(out, 1); /* the time */
    put_u64(out, 0);
}

/* A record of `kind` whose size is `missing` bytes too small. */
static void put_record(struct hf_out *out, uint32_t kind, uint64_t start, uint64_t size,
    const char *name, uint32_t missing)
{
    put_u32(out, kind);
    put_u32(out, (uint32_t)(16 + 40 + strlen(name) + 1) - missing);
    put_u64(out, 1);
    put_u32(out, PID);
    put_u32(out, PID);
    put_u64(out, start);
    put_u64(out, start);
    put_u64(out, size);
    put_u64(out, 0);
    hf_out_bytes(out, name, strlen(name) + 1);
}

/* The names at 0x1000, 0x1010, 0x1020 and at the last address, each in brackets. */
static void check_names(const struct hf_out *dump, const char *expected)
{
    struct hf_perf_map_query queries[] = {
        {.address = 0x1000}, {.address = 0x1010}, {.address = 0x1020}, {.address = UINT64_MAX}};
    struct hf_out names = {0};
    hf_jit_dump_find(hf_out_view(dump), queries, HF_COUNT(queries));
    for (size_t i = 0; i < HF_COUNT(queries); i++) {
        hf_out_char(&names, '[');
        hf_out_text(&names, queries[i].name);
        hf_out_char(&names, ']');
    }
    check_out(&names, expected);
    hf_out_done(&names);
}

static void answers_by_the_last_record(void **state)
{
    (void)state;
    struct hf_out dump = {0};
    put_header(&dump, MAGIC, 1, 40, PID);
    check_names(&dump, "[][][][]");
    put_record(&dump, 0, 0x1000, 0x10, "a", 0);
    check_names(&dump, "[a][][][]");
    put_record(&dump, 0, 0xfff, 0x12, "b", 0); /* up to 0x1010 */
    check_names(&dump, "[b][b][][]");
    put_record(&dump, 0, 0x1001, 0x20, "c", 0); /* from behind the first to the third */
    check_names(&dump, "[b][c][c][]");
    put_record(&dump, 0, 0x1020, 0, "of no size", 0);
    put_record(&dump, 1, 0x1000, 0x30, "moved", 0);
    put_record(&dump, 0, 0x1000, UINT64_MAX - 0xfff, "too long", 0);
    check_names(&dump, "[b][c][c][]");
    put_record(&dump, 0, 0x1010, UINT64_MAX - 0x1010, "to the end", 0);
    check_names(&dump, "[b][to the end][to the end][]");
    hf_out_done(&dump);
}

/* A header of another size, records that are longer than what is known of them. */
static void passes_over_what_is_not_known(void **state)
{
    (void)state;
    struct hf_out dump = {0};
    put_header(&dump, MAGIC, 1, 48, PID);
    put_u64(&dump, 0x1111111111111111);
    put_u32(&dump, 3); /* the least record: its head alone */
    put_u32(&dump, 16);
    put_u64(&dump, 0);
    put_record(&dump, 0, 0x1000, 1, "a", 0);
    put_u32(&dump, 2);
    put_u32(&dump, 24);
    put_u64(&dump, 0);
    put_u64(&dump, 0x2222222222222222);
    put_record(&dump, 0, 0x1010, 1, "b", 0);
    check_names(&dump, "[a][b][][]");
    hf_out_done(&dump);
}

/* A record that ends before its name does, or that is smaller than its own head. */
static void ends_at_what_makes_no_sense(void **state)
{
    (void)state;
    struct hf_out dump = {0};
    put_header(&dump, MAGIC, 1, 40, PID);
    put_record(&dump, 0, 0x1000, 0x10, "a", 0);
    size_t good = dump.size;
    put_record(&dump, 0, 0x1010, 0x10, "b", 1);
    check_names(&dump, "[a][][][]");
    for (size_t cut = good; cut < dump.size; cut++) {
        struct hf_out some = {0};
        hf_out_bytes(&some, dump.data, cut);
        check_names(&some, "[a][][][]");
        hf_out_done(&some);
    }
    dump.size = good;
    put_u32(&dump, 3);
    put_u32(&dump, 15);
    put_u64(&dump, 0);
    put_record(&dump, 0, 0x1010, 0x10, "b", 0);
    check_names(&dump, "[a][][][]");
    hf_out_done(&dump);
}

/* What has a name already keeps it. */
static void answers_only_what_has_no_name(void **state)
{
    (void)state;
    struct hf_out dump = {0};
    struct hf_perf_map_query queries[] = {
        {.address = 5}, {.address = 5, .name = HF_TEXT("known")}, {.address = 6}};
    put_header(&dump, MAGIC, 1, 40, PID);
    put_record(&dump, 0, 0, 6, "a", 0);
    put_record(&dump, 0, 4, 2, "b", 0);
    hf_jit_dump_find(hf_out_view(&dump), queries, HF_COUNT(queries));
    check_text(queries[0].name, "b");
    check_text(queries[1].name, "known");
    check_text(queries[2].name, "");
    hf_out_done(&dump);
}

static void save(const char *path, const struct hf_out *bytes)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, bytes->data, bytes->size) == (ssize_t)bytes->size);
    close(fd);
}

/* Whether a dump is found of a process that mapped `module`. */
static bool opens(const char *folder, const char *module, struct hf_live_process process)
{
    struct hf_error err;
    const char *const folders[] = {"/nowhere", folder};
    const struct hf_symbol_options options = {
        .symdirs = folders, .symdir_count = folder != NULL ? 2 : 0};
    struct hf_profile *profile = NULL;
    struct hf_perf_map map;
    uint32_t index;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_profile_module(profile, HF_TEXT("/bin/program"), HF_TEXT(""), &index, &err), &err);
    check_ok(hf_profile_module(profile, hf_text_of(module), HF_TEXT(""), &index, &err), &err);
    check_case = module;
    bool is_open = hf_jit_dump_open(&map, profile, &process, &options);
    assert_true(is_open == (map.input.fd >= 0));
    if (is_open)
        assert_int_equal(map.text.size, 40);
    hf_perf_map_close(&map);
    hf_profile_free(profile);
    return is_open;
}

/* By the name that the process mapped, and by the header. */
static void opens_the_dump_of_the_process(void **state)
{
    static const struct {
        const char *module;
        uint32_t magic, version, size, pid;
        bool is_one;
    } rows[] = {
        {"/srv/jit-4711.dump", MAGIC, 1, 40, PID, true},
        {"/jit-4711.dump", MAGIC, 1, 28, PID, true},
        {"/srv/jit-4711.dump", MAGIC, 1, 41, PID, false},
        {"/srv/jit-4711.dump", MAGIC, 2, 40, PID, false},
        {"/srv/jit-4711.dump", MAGIC + 1, 1, 40, PID, false},
        {"/srv/jit-4711.dump", MAGIC, 1, 40, PID + 1, false},
        {"jit-4711.dump", MAGIC, 1, 40, PID, false},
        {"/srv/jit-4711.dumps", MAGIC, 1, 40, PID, false},
        {"/srv/git-4711.dump", MAGIC, 1, 40, PID, false},
        {"/srv/jit-.dump", MAGIC, 1, 40, PID, false},
        {"/srv/jit-4711.dump/libc.so", MAGIC, 1, 40, PID, false},
    };
    char folder[] = "/tmp/heapflame-test-XXXXXX", path[PATH_MAX];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/jit-%u.dump", folder, PID);
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_out dump = {0};
        put_header(&dump, rows[i].magic, rows[i].version, rows[i].size, rows[i].pid);
        save(path, &dump);
        assert_true(opens(folder, rows[i].module, (struct hf_live_process){0}) == rows[i].is_one);
        hf_out_done(&dump);
    }
    unlink(path);
    rmdir(folder);
}

/* Where the process wrote it, if it is not older than the process, which runs or ran just now. */
static void opens_it_where_it_was_written(void **state)
{
    char folder[] = "/tmp/heapflame-test-XXXXXX", path[PATH_MAX];
    struct hf_out dump = {0};
    uint32_t self = (uint32_t)getpid();
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/jit-%u.dump", folder, self);
    put_header(&dump, MAGIC, 1, 40, self);
    save(path, &dump);
    assert_false(opens(NULL, path, (struct hf_live_process){0}));
    assert_true(opens(NULL, path, (struct hf_live_process){.id = self, .started_ns = 1}));
    assert_true(opens(NULL, path, (struct hf_live_process){.has_just_ended = true}));
    assert_false(opens(NULL, path, (struct hf_live_process){.id = self, .started_ns = INT64_MAX}));
    assert_false(opens(
        NULL, path, (struct hf_live_process){.has_just_ended = true, .started_ns = INT64_MAX}));
    unlink(path);
    rmdir(folder);
    hf_out_done(&dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_by_the_last_record),
        cmocka_unit_test(passes_over_what_is_not_known),
        cmocka_unit_test(ends_at_what_makes_no_sense),
        cmocka_unit_test(answers_only_what_has_no_name),
        cmocka_unit_test(opens_the_dump_of_the_process),
        cmocka_unit_test(opens_it_where_it_was_written),
    };
    return cmocka_run_group_tests_name("jit_dump", tests, NULL, NULL);
}
