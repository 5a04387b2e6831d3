/*
 * operand.h: what somebody names where a profile is expected: a file, "-" for standard input, a
 * URL, a process by its number, the live table of one, a mark that was made of it.
 */
#ifndef HF_ANSWER_OPERAND_H
#define HF_ANSWER_OPERAND_H

#include "capture/found_table.h"

/* True for "http://..." and "https://...". */
bool hf_operand_is_url(const char *name);

/* True for a number that can be a process's. */
bool hf_operand_is_pid(const char *name, uint32_t *out_pid);

/* True if no file here is called so, too: where a profile may be named, its live table is meant. */
bool hf_operand_is_process(const char *name, uint32_t *out_pid);

/*
 * The live table that `name` means: of a process, whose number is *out_pid, or the file itself.
 * `folder`: as of hf_found_table_of.
 */
HF_MUST_CHECK enum hf_status hf_operand_table(struct hf_found_table *table, const char *name,
    const char *folder, uint32_t *out_pid, struct hf_error *err);

/*
 * The file that --since MARK means: one of that name, else the mark (capture/mark.h) of the one
 * process or live table among `names`. HF_ERR_USAGE: there is not one.
 */
HF_MUST_CHECK enum hf_status hf_operand_find_mark(const char *mark, const char *const *names,
    size_t count, char out_path[PATH_MAX], struct hf_error *err);

/* A name without the user and password of a URL: for others to see. Borrowed from `name`. */
const char *hf_operand_shown(const char *name);

#endif
