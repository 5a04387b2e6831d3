#include "profile/threads.h"

#include "base/checked.h"
#include "base/plural.h"
#include "base/strings/num.h"

void hf_threads_label(const struct hf_profile *profile, uint32_t thread, struct hf_out *out)
{
    struct hf_text name = hf_profile_text(profile, profile->threads[thread].name);
    if (name.size != 0)
        hf_out_text(out, name);
    else
        hf_out_printf(out, "thread %llu", (unsigned long long)profile->threads[thread].uid);
}

static bool threads_are_called(
    const struct hf_profile *profile, struct hf_text text, bool *out_is_chosen)
{
    struct hf_out label = {0};
    bool is_any = false;
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        label.size = 0;
        hf_threads_label(profile, i, &label);
        out_is_chosen[i] =
            hf_out_finish(&label, NULL) == HF_OK && hf_text_equal(hf_out_view(&label), text);
        is_any = is_any || out_is_chosen[i];
    }
    hf_out_done(&label);
    return is_any;
}

enum hf_status hf_threads_choose(
    const struct hf_profile *profile, const char *text, bool *out_is_chosen, struct hf_error *err)
{
    uint64_t uid;
    const uint32_t *known =
        hf_num_u64(hf_text_of(text), &uid) ? hf_map_find(&profile->thread_index, uid) : NULL;
    if (known != NULL)
        out_is_chosen[*known] = true;
    if (known != NULL || threads_are_called(profile, hf_text_of(text), out_is_chosen))
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "--thread: the profile has no thread '%s'; it has %zu %s, which heapflame top --threads "
        "lists",
        text, profile->thread_count, hf_plural(profile->thread_count, "thread", "threads"));
}

/* The node of a thread; HF_THREAD_ALL: of what no thread has. */
static enum hf_status threads_node(const struct hf_profile *from, uint32_t thread,
    struct hf_profile *to, uint32_t *out_node, struct hf_error *err)
{
    uint32_t id;
    struct hf_out label = {0};
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    if (thread == HF_THREAD_ALL)
        hf_out_string(&label, HF_NO_THREAD);
    else
        hf_threads_label(from, thread, &label);
    enum hf_status status = hf_out_finish(&label, err);
    if (status == HF_OK)
        status = hf_profile_string(to, hf_out_view(&label), &frame.name, err);
    if (status == HF_OK)
        status = hf_profile_frame(to, &frame, &id, err);
    if (status == HF_OK)
        status = hf_stacktree_child(&to->stacks, HF_STACK_ROOT, id, out_node, err);
    hf_out_done(&label);
    return status;
}

/* What the whole process has and no thread. */
static enum hf_status threads_add_rest(const struct hf_profile *from, const uint64_t *whole,
    const uint64_t *known, struct hf_profile *to, struct hf_error *err)
{
    uint32_t node;
    bool is_any = false;
    uint64_t rest[2 * HF_VALUE_TYPES_MAX];
    for (size_t i = 0; i < hf_profile_stride(from); i++) {
        rest[i] = whole[i] > known[i] ? whole[i] - known[i] : 0;
        is_any = is_any || rest[i] != 0;
    }
    if (!is_any)
        return HF_OK;
    enum hf_status status = threads_node(from, HF_THREAD_ALL, to, &node, err);
    return status == HF_OK ? hf_profile_add_sample(to, node, HF_THREAD_ALL, rest, err) : status;
}

enum hf_status hf_threads_fold(const struct hf_profile *from, hf_threads_counts_fn *counts,
    const void *context, struct hf_profile *to, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t whole[2 * HF_VALUE_TYPES_MAX] = {0}, known[2 * HF_VALUE_TYPES_MAX] = {0};
    if (from->thread_count == 0)
        return hf_error_set(
            err, HF_ERR_USAGE, "--threads: the profile does not say which thread allocated what");
    for (size_t i = 0; status == HF_OK && i < from->sample_count; i++) {
        uint32_t node, thread = from->samples[i].thread;
        const uint64_t *values = hf_profile_values(from, i);
        if (counts != NULL && !counts(context, i))
            continue;
        bool ignored = false;
        uint64_t *sums = thread == HF_THREAD_ALL ? whole : known;
        for (size_t type = 0; type < hf_profile_stride(from); type++)
            sums[type] = hf_add_saturating(sums[type], values[type], &ignored);
        if (thread == HF_THREAD_ALL)
            continue;
        status = threads_node(from, thread, to, &node, err);
        if (status == HF_OK)
            status = hf_profile_add_sample(to, node, HF_THREAD_ALL, values, err);
    }
    return status == HF_OK ? threads_add_rest(from, whole, known, to, err) : status;
}
