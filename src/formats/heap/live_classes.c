#include "formats/heap/live_classes.h"

#include "base/containers/vec.h"
#include "profile/lifetimes.h"
#include "profile/unbias.h"

#include <stdlib.h>

_Static_assert(HF_CLASS_AGES == HF_LIVE_AGES && HF_CLASS_AGE_SHIFT == HF_LIVE_AGE_SHIFT, "ages");
_Static_assert(
    HF_CLASS_SIZES == HF_LIVE_SIZES && HF_CLASS_SIZE_SHIFT == HF_LIVE_SIZE_SHIFT, "sizes");
_Static_assert(HF_CLASS_BIRTHS == HF_LIVE_EPOCHS, "births");

/* As live/ended.c counts them. */
static uint32_t live_size_class(uint64_t size_bytes)
{
    uint32_t class = 0;
    while (class + 1 < HF_LIVE_SIZES && size_bytes > UINT64_C(1) << (HF_LIVE_SIZE_SHIFT + class))
        class ++;
    return class;
}

/* Each two epochs become one, until there is one for `born_ns`. */
static void live_make_epoch(struct hf_live_classes *classes, uint64_t born_ns)
{
    if (classes->epoch_shift == 0)
        classes->epoch_shift = HF_LIVE_EPOCH_SHIFT;
    for (; born_ns >> classes->epoch_shift >= HF_LIVE_EPOCHS; classes->epoch_shift++) {
        for (size_t i = 0; i < classes->birth_count; i++) {
            double *bytes = classes->births[i].bytes;
            for (size_t e = 0; e < HF_LIVE_EPOCHS; e++)
                bytes[e] = 2 * e < HF_LIVE_EPOCHS ? bytes[2 * e] + bytes[2 * e + 1] : 0;
        }
    }
}

/* A damaged record may have a later one. */
#define LATEST_BIRTH (((uint64_t)HF_LIVE_EPOCHS << HF_CLASS_BIRTH_SHIFT_MAX) - 1)

static enum hf_status live_see_birth(struct hf_live_classes *classes, uint32_t stack,
    uint64_t born_ns, double bytes, struct hf_error *err)
{
    bool is_new;
    uint32_t *number =
        hf_map_put(&classes->by_birth, stack, (uint32_t)classes->birth_count, &is_new);
    if (number == NULL)
        return hf_error_memory(err);
    if (is_new) {
        if (!hf_vec_reserve(&classes->births, &classes->birth_capacity, classes->birth_count + 1,
                sizeof *classes->births))
            return hf_error_memory(err);
        classes->births[classes->birth_count++] = (struct hf_live_births){.stack = stack};
    }
    if (born_ns > LATEST_BIRTH)
        born_ns = LATEST_BIRTH;
    live_make_epoch(classes, born_ns);
    classes->births[*number].bytes[born_ns >> classes->epoch_shift] += bytes;
    return HF_OK;
}

enum hf_status hf_live_classes_see(struct hf_live_classes *classes, uint32_t stack,
    uint64_t size_bytes, uint64_t born_ns, double objects, struct hf_error *err)
{
    enum hf_status status =
        live_see_birth(classes, stack, born_ns, objects * (double)size_bytes, err);
    if (status != HF_OK)
        return status;
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

static uint64_t whole_objects(const _Atomic uint64_t *objects)
{
    return hf_unbias_round(
        (double)atomic_load_explicit(objects, memory_order_relaxed) / HF_LIVE_OBJECT);
}

/* 0: none was freed yet, or the record is damaged. */
static uint32_t live_epochs_of(const struct hf_live_frees *frees)
{
    uint32_t shift =
        atomic_load_explicit(&frees->epoch_shift, memory_order_relaxed) & ~HF_LIVE_MERGING;
    return shift <= HF_CLASS_BIRTH_SHIFT_MAX ? shift : 0;
}

static enum hf_status add_freed_births(const struct hf_live_frees *frees, uint32_t node,
    struct hf_profile *profile, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint32_t shift = live_epochs_of(frees);
    for (size_t i = 0; shift != 0 && status == HF_OK && i < HF_LIVE_EPOCHS; i++) {
        uint64_t bytes = atomic_load_explicit(&frees->born_bytes[i], memory_order_relaxed);
        uint32_t by = profile->capture.epoch_shift - shift;
        status = hf_lifetimes_add_class(profile, node, HF_CLASS_BIRTH, by < 32 ? i >> by : 0,
            (const uint64_t[]){bytes, 0}, err);
    }
    return status;
}

static enum hf_status add_freed_classes(const struct hf_live_frees *frees, uint32_t node,
    struct hf_profile *profile, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < HF_LIVE_AGES; i++) {
        uint64_t objects = whole_objects(&frees->ages[i].objects);
        uint64_t bytes = atomic_load_explicit(&frees->ages[i].bytes, memory_order_relaxed);
        if (objects != 0)
            status = hf_lifetimes_add_class(
                profile, node, HF_CLASS_AGE, i, (const uint64_t[]){objects, bytes}, err);
    }
    for (size_t i = 0; status == HF_OK && i < HF_LIVE_SIZES; i++)
        status = hf_lifetimes_add_class(profile, node, HF_CLASS_SIZE, i,
            (const uint64_t[]){whole_objects(&frees->sizes[i]), 0}, err);
    return status == HF_OK ? add_freed_births(frees, node, profile, err) : status;
}

