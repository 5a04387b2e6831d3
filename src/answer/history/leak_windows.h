/*
 * leak_windows.h: the last part of a long life of a process, judged by itself: for leaks that begin
 * in a process that is days old, of whose whole history the looks and epochs are hours apart.
 *
 * A *window* is a history that begins anew: what is older than it is in its first epoch, which is
 * cut off on the left and says nothing (statistics/survival.h). There are two, of which the older
 * one is judged: the next one begins HF_LEAK_WINDOW_NS / 2 later, and takes the place of the older
 * one. So what is judged is HF_LEAK_WINDOW_NS / 2 to HF_LEAK_WINDOW_NS long, and has a look every
 * HF_LEAK_WINDOW_LOOK_NS, as long as an epoch is then.
 *
 * A window does not know what a place held before. A full cache that renews itself slowly, or is
 * filled again, is a leak by a window alone. So a leak counts only if the place holds more than it
 * ever held before that leak began, and more than chance makes of it: by HF_LEAK_RISE and
 * HF_LEAK_RISE_SIGMAS standard errors of that peak.
 *
 * Memory: each is a history (analysis/history.h); places are known as long as one is judged.
 */
#ifndef HF_ANSWER_HISTORY_LEAK_WINDOWS_H
#define HF_ANSWER_HISTORY_LEAK_WINDOWS_H

#include "answer/history/place_peaks.h"
#include "answer/history/process_history.h"

/* Shorter than an epoch of 2^40 ns. */
#define HF_LEAK_WINDOW_LOOK_NS (UINT64_C(18) * 60 * 1000000000)
#define HF_LEAK_WINDOW_NS (HF_HISTORY_POINTS * HF_LEAK_WINDOW_LOOK_NS) /* 19.2 h */
#define HF_LEAK_WINDOW_JUDGED 2                                        /* looks, and once */
#define HF_LEAK_RISE 1.05
#define HF_LEAK_RISE_SIGMAS 5

/* Reads the process as it is now; of `lifetimes`, what is wanted of them is set. */
struct hf_leak_look {
    struct hf_dated_profile dated;
    enum hf_status (*read)(void *context, struct hf_lifetimes *lifetimes,
        struct hf_profile **out_profile, struct hf_error *err);
    void *context;
};

/* All zero is one that has seen nothing. */
struct hf_leak_windows {
    struct hf_leak_window {
        struct hf_process_history process;
        int64_t from_ms; /* 0: there is none */
    } items[2];
    size_t newest;
    int64_t looked_ms; /* the last look */
    struct hf_place_peaks peaks;
};

/*
 * A look of the process by itself, as of an alarm: reads it, without what was freed, and adds it.
 * `from_ms`: births count from then on; 0: all. *out_is_added: false if the births are not known,
 * or not from then on.
 */
HF_MUST_CHECK enum hf_status hf_leak_look_take(const struct hf_leak_look *look, int64_t from_ms,
    const struct hf_request *request, struct hf_process_history *process, bool *out_is_added,
    struct hf_error *err);

/* Adds a look to both windows and judges the older one, if it is time for that. */
HF_MUST_CHECK enum hf_status hf_leak_windows_look(struct hf_leak_windows *windows,
    const struct hf_request *request, const struct hf_leak_look *look, struct hf_error *err);

/* The older one, as it was judged last; NULL: it is not half as long as it will be. */
const struct hf_process_history *hf_leak_windows_judged(const struct hf_leak_windows *windows);

/* Whether a leak of the judged one holds more than before. */
bool hf_leak_windows_has_risen(
    const struct hf_leak_windows *windows, const struct hf_growth_place *place);

void hf_leak_windows_done(struct hf_leak_windows *windows);

#endif
