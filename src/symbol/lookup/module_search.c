#include "symbol/lookup/module_search.h"

#include "elf/symtab.h"
#include "profile/modules.h"
#include "symbol/callsite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t hf_module_search_program(const struct hf_profile *profile, const char *exe)
{
    struct hf_text exe_name = hf_text_basename(hf_text_of(exe));
    for (uint32_t i = 1; i < profile->module_count; i++) {
        struct hf_text path = hf_profile_text(profile, profile->modules[i].path);
        if (hf_text_starts(path, "/") && hf_text_equal(hf_text_basename(path), exe_name))
            return i;
    }
    return hf_modules_program(profile);
}

/* Addresses of one module: what its file is checked by. */
struct probe {
    const struct hf_module *module;
    struct hf_wanted *wanted;
    size_t count;
};

static int compare_queries(const void *a, const void *b)
{
    const struct hf_symbol_query *x = a, *y = b;
    return hf_text_compare(x->name, y->name);
}

/* Gives what counts from a symbol its address by the symbol tables; 0 if they do not tell. */
static bool place_in_symbols(
    const struct hf_module_search *s, struct hf_module_files *files, const struct probe *probe)
{
    const struct hf_profile *profile = s->profile;
    struct hf_symbol_query *queries = calloc(probe->count + 1, sizeof *queries);
    size_t asked = 0, distinct = 0;
    if (queries == NULL) {
        (void)snprintf(files->why, sizeof files->why, "out of memory");
        return false;
    }
    for (size_t i = 0; i < probe->count; i++) {
        if (probe->wanted[i].symbol != HF_NO_STRING)
            queries[asked++].name = hf_profile_text(profile, probe->wanted[i].symbol);
    }
    qsort(queries, asked, sizeof *queries, compare_queries);
    for (size_t i = 0; i < asked; i++) {
        if (distinct == 0 || compare_queries(&queries[distinct - 1], &queries[i]) != 0)
            queries[distinct++] = queries[i];
    }
    if (asked != 0)
        hf_module_files_find_debug(files, s->options);
    struct hf_error err;
    enum hf_status status = hf_symtab_find(&files->image, queries, distinct, &err);
    if (status == HF_OK && files->debug.section_count != 0)
        status = hf_symtab_find(&files->debug, queries, distinct, &err);
    for (size_t i = 0; i < probe->count; i++) {
        struct hf_wanted *wanted = &probe->wanted[i];
        if (wanted->symbol == HF_NO_STRING)
            continue;
        const struct hf_symbol_query key = {.name = hf_profile_text(profile, wanted->symbol)};
        const struct hf_symbol_query *query =
            bsearch(&key, queries, distinct, sizeof *queries, compare_queries);
        bool is_known = query != NULL && query->is_found && !query->is_ambiguous;
        wanted->address = is_known ? query->address + wanted->offset : 0;
    }
    if (status != HF_OK)
        hf_error_format(&err, files->why, sizeof files->why);
    free(queries);
    return status == HF_OK;
}

bool hf_wanted_follows_call(const struct hf_wanted *wanted, const struct hf_elf *image)
{
    uint64_t offset = wanted->offset;
    uint64_t address = wanted->symbol != HF_NO_STRING ? wanted->address : wanted->offset;
    if (wanted->symbol != HF_NO_STRING && address == 0)
        return true;
    if ((wanted->is_linked || wanted->symbol != HF_NO_STRING) &&
        !hf_elf_offset_of_address(image, address, &offset))
        return false;
    return hf_callsite_ends_at(image->bytes, offset + 1);
}

bool hf_wanted_place(struct hf_wanted *wanted, const struct hf_elf *image)
{
    uint64_t offset;
    if (wanted->symbol != HF_NO_STRING)
        return wanted->address != 0; /* by place_in_symbols */
    wanted->address = wanted->offset;
    return wanted->is_linked ? hf_elf_offset_of_address(image, wanted->address, &offset)
                             : hf_elf_address_of_offset(image, wanted->offset, &wanted->address);
}

/*
 * True if the file fits the mappings and the callers: their addresses are one less than those
 * that calls return to. A few may follow no call (the kernel's return to a signal handler), so most
 * must be wrong, and more than one, before another build is suspected.
 */
static bool fits_probe(
    const struct hf_module_search *s, struct hf_module_files *files, const struct probe *probe)
{
    if (!hf_module_files_fit(files, probe->module))
        return false;
    struct hf_text build_id = hf_profile_text(s->profile, probe->module->build_id);
    if (build_id.size != 0 && files->image.build_id.size != 0 &&
        !hf_text_equal(build_id, files->image.build_id)) {
        (void)snprintf(files->why, sizeof files->why,
            "%s is not the file that was profiled: its build-id differs (it was replaced); give "
            "the right one with --exe or --symdir",
            files->path);
        return false;
    }
    if (!place_in_symbols(s, files, probe))
        return false;
    if (files->image.machine != EM_X86_64)
        return true;
    size_t wrong = 0, callers = 0;
    for (size_t i = 0; i < probe->count; i++) {
        const struct hf_wanted *wanted = &probe->wanted[i];
        callers += wanted->is_caller;
        wrong += wanted->is_caller && !hf_wanted_follows_call(wanted, &files->image);
    }
    if (wrong < 2 || wrong <= callers / 2)
        return true;
    (void)snprintf(files->why, sizeof files->why,
        "%s is not the file that was profiled: %zu of %zu return addresses do not follow a call in "
        "it (it was replaced, or is another build); give the right one with --exe or --symdir",
        files->path, wrong, /* never 1 */ callers);
    return false;
}

