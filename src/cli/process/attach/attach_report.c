#include "cli/process/attach/attach_report.h"

#include "attach/postgres/known_cache.h"
#include "base/plural.h"
#include "base/strings/units.h"
#include "capture/found_table.h"
#include "cli/say.h"
#include "profile/interval.h"

#include <inttypes.h>
#include <stdio.h>

static bool has_returns(const struct hf_probes *probes)
{
    for (size_t i = 0; i < probes->count; i++) {
        if (probes->items[i].returns)
            return true;
    }
    return false;
}

/* While the kernel watches a return, an address of its own is where the caller's was. */
static void say_recorded(const struct hf_session *session)
{
    struct hf_found_table table;
    uint32_t pid = session->options.pid;
    if (!has_returns(&session->probes) || hf_found_table_of(&table, pid, NULL, NULL) != HF_OK)
        return;
    if (hf_found_table_writer(&table) == pid)
        hf_say("process %" PRIu32
               " records itself (heapflame run): while attach runs, its own record lacks "
               "the callers of the watched functions; 'heapflame top %" PRIu32 "' needs no probes",
            pid, pid);
    hf_found_table_close(&table);
}

/* What will be probed, in the order of the specs: "malloc calloc ... of libc.so.6". */
void hf_attach_say_probes(const struct hf_session *session)
{
    const struct hf_probes *probes = &session->probes;
    const char *file = NULL;
    struct hf_out line = {0};
    for (size_t i = 0; i < probes->count; i++) {
        if (file != NULL && strcmp(file, probes->items[i].file) != 0)
            hf_out_printf(&line, " of %s,", file);
        file = probes->items[i].file;
        bool is_said =
            i != 0 && strcmp(probes->items[i - 1].function, probes->items[i].function) == 0;
        if (!is_said || !probes->items[i].is_emulated) /* of each kind of context one */
            hf_out_printf(&line, " %s%s", probes->items[i].function,
                probes->items[i].is_emulated ? "" : " (stepped)");
    }
    hf_out_printf(&line, "%s%s%s", file != NULL ? " of " : "", file != NULL ? file : "",
        session->options.with_faults ? " page faults" : "");
    hf_say("process %" PRIu32 ":%.*s", session->options.pid, (int)line.size, line.data);
    hf_out_done(&line);
    say_recorded(session);
}

/* " for 13 s", or of a series that has windows " for 6 h, allocations for 1 s of each 60 s" */
static void attach_report_put_time(const struct hf_session_options *options, char out[64])
{
    int used = 0;
    out[0] = '\0';
    if (options->duration_ns != UINT64_MAX)
        used = snprintf(out, 64, " for %g s", (double)options->duration_ns / 1e9);
    if (options->on_period_ns != 0 && used >= 0 && used < 64)
        (void)snprintf(out + used, (size_t)(64 - used), "%s allocations for %g s of each %g s",
            used != 0 ? "," : "", (double)options->on_ns / 1e9,
            (double)options->on_period_ns / 1e9);
}

void hf_attach_say_cost(const struct hf_session *session)
{
    char calls[HF_UNITS_MAX], period[HF_UNITS_MAX], speed[HF_COST_SPEED_MAX];
    const struct hf_session_options *options = &session->options;
    uint64_t part = hf_duty_per_mille(options->on_ns, options->on_period_ns);
    bool is_thin = session->births_per_mille < part;
    char time[64];
    struct hf_out line = {0};
    attach_report_put_time(options, time);
    if (!session->is_counted) {
        hf_say("its calls cannot be counted in advance; following them with %s%s, within "
               "--max-overhead",
            session->backend->name, time);
        return;
    }
    hf_units_grouped(hf_cost_calls(&session->cost), calls);
    hf_cost_speed(session->added_per_mille, speed);
    if (is_thin)
        hf_out_printf(&line,
            "%s calls a second; if %s followed all of them, the process would run at %s, so "
            "allocations are followed about %" PRIu64 " %% of ",
            calls, session->backend->name, speed, session->births_per_mille / 10 + 1);
    if (is_thin && options->duration_ns != UINT64_MAX)
        hf_out_printf(&line, "%g s", (double)options->duration_ns / 1e9);
    else if (is_thin)
        hf_out_string(&line, "the time");
    else
        hf_out_printf(&line,
            "%s calls a second; while %s follows them%s, the process will run at %s", calls,
            session->backend->name, time, speed);
    if (session->period_bytes > 1)
        hf_out_printf(
            &line, ", with one sample every %s", hf_units_exact(session->period_bytes, period));
    hf_say("%.*s", (int)line.size, line.data);
    hf_out_done(&line);
}

