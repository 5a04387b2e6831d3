/*
 * speedscope_write.c: folded stacks as speedscope's own JSON, for https://www.speedscope.app.
 *
 * Source: speedscope, "Importing from custom sources" and its file-format-schema.json. One sampled
 * profile for each kind of value that is not all 0, over one table of frames: `samples` are stacks
 * root first, `weights` their values. It shows no negative weights, so a difference gives two
 * profiles, "... grew" and "... released". Units that are neither bytes nor times are "none".
 *
 * Stacks are in the order of their labels, so equal profiles give equal bytes. JSON has no limit
 * for numbers, but JavaScript rounds those from 2^53 on, and a note says so.
 */
#include "base/budget.h"
#include "base/strings/escape.h"
#include "config.h"
#include "formats/writers.h"
#include "profile/fold.h"
#include "profile/order.h"

#include <stdlib.h>

#define FRAME_STEPS 200
#define SCHEMA "https://www.speedscope.app/file-format-schema.json"
#define NO_SAMPLE UINT32_MAX
#define EXACT_MAX (UINT64_C(1) << 53)

struct speedscope_write_writer {
    const struct hf_profile *profile;
    struct hf_out *out;
    struct hf_order order;
    uint32_t *samples; /* by node; NO_SAMPLE */
    uint32_t *nodes;   /* all nodes, a node before what it called, siblings by label */
    uint32_t *places;  /* by frame: its place in the table of frames */
    uint32_t *stack;   /* scratch: nodes still to visit; the frames of one stack */
    size_t profile_count;
    bool is_rounded;
};

static void speedscope_write_writer_done(struct speedscope_write_writer *w)
{
    hf_order_done(&w->order);
    free(w->samples);
    free(w->nodes);
    free(w->places);
    free(w->stack);
}

static enum hf_status writer_init(struct speedscope_write_writer *w, struct hf_error *err)
{
    const struct hf_profile *p = w->profile;
    size_t node_count = p->stacks.count, visited = 0, waiting = 0;
    w->samples = reallocarray(NULL, node_count, sizeof *w->samples);
    w->nodes = reallocarray(NULL, node_count, sizeof *w->nodes);
    w->stack = reallocarray(NULL, node_count, sizeof *w->stack);
    w->places = reallocarray(NULL, (size_t)p->frames.count + 1, sizeof *w->places);
    if (w->samples == NULL || w->nodes == NULL || w->stack == NULL || w->places == NULL)
        return hf_error_memory(err);
    enum hf_status status = hf_order_init(&w->order, p, err);
    if (status != HF_OK)
        return status;
    for (uint32_t i = 0; i < p->frames.count; i++)
        w->places[w->order.frames[i]] = i;
    memset(w->samples, 0xff, node_count * sizeof *w->samples); /* NO_SAMPLE */
    for (size_t i = 0; i < p->sample_count; i++)
        w->samples[p->samples[i].node] = (uint32_t)i;
    w->stack[waiting++] = HF_STACK_ROOT;
    while (waiting != 0) {
        uint32_t node = w->stack[--waiting];
        w->nodes[visited++] = node;
        for (uint32_t i = w->order.first_children[node + 1]; i-- > w->order.first_children[node];)
            w->stack[waiting++] = w->order.children[i];
    }
    return HF_OK;
}

static void speedscope_write_put_string(
    struct speedscope_write_writer *w, const char *key, struct hf_text value)
{
    hf_out_printf(w->out, "\"%s\":\"", key);
    hf_escape_json(w->out, value);
    hf_out_char(w->out, '"');
}

/* The place behind the last frame is that of a stack without frames. */
static void speedscope_write_put_frames(struct speedscope_write_writer *w)
{
    const struct hf_profile *p = w->profile;
    hf_out_string(w->out, "\"shared\":{\"frames\":[\n");
    for (uint32_t i = 0; i < p->frames.count; i++) {
        uint32_t id = w->order.frames[i];
        const struct hf_frame *frame = hf_profile_frame_at(p, id);
        bool is_plain = frame->name != HF_NO_STRING && frame->symbol == HF_NO_STRING &&
                        (frame->flags & (HF_FRAME_HAS_OFFSET | HF_FRAME_TWINS)) == 0;
        hf_out_char(w->out, '{');
        speedscope_write_put_string(
            w, "name", is_plain ? hf_profile_text(p, frame->name) : hf_order_label(&w->order, id));
        if (frame->file != HF_NO_STRING) {
            hf_out_char(w->out, ',');
            speedscope_write_put_string(w, "file", hf_profile_text(p, frame->file));
        }
        if (frame->line != 0 && (frame->flags & HF_FRAME_IS_NEAR) == 0)
            hf_out_printf(w->out, ",\"line\":%u", frame->line);
        hf_out_string(w->out, "},\n");
    }
    hf_out_string(w->out, "{\"name\":\"" HF_NO_STACK "\"}\n]},\n");
}

