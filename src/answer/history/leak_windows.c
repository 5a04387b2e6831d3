#include "answer/history/leak_windows.h"

#include "analysis/growth/growth_place.h"

#include <math.h>

#define NS_PER_MS 1000000
#define FIRST_LOOK_MS 1 /* after its begin: the first epoch, with all that is older, is cut off */

enum hf_status hf_leak_look_take(const struct hf_leak_look *look, int64_t from_ms,
    const struct hf_request *request, struct hf_process_history *process, bool *out_is_added,
    struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_lifetimes lifetimes = {.to_ms = look->dated.time_ms,
        .born_from_ms = from_ms,
        .wants_births = true,
        .wants_epochs_only = true};
    enum hf_status status = look->read(look->context, &lifetimes, &profile, err);
    *out_is_added = status == HF_OK && (from_ms == 0 || lifetimes.began_ms == from_ms);
    if (*out_is_added)
        status = hf_process_history_take(process, request, &look->dated, profile, &lifetimes, err);
    if (status == HF_OK)
        hf_profile_free(profile);
    hf_lifetimes_done(&lifetimes);
    return status;
}

static bool is_over(int64_t from_ms, int64_t to_ms, uint64_t ns)
{
    return to_ms - from_ms >= (int64_t)(ns / NS_PER_MS);
}

/* The one that is judged; the only one, as long as there is only one. */
static struct hf_leak_window *older_window(struct hf_leak_windows *windows)
{
    size_t other = 1 - windows->newest;
    return &windows->items[windows->items[other].from_ms != 0 ? other : windows->newest];
}

/* Takes the place of the older one. */
static void begin_window(struct hf_leak_windows *windows, int64_t now_ms)
{
    windows->newest = 1 - windows->newest;
    struct hf_leak_window *window = &windows->items[windows->newest];
    hf_process_history_done(&window->process);
    *window = (struct hf_leak_window){.from_ms = now_ms - FIRST_LOOK_MS};
    hf_place_peaks_turn(&windows->peaks);
}

static void note_peaks(struct hf_place_peaks *peaks, const struct hf_growth *growth)
{
    for (size_t i = 0; i < growth->count; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        hf_place_peaks_add(
            peaks, hf_growth_place_hash(place), place->values[growth->point_count - 1]);
    }
}

enum hf_status hf_leak_windows_look(struct hf_leak_windows *windows,
    const struct hf_request *request, const struct hf_leak_look *look, struct hf_error *err)
{
    int64_t now_ms = look->dated.time_ms;
    enum hf_status status = HF_OK;
    if (windows->looked_ms != 0 && !is_over(windows->looked_ms, now_ms, HF_LEAK_WINDOW_LOOK_NS))
        return HF_OK;
    int64_t newest_ms = windows->items[windows->newest].from_ms;
    if (newest_ms == 0 || is_over(newest_ms, now_ms, HF_LEAK_WINDOW_NS / 2))
        begin_window(windows, now_ms);
    windows->looked_ms = now_ms;
    for (size_t i = 0; status == HF_OK && i < HF_COUNT(windows->items); i++) {
        struct hf_leak_window *window = &windows->items[i];
        bool is_added = true;
        if (window->from_ms != 0)
            status =
                hf_leak_look_take(look, window->from_ms, request, &window->process, &is_added, err);
        if (status != HF_OK || !is_added)
            return status;
    }
    struct hf_process_history *process = &older_window(windows)->process;
    if (status != HF_OK || process->history.profile_count % HF_LEAK_WINDOW_JUDGED != 0)
        return status;
    status = hf_process_history_judge(process, request, err);
    if (status == HF_OK)
        note_peaks(&windows->peaks, &process->growth);
    return status;
}

const struct hf_process_history *hf_leak_windows_judged(const struct hf_leak_windows *windows)
{
    const struct hf_leak_window *older = &windows->items[1 - windows->newest];
    return older->from_ms != 0 ? &older->process : NULL;
}

bool hf_leak_windows_has_risen(
    const struct hf_leak_windows *windows, const struct hf_growth_place *place)
{
    const struct hf_growth *growth = &hf_leak_windows_judged(windows)->growth;
    double began_s = hf_growth_began_s(growth);
    double peak = hf_place_peaks_before(&windows->peaks, hf_growth_place_hash(place));
    for (size_t i = 0; i < growth->point_count; i++) {
        if (growth->times_s[i] - began_s <= place->survival.onset_s)
            peak = fmax(peak, place->values[i]);
    }
    return place->values[growth->point_count - 1] >
           peak * HF_LEAK_RISE + HF_LEAK_RISE_SIGMAS * sqrt(place->noise * peak);
}

void hf_leak_windows_done(struct hf_leak_windows *windows)
{
    for (size_t i = 0; i < HF_COUNT(windows->items); i++)
        hf_process_history_done(&windows->items[i].process);
}
