#include "answer/fleet/shipment.h"

#include "answer/loader.h"
#include "answer/operand.h"
#include "answer/value_type.h"
#include "base/containers/vec.h"
#include "base/plural.h"
#include "profile/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES (8u << 20) /* of profiles: then it is sent */

/* A run, and its batch. */
struct hf_shipped_instance {
    struct hf_shipped_run run;
    int64_t stored_ms; /* the last in the store when this began; INT64_MIN: none */
    int64_t last_ms;   /* of the last profile */
    struct hf_shipped_stacks stacks;
    struct hf_levels levels; /* of the last profile */
    struct hf_out profiles;
    uint64_t profile_count;
};

static void forget_batch(struct hf_shipped_instance *instance)
{
    hf_shipped_stacks_done(&instance->stacks);
    hf_levels_done(&instance->levels);
    instance->profiles.size = 0;
    instance->profile_count = 0;
}

void hf_shipment_done(struct hf_shipment *shipment)
{
    for (size_t i = 0; i < shipment->count; i++) {
        forget_batch(shipment->items[i]);
        hf_shipped_run_done(&shipment->items[i]->run);
        hf_out_done(&shipment->items[i]->profiles);
        free(shipment->items[i]);
    }
    free(shipment->items);
    hf_notes_done(&shipment->notes);
    if (shipment->is_begun)
        hf_stack_printer_done(&shipment->printer);
    hf_kept_files_done(&shipment->kept);
    *shipment = (struct hf_shipment){0};
}

static void begin_shipment(struct hf_shipment *shipment)
{
    if (!shipment->is_begun)
        hf_stack_printer_init(&shipment->printer);
    shipment->is_begun = true;
}

/* ---- Batches ---- */

static enum hf_status send_instance(
    struct hf_shipment *shipment, struct hf_shipped_instance *instance, struct hf_error *err)
{
    struct hf_request request = *shipment->request;
    bool is_new = false;
    if (instance->profile_count == 0)
        return HF_OK;
    request.names.kept = &shipment->kept;
    /* What names miss is said once: a later batch misses much the same. */
    enum hf_status status = hf_shipped_stacks_name(
        &instance->stacks, &request, shipment->has_named ? NULL : &shipment->notes, err);
    shipment->has_named = true;
    const struct hf_batch batch = {.instance = hf_shipped_run_instance(&instance->run),
        .stacks = instance->stacks.items,
        .stack_count = instance->stacks.count,
        .profiles = hf_out_view(&instance->profiles)};
    if (status == HF_OK)
        status = hf_store_line_add(shipment->own, &batch, &is_new, err);
    if (status != HF_OK)
        return status;
    shipment->added += is_new ? instance->profile_count : 0;
    shipment->known += is_new ? 0 : instance->profile_count;
    forget_batch(instance);
    return HF_OK;
}

enum hf_status hf_shipment_send(struct hf_shipment *shipment, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < shipment->count; i++)
        status = send_instance(shipment, shipment->items[i], err);
    return status;
}

/* The batch has no room for a profile of `ms`. */
static bool shipment_is_full(const struct hf_shipped_instance *instance, int64_t ms)
{
    return instance->profile_count >= HF_SHIPMENT_PROFILES ||
           instance->profiles.size >= BATCH_BYTES ||
           hf_change_needs_keyframe(instance->last_ms, ms);
}

/* ---- Profiles ---- */

/* *out_types: bytes in use, and objects; the same if it has no objects. */
static enum hf_status shipment_choose_types(
    const struct hf_profile *profile, const char *value, size_t out_types[2], struct hf_error *err)
{
    static const char *const names[] = {"inuse_space", "inuse_objects"};
    enum hf_status status = HF_OK;
    if (profile->is_difference)
        return hf_error_set(err, HF_ERR_USAGE, "is a difference: give the two plain profiles");
    bool is_there = hf_profile_find_type(profile, hf_text_of(names[0]), &out_types[0]);
    if (value != NULL && strcmp(value, names[0]) != 0) {
        status = hf_value_type_choose(profile, value, &out_types[0], err);
        out_types[1] = out_types[0];
        return status;
    }
    if (!is_there)
        return hf_error_set(err, HF_ERR_USAGE,
            "has no '%s': say with --value which of its values are bytes in use", names[0]);
    if (!hf_profile_find_type(profile, hf_text_of(names[1]), &out_types[1]))
        out_types[1] = out_types[0];
    return HF_OK;
}

static enum hf_status add_instance(struct hf_shipment *shipment, struct hf_shipped_run *run,
    struct hf_shipped_instance **out_instance, struct hf_error *err)
{
    int64_t stored_ms;
    enum hf_status status =
        hf_store_line_find_last(shipment->own, hf_text_of(run->name), &stored_ms, err);
    if (status != HF_OK)
        return status;
    struct hf_shipped_instance *instance = calloc(1, sizeof *instance);
    if (instance == NULL || !hf_vec_reserve(&shipment->items, &shipment->capacity,
                                shipment->count + 1, sizeof *shipment->items)) {
        free(instance);
        return hf_error_memory(err);
    }
    *instance =
        (struct hf_shipped_instance){.run = *run, .stored_ms = stored_ms, .last_ms = INT64_MIN};
    *run = (struct hf_shipped_run){0};
    shipment->items[shipment->count++] = *out_instance = instance;
    return HF_OK;
}

