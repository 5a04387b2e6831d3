/*
 * save.h: a captured profile into a file whose ending says the format: .svg and .html are flame
 * graphs, headed with the process and the moment; the rest is what formats/writers.h writes.
 *
 * What is captured tells of a program's inner life: the files are for their owner alone.
 */
#ifndef HF_CLI_SAVE_H
#define HF_CLI_SAVE_H

#include "cli/report.h"

/* True if what is saved there keeps classes of blocks (profile/lifetimes.h). */
bool hf_save_takes_classes(const char *path);

/* HF_ERR_USAGE, with what is known, unless `path` has an ending that says a format. */
HF_MUST_CHECK enum hf_status hf_save_check(const char *path, struct hf_error *err);

/*
 * Names the profile and writes it to `path`; standard output, as a bundle, for NULL and "-". The
 * notes are reported.
 */
HF_MUST_CHECK enum hf_status hf_save(struct hf_report_options *options, const char *path,
    struct hf_profile *profile, struct hf_error *err);

#endif
