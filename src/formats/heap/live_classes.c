#include "formats/heap/live_classes.h"

#include "base/containers/vec.h"
#include "profile/lifetimes.h"
#include "profile/unbias.h"

#include <stdlib.h>

_Static_assert(HF_CLASS_AGES == HF_LIVE_AGES && HF_CLASS_AGE_SHIFT == HF_LIVE_AGE_SHIFT, "ages");
_Static_assert(
    HF_CLASS_SIZES == HF_LIVE_SIZES && HF_CLASS_SIZE_SHIFT == HF_LIVE_SIZE_SHIFT, "sizes");

/* As live/ended.c counts them. */
static uint32_t live_size_class(uint64_t size_bytes)
{
    uint32_t class = 0;
    while (class + 1 < HF_LIVE_SIZES && size_bytes > UINT64_C(1) << (HF_LIVE_SIZE_SHIFT + class))
        class ++;
    return class;
}

enum hf_status hf_live_classes_see(struct hf_live_classes *classes, uint32_t stack,
    uint64_t size_bytes, double objects, struct hf_error *err)
{
    bool is_new;
    uint32_t index = live_size_class(size_bytes);
    uint32_t *number = hf_map_put(
        &classes->by_size, (uint64_t)stack << 32 | index, (uint32_t)classes->count, &is_new);
    if (number == NULL)
        return hf_error_memory(err);
    if (is_new) {
        if (!hf_vec_reserve(
                &classes->items, &classes->capacity, classes->count + 1, sizeof *classes->items))
            return hf_error_memory(err);
        classes->items[classes->count++] = (struct hf_live_class){.stack = stack, .index = index};
    }
    classes->items[*number].objects += objects;
    return HF_OK;
}

/* All of one kind, so that it is known that there are such. */
static enum hf_status make_classes(struct hf_profile *profile, enum hf_lifetimes_class kind,
    uint32_t *out_threads, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < hf_lifetimes_classes(kind); i++)
        status = hf_lifetimes_add_class(profile, kind, i, &out_threads[i], err);
    return status;
}

static enum hf_status live_add_class(struct hf_profile *profile, uint32_t node, uint32_t thread,
    uint64_t objects, uint64_t bytes, struct hf_error *err)
{
    const uint64_t values[HF_VALUE_TYPES_MAX] = {
        [HF_ALLOC_OBJECTS] = objects,
        [HF_ALLOC_SPACE] = bytes,
    };
    return objects != 0 ? hf_profile_add_sample(profile, node, thread, values, err) : HF_OK;
}

static uint64_t whole_objects(const _Atomic uint64_t *objects)
{
    return hf_unbias_round(
        (double)atomic_load_explicit(objects, memory_order_relaxed) / HF_LIVE_OBJECT);
}

static enum hf_status add_freed_classes(const struct hf_live_frees *frees, uint32_t node,
    const uint32_t *ages, const uint32_t *sizes, struct hf_profile *profile, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < HF_LIVE_AGES; i++)
        status = live_add_class(profile, node, ages[i], whole_objects(&frees->ages[i].objects),
            atomic_load_explicit(&frees->ages[i].bytes, memory_order_relaxed), err);
    for (size_t i = 0; status == HF_OK && i < HF_LIVE_SIZES; i++)
        status = live_add_class(profile, node, sizes[i], whole_objects(&frees->sizes[i]), 0, err);
    return status;
}

enum hf_status hf_live_classes_add(const struct hf_live_classes *classes,
    const struct hf_live_snapshot *table, const uint32_t *nodes, struct hf_profile *profile,
    struct hf_error *err)
{
    uint32_t ages[HF_LIVE_AGES], sizes[HF_LIVE_SIZES];
    const struct hf_live_stack *stacks = hf_live_stacks(table);
    enum hf_status status = make_classes(profile, HF_CLASS_AGE, ages, err);
    if (status == HF_OK)
        status = make_classes(profile, HF_CLASS_SIZE, sizes, err);
    for (size_t i = 0; status == HF_OK && i < table->counts[HF_LIVE_STACKS]; i++) {
        uint32_t number = atomic_load_explicit(&stacks[i].frees, memory_order_relaxed);
        if (number != 0 && number <= table->counts[HF_LIVE_FREES])
            status = add_freed_classes(
                &hf_live_frees(table)[number - 1], nodes[i], ages, sizes, profile, err);
    }
    for (size_t i = 0; status == HF_OK && i < classes->count; i++) {
        const struct hf_live_class *item = &classes->items[i];
        if (item->stack < table->counts[HF_LIVE_STACKS])
            status = live_add_class(profile, nodes[item->stack], sizes[item->index],
                hf_unbias_round(item->objects), 0, err);
    }
    return status;
}

void hf_live_classes_done(struct hf_live_classes *classes)
{
    free(classes->items);
    hf_map_done(&classes->by_size);
    *classes = (struct hf_live_classes){0};
}
