/*
 * Every allocation fails once while a reader reads each input of its fuzz target, and while what it
 * read is folded, merged and written in every format. It must come back as HF_ERR_MEMORY, be told
 * by a note, or make no difference: no profile may silently be a part of what it should be. All
 * that was allocated is given back. (test_allocation.c has what has no inputs there.)
 */
#include "failing_malloc.h"
#include "formats/folded/folded.h"
#include "formats/format.h"
#include "formats/writers.h"
#include "os/file.h"
#include "profile/fold.h"
#include "profile/merge.h"

#include <dirent.h>

#if HF_SANITIZED

SKIPPED_FOR_SANITIZER(each_failure_is_told)

#else

static const char *const formats[] = {"bpftrace", "bundle", "dhat", "dtrace", "folded",
    "gperftools", "heap_v2", "heaptrack", "live", "lsan", "massif", "memcheck", "memcheck_xml",
    "memleak", "perf_script", "pprof", "stap", "symbolized"};

#define INPUT_BYTES_MAX 4096 /* a larger one has no more to tell, and takes its square of time */

/* One input. What it was read to is there for the steps after the first. */
struct worked {
    const char *name;
    struct hf_text bytes;
    struct hf_profile *profile, *folded; /* NULL: not yet */
    const struct hf_writer *writer;
    size_t notes; /* of what the last step made */
};

/* All of it, so that a difference is seen. Not counted. */
static void tell_profile(const struct hf_profile *profile, struct hf_out *out)
{
    struct hf_error err;
    is_counting = false;
    for (size_t i = 0; i < profile->type_count; i++) {
        hf_out_printf(out, "%s\n", hf_profile_text(profile, profile->types[i].name).data);
        check_ok(hf_folded_write(profile, i, out, &err), &err);
    }
    for (size_t i = 1; i < profile->module_count; i++)
        hf_out_printf(out, "%s %zu\n", hf_profile_text(profile, profile->modules[i].path).data,
            profile->modules[i].segment_count);
    for (size_t i = 0; i < profile->thread_count; i++)
        hf_out_printf(out, "%s\n", hf_profile_text(profile, profile->threads[i].name).data);
    is_counting = true;
}

static enum hf_status step_read(struct worked *w, struct hf_out *out, struct hf_error *err)
{
    struct hf_input input;
    struct hf_profile *profile;
    hf_input_open_memory(&input, w->bytes, "in");
    enum hf_status status = hf_format_read(&input, &profile, err);
    hf_input_close(&input);
    if (status != HF_OK)
        return status;
    w->notes = profile->notes.count;
    tell_profile(profile, out);
    hf_profile_free(profile);
    return HF_OK;
}

static enum hf_status step_fold(struct worked *w, struct hf_out *out, struct hf_error *err)
{
    const struct hf_fold_options options = {.granularity = HF_BY_LINE, .keeps_threads = true};
    struct hf_profile *folded;
    enum hf_status status = hf_profile_fold(w->profile, &options, &folded, err);
    if (status != HF_OK)
        return status;
    w->notes = folded->notes.count;
    tell_profile(folded, out);
    hf_profile_free(folded);
    return HF_OK;
}

/* Twice below a frame of its own, then once more beside it. */
static enum hf_status step_merge(struct worked *w, struct hf_out *out, struct hf_error *err)
{
    struct hf_profile *into;
    enum hf_status status = hf_profile_new(&into, err);
    if (status != HF_OK)
        return status;
    for (int i = 0; i < 2 && status == HF_OK; i++) {
        uint32_t *nodes = NULL;
        status = hf_profile_merge_below(into, w->profile, HF_TEXT("[one]"), &nodes, err);
        free(nodes);
    }
    if (status == HF_OK)
        status = hf_profile_merge(into, w->profile, err);
    w->notes = into->notes.count;
    if (status == HF_OK)
        tell_profile(into, out);
    hf_profile_free(into);
    return status;
}

static enum hf_status step_write(struct worked *w, struct hf_out *out, struct hf_error *err)
{
    struct hf_out written = {0};
    struct hf_notes notes = {0};
    const struct hf_profile *profile = w->writer->takes_folded ? w->folded : w->profile;
    enum hf_status status = w->writer->write(profile, profile->default_type, &notes, &written, err);
    if (status == HF_OK)
        status = hf_out_finish(&written, err);
    is_counting = false;
    if (status == HF_OK)
        hf_out_text(out, hf_out_view(&written));
    is_counting = true;
    w->notes = notes.count;
    hf_notes_done(&notes);
    hf_out_done(&written);
    return status;
}

