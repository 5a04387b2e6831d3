/*
 * table_worker.h: the work of table_reader.h, in its process without rights: reads a live table by
 * the descriptor that comes with an order, and writes what is asked for through its broker.
 *
 * Orders and replies are these structs, byte by byte.
 */
#ifndef HF_CLI_TABLE_WORKER_H
#define HF_CLI_TABLE_WORKER_H

#include "answer/heaviest.h"
#include "answer/history/leak_alarm.h"
#include "cli/report.h"
#include "live/start_moment.h"
#include "os/process/standby.h"
#include "render/usage_line.h"
#include "symbol/lookup/jit_list.h"

#include <limits.h>

enum hf_table_order_kind {
    HF_TABLE_ORDER_SUMS,
    HF_TABLE_ORDER_SAVE,
    HF_TABLE_ORDER_MARK,
    HF_TABLE_ORDER_FIND,
    HF_TABLE_ORDER_PROGRAM,
    HF_TABLE_ORDER_JIT,
    HF_TABLE_ORDER_JUDGE,
};

struct hf_table_order {
    uint32_t pid, is_last; /* its process has ended; who holds most is asked for */
    uint32_t skips_nothing, reserved;
    uint64_t start_ticks;
    struct hf_leak_alarm_rules alarm;
    char name[PATH_MAX];    /* of the table, for messages */
    char program[PATH_MAX]; /* the command of what was read; "": as it says */
    char output[PATH_MAX];
};

/* No `bool` and no text that must end: it may come from a worker that was taken over. */
struct hf_table_reply {
    uint32_t status, is_partial, holds_nothing, reserved;
    uint64_t in_use_bytes, allocated_bytes, peak_bytes;
    struct hf_error error;
    struct hf_leak_told told;
    char most[HF_HEAVIEST_MAX], resident[HF_HEAVIEST_MAX];
    char curve[HF_USAGE_LINE_MAX];
};

struct hf_table_worker {
    struct hf_report_options *options; /* how to name and to write; notes go to its `common` */
    struct hf_jit_list *jit;           /* shared with the command; NULL: there was no room */
    struct hf_live_start *start;       /* likewise */
    /* Its own. */
    struct hf_leak_alarm alarm;
    char alarm_of[PATH_MAX]; /* the table that it looks at */
};

/* A hf_standby_work; `worker` is a struct hf_table_worker. */
size_t hf_table_worker_work(
    void *worker, const struct hf_standby_order *order, char reply[HF_BROKER_TEXT_MAX]);

#endif
