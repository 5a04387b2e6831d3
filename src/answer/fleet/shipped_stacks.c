#include "answer/fleet/shipped_stacks.h"

#include "answer/names.h"
#include "answer/view.h"
#include "base/checked.h"
#include "base/containers/vec.h"
#include "profile/merge.h"

#include <stdlib.h>

void hf_shipped_stacks_done(struct hf_shipped_stacks *stacks)
{
    hf_profile_free(stacks->profile);
    hf_print_map_done(&stacks->numbers);
    free(stacks->items);
    hf_arena_done(&stacks->texts);
    *stacks = (struct hf_shipped_stacks){0};
}

static enum hf_status begin_stacks(struct hf_shipped_stacks *stacks, struct hf_error *err)
{
    if (stacks->profile != NULL)
        return HF_OK;
    enum hf_status status = hf_profile_new(&stacks->profile, err);
    return status == HF_OK ? hf_profile_add_type(stacks->profile, "inuse_space", "bytes", err)
                           : status;
}

/* What naming and folding ask of a profile beside its stacks. */
static enum hf_status keep_facts(
    struct hf_profile *profile, const struct hf_profile *from, struct hf_error *err)
{
    uint32_t jit;
    profile->has_addresses = profile->has_addresses || from->has_addresses;
    profile->capture.is_no_heap = from->capture.is_no_heap;
    profile->capture.process_id = from->capture.process_id;
    profile->capture.process_start = from->capture.process_start;
    profile->capture.has_just_ended = from->capture.has_just_ended;
    enum hf_status status =
        hf_profile_string(profile, hf_profile_text(from, from->capture.jit_names), &jit, err);
    if (status == HF_OK)
        profile->capture.jit_names = jit;
    return status;
}

/* The number of the stack that is `own_node` here, and holds so many bytes now. */
static enum hf_status shipped_number_of(struct hf_shipped_stacks *stacks,
    struct hf_fingerprint print, uint32_t own_node, uint64_t bytes, uint32_t *out_number,
    struct hf_error *err)
{
    const uint32_t *known = hf_print_map_find(&stacks->numbers, print);
    uint32_t thread, number = (uint32_t)stacks->count;
    if (known != NULL) {
        *out_number = *known;
        return HF_OK;
    }
    if (!hf_vec_reserve(
            &stacks->items, &stacks->capacity, stacks->count + 1, sizeof *stacks->items) ||
        !hf_print_map_put(&stacks->numbers, print, number))
        return hf_error_memory(err);
    enum hf_status status = hf_profile_thread(stacks->profile, number, HF_TEXT(""), &thread, err);
    if (status == HF_OK)
        status = hf_profile_add_sample(stacks->profile, own_node, thread, &bytes, err);
    if (status == HF_OK) /* by which notes weigh it */
        status = hf_profile_add_sample(stacks->profile, own_node, HF_THREAD_ALL, &bytes, err);
    if (status == HF_OK)
        stacks->items[stacks->count++] = (struct hf_batch_stack){.print = print};
    *out_number = number;
    return status;
}

