/* Which process a profile is of, as long as it runs, and where its files are: this one. */
#include "elf/image.h"
#include "os/process/proc.h"
#include "stacks.h"
#include "symbol/lookup/live_process.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static struct hf_profile *own_profile(void)
{
    struct hf_profile *profile = stacks_new("bytes", false);
    profile->capture.process_id = (uint32_t)getpid();
    return profile;
}

static uint64_t own_start(void)
{
    uint64_t start;
    assert_true(hf_proc_start_ticks((uint32_t)getpid(), &start));
    return start;
}

/* The test began minutes ago at most, however busy the machine is. */
static void check_own_start(int64_t started_ns)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    int64_t now_ns = now.tv_sec * SECOND + now.tv_nsec;
    assert_true(started_ns < now_ns && started_ns > now_ns - 300 * SECOND);
}

/* A mapping of this process: the first whose line ends so. */
static struct hf_segment own_mapping(const char *ending)
{
    char line[4096];
    struct hf_segment found = {0};
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (found.end == 0 && fgets(line, sizeof line, maps) != NULL) {
        struct hf_text text = hf_text_first(hf_text_of(line), hf_text_find(hf_text_of(line), '\n'));
        if (hf_text_ends(text, ending) && hf_text_has(text, " r-xp ")) {
            assert_true(hf_num_take_hex(&text, &found.start) && hf_text_take(&text, "-"));
            assert_true(hf_num_take_hex(&text, &found.end));
        }
    }
    fclose(maps);
    found.is_executable = true;
    return found;
}

static struct hf_module *own_module(
    struct hf_profile *profile, const char *path, const struct hf_segment *segment)
{
    struct hf_error err;
    uint32_t module;
    check_ok(hf_profile_module(profile, hf_text_of(path), HF_TEXT(""), &module, &err), &err);
    check_ok(hf_profile_add_segment(profile, module, segment, &err), &err);
    return &profile->modules[module];
}

static void knows_a_process_by_its_start(void **state)
{
    (void)state;
    struct hf_profile *p = own_profile();
    p->capture.process_start = own_start();
    struct hf_live_process process = hf_live_process_of(p);
    assert_int_equal(process.id, getpid());
    assert_false(process.has_just_ended);
    check_own_start(process.started_ns);
    p->capture.process_start++;
    assert_int_equal(hf_live_process_of(p).id, 0);
    assert_int_equal(hf_live_process_of(p).started_ns, 0);
    p->capture.has_just_ended = true;
    process = hf_live_process_of(p);
    assert_true(process.id == 0 && process.has_just_ended);
    check_own_start(process.started_ns);
    p->capture.process_start = 0;
    assert_false(hf_live_process_of(p).has_just_ended);
    hf_profile_free(p);
}

/* Without the start the place of the vdso says it. */
static void knows_a_process_by_its_vdso(void **state)
{
    (void)state;
    struct hf_segment vdso = own_mapping(HF_VDSO);
    struct hf_profile *p = own_profile();
    assert_int_equal(hf_live_process_of(p).id, 0);
    if (vdso.end == 0) {
        print_message("this process has no vdso\n");
        hf_profile_free(p);
        return;
    }
    own_module(p, HF_VDSO, &vdso);
    assert_int_equal(hf_live_process_of(p).id, getpid());
    p->capture.process_start = own_start() + 1; /* which is surer */
    assert_int_equal(hf_live_process_of(p).id, 0);
    hf_profile_free(p);
    p = own_profile();
    vdso.start += 0x1000;
    vdso.end += 0x1000;
    own_module(p, HF_VDSO, &vdso);
    assert_int_equal(hf_live_process_of(p).id, 0);
    hf_profile_free(p);
}

static void has_an_image_of_the_vdso(void **state)
{
    (void)state;
    struct hf_elf elf;
    struct hf_error err;
    struct hf_text image = hf_live_vdso();
    if (own_mapping(HF_VDSO).end == 0)
        return;
    check_ok(hf_elf_open(&elf, image, HF_VDSO, &err), &err);
    assert_non_null(hf_elf_section(&elf, ".dynsym"));
    assert_true(elf.build_id.size != 0);
    hf_elf_close(&elf);
}

static void finds_files(void **state)
{
    (void)state;
    char exe[PATH_MAX] = "", expected[PATH_MAX + 64], paths[HF_LIVE_FILES][PATH_MAX];
    assert_true(readlink("/proc/self/exe", exe, sizeof exe - 1) > 0);
    struct hf_profile *p = own_profile();
    const struct hf_segment segment = own_mapping(exe);
    struct hf_module *module = own_module(p, exe, &segment);
    struct hf_live_process process = {.id = (uint32_t)getpid()};
    size_t count = hf_live_process_files(&process, module, hf_text_of(exe), paths);
    bool has_mapping = count == 3; /* which not everybody may look at */
    assert_true(count == 2 || has_mapping);
    (void)snprintf(expected, sizeof expected, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
        (int)getpid(), segment.start, segment.end);
    assert_true(!has_mapping || strcmp(paths[0], expected) == 0);
    (void)snprintf(expected, sizeof expected, "/proc/%d/exe", (int)getpid());
    assert_string_equal(paths[has_mapping], expected);
    (void)snprintf(expected, sizeof expected, "/proc/%d/root%s", (int)getpid(), exe);
    assert_string_equal(paths[has_mapping + 1], expected);
    module->is_deleted = true;
    assert_int_equal(
        hf_live_process_files(&process, module, hf_text_of(exe), paths), 1 + has_mapping);
    assert_int_equal(hf_live_process_files(&process, module, HF_TEXT("/other"), paths), 0);
    module->is_deleted = false;
    assert_int_equal(hf_live_process_files(&process, module, HF_TEXT("/other"), paths), 1);
    process.id = 0;
    assert_int_equal(hf_live_process_files(&process, module, hf_text_of(exe), paths), 0);
    hf_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_a_process_by_its_start),
        cmocka_unit_test(knows_a_process_by_its_vdso),
        cmocka_unit_test(has_an_image_of_the_vdso),
        cmocka_unit_test(finds_files),
    };
    return cmocka_run_group_tests_name("live_process", tests, NULL, NULL);
}
