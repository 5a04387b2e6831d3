/*
 * mark.h: marks: what a process had in use at a moment, kept under a name.
 *
 * A mark is a bundle (formats/pprof/bundle.h) beside the live table of its process:
 * PID-RANDOM.NAME.mark beside PID-RANDOM.live. It is a file of its own, for a table has one writer.
 * The name of a table is never used again, so a mark is never taken for that of another process of
 * the same number, or of what the process was before exec(3). Marks go with their table
 * (found_table.h).
 *
 * The folder may be anybody's: it is opened without following a link, and used only if the table is
 * in it; what is written there replaces nothing.
 */
#ifndef HF_CAPTURE_MARK_H
#define HF_CAPTURE_MARK_H

#include "base/text.h"
#include "capture/found_table.h"

#define HF_MARK_ENDING ".mark"
#define HF_MARK_NAME_MAX 64 /* letters, digits, "-" and "_" */

/* Where a mark can be written to. */
struct hf_mark_place {
    int folder;          /* open */
    char path[PATH_MAX]; /* of this process, as long as that is open */
};

/* HF_ERR_USAGE: `name` cannot be one; HF_ERR_SYSTEM: there is one, or none can be made. */
HF_MUST_CHECK enum hf_status hf_mark_place_find(struct hf_mark_place *mark,
    const struct hf_found_table *table, const char *name, struct hf_error *err);
void hf_mark_place_done(struct hf_mark_place *place);

/* Keeps a bundle as a mark there, for its owner alone. HF_ERR_SYSTEM: by now there is one. */
HF_MUST_CHECK enum hf_status hf_mark_write(
    const char *path, struct hf_text bundle, struct hf_error *err);

/* The file of a mark. HF_ERR_SYSTEM, and the sentence says which marks there are: there is none. */
HF_MUST_CHECK enum hf_status hf_mark_find(const struct hf_found_table *table, const char *name,
    char out_path[PATH_MAX], struct hf_error *err);

/* Calls `each` with the path of each mark of a table, which ends if that fails. None, if its folder
 * cannot be read. */
HF_MUST_CHECK enum hf_status hf_marks_each(const struct hf_found_table *table,
    enum hf_status (*each)(void *context, const char *path), void *context);

/* Removes all marks of a table that is in its place still. */
void hf_marks_remove(const struct hf_found_table *table);

#endif
