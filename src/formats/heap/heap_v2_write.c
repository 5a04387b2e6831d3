/*
 * heap_v2_write.c: a profile as jemalloc's heap_v2 with the names of its addresses before it
 * (formats/heap/symbolized.c), so that jeprof reads it without any binary.
 *
 * The period is written as 0. The values are estimates already and must not be corrected again:
 * for 1 jeprof would still divide by 1 - exp(-size), which is 0.03 % at 8 bytes; for 0 no reader
 * corrects. Stacks and threads keep the order in which they were read.
 *
 * A frame stands at the address that it had. One that had none, or that lies where another file
 * does (in the sum of profiles of several processes), gets an address that no process has, and its
 * name. Names are given for the byte of the call, and for a leaf also for the address after it,
 * where jeprof looks. What has no place here is noted: source lines, build-ids, other values.
 */
#include "base/budget.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "formats/writers.h"
#include "profile/fold.h"
#include "profile/interval.h"
#include "profile/samples.h"

#include <inttypes.h>
#include <stdlib.h>

#define FRAME_STEPS 350               /* to write one of a stack */
#define FREE_FROM 0x4000000000000000u /* jeprof shows no address above 0x7fff... */
#define FREE_STEP 16u
#define NO_TYPE SIZE_MAX

enum use { UNUSED = 0, USED = 1, LEAF = 2, SYNTHETIC = 4 };

struct mapping {
    const struct hf_segment *segment;
    uint32_t module;
};

/* "address names": what one line of the section of symbols says. */
struct symbol {
    uint64_t address;
    uint32_t frame;
};

struct heap_v2_write_writer {
    const struct hf_profile *profile;
    struct hf_notes *notes;
    struct hf_out *out;
    size_t types[4];          /* by enum hf_heap_value: the profile's, or NO_TYPE */
    struct mapping *mappings; /* by start, without those of hidden modules */
    size_t mapping_count;
    bool *is_hidden;     /* by module: it lies where another does */
    uint8_t *uses;       /* by frame: enum use */
    uint64_t *addresses; /* by frame: the byte of the call */
    struct hf_map taken; /* those addresses */
    uint64_t next_free;
    bool has_unmapped;   /* some address without name lies in no mapping */
    bool has_bare_stack; /* some values are of no stack */
    bool loses_lines;
};

static int compare_mappings(const void *a, const void *b)
{
    const struct mapping *x = a, *y = b;
    if (x->segment->start != y->segment->start)
        return x->segment->start < y->segment->start ? -1 : 1;
    return (x->module > y->module) - (x->module < y->module);
}

/* Lists the mappings in order; of files that overlap the one that begins later is hidden. */
static enum hf_status list_mappings(struct heap_v2_write_writer *w, struct hf_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < w->profile->module_count; i++)
        count += w->profile->modules[i].segment_count;
    w->mappings = calloc(count + 1, sizeof *w->mappings);
    w->is_hidden = calloc(w->profile->module_count + 1, sizeof *w->is_hidden);
    if (w->mappings == NULL || w->is_hidden == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 1; i < w->profile->module_count; i++) {
        for (size_t s = 0; s < w->profile->modules[i].segment_count; s++)
            w->mappings[w->mapping_count++] =
                (struct mapping){&w->profile->modules[i].segments[s], i};
    }
    qsort(w->mappings, count, sizeof *w->mappings, compare_mappings);
    const struct mapping *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct mapping *next = &w->mappings[i];
        if (last != NULL && next->segment->start < last->segment->end &&
            next->module != last->module && !w->is_hidden[last->module])
            w->is_hidden[next->module] = true;
        if (last == NULL ||
            (!w->is_hidden[next->module] && next->segment->end > last->segment->end))
            last = next;
    }
    w->mapping_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!w->is_hidden[w->mappings[i].module])
            w->mappings[w->mapping_count++] = w->mappings[i];
    }
    return HF_OK;
}

