#include "symbol/symbolize.h"

#include "profile/interrupted.h"
#include "profile/modules.h"
#include "symbol/callsite.h"
#include "symbol/live_process.h"
#include "symbol/lookup.h"
#include "symbol/module_files.h"
#include "symbol/naming.h"
#include "symbol/perf_map.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* One address frame of the profile that wants a name. */
struct wanted {
    uint32_t module, frame;
    uint32_t symbol;  /* string: where `offset` counts from, if not HF_NO_STRING */
    uint64_t offset;  /* in the symbol or the file, or the address as linked */
    uint64_t address; /* in the image */
    bool is_linked;   /* the latter */
    bool is_caller;   /* of another frame: one less than a return address; a leaf need not be */
    bool is_named;    /* by the input; the file may know the line and inlined calls */
};

struct symbolizer {
    struct hf_profile *profile;
    const struct hf_symbol_options *options;
    struct hf_naming naming;
    uint32_t main_module; /* the one --exe stands for */
    struct hf_live_process process;
    bool *is_restorer; /* by frame; see profile/interrupted.h */
    bool has_restorer;
};

static int compare_wanted(const void *a, const void *b)
{
    const struct wanted *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Address frames that stacks use and that have `flags`, by module and offset. */
static enum hf_status list_wanted(const struct hf_profile *profile, bool keeps_given,
    uint32_t flags, struct wanted **out_list, size_t *out_count, struct hf_error *err)
{
    uint32_t frame_count = profile->frames.count;
    enum { UNUSED, LEAF, CALLER } *use = calloc((size_t)frame_count + 1, sizeof *use);
    struct wanted *list = calloc((size_t)frame_count + 1, sizeof *list);
    if (use == NULL || list == NULL) {
        free(use);
        free(list);
        return hf_error_memory(err);
    }
    for (size_t i = 1; i < profile->stacks.count; i++) {
        const struct hf_stack_node *node = &profile->stacks.nodes[i];
        if (use[node->frame] == UNUSED)
            use[node->frame] = LEAF;
        if (node->parent != 0)
            use[profile->stacks.nodes[node->parent].frame] = CALLER;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < frame_count; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(profile, i);
        bool is_named = (frame->flags & HF_FRAME_NAMED) != 0;
        bool may_know_more = is_named && frame->symbol != HF_NO_STRING && !keeps_given;
        bool is_interrupted = (frame->flags & HF_FRAME_INTERRUPTED) != 0;
        if (use[i] != UNUSED && (frame->flags & flags) == flags && (!is_named || may_know_more) &&
            (frame->module != HF_NO_MODULE || (frame->flags & HF_FRAME_HAS_OFFSET) != 0) &&
            !hf_profile_is_expanded(profile, i))
            list[count++] = (struct wanted){.module = frame->module,
                .frame = i,
                .symbol = frame->symbol,
                .offset = frame->offset + is_interrupted,
                .is_linked = (frame->flags & HF_FRAME_LINKED) != 0,
                .is_caller = use[i] == CALLER && !is_interrupted,
                .is_named = is_named};
    }
    qsort(list, count, sizeof *list, compare_wanted);
    free(use);
    *out_list = list;
    *out_count = count;
    return HF_OK;
}

/* The module that --exe stands for: of the same name, or the program as mapped. */
static uint32_t find_main_module(const struct hf_profile *profile, const char *exe)
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
    struct wanted *wanted;
    size_t count;
};

static int compare_queries(const void *a, const void *b)
{
    const struct hf_symbol_query *x = a, *y = b;
    return hf_text_compare(x->name, y->name);
}

