#include "attach/postgres/context_choice.h"

#include "attach/perf/perf_source.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/out.h"
#include "base/strings/units.h"
#include "os/process/proc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define POLL_MS 20
#define NAMED_MAX 3 /* of those that grew, in the note */

/* A context that lasts. */
struct lasting {
    uint64_t address, used_bytes, held_bytes, grew_bytes;
    struct hf_text name, ident;
};

static int context_choice_compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* What grew most, then the larger. */
static int compare_lasting(const void *a_pointer, const void *b_pointer)
{
    const struct lasting *a = a_pointer, *b = b_pointer;
    int order = context_choice_compare_u64(b->grew_bytes, a->grew_bytes);
    order = order != 0 ? order : context_choice_compare_u64(b->used_bytes, a->used_bytes);
    order = order != 0 ? order : context_choice_compare_u64(b->held_bytes, a->held_bytes);
    return order != 0 ? order : context_choice_compare_u64(a->address, b->address);
}

/* True if the context of one tree is that of the other, at the same address. */
static bool context_choice_is_same(const struct hf_contexts *before,
    const struct hf_memory_context *then, const struct hf_contexts *after,
    const struct hf_memory_context *now)
{
    return then->methods == now->methods && hf_text_equal(hf_intern_at(&before->texts, then->name),
                                                hf_intern_at(&after->texts, now->name));
}

/* Those of `after` that last; `places` are those of `before`. Returns how many. */
static size_t find_lasting(const struct hf_contexts *before, const struct hf_map *places,
    const struct hf_contexts *after, const struct hf_map *ended, struct lasting *out)
{
    size_t count = 0;
    for (size_t i = 0; i < after->count; i++) {
        const struct hf_memory_context *now = &after->items[i];
        const uint32_t *place = hf_map_find(places, now->address);
        if (place == NULL || hf_map_find(ended, now->address) != NULL ||
            !context_choice_is_same(before, &before->items[*place], after, now))
            continue;
        uint64_t used = hf_context_used(now), was = hf_context_used(&before->items[*place]);
        out[count++] =
            (struct lasting){now->address, used, now->allocated_bytes, used > was ? used - was : 0,
                hf_intern_at(&after->texts, now->name), hf_intern_at(&after->texts, now->ident)};
    }
    return count;
}

static void note_choice(const struct hf_context_choice *choice, const struct lasting *lasting,
    size_t count, size_t all, struct hf_notes *notes)
{
    struct hf_out text = {0};
    char bytes[HF_UNITS_MAX];
    size_t grew = 0;
    while (grew < count && lasting[grew].grew_bytes != 0)
        grew++;
    hf_out_printf(&text,
        "following %zu of %zu %s, long-lived only; grew in %" PRIu64 " ms: ", choice->count, all,
        hf_plural(all, "context", "contexts"), choice->looked_ms);
    for (size_t i = 0; i < grew && i < NAMED_MAX; i++) {
        hf_out_string(&text, i != 0 ? ", " : "");
        hf_out_text(&text, lasting[i].name);
        hf_out_string(&text, lasting[i].ident.size != 0 ? ": " : "");
        hf_out_text(&text, lasting[i].ident);
        hf_out_printf(&text, " (+%s)", hf_units_bytes(lasting[i].grew_bytes, bytes));
    }
    if (grew == 0)
        hf_out_string(&text, "none");
    else if (grew > NAMED_MAX)
        hf_out_printf(&text, " and %zu more", grew - NAMED_MAX);
    if (count > choice->count)
        hf_out_printf(&text,
            "; %zu more long-lived ones are not followed (HF_LIMIT_CHOSEN_CONTEXTS)",
            count - choice->count);
    if (text.error.status == HF_OK)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%.*s; blocks in other contexts, also those created later, are left out; "
            "--all-contexts keeps them",
            (int)text.size, text.data);
    hf_out_done(&text);
}

static enum hf_status context_choice_choose(struct hf_context_choice *choice,
    struct lasting *lasting, size_t count, size_t all, struct hf_notes *notes, struct hf_error *err)
{
    size_t chosen = count < HF_LIMIT_CHOSEN_CONTEXTS ? count : HF_LIMIT_CHOSEN_CONTEXTS;
    if (count != 0)
        qsort(lasting, count, sizeof *lasting, compare_lasting);
    choice->addresses = calloc(chosen + 1, sizeof *choice->addresses);
    if (choice->addresses == NULL)
        return hf_error_memory(err);
    while (choice->count < chosen) {
        choice->addresses[choice->count] = lasting[choice->count].address;
        choice->count++;
    }
    note_choice(choice, lasting, count, all, notes);
    return HF_OK;
}

