#include "profile/fold.h"

#include "base/budget.h"
#include "base/containers/print_map.h"
#include "base/plural.h"
#include "profile/allocator.h"
#include "profile/modules.h"
#include "profile/samples.h"
#include "profile/threads.h"

#include <stdlib.h>

#define FRAME_STEPS 500
#define LABEL_BYTE_STEPS 4
#define FOLD_PERCENT 20 /* of the budget: the rest is for what is made of it */
#define NODES_A_LOOK 64 /* at the budget: a look costs about as much as a node */

/* What is known about one frame id of the source, filled on first use. */
struct frame_fate {
    const uint32_t *named; /* what it is expanded to, leaf first; NULL: not looked up yet */
    size_t named_count;
    uint32_t display; /* frame id in the result */
    bool is_known, is_allocator, is_dropped, is_focus, is_ignored, is_callee;
};

/* What is known about one node of the source: where its stack is in the result. */
struct node_fate {
    uint32_t node; /* in the result */
    bool is_cut;   /* the rest of the stack is not shown: the allocator's, or below a callee */
    bool is_shown; /* keeps_addresses: some of what the address shows */
    bool is_focus, is_ignored, is_callee;
};

struct folder {
    const struct hf_profile *from;
    const struct hf_fold_options *options;
    struct hf_profile *to;
    struct frame_fate *frames;
    struct node_fate *nodes;
    bool *is_chosen;     /* by thread of the source */
    struct hf_out label; /* scratch */
    struct hf_fingerprint_key key;
    struct hf_print_map labels; /* of the result's frames: one frame, one label */
    size_t left_out;            /* nodes that are not shown: there is no budget for them */
    bool keeps_apart;           /* so far: stacks that differ, as far as they are shown, still do */
};

void hf_frame_put_twins(uint32_t twins, const char *before, const char *after, struct hf_out *out)
{
    if (twins == 0)
        return;
    hf_out_printf(out, "%sone of ", before);
    hf_out_u64(out, twins < HF_FRAME_TWINS_MAX ? twins : HF_FRAME_TWINS_MAX);
    hf_out_printf(out, "%s equal functions%s", twins < HF_FRAME_TWINS_MAX ? "" : " or more", after);
}

void hf_frame_name(
    const struct hf_profile *profile, const struct hf_frame *frame, struct hf_out *out)
{
    hf_out_text(out, hf_profile_text(profile, frame->name));
    hf_frame_put_twins(frame->flags >> HF_FRAME_TWINS_SHIFT, " [", "]", out);
}

void hf_frame_label(
    const struct hf_profile *profile, const struct hf_frame *frame, struct hf_out *out)
{
    const char *space = "";
    struct hf_text path = hf_profile_text(profile, profile->modules[frame->module].path);
    bool is_return = (frame->flags & HF_FRAME_RETURN) != 0;
    if ((frame->flags & HF_FRAME_HAS_OFFSET) != 0) {
        hf_out_text(out, hf_text_basename(path));
        hf_out_string(out, frame->module != HF_NO_MODULE ? "+0x" : "0x");
        hf_out_hex(out, frame->offset + is_return);
        space = " ";
    }
    if (frame->name != HF_NO_STRING) {
        hf_out_string(out, space);
        hf_out_text(out, hf_profile_text(profile, frame->name));
        if (frame->symbol != HF_NO_STRING) {
            hf_out_string(out, "+0x");
            hf_out_hex(out, frame->offset + is_return);
        }
        hf_frame_put_twins(frame->flags >> HF_FRAME_TWINS_SHIFT, " [", "]", out);
        space = " ";
    }
    if (frame->file != HF_NO_STRING) {
        hf_out_string(out, space);
        hf_out_text(out, hf_profile_text(profile, frame->file));
        if (frame->line != 0) {
            hf_out_string(out, (frame->flags & HF_FRAME_IS_NEAR) != 0 ? ":~" : ":");
            hf_out_u64(out, frame->line);
        }
    } else if (frame->name == HF_NO_STRING && frame->symbol != HF_NO_STRING) {
        hf_out_string(out, "[before ");
        hf_out_text(out, hf_profile_text(profile, frame->symbol));
        hf_out_char(out, ']');
    } else if (frame->flags == HF_FRAME_IS_MODULE && path.size == 0) {
        hf_out_string(out, HF_NO_MODULE_LABEL);
    } else if (frame->flags == HF_FRAME_IS_MODULE) {
        hf_out_char(out, '[');
        hf_out_text(out, hf_text_basename(path));
        hf_out_char(out, ']');
    } else if ((frame->flags & (HF_FRAME_HAS_OFFSET | HF_FRAME_NAMED)) == 0) {
        /* Only by file can a frame have none of all this. */
        hf_out_text(out, path.size != 0 ? hf_text_basename(path) : HF_TEXT(HF_NO_FILE));
    }
}

