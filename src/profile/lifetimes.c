#include "profile/lifetimes.h"

#include "base/checked.h"
#include "base/containers/vec.h"
#include "profile/unbias.h"

#include <stdlib.h>
#include <string.h>

void hf_lifetimes_scale(struct hf_lifetimes *lifetimes, double factor)
{
    for (size_t i = 0; i < lifetimes->birth_count; i++) {
        struct hf_births *births = &lifetimes->births[i];
        for (size_t bin = 0; bin <= HF_LIFETIMES_BINS; bin++)
            births->bytes[bin] *= factor;
        for (size_t epoch = 0; epoch < HF_LIFETIMES_EPOCHS; epoch++)
            births->epochs[epoch] *= factor;
        births->old_bytes *= factor;
        births->squares *= factor * factor;
    }
}

void hf_lifetimes_done(struct hf_lifetimes *lifetimes)
{
    free(lifetimes->births);
    free(lifetimes->freed);
    hf_map_done(&lifetimes->by_stack);
    *lifetimes = (struct hf_lifetimes){0};
}

#define BEGAN_MS_MAX (UINT64_C(1) << 53) /* in a file; later is no time, and would not add up */

static uint64_t class_uid(enum hf_lifetimes_class kind, size_t index)
{
    return HF_CLASS_UIDS | (uint64_t)kind << 8 | index;
}

bool hf_lifetimes_have_room(const struct hf_profile *profile)
{
    static const char *const names[] = {
        [HF_INUSE_OBJECTS] = "inuse_objects",
        [HF_INUSE_SPACE] = "inuse_space",
        [HF_ALLOC_OBJECTS] = "alloc_objects",
        [HF_ALLOC_SPACE] = "alloc_space",
    };
    bool has_room = profile->type_count >= HF_COUNT(names) && !profile->is_difference;
    for (size_t i = 0; has_room && i < HF_COUNT(names); i++)
        has_room = hf_text_is(hf_profile_text(profile, profile->types[i].name), names[i]);
    return has_room;
}

enum hf_status hf_lifetimes_add_class(struct hf_profile *profile, uint32_t node,
    enum hf_lifetimes_class kind, size_t index, const uint64_t values[2], struct hf_error *err)
{
    uint64_t row[HF_VALUE_TYPES_MAX] = {0};
    uint32_t thread;
    if (values[0] == 0 && values[1] == 0)
        return HF_OK;
    row[hf_lifetimes_column(kind, false)] = values[0];
    row[hf_lifetimes_column(kind, true)] = values[1];
    enum hf_status status =
        hf_profile_thread(profile, class_uid(kind, index), (struct hf_text){NULL, 0}, &thread, err);
    return status == HF_OK ? hf_profile_add_sample(profile, node, thread, row, err) : status;
}

bool hf_lifetimes_class_of(const struct hf_profile *profile, uint32_t thread,
    enum hf_lifetimes_class *out_kind, size_t *out_index)
{
    if (!profile->capture.has_classes || thread == HF_THREAD_ALL)
        return false;
    uint64_t uid = profile->threads[thread].uid, kind = (uid & ~HF_CLASS_UIDS) >> 8;
    if ((uid & HF_CLASS_UIDS) == 0 || kind >= HF_CLASS_KINDS ||
        (uid & 0xff) >= hf_lifetimes_classes((enum hf_lifetimes_class)kind))
        return false;
    *out_kind = (enum hf_lifetimes_class)kind;
    *out_index = uid & 0xff;
    return true;
}

/* By old thread: its new number, or HF_THREAD_ALL for one that goes. */
static enum hf_status drop_threads(
    struct hf_profile *profile, bool births_only, uint32_t *out_threads, struct hf_error *err)
{
    size_t kept = 0;
    hf_map_done(&profile->thread_index);
    profile->thread_index = (struct hf_map){0};
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        enum hf_lifetimes_class kind;
        size_t index;
        bool goes = hf_lifetimes_class_of(profile, i, &kind, &index) &&
                    (kind == HF_CLASS_BIRTH || !births_only);
        out_threads[i] = goes ? HF_THREAD_ALL : (uint32_t)kept;
        if (goes)
            continue;
        profile->threads[kept] = profile->threads[i];
        if (hf_map_put(&profile->thread_index, profile->threads[kept].uid, (uint32_t)kept, NULL) ==
            NULL)
            return hf_error_memory(err);
        kept++;
    }
    profile->thread_count = kept;
    return HF_OK;
}

