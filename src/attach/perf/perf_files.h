/*
 * perf_files.h: which event a record of perf is of, by the kernel's number in it, and whether that
 * one is to be believed: see perf_events.h.
 */
#ifndef HF_ATTACH_PERF_FILES_H
#define HF_ATTACH_PERF_FILES_H

#include "attach/keeper/perf_events.h"

/* All-zero is none. */
struct hf_perf_files {
    struct hf_perf_file *items;
    size_t count;
    struct hf_map by_id;   /* -> index */
    struct hf_map threads; /* that have files of their own: 1, or 0 when they have ended */
};

/* Takes over the array, which malloc made, also if it fails. Call done in either case. */
HF_MUST_CHECK enum hf_status hf_perf_files_init(
    struct hf_perf_files *files, struct hf_perf_file *items, size_t count, struct hf_error *err);
void hf_perf_files_done(struct hf_perf_files *files);

/* The file with the kernel's number `id`; NULL if there is none. */
const struct hf_perf_file *hf_perf_files_find(const struct hf_perf_files *files, uint64_t id);

/* Whether a record of thread `tid` is to be taken from this file. */
bool hf_perf_files_own(
    const struct hf_perf_files *files, const struct hf_perf_file *file, uint32_t tid);

/* A thread has ended: its number may be another's later. */
void hf_perf_files_forget_thread(struct hf_perf_files *files, uint32_t tid);

#endif
