/*
 * watch_set.h: several processes watched in one loop: one that is named, or those whose live tables
 * appear in a folder. Each writes files of its own, by %p.
 */
#ifndef HF_CLI_WATCH_SET_H
#define HF_CLI_WATCH_SET_H

#include "cli/process/watching.h"

struct hf_watched; /* one process */

struct hf_watch_set {
    struct hf_watching_options *options;
    struct hf_loop *loop;
    const char *folder; /* of tables to be watched; NULL: the usual places */
    uint32_t family;    /* 0: of all processes that run; else of that family, also of its dead */
    uint32_t leader;    /* a process of it that somebody else watches; 0: none */
    bool ends_loop;     /* when no process is left */
    const struct hf_loop_source *signals; /* taken also while a dump is written; NULL: none */
    /* Its own. */
    struct hf_watched *first;
    struct hf_loop_source scanning;
    uint64_t since_ns;     /* realtime: tables that are older are not of this family */
    bool has_said;         /* what endangers the tables: once is enough */
    enum hf_status status; /* the first that went wrong with a process that has ended */
    struct hf_error error;
};

/* HF_ERR_USAGE if several processes would write the same file. */
HF_MUST_CHECK enum hf_status hf_watch_set_check(
    const struct hf_watching_options *options, const char *why, struct hf_error *err);

/* Watches a process that runs. HF_ERR_SYSTEM: there is none. */
HF_MUST_CHECK enum hf_status hf_watch_set_add(
    struct hf_watch_set *set, uint32_t pid, const char *program, struct hf_error *err);

/* From here on the loop looks for tables. Tables of now are found before it returns. */
void hf_watch_set_begin(struct hf_watch_set *set);

/* Looks once more. *out_running: how many have not ended. HF_OK, or what went wrong first. */
HF_MUST_CHECK enum hf_status hf_watch_set_finish(
    struct hf_watch_set *set, size_t *out_running, struct hf_error *err);
void hf_watch_set_done(struct hf_watch_set *set);

#endif