static bool is_mapped(const struct heap_v2_write_writer *w, uint64_t address)
{
    size_t low = 0, high = w->mapping_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->mappings[middle].segment->start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 && address < w->mappings[low - 1].segment->end;
}

/* The address that a frame had in the process; false if it has none that can be written. */
static bool heap_v2_write_find_address(
    const struct heap_v2_write_writer *w, const struct hf_frame *frame, uint64_t *out)
{
    const uint32_t kind = HF_FRAME_NAMED | HF_FRAME_HAS_OFFSET | HF_FRAME_LINKED;
    if ((frame->flags & kind) != HF_FRAME_HAS_OFFSET || frame->symbol != HF_NO_STRING)
        return false;
    *out = frame->offset;
    if (frame->module == HF_NO_MODULE)
        return !is_mapped(w, frame->offset);
    const struct hf_module *module = &w->profile->modules[frame->module];
    for (size_t i = 0; i < module->segment_count && !w->is_hidden[frame->module]; i++) {
        const struct hf_segment *s = &module->segments[i];
        *out = frame->offset - s->file_offset + s->start;
        if (frame->offset >= s->file_offset && frame->offset - s->file_offset < s->end - s->start)
            return true;
    }
    return false;
}

static enum hf_status place_frame(struct heap_v2_write_writer *w, uint32_t id, struct hf_error *err)
{
    const struct hf_frame *frame = hf_profile_frame_at(w->profile, id);
    uint64_t address;
    bool is_new = false;
    if (heap_v2_write_find_address(w, frame, &address) &&
        hf_map_put(&w->taken, address, id, &is_new) == NULL)
        return hf_error_memory(err);
    while (!is_new) {
        address = w->next_free;
        w->next_free += FREE_STEP;
        w->uses[id] |= SYNTHETIC;
        if (hf_map_put(&w->taken, address, id, &is_new) == NULL)
            return hf_error_memory(err);
    }
    w->addresses[id] = address;
    w->has_unmapped =
        w->has_unmapped || (frame->module == HF_NO_MODULE && (w->uses[id] & SYNTHETIC) == 0 &&
                               !hf_profile_is_expanded(w->profile, id));
    return HF_OK;
}

