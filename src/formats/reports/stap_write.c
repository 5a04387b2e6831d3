/*
 * stap_write.c: stacks with a number, as SystemTap's print_usyms prints them and
 * formats/reports/stap.c and stackcollapse-stap.pl read them.
 *
 *     stack = { frame LF } TAB [ "-" ] digits LF               leaf first, the heaviest stack first
 *     frame = " 0x" address " : " name                         of all names at one address, too
 *           | " 0x" address " : 0x" address " [" path "+0x" offset "]"        no name
 *
 * The address is the one that the call returns to, where the file was mapped; 0x0 if there is none.
 * Distances from the start of a function are not known here, so they and the module are left out
 * where there is a name. What has no place: other values, threads, source lines.
 */
#include "base/budget.h"
#include "base/strings/escape.h"
#include "formats/writers.h"
#include "profile/fold.h"

#include <inttypes.h>
#include <stdlib.h>

#define FRAME_STEPS 300
#define BYTE_STEPS 20
#define SEGMENT_STEPS 8

struct stap_write_stack {
    uint32_t node;
    uint64_t grew, released;
};

static uint64_t stap_write_weight_of(const struct stap_write_stack *stack)
{
    return stack->grew > stack->released ? stack->grew - stack->released
                                         : stack->released - stack->grew;
}

static int compare_stacks(const void *a, const void *b)
{
    const struct stap_write_stack *x = a, *y = b;
    if (stap_write_weight_of(x) != stap_write_weight_of(y))
        return stap_write_weight_of(x) > stap_write_weight_of(y) ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static uint64_t stap_write_address_of(
    const struct hf_profile *profile, const struct hf_frame *frame)
{
    const struct hf_module *module = &profile->modules[frame->module];
    if ((frame->flags & HF_FRAME_HAS_OFFSET) == 0)
        return 0;
    for (size_t i = 0; i < module->segment_count; i++) {
        const struct hf_segment *s = &module->segments[i];
        if (frame->offset - s->file_offset < s->end - s->start)
            return s->start + (frame->offset - s->file_offset) + 1;
    }
    return frame->module == HF_NO_MODULE ? frame->offset + 1 : 0;
}

static void stap_write_put_place(
    const struct hf_profile *profile, const struct hf_frame *frame, struct hf_out *out)
{
    uint64_t address = stap_write_address_of(profile, frame);
    hf_out_printf(out, " 0x%" PRIx64 " : ", address);
    if ((frame->flags & HF_FRAME_NAMED) != 0)
        return;
    hf_out_printf(out, "0x%" PRIx64, address);
    if (frame->module == HF_NO_MODULE)
        return;
    hf_out_string(out, " [");
    hf_escape_terminal(out, hf_profile_text(profile, profile->modules[frame->module].path));
    hf_out_printf(out, "+0x%" PRIx64 "]", frame->offset + 1);
}

static void stap_write_put_frame(const struct hf_profile *profile, const struct hf_frame *place,
    const struct hf_frame *named, struct hf_out *out)
{
    struct hf_text name = hf_profile_text(profile, named->name);
    struct hf_frame shown = *place;
    (void)hf_budget_step(FRAME_STEPS + BYTE_STEPS * name.size +
                         SEGMENT_STEPS * profile->modules[place->module].segment_count);
    shown.flags |= named->flags & HF_FRAME_NAMED;
    stap_write_put_place(profile, &shown, out);
    if ((named->flags & HF_FRAME_NAMED) != 0)
        hf_escape_terminal(out, name);
    /* A bracket at the end would be a module's. */
    if (hf_text_ends(name, "]") && !hf_text_starts(name, "["))
        hf_out_string(out, " [?]");
    hf_out_char(out, '\n');
}

static void stap_write_put_stack(
    const struct hf_profile *profile, const struct stap_write_stack *stack, struct hf_out *out)
{
    const struct hf_stacktree *stacks = &profile->stacks;
    for (uint32_t node = stack->node; node != HF_STACK_ROOT && out->error.status == HF_OK;
         node = stacks->nodes[node].parent) {
        size_t count;
        uint32_t id = stacks->nodes[node].frame;
        const uint32_t *names = hf_profile_expansion(profile, &id, &count);
        for (size_t i = 0; i < count; i++)
            stap_write_put_frame(profile, hf_profile_frame_at(profile, id),
                hf_profile_frame_at(profile, names[i]), out);
    }
    if (stack->node == HF_STACK_ROOT)
        hf_out_string(out, " 0x0 : " HF_NO_STACK "\n");
    hf_out_printf(out, "\t%s%" PRIu64 "\n", stack->grew < stack->released ? "-" : "",
        stap_write_weight_of(stack));
}

static enum hf_status write_stap(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    size_t count = profile->stacks.count;
    struct stap_write_stack *by_node = calloc(count, sizeof *by_node);
    (void)notes;
    if (by_node == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++)
        by_node[i].node = (uint32_t)i;
    for (size_t i = 0; i < profile->sample_count; i++) {
        if (profile->samples[i].thread != HF_THREAD_ALL)
            continue;
        struct stap_write_stack *stack = &by_node[profile->samples[i].node];
        stack->grew += hf_profile_value(profile, i, type);
        stack->released += hf_profile_released(profile, i, type);
    }
    qsort(by_node, count, sizeof *by_node, compare_stacks);
    for (size_t i = 0;
         i < count && stap_write_weight_of(&by_node[i]) != 0 && out->error.status == HF_OK; i++)
        stap_write_put_stack(profile, &by_node[i], out);
    free(by_node);
    return HF_OK;
}

const struct hf_writer hf_writer_stap = {
    .name = "stap",
    .what = "stacks as SystemTap's print_usyms prints them",
    .endings = {".stap"},
    .write = write_stap,
};
