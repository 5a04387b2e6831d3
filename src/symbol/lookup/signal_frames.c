#include "symbol/lookup/signal_frames.h"

#include "profile/samples.h"

#include <stdlib.h>
#include <string.h>

/* A node of the tree as it was, and the one or two that take its place. */
struct signal_frames_fate {
    struct hf_stack_node old;
    uint32_t called, interrupted; /* new nodes, where they are needed */
    bool is_called, is_interrupted;
};

static void find_needs(const struct hf_profile *profile, const bool *is_restorer,
    struct signal_frames_fate *fates, size_t count)
{
    for (size_t i = 0; i < profile->sample_count; i++)
        fates[profile->samples[i].node].is_called = true;
    for (size_t node = 1; node < count; node++) {
        struct signal_frames_fate *parent = &fates[fates[node].old.parent];
        if (is_restorer[fates[node].old.frame])
            parent->is_interrupted = true;
        else
            parent->is_called = true;
    }
}

static enum hf_status add_node(struct hf_profile *profile, const bool *is_restorer,
    struct signal_frames_fate *fates, struct signal_frames_fate *fate, struct hf_error *err)
{
    const struct signal_frames_fate *outer = &fates[fate->old.parent];
    uint32_t parent = is_restorer[fate->old.frame] ? outer->interrupted : outer->called;
    enum hf_status status = HF_OK;
    if (fate->is_called)
        status = hf_stacktree_child(&profile->stacks, parent, fate->old.frame, &fate->called, err);
    if (status != HF_OK || !fate->is_interrupted)
        return status;
    struct hf_frame frame = *hf_profile_frame_at(profile, fate->old.frame);
    uint32_t exact;
    frame.flags |= HF_FRAME_INTERRUPTED;
    status = hf_profile_frame(profile, &frame, &exact, err);
    return status == HF_OK
               ? hf_stacktree_child(&profile->stacks, parent, exact, &fate->interrupted, err)
               : status;
}

static enum hf_status signal_frames_add_again(struct hf_profile *profile, const bool *is_restorer,
    struct signal_frames_fate *fates, size_t count, struct hf_error *err)
{
    uint32_t *new_nodes = calloc(count, sizeof *new_nodes);
    if (new_nodes == NULL)
        return hf_error_memory(err);
    enum hf_status status = HF_OK;
    hf_stacktree_clear(&profile->stacks);
    for (size_t node = 1; node < count && status == HF_OK; node++) {
        status = add_node(profile, is_restorer, fates, &fates[node], err);
        new_nodes[node] = fates[node].called;
    }
    if (status == HF_OK)
        status = hf_samples_move(profile, new_nodes, err);
    free(new_nodes);
    return status;
}

enum hf_status hf_signal_frames_mark(
    struct hf_profile *profile, const bool *is_restorer, struct hf_error *err)
{
    size_t count = profile->stacks.count;
    struct signal_frames_fate *fates = calloc(count, sizeof *fates);
    if (fates == NULL)
        return hf_error_memory(err);
    for (size_t node = 1; node < count; node++)
        fates[node].old = profile->stacks.nodes[node];
    find_needs(profile, is_restorer, fates, count);
    enum hf_status status = signal_frames_add_again(profile, is_restorer, fates, count, err);
    free(fates);
    return status;
}