static enum hf_status place_frames(struct heap_v2_write_writer *w, struct hf_error *err)
{
    const struct hf_stacktree *stacks = &w->profile->stacks;
    uint32_t count = w->profile->frames.count;
    w->uses = calloc((size_t)count + 1, sizeof *w->uses);
    w->addresses = calloc((size_t)count + 1, sizeof *w->addresses);
    if (w->uses == NULL || w->addresses == NULL)
        return hf_error_memory(err);
    for (size_t i = 1; i < stacks->count; i++)
        w->uses[stacks->nodes[i].frame] |= USED;
    for (size_t i = 0; i < w->profile->sample_count; i++) {
        uint32_t node = w->profile->samples[i].node;
        if (node == HF_STACK_ROOT)
            w->has_bare_stack = true;
        else
            w->uses[stacks->nodes[node].frame] |= LEAF;
    }
    enum hf_status status = HF_OK;
    w->next_free = FREE_FROM;
    for (uint32_t i = 0; i < count && status == HF_OK; i++) {
        if (w->uses[i] != UNUSED)
            status = place_frame(w, i, err);
    }
    return status;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* "0x401020 main--inlined": what is inlined comes last. */
static void write_symbol(
    struct heap_v2_write_writer *w, const struct symbol *symbol, struct hf_out *label)
{
    size_t count;
    const uint32_t *names = hf_profile_expansion(w->profile, &symbol->frame, &count);
    const char *separator = " ";
    hf_out_printf(w->out, "0x%016" PRIx64, symbol->address);
    for (size_t i = count; i-- != 0;) {
        struct hf_frame name = *hf_profile_frame_at(w->profile, names[i]);
        w->loses_lines = w->loses_lines || name.line != 0;
        label->size = 0;
        if ((name.flags & HF_FRAME_NAMED) != 0)
            hf_out_text(label, hf_profile_text(w->profile, name.name));
        else
            hf_frame_label(w->profile, &name, label);
        hf_out_string(w->out, separator);
        hf_escape_terminal(w->out, hf_out_view(label));
        separator = "--";
    }
    hf_out_char(w->out, '\n');
}

/* True if the frame has a name to write, or an address that says nothing without one. */
static bool heap_v2_write_has_name(const struct heap_v2_write_writer *w, uint32_t frame)
{
    size_t count;
    const uint32_t *names = hf_profile_expansion(w->profile, &frame, &count);
    return (w->uses[frame] & SYNTHETIC) != 0 ||
           (count != 0 && (hf_profile_frame_at(w->profile, names[0])->flags & HF_FRAME_NAMED) != 0);
}

static enum hf_status write_symbols(struct heap_v2_write_writer *w, struct hf_error *err)
{
    uint32_t frame_count = w->profile->frames.count;
    struct symbol *symbols = calloc(2 * (size_t)frame_count + 1, sizeof *symbols);
    struct hf_out label = {0};
    size_t count = 0;
    if (symbols == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; i < frame_count; i++) {
        if (w->uses[i] == UNUSED || !heap_v2_write_has_name(w, i))
            continue;
        symbols[count++] = (struct symbol){w->addresses[i], i};
        if ((w->uses[i] & LEAF) != 0 && hf_map_find(&w->taken, w->addresses[i] + 1) == NULL)
            symbols[count++] = (struct symbol){w->addresses[i] + 1, i};
    }
    qsort(symbols, count, sizeof *symbols, compare_symbols);
    hf_out_string(w->out, "--- symbol\n");
    for (size_t i = 0; i < w->profile->module_count; i++) {
        struct hf_text path = hf_profile_text(w->profile, w->profile->modules[i].path);
        if (!hf_text_starts(path, "/") || memmem(path.data, path.size, ".so", 3) != NULL)
            continue;
        hf_out_string(w->out, "binary=");
        hf_escape_terminal(w->out, path);
        hf_out_char(w->out, '\n');
        break;
    }
    for (size_t i = 0; i < count; i++)
        write_symbol(w, &symbols[i], &label);
    if (w->has_bare_stack)
        hf_out_printf(w->out, "0x%016" PRIx64 " " HF_NO_STACK "\n", w->next_free + 1);
    hf_out_string(w->out, "---\n--- heap\n");
    enum hf_status status = hf_out_finish(&label, err);
    free(symbols);
    hf_out_done(&label);
    return status;
}

static void write_counts(struct heap_v2_write_writer *w, const uint64_t values[4])
{
    hf_out_printf(w->out, ": %" PRIu64 ": %" PRIu64 " [%" PRIu64 ": %" PRIu64 "]",
        values[HF_INUSE_OBJECTS], values[HF_INUSE_SPACE], values[HF_ALLOC_OBJECTS],
        values[HF_ALLOC_SPACE]);
}

static void values_of(const struct heap_v2_write_writer *w, size_t sample, uint64_t out[4])
{
    for (size_t i = 0; i < 4; i++)
        out[i] = w->types[i] != NO_TYPE ? hf_profile_value(w->profile, sample, w->types[i]) : 0;
}

static void write_head(struct heap_v2_write_writer *w)
{
    const struct hf_profile *profile = w->profile;
    hf_out_string(w->out, "heap_v2/0\n");
    for (size_t i = 0; i <= profile->thread_count; i++) {
        uint32_t thread = i == 0 ? HF_THREAD_ALL : (uint32_t)i - 1;
        uint64_t totals[4] = {0};
        for (size_t t = 0; t < 4; t++) {
            if (w->types[t] != NO_TYPE)
                totals[t] = hf_profile_total(profile, w->types[t], thread).value;
        }
        if (i == 0)
            hf_out_string(w->out, "  t*");
        else
            hf_out_printf(w->out, "  t%" PRIu64, profile->threads[thread].uid);
        write_counts(w, totals);
        struct hf_text name = {NULL, 0};
        if (i != 0)
            name = hf_profile_text(profile, profile->threads[thread].name);
        hf_out_string(w->out, name.size != 0 ? " " : "");
        hf_escape_terminal(w->out, name);
        hf_out_char(w->out, '\n');
    }
}

static void heap_v2_write_write_stack(struct heap_v2_write_writer *w, uint32_t node)
{
    hf_out_char(w->out, '@');
    if (node == HF_STACK_ROOT) /* for a bare '@' jeprof takes the stack before */
        hf_out_printf(w->out, " 0x%016" PRIx64, w->next_free + 1);
    for (; node != HF_STACK_ROOT; node = w->profile->stacks.nodes[node].parent) {
        (void)hf_budget_step(FRAME_STEPS);
        hf_out_printf(
            w->out, " 0x%016" PRIx64, w->addresses[w->profile->stacks.nodes[node].frame] + 1);
    }
    hf_out_char(w->out, '\n');
}

/* A sample and its place: by node, the whole process before the threads. */
struct ranked {
    uint64_t rank;
    size_t sample;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static enum hf_status write_samples(struct heap_v2_write_writer *w, struct hf_error *err)
{
    const struct hf_profile *profile = w->profile;
    struct ranked *order = calloc(profile->sample_count + 1, sizeof *order);
    if (order == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct hf_sample *sample = &profile->samples[i];
        uint32_t thread = sample->thread == HF_THREAD_ALL ? 0 : sample->thread + 1;
        order[i] = (struct ranked){(uint64_t)sample->node << 32 | thread, i};
    }
    qsort(order, profile->sample_count, sizeof *order, compare_ranked);
    for (size_t i = 0; i < profile->sample_count && w->out->error.status == HF_OK; i++) {
        const struct hf_sample *sample = &profile->samples[order[i].sample];
        uint64_t values[4];
        if (i == 0 || sample->node != order[i - 1].rank >> 32)
            heap_v2_write_write_stack(w, sample->node);
        values_of(w, order[i].sample, values);
        if (sample->thread == HF_THREAD_ALL)
            hf_out_string(w->out, "  t*");
        else
            hf_out_printf(w->out, "  t%" PRIu64, profile->threads[sample->thread].uid);
        write_counts(w, values);
        hf_out_char(w->out, '\n');
    }
    free(order);
    return HF_OK;
}

static void write_path(struct heap_v2_write_writer *w, const struct hf_module *module)
{
    struct hf_text path = hf_profile_text(w->profile, module->path);
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] == '\n')
            hf_out_string(w->out, "\\012");
        else
            hf_out_char(w->out, path.data[i]);
    }
    hf_out_string(w->out, module->is_deleted ? " (deleted)\n" : "\n");
}

