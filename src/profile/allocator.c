#include "profile/allocator.h"

#include "base/attr.h"
#include "profile/samples.h"

#include <stdlib.h>

/* Functions as they appear demangled without parameters; `*` at the end: any that starts so. */
struct allocator_names {
    const char *library; /* how files that are nothing but this allocator start; NULL: none is */
    const char *const *functions; /* ends with NULL */
};

static const struct allocator_names jemalloc_names = {
    .library = "libjemalloc",
    .functions =
        (const char *const[]){
            "mallocx",
            "rallocx",
            "xallocx",
            "dallocx",
            "sdallocx",
            "smallocx*",
            "je_*",
            "_rjem_*",
            "jemalloc_*",
            "imalloc",
            "imalloc_body",
            "imallocx",
            "ialloc",
            "iralloc*",
            "prof_backtrace*",
            "prof_alloc_prep",
            "prof_tctx_create",
            "prof_lookup",
            "malloc_default",
            "fallback_impl",
            "newImpl",
            "fallbackNewImpl",
            "irallocx_prof*",
            "handleOOM",
            "do_rallocx",
            "do_realloc*",
            NULL,
        },
};

static const struct allocator_names tcmalloc_names = {
    .library = "libtcmalloc",
    .functions =
        (const char *const[]){
            "tc_*",
            "do_malloc*",
            "do_memalign*",
            "do_calloc",
            "DoSampledAllocation",
            "tcmalloc::*",
            "tcmalloc_*",
            "(anonymous namespace)::do_malloc*",
            "(anonymous namespace)::do_memalign*",
            "(anonymous namespace)::debug_*",
            "(anonymous namespace)::cpp_alloc",
            "MallocHook::*",
            "DebugAllocate",
            "ProfileData::*",
            "HeapProfileTable::*",
            "RecordAlloc",
            NULL,
        },
};

static const struct allocator_names mimalloc_names = {
    .library = "libmimalloc",
    .functions =
        (const char *const[]){
            "mi_*",
            "_mi_*",
            NULL,
        },
};

/* Those of languages: of C, C++ and Rust. */
static const struct allocator_names language_names = {
    .functions =
        (const char *const[]){
            /* C */
            "malloc",
            "calloc",
            "realloc",
            "reallocarray",
            "memalign",
            "posix_memalign",
            "aligned_alloc",
            "valloc",
            "pvalloc",
            "free",
            "cfree",
            "__libc_malloc",
            "__libc_calloc",
            "__libc_realloc",
            "__libc_memalign",
            "__libc_valloc",
            "__libc_pvalloc",
            "__libc_free",
            "__GI___libc_*",
            "__malloc_hook",
            "_int_malloc",
            "_int_realloc",
            "_int_memalign",
            "_mid_memalign",
            "sysmalloc",
            /* C++ */
            "operator new",
            "operator new[]",
            "operator delete",
            "operator delete[]",
            "__builtin_new",
            "__builtin_vec_new",
            "_Zna*",
            "_Znw*",
            /* Rust */
            "__rust_alloc",
            "__rust_alloc_zeroed",
            "__rust_realloc",
            "__rust_dealloc",
            "__rg_*",
            "__rdl_*",
            "alloc::alloc::alloc",
            "alloc::alloc::alloc_zeroed",
            "alloc::alloc::realloc",
            "alloc::alloc::exchange_malloc",
            "alloc::alloc::Global::alloc_impl",
            "alloc::alloc::Global::grow_impl",
            "<alloc::alloc::Global as core::alloc::Allocator>::*",
            "<std::alloc::System as core::alloc::global::GlobalAlloc>::*",
            "<tikv_jemallocator::Jemalloc as core::alloc::global::GlobalAlloc>::*",
            "<jemallocator::Jemalloc as core::alloc::global::GlobalAlloc>::*",
            "<mimalloc::MiMalloc as core::alloc::global::GlobalAlloc>::*",
            "std::sys::alloc::*",
            "std::sys::unix::alloc::*",
            "std::sys::pal::unix::alloc::*",
            NULL,
        },
};

/* The agent, and the pools of programs that tell it of them. */
static const struct allocator_names heapflame_names = {
    .library = "libheapflame",
    .functions =
        (const char *const[]){
            "heapflame_pool_alloc",
            NULL,
        },
};

#define NAMES(name) &name##_names,
static const struct allocator_names *const allocators[] = {
    &language_names, &heapflame_names, HF_ALLOCATORS(NAMES)};

/* "__interceptor_malloc" and "___interceptor_malloc" are the sanitizers' malloc. */
static struct hf_text without_interceptor(struct hf_text name)
{
    struct hf_text rest = name;
    if (!hf_text_take(&rest, "___interceptor_"))
        hf_text_take(&rest, "__interceptor_");
    return rest;
}

