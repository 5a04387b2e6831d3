/*
 * bundle_write.c: a profile as a bundle (bundle.h).
 */
#include "formats/pprof/bundle.h"

#include "compress/gzip.h"
#include "formats/pprof/protobuf.h"
#include "formats/writers.h"
#include "profile/lifetimes.h"

struct bundle_write_writer {
    const struct hf_profile *profile;
    struct hf_out *out;
    struct hf_out message, part; /* scratch: a failure there latches */
    size_t sample_count;         /* written */
};

/* Writes what `message` holds as a field, and empties it. */
static void bundle_write_put_message(struct hf_out *out, unsigned field, struct hf_out *message)
{
    hf_protobuf_put_bytes(out, field, hf_out_view(message));
    message->size = 0;
}

static void bundle_write_put_head(struct bundle_write_writer *w, size_t default_type)
{
    const struct hf_profile *p = w->profile;
    hf_protobuf_put_bytes(w->out, HF_BUNDLE_FIELD_MAGIC, HF_TEXT(HF_BUNDLE_MAGIC));
    hf_protobuf_put_u64(w->out, HF_BUNDLE_FIELD_VERSION, HF_BUNDLE_VERSION);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_DEFAULT_TYPE, default_type);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_IS_DIFFERENCE, p->is_difference);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_PERIOD_BYTES, p->capture.period_bytes);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_SAMPLED_OBJECTS, p->capture.sampled_objects);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_HAS_ADDRESSES, p->has_addresses);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_IS_NO_HEAP, p->capture.is_no_heap);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_IS_SATURATED, p->is_saturated);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_NOTES_DROPPED, p->notes.dropped);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_HAS_LOSS, p->notes.has_loss);
}

static void put_strings(struct bundle_write_writer *w)
{
    for (uint32_t i = HF_NO_STRING + 1; i < w->profile->strings.count; i++)
        hf_protobuf_put_bytes(w->out, HF_BUNDLE_STRING, hf_profile_text(w->profile, i));
}

static void bundle_write_put_types(struct bundle_write_writer *w)
{
    for (size_t i = 0; i < w->profile->type_count; i++) {
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_TYPE_NAME, w->profile->types[i].name);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_TYPE_UNIT, w->profile->types[i].unit);
        bundle_write_put_message(w->out, HF_BUNDLE_TYPE, &w->message);
    }
}

static void put_modules(struct bundle_write_writer *w)
{
    for (size_t i = HF_NO_MODULE + 1; i < w->profile->module_count; i++) {
        const struct hf_module *module = &w->profile->modules[i];
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_MODULE_PATH, module->path);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_MODULE_BUILD_ID, module->build_id);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_MODULE_WHY_UNNAMED, module->why_unnamed);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_MODULE_IS_DELETED, module->is_deleted);
        for (size_t s = 0; s < module->segment_count; s++) {
            const struct hf_segment *segment = &module->segments[s];
            hf_protobuf_put_u64(&w->part, HF_BUNDLE_SEGMENT_START, segment->start);
            hf_protobuf_put_u64(&w->part, HF_BUNDLE_SEGMENT_SIZE, segment->end - segment->start);
            hf_protobuf_put_u64(&w->part, HF_BUNDLE_SEGMENT_FILE_OFFSET, segment->file_offset);
            hf_protobuf_put_u64(&w->part, HF_BUNDLE_SEGMENT_IS_EXECUTABLE, segment->is_executable);
            bundle_write_put_message(&w->message, HF_BUNDLE_MODULE_SEGMENT, &w->part);
        }
        bundle_write_put_message(w->out, HF_BUNDLE_MODULE, &w->message);
    }
}

static void bundle_write_put_threads(struct bundle_write_writer *w)
{
    enum hf_lifetimes_class kind;
    size_t index;
    for (uint32_t i = 0; i < w->profile->thread_count; i++) {
        if (hf_lifetimes_class_of(w->profile, i, &kind, &index))
            continue;
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_THREAD_UID, w->profile->threads[i].uid);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_THREAD_NAME, w->profile->threads[i].name);
        bundle_write_put_message(w->out, HF_BUNDLE_THREAD, &w->message);
    }
}

static void bundle_write_put_frames(struct bundle_write_writer *w)
{
    for (uint32_t i = 0; i < w->profile->frames.count; i++) {
        const struct hf_frame *frame = hf_profile_frame_at(w->profile, i);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_FLAGS, frame->flags);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_MODULE, frame->module);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_OFFSET, frame->offset);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_NAME, frame->name);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_FILE, frame->file);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_LINE, frame->line);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_SYMBOL, frame->symbol);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_VARIANT, frame->variant);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_FRAME_PAST_START, frame->past_start);
        bundle_write_put_message(w->out, HF_BUNDLE_FRAME, &w->message);
    }
}