static void write_maps(struct heap_v2_write_writer *w)
{
    bool ends_well = true;
    hf_out_string(w->out, "\nMAPPED_LIBRARIES:\n");
    for (size_t i = 0; i < w->mapping_count; i++) {
        const struct mapping *m = &w->mappings[i];
        const struct hf_module *module = &w->profile->modules[m->module];
        bool is_anonymous = hf_text_is(hf_profile_text(w->profile, module->path), "[anon]");
        hf_out_printf(w->out, "%" PRIx64 "-%" PRIx64 " r-%cp %08" PRIx64 " 00:00 0 ",
            m->segment->start, m->segment->end, m->segment->is_executable ? 'x' : '-',
            is_anonymous ? 0 : m->segment->file_offset);
        if (is_anonymous)
            hf_out_char(w->out, '\n');
        else
            write_path(w, module);
        ends_well = hf_text_starts(hf_profile_text(w->profile, module->path), "[");
    }
    /* As every map of Linux ends: what lies in none of them is no loss. */
    if (w->has_unmapped && !ends_well)
        hf_out_string(
            w->out, "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n");
}

/* Which of the profile's values are written where. */
static void choose_types(struct heap_v2_write_writer *w, size_t type)
{
    static const char *const names[] = {
        [HF_INUSE_OBJECTS] = "inuse_objects",
        [HF_INUSE_SPACE] = "inuse_space",
        [HF_ALLOC_OBJECTS] = "alloc_objects",
        [HF_ALLOC_SPACE] = "alloc_space",
    };
    size_t found = 0;
    for (size_t i = 0; i < 4; i++) {
        bool has = hf_profile_find_type(w->profile, hf_text_of(names[i]), &w->types[i]);
        if (has)
            found++;
        else
            w->types[i] = NO_TYPE;
    }
    if (found == 0) {
        w->types[HF_INUSE_SPACE] = type;
        found = 1;
        hf_notes_add(w->notes, HF_NOTE_INFO, "the values '%s' are written as bytes in use",
            hf_profile_text(w->profile, w->profile->types[type].name).data);
    }
    /* Readers of heap_v2 have the number of samples from its own; of the peak nobody asked. */
    static const char *const beside[] = {HF_INUSE_SAMPLES, HF_PEAK_OBJECTS, HF_PEAK_SPACE,
        HF_PEAK_SAMPLES, HF_TEMPORARY_OBJECTS, HF_RESIDENT_SPACE, HF_START_OBJECTS, HF_START_SPACE};
    for (size_t i = 0; i < HF_COUNT(beside); i++) {
        size_t at;
        if (hf_profile_find_type(w->profile, hf_text_of(beside[i]), &at) && at != type)
            found++;
    }
    if (found < w->profile->type_count)
        hf_notes_add(w->notes, HF_NOTE_INFO,
            "heap_v2 cannot hold these values, which are left out: %zu %s",
            w->profile->type_count - found,
            hf_plural(w->profile->type_count - found, "kind", "kinds"));
}

