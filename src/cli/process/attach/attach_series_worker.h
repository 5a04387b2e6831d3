/*
 * attach_series_worker.h: what is done with the looks of a series (attach_series.h), in a process
 * without rights that stays (os/process/standby.h): it reads the live table of the recording by the
 * descriptor that comes with an order, writes a profile, or adds it to a history and looks for
 * leaks in that, and in the end prints the verdicts.
 *
 * Who records allocations a part of the time has recorded a sample: everything is multiplied by
 * `weight`, the time that passed over the time in which they were recorded.
 *
 * Orders and replies are these structs, byte by byte.
 */
#ifndef HF_CLI_ATTACH_SERIES_WORKER_H
#define HF_CLI_ATTACH_SERIES_WORKER_H

#include "answer/history/leak_alarm.h"
#include "attach/session/session.h"
#include "cli/process/attach/attach_options.h"
#include "os/process/standby.h"

#include <limits.h>

enum hf_series_order_kind {
    HF_SERIES_ORDER_SAVE,
    HF_SERIES_ORDER_LOOK,
    HF_SERIES_ORDER_VERDICTS,
};

struct hf_series_order {
    double weight;
    uint64_t looks, skipped; /* of them, those that were not in time */
    uint64_t look_ns;        /* between two that are judged */
    char output[PATH_MAX];
};

/* No `bool` and no text that must end: it may come from a worker that was taken over. */
struct hf_series_reply {
    uint32_t status, is_partial;
    uint64_t in_use_bytes; /* of a profile that was written */
    struct hf_error error;
    struct hf_leak_told told;
};

struct hf_series_worker {
    struct hf_attach_options *options;
    const struct hf_session_options *how; /* with the recording, which is shared */
    /* Its own. */
    struct hf_leak_alarm alarm;
};

/* A hf_standby_work; `worker` is a struct hf_series_worker. */
size_t hf_series_worker_work(
    void *worker, const struct hf_standby_order *order, char reply[HF_BROKER_TEXT_MAX]);

#endif