/* Gives what counts from a symbol its address by the symbol tables; 0 if they do not tell. */
static bool place_in_symbols(
    const struct symbolizer *s, struct hf_module_files *files, const struct probe *probe)
{
    const struct hf_profile *profile = s->profile;
    struct hf_symbol_query *queries = calloc(probe->count + 1, sizeof *queries);
    size_t asked = 0, distinct = 0;
    if (queries == NULL) {
        snprintf(files->why, sizeof files->why, "out of memory");
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
        struct wanted *wanted = &probe->wanted[i];
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

/* True if the caller's call ends where it should, as far as its place is known. */
static bool follows_call(const struct hf_elf *image, const struct wanted *wanted)
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

/*
 * Opens a file that fits the mappings and the callers: their addresses are one less than those
 * that calls return to. A few may follow no call (the kernel's return to a signal handler), so most
 * must be wrong, and more than one, before another build is suspected.
 */
static bool open_file(const struct symbolizer *s, struct hf_module_files *files, const char *path,
    const struct probe *probe)
{
    if (!hf_module_files_open(files, path, probe->module))
        return false;
    struct hf_text build_id = hf_profile_text(s->profile, probe->module->build_id);
    if (build_id.size != 0 && files->image.build_id.size != 0 &&
        !hf_text_equal(build_id, files->image.build_id)) {
        snprintf(files->why, sizeof files->why,
            "%s is not the file that was profiled: its build-id is another (it was replaced); give "
            "the right one by --exe or --symdir",
            path);
        return false;
    }
    if (!place_in_symbols(s, files, probe))
        return false;
    if (files->image.machine != EM_X86_64)
        return true;
    size_t wrong = 0, callers = 0;
    for (size_t i = 0; i < probe->count; i++) {
        const struct wanted *wanted = &probe->wanted[i];
        callers += wanted->is_caller;
        wrong += wanted->is_caller && !follows_call(&files->image, wanted);
    }
    if (wrong < 2 || wrong <= callers / 2)
        return true;
    snprintf(files->why, sizeof files->why,
        "%s is not the file that was profiled: %zu of %zu return addresses follow no call in it "
        "(it was replaced, or is another build); give the right one by --exe or --symdir",
        path, wrong, callers);
    return false;
}

/* As below DIR/usr/lib/x/lib.so, then DIR/lib/x/lib.so ... to DIR/lib.so: a copy of a whole system
 * or a folder of files. */
static bool open_below(struct symbolizer *s, const char *folder, struct hf_text path,
    const struct probe *probe, struct hf_module_files *files)
{
    while (path.size != 0) {
        char candidate[PATH_MAX];
        path = hf_text_from(path, path.data[0] == '/' ? 1 : 0);
        int size =
            snprintf(candidate, sizeof candidate, "%s/%.*s", folder, (int)path.size, path.data);
        path = hf_text_from(path, hf_text_find(path, '/'));
        if (size < 0 || (size_t)size >= sizeof candidate || !hf_file_is_readable(candidate))
            continue;
        if (open_file(s, files, candidate, probe))
            return true;
        hf_module_files_close(files);
    }
    return false;
}

/* What a deleted module had is not at its path: another file, if any, took its place. */
static bool open_mapped(struct symbolizer *s, const struct probe *probe, struct hf_text path,
    struct hf_module_files *files)
{
    char candidates[HF_LIVE_FILES][PATH_MAX];
    size_t count = hf_live_process_files(&s->process, probe->module, path, candidates);
    for (size_t i = 0; i < count; i++) {
        if (!hf_file_is_readable(candidates[i]))
            continue;
        if (open_file(s, files, candidates[i], probe))
            return true;
        hf_module_files_close(files);
    }
    if (!probe->module->is_deleted || probe->module->build_id != HF_NO_STRING)
        return open_file(s, files, path.data, probe);
    *files = (struct hf_module_files){0};
    snprintf(files->why, sizeof files->why,
        "%s was deleted or replaced while it ran, and its process %s; give the right one by --exe "
        "or --symdir",
        path.data, s->process.id != 0 ? "lets nobody read it" : "is not known or has ended");
    return false;
}

/* The kernel's code has no file; that of the kernel that runs is that of a process that does. */
static bool open_vdso(struct symbolizer *s, struct hf_module_files *files)
{
    struct hf_error err;
    *files = (struct hf_module_files){0};
    if (s->process.id == 0) {
        snprintf(files->why, sizeof files->why,
            "it is the kernel's, and the process, which would tell whose, is not known or has "
            "ended");
        return false;
    }
    if (hf_module_files_open_memory(files, HF_VDSO, hf_live_vdso(), &err) != HF_OK) {
        hf_error_format(&err, files->why, sizeof files->why);
        return false;
    }
    return true;
}

/*
 * Opens the file that fits the module: --exe for the main one, then --symdir, then what the process
 * has mapped.
 */
static bool open_module(
    struct symbolizer *s, struct wanted *wanted, size_t count, struct hf_module_files *files)
{
    uint32_t module_id = wanted[0].module;
    const struct hf_module *module = &s->profile->modules[module_id];
    const struct probe probe = {module, wanted, count};
    struct hf_text path = hf_profile_text(s->profile, module->path);
    if (hf_text_is(path, HF_VDSO))
        return open_vdso(s, files);
    if (module_id == s->main_module && s->options->exe != NULL)
        return open_file(s, files, s->options->exe, &probe);
    for (size_t i = 0; i < s->options->symdir_count; i++) {
        if (open_below(s, s->options->symdirs[i], path, &probe, files))
            return true;
    }
    return open_mapped(s, &probe, path, files);
}

/* Keeps the reason with the module; whoever shows its frames says it (analysis/unnamed.h). */
static enum hf_status keep_reason(
    struct symbolizer *s, uint32_t module, const char *why, struct hf_error *err)
{
    if (why[0] == '\0')
        why = "no function or symbol of the file contains them";
    return hf_profile_string(
        s->profile, hf_text_of(why), &s->profile->modules[module].why_unnamed, err);
}

static bool place(const struct hf_elf *image, struct wanted *wanted)
{
    uint64_t offset;
    if (wanted->symbol != HF_NO_STRING)
        return wanted->address != 0; /* by place_in_symbols */
    wanted->address = wanted->offset;
    return wanted->is_linked ? hf_elf_offset_of_address(image, wanted->address, &offset)
                             : hf_elf_address_of_offset(image, wanted->offset, &wanted->address);
}

/* True if a signal handler returns there, and nothing was called. */
static bool is_restorer(const struct hf_module_files *files, const struct wanted *wanted)
{
    struct hf_fde fde;
    bool is_call = files->image.machine == EM_X86_64 && follows_call(&files->image, wanted);
    return wanted->is_caller && !is_call &&
           hf_callframes_find(&files->callframes, wanted->address + 1, &fde) && fde.cie.is_signal;
}

/* Turns file offsets into addresses of the image; what no segment loads has address 0. */
static size_t place_addresses(struct symbolizer *s, const struct hf_module_files *files,
    struct wanted *wanted, size_t count, uint64_t *addresses)
{
    size_t placed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!place(&files->image, &wanted[i])) {
            wanted[i].address = 0;
            continue;
        }
        if (is_restorer(files, &wanted[i])) {
            wanted[i].address++;
            s->is_restorer[wanted[i].frame] = s->has_restorer = true;
        }
        addresses[placed++] = wanted[i].address;
    }
    return placed;
}