/* By module. A frame that has none is of its source file, which is what a script has. */
static struct hf_frame module_of_frame(const struct hf_frame *frame)
{
    if (frame->module != HF_NO_MODULE)
        return (struct hf_frame){.module = frame->module};
    return (struct hf_frame){
        .file = frame->file, .flags = frame->file == HF_NO_STRING ? HF_FRAME_IS_MODULE : 0};
}

/* Clears what the granularity does not show, so that equal frames are equal bytes. */
static struct hf_frame at_granularity(const struct hf_frame *frame, enum hf_granularity granularity)
{
    struct hf_frame shown = *frame;
    bool is_named = (frame->flags & HF_FRAME_NAMED) != 0;
    shown.flags &= ~(uint32_t)HF_FRAME_INLINED;
    if (granularity == HF_BY_ADDRESS)
        return shown;
    if (granularity == HF_BY_MODULE)
        return module_of_frame(frame);
    if (!is_named && granularity != HF_BY_FILE && (frame->flags & HF_FRAME_IS_MODULE) != 0)
        return (struct hf_frame){.module = frame->module, .flags = HF_FRAME_IS_MODULE};
    if (!is_named && granularity != HF_BY_FILE) {
        if (frame->past_start != 0)
            shown.flags &= ~(uint32_t)HF_FRAME_RETURN;
        shown.offset -= frame->past_start;
        shown.past_start = 0;
        return shown;
    }
    shown.flags &= HF_FRAME_NAMED | HF_FRAME_IS_NEAR | HF_FRAME_TWINS;
    shown.offset = 0;
    shown.symbol = HF_NO_STRING;
    if (granularity == HF_BY_FUNCTION) {
        shown.file = HF_NO_STRING;
        shown.line = 0;
        shown.flags &= HF_FRAME_NAMED | HF_FRAME_TWINS;
    }
    if (granularity == HF_BY_FILE) {
        shown.name = HF_NO_STRING;
        shown.line = 0;
        shown.flags = 0;
    }
    if (granularity != HF_BY_FILE || shown.file != HF_NO_STRING)
        shown.module = HF_NO_MODULE;
    return shown;
}

void hf_fold_label(const struct hf_profile *profile, const struct hf_frame *frame,
    enum hf_granularity granularity, struct hf_out *out)
{
    struct hf_frame shown = at_granularity(frame, granularity);
    hf_frame_label(profile, &shown, out);
}

static bool matches(struct folder *f, struct hf_regex *regex, const struct hf_frame *frame)
{
    /* The name alone, too: people anchor their patterns (--focus '^main$'), and jeprof does so. */
    return hf_regex_matches(regex, hf_out_view(&f->label)) ||
           (frame->name != HF_NO_STRING &&
               hf_regex_matches(regex, hf_profile_text(f->from, frame->name))) ||
           (frame->file != HF_NO_STRING &&
               hf_regex_matches(regex, hf_profile_text(f->from, frame->file)));
}

/* What the name of `frame` is to end with; empty if nothing. */
static struct hf_text mark_of_frame(const struct folder *f, const struct hf_frame *frame)
{
    unsigned marks = f->options->marks;
    struct hf_text path = hf_profile_text(f->from, f->from->modules[frame->module].path);
    struct hf_text name = hf_profile_text(f->from, frame->name), mark = {NULL, 0};
    if ((marks & HF_MARK_INLINED) != 0 && (frame->flags & HF_FRAME_INLINED) != 0)
        mark = HF_TEXT("_[i]");
    else if ((marks & HF_MARK_KERNEL) != 0 && hf_modules_is_kernel(path))
        mark = HF_TEXT("_[k]");
    else if ((marks & HF_MARK_JIT) != 0 && hf_modules_is_jit(path))
        mark = HF_TEXT("_[j]");
    bool has_mark =
        name.size >= mark.size && hf_text_equal(hf_text_from(name, name.size - mark.size), mark);
    return name.size == 0 || has_mark ? (struct hf_text){NULL, 0} : mark;
}

