/*
 * watched_processes.h: several processes watched in one loop: one that is named, or those whose
 * live tables appear in a folder. Each writes files of its own, by %p.
 */
#ifndef HF_CLI_WATCHED_PROCESSES_H
#define HF_CLI_WATCHED_PROCESSES_H

#include "cli/process/recording/dump_writer.h"

struct hf_watched; /* one process */

struct hf_watched_processes {
    struct hf_dump_writer_options *options;
    struct hf_loop *loop;
    const char *folder; /* of tables to be watched; NULL: the usual places */
    uint32_t family;    /* 0: of all processes that run; else of that family, also of its dead */
    uint32_t leader;    /* a process of it that somebody else watches; 0: none */
    bool ends_loop;     /* when no process is left */
    struct hf_family *records;            /* is told of those that end; NULL: each has a line */
    const struct hf_loop_source *signals; /* taken also while a dump is written; NULL: none */
    /* Its own. */
    struct hf_watched *first;
    struct hf_loop_source scanning;
    uint64_t since_ns;     /* realtime: tables that are older are not of this family */
    bool has_said;         /* what endangers the tables: once is enough */
    enum hf_status status; /* the first that went wrong with a process */
    struct hf_error error;
};

/* HF_ERR_USAGE if several processes would write the same file. */
HF_MUST_CHECK enum hf_status hf_watched_processes_check(
    const struct hf_dump_writer_options *options, const char *why, struct hf_error *err);

/* Watches a process that runs. HF_ERR_SYSTEM: there is none. */
HF_MUST_CHECK enum hf_status hf_watched_processes_add(
    struct hf_watched_processes *set, uint32_t pid, const char *program, struct hf_error *err);

/* From here on the loop looks for tables. Tables of now are found before it returns. */
void hf_watched_processes_begin(struct hf_watched_processes *set);

/* Something went wrong with one of them: the first is said, and what hf_watched_processes_finish
 * returns.
 */
void hf_watched_processes_note(
    struct hf_watched_processes *set, enum hf_status status, const struct hf_error *error);

/* Looks once more. *out_running: how many have not ended. HF_OK, or what went wrong first. */
HF_MUST_CHECK enum hf_status hf_watched_processes_finish(
    struct hf_watched_processes *set, size_t *out_running, struct hf_error *err);
void hf_watched_processes_done(struct hf_watched_processes *set);

#endif