static void bundle_write_put_names(struct bundle_write_writer *w)
{
    for (uint32_t i = 0; i < w->profile->frames.count; i++) {
        size_t count;
        const uint32_t *named = hf_profile_expansion(w->profile, &i, &count);
        if (!hf_profile_is_expanded(w->profile, i))
            continue;
        for (size_t n = 0; n < count; n++)
            hf_protobuf_put_varint(&w->part, named[n]);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_NAMES_OF, i);
        bundle_write_put_message(&w->message, HF_BUNDLE_NAMES_CALLS, &w->part);
        bundle_write_put_message(w->out, HF_BUNDLE_NAMES, &w->message);
    }
}

static void bundle_write_put_stack(struct bundle_write_writer *w, uint32_t node)
{
    const struct hf_stack_node *nodes = w->profile->stacks.nodes;
    for (; node != HF_STACK_ROOT; node = nodes[node].parent)
        hf_protobuf_put_varint(&w->part, nodes[node].frame);
    bundle_write_put_message(&w->message, HF_BUNDLE_SAMPLE_STACK, &w->part);
}

/* The number of a thread among those that are written. */
static uint64_t bundle_write_thread_number(const struct hf_profile *profile, uint32_t thread)
{
    uint64_t number = thread;
    enum hf_lifetimes_class kind;
    size_t index;
    for (uint32_t i = 0; profile->capture.has_classes && i < thread; i++)
        number -= hf_lifetimes_class_of(profile, i, &kind, &index);
    return number;
}

/* The classes of a kind that samples [from, to) have. */
static void bundle_write_put_classes(
    struct bundle_write_writer *w, size_t from, size_t to, enum hf_lifetimes_class kind)
{
    const struct hf_profile *p = w->profile;
    for (size_t i = from; i < to; i++) {
        enum hf_lifetimes_class own;
        size_t index;
        if (!hf_lifetimes_class_of(p, p->samples[i].thread, &own, &index) || own != kind)
            continue;
        hf_protobuf_put_varint(&w->part, index);
        for (size_t v = 0; v < 2; v++)
            hf_protobuf_put_varint(
                &w->part, hf_profile_value(p, i, hf_lifetimes_column(kind, v == 1)));
    }
    if (w->part.size != 0)
        bundle_write_put_message(&w->message, HF_BUNDLE_BLOCKS_CLASS0 + kind, &w->part);
}

/* Of the stack of sample `from`: the classes of it that follow each other. */
static size_t bundle_write_put_blocks_of(struct bundle_write_writer *w, size_t from)
{
    const struct hf_profile *p = w->profile;
    enum hf_lifetimes_class kind;
    size_t index, to = from;
    while (to < p->sample_count && p->samples[to].node == p->samples[from].node &&
           hf_lifetimes_class_of(p, p->samples[to].thread, &kind, &index))
        to++;
    if (to == from)
        return from + 1;
    bundle_write_put_stack(w, p->samples[from].node);
    for (size_t i = 0; i < HF_CLASS_KINDS; i++)
        bundle_write_put_classes(w, from, to, (enum hf_lifetimes_class)i);
    bundle_write_put_message(w->out, HF_BUNDLE_BLOCKS, &w->message);
    return to;
}

static void bundle_write_put_numbers(
    struct bundle_write_writer *w, unsigned field, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hf_protobuf_put_varint(&w->part, values[i]);
    bundle_write_put_message(&w->message, field, &w->part);
}

static void bundle_write_put_curve(struct bundle_write_writer *w)
{
    const struct hf_usage_curve *curve = &w->profile->capture.curve;
    hf_protobuf_put_u64(w->out, HF_BUNDLE_START_AFTER_MS, w->profile->capture.start_after_ms);
    if (curve->count == 0)
        return;
    hf_protobuf_put_u64(&w->message, HF_BUNDLE_CURVE_SHIFT, curve->shift);
    bundle_write_put_numbers(w, HF_BUNDLE_CURVE_IN_USE, curve->in_use_bytes, curve->count);
    bundle_write_put_numbers(w, HF_BUNDLE_CURVE_ALLOCATED, curve->allocated_bytes, curve->count);
    bundle_write_put_message(w->out, HF_BUNDLE_CURVE, &w->message);
}

