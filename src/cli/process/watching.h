/*
 * watching.h: what `run` and `watch` share: their options, and what they do with a dump: they write
 * it to a file named by a pattern, and at the end say what leaks most.
 */
#ifndef HF_CLI_WATCHING_H
#define HF_CLI_WATCHING_H

#include "capture/watcher.h"
#include "cli/process/table_reader.h"
#include "cli/save.h"

#include <limits.h>

#define HF_WATCHING_PATTERN "%e.%p.%n.hfb"

struct hf_watching_options {
    struct hf_report_options report; /* -o is its view.output */
    struct hf_dump_rules rules;
    const char *folder, *group;
    uint64_t keep;
    int writes_last;
};

extern const struct hf_option hf_watching_output_options[]; /* -o, --keep, --final, --no-final */
extern const struct hf_option hf_watching_rule_options[];   /* --interval, --high-water, --every */
extern const struct hf_option hf_watching_place_options[];  /* --dir, --cgroup */
void hf_watching_defaults(void *options);

/* What becomes of the dumps of one process. Stays where it is. */
struct hf_watching {
    struct hf_watching_options *options;
    uint32_t pid;
    char program[256];
    struct hf_table_reader reader; /* of its live tables, without rights */
    bool has_lost;                 /* the last dump: its reader died */
    uint64_t first_number;         /* of its files: those of an earlier watch stay */
    char last_path[PATH_MAX],
        most[HF_HEAVIEST_MAX]; /* of the last dump, and what held most in it; or "" */
};

/* HF_ERR_USAGE for a -o that no dump can be written to. Before anything is started. */
HF_MUST_CHECK enum hf_status hf_watching_check(
    const struct hf_watching_options *options, struct hf_error *err);

/*
 * `signals`: the source that takes them, also while a dump is written; NULL: none. Free with done,
 * also after an error.
 */
HF_MUST_CHECK enum hf_status hf_watching_init(struct hf_watching *watching,
    struct hf_watching_options *options, uint32_t pid, const char *program,
    const struct hf_loop_source *signals, struct hf_error *err);
void hf_watching_done(struct hf_watching *watching);

/* To be told of its dumps. */
struct hf_dump_keeper hf_watching_keeper(struct hf_watching *watching);

/*
 * A watcher that tells of its dumps, and says in one sentence what the table will not survive where
 * it is.
 */
struct hf_watcher hf_watching_watcher(struct hf_watching *watching);

/*
 * The process has ended: the last dump, a line about it, and the table goes, unless that dump was
 * lost. *out_was_found: it had one.
 */
HF_MUST_CHECK enum hf_status hf_watching_finish(struct hf_watching *watching,
    struct hf_watcher *watcher, bool *out_was_found, struct hf_error *err);

/* One line that says what leaks most by the last dump, and where that is. */
void hf_watching_conclude(const struct hf_watching *watching);

#endif
