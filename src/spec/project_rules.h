/*
 * project_rules.h: the rules of owners (owner_rules.h) that a project brings along, in the file
 * ".heapflame/owners.rules".
 *
 * It is looked for in the working folder and in those above it, up to the first with a ".git" or
 * the home folder; where there is neither, in the working folder alone. The nearest counts. It is
 * read only if it is a regular file, no link, of this user or of root, that not everybody may write
 * to: who works in a shared folder, e.g. /tmp, is not told by others what owns memory.
 */
#ifndef HF_SPEC_PROJECT_RULES_H
#define HF_SPEC_PROJECT_RULES_H

#include "spec/owner_rules.h"

#define HF_PROJECT_RULES_FILE ".heapflame/owners.rules"

/*
 * Adds those of the working folder. *out_is_refused: there is a file that is not trusted; `err`
 * says why, and the status is HF_OK. HF_ERR_INPUT as hf_owner_rules_parse.
 */
HF_MUST_CHECK enum hf_status hf_project_rules_add(
    struct hf_owner_rules *rules, bool *out_is_refused, struct hf_error *err);

#endif
