#include "symbol/lookup/symbolize.h"

#include "base/budget.h"
#include "profile/modules.h"
#include "symbol/lookup/jit_dump.h"
#include "symbol/lookup/jit_list.h"
#include "symbol/lookup/lookup.h"
#include "symbol/lookup/module_search.h"
#include "symbol/lookup/perf_map.h"
#include "symbol/lookup/signal_frames.h"
#include "symbol/names/naming.h"

#include <stdio.h>
#include <stdlib.h>

struct symbolizer {
    struct hf_profile *profile;
    const struct hf_symbol_options *options;
    struct hf_module_search search;
    struct hf_naming naming;
    bool *is_restorer; /* by frame; see symbol/lookup/signal_frames.h */
    bool has_restorer;
    bool has_told; /* of a file that was not fetched */
};

static int compare_wanted(const void *a, const void *b)
{
    const struct hf_wanted *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Address frames that stacks use and that have `flags`, by module and offset. */
static enum hf_status list_wanted(const struct hf_profile *profile, bool keeps_given,
    uint32_t flags, struct hf_wanted **out_list, size_t *out_count, struct hf_error *err)
{
    uint32_t frame_count = profile->frames.count;
    enum { UNUSED, LEAF, CALLER } *use = calloc((size_t)frame_count + 1, sizeof *use);
    struct hf_wanted *list = calloc((size_t)frame_count + 1, sizeof *list);
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
            list[count++] = (struct hf_wanted){.module = frame->module,
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

/* Keeps the reason with the module; whoever shows its frames says it (analysis/unnamed.h). */
static enum hf_status keep_reason(
    struct symbolizer *s, uint32_t module, const char *why, struct hf_error *err)
{
    if (why[0] == '\0')
        why = "no function or symbol of the file contains them";
    return hf_profile_string(
        s->profile, hf_text_of(why), &s->profile->modules[module].why_unnamed, err);
}

/* True if a signal handler returns there, and nothing was called. */
static bool is_restorer(const struct hf_module_files *files, const struct hf_wanted *wanted)
{
    struct hf_fde fde;
    bool is_call =
        files->image.machine == EM_X86_64 && hf_wanted_follows_call(wanted, &files->image);
    return wanted->is_caller && !is_call &&
           hf_callframes_find(&files->callframes, wanted->address + 1, &fde) && fde.cie.is_signal;
}

/* Turns file offsets into addresses of the image; what no segment loads has address 0. */
static size_t place_addresses(struct symbolizer *s, const struct hf_module_files *files,
    struct hf_wanted *wanted, size_t count, uint64_t *addresses)
{
    size_t placed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!hf_wanted_place(&wanted[i], &files->image)) {
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

/* True if helpers are looked for in a module: not in libraries, whose functions own nothing. */
static bool has_helpers(const struct hf_profile *profile, uint32_t module)
{
    struct hf_text program =
        hf_profile_text(profile, profile->modules[hf_modules_program(profile)].path);
    return hf_modules_belong(program, hf_modules_folder(program),
        hf_profile_text(profile, profile->modules[module].path));
}

static enum hf_status symbolize_look_up(struct symbolizer *s, struct hf_module_files *files,
    struct hf_wanted *wanted, size_t count, struct hf_lookup *lookup, struct hf_error *err)
{
    struct hf_symbol_options options = *s->options;
    options.helpers = has_helpers(s->profile, wanted[0].module);
    uint64_t *addresses = calloc(count + 1, sizeof *addresses);
    if (addresses == NULL)
        return hf_error_memory(err);
    size_t placed = place_addresses(s, files, wanted, count, addresses);
    enum hf_status status =
        hf_lookup_run(lookup, files, &options, addresses, placed, &s->profile->notes, err);
    free(addresses);
    return status;
}

/* Names what was looked up; counts what has no name. */
static enum hf_status symbolize_name_all(struct symbolizer *s, const struct hf_wanted *wanted,
    size_t count, const struct hf_lookup *l, size_t *out_unnamed, struct hf_error *err)
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

/* Those without a name that the list has which the JIT keeps for GDB. */
static void find_listed(struct hf_text names, struct hf_perf_map_query *queries,
    struct hf_perf_map_query *more, size_t count)
{
    for (size_t i = 0; i < count; i++)
        more[i].address = queries[i].address;
    hf_perf_map_find(names, more, count);
    for (size_t i = 0; i < count; i++) {
        if (queries[i].name.size == 0)
            queries[i].name = more[i].name;
    }
}

/* What was seen of it while it was recorded, and what is there now: what is there comes last. */
static enum hf_status take_list(struct symbolizer *s, struct hf_jit_list **out_list,
    struct hf_perf_map_query *queries, struct hf_perf_map_query *more, size_t count,
    struct hf_error *err)
{
    *out_list = NULL;
    enum hf_status status = HF_OK;
    if (s->search.process.id != 0)
        status = hf_jit_list_of(s->search.process.id, out_list, err);
    if (*out_list != NULL) {
        find_listed(hf_jit_list_names(*out_list), queries, more, count);
        hf_jit_list_note(*out_list, &s->profile->notes);
    }
    if (status == HF_OK && s->profile->capture.jit_names != HF_NO_STRING)
        find_listed(
            hf_profile_text(s->profile, s->profile->capture.jit_names), queries, more, count);
    return status;
}

/* Names code made at run time: the offset is the address. What has no name stays as it is. */
static enum hf_status symbolize_memory(
    struct symbolizer *s, const struct hf_wanted *wanted, size_t count, struct hf_error *err)
{
    uint32_t path = s->profile->modules[wanted[0].module].path;
    bool is_jit = hf_text_is(hf_profile_text(s->profile, path), HF_JIT);
    struct hf_perf_map map, dump;
    size_t unnamed = 0;
    struct hf_jit_list *list = NULL;
    struct hf_perf_map_query *queries = calloc(2 * count + 1, sizeof *queries);
    if (queries == NULL)
        return hf_error_memory(err);
    bool has_map = hf_perf_map_open(&map, s->profile, &s->search.process, s->options);
    for (size_t i = 0; i < count; i++)
        queries[i].address = wanted[i].offset;
    if (has_map)
        hf_perf_map_find(map.text, queries, count);
    if (hf_jit_dump_open(&dump, s->profile, &s->search.process, s->options))
        hf_jit_dump_find(dump.text, queries, count);
    enum hf_status status = take_list(s, &list, queries, queries + count, count, err);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        const struct hf_finding finding = {
            .symbol = queries[i].name.size == 0 && is_jit ? HF_TEXT(HF_JIT) : queries[i].name};
        bool is_named = wanted[i].is_named || wanted[i].symbol != HF_NO_STRING;
        if (!is_named && !wanted[i].is_linked && finding.symbol.size != 0)
            status = hf_naming_expand(
                &s->naming, wanted[i].frame, wanted[i].offset, &finding, &is_named, err);
        unnamed += !is_named;
    }
    if (has_map)
        (void)snprintf(map.why, sizeof map.why, "no line of %s contains them", map.path);
    if (status == HF_OK && unnamed != 0 && wanted[0].module != HF_NO_MODULE)
        status = keep_reason(s, wanted[0].module, map.why, err);
    hf_perf_map_close(&map);
    hf_perf_map_close(&dump);
    free(list);
    free(queries);
    return status;
}

static enum hf_status symbolize_in_files(struct symbolizer *s, struct hf_wanted *wanted,
    size_t count, struct hf_module_files *files, struct hf_error *err)
{
    struct hf_lookup l = {0};
    size_t unnamed = 0;
    uint32_t module = wanted[0].module;
    enum hf_status status = hf_modules_set_build_id(s->profile, module, files->image.build_id, err);
    if (status == HF_OK)
        status = symbolize_look_up(s, files, wanted, count, &l, err);
    if (status == HF_OK)
        status = symbolize_name_all(s, wanted, count, &l, &unnamed, err);
    if (status == HF_OK && unnamed != 0)
        status = keep_reason(s, module, files->why, err);
    if (files->unfetched[0] != '\0' && !s->has_told) {
        hf_notes_add(&s->profile->notes, HF_NOTE_INFO, "%s: %s", files->path, files->unfetched);
        s->has_told = true;
    }
    hf_lookup_done(&l);
    return status;
}

static enum hf_status symbolize_module(
    struct symbolizer *s, struct hf_wanted *wanted, size_t count, struct hf_error *err)
{
    uint32_t module = wanted[0].module;
    struct hf_text path = hf_profile_text(s->profile, s->profile->modules[module].path);
    if (module == HF_NO_MODULE || hf_text_is(path, HF_ANONYMOUS) || hf_text_is(path, HF_JIT))
        return symbolize_memory(s, wanted, count, err);
    if (!hf_text_starts(path, "/") && !hf_text_is(path, HF_VDSO))
        return HF_OK; /* there is no file */
    bool is_open;
    struct hf_module_files *files = hf_module_search_open(&s->search, wanted, count, &is_open);
    if (files == NULL)
        return hf_error_memory(err);
    if (is_open) {
        enum hf_status status = symbolize_in_files(s, wanted, count, files, err);
        hf_kept_files_put(s->options->kept, files);
        return status;
    }
    enum hf_status status = module == s->search.main_module && s->options->exe != NULL
                                ? hf_error_set(err, HF_ERR_INPUT, "--exe: %s", files->why)
                                : keep_reason(s, module, files->why, err);
    hf_kept_files_drop(files);
    return status;
}

/*
 * With a budget of its own: the files were given, and the addresses. If it is used up, the names of
 * this module are missing, and why.
 */
static enum hf_status symbolize_within(
    struct symbolizer *s, struct hf_wanted *wanted, size_t count, struct hf_error *err)
{
    struct hf_budget budget = {0};
    struct hf_error fault;
    struct hf_budget_scope before = hf_budget_enter(&budget);
    hf_budget_give(count * sizeof(uint64_t));
    enum hf_status status = symbolize_module(s, wanted, count, &fault);
    bool is_used_up = status == HF_ERR_LIMIT && hf_budget_is_used_up();
    hf_budget_leave(before);
    if (is_used_up && wanted[0].module != HF_NO_MODULE)
        return keep_reason(s, wanted[0].module, fault.text, err);
    if (status != HF_OK && err != NULL)
        *err = fault;
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
    struct hf_wanted *wanted = NULL;
    size_t count = 0;
    enum hf_status status =
        list_wanted(s->profile, s->options->keeps_given, flags, &wanted, &count, err);
    if (status == HF_OK && !keeps_names(s->options))
        status = hf_naming_shorten(&s->naming, err);
    for (size_t i = 0; i < count && status == HF_OK;) {
        size_t end = i + 1;
        while (end < count && wanted[end].module == wanted[i].module)
            end++;
        status = symbolize_within(s, wanted + i, end - i, err);
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
        status = hf_signal_frames_mark(s->profile, s->is_restorer, err);
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
    if (!profile->has_addresses)
        return keeps_names(options) ? HF_OK : hf_symbolize_readable(profile, options, err);
    s.search = (struct hf_module_search){profile, options, 0, hf_live_process_of(profile)};
    s.naming.profile = profile;
    s.naming.is_full = options->full_names;
    s.naming.is_linkage = options->linkage_names;
    if (options->exe != NULL) {
        struct hf_file_map map;
        enum hf_status status = hf_file_map_open(&map, options->exe, err);
        if (status != HF_OK) {
            hf_error_context(err, "--exe");
            return status;
        }
        hf_file_map_close(&map);
        s.search.main_module = hf_module_search_program(profile, options->exe);
    }
    enum hf_status status = symbolize_all(&s, err);
    if (status == HF_OK && !keeps_names(options))
        status = demangle_given(&s, err);
    hf_naming_tell(&s.naming);
    hf_naming_done(&s.naming);
    return status;
}

enum hf_status hf_symbolize_readable(
    struct hf_profile *profile, const struct hf_symbol_options *options, struct hf_error *err)
{
    struct hf_naming naming = {.profile = profile, .is_full = options->full_names};
    enum hf_status status = hf_naming_shorten(&naming, err);
    hf_naming_tell(&naming);
    hf_naming_done(&naming);
    return status;
}
