/*
 * watching.h: what `run` and `watch` share: their options, and what they do with a dump: they write
 * it to a file named by a pattern, and at the end say what leaks most.
 */
#ifndef HF_CLI_WATCHING_H
#define HF_CLI_WATCHING_H

#include "capture/watcher.h"
#include "cli/save.h"

#include <signal.h>

#define HF_WATCHING_PATTERN "%e.%p.%n.hfb"

struct hf_watching_options {
    struct hf_report_options report; /* -o is its view.output */
    const char *interval, *high_water, *every, *folder, *group;
    uint64_t keep;
    int writes_last;
};

extern const struct hf_option hf_watching_output_options[]; /* -o, --keep, --final, --no-final */
extern const struct hf_option hf_watching_rule_options[];   /* --interval, --high-water, --every */
extern const struct hf_option hf_watching_place_options[];  /* --dir, --cgroup */
void hf_watching_defaults(void *options);

/* One process that is watched. */
struct hf_watching {
    struct hf_watching_options *options;
    struct hf_watcher watcher;
    char program[256];
    uint64_t first_number;                /* of its files: those of an earlier watch stay */
    char last_path[PATH_MAX], most[1024]; /* of the last dump, and what held most in it */
};

/* HF_ERR_USAGE for values that make no sense. Before anything is started. */
HF_MUST_CHECK enum hf_status hf_watching_check(const struct hf_watching_options *options,
    struct hf_dump_rules *out_rules, struct hf_error *err);

void hf_watching_init(struct hf_watching *watching, struct hf_watching_options *options,
    const struct hf_dump_rules *rules, uint32_t pid, const char *program);
void hf_watching_done(struct hf_watching *watching);

/* The process has ended: the last dump, and one line that says what leaks most. */
HF_MUST_CHECK enum hf_status hf_watching_finish(
    struct hf_watching *watching, bool *out_was_found, struct hf_error *err);

#endif