static void note_what_is_left_out(struct heap_v2_write_writer *w)
{
    size_t hidden = 0;
    bool has_build_ids = false;
    for (size_t i = 1; i < w->profile->module_count; i++) {
        hidden += w->is_hidden[i];
        has_build_ids = has_build_ids || w->profile->modules[i].build_id != HF_NO_STRING;
    }
    if (hidden != 0)
        hf_notes_add(w->notes, HF_NOTE_INFO,
            "%zu %s mapped at addresses of others, e.g. in several processes: %s frames "
            "have names, but are not in the memory map",
            hidden, hf_plural(hidden, "file was", "files were"), hf_plural(hidden, "its", "their"));
    if (w->loses_lines)
        hf_notes_add(
            w->notes, HF_NOTE_INFO, "heap_v2 cannot hold source lines, which are left out");
    if (has_build_ids)
        hf_notes_add(w->notes, HF_NOTE_INFO, "heap_v2 cannot hold build-ids, which are left out");
}

static enum hf_status write_heap_v2(const struct hf_profile *profile, size_t type,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err)
{
    struct heap_v2_write_writer w = {.profile = profile, .notes = notes, .out = out};
    if (profile->is_difference)
        return hf_error_set(err, HF_ERR_USAGE,
            "heap_v2 cannot hold negative numbers: write a difference as folded stacks");
    choose_types(&w, type);
    enum hf_status status = list_mappings(&w, err);
    if (status == HF_OK)
        status = place_frames(&w, err);
    if (status == HF_OK)
        status = write_symbols(&w, err);
    if (status == HF_OK) {
        write_head(&w);
        status = write_samples(&w, err);
    }
    if (status == HF_OK) {
        write_maps(&w);
        note_what_is_left_out(&w);
    }
    free(w.mappings);
    free(w.is_hidden);
    free(w.uses);
    free(w.addresses);
    hf_map_done(&w.taken);
    return status;
}

const struct hf_writer hf_writer_heap_v2 = {
    .name = "heap_v2",
    .what = "jemalloc's, with the names: jeprof needs no binary",
    .endings = {".heap"},
    .write = write_heap_v2,
};
