/*
 * pprof_write.c: a profile as profile.proto (pprof_fields.h), in the order in which others write
 * it.
 *
 * Heap values come in the order alloc_objects, alloc_space, inuse_objects, inuse_space, counts with
 * the unit "count", whatever the profile calls it; a difference is signed. Every sample has a
 * stack: others crash on less. The values of a stack are those of the process: its threads'
 * samples, and one without label for the rest.
 */
#include "base/budget.h"
#include "base/plural.h"
#include "compress/gzip.h"
#include "formats/pprof/pprof_classes.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_pool.h"
#include "formats/pprof/protobuf.h"
#include "formats/writers.h"

#include <inttypes.h>
#include <stdlib.h>

#define FRAME_STEPS 80
#define NO_SAMPLE UINT32_MAX

struct pprof_write_writer {
    const struct hf_profile *profile;
    struct hf_notes *notes;
    struct hf_out *out;
    size_t columns[HF_VALUE_TYPES_MAX]; /* in the order of the output */
    struct hf_pprof_pool pool;
    struct hf_out message, part, sample, stack, values, text; /* scratch */
    uint32_t *first_samples, *next_samples; /* by node, by sample: those of its threads */
    uint64_t clamped_stacks, clamped_values;
};

/* All that is built in memory: a failure there latches. */
#define SCRATCH(w) &(w)->message, &(w)->part, &(w)->sample, &(w)->stack, &(w)->values, &(w)->text

static void pprof_write_writer_done(struct pprof_write_writer *w)
{
    struct hf_out *const outs[] = {SCRATCH(w)};
    for (size_t i = 0; i < HF_COUNT(outs); i++)
        hf_out_done(outs[i]);
    hf_pprof_pool_done(&w->pool);
    free(w->first_samples);
    free(w->next_samples);
}

static enum hf_status pprof_write_put_stack(
    struct pprof_write_writer *w, uint32_t node, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint32_t location;
    if (node == HF_STACK_ROOT) {
        status = hf_pprof_pool_no_stack(&w->pool, &location, err);
        hf_protobuf_put_varint(&w->stack, location);
    }
    for (; node != HF_STACK_ROOT && status == HF_OK; node = w->profile->stacks.nodes[node].parent) {
        (void)hf_budget_step(FRAME_STEPS);
        status =
            hf_pprof_pool_location(&w->pool, w->profile->stacks.nodes[node].frame, &location, err);
        hf_protobuf_put_varint(&w->stack, location);
    }
    hf_protobuf_put_bytes(&w->sample, HF_PPROF_SAMPLE_LOCATION_ID, hf_out_view(&w->stack));
    w->stack.size = 0;
    return status;
}

/* grew - released, as a signed number of 64 bits. */
static uint64_t pprof_write_signed_value(
    struct pprof_write_writer *w, uint64_t grew, uint64_t released)
{
    bool is_negative = released > grew;
    uint64_t size = is_negative ? released - grew : grew - released;
    if (size > INT64_MAX) {
        w->clamped_values++;
        size = INT64_MAX;
    }
    return is_negative ? 0 - size : size;
}

static enum hf_status pprof_write_put_label(
    struct pprof_write_writer *w, struct hf_text key, struct hf_text text, struct hf_error *err)
{
    uint32_t key_string, text_string;
    enum hf_status status = hf_pprof_pool_string(&w->pool, key, &key_string, err);
    if (status == HF_OK)
        status = hf_pprof_pool_string(&w->pool, text, &text_string, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&w->part, HF_PPROF_LABEL_KEY, key_string);
    hf_protobuf_put_u64(&w->part, HF_PPROF_LABEL_STR, text_string);
    hf_protobuf_put_bytes(&w->sample, HF_PPROF_SAMPLE_LABEL, hf_out_view(&w->part));
    w->part.size = 0;
    return HF_OK;
}

/* The number as text: a label of number 0 is no label to Go, and most show texts only. */
static enum hf_status put_thread(
    struct pprof_write_writer *w, uint32_t thread, struct hf_error *err)
{
    const struct hf_thread *t = &w->profile->threads[thread];
    struct hf_text name = hf_profile_text(w->profile, t->name);
    w->text.size = 0;
    hf_out_u64(&w->text, t->uid);
    enum hf_status status =
        pprof_write_put_label(w, HF_TEXT("thread_id"), hf_out_view(&w->text), err);
    if (status == HF_OK && name.size != 0)
        status = pprof_write_put_label(w, HF_TEXT("thread"), name, err);
    return status;
}

