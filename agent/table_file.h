/*
 * table_file.h: makes the file of a live table and maps it.
 *
 *     FOLDER/heapflame-UID/PID-RANDOM.live, or PID-FAMILY-RANDOM.live
 *
 * FOLDER is `dir:`, or else the first of $XDG_RUNTIME_DIR, /dev/shm and /tmp where it works. The
 * folder in it is ours alone: 0700, owned by us, no link, which is checked after it was opened.
 *
 * No store into the table may fault. Its size is fixed at once and lies within RLIMIT_FSIZE, for to
 * grow beyond that is a signal; its pages are made before they are used (MADV_POPULATE_WRITE, which
 * returns an error where a store would be a SIGBUS), before Linux 5.14 all at once. Where there is
 * not room enough, a smaller table is tried. The file is closed when it is mapped: no descriptor
 * stays.
 */
#ifndef HF_AGENT_TABLE_FILE_H
#define HF_AGENT_TABLE_FILE_H

#include "conf.h"
#include "live/writer.h"

/* False: there is no table; one sentence has said why. */
HF_MUST_CHECK bool hf_table_file_make(
    struct hf_live_table *table, const struct hf_agent_conf *conf);

/* Takes the file away; what is mapped stays. */
void hf_table_file_remove(void);

/* In a child after fork: its parent's table is not its own. */
void hf_table_file_forget(struct hf_live_table *table);

#endif