/* Of all profiles with one name, what each says of its process fits. */
static enum hf_status join_instance(const struct hf_shipment *shipment,
    struct hf_shipped_instance *instance, struct hf_shipped_run *run, struct hf_error *err)
{
    if (run->name == NULL) /* it has been taken: it is the first */
        return HF_OK;
    if (!hf_process_identity_fits(&instance->run.identity, &run->identity))
        return hf_error_set(err, HF_ERR_USAGE,
            "is of another process than the profiles before it%s",
            shipment->terms.instance != NULL ? ", and --instance names one run of one process"
                                             : "");
    hf_process_identity_learn(&instance->run.identity, &run->identity);
    return HF_OK;
}

/* Takes the run. */
static enum hf_status find_instance(struct hf_shipment *shipment, struct hf_shipped_run *run,
    struct hf_shipped_instance **out_instance, struct hf_error *err)
{
    for (size_t i = 0; i < shipment->count; i++) {
        *out_instance = shipment->items[i];
        if (strcmp(shipment->items[i]->run.name, run->name) == 0)
            return HF_OK;
    }
    return add_instance(shipment, run, out_instance, err);
}

static enum hf_status add_to_batch(struct hf_shipment *shipment,
    struct hf_shipped_instance *instance, const struct hf_profile *profile, const size_t types[2],
    int64_t ms, struct hf_error *err)
{
    struct hf_levels now = {0};
    enum hf_status status = HF_OK;
    if (instance->profile_count != 0 && shipment_is_full(instance, ms))
        status = send_instance(shipment, instance, err);
    if (status == HF_OK)
        status =
            hf_shipped_stacks_add(&instance->stacks, &shipment->printer, profile, types, &now, err);
    if (status == HF_OK)
        status = hf_batch_put_profile(&instance->profiles, ms,
            instance->profile_count != 0 ? &instance->levels : NULL, &now, err);
    if (status != HF_OK) {
        hf_levels_done(&now);
        return status;
    }
    hf_levels_done(&instance->levels);
    instance->levels = now;
    instance->profile_count++;
    instance->last_ms = ms;
    hf_notes_merge(&shipment->notes, &profile->notes);
    return HF_OK;
}

/* Finds the run, and which values count. What is wrong with a profile is said of it by name; what
 * is wrong with the store is not. */
static enum hf_status judge_profile(struct hf_shipment *shipment, const struct hf_profile *profile,
    const char *name, struct hf_shipped_instance **out_instance, size_t out_types[2],
    struct hf_error *err)
{
    struct hf_shipped_run run;
    enum hf_status status = hf_shipped_run_of(&run, profile, &shipment->terms, err);
    if (status == HF_OK)
        status = shipment_choose_types(profile, shipment->request->fold.value, out_types, err);
    if (status != HF_OK && status != HF_ERR_MEMORY)
        hf_error_in(err, hf_operand_shown(name));
    if (status == HF_OK)
        status = find_instance(shipment, &run, out_instance, err);
    if (status == HF_OK) {
        status = join_instance(shipment, *out_instance, &run, err);
        if (status != HF_OK)
            hf_error_in(err, hf_operand_shown(name));
    }
    hf_shipped_run_done(&run);
    return status;
}

enum hf_status hf_shipment_add(struct hf_shipment *shipment, const struct hf_dated_profile *dated,
    struct hf_profile *profile, struct hf_error *err)
{
    struct hf_shipped_instance *instance = NULL;
    size_t types[2];
    begin_shipment(shipment);
    enum hf_status status = judge_profile(shipment, profile, dated->name, &instance, types, err);
    if (status == HF_OK && dated->time_ms <= instance->stored_ms)
        shipment->known++;
    else if (status == HF_OK && dated->time_ms <= instance->last_ms)
        shipment->same_time++;
    else if (status == HF_OK)
        status = add_to_batch(shipment, instance, profile, types, dated->time_ms, err);
    hf_profile_free(profile);
    return status;
}

static void note_same_time(struct hf_shipment *shipment)
{
    if (shipment->same_time != 0)
        hf_notes_add(&shipment->notes, HF_NOTE_LOSS,
            "%" PRIu64 " %s not shipped, because another one of the same process has the same time",
            shipment->same_time, hf_plural(shipment->same_time, "profile was", "profiles were"));
}

static enum hf_status read_and_add(
    struct hf_shipment *shipment, const struct hf_dated_profile *dated, struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_loader_options load = shipment->request->input;
    load.listener = NULL;
    enum hf_status status = hf_loader_read(&dated->name, 1, &load, &profile, err);
    return status == HF_OK ? hf_shipment_add(shipment, dated, profile, err) : status;
}

enum hf_status hf_shipment_read(
    struct hf_shipment *shipment, const char *const *names, size_t count, struct hf_error *err)
{
    struct hf_timeline timeline;
    const struct hf_timeline_options how = {0};
    enum hf_status status = hf_timeline_find(&timeline, names, count, &how, err);
    for (size_t i = 0; status == HF_OK && i < timeline.count; i++)
        status = read_and_add(shipment, &timeline.items[i], err);
    if (status == HF_OK)
        status = hf_shipment_send(shipment, err);
    note_same_time(shipment);
    hf_timeline_done(&timeline);
    return status;
}