/* One Sample message, unless all its values are 0. */
static enum hf_status put_sample(struct pprof_write_writer *w, uint32_t node, uint32_t thread,
    const uint64_t *row, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    bool is_zero = true;
    for (size_t i = 0; i < p->type_count; i++) {
        size_t type = w->columns[i];
        uint64_t released = p->is_difference ? row[p->type_count + type] : 0;
        uint64_t value = pprof_write_signed_value(w, row[type], released);
        is_zero = is_zero && value == 0;
        hf_protobuf_put_varint(&w->values, value);
    }
    for (size_t i = 0; p->capture.has_classes && i < HF_PPROF_CLASS_VALUES; i++)
        hf_protobuf_put_varint(&w->values, 0);
    enum hf_status status = is_zero ? HF_OK : pprof_write_put_stack(w, node, err);
    hf_protobuf_put_bytes(&w->sample, HF_PPROF_SAMPLE_VALUE, hf_out_view(&w->values));
    w->values.size = 0;
    if (status == HF_OK && thread != HF_THREAD_ALL)
        status = put_thread(w, thread, err);
    if (!is_zero)
        hf_protobuf_put_bytes(w->out, HF_PPROF_SAMPLE, hf_out_view(&w->sample));
    w->sample.size = 0;
    return status;
}

/* Chains the samples of threads to their stacks. */
static enum hf_status chain_samples(struct pprof_write_writer *w, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    w->first_samples = reallocarray(NULL, p->stacks.count, sizeof *w->first_samples);
    w->next_samples = reallocarray(NULL, p->sample_count + 1, sizeof *w->next_samples);
    if (w->first_samples == NULL || w->next_samples == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < p->stacks.count; i++)
        w->first_samples[i] = NO_SAMPLE;
    for (size_t i = p->sample_count; i-- != 0;) {
        enum hf_lifetimes_class kind;
        size_t index;
        if (p->samples[i].thread == HF_THREAD_ALL ||
            hf_lifetimes_class_of(p, p->samples[i].thread, &kind, &index))
            continue;
        w->next_samples[i] = w->first_samples[p->samples[i].node];
        w->first_samples[p->samples[i].node] = (uint32_t)i;
    }
    return HF_OK;
}

/*
 * The samples of one stack. Estimates of threads are rounded, and corrected, each by itself: where
 * they add up to more than the process has, the last are written smaller.
 */
static enum hf_status put_samples_of(
    struct pprof_write_writer *w, size_t sample, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    size_t stride = hf_profile_stride(p);
    uint32_t node = p->samples[sample].node;
    uint64_t rest[2 * HF_VALUE_TYPES_MAX], row[2 * HF_VALUE_TYPES_MAX];
    memcpy(rest, hf_profile_values(p, sample), stride * sizeof rest[0]);
    bool is_clamped = false;
    enum hf_status status = HF_OK;
    for (uint32_t i = w->first_samples[node]; i != NO_SAMPLE && status == HF_OK;
         i = w->next_samples[i]) {
        const uint64_t *values = hf_profile_values(p, i);
        for (size_t v = 0; v < stride; v++) {
            row[v] = values[v] < rest[v] ? values[v] : rest[v];
            is_clamped = is_clamped || row[v] != values[v];
            rest[v] -= row[v];
        }
        status = put_sample(w, node, p->samples[i].thread, row, err);
    }
    w->clamped_stacks += is_clamped;
    return status == HF_OK ? put_sample(w, node, HF_THREAD_ALL, rest, err) : status;
}

static enum hf_status put_class_label(
    struct pprof_write_writer *w, enum hf_lifetimes_class kind, size_t index, struct hf_error *err)
{
    static const char *const keys[HF_CLASS_KINDS] = HF_PPROF_CLASS_LABELS;
    uint32_t key, unit;
    enum hf_status status = hf_pprof_pool_string(&w->pool, hf_text_of(keys[kind]), &key, err);
    if (status == HF_OK)
        status = hf_pprof_pool_string(
            &w->pool, hf_text_of(kind == HF_CLASS_SIZE ? "bytes" : "nanoseconds"), &unit, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&w->part, HF_PPROF_LABEL_KEY, key);
    hf_protobuf_put_u64(
        &w->part, HF_PPROF_LABEL_NUM, hf_pprof_class_bound(kind, index, &w->profile->capture));
    hf_protobuf_put_u64(&w->part, HF_PPROF_LABEL_NUM_UNIT, unit);
    hf_protobuf_put_bytes(&w->sample, HF_PPROF_SAMPLE_LABEL, hf_out_view(&w->part));
    w->part.size = 0;
    return HF_OK;
}