/* The name of a display frame in the result. */
static enum hf_status fold_copy_name(
    struct folder *f, uint32_t name, struct hf_text mark, uint32_t *out_name, struct hf_error *err)
{
    struct hf_text text = hf_profile_text(f->from, name);
    if (mark.size == 0)
        return hf_profile_string(f->to, text, out_name, err);
    f->label.size = 0;
    hf_out_text(&f->label, text);
    hf_out_text(&f->label, mark);
    enum hf_status status = hf_out_finish(&f->label, err);
    return status == HF_OK ? hf_profile_string(f->to, hf_out_view(&f->label), out_name, err)
                           : status;
}

/*
 * Copies a display frame into the result, whose strings and modules are its own. Frames that read
 * the same become one, so that nobody downstream has to compare labels.
 */
static enum hf_status copy_frame(struct folder *f, const struct hf_frame *shown,
    struct hf_text mark, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame copy = *shown;
    const struct hf_module *module = &f->from->modules[shown->module];
    enum hf_status status = hf_profile_module(f->to, hf_profile_text(f->from, module->path),
        hf_profile_text(f->from, module->build_id), &copy.module, err);
    if (status == HF_OK)
        status = hf_profile_copy_module_facts(f->to, copy.module, f->from, shown->module, err);
    if (status == HF_OK)
        status = fold_copy_name(f, shown->name, mark, &copy.name, err);
    if (status == HF_OK)
        status = hf_profile_string(f->to, hf_profile_text(f->from, shown->file), &copy.file, err);
    if (status == HF_OK)
        status =
            hf_profile_string(f->to, hf_profile_text(f->from, shown->symbol), &copy.symbol, err);
    if (status != HF_OK)
        return status;
    f->label.size = 0;
    hf_frame_label(f->to, &copy, &f->label);
    if (f->label.error.status != HF_OK)
        return hf_error_memory(err);
    struct hf_fingerprint label = hf_fingerprint_of(&f->key, hf_out_view(&f->label));
    const uint32_t *known = hf_print_map_find(&f->labels, label);
    if (known != NULL) {
        f->keeps_apart = false;
        *out_frame = *known;
        return HF_OK;
    }
    status = hf_profile_frame(f->to, &copy, out_frame, err);
    if (status == HF_OK && !hf_print_map_put(&f->labels, label, *out_frame))
        status = hf_error_memory(err);
    return status;
}

static HF_APART enum hf_status find_fate(struct folder *f, uint32_t frame_id, struct hf_error *err)
{
    struct frame_fate *fate = &f->frames[frame_id];
    const struct hf_fold_options *options = f->options;
    const struct hf_frame *frame = hf_profile_frame_at(f->from, frame_id);
    f->label.size = 0;
    hf_frame_label(f->from, frame, &f->label);
    if (f->label.error.status != HF_OK)
        return hf_error_memory(err);
    if (!hf_budget_step(FRAME_STEPS + LABEL_BYTE_STEPS * f->label.size))
        return hf_budget_refuse(err);
    fate->is_known = true;
    fate->is_allocator = hf_allocator_is_frame(f->from, frame);
    fate->is_focus = options->focus != NULL && matches(f, options->focus, frame);
    fate->is_ignored = options->ignore != NULL && matches(f, options->ignore, frame);
    fate->is_callee = options->callers != NULL && matches(f, options->callers, frame);
    fate->is_dropped = (options->retain != NULL && !matches(f, options->retain, frame)) ||
                       (options->exclude != NULL && matches(f, options->exclude, frame));
    struct hf_frame shown = at_granularity(frame, options->granularity);
    if (options->keeps_modules)
        shown.module = frame->module;
    return copy_frame(f, &shown, mark_of_frame(f, frame), &fate->display, err);
}

static inline enum hf_status fate_of(
    struct folder *f, uint32_t frame_id, const struct frame_fate **out_fate, struct hf_error *err)
{
    *out_fate = &f->frames[frame_id];
    return HF_LIKELY((*out_fate)->is_known) ? HF_OK : find_fate(f, frame_id, err);
}

/* By module: the frame of the address has it, its names do not; and a module is one frame for all
 * that it calls in itself. */