static void speedscope_write_put_stack(struct speedscope_write_writer *w, uint32_t node)
{
    const struct hf_stacktree *stacks = &w->profile->stacks;
    size_t depth = 0;
    hf_out_char(w->out, '[');
    if (node == HF_STACK_ROOT)
        hf_out_u64(w->out, w->profile->frames.count);
    for (; node != HF_STACK_ROOT; node = stacks->nodes[node].parent)
        w->stack[depth++] = w->places[stacks->nodes[node].frame];
    (void)hf_budget_step(FRAME_STEPS * depth);
    while (depth != 0) {
        hf_out_u64(w->out, w->stack[--depth]);
        if (depth != 0)
            hf_out_char(w->out, ',');
    }
    hf_out_char(w->out, ']');
}

static uint64_t speedscope_write_value_of(
    const struct speedscope_write_writer *w, uint32_t node, size_t type, bool is_released)
{
    uint32_t sample = w->samples[node];
    if (sample == NO_SAMPLE)
        return 0;
    return is_released ? hf_profile_released(w->profile, sample, type)
                       : hf_profile_value(w->profile, sample, type);
}

static const char *unit_of(struct hf_text unit)
{
    static const char *const known[] = {
        "bytes", "nanoseconds", "microseconds", "milliseconds", "seconds"};
    for (size_t i = 0; i < HF_COUNT(known); i++) {
        if (hf_text_is(unit, known[i]))
            return known[i];
    }
    return "none";
}

/* One profile of the file; nothing if `total`, the sum of its values, is 0. */
static void put_profile(
    struct speedscope_write_writer *w, size_t type, bool is_released, uint64_t total)
{
    const struct hf_profile *p = w->profile;
    const char *sign = !p->is_difference ? "" : is_released ? " released" : " grew";
    const char *separator = "";
    if (total == 0)
        return;
    w->is_rounded = w->is_rounded || total > EXACT_MAX;
    hf_out_string(w->out, w->profile_count++ != 0 ? ",\n{" : "\n{");
    hf_out_string(w->out, "\"type\":\"sampled\",\"name\":\"");
    hf_escape_json(w->out, hf_profile_text(p, p->types[type].name));
    hf_out_printf(w->out, "%s\",\"unit\":\"%s\",\"startValue\":0,\"endValue\":", sign,
        unit_of(hf_profile_text(p, p->types[type].unit)));
    hf_out_u64(w->out, total);
    hf_out_string(w->out, ",\n\"samples\":[");
    for (size_t i = 0; i < p->stacks.count && w->out->error.status == HF_OK; i++) {
        if (speedscope_write_value_of(w, w->nodes[i], type, is_released) == 0)
            continue;
        hf_out_string(w->out, separator);
        speedscope_write_put_stack(w, w->nodes[i]);
        separator = ",";
    }
    hf_out_string(w->out, "],\n\"weights\":[");
    separator = "";
    for (size_t i = 0; i < p->stacks.count; i++) {
        uint64_t value = speedscope_write_value_of(w, w->nodes[i], type, is_released);
        if (value == 0)
            continue;
        hf_out_string(w->out, separator);
        hf_out_u64(w->out, value);
        separator = ",";
    }
    hf_out_string(w->out, "]}");
}

static void put_profiles(struct speedscope_write_writer *w, size_t shown)
{
    size_t active = 0;
    hf_out_string(w->out, "\"profiles\":[");
    for (size_t i = 0; i < w->profile->type_count; i++) {
        struct hf_total total = hf_profile_total(w->profile, i, HF_THREAD_ALL);
        if (i == shown)
            active = w->profile_count;
        put_profile(w, i, false, total.value);
        put_profile(w, i, true, total.released);
    }
    hf_out_printf(w->out, "\n],\n\"activeProfileIndex\":%zu}\n", active);
}

/* By its file, else by how it was started. */
static struct hf_text program_name(const struct hf_profile *profile)
{
    struct hf_text path = hf_profile_text(profile, profile->capture.program);
    if (path.size == 0) {
        path = hf_profile_text(profile, profile->capture.command);
        path = hf_text_first(path, hf_text_find(path, ' '));
    }
    path = hf_text_basename(path);
    return path.size != 0 ? path : HF_TEXT("heapflame");
}

static enum hf_status write_speedscope(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    struct speedscope_write_writer w = {.profile = profile, .out = out};
    enum hf_status status = writer_init(&w, err);
    if (status == HF_OK) {
        hf_out_string(out,
            "{\"$schema\":\"" SCHEMA "\",\n\"exporter\":\"heapflame " HF_VERSION "\",\"name\":\"");
        hf_escape_json(out, program_name(profile));
        hf_out_string(out, "\",\n");
        speedscope_write_put_frames(&w);
        put_profiles(&w, type);
        if (w.profile_count == 0)
            hf_notes_add(
                notes, HF_NOTE_INFO, "all values are 0, so speedscope will not open the file");
        if (w.is_rounded)
            hf_notes_add(notes, HF_NOTE_INFO,
                "the file has sums beyond 2^53, which speedscope shows rounded");
    }
    speedscope_write_writer_done(&w);
    return status;
}

const struct hf_writer hf_writer_speedscope = {
    .name = "speedscope",
    .what = "JSON for speedscope",
    .endings = {".speedscope.json"},
    .takes_folded = true,
    .write = write_speedscope,
};