/* All that a stack has of a class. */
static enum hf_status put_class(struct pprof_write_writer *w, size_t sample,
    enum hf_lifetimes_class kind, size_t index, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    uint64_t values[HF_PPROF_CLASS_VALUES] = {0};
    for (size_t v = 0; v < hf_pprof_class_value_count(kind); v++)
        values[hf_pprof_class_value(kind) + v] = pprof_write_signed_value(
            w, hf_profile_value(p, sample, hf_lifetimes_column(kind, v == 1)), 0);
    for (size_t i = 0; i < p->type_count; i++)
        hf_protobuf_put_varint(&w->values, 0);
    for (size_t i = 0; i < HF_PPROF_CLASS_VALUES; i++)
        hf_protobuf_put_varint(&w->values, values[i]);
    enum hf_status status = pprof_write_put_stack(w, p->samples[sample].node, err);
    hf_protobuf_put_bytes(&w->sample, HF_PPROF_SAMPLE_VALUE, hf_out_view(&w->values));
    w->values.size = 0;
    if (status == HF_OK)
        status = put_class_label(w, kind, index, err);
    hf_protobuf_put_bytes(w->out, HF_PPROF_SAMPLE, hf_out_view(&w->sample));
    w->sample.size = 0;
    return status;
}

static enum hf_status put_classes(struct pprof_write_writer *w, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    enum hf_lifetimes_class kind;
    size_t index;
    for (size_t i = 0; status == HF_OK && i < w->profile->sample_count; i++) {
        if (hf_lifetimes_class_of(w->profile, w->profile->samples[i].thread, &kind, &index))
            status = put_class(w, i, kind, index, err);
    }
    return status;
}

static enum hf_status pprof_write_put_samples(struct pprof_write_writer *w, struct hf_error *err)
{
    enum hf_status status = chain_samples(w, err);
    for (size_t i = 0; i < w->profile->sample_count && status == HF_OK; i++) {
        if (w->profile->samples[i].thread == HF_THREAD_ALL)
            status = put_samples_of(w, i, err);
    }
    return status == HF_OK ? put_classes(w, err) : status;
}

