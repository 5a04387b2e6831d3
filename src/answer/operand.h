/*
 * operand.h: recognizes what an operand names: a file, "-" for standard input, a URL, a process
 * (by its number), a live table, a mark.
 */
#ifndef HF_ANSWER_OPERAND_H
#define HF_ANSWER_OPERAND_H

#include "capture/found_table.h"

/* True for "http://..." and "https://...". */
bool hf_operand_is_url(const char *name);

/* True for a number that is valid as a process number. */
bool hf_operand_is_pid(const char *name, uint32_t *out_pid);

/* As hf_operand_is_pid, and no file has that name: the operand means the process's live table. */
bool hf_operand_is_process(const char *name, uint32_t *out_pid);

/*
 * Opens the live table of the process that `name` names, or the table that is the file `name`.
 * *out_pid is the process. `folder`: see hf_found_table_of.
 */
HF_MUST_CHECK enum hf_status hf_operand_table(struct hf_found_table *table, const char *name,
    const char *folder, uint32_t *out_pid, struct hf_error *err);

/*
 * Finds the file of a MARK that was given to `option`, e.g. "--since": a file with that name, else
 * the mark (capture/mark.h) of the process or live table among `names`. HF_ERR_USAGE if `names` has
 * none, or more than one.
 */
HF_MUST_CHECK enum hf_status hf_operand_find_mark(const char *option, const char *mark,
    const char *const *names, size_t count, char out_path[PATH_MAX], struct hf_error *err);

/* The name as it may be shown: a URL without user and password. Borrowed from `name`. */
const char *hf_operand_shown(const char *name);

#endif