/* Reports print C++ operators with their parameters: "operator new[](unsigned long)". */
static bool is_operator(struct hf_text name, struct hf_text pattern)
{
    return hf_text_starts(pattern, "operator ") &&
           hf_text_equal(hf_text_first(name, pattern.size), pattern) &&
           hf_text_starts(hf_text_from(name, pattern.size), "(");
}

static bool fits(struct hf_text name, struct hf_text pattern)
{
    if (pattern.data[pattern.size - 1] != '*')
        return hf_text_equal(name, pattern) || is_operator(name, pattern);
    struct hf_text start = hf_text_first(pattern, pattern.size - 1);
    return name.size >= start.size && hf_text_equal(hf_text_first(name, start.size), start);
}

bool hf_allocator_is_function(struct hf_text name)
{
    name = without_interceptor(name);
    for (size_t i = 0; i < HF_COUNT(allocators) && name.size != 0; i++) {
        for (const char *const *at = allocators[i]->functions; *at != NULL; at++) {
            if (**at == name.data[0] && /* asked of every function of a profile */
                fits(name, hf_text_of(*at)))
                return true;
        }
    }
    return false;
}

bool hf_allocator_is_module(struct hf_text path)
{
    struct hf_text file = hf_text_basename(path);
    for (size_t i = 0; i < HF_COUNT(allocators); i++) {
        if (allocators[i]->library != NULL && hf_text_starts(file, allocators[i]->library))
            return true;
    }
    return false;
}

bool hf_allocator_is_frame(const struct hf_profile *profile, const struct hf_frame *frame)
{
    return !profile->capture.is_no_heap &&
           (hf_allocator_is_function(hf_profile_text(profile, frame->name)) ||
               hf_allocator_is_module(
                   hf_profile_text(profile, profile->modules[frame->module].path)));
}

/* What becomes of the stacks that a frame is in. */
enum allocator_fate { KEPT, CUT_BEHIND, CUT };

/* CUT_BEHIND: of the names of the frame, the outer ones are not the allocator's, and stay. */
static enum allocator_fate cut_names(struct hf_profile *profile, uint32_t frame)
{
    size_t count;
    const uint32_t *named = hf_profile_expansion(profile, &frame, &count);
    size_t first_kept = count;
    while (first_kept != 0 &&
           !hf_allocator_is_frame(profile, hf_profile_frame_at(profile, named[first_kept - 1])))
        first_kept--;
    if (first_kept == 0)
        return KEPT;
    if (first_kept == count)
        return CUT;
    struct hf_frame_span *names = &profile->names.spans[*hf_map_find(&profile->names.index, frame)];
    names->first += (uint32_t)first_kept;
    names->count -= (uint32_t)first_kept;
    return CUT_BEHIND;
}

/* Makes the tree anew without what is cut; new_nodes: where each node of the old one ends up. */
static enum hf_status cut_tree(struct hf_profile *profile, const enum allocator_fate *fates,
    bool *ends, uint32_t *new_nodes, struct hf_error *err)
{
    struct hf_stacktree *tree = &profile->stacks;
    size_t old_count = tree->count;
    hf_stacktree_clear(tree);
    for (size_t node = 1; node < old_count; node++) {
        struct hf_stack_node old = tree->nodes[node]; /* read before its place is written */
        enum allocator_fate fate = fates[old.frame];
        bool is_cut = ends[old.parent] || (old.parent != HF_STACK_ROOT && fate == CUT);
        ends[node] = is_cut || fate != KEPT;
        new_nodes[node] = new_nodes[old.parent];
        if (is_cut)
            continue;
        enum hf_status status =
            hf_stacktree_child(tree, new_nodes[node], old.frame, &new_nodes[node], err);
        if (status != HF_OK)
            return status;
    }
    return hf_samples_move(profile, new_nodes, err);
}

enum hf_status hf_allocator_cut(struct hf_profile *profile, struct hf_error *err)
{
    enum allocator_fate *fates = calloc((size_t)profile->frames.count + 1, sizeof *fates);
    bool *ends = calloc(profile->stacks.count, sizeof *ends); /* by node: nothing below is kept */
    uint32_t *new_nodes = calloc(profile->stacks.count, sizeof *new_nodes);
    enum hf_status status = HF_OK;
    if (fates == NULL || ends == NULL || new_nodes == NULL)
        status = hf_error_memory(err);
    for (uint32_t i = 0; status == HF_OK && i < profile->frames.count; i++)
        fates[i] = cut_names(profile, i);
    if (status == HF_OK)
        status = cut_tree(profile, fates, ends, new_nodes, err);
    free(fates);
    free(ends);
    free(new_nodes);
    return status;
}
