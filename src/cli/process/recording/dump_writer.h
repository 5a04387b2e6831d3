/*
 * dump_writer.h: what `run` and `watch` share: their options, and what they do with a dump: they
 * write it to a file named by a pattern, and at the end say what leaks most.
 */
#ifndef HF_CLI_DUMP_WRITER_H
#define HF_CLI_DUMP_WRITER_H

#include "capture/watcher.h"
#include "cli/process/recording/family.h"
#include "cli/process/recording/leak_watch.h"
#include "cli/process/recording/table_reader.h"
#include "cli/save.h"

#include <limits.h>

#define HF_DUMP_WRITER_PATTERN "%e.%p.%n.hfb"

struct hf_dump_writer_options {
    struct hf_report_options report; /* -o is its view.output */
    struct hf_dump_rules rules;
    struct hf_leak_options leaks;
    const char *folder, *group;
    uint64_t keep;
    int writes_last;
};

extern const struct hf_option hf_dump_writer_output_options[]; /* -o, --keep, --final, --no-final */
extern const struct hf_option hf_dump_writer_value_options[];  /* of files and the last sentence */
extern const struct hf_option hf_dump_writer_rule_options[]; /* --interval, --high-water, --every */
extern const struct hf_option hf_dump_writer_place_options[]; /* --dir, --cgroup */
extern const struct hf_option hf_dump_writer_leak_options[];  /* --alarm and what goes with it */
void hf_dump_writer_defaults(void *options);

/* What becomes of the dumps of one process. Stays where it is. */
struct hf_dump_writer {
    struct hf_dump_writer_options *options;
    uint32_t pid;
    char program[256];
    struct hf_table_reader reader; /* of its live tables, without rights */
    struct hf_leak_watch leaks;
    struct hf_family *family; /* is told of its end, which then nobody says; NULL: none */
    bool has_lost;            /* the last dump: its reader died */
    bool is_sampled;          /* its table is */
    bool has_only_mappings;   /* its table does, in the end: it has a malloc of its own */
    bool was_replaced;        /* the process became a program that nobody recorded */
    uint64_t first_number;    /* of its files: those of an earlier watch stay */
    char last_path[PATH_MAX],
        most[HF_HEAVIEST_MAX],     /* of the last dump, and what held most in it; or "" */
        resident[HF_HEAVIEST_MAX]; /* what was resident, if malloc does not explain it; or "" */
    char curve[HF_USAGE_LINE_MAX]; /* of the last dump; or "" */
    uint64_t in_use_bytes, allocated_bytes, peak_bytes; /* in the last dump */
};

/* HF_ERR_USAGE for a -o that no dump can be written to. Before anything is started. */
HF_MUST_CHECK enum hf_status hf_dump_writer_check(
    const struct hf_dump_writer_options *options, struct hf_error *err);

/*
 * `signals`: the source that takes them, also while a dump is written; NULL: none. Free with done,
 * also after an error.
 */
HF_MUST_CHECK enum hf_status hf_dump_writer_init(struct hf_dump_writer *writer,
    struct hf_dump_writer_options *options, uint32_t pid, const char *program,
    const struct hf_loop_source *signals, struct hf_error *err);
void hf_dump_writer_done(struct hf_dump_writer *writer);

/* To be told of its dumps. */
struct hf_dump_keeper hf_dump_writer_keeper(struct hf_dump_writer *writer);

/*
 * A watcher that tells of its dumps, and says in one sentence what the table will not survive where
 * it is.
 */
struct hf_watcher hf_dump_writer_watcher(struct hf_dump_writer *writer);

/*
 * The process has ended: the last dump, a line about it, and the table goes, unless that dump was
 * lost. One of a family has a dump only if anything was recorded, and no line. *out_was_found: it
 * had a table.
 */
HF_MUST_CHECK enum hf_status hf_dump_writer_finish(struct hf_dump_writer *writer,
    struct hf_watcher *watcher, bool *out_was_found, struct hf_error *err);

/* One line that says what leaks most by the last dump, and where that is. */
void hf_dump_writer_conclude(const struct hf_dump_writer *writer);

#endif