typedef enum hf_status step_fn(struct worked *w, struct hf_out *out, struct hf_error *err);

static size_t faults;

static void tell_fault(const char *what, const struct worked *w, size_t nth, const char *fault)
{
    print_error("%s, %s: failing allocation %zu %s\n", w->name, what, nth, fault);
    faults++;
}

/* As it is without a failure; then with each. */
static void each_fails(const char *what, step_fn *step, struct worked *w)
{
    struct hf_out whole = {0};
    struct hf_error whole_err = {0};
    failing_begin(SIZE_MAX);
    (void)step(w, &whole, &whole_err); /* what a library keeps from its first use is no leak */
    whole.size = 0;
    failing_begin(SIZE_MAX);
    enum hf_status whole_status = step(w, &whole, &whole_err);
    is_counting = false;
    size_t whole_notes = w->notes;
    if (live != 0)
        tell_fault(what, w, SIZE_MAX, "leaks");
    for (size_t n = 0;; n++) {
        struct hf_out out = {0};
        struct hf_error err = {0};
        failing_begin(n);
        enum hf_status status = step(w, &out, &err);
        is_counting = false;
        if (live != 0)
            tell_fault(what, w, n, "leaks");
        bool is_same = status == whole_status &&
                       (status == HF_OK ? hf_text_equal(hf_out_view(&out), hf_out_view(&whole))
                                        : strcmp(err.text, whole_err.text) == 0);
        bool is_told = status == HF_ERR_MEMORY || (status == HF_OK && w->notes > whole_notes);
        if (!is_same && (!has_failed || !is_told))
            tell_fault(what, w, n, status == HF_OK ? "gives other results" : "gives another error");
        hf_out_done(&out);
        if (!has_failed)
            break;
    }
    hf_out_done(&whole);
}

static void each_step_fails(struct worked *w)
{
    const struct hf_fold_options options = {.granularity = HF_BY_FUNCTION};
    struct hf_error err;
    struct hf_input input;
    each_fails("read", step_read, w);
    hf_input_open_memory(&input, w->bytes, "in");
    enum hf_status status = hf_format_read(&input, &w->profile, &err);
    hf_input_close(&input);
    if (status != HF_OK)
        return;
    check_ok(hf_profile_fold(w->profile, &options, &w->folded, &err), &err);
    each_fails("folded", step_fold, w);
    each_fails("merged", step_merge, w);
    for (size_t i = 0; hf_writers[i] != NULL; i++) {
        w->writer = hf_writers[i];
        each_fails(w->writer->name, step_write, w);
    }
    hf_profile_free(w->folded);
    hf_profile_free(w->profile);
}

static void each_failure_is_told(void **state)
{
    (void)state;
    const char *source = getenv("HEAPFLAME_SRC");
    size_t inputs = 0;
    if (source == NULL) {
        print_message("skipped: HEAPFLAME_SRC is not set (tests/run sets it)\n");
        skip();
    }
    for (size_t i = 0; i < HF_COUNT(formats); i++) {
        char folder[PATH_MAX], path[PATH_MAX + 256];
        struct dirent **names;
        (void)snprintf(folder, sizeof folder, "%s/fuzz/corpus/%s", source, formats[i]);
        int count = scandir(folder, &names, NULL, alphasort);
        assert_true(count > 2);
        for (int n = 0; n < count; n++) {
            struct hf_error err;
            struct hf_file_map map;
            (void)snprintf(path, sizeof path, "%s/%s", folder, names[n]->d_name);
            if (names[n]->d_type != DT_DIR) {
                check_ok(hf_file_map_open(&map, path, &err), &err);
                struct worked w = {.name = path, .bytes = {(const char *)map.data, map.size}};
                if (map.size <= INPUT_BYTES_MAX)
                    each_step_fails(&w);
                hf_file_map_close(&map);
                inputs++;
            }
            free(names[n]);
        }
        free(names);
    }
    assert_int_equal(faults, 0);
    assert_true(inputs > 200);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_failure_is_told)};
    return cmocka_run_group_tests_name("allocation_inputs", tests, NULL, NULL);
}