enum hf_status hf_context_choice_between(struct hf_context_choice *choice,
    const struct hf_contexts *before, const struct hf_contexts *after, const struct hf_map *ended,
    struct hf_notes *notes, struct hf_error *err)
{
    struct hf_map places = {0};
    struct lasting *lasting = calloc(after->count + 1, sizeof *lasting);
    enum hf_status status = lasting != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; i < before->count && status == HF_OK; i++) {
        if (hf_map_put(&places, before->items[i].address, (uint32_t)i, NULL) == NULL)
            status = hf_error_memory(err);
    }
    if (status == HF_OK)
        status = context_choice_choose(choice, lasting,
            find_lasting(before, &places, after, ended, lasting), after->count, notes, err);
    free(lasting);
    hf_map_done(&places);
    return status;
}

/* Resets and deletes, as they happen; how long that took, and what the process had computed when it
 * began. */
struct context_choice_watch {
    const struct hf_probe *probes;
    struct hf_map ended;
    uint32_t pid;
    uint64_t passed_ms, computed_ns;
};

static enum hf_status take_end(void *context, const struct hf_half *half, struct hf_error *err)
{
    struct context_choice_watch *watch = context;
    uint64_t address;
    if (half->kind != HF_HALF_ENTRY)
        return HF_OK;
    const struct hf_spec_entry *entry = watch->probes[half->probe].entry;
    struct hf_spec_call call = hf_spec_call_of(&half->registers);
    if (hf_spec_evaluate(&entry->values[HF_SPEC_CONTEXT], &call, &address) &&
        hf_map_put(&watch->ended, address, 1, NULL) == NULL)
        return hf_error_memory(err);
    return HF_OK;
}

/* What it has computed so far; of one that has ended, or that tells nobody, enough. */
static uint64_t computed_ns(uint32_t pid)
{
    struct hf_proc_times times;
    return hf_proc_times(pid, &times) ? times.computed_ns : UINT64_MAX;
}

static bool has_seen_enough(const struct context_choice_watch *watch)
{
    if (watch->passed_ms < HF_CONTEXT_CHOICE_MS || watch->passed_ms >= HF_CONTEXT_CHOICE_MOST_MS)
        return watch->passed_ms >= HF_CONTEXT_CHOICE_MS;
    return computed_ns(watch->pid) - watch->computed_ns >=
           HF_CONTEXT_CHOICE_COMPUTED_MS * UINT64_C(1000000);
}

static enum hf_status watch_ends(
    struct context_choice_watch *watch, struct hf_perf_source *source, struct hf_error *err)
{
    struct hf_half_sink sink = {take_end, watch};
    struct timespec start, now;
    enum hf_status status = HF_OK;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    watch->computed_ns = computed_ns(watch->pid);
    while (status == HF_OK && !has_seen_enough(watch)) {
        status = hf_perf_source_poll(source, POLL_MS, sink, err);
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        watch->passed_ms = (uint64_t)((now.tv_sec - start.tv_sec) * 1000 +
                                      (now.tv_nsec - start.tv_nsec) / 1000000);
    }
    return status;
}

enum hf_status hf_context_choice_make(struct hf_context_choice *choice, struct hf_keeper *keeper,
    uint32_t pid, const struct hf_context_source *source, const struct hf_context_layout *layout,
    const struct hf_probe *probes, size_t probe_count, struct hf_notes *notes, struct hf_error *err)
{
    struct hf_contexts before = {0}, after = {0};
    struct hf_perf_source *ends = NULL;
    struct hf_probe *ending = calloc(probe_count + 1, sizeof *ending);
    struct context_choice_watch watch = {.probes = ending, .pid = pid};
    struct hf_perf_source_options how = {.keeper = keeper, .pid = pid, .probes = ending};
    enum hf_status status = ending != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; i < probe_count && status == HF_OK; i++) {
        enum hf_role role = probes[i].entry->role;
        if (role == HF_ROLE_RESET || role == HF_ROLE_DELETE)
            ending[how.probe_count++] = probes[i];
    }
    if (status == HF_OK)
        status = hf_perf_source_open(&how, &ends, err);
    if (status == HF_OK)
        status = hf_contexts_read_whole(&before, source, layout, err);
    if (status == HF_OK)
        status = watch_ends(&watch, ends, err);
    if (status == HF_OK)
        status = hf_contexts_read_whole(&after, source, layout, err);
    if (status == HF_OK)
        status = hf_perf_source_stop(ends, (struct hf_half_sink){take_end, &watch}, err);
    choice->looked_ms = watch.passed_ms;
    if (status == HF_OK)
        status = hf_context_choice_between(choice, &before, &after, &watch.ended, notes, err);
    hf_perf_source_close(ends);
    hf_contexts_done(&before);
    hf_contexts_done(&after);
    hf_map_done(&watch.ended);
    free(ending);
    return status;
}

void hf_context_choice_done(struct hf_context_choice *choice)
{
    free(choice->addresses);
    *choice = (struct hf_context_choice){0};
}
