/*
 * process_list.h: what several processes are called, for people and as JSON: above what is said of
 * each of them.
 *
 *     3 processes. server was started again 2 times
 *
 *     server, process 4711 (1 of 3), 20 profiles, 2026-11-23 03:00:00 to 03:19:00 UTC
 *     ...what is said of it...
 *
 * JSON: one document, "heapflame.processes/1" (docs/json). The caller writes what is said of each
 * between hf_process_list_json_begin and _end.
 */
#ifndef HF_RENDER_PROCESS_LIST_H
#define HF_RENDER_PROCESS_LIST_H

#include "base/strings/out.h"
#include "render/shared_leaks.h"

#define HF_PROCESS_LIST_JSON_SCHEMA "heapflame.processes/1"

struct hf_listed_process {
    const char *program;       /* "": unknown */
    uint32_t pid;              /* 0: unknown */
    size_t start, start_count; /* the 1st of 3 processes of its program */
    bool is_restart;           /* those before it had ended */
    size_t profile_count;
    bool has_times; /* since 1970; else times mean nothing to people */
    int64_t first_ms, last_ms;
};

/* "server, process 4711 (1 of 3)". Raw: escape it for where it goes. */
void hf_process_list_name(const struct hf_listed_process *process, struct hf_out *out);

/* The first line and an empty one; the line of one process. */
void hf_process_list_summary(
    const struct hf_listed_process *processes, size_t count, struct hf_out *out);
void hf_process_list_heading(const struct hf_listed_process *process, struct hf_out *out);

/* `is_first`: the document begins with it. `member`: what is written between the two. `together`:
 * what they say together, behind the last. */
void hf_process_list_json_begin(
    const struct hf_listed_process *process, bool is_first, const char *member, struct hf_out *out);
void hf_process_list_json_end(
    bool is_last, const struct hf_shared_leaks *together, struct hf_out *out);

#endif
