/* reader.h: for targets that are the reader of one format, whatever the first bytes are. */
#ifndef HF_FUZZ_READER_H
#define HF_FUZZ_READER_H

#include "formats/folded/folded.h"
#include "formats/format.h"
#include "formats/writers.h"
#include "profile/lifetimes.h"
#include "tell.h"

#include <inttypes.h>
#include <stdlib.h>

static inline void fuzz_tell_frame(const struct hf_profile *profile, uint32_t id)
{
    const struct hf_frame *frame = hf_profile_frame_at(profile, id);
    if (frame->module != HF_NO_MODULE)
        fuzz_tell("[%" PRIu32 "]", frame->module);
    fuzz_tell("+0x%" PRIx64 " ", frame->offset);
    fuzz_tell_text(hf_profile_text(profile, frame->name));
    fuzz_tell(" (");
    fuzz_tell_text(hf_profile_text(profile, frame->file));
    fuzz_tell(":%" PRIu32 ") flags 0x%" PRIx32 " variant %" PRIu32 " past %" PRIu32 " symbol ",
        frame->line, frame->flags, frame->variant, frame->past_start);
    fuzz_tell_text(hf_profile_text(profile, frame->symbol));
}

static inline void fuzz_tell_modules(const struct hf_profile *profile)
{
    for (size_t i = 1; i < profile->module_count; i++) {
        const struct hf_module *module = &profile->modules[i];
        fuzz_tell("module %zu%s: ", i, module->is_deleted ? ", deleted" : "");
        fuzz_tell_text(hf_profile_text(profile, module->path));
        fuzz_tell(" ");
        fuzz_tell_text(hf_profile_text(profile, module->build_id));
        for (size_t s = 0; s < module->segment_count; s++)
            fuzz_tell(" 0x%" PRIx64 "-0x%" PRIx64 "@0x%" PRIx64 "%s", module->segments[s].start,
                module->segments[s].end, module->segments[s].file_offset,
                module->segments[s].is_executable ? "x" : "");
        fuzz_tell("\n");
    }
}

static inline void fuzz_tell_samples(const struct hf_profile *profile)
{
    for (size_t i = 0; i < profile->sample_count && i < 100; i++) {
        fuzz_tell("sample of %" PRIx32 ":", profile->samples[i].thread);
        for (size_t v = 0; v < hf_profile_stride(profile); v++)
            fuzz_tell(" %" PRIu64, hf_profile_values(profile, i)[v]);
        fuzz_tell("\n");
        size_t depth = 0;
        for (uint32_t node = profile->samples[i].node; node != 0 && depth < 40; depth++) {
            size_t count;
            const uint32_t *named =
                hf_profile_expansion(profile, &profile->stacks.nodes[node].frame, &count);
            fuzz_tell("  ");
            fuzz_tell_frame(profile, profile->stacks.nodes[node].frame);
            fuzz_tell("\n");
            for (size_t n = 0; n < count && named != &profile->stacks.nodes[node].frame; n++) {
                fuzz_tell("    is ");
                fuzz_tell_frame(profile, named[n]);
                fuzz_tell("\n");
            }
            node = profile->stacks.nodes[node].parent;
        }
    }
    if (profile->sample_count > 100)
        fuzz_tell("%zu samples\n", profile->sample_count);
}

static inline void fuzz_tell_curve(const struct hf_capture_facts *capture)
{
    fuzz_tell("start after %" PRIu64 ", curve of 2^%" PRIu32 ":", capture->start_after_ms,
        capture->curve.shift);
    for (uint32_t i = 0; i < capture->curve.count; i++)
        fuzz_tell(" %" PRIu64 "/%" PRIu64, capture->curve.in_use_bytes[i],
            capture->curve.allocated_bytes[i]);
    fuzz_tell("\n");
}

/* All that a profile has. */
static inline void fuzz_tell_profile(const struct hf_profile *profile)
{
    const struct hf_capture_facts *capture = &profile->capture;
    if (!fuzz_is_told())
        return;
    for (size_t i = 0; i < profile->type_count; i++) {
        fuzz_tell("type%s: ", i == profile->default_type ? ", the default" : "");
        fuzz_tell_text(hf_profile_text(profile, profile->types[i].name));
        fuzz_tell(" in ");
        fuzz_tell_text(hf_profile_text(profile, profile->types[i].unit));
        struct hf_total total = hf_profile_total(profile, i, HF_THREAD_ALL);
        fuzz_tell(", %" PRIu64 " less %" PRIu64 "\n", total.value, total.released);
    }
    fuzz_tell("period %" PRIu64 ", sampled %" PRIu64 ", peak %" PRIu64 " after %" PRIu64
              ", process %" PRIu32 " of %" PRIu64 "%s%s%s%s\n",
        capture->period_bytes, capture->sampled_objects, capture->peak_bytes,
        capture->peak_after_ms, capture->process_id, capture->process_start,
        capture->has_just_ended ? ", ended" : "", capture->is_no_heap ? ", no heap" : "",
        profile->has_addresses ? ", addresses" : "",
        profile->is_difference ? ", a difference" : "");
    if (capture->start_after_ms != 0 || capture->curve.count != 0)
        fuzz_tell_curve(capture);
    if (capture->began_ms != 0 || capture->has_classes)
        fuzz_tell("began at %" PRIu64 "%s, epochs of 2^%" PRIu32 "\n", capture->began_ms,
            capture->has_classes ? ", with classes" : "", capture->epoch_shift);
    fuzz_tell_named("command", hf_profile_text(profile, capture->command));
    fuzz_tell_named("program", hf_profile_text(profile, capture->program));
    fuzz_tell_long("names of a JIT", hf_profile_text(profile, capture->jit_names));
    fuzz_tell_modules(profile);
    for (size_t i = 0; i < profile->thread_count; i++) {
        fuzz_tell("thread %zu is %" PRIu64 " ", i, profile->threads[i].uid);
        fuzz_tell_named("called", hf_profile_text(profile, profile->threads[i].name));
    }
    fuzz_tell_samples(profile);
    for (size_t i = 0; i < profile->notes.count; i++) {
        const struct hf_note *note = &profile->notes.items[i];
        fuzz_tell("%" PRIu64 " times ", note->times);
        fuzz_tell_named(note->kind == HF_NOTE_LOSS ? "a loss" : "a note", hf_text_of(note->text));
    }
    fuzz_tell("%" PRIu64 " notes dropped\n", profile->notes.dropped);
}