static enum hf_status fold_step_module(struct folder *f, struct node_fate *at, uint32_t frame_id,
    uint32_t address, struct hf_error *err)
{
    const struct frame_fate *fate, *named;
    enum hf_status status = fate_of(f, frame_id, &named, err);
    if (status == HF_OK)
        status = fate_of(f, address, &fate, err);
    if (status != HF_OK)
        return status;
    bool has_module = hf_profile_frame_at(f->from, address)->module != HF_NO_MODULE;
    uint32_t display = has_module ? fate->display : named->display;
    if (at->node != HF_STACK_ROOT && f->to->stacks.nodes[at->node].frame == display)
        return HF_OK;
    return hf_stacktree_child(&f->to->stacks, at->node, display, &at->node, err);
}

/* Appends one named frame of an address to the stack that `at` stands for. */
static enum hf_status fold_step(struct folder *f, struct node_fate *at, uint32_t frame_id,
    uint32_t address, struct hf_error *err)
{
    const struct frame_fate *fate;
    enum hf_status status = fate_of(f, frame_id, &fate, err);
    if (status != HF_OK)
        return status;
    if (fate->is_callee) {
        at->is_cut = at->is_callee = true;
        return HF_OK;
    }
    bool is_cut_here = fate->is_allocator && !f->options->keep_allocator;
    at->is_cut = is_cut_here;
    if (is_cut_here && at->node != HF_STACK_ROOT)
        return HF_OK;
    at->is_focus = at->is_focus || fate->is_focus;
    at->is_ignored = at->is_ignored || fate->is_ignored;
    if (fate->is_dropped) {
        f->keeps_apart = false;
        return HF_OK;
    }
    at->is_shown = true;
    if (f->options->keeps_addresses)
        return HF_OK; /* fold_address will */
    if (f->options->granularity == HF_BY_MODULE)
        return fold_step_module(f, at, frame_id, address, err);
    return f->keeps_apart
               ? hf_stacktree_append(&f->to->stacks, at->node, fate->display, &at->node, err)
               : hf_stacktree_child(&f->to->stacks, at->node, fate->display, &at->node, err);
}

/* Of a module that is used for the first time: where it was mapped, for who looks for its file. */
static enum hf_status fold_copy_mappings(
    struct folder *f, uint32_t from_module, uint32_t to_module, struct hf_error *err)
{
    const struct hf_module *from = &f->from->modules[from_module];
    enum hf_status status = HF_OK;
    bool is_new = f->to->modules[to_module].segment_count == 0;
    for (size_t i = 0; is_new && status == HF_OK && i < from->segment_count; i++)
        status = hf_profile_add_segment(f->to, to_module, &from->segments[i], err);
    return status;
}

/* The frame of an address in the result, expanded to what is shown of it, leaf first. */
static enum hf_status fold_copy_address(struct folder *f, uint32_t frame_id, const uint32_t *named,
    size_t count, uint32_t *out_frame, struct hf_error *err)
{
    struct hf_frame copy = *hf_profile_frame_at(f->from, frame_id);
    const struct hf_module *module = &f->from->modules[copy.module];
    uint32_t from_module = copy.module, *shown;
    enum hf_status status = hf_profile_module(f->to, hf_profile_text(f->from, module->path),
        hf_profile_text(f->from, module->build_id), &copy.module, err);
    if (status == HF_OK)
        status = hf_profile_copy_module_facts(f->to, copy.module, f->from, from_module, err);
    if (status == HF_OK)
        status = fold_copy_mappings(f, from_module, copy.module, err);
    if (status == HF_OK)
        status = hf_profile_string(f->to, hf_profile_text(f->from, copy.symbol), &copy.symbol, err);
    copy.name = copy.file = HF_NO_STRING; /* its expansion has them */
    copy.line = 0;
    if (status == HF_OK)
        status = hf_profile_frame(f->to, &copy, out_frame, err);
    if (status != HF_OK || hf_profile_is_expanded(f->to, *out_frame))
        return status;
    shown = hf_budget_calloc(count + 1, sizeof *shown);
    if (shown == NULL)
        return hf_error_memory(err);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct frame_fate *fate = &f->frames[named[i]];
        if (fate->is_known && !fate->is_dropped)
            shown[kept++] = fate->display;
    }
    status = hf_profile_expand(f->to, *out_frame, shown, kept, err);
    hf_budget_free(shown);
    return status;
}

