/*
 * Which file a module's addresses are looked up in, in which order, and what is said if there is
 * none. The module is this program, as it runs here.
 */
#include "check.h"
#include "profile/profile.h"
#include "symbol/lookup/module_files.h"
#include "symbol/lookup/module_search.h"
#include "symbol/options.h"

#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

int module_search_landmark(int value);

/* A symbol that this program has once. */
__attribute__((noinline)) int module_search_landmark(int value)
{
    return 3 * value + 1;
}

static char own_path[PATH_MAX];

static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1; /* the program comes first */
}

static uint64_t linked_at(void)
{
    uintptr_t base = 0;
    (void)dl_iterate_phdr(take_base, &base);
    return (uintptr_t)module_search_landmark - base;
}

struct searched {
    struct hf_profile *profile;
    struct hf_module *module;
    struct hf_symbol_options options;
    struct hf_module_search search;
};

/* A module that was mapped from `path`. */
static void search_init(struct searched *s, const char *path, const char *build_id)
{
    struct hf_error err;
    uint32_t module;
    *s = (struct searched){0};
    check_ok(hf_profile_new(&s->profile, &err), &err);
    check_ok(
        hf_profile_module(s->profile, hf_text_of(path), hf_text_of(build_id), &module, &err), &err);
    s->module = &s->profile->modules[module];
    s->search = (struct hf_module_search){.profile = s->profile, .options = &s->options};
}

static uint32_t search_string(struct searched *s, const char *text)
{
    struct hf_error err;
    uint32_t id;
    check_ok(hf_profile_string(s->profile, hf_text_of(text), &id, &err), &err);
    return id;
}

/* `why`: what is said of the file that was not taken; NULL: one is taken. */
static void check_search(
    struct searched *s, struct hf_wanted *wanted, size_t count, const char *path, const char *why)
{
    struct hf_wanted none = {.module = 1};
    bool is_open;
    for (size_t i = 0; i < count; i++)
        wanted[i].module = 1;
    struct hf_module_files *files = hf_module_search_open(
        &s->search, count != 0 ? wanted : &none, count != 0 ? count : 1, &is_open);
    assert_non_null(files);
    check_text(hf_text_of(files->why), why != NULL ? why : "");
    assert_int_equal(is_open, why == NULL);
    if (path != NULL)
        check_text(hf_text_of(files->path), path);
    hf_kept_files_drop(files);
    hf_profile_free(s->profile);
}

/* Those that count from a symbol get their addresses from the file. */
static void symbols_give_addresses(void **state)
{
    (void)state;
    struct searched s;
    search_init(&s, own_path, "");
    uint32_t landmark = search_string(&s, "module_search_landmark");
    struct hf_wanted wanted[] = {{.symbol = landmark, .offset = 2, .address = 77},
        {.symbol = search_string(&s, "no_such_symbol"), .offset = 2, .address = 77},
        {.symbol = HF_NO_STRING, .offset = 5, .address = 77}, {.symbol = landmark, .address = 77}};
    check_search(&s, wanted, HF_COUNT(wanted), own_path, NULL);
    assert_int_equal(wanted[0].address, linked_at() + 2);
    assert_int_equal(wanted[1].address, 0);
    assert_int_equal(wanted[2].address, 77);
    assert_int_equal(wanted[3].address, linked_at());
}

/* --exe for the program alone; then --symdir; then the path of the capture. */
static void looks_in_order(void **state)
{
    (void)state;
    struct searched s;
    char folder[PATH_MAX], found[PATH_MAX + 32];
    assert_non_null(getcwd(folder, sizeof folder));
    (void)snprintf(found, sizeof found, "%s/lib/gone", folder);
    assert_int_equal(mkdir("lib", 0755), 0);
    assert_int_equal(symlink(own_path, "lib/gone"), 0);
    const char *const folders[] = {"/no/such/folder", folder};

    search_init(&s, "/opt/x/lib/gone", "");
    s.options.exe = own_path;
    s.search.main_module = 1;
    check_search(&s, NULL, 0, own_path, NULL);

    search_init(&s, "/opt/x/lib/gone", ""); /* not the program */
    s.options.exe = own_path;
    s.options.symdirs = folders;
    s.options.symdir_count = 2;
    check_search(&s, NULL, 0, found, NULL);

    search_init(&s, "/opt/x/lib/gone", "");
    s.options.symdirs = folders;
    s.options.symdir_count = 1;
    check_search(&s, NULL, 0, NULL, "cannot open /opt/x/lib/gone: No such file or directory");
    assert_int_equal(unlink("lib/gone"), 0);
    assert_int_equal(rmdir("lib"), 0);
}

static void says_why_it_takes_none(void **state)
{
    (void)state;
    struct searched s;
    char why[2 * PATH_MAX];
    search_init(&s, own_path, "\x01\x02");
    (void)snprintf(why, sizeof why,
        "%s is not the file that was profiled: its build-id differs (it was replaced); give the "
        "right one with --exe or --symdir",
        own_path);
    check_search(&s, NULL, 0, NULL, why);

    static const char *const processes[] = {"is unknown or has ended", "does not let you read it"};
    for (uint32_t i = 0; i < 2; i++) {
        search_init(&s, "/opt/x/gone", "");
        s.module->is_deleted = true;
        s.search.process.id = i == 0 ? 0 : UINT32_MAX; /* there is no such process */
        (void)snprintf(why, sizeof why,
            "/opt/x/gone was deleted or replaced while it ran, and its process %s; give the right "
            "one with --exe or --symdir",
            processes[i]);
        check_search(&s, NULL, 0, NULL, why);
    }

    search_init(&s, HF_VDSO, "");
    check_search(&s, NULL, 0, NULL,
        "it is code of the kernel that the process ran on, and the process is unknown or has "
        "ended");
    if (hf_live_vdso().size == 0) /* a machine without one, or Valgrind */
        return;
    search_init(&s, HF_VDSO, "");
    s.search.process.id = (uint32_t)getpid();
    check_search(&s, NULL, 0, HF_VDSO, NULL);
}

#ifdef __x86_64__

/* One wrong return address may be a signal's; two of four may be, too; more are another build. */
static void wrong_callers_are_another_build(void **state)
{
    static const struct {
        size_t callers, leaves;
        bool is_taken;
    } rows[] = {{0, 4, true}, {1, 0, true}, {1, 9, true}, {2, 0, false}, {3, 2, false}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct searched s;
        struct hf_wanted wanted[16] = {{0}};
        size_t count = rows[i].callers + rows[i].leaves;
        char why[2 * PATH_MAX];
        search_init(&s, own_path, "");
        for (size_t w = 0; w < count; w++)
            wanted[w] = (struct hf_wanted){
                .symbol = HF_NO_STRING, .offset = 1, .is_caller = w < rows[i].callers};
        (void)snprintf(why, sizeof why,
            "%s is not the file that was profiled: %zu of %zu return addresses do not follow a "
            "call in it (it was replaced, or is another build); give the right one with --exe or "
            "--symdir",
            own_path, rows[i].callers, rows[i].callers);
        check_search(&s, wanted, count, NULL, rows[i].is_taken ? NULL : why);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_give_addresses),
        cmocka_unit_test(looks_in_order),
        cmocka_unit_test(says_why_it_takes_none),
#ifdef __x86_64__
        cmocka_unit_test(wrong_callers_are_another_build),
#endif
    };
    ssize_t size = readlink("/proc/self/exe", own_path, sizeof own_path - 1);
    if (size <= 0)
        return 1;
    own_path[size] = '\0';
    return cmocka_run_group_tests_name("module_search", tests, NULL, NULL);
}