static int compare_levels(const void *a, const void *b)
{
    const struct hf_level *x = a, *y = b;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

/* What each stack holds, in the order of the profile, to levels: by number, each once. */
static enum hf_status levels_from(
    struct hf_level *held, size_t count, struct hf_levels *out_levels, struct hf_error *err)
{
    struct hf_levels levels = {0};
    bool ignored = false;
    enum hf_status status = HF_OK;
    if (count != 0)
        qsort(held, count, sizeof *held, compare_levels);
    for (size_t i = 0; status == HF_OK && i < count;) {
        struct hf_level level = held[i++];
        for (; i < count && held[i].stack == level.stack; i++) {
            level.bytes = hf_add_saturating(level.bytes, held[i].bytes, &ignored);
            level.objects = hf_add_saturating(level.objects, held[i].objects, &ignored);
        }
        status = hf_levels_add(&levels, level, err);
    }
    if (status == HF_OK)
        *out_levels = levels;
    else
        hf_levels_done(&levels);
    return status;
}

static enum hf_status read_held(struct hf_shipped_stacks *stacks, struct hf_stack_printer *printer,
    const struct hf_profile *profile, const size_t types[2], const uint32_t *nodes,
    struct hf_level *held, size_t *out_count, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    *out_count = 0;
    for (size_t i = 0; status == HF_OK && i < profile->sample_count; i++) {
        const struct hf_sample *sample = &profile->samples[i];
        uint64_t bytes = hf_profile_value(profile, i, types[0]);
        uint64_t objects = types[1] != types[0] ? hf_profile_value(profile, i, types[1]) : 0;
        struct hf_fingerprint print;
        uint32_t number = 0;
        if (sample->thread != HF_THREAD_ALL || (bytes == 0 && objects == 0))
            continue;
        status = hf_stack_fingerprint_of(printer, profile, sample->node, &print, err);
        if (status == HF_OK)
            status = shipped_number_of(stacks, print, nodes[sample->node], bytes, &number, err);
        held[(*out_count)++] = (struct hf_level){number, bytes, objects};
    }
    return status;
}

enum hf_status hf_shipped_stacks_add(struct hf_shipped_stacks *stacks,
    struct hf_stack_printer *printer, const struct hf_profile *profile, const size_t types[2],
    struct hf_levels *out_levels, struct hf_error *err)
{
    uint32_t *nodes = NULL;
    size_t count;
    struct hf_level *held = calloc(profile->sample_count + 1, sizeof *held);
    enum hf_status status = held != NULL ? begin_stacks(stacks, err) : hf_error_memory(err);
    if (status == HF_OK)
        status = hf_profile_merge_stacks(stacks->profile, profile, &nodes, err);
    if (status == HF_OK)
        status = keep_facts(stacks->profile, profile, err);
    if (status == HF_OK)
        status = read_held(stacks, printer, profile, types, nodes, held, &count, err);
    if (status == HF_OK)
        status = levels_from(held, count, out_levels, err);
    free(nodes);
    free(held);
    return status;
}

/* ---- Names ---- */

/* A name is one line, and a tab ends it. */
static void put_plain(struct hf_out *out, struct hf_text text)
{
    for (size_t i = 0; i < text.size; i++)
        hf_out_char(out, text.data[i] == '\n' || text.data[i] == '\t' ? ' ' : text.data[i]);
}

static void shipped_put_function(
    const struct hf_profile *folded, const struct hf_frame *frame, struct hf_out *out)
{
    struct hf_out label = {0};
    if (frame->name != HF_NO_STRING)
        hf_frame_name(folded, frame, &label);
    else
        hf_frame_label(folded, frame, &label);
    put_plain(out, hf_out_view(&label));
    hf_out_done(&label);
}

static void put_frames(const struct hf_profile *folded, uint32_t node, struct hf_out *out)
{
    for (; node != HF_STACK_ROOT; node = folded->stacks.nodes[node].parent) {
        const struct hf_frame *frame =
            hf_profile_frame_at(folded, folded->stacks.nodes[node].frame);
        if (out->size != 0)
            hf_out_char(out, '\n');
        shipped_put_function(folded, frame, out);
        if (frame->name == HF_NO_STRING || frame->file == HF_NO_STRING)
            continue;
        hf_out_char(out, '\t');
        put_plain(out, hf_profile_text(folded, frame->file));
        if (frame->line != 0) {
            hf_out_char(out, ':');
            hf_out_u64(out, frame->line);
        }
    }
}

static void shipped_put_place(
    struct hf_view *view, uint32_t node, uint32_t owner, struct hf_out *out)
{
    const struct hf_profile *folded = view->folded;
    struct hf_owners_holder holder;
    uint32_t at = owner != HF_STACK_ROOT ? owner : node;
    if (at == HF_STACK_ROOT) {
        hf_out_string(out, HF_NO_STACK);
        return;
    }
    uint32_t frame = folded->stacks.nodes[at].frame;
    if (owner != HF_STACK_ROOT && hf_owners_find_holder(&view->owners, folded, frame, &holder))
        put_plain(out, holder.name);
    else
        shipped_put_function(folded, hf_profile_frame_at(folded, frame), out);
}

/* Ends `text`, keeps a copy, and makes it empty. */
static enum hf_status shipped_keep_names(struct hf_shipped_stacks *stacks, struct hf_out *text,
    struct hf_text *out_copy, struct hf_error *err)
{
    enum hf_status status = hf_out_finish(text, err);
    if (status != HF_OK)
        return status;
    struct hf_text view = hf_out_view(text);
    const char *copy = hf_arena_copy(&stacks->texts, view.size != 0 ? view.data : "", view.size);
    if (copy == NULL)
        return hf_error_memory(err);
    *out_copy = (struct hf_text){copy, view.size};
    text->size = 0;
    return HF_OK;
}

static enum hf_status keep_all_names(struct hf_shipped_stacks *stacks, struct hf_view *view,
    const uint32_t *owners, struct hf_error *err)
{
    const struct hf_profile *folded = view->folded;
    struct hf_out text = {0};
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < folded->sample_count; i++) {
        const struct hf_sample *sample = &folded->samples[i];
        if (sample->thread == HF_THREAD_ALL)
            continue;
        struct hf_batch_stack *stack = &stacks->items[folded->threads[sample->thread].uid];
        put_frames(folded, sample->node, &text);
        status = shipped_keep_names(stacks, &text, &stack->frames, err);
        shipped_put_place(view, sample->node, owners[sample->node], &text);
        if (status == HF_OK)
            status = shipped_keep_names(stacks, &text, &stack->place, err);
    }
    hf_out_done(&text);
    return status;
}

/* The owner of each node; 0: nobody. The caller frees them. */
static enum hf_status find_place_owners(
    struct hf_view *view, uint32_t **out_owners, struct hf_error *err)
{
    *out_owners = calloc(view->folded->stacks.count, sizeof **out_owners);
    if (*out_owners == NULL)
        return hf_error_memory(err);
    return view->owners.is_made
               ? hf_owners_find(&view->owners, view->folded, view->type, *out_owners, err)
               : HF_OK;
}

enum hf_status hf_shipped_stacks_name(struct hf_shipped_stacks *stacks,
    const struct hf_request *request, struct hf_notes *notes, struct hf_error *err)
{
    struct hf_view view = {0};
    struct hf_request naming = {.names = request->names, .given = stacks->profile};
    uint32_t *owners = NULL;
    naming.fold = (struct hf_request_fold){.granularity = HF_BY_LINE,
        .keeps_threads = true,
        .keep_allocator = request->fold.keep_allocator,
        .owners = HF_OWNERS_KNOWN,
        .own = request->fold.own,
        .wrapper = request->fold.wrapper};
    if (stacks->count == 0)
        return HF_OK;
    enum hf_status status = hf_names_add(&request->names, stacks->profile, err);
    if (status == HF_OK)
        status = hf_view_make(&view, &naming, NULL, 0, err);
    struct hf_budget_scope before = hf_budget_enter(&view.budget);
    if (status == HF_OK)
        status = find_place_owners(&view, &owners, err);
    if (status == HF_OK)
        status = keep_all_names(stacks, &view, owners, err);
    if (status == HF_OK && notes != NULL)
        hf_notes_merge(notes, hf_view_notes(&view));
    hf_budget_leave(before);
    free(owners);
    hf_view_done(&view);
    return status;
}