/* keeps_addresses: what fold_step has let through is one frame. */
static enum hf_status fold_address(struct folder *f, struct node_fate *at, uint32_t frame_id,
    const uint32_t *named, size_t count, struct hf_error *err)
{
    uint32_t display;
    bool has_address = (hf_profile_frame_at(f->from, frame_id)->flags & HF_FRAME_HAS_OFFSET) != 0;
    enum hf_status status = HF_OK;
    if (!at->is_shown)
        return HF_OK;
    at->is_shown = false;
    if (!has_address || named[0] == frame_id)
        display = f->frames[named[0]].display;
    else
        status = fold_copy_address(f, frame_id, named, count, &display, err);
    return status == HF_OK ? hf_stacktree_child(&f->to->stacks, at->node, display, &at->node, err)
                           : status;
}

static enum hf_status fold_node(struct folder *f, size_t node, struct hf_error *err)
{
    const struct hf_stack_node *old = &f->from->stacks.nodes[node];
    struct node_fate at = f->nodes[old->parent];
    struct frame_fate *own = &f->frames[old->frame];
    if (own->named == NULL)
        own->named = hf_profile_expansion(f->from, &old->frame, &own->named_count);
    const uint32_t *named = own->named;
    size_t count = own->named_count;
    f->keeps_apart = f->keeps_apart && count == 1 && named[0] == old->frame;
    /* By address one frame is shown: the innermost, whose line is the address's own. */
    size_t first = f->options->granularity == HF_BY_ADDRESS && count != 0 ? 1 : count;
    for (size_t i = first; i-- != 0 && !at.is_cut;) {
        enum hf_status status = fold_step(f, &at, named[i], old->frame, err);
        if (status != HF_OK)
            return status;
    }
    if (f->options->keeps_addresses) {
        enum hf_status status = fold_address(f, &at, old->frame, named, count, err);
        if (status != HF_OK)
            return status;
    }
    f->nodes[node] = at;
    return HF_OK;
}

/* Of so few bytes no more may be made: what the node has is its caller's. */
static void fold_leave_out(struct folder *f, size_t node)
{
    f->nodes[node] = f->nodes[f->from->stacks.nodes[node].parent];
    f->left_out++;
}

static void fold_note_left_out(struct folder *f)
{
    if (f->left_out == 0)
        return;
    hf_notes_add(&f->to->notes, HF_NOTE_LOSS,
        "%zu %s, because showing them would cost too much for an "
        "input of %llu %s; if you trust it, allow N times as much with --input-budget N "
        "(HF_LIMIT_BUDGET_STEPS, HF_LIMIT_BUDGET_MEMORY)",
        f->left_out,
        hf_plural(f->left_out, "callee is not shown and counts for its caller",
            "callees are not shown and count for their callers"),
        (unsigned long long)f->from->given_bytes, hf_plural(f->from->given_bytes, "byte", "bytes"));
}

/* The filters keep it, and its thread is asked for. */
static bool fold_counts(const void *context, size_t index)
{
    const struct folder *f = context;
    const struct hf_sample *sample = &f->from->samples[index];
    const struct node_fate *fate = &f->nodes[sample->node];
    bool is_whole = sample->thread == HF_THREAD_ALL;
    bool is_of_thread = f->options->thread != NULL ? !is_whole && f->is_chosen[sample->thread]
                                                   : is_whole || f->options->keeps_threads ||
                                                         f->options->granularity == HF_BY_THREAD;
    return is_of_thread && !fate->is_ignored && (f->options->focus == NULL || fate->is_focus) &&
           (f->options->callers == NULL || fate->is_callee);
}

/* What the process holds: a node has one sample, which an array finds for less than a table would.
 */
static enum hf_status fold_samples_of_all(struct folder *f, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint32_t *made = hf_budget_calloc(f->to->stacks.count, sizeof *made); /* plus one; 0: none */
    if (made == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < f->from->sample_count; i++) {
        uint32_t node = f->nodes[f->from->samples[i].node].node, sample = made[node] - 1;
        if (!fold_counts(f, i))
            continue;
        if (made[node] == 0)
            status = hf_sample_append(f->to, node, HF_THREAD_ALL, &sample, err);
        if (status == HF_OK) {
            made[node] = sample + 1;
            hf_sample_add(f->to, sample, hf_profile_values(f->from, i));
        }
    }
    hf_budget_free(made);
    return status;
}