void hf_attach_say_progress(const struct hf_session *session)
{
    struct hf_tracker_counts counts = hf_tracker_counts(session->tracker);
    struct hf_out line = {0};
    hf_out_printf(&line, "%4.1f of %.1f s", (double)(session->now_ns - session->begin_ns) / 1e9,
        (double)session->options.duration_ns / 1e9);
    if (session->backend->counts_calls)
        hf_out_printf(&line, ": %" PRIu64 " allocated, %" PRIu64 " freed, %" PRIu64 " lost",
            counts.allocs, counts.frees, session->progress.lost);
    hf_out_char(&line, ' ');
    hf_say_status(hf_out_view(&line));
    hf_out_done(&line);
}

static uint64_t total_of(const struct hf_profile *profile, struct hf_text name)
{
    size_t type;
    return hf_profile_find_type(profile, name, &type)
               ? hf_profile_total(profile, type, HF_THREAD_ALL).value
               : 0;
}

static void attach_report_put_held(struct hf_out *line, const struct hf_profile *profile)
{
    char bytes[HF_UNITS_MAX];
    uint64_t held = total_of(profile, HF_TEXT(HF_HELD_SPACE));
    if (held != 0)
        hf_out_printf(line, ", which take %s with their headers", hf_units_bytes(held, bytes));
}

/* ", estimated from samples, 95 %: 1.0 MiB to 1.2 MiB" */
static void put_estimated(struct hf_out *line, uint64_t bytes, uint64_t samples)
{
    char low[HF_UNITS_MAX], high[HF_UNITS_MAX];
    struct hf_interval between = hf_interval_of(bytes, samples);
    hf_out_string(line, ", estimated from samples");
    if (samples != 0)
        hf_out_printf(line, ", 95 %%: %s to %s", hf_units_bytes(between.low, low),
            hf_units_bytes(between.high, high));
}

void hf_attach_say_result(const struct hf_session *session, const struct hf_profile *profile)
{
    char allocated[HF_UNITS_MAX], freed[HF_UNITS_MAX], kept[HF_UNITS_MAX], bytes[HF_UNITS_MAX];
    uint64_t ever = total_of(profile, HF_TEXT("alloc_objects"));
    uint64_t in_use = total_of(profile, HF_TEXT("inuse_objects")) + session->young_objects;
    uint64_t shown_bytes = total_of(profile, HF_TEXT("inuse_space"));
    ever = ever > in_use ? ever : in_use; /* estimates may differ by one */
    struct hf_out line = {0};
    hf_out_printf(&line, "%.1f s: %s allocated, %s freed, %s in use (%s)",
        (double)(session->end_ns - session->begin_ns) / 1e9, hf_units_grouped(ever, allocated),
        hf_units_grouped(ever - in_use, freed), hf_units_grouped(in_use, kept),
        hf_units_bytes(shown_bytes + session->young_bytes, bytes));
    if (session->period_bytes > 1)
        put_estimated(&line, shown_bytes,
            session->young_objects == 0 ? total_of(profile, HF_TEXT(HF_INUSE_SAMPLES)) : 0);
    attach_report_put_held(&line, profile);
    hf_out_string(&line,
        profile->notes.has_loss ? "; some data was lost (see the notes)" : "; nothing was lost");
    hf_say("%.*s", (int)line.size, line.data);
    hf_out_done(&line);
}

/* "61.0 s, 30 looks: 1,203 allocated, 903 freed, 300 in use (1.2 MiB); nothing was lost" */
void hf_attach_say_series(const struct hf_session *session,
    const struct hf_attach_series_account *account, const struct hf_profile *profile)
{
    char allocated[HF_UNITS_MAX], freed[HF_UNITS_MAX], kept[HF_UNITS_MAX], bytes[HF_UNITS_MAX];
    uint64_t ever = total_of(profile, HF_TEXT("alloc_objects"));
    uint64_t in_use = total_of(profile, HF_TEXT("inuse_objects"));
    ever = ever > in_use ? ever : in_use;
    struct hf_out line = {0};
    hf_out_printf(&line,
        "%.1f s, %" PRIu64 " %s: ", (double)(session->end_ns - session->begin_ns) / 1e9,
        account->looks, hf_plural(account->looks, "look", "looks"));
    if (account->weight > 1)
        hf_out_printf(&line, "in %.1f s of it, ", (double)hf_session_followed_ns(session) / 1e9);
    hf_out_printf(&line, "%s allocated; of these, %s freed, %s in use (%s)",
        hf_units_grouped(ever, allocated), hf_units_grouped(ever - in_use, freed),
        hf_units_grouped(in_use, kept),
        hf_units_bytes(total_of(profile, HF_TEXT("inuse_space")), bytes));
    if (session->period_bytes > 1)
        hf_out_string(&line, ", estimated from samples");
    hf_out_string(&line,
        profile->notes.has_loss ? "; some data was lost (see the notes)" : "; nothing was lost");
    hf_say("%.*s", (int)line.size, line.data);
    hf_out_done(&line);
}

