/*
 * table_reader.h: who reads for `run`, `watch` and `mark`, which keep their rights for hours: a
 * worker without any that stays (os/process/standby.h). It reads live tables by the descriptor that
 * comes with an order, names and folds, and writes what is asked for through its broker; numbers
 * and one sentence come back.
 *
 * A worker that dies costs what it was at, and that is said; nothing else ends of it. Each process
 * that is watched has a reader of its own, so that none sees what is of another.
 */
#ifndef HF_CLI_TABLE_READER_H
#define HF_CLI_TABLE_READER_H

#include "capture/dump_keeper.h"
#include "capture/found_table.h"
#include "capture/reading.h"
#include "cli/process/recording/table_worker.h"
#include "cli/reader.h"

/* So often a worker may die of looks before there are no more. */
#define HF_TABLE_READER_DEATHS 4

#define HF_TABLE_READER_WORDS (HF_NAME_LIST_MAX + 3)

struct hf_table_reader {
    struct hf_standby standby; /* its `meanwhile` is the caller's to set */
    uint64_t start_ticks;      /* of the process, if it is known: the caller's to set */
    uint32_t pid;              /* whose JIT is looked at; 0: none. The caller's to set */
    /* Its own. */
    struct hf_table_worker worker; /* as it is when one starts */
    struct hf_reader_rules rules;
    const char *words[HF_TABLE_READER_WORDS], *outputs[2];
    unsigned deaths;
    uint64_t jit_due_ns, jit_wait_ns;
};

/* `operand`: a number of a process that may be looked into; NULL: none. It stays where it is. */
HF_MUST_CHECK enum hf_status hf_table_reader_init(struct hf_table_reader *reader,
    struct hf_report_options *options, const char *operand, struct hf_error *err);
void hf_table_reader_done(struct hf_table_reader *reader);

/* What the table adds up to. *out_is_known: false if the worker died of it, which is said, or
 * none could be started. */
HF_MUST_CHECK enum hf_status hf_table_reader_sums(struct hf_table_reader *reader,
    const struct hf_found_table *table, struct hf_table_sums *out_sums, bool *out_is_known,
    struct hf_error *err);

/*
 * Looks at what the JIT of the process has said to GDB (symbol/lookup/jit_list.h), if that is due:
 * what is saved later has the names. What cannot be read has none.
 */
void hf_table_reader_look_at_jit(struct hf_table_reader *reader);

/* What was written. */
struct hf_table_written {
    bool is_there;      /* false: the worker died of it, which is said, or it holds nothing */
    bool holds_nothing; /* nothing was ever recorded: not written, if that was asked for */
    uint64_t in_use_bytes, allocated_bytes, peak_bytes;
    char most[HF_HEAVIEST_MAX], resident[HF_HEAVIEST_MAX]; /* if it is the last */
    char curve[HF_USAGE_LINE_MAX];                         /* what was in use over time, or "" */
};

/* How to save. */
struct hf_table_save {
    const char *path; /* save.h */
    bool is_last;     /* the process has ended: who holds most is asked for */
    bool skips_nothing;
};

/* Saves what `source` holds, and, if it is the last, finds who holds most. */
HF_MUST_CHECK enum hf_status hf_table_reader_save(struct hf_table_reader *reader,
    const struct hf_dump_source *source, const struct hf_table_save *save,
    struct hf_table_written *out_written, struct hf_error *err);

/* Writes a mark (capture/mark.h) to `path`, with linkage names. HF_ERR_INPUT: the worker died. */
HF_MUST_CHECK enum hf_status hf_table_reader_mark(struct hf_table_reader *reader,
    const struct hf_dump_source *source, const char *path, uint64_t *out_in_use_bytes,
    struct hf_error *err);

/*
 * Looks for leaks since the last look at `source`: nothing is told if the worker died of it, which
 * is said. A reader that looks does nothing else: what it has seen goes with its worker.
 */
HF_MUST_CHECK enum hf_status hf_table_reader_judge(struct hf_table_reader *reader,
    const struct hf_dump_source *source, const struct hf_leak_alarm_rules *rules,
    struct hf_leak_told *out_told, struct hf_error *err);

/*
 * As hf_found_table_of, for a process that runs, which the command line names by `operand`. Why
 * there is none a worker finds out: it looks into the program of that process.
 */
HF_MUST_CHECK enum hf_status hf_table_reader_find(struct hf_found_table *table, uint32_t pid,
    const char *operand, struct hf_report_options *options, struct hf_error *err);

/*
 * Whether a program could be recorded, which a recorded process became, as capture/target.h says
 * it. HF_ERR_USAGE: no, and why; any other error: nobody knows.
 */
HF_MUST_CHECK enum hf_status hf_table_reader_check_program(
    struct hf_table_reader *reader, const char *program, struct hf_error *err);

#endif
