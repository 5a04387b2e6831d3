#include "cli/attach_report.h"

#include "base/units.h"
#include "capture/found_table.h"
#include "profile/interval.h"

#include <inttypes.h>
#include <stdio.h>

/* "12.3 %" */
static const char *percent_of(uint64_t per_mille, char out[HF_UNITS_MAX])
{
    (void)snprintf(out, HF_UNITS_MAX, "%" PRIu64 ".%" PRIu64 " %%", per_mille / 10, per_mille % 10);
    return out;
}

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
        fprintf(stderr,
            "heapflame: process %" PRIu32 " records itself (heapflame run), and will not see who "
            "calls what is watched; 'heapflame top %" PRIu32 "' needs no probes\n",
            pid, pid);
    hf_found_table_close(&table);
}

/* What will be probed, in the order of the specs: "malloc calloc ... of libc.so.6". */
void hf_attach_say_probes(const struct hf_session *session)
{
    const struct hf_probes *probes = &session->probes;
    const char *file = NULL;
    fprintf(stderr, "heapflame: process %" PRIu32 ":", session->options.pid);
    for (size_t i = 0; i < probes->count; i++) {
        if (file != NULL && strcmp(file, probes->items[i].file) != 0)
            fprintf(stderr, " of %s,", file);
        file = probes->items[i].file;
        fprintf(stderr, " %s%s", probes->items[i].function,
            probes->items[i].is_emulated ? "" : " (stepped)");
    }
    fprintf(stderr, "%s%s%s\n", file != NULL ? " of " : "", file != NULL ? file : "",
        session->options.with_faults ? " page faults" : "");
    say_recorded(session);
}

void hf_attach_say_cost(const struct hf_session *session)
{
    char calls[HF_UNITS_MAX], added[HF_UNITS_MAX], period[HF_UNITS_MAX];
    fprintf(stderr,
        "heapflame: %s calls a second; following them by %s adds about %s of a processor, for %g s",
        hf_units_grouped(hf_cost_calls(&session->cost), calls), session->backend->name,
        percent_of(session->added_per_mille, added), (double)session->options.duration_ns / 1e9);
    if (session->period_bytes > 1)
        fprintf(stderr, "; a sample every %s", hf_units_exact(session->period_bytes, period));
    fputc('\n', stderr);
}

void hf_attach_say_progress(const struct hf_session *session)
{
    struct hf_tracker_counts counts = hf_tracker_counts(session->tracker);
    fprintf(stderr, "\r%4.1f of %.1f s", (double)(session->now_ns - session->begin_ns) / 1e9,
        (double)session->options.duration_ns / 1e9);
    if (session->backend->counts_calls)
        fprintf(stderr, ": %" PRIu64 " allocated, %" PRIu64 " freed, %" PRIu64 " lost",
            counts.allocs, counts.frees, session->progress.lost);
    fputc(' ', stderr);
}

static uint64_t total_of(const struct hf_profile *profile, struct hf_text name)
{
    size_t type;
    return hf_profile_find_type(profile, name, &type)
               ? hf_profile_total(profile, type, HF_THREAD_ALL).grew
               : 0;
}

/* ", estimated from samples, 95 %: 1.0 MiB to 1.2 MiB" */
static void say_estimated(uint64_t bytes, uint64_t samples)
{
    char low[HF_UNITS_MAX], high[HF_UNITS_MAX];
    struct hf_interval between = hf_interval_of(bytes, samples);
    fputs(", estimated from samples", stderr);
    if (samples != 0)
        fprintf(stderr, ", 95 %%: %s to %s", hf_units_bytes(between.low, low),
            hf_units_bytes(between.high, high));
}

void hf_attach_say_result(const struct hf_session *session, const struct hf_profile *profile)
{
    char allocated[HF_UNITS_MAX], freed[HF_UNITS_MAX], kept[HF_UNITS_MAX], bytes[HF_UNITS_MAX];
    uint64_t ever = total_of(profile, HF_TEXT("alloc_objects"));
    uint64_t in_use = total_of(profile, HF_TEXT("inuse_objects")) + session->young_objects;
    uint64_t shown_bytes = total_of(profile, HF_TEXT("inuse_space"));
    ever = ever > in_use ? ever : in_use; /* estimates may differ by one */
    fprintf(stderr, "heapflame: %.1f s: %s allocated, %s freed, %s in use (%s)",
        (double)(session->end_ns - session->begin_ns) / 1e9, hf_units_grouped(ever, allocated),
        hf_units_grouped(ever - in_use, freed), hf_units_grouped(in_use, kept),
        hf_units_bytes(shown_bytes + session->young_bytes, bytes));
    if (session->period_bytes > 1)
        say_estimated(shown_bytes,
            session->young_objects == 0 ? total_of(profile, HF_TEXT(HF_INUSE_SAMPLES)) : 0);
    fputs(profile->notes.has_loss ? "; something was lost:\n" : "; nothing was lost\n", stderr);
}

void hf_attach_say_survivors(const struct hf_session *session, const struct hf_survivors *survivors,
    const struct hf_profile *profile)
{
    struct hf_out text = {0};
    hf_survivors_text(survivors, profile, session->begin_ns, session->end_ns, &text);
    if (text.size != 0)
        (void)fwrite(text.data, 1, text.size, stderr);
    hf_out_done(&text);
}