/*
 * The files of the first path that fits; what was found at one before goes. What does not fit
 * because somebody writes to it while it is read may be the right one.
 */
static bool try_path(const struct hf_module_search *s, const char *path, const struct probe *probe,
    struct hf_module_files **files)
{
    bool is_open;
    if (*files != NULL)
        hf_kept_files_drop(*files);
    *files = hf_kept_files_take(s->options->kept, path, &is_open);
    if (*files == NULL)
        return false;
    is_open = is_open && fits_probe(s, *files, probe);
    return hf_module_files_are_sound(*files) && is_open;
}

/* As below DIR/usr/lib/x/lib.so, then DIR/lib/x/lib.so ... to DIR/lib.so: a copy of a whole system
 * or a folder of files. */
static bool module_search_try_below(const struct hf_module_search *s, const char *folder,
    struct hf_text path, const struct probe *probe, struct hf_module_files **files)
{
    while (path.size != 0) {
        char candidate[PATH_MAX];
        path = hf_text_from(path, path.data[0] == '/' ? 1 : 0);
        int size =
            snprintf(candidate, sizeof candidate, "%s/%.*s", folder, (int)path.size, path.data);
        path = hf_text_from(path, hf_text_find(path, '/'));
        if (size < 0 || (size_t)size >= sizeof candidate || !hf_file_is_readable(candidate))
            continue;
        if (try_path(s, candidate, probe, files))
            return true;
    }
    return false;
}

/* Files of which no more is known than why there are none. */
static bool explain_none(struct hf_module_files **files, const char *why)
{
    bool is_open;
    if (*files != NULL)
        hf_kept_files_drop(*files);
    *files = hf_kept_files_take(NULL, NULL, &is_open);
    if (*files != NULL)
        snprintf((*files)->why, sizeof(*files)->why, "%s", why);
    return false;
}

/* What a deleted module had is not at its path: another file, if any, took its place. */
static bool try_mapped(const struct hf_module_search *s, const struct probe *probe,
    struct hf_text path, struct hf_module_files **files)
{
    char candidates[HF_LIVE_FILES][PATH_MAX], why[1024];
    size_t count = hf_live_process_files(&s->process, probe->module, path, candidates);
    for (size_t i = 0; i < count; i++) {
        if (hf_file_is_readable(candidates[i]) && try_path(s, candidates[i], probe, files))
            return true;
    }
    if (!probe->module->is_deleted || probe->module->build_id != HF_NO_STRING)
        return try_path(s, path.data, probe, files);
    snprintf(why, sizeof why,
        "%s was deleted or replaced while it ran, and its process %s; give the right one with "
        "--exe or --symdir",
        path.data, s->process.id != 0 ? "does not let you read it" : "is unknown or has ended");
    return explain_none(files, why);
}

/* The kernel's code has no file; that of the kernel that runs is that of a process that does. */
static bool open_vdso(const struct hf_module_search *s, struct hf_module_files **files)
{
    struct hf_error err;
    (void)explain_none(files,
        "it is code of the kernel that the process ran on, and the process is unknown or has "
        "ended");
    if (*files == NULL || s->process.id == 0)
        return false;
    if (hf_module_files_open_memory(*files, HF_VDSO, hf_live_vdso(), &err) == HF_OK)
        return true;
    hf_error_format(&err, (*files)->why, sizeof(*files)->why);
    return false;
}

static bool module_search_try_all(
    const struct hf_module_search *s, const struct probe *probe, struct hf_module_files **files)
{
    struct hf_text path = hf_profile_text(s->profile, probe->module->path);
    if (hf_text_is(path, HF_VDSO))
        return open_vdso(s, files);
    bool is_main = probe->module == &s->profile->modules[s->main_module];
    if (is_main && s->options->exe != NULL)
        return try_path(s, s->options->exe, probe, files);
    for (size_t i = 0; i < s->options->symdir_count; i++) {
        if (module_search_try_below(s, s->options->symdirs[i], path, probe, files))
            return true;
    }
    return try_mapped(s, probe, path, files);
}

struct hf_module_files *hf_module_search_open(
    const struct hf_module_search *s, struct hf_wanted *wanted, size_t count, bool *out_is_open)
{
    const struct probe probe = {&s->profile->modules[wanted[0].module], wanted, count};
    struct hf_module_files *files = NULL;
    *out_is_open = module_search_try_all(s, &probe, &files);
    return files;
}