static enum hf_status look_up(struct symbolizer *s, struct hf_module_files *files,
    struct wanted *wanted, size_t count, struct hf_lookup *lookup, struct hf_error *err)
{
    uint64_t *addresses = calloc(count + 1, sizeof *addresses);
    if (addresses == NULL)
        return hf_error_memory(err);
    size_t placed = place_addresses(s, files, wanted, count, addresses);
    enum hf_status status =
        hf_lookup_run(lookup, files, s->options, addresses, placed, &s->profile->notes, err);
    free(addresses);
    return status;
}

/* Names what was looked up; counts what has no name. */
static enum hf_status name_all(struct symbolizer *s, const struct wanted *wanted, size_t count,
    const struct hf_lookup *l, size_t *out_unnamed, struct hf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (wanted[i].address == 0) {
            *out_unnamed += !wanted[i].is_named;
            continue;
        }
        size_t at = hf_lookup_find(l, wanted[i].address);
        if (wanted[i].is_named && l->findings[at].place.count == 0 &&
            l->findings[at].symbol.size == 0)
            continue; /* the input knows more */
        bool is_named;
        enum hf_status status = hf_naming_expand(
            &s->naming, wanted[i].frame, wanted[i].address, &l->findings[at], &is_named, err);
        if (status != HF_OK)
            return status;
        *out_unnamed += !is_named;
    }
    return HF_OK;
}

/* Names code made at run time: the offset is the address. What has no name stays as it is. */
static enum hf_status symbolize_memory(
    struct symbolizer *s, const struct wanted *wanted, size_t count, struct hf_error *err)
{
    struct hf_perf_map map;
    size_t unnamed = 0;
    struct hf_perf_map_query *queries = calloc(count + 1, sizeof *queries);
    if (queries == NULL)
        return hf_error_memory(err);
    enum hf_status status = HF_OK;
    bool has_map = hf_perf_map_open(&map, s->profile, &s->process, s->options);
    for (size_t i = 0; i < count; i++)
        queries[i].address = wanted[i].offset;
    if (has_map)
        hf_perf_map_find(map.text, queries, count);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        const struct hf_finding finding = {.symbol = queries[i].name};
        bool is_named = wanted[i].is_named || wanted[i].symbol != HF_NO_STRING;
        if (!is_named && !wanted[i].is_linked && finding.symbol.size != 0)
            status = hf_naming_expand(
                &s->naming, wanted[i].frame, wanted[i].offset, &finding, &is_named, err);
        unnamed += !is_named;
    }
    if (has_map)
        snprintf(map.why, sizeof map.why, "no line of %s contains them", map.path);
    if (status == HF_OK && unnamed != 0 && wanted[0].module != HF_NO_MODULE)
        status = keep_reason(s, wanted[0].module, map.why, err);
    hf_perf_map_close(&map);
    free(queries);
    return status;
}