/* The order of Go's heap profiles, then what other kinds there are. */
static void order_types(struct pprof_write_writer *w)
{
    static const char *const first[] = {
        "alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};
    bool is_taken[HF_VALUE_TYPES_MAX] = {false};
    size_t count = 0, type;
    for (size_t i = 0; i < HF_COUNT(first); i++) {
        if (!hf_profile_find_type(w->profile, hf_text_of(first[i]), &type) || is_taken[type])
            continue;
        is_taken[type] = true;
        w->columns[count++] = type;
    }
    for (size_t i = 0; i < w->profile->type_count; i++) {
        if (!is_taken[i])
            w->columns[count++] = i;
    }
}

static enum hf_status put_value_type(struct pprof_write_writer *w, unsigned field,
    struct hf_text name, struct hf_text unit, struct hf_error *err)
{
    uint32_t name_string, unit_string;
    enum hf_status status = hf_pprof_pool_string(&w->pool, name, &name_string, err);
    if (status == HF_OK)
        status = hf_pprof_pool_string(
            &w->pool, hf_text_is(unit, "objects") ? HF_TEXT("count") : unit, &unit_string, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(&w->message, HF_PPROF_TYPE_TYPE, name_string);
    hf_protobuf_put_u64(&w->message, HF_PPROF_TYPE_UNIT, unit_string);
    hf_protobuf_put_bytes(w->out, field, hf_out_view(&w->message));
    w->message.size = 0;
    return HF_OK;
}

static enum hf_status pprof_write_put_types(struct pprof_write_writer *w, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < p->type_count && status == HF_OK; i++) {
        const struct hf_value_type *type = &p->types[w->columns[i]];
        status = put_value_type(w, HF_PPROF_SAMPLE_TYPE, hf_profile_text(p, type->name),
            hf_profile_text(p, type->unit), err);
    }
    static const char *const names[HF_PPROF_CLASS_VALUES] = HF_PPROF_CLASS_NAMES;
    for (size_t i = 0; p->capture.has_classes && status == HF_OK && i < HF_COUNT(names); i++) {
        bool is_count = i == HF_PPROF_LIFETIME_OBJECTS || i == HF_PPROF_SIZE_OBJECTS;
        status = put_value_type(w, HF_PPROF_SAMPLE_TYPE, hf_text_of(names[i]),
            hf_text_of(is_count ? "count" : "bytes"), err);
    }
    return status;
}

static enum hf_status put_class_comment(struct pprof_write_writer *w, struct hf_error *err)
{
    uint32_t comment;
    if (!w->profile->capture.has_classes)
        return HF_OK;
    w->text.size = 0;
    hf_pprof_classes_put_comment(&w->profile->capture, &w->text);
    enum hf_status status = hf_pprof_pool_string(&w->pool, hf_out_view(&w->text), &comment, err);
    if (status == HF_OK)
        hf_protobuf_put_u64(w->out, HF_PPROF_COMMENT, comment);
    return status;
}

/* What the samples refer to, and what is said of them all. */
static enum hf_status put_tables(struct pprof_write_writer *w, size_t type, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    uint32_t default_type;
    enum hf_status status = hf_pprof_pool_put(&w->pool, w->out, err);
    if (status != HF_OK)
        return status;
    if (p->capture.period_bytes != 0) {
        status = put_value_type(w, HF_PPROF_PERIOD_TYPE, HF_TEXT("space"), HF_TEXT("bytes"), err);
        hf_protobuf_put_u64(w->out, HF_PPROF_PERIOD, p->capture.period_bytes);
    }
    if (status == HF_OK)
        status = put_class_comment(w, err);
    if (status == HF_OK)
        status = hf_pprof_pool_string(
            &w->pool, hf_profile_text(p, p->types[type].name), &default_type, err);
    if (status != HF_OK)
        return status;
    hf_protobuf_put_u64(w->out, HF_PPROF_DEFAULT_SAMPLE_TYPE, default_type);
    hf_pprof_pool_put_strings(&w->pool, w->out);
    return HF_OK;
}

static void pprof_write_add_notes(const struct pprof_write_writer *w)
{
    if (w->clamped_values != 0)
        hf_notes_add(w->notes, HF_NOTE_LOSS,
            "%" PRIu64 " %s 2^63-1, the largest that pprof can hold, and %s written as that",
            w->clamped_values, hf_plural(w->clamped_values, "value exceeds", "values exceed"),
            hf_plural(w->clamped_values, "is", "are"));
    if (w->clamped_stacks != 0)
        hf_notes_add(w->notes, HF_NOTE_INFO,
            "for %" PRIu64 " %s, the estimates of the threads exceed that of the process; some "
            "are written smaller",
            w->clamped_stacks, hf_plural(w->clamped_stacks, "stack", "stacks"));
}

static enum hf_status pprof_write_write_all(
    struct pprof_write_writer *w, size_t type, struct hf_error *err)
{
    order_types(w);
    enum hf_status status = hf_pprof_pool_init(&w->pool, w->profile, err);
    if (status == HF_OK)
        status = pprof_write_put_types(w, err);
    if (status == HF_OK)
        status = pprof_write_put_samples(w, err);
    if (status == HF_OK)
        status = put_tables(w, type, err);
    return status;
}

static bool pprof_write_has_failed(const struct pprof_write_writer *w)
{
    const struct hf_out *const outs[] = {SCRATCH(w)};
    bool failed = false;
    for (size_t i = 0; i < HF_COUNT(outs); i++)
        failed = failed || outs[i]->error.status != HF_OK;
    return failed;
}

static enum hf_status write_plain(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    struct pprof_write_writer w = {.profile = profile, .notes = notes, .out = out};
    enum hf_status status = pprof_write_write_all(&w, type, err);
    if (status == HF_OK && pprof_write_has_failed(&w))
        status = hf_error_memory(err);
    if (status == HF_OK)
        pprof_write_add_notes(&w);
    pprof_write_writer_done(&w);
    return status;
}

static enum hf_status write_gzip(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    struct hf_gzip *gzip;
    enum hf_status status = hf_gzip_open(&gzip, out, err);
    if (status != HF_OK)
        return status;
    status = write_plain(profile, type, notes, hf_gzip_out(gzip), err);
    if (status == HF_OK)
        status = hf_gzip_finish(gzip, err);
    hf_gzip_close(gzip);
    return status;
}

const struct hf_writer hf_writer_pprof = {
    .name = "pprof",
    .what = "profile.proto, compressed",
    .endings = {".pb.gz", ".pprof"},
    .takes_classes = true,
    .is_binary = true,
    .write = write_gzip,
};

const struct hf_writer hf_writer_pb = {
    .name = "pb",
    .what = "profile.proto, not compressed",
    .endings = {".pb"},
    .takes_classes = true,
    .is_binary = true,
    .write = write_plain,
};
