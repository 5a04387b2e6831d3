/*
 * recorded_processes.h: all processes of this host that have a live table, as far as this user may
 * see: a root user those of all users.
 *
 * A process is known by its number, its start and its program, so that one that got the number of
 * another, or runs another program since, is not taken for it. What is read of a table here is its
 * head and its state, which are numbers at fixed places (live/layout.h). No more than
 * HF_LIMIT_SERVED_PROCESSES are kept; how many are not is counted.
 */
#ifndef HF_SERVER_RECORDED_PROCESSES_H
#define HF_SERVER_RECORDED_PROCESSES_H

#include "capture/found_table.h"

#define HF_RECORDED_PROGRAM_MAX 256

struct hf_recorded_process {
    uint32_t pid;
    uint64_t start_ticks, program_number;  /* os/process/proc.h */
    char program[HF_RECORDED_PROGRAM_MAX]; /* the name of its file; any bytes */
    struct hf_found_table table;
};

/* All zero is none. */
struct hf_recorded_processes {
    struct hf_recorded_process **items; /* by number */
    size_t count, capacity;
    size_t left_out; /* of the last look */
};

/* Finds those that are new, and forgets those that ended. Where memory runs out, or /proc cannot be
 * read, the rest is found another time. */
void hf_recorded_processes_look(struct hf_recorded_processes *processes);

/* The one of that number, if it still runs; NULL: there is none. */
const struct hf_recorded_process *hf_recorded_processes_find(
    const struct hf_recorded_processes *processes, uint32_t pid);

void hf_recorded_processes_done(struct hf_recorded_processes *processes);

/* What its table says now. */
struct hf_recorded_usage {
    bool has_usage; /* tables of before version 1.4 do not say what is in use */
    uint64_t in_use_bytes, allocated_bytes, peak_bytes;
    uint64_t lost_objects, lost_bytes, lost_mappings;
};

/* False: it cannot be read. */
HF_MUST_CHECK bool hf_recorded_process_usage(
    const struct hf_recorded_process *process, struct hf_recorded_usage *out_usage);

#endif
