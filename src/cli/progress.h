/*
 * progress.h: "reading heap.1: 412.0 MiB of 1.0 GiB, 40 %" on a terminal, for work that takes long.
 *
 * One line of standard error, written over itself and gone at the end. Only if that is a terminal,
 * without --quiet, and after a second: what is quick shows nothing.
 */
#ifndef HF_CLI_PROGRESS_H
#define HF_CLI_PROGRESS_H

#include "base/watch.h"

#include <stdbool.h>

struct hf_progress {
    const char *verb, *name; /* borrowed */
    bool is_quiet, is_on;
    uint64_t due_ms;    /* when the next line may be written */
    size_t shown_width; /* columns of the line that stands there */
    struct hf_listener listener;
};

/* One that shows what it is told of, by `progress`, which it is of. */
const struct hf_listener *hf_progress_listener(struct hf_progress *progress, bool is_quiet);

/* "reading", "heap.1": what is done with what. */
void hf_progress_start(
    struct hf_progress *progress, const char *verb, const char *name, bool is_quiet);

/* For whoever does the work; `progress` stays where it is meanwhile. */
struct hf_watch hf_progress_watch(struct hf_progress *progress);

/* Takes the line away. */
void hf_progress_end(struct hf_progress *progress);

#endif