enum hf_status hf_lifetimes_drop(struct hf_profile *profile, bool births_only, struct hf_error *err)
{
    struct hf_capture_facts *capture = &profile->capture;
    size_t kept = 0, stride = hf_profile_stride(profile);
    if (!capture->has_classes)
        return HF_OK;
    uint32_t *threads = calloc(profile->thread_count + 1, sizeof *threads);
    enum hf_status status =
        threads != NULL ? drop_threads(profile, births_only, threads, err) : hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < profile->sample_count; i++) {
        struct hf_sample sample = profile->samples[i];
        bool is_thread = sample.thread != HF_THREAD_ALL;
        if (is_thread && threads[sample.thread] == HF_THREAD_ALL)
            continue;
        profile->samples[kept].node = sample.node;
        profile->samples[kept].thread = is_thread ? threads[sample.thread] : HF_THREAD_ALL;
        memmove(hf_profile_values(profile, kept), hf_profile_values(profile, i),
            stride * sizeof *profile->values);
        kept++;
    }
    free(threads);
    if (status != HF_OK)
        return status;
    profile->sample_count = kept;
    profile->sample_index.room = 0;
    capture->has_classes = births_only;
    capture->epoch_shift = 0;
    return HF_OK;
}

bool hf_lifetimes_find_class(const struct hf_profile *profile, enum hf_lifetimes_class kind,
    size_t index, uint32_t *out_thread)
{
    const uint32_t *known = profile->capture.has_classes
                                ? hf_map_find(&profile->thread_index, class_uid(kind, index))
                                : NULL;
    if (known != NULL)
        *out_thread = *known;
    return known != NULL;
}

/* Each two epochs become one, until there is one for `born_ns`. */
static void make_epoch(struct hf_lifetimes *lifetimes, uint64_t born_ns)
{
    if (lifetimes->epoch_shift == 0)
        lifetimes->epoch_shift = HF_LIFETIMES_EPOCH_SHIFT;
    for (; born_ns >> lifetimes->epoch_shift >= HF_LIFETIMES_EPOCHS; lifetimes->epoch_shift++) {
        for (size_t i = 0; i < lifetimes->birth_count; i++) {
            double *bytes = lifetimes->births[i].epochs;
            for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++)
                bytes[e] = 2 * e < HF_LIFETIMES_EPOCHS ? bytes[2 * e] + bytes[2 * e + 1] : 0;
        }
    }
}

/* The part of the time from from_ms to to_ms, from 1; what is later is in the last. */
static size_t bin_of(const struct hf_lifetimes *lifetimes, int64_t birth_ms)
{
    double span = (double)(lifetimes->to_ms - lifetimes->from_ms);
    double part = (double)(birth_ms - lifetimes->from_ms) / (span > 0 ? span : 1);
    if (part < 0)
        return 0;
    size_t bin = part < 1 ? (size_t)(part * HF_LIFETIMES_BINS) + 1 : HF_LIFETIMES_BINS;
    return bin < HF_LIFETIMES_BINS ? bin : HF_LIFETIMES_BINS;
}

/* That of a stack, made if it is new. NULL: no memory. */
static struct hf_births *births_of(struct hf_lifetimes *lifetimes, uint32_t stack)
{
    bool is_new;
    uint32_t *number =
        hf_map_put(&lifetimes->by_stack, stack, (uint32_t)lifetimes->birth_count, &is_new);
    if (number == NULL || (is_new && !hf_vec_reserve(&lifetimes->births, &lifetimes->birth_capacity,
                                         lifetimes->birth_count + 1, sizeof *lifetimes->births)))
        return NULL;
    if (is_new)
        lifetimes->births[lifetimes->birth_count++] = (struct hf_births){.stack = stack};
    return &lifetimes->births[*number];
}