static enum hf_status symbolize_module(
    struct symbolizer *s, struct wanted *wanted, size_t count, struct hf_error *err)
{
    uint32_t module = wanted[0].module;
    struct hf_text path = hf_profile_text(s->profile, s->profile->modules[module].path);
    if (module == HF_NO_MODULE || hf_text_is(path, HF_ANONYMOUS))
        return symbolize_memory(s, wanted, count, err);
    if (!hf_text_starts(path, "/") && !hf_text_is(path, HF_VDSO))
        return HF_OK; /* there is no file */
    struct hf_module_files files;
    struct hf_lookup l = {0};
    size_t unnamed = 0;
    enum hf_status status = HF_OK;
    if (!open_module(s, wanted, count, &files)) {
        if (module == s->main_module && s->options->exe != NULL)
            status = hf_error_set(err, HF_ERR_INPUT, "--exe: %s", files.why);
        else
            status = keep_reason(s, module, files.why, err);
        hf_module_files_close(&files);
        return status;
    }
    status = hf_modules_set_build_id(s->profile, module, files.image.build_id, err);
    if (status == HF_OK)
        status = look_up(s, &files, wanted, count, &l, err);
    if (status == HF_OK)
        status = name_all(s, wanted, count, &l, &unnamed, err);
    if (status == HF_OK && unnamed != 0)
        status = keep_reason(s, module, files.why, err);
    hf_lookup_done(&l);
    hf_module_files_close(&files);
    return status;
}

/* What the input names as the symbol table does, mangled, and no file had more to say of. */
static enum hf_status demangle_given(struct symbolizer *s, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint32_t count = s->profile->frames.count;
    for (uint32_t i = 0; i < count && status == HF_OK; i++) {
        if (hf_profile_frame_at(s->profile, i)->symbol != HF_NO_STRING &&
            !hf_profile_is_expanded(s->profile, i))
            status = hf_naming_demangle(&s->naming, i, err);
    }
    return status;
}

/* Names that came with the input are not made readable. */
static bool keeps_names(const struct hf_symbol_options *options)
{
    return options->keeps_given || options->linkage_names;
}

/* Names all address frames that have `flags` and no name yet. */
static enum hf_status symbolize_frames(struct symbolizer *s, uint32_t flags, struct hf_error *err)
{
    struct wanted *wanted = NULL;
    size_t count = 0;
    enum hf_status status =
        list_wanted(s->profile, s->options->keeps_given, flags, &wanted, &count, err);
    if (status == HF_OK && !keeps_names(s->options))
        status = hf_naming_shorten(&s->naming, err);
    for (size_t i = 0; i < count && status == HF_OK;) {
        size_t end = i + 1;
        while (end < count && wanted[end].module == wanted[i].module)
            end++;
        status = symbolize_module(s, wanted + i, end - i, err);
        i = end;
    }
    free(wanted);
    return status;
}

/* What a signal interrupted is known when all restorers are. */
static enum hf_status symbolize_all(struct symbolizer *s, struct hf_error *err)
{
    s->is_restorer = calloc((size_t)s->profile->frames.count + 1, sizeof *s->is_restorer);
    if (s->is_restorer == NULL)
        return hf_error_memory(err);
    enum hf_status status = symbolize_frames(s, 0, err);
    if (status == HF_OK && s->has_restorer) {
        status = hf_profile_mark_interrupted(s->profile, s->is_restorer, err);
        if (status == HF_OK)
            status = symbolize_frames(s, HF_FRAME_INTERRUPTED, err);
    }
    free(s->is_restorer);
    return status;
}

enum hf_status hf_symbolize(
    struct hf_profile *profile, const struct hf_symbol_options *options, struct hf_error *err)
{
    struct symbolizer s = {.profile = profile, .options = options};
    s.process = hf_live_process_of(profile);
    s.naming.profile = profile;
    s.naming.is_full = options->full_names;
    s.naming.is_linkage = options->linkage_names;
    if (!profile->has_addresses) {
        enum hf_status status = keeps_names(options) ? HF_OK : hf_naming_shorten(&s.naming, err);
        hf_naming_done(&s.naming);
        return status;
    }
    if (options->exe != NULL) {
        struct hf_file_map map;
        enum hf_status status = hf_file_map_open(&map, options->exe, err);
        if (status != HF_OK) {
            hf_error_context(err, "--exe");
            return status;
        }
        hf_file_map_close(&map);
        s.main_module = find_main_module(profile, options->exe);
    }
    enum hf_status status = symbolize_all(&s, err);
    if (status == HF_OK && !keeps_names(options))
        status = demangle_given(&s, err);
    hf_naming_done(&s.naming);
    return status;
}