/* Bids, and reads the input; NULL if it is refused. All ids of the profile that is made must exist.
 */
static inline struct hf_profile *fuzz_read(
    const struct hf_format *format, bool is_tcmalloc_v1, const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    struct hf_text input_text = {(const char *)data, size};
    hf_input_open_memory(&input, input_text, "input");
    input.is_tcmalloc_v1 = is_tcmalloc_v1;
    enum hf_bid bid = format->bid(hf_text_first(input_text, HF_FORMAT_PEEK_BYTES));
    if (bid > HF_BID_SURE || hf_profile_new(&profile, &err) != HF_OK)
        abort();
    fuzz_tell("bid %d\n", bid);
    enum hf_status status = format->read(&input, profile, &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK) {
        hf_profile_free(profile);
        profile = NULL;
    }
    hf_input_close(&input);
    if (profile == NULL)
        return NULL;
    if (profile->type_count == 0 || profile->type_count > HF_VALUE_TYPES_MAX)
        abort();
    for (size_t i = 0; i < profile->sample_count; i++) {
        if (profile->samples[i].node >= profile->stacks.count)
            abort();
    }
    for (size_t i = 1; i < profile->stacks.count; i++) {
        uint32_t frame = profile->stacks.nodes[i].frame;
        if (frame >= profile->frames.count ||
            hf_profile_frame_at(profile, frame)->module >= profile->module_count)
            abort();
    }
    fuzz_tell_profile(profile);
    return profile;
}

/* Reads the input with classes of blocks (profile/lifetimes.h); what `writer` writes of it is read
 * as the same: from the second time on, the same bytes. */
static inline void fuzz_classes(const struct hf_format *format, const struct hf_writer *writer,
    const uint8_t *data, size_t size)
{
    struct hf_text text = {(const char *)data, size};
    struct hf_out outs[3] = {0};
    bool goes_on = true;
    for (size_t i = 0; goes_on && i < HF_COUNT(outs); i++) {
        struct hf_error err;
        struct hf_input input;
        struct hf_notes notes = {0};
        struct hf_profile *profile;
        struct hf_lifetimes lifetimes = {.wants_classes = true};
        if (hf_profile_new(&profile, &err) != HF_OK)
            abort();
        hf_input_open_memory(&input, text, "input");
        input.lifetimes = &lifetimes;
        if (format->read(&input, profile, &err) != HF_OK)
            abort(); /* it was read without them */
        if (i == 0 && profile->capture.has_classes)
            fuzz_tell_profile(profile);
        goes_on = profile->capture.has_classes && !profile->is_saturated;
        if (goes_on &&
            writer->write(profile, profile->default_type, &notes, &outs[i], &err) != HF_OK)
            abort();
        if (hf_lifetimes_drop(profile, true, &err) != HF_OK ||
            hf_lifetimes_drop(profile, false, &err) != HF_OK)
            abort();
        hf_notes_done(&notes);
        hf_profile_free(profile);
        hf_input_close(&input);
        text = hf_out_view(&outs[i]);
    }
    if (goes_on && !hf_text_equal(hf_out_view(&outs[1]), hf_out_view(&outs[2])))
        abort();
    for (size_t i = 0; i < HF_COUNT(outs); i++)
        hf_out_done(&outs[i]);
}

/* Folded stacks, read in a way that no bid chooses; NULL if they are refused. */
static inline struct hf_profile *fuzz_read_folded(
    struct hf_text text, const struct hf_folded_how *how)
{
    struct hf_error err;
    struct hf_input input;
    struct hf_profile *profile;
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    hf_input_open_memory(&input, text, "input");
    enum hf_status status = hf_folded_read(&input, how, profile, &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK) {
        hf_profile_free(profile);
        profile = NULL;
    }
    hf_input_close(&input);
    if (profile != NULL)
        fuzz_tell_profile(profile);
    return profile;
}

static inline int fuzz_reader(const struct hf_format *format, const uint8_t *data, size_t size)
{
    hf_profile_free(fuzz_read(format, false, data, size));
    return 0;
}

#endif
