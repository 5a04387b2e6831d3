/*
 * found_table.h: finds the live table of a process, while the process runs and afterwards.
 *
 * A process that runs has its table mapped, and so /proc/PID/maps names it, wherever the process
 * made it and whatever it became since: a daemon of another user, a container's, in a chroot. It is
 * opened by that name, or as /proc/PID/root/NAME, if that is the file that is mapped, by device and
 * inode; or as /proc/PID/map_files/START-END, the very mapping, which asks for
 * CAP_CHECKPOINT_RESTORE.
 *
 * Of a dead process it is looked for by name: FOLDER/heapflame-UID/PID-RANDOM.live (or
 * PID-FAMILY-RANDOM.live), the newest whose head says this process. FOLDER is one that the caller
 * knows, $XDG_RUNTIME_DIR, /dev/shm or /tmp, where the agent makes tables, and UID is who asks.
 */
#ifndef HF_CAPTURE_FOUND_TABLE_H
#define HF_CAPTURE_FOUND_TABLE_H

#include "base/error.h"
#include "live/layout.h"
#include "profile/lifetimes.h"
#include "profile/profile.h"

#include <limits.h>
#include <stdbool.h>

#define HF_FOUND_TABLE_ENDING ".live"
#define HF_FOUND_TABLE_AGENT "libheapflame.so" /* the object that is loaded into a program */

struct hf_found_table {
    int fd; /* open for reading; -1: none */
    char path[PATH_MAX];
    struct hf_live_head head; /* as it was when the table was found */
};

/* The table at `path`. HF_ERR_INPUT if that is none. */
HF_MUST_CHECK enum hf_status hf_found_table_open(
    struct hf_found_table *table, const char *path, struct hf_error *err);

/*
 * The table of process `pid`, as this process numbers it. `folder`: where to look first for that of
 * a dead one; may be NULL. HF_ERR_SYSTEM, and the sentence says why and what to do, if there is
 * none: for that, and so only if `err` is not NULL, the program of the process is read.
 */
HF_MUST_CHECK enum hf_status hf_found_table_of(
    struct hf_found_table *table, uint32_t pid, const char *folder, struct hf_error *err);
void hf_found_table_close(struct hf_found_table *table);

/*
 * What the table holds now. `pid`: the process that the profile is of, as hf_found_table_of.
 * `lifetimes`: to be filled, or NULL.
 */
HF_MUST_CHECK enum hf_status hf_found_table_read(const struct hf_found_table *table, uint32_t pid,
    struct hf_lifetimes *lifetimes, struct hf_profile **out_profile, struct hf_error *err);

/*
 * The system call that the agent in the process was about to make when it ended, by name; NULL: it
 * was in none. If there are several, one of them.
 */
const char *hf_found_table_call(const struct hf_found_table *table);

/* True if the process has a malloc that the agent does not replace. */
bool hf_found_table_has_only_mappings(const struct hf_found_table *table);

/* True if nothing was ever recorded in it, and nothing lost. */
bool hf_found_table_is_empty(const struct hf_found_table *table);

/*
 * True if the process of the table went on as another program, by exec(3), which made none: that is
 * where the table ends. That program as it was named. Of a process that has
 * ended: while one runs, the exec may still fail.
 */
bool hf_found_table_executed(
    const struct hf_found_table *table, char out_program[HF_LIVE_EXECUTED_BYTES]);

/*
 * Which running process writes the table; 0: none that can be seen from here. It is asked by number
 * and start, so another process that got the number since is not taken for it.
 */
uint32_t hf_found_table_writer(const struct hf_found_table *table);

/*
 * Removes the file, and the marks beside it (mark.h). A process that still has it mapped goes on as
 * if nothing had happened.
 */
HF_MUST_CHECK enum hf_status hf_found_table_remove(
    const struct hf_found_table *table, struct hf_error *err);

/*
 * Removes what a process `pid` that is dead left of a table which it had not begun: it was killed
 * before anything was recorded. False: there is no such file. `folder`: as of hf_found_table_of.
 */
bool hf_found_tables_unborn(uint32_t pid, const char *folder);

/* Removes that table, and those of what the same process was before exec(3): beside it, and where
 * the agent makes them. */
void hf_found_tables_remove(const struct hf_found_table *last);

/* Told of the path of each table in a folder; false ends it. */
typedef bool hf_found_table_visit(void *context, const char *path);

/* Of all tables in `folder`, if it is not NULL, and where the agent makes them. */
void hf_found_tables_everywhere(const char *folder, hf_found_table_visit *visit, void *context);

/* Of all tables in FOLDER/heapflame-UID, or in `folder` if that is such a folder itself. */
void hf_found_tables_in(const char *folder, hf_found_table_visit *visit, void *context);

#endif