enum hf_status hf_lifetimes_add(struct hf_lifetimes *lifetimes, uint32_t stack, int64_t birth_ms,
    double bytes, struct hf_error *err)
{
    struct hf_births *births = births_of(lifetimes, stack);
    if (births == NULL)
        return hf_error_memory(err);
    births->bytes[bin_of(lifetimes, birth_ms)] += bytes;
    if (birth_ms < lifetimes->old_ms)
        births->old_bytes += bytes;
    int64_t after_ms = birth_ms - lifetimes->began_ms;
    uint64_t born_ns = 0;
    if (after_ms > 0 && !hf_mul_u64((uint64_t)after_ms, 1000000, &born_ns))
        born_ns = UINT64_MAX;
    make_epoch(lifetimes, born_ns);
    births->epochs[born_ns >> lifetimes->epoch_shift] += bytes;
    births->squares += bytes * bytes;
    return HF_OK;
}

enum hf_status hf_lifetimes_add_freed(struct hf_lifetimes *lifetimes, uint32_t node, uint32_t at,
    uint64_t count, struct hf_error *err)
{
    if (!hf_vec_reserve(&lifetimes->freed, &lifetimes->freed_capacity, lifetimes->freed_count + 1,
            sizeof *lifetimes->freed))
        return hf_error_memory(err);
    lifetimes->freed[lifetimes->freed_count++] = (struct hf_freed){node, at, count};
    return HF_OK;
}

/* What a sample of blocks of this mean size stands for. */
static double sample_bytes(const struct hf_profile *profile, size_t sample)
{
    double objects = (double)hf_profile_value(profile, sample, HF_INUSE_OBJECTS);
    double bytes = (double)hf_profile_value(profile, sample, HF_INUSE_SPACE);
    uint64_t size = hf_unbias_round(objects > 0 ? bytes / objects : bytes);
    uint32_t weight = profile->capture.weight_per_mille;
    return (double)size * hf_unbias_weight(profile->capture.period_bytes, size) *
           (weight != 0 ? (double)weight / 1000 : 1);
}

static enum hf_status take_sample_births(struct hf_lifetimes *lifetimes,
    const struct hf_profile *profile, size_t sample, struct hf_error *err)
{
    const struct hf_sample *at = &profile->samples[sample];
    enum hf_lifetimes_class kind;
    size_t index;
    if (!hf_lifetimes_class_of(profile, at->thread, &kind, &index) || kind != HF_CLASS_BIRTH)
        return HF_OK;
    struct hf_births *births = births_of(lifetimes, at->node);
    if (births == NULL)
        return hf_error_memory(err);
    births->node = at->node;
    births->epochs[index] +=
        (double)hf_profile_value(profile, sample, hf_lifetimes_column(kind, true));
    return HF_OK;
}

/* What stands behind the epochs: blocks of the mean size of their stack. */
static void weigh_births(struct hf_lifetimes *lifetimes, const struct hf_profile *profile)
{
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct hf_sample *sample = &profile->samples[i];
        const uint32_t *number = hf_map_find(&lifetimes->by_stack, sample->node);
        if (sample->thread != HF_THREAD_ALL || number == NULL)
            continue;
        struct hf_births *births = &lifetimes->births[*number];
        for (size_t e = 0; e < HF_LIFETIMES_EPOCHS; e++)
            births->squares += births->epochs[e] * sample_bytes(profile, i);
    }
}

enum hf_status hf_lifetimes_take_births(
    struct hf_lifetimes *lifetimes, struct hf_profile *profile, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_capture_facts *capture = &profile->capture;
    if (!capture->has_classes)
        return HF_OK;
    if (capture->epoch_shift == 0 || capture->began_ms == 0 || capture->began_ms > BEGAN_MS_MAX)
        return hf_lifetimes_drop(profile, false, err);
    for (size_t i = 0; status == HF_OK && i < profile->sample_count; i++)
        status = take_sample_births(lifetimes, profile, i, err);
    weigh_births(lifetimes, profile);
    lifetimes->is_known = true;
    lifetimes->wants_epochs_only = true;
    lifetimes->began_ms = (int64_t)profile->capture.began_ms;
    lifetimes->epoch_shift = profile->capture.epoch_shift;
    return status == HF_OK ? hf_lifetimes_drop(profile, false, err) : status;
}
