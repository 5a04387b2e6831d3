/*
 * tidy.h: a folder of tables does not grow without end.
 *
 * Programs that are killed leave their tables, so that they can be read. Where nobody does, a table
 * that is made in a folder of more than HF_TIDY_TABLES first removes the oldest HF_TIDY_AT_ONCE of
 * processes that are dead; `heapflame gc` removes all. Those of a family are its recorder's, which
 * reads them one after the other: as long as that runs, they stay up to HF_TIDY_FAMILY_TABLES.
 */
#ifndef HF_AGENT_TIDY_H
#define HF_AGENT_TIDY_H

#include <stdint.h>

#define HF_TIDY_TABLES 256
#define HF_TIDY_FAMILY_TABLES 4096
#define HF_TIDY_AT_ONCE 16

/* The number of this pid namespace, by which its tables know each other; 0: unknown. */
uint64_t hf_tidy_namespace(void);

/* `folder` is open. */
void hf_tidy(int folder);

#endif