static void bundle_write_put_blocks(struct bundle_write_writer *w)
{
    hf_protobuf_put_u64(w->out, HF_BUNDLE_BEGAN_MS, w->profile->capture.began_ms);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_WEIGHT_PER_MILLE, w->profile->capture.weight_per_mille);
    if (!w->profile->capture.has_classes)
        return;
    hf_protobuf_put_u64(w->out, HF_BUNDLE_HAS_CLASSES,
        w->profile->capture.has_no_freed ? HF_BUNDLE_CLASSES_IN_USE : 1);
    hf_protobuf_put_u64(w->out, HF_BUNDLE_EPOCH_SHIFT, w->profile->capture.epoch_shift);
    for (size_t i = 0; i < w->profile->sample_count;)
        i = bundle_write_put_blocks_of(w, i);
}

static void bundle_write_put_samples(struct bundle_write_writer *w)
{
    const struct hf_profile *p = w->profile;
    enum hf_lifetimes_class kind;
    size_t index, count = 0;
    uint32_t before = HF_STACK_ROOT;
    for (size_t i = 0; i < p->sample_count; i++) {
        uint32_t node = p->samples[i].node, thread = p->samples[i].thread;
        if (hf_lifetimes_class_of(p, thread, &kind, &index))
            continue;
        if (count++ == 0 || node != before)
            bundle_write_put_stack(w, node);
        before = node;
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_SAMPLE_THREAD,
            thread == HF_THREAD_ALL ? 0 : bundle_write_thread_number(p, thread) + 1);
        for (size_t v = 0; v < hf_profile_stride(p); v++)
            hf_protobuf_put_varint(&w->part, hf_profile_values(p, i)[v]);
        bundle_write_put_message(&w->message, HF_BUNDLE_SAMPLE_VALUES, &w->part);
        bundle_write_put_message(w->out, HF_BUNDLE_SAMPLE, &w->message);
    }
    w->sample_count = count;
}

static void bundle_write_put_notes(struct bundle_write_writer *w)
{
    for (size_t i = 0; i < w->profile->notes.count; i++) {
        const struct hf_note *note = &w->profile->notes.items[i];
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_NOTE_KIND, note->kind);
        hf_protobuf_put_u64(&w->message, HF_BUNDLE_NOTE_TIMES, note->times);
        hf_protobuf_put_bytes(&w->message, HF_BUNDLE_NOTE_TEXT, hf_text_of(note->text));
        bundle_write_put_message(w->out, HF_BUNDLE_NOTE, &w->message);
    }
}

enum hf_status hf_bundle_write(
    const struct hf_profile *profile, size_t type, struct hf_out *out, struct hf_error *err)
{
    struct bundle_write_writer w = {.profile = profile, .out = out};
    bundle_write_put_head(&w, type);
    put_strings(&w);
    hf_protobuf_put_u64(w.out, HF_BUNDLE_COMMAND, profile->capture.command);
    hf_protobuf_put_u64(w.out, HF_BUNDLE_PROCESS_ID, profile->capture.process_id);
    hf_protobuf_put_u64(w.out, HF_BUNDLE_PROCESS_START, profile->capture.process_start);
    hf_protobuf_put_u64(w.out, HF_BUNDLE_PEAK_BYTES, profile->capture.peak_bytes);
    hf_protobuf_put_u64(w.out, HF_BUNDLE_PEAK_AFTER_MS, profile->capture.peak_after_ms);
    hf_protobuf_put_u64(w.out, HF_BUNDLE_PEAK_MOST_BYTES, profile->capture.peak_most_bytes);
    bundle_write_put_types(&w);
    put_modules(&w);
    bundle_write_put_threads(&w);
    bundle_write_put_frames(&w);
    bundle_write_put_names(&w);
    bundle_write_put_samples(&w);
    bundle_write_put_curve(&w);
    bundle_write_put_blocks(&w);
    bundle_write_put_notes(&w);
    hf_protobuf_put_varint(out, HF_BUNDLE_SAMPLE_COUNT << 3 | HF_PROTOBUF_VARINT);
    hf_protobuf_put_varint(out, w.sample_count);
    enum hf_status status = hf_out_finish(&w.message, err);
    if (status == HF_OK)
        status = hf_out_finish(&w.part, err);
    hf_out_done(&w.message);
    hf_out_done(&w.part);
    return status;
}

static enum hf_status bundle_write_write_bundle(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    (void)notes;
    struct hf_gzip *gzip;
    enum hf_status status = hf_gzip_open(&gzip, out, err);
    if (status != HF_OK)
        return status;
    status = hf_bundle_write(profile, type, hf_gzip_out(gzip), err);
    if (status == HF_OK)
        status = hf_gzip_finish(gzip, err);
    hf_gzip_close(gzip);
    return status;
}

const struct hf_writer hf_writer_bundle = {
    .name = "bundle",
    .what = "a bundle: the profile with its names",
    .endings = {".hfb"},
    .takes_all = true,
    .takes_classes = true,
    .is_binary = true,
    .write = bundle_write_write_bundle,
};