void hf_attach_note_series(const struct hf_session *session,
    const struct hf_attach_series_account *account, struct hf_notes *notes)
{
    double seconds = (double)(session->end_ns - session->begin_ns) / 1e9;
    if (account->weight > 1)
        hf_notes_add(notes, HF_NOTE_INFO,
            "allocations were recorded for %.1f of %.1f s (%s), so bytes and rates are multiplied "
            "by %.2f; frees were followed all of the time",
            (double)hf_session_followed_ns(session) / 1e9, seconds,
            session->options.on_period_ns != 0 ? "--duty" : "to stay within --max-overhead",
            account->weight);
    if (account->found_leak)
        hf_notes_add(notes, HF_NOTE_INFO,
            "what was allocated before attach began is not known, so a cache whose entries live "
            "longer than these %.0f s looks like a leak: watch for longer than its entries live",
            seconds);
    if (account->skipped != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%" PRIu64 " %s left out, because the one before took longer than --every",
            account->skipped, hf_plural(account->skipped, "look was", "looks were"));
}

void hf_attach_say_survivors(const struct hf_session *session, const struct hf_survivors *survivors,
    const struct hf_profile *profile)
{
    struct hf_out text = {0};
    hf_survivors_text(survivors, profile, session->begin_ns, session->end_ns, &text);
    hf_say_lines(hf_out_view(&text));
    hf_out_done(&text);
}

#define CACHES_MAX 16u

/* What the caches of a server have of a profile. */
struct cache_sums {
    size_t count;
    struct {
        const char *name;
        uint64_t bytes;
    } items[CACHES_MAX];
};

/* The cache that one of the functions of a frame fills; NULL: none. Of a context, by its name. */
static const char *cache_of_frame(const struct hf_profile *profile, uint32_t frame)
{
    size_t count;
    const uint32_t *names = hf_profile_expansion(profile, &frame, &count);
    const char *cache = NULL;
    for (size_t i = 0; i < count && cache == NULL; i++) {
        struct hf_text name =
            hf_profile_text(profile, hf_profile_frame_at(profile, names[i])->name);
        if (hf_text_starts(name, "[") && hf_text_ends(name, "]"))
            cache = hf_known_cache_of_context(
                hf_text_first(hf_text_from(name, 1), name.size - 2), HF_TEXT(""));
        else
            cache = hf_known_cache_of_function(name);
    }
    return cache;
}

/* That of the innermost frame that tells; a context that is more than one cache tells nothing. */
static const char *cache_of_stack(const struct hf_profile *profile, uint32_t node)
{
    const struct hf_stacktree *stacks = &profile->stacks;
    for (; node != HF_STACK_ROOT; node = stacks->nodes[node].parent) {
        const char *cache = cache_of_frame(profile, stacks->nodes[node].frame);
        if (cache != NULL && strchr(cache, ',') == NULL)
            return cache;
    }
    return NULL;
}

static void add_to_cache(struct cache_sums *sums, const char *cache, uint64_t bytes)
{
    size_t i = 0;
    while (i < sums->count && strcmp(sums->items[i].name, cache) != 0)
        i++;
    if (i == CACHES_MAX)
        return;
    if (i == sums->count) {
        sums->items[i].name = cache;
        sums->items[i].bytes = 0;
        sums->count++;
    }
    sums->items[i].bytes += bytes;
}

void hf_attach_say_caches(const struct hf_session *session, const struct hf_profile *profile)
{
    struct cache_sums sums = {0};
    struct hf_out line = {0};
    char bytes[HF_UNITS_MAX];
    size_t type;
    if (!session->has_contexts || !hf_profile_find_type(profile, HF_TEXT(HF_HELD_SPACE), &type))
        return;
    for (size_t i = 0; i < profile->sample_count; i++) {
        uint64_t held = hf_profile_values(profile, i)[type];
        const char *cache = held != 0 && profile->samples[i].thread == HF_THREAD_ALL
                                ? cache_of_stack(profile, profile->samples[i].node)
                                : NULL;
        if (cache != NULL)
            add_to_cache(&sums, cache, held);
    }
    for (size_t i = 0; i < sums.count; i++)
        hf_out_printf(&line, "%s%s %s", i != 0 ? ", " : "", sums.items[i].name,
            hf_units_bytes(sums.items[i].bytes, bytes));
    if (sums.count != 0)
        hf_say("this includes caches that every server process fills and keeps: %.*s",
            (int)line.size, line.data);
    hf_out_done(&line);
}