static enum hf_status fold_samples(struct folder *f, struct hf_error *err)
{
    if (f->options->granularity == HF_BY_THREAD)
        return hf_threads_fold(f->from, fold_counts, f, f->to, err);
    bool keeps = f->options->keeps_threads && f->options->thread == NULL;
    if (!keeps || f->from->thread_count == 0)
        return fold_samples_of_all(f, err);
    for (size_t i = 0; i < f->from->sample_count; i++) {
        const struct hf_sample *sample = &f->from->samples[i];
        if (!fold_counts(f, i))
            continue;
        enum hf_status status = hf_profile_add_sample(
            f->to, f->nodes[sample->node].node, sample->thread, hf_profile_values(f->from, i), err);
        if (status != HF_OK)
            return status;
    }
    return HF_OK;
}

/* In their order: a thread has the same index in the result. */
static enum hf_status copy_threads(struct folder *f, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < f->from->thread_count; i++) {
        uint32_t ignored;
        status = hf_profile_thread(f->to, f->from->threads[i].uid,
            hf_profile_text(f->from, f->from->threads[i].name), &ignored, err);
    }
    return status;
}

static enum hf_status fold_nodes(struct folder *f, struct hf_error *err)
{
    size_t node = 1, count = f->from->stacks.count;
    while (node < count && hf_budget_is_below(FOLD_PERCENT)) {
        size_t end = count - node > NODES_A_LOOK ? node + NODES_A_LOOK : count;
        for (; node < end; node++) {
            enum hf_status status = fold_node(f, node, err);
            if (status != HF_OK)
                return status;
        }
    }
    for (; node < count; node++)
        fold_leave_out(f, node);
    return HF_OK;
}

static enum hf_status fold_run(struct folder *f, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (f->options->thread != NULL)
        status = hf_threads_choose(f->from, f->options->thread, f->is_chosen, err);
    if (status == HF_OK)
        status = hf_profile_copy_head(f->to, f->from, err);
    if (status == HF_OK && f->options->keeps_threads && f->options->thread == NULL) {
        f->to->capture.has_classes = f->from->capture.has_classes;
        f->to->capture.has_no_freed = f->from->capture.has_no_freed;
        status = copy_threads(f, err);
    }
    if (status != HF_OK)
        return status;
    f->nodes[HF_STACK_ROOT] = (struct node_fate){.node = HF_STACK_ROOT};
    status = fold_nodes(f, err);
    return status == HF_OK ? fold_samples(f, err) : status;
}

enum hf_status hf_profile_fold(const struct hf_profile *from, const struct hf_fold_options *options,
    struct hf_profile **out_folded, struct hf_error *err)
{
    struct folder f = {
        .from = from, .options = options, .keeps_apart = options->granularity != HF_BY_MODULE};
    enum hf_status status = hf_fingerprint_key_draw(&f.key, err);
    if (status == HF_OK)
        status = hf_profile_new(&f.to, err);
    if (status == HF_OK) {
        f.frames = hf_budget_calloc((size_t)from->frames.count + 1, sizeof *f.frames);
        f.nodes = hf_budget_calloc(from->stacks.count, sizeof *f.nodes);
        f.is_chosen = hf_budget_calloc(from->thread_count + 1, sizeof *f.is_chosen);
        bool has_room = f.frames != NULL && f.nodes != NULL && f.is_chosen != NULL;
        status = has_room ? fold_run(&f, err) : hf_error_memory(err);
    }
    hf_budget_free(f.frames);
    hf_budget_free(f.nodes);
    hf_budget_free(f.is_chosen);
    hf_out_done(&f.label);
    hf_print_map_done(&f.labels);
    if (status != HF_OK) {
        hf_profile_free(f.to);
        return status;
    }
    fold_note_left_out(&f);
    hf_notes_given_up(&f.to->notes, "--focus", options->focus);
    hf_notes_given_up(&f.to->notes, "--ignore", options->ignore);
    hf_notes_given_up(&f.to->notes, "--retain", options->retain);
    hf_notes_given_up(&f.to->notes, "--exclude", options->exclude);
    hf_notes_given_up(&f.to->notes, "--callers-of", options->callers);
    *out_folded = f.to;
    return HF_OK;
}