/* NULL: nothing of the stack was freed yet, or there was no room to say so. */
static const struct hf_live_frees *live_frees_of(const struct hf_live_snapshot *table, size_t stack)
{
    uint32_t number =
        atomic_load_explicit(&hf_live_stacks(table)[stack].frees, memory_order_relaxed);
    return number != 0 && number <= table->counts[HF_LIVE_FREES] ? &hf_live_frees(table)[number - 1]
                                                                 : NULL;
}

/* The longest epochs of all. */
static uint32_t live_epoch_shift(
    const struct hf_live_classes *classes, const struct hf_live_snapshot *table)
{
    uint32_t shift = classes->epoch_shift;
    for (size_t i = 0; i < table->counts[HF_LIVE_STACKS]; i++) {
        const struct hf_live_frees *frees = live_frees_of(table, i);
        if (frees != NULL && live_epochs_of(frees) > shift)
            shift = live_epochs_of(frees);
    }
    return shift;
}

/* Of what is in use. */
static enum hf_status add_births_in_use(const struct hf_live_births *births, uint32_t by,
    uint32_t node, struct hf_profile *profile, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    double sums[HF_LIVE_EPOCHS] = {0};
    for (size_t i = 0; i < HF_LIVE_EPOCHS; i++)
        sums[by < 32 ? i >> by : 0] += births->bytes[i];
    for (size_t i = 0; status == HF_OK && i < HF_LIVE_EPOCHS; i++) {
        uint64_t bytes = hf_unbias_round(sums[i]);
        status = hf_lifetimes_add_class(
            profile, node, HF_CLASS_BIRTH, i, (const uint64_t[]){bytes, bytes}, err);
    }
    return status;
}

static enum hf_status add_classes_in_use(const struct hf_live_classes *classes,
    const struct hf_live_snapshot *table, const uint32_t *nodes, struct hf_profile *profile,
    struct hf_error *err)
{
    enum hf_status status = HF_OK;
    size_t stacks = table->counts[HF_LIVE_STACKS];
    uint32_t by = profile->capture.epoch_shift - classes->epoch_shift;
    size_t count = profile->capture.has_no_freed ? 0 : classes->count;
    for (size_t i = 0; status == HF_OK && i < count; i++) {
        const struct hf_live_class *item = &classes->items[i];
        const uint64_t values[2] = {hf_unbias_round(item->objects), 0};
        if (item->stack < stacks)
            status = hf_lifetimes_add_class(
                profile, nodes[item->stack], HF_CLASS_SIZE, item->index, values, err);
    }
    for (size_t i = 0; status == HF_OK && i < classes->birth_count; i++) {
        const struct hf_live_births *births = &classes->births[i];
        if (births->stack < stacks)
            status = add_births_in_use(births, by, nodes[births->stack], profile, err);
    }
    return status;
}

enum hf_status hf_live_classes_add(const struct hf_live_classes *classes,
    const struct hf_live_snapshot *table, const uint32_t *nodes, struct hf_profile *profile,
    struct hf_error *err)
{
    enum hf_status status = HF_OK;
    profile->capture.has_classes = true;
    profile->capture.epoch_shift = live_epoch_shift(classes, table);
    for (size_t i = 0; status == HF_OK && i < table->counts[HF_LIVE_STACKS]; i++) {
        const struct hf_live_frees *frees = live_frees_of(table, i);
        if (frees != NULL && !profile->capture.has_no_freed)
            status = add_freed_classes(frees, nodes[i], profile, err);
    }
    return status == HF_OK ? add_classes_in_use(classes, table, nodes, profile, err) : status;
}

void hf_live_classes_done(struct hf_live_classes *classes)
{
    free(classes->items);
    free(classes->births);
    hf_map_done(&classes->by_size);
    hf_map_done(&classes->by_birth);
    *classes = (struct hf_live_classes){0};
}
