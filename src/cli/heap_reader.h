/*
 * heap_reader.h: reads the heaps of a process in a worker without rights
 * (os/process/standby.h), which gets a snapshot of the process by its descriptors, and the live
 * table if there is one. What the worker has read it gives to who reports it, there.
 */
#ifndef HF_CLI_HEAP_READER_H
#define HF_CLI_HEAP_READER_H

#include "answer/heap/resident_parts.h"
#include "answer/request.h"
#include "cli/command.h"
#include "cli/history_options.h"
#include "heap/graph/block_graph.h"
#include "symbol/options.h"

#include <limits.h>

/* What was read; all is borrowed. */
struct hf_heap_reading {
    uint32_t pid;
    uint64_t stopped_ns; /* how long its threads stood still; 0: they were not stopped */
    const struct hf_process_image *image;
    const struct hf_heap *heap;
    const struct hf_block_graph *graph;
    const struct hf_resident_places *places; /* if the task wants them; else none */
};

typedef enum hf_status hf_heap_report_fn(
    void *context, const struct hf_heap_reading *reading, struct hf_error *err);

/* Told of the live table before anything else is read. `asked_ns`, monotonic: when the snapshot was
 * asked for. */
typedef enum hf_status hf_heap_table_fn(
    void *context, const int *table, uint64_t asked_ns, struct hf_error *err);

/* A look at the live table, now. `table` is -1 where a caller looks by itself: nothing is new but
 * the window, or `name` says why the wanted snapshot could not be read. */
typedef enum hf_status hf_heap_look_fn(
    void *context, int table, const char *name, struct hf_error *err);

/* How files of symbols are found; `options` borrows from the rest. */
struct hf_heap_symbols {
    struct hf_symbol_options options;
    char cache[PATH_MAX];
};

void hf_heap_symbols_init(struct hf_heap_symbols *symbols, const struct hf_request_names *names);

/* What to do with the heaps of a process. */
struct hf_heap_reader_task {
    struct hf_common *common; /* is_partial, and HF_EXIT_EXCEEDED, are set if the worker says so */
    hf_heap_report_fn *report;
    hf_heap_table_fn *see_table; /* NULL: nobody needs it */
    void *context;               /* of both, as it is when the worker starts */
    int table;                   /* an open live table; -1: none */
    const char *outputs[2];      /* files that the report writes; NULL: none */
    bool never_stops;            /* reads the process itself, again and again (memory/race.h) */
    bool wants_places;           /* what is resident */
    bool takes_no_heap;          /* reports a process of which no heap can be read, too */
    /* Looks at the live table before, as often and as long as these say; NULL: at once. */
    const struct hf_history_options *watch;
    hf_heap_look_fn *look;
    const bool *wants_heap; /* of who looks by itself: a look, or a report, sets it; NULL: nobody */
    bool takes_no_process;  /* one that has ended meanwhile is reported with NULL */
};

/*
 * Takes the snapshot (or looks without one, where the task wants it), which is gone when this
 * returns, and has it read and reported. HF_ERR_SYSTEM: there is no such process, no room for the
 * copy, or no right; HF_ERR_INPUT: there is no heap that heapflame can read, or the worker died of
 * it.
 */
HF_MUST_CHECK enum hf_status hf_heap_reader_run(
    const struct hf_heap_reader_task *task, uint32_t pid, struct hf_error *err);

/* The same with the live table of the process, if it has one. */
HF_MUST_CHECK enum hf_status hf_heap_reader_run_recorded(
    const struct hf_heap_reader_task *task, uint32_t pid, struct hf_error *err);

/*
 * The same step by step, for who looks again and again: one worker looks, with what it has seen
 * before, and the process is read only when a look wants that. Without a live table of its own, the
 * task gets the one that the process has at that time. What goes wrong with a snapshot is told to
 * the worker by a look without a table; only what goes wrong with the worker ends it all.
 */
struct hf_heap_reader;

/* Call end in any case; it accepts NULL. */
HF_MUST_CHECK enum hf_status hf_heap_reader_begin(const struct hf_heap_reader_task *task,
    uint32_t pid, struct hf_heap_reader **out_reader, struct hf_error *err);

/* Looks, and has the process read and reported if the look wants it, but never twice in 50 s:
 * whatever the worker says, it does not stop the process all the time. HF_ERR_SYSTEM: there is no
 * such process, or it has no live table. */
HF_MUST_CHECK enum hf_status hf_heap_reader_look(
    struct hf_heap_reader *reader, struct hf_error *err);

/* Another window. */
HF_MUST_CHECK enum hf_status hf_heap_reader_look_again(
    struct hf_heap_reader *reader, struct hf_error *err);
void hf_heap_reader_end(struct hf_heap_reader *reader);

#endif
