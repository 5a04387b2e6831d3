/*
 * memory_account.h: one line that says where the resident memory of a process is, for those that
 * have most of it elsewhere than in blocks of malloc: PHP, Python, V8, Java.
 */
#ifndef HF_CLI_MEMORY_ACCOUNT_H
#define HF_CLI_MEMORY_ACCOUNT_H

#include "capture/watcher.h"

/*
 * "resident 245.0 MiB, of which malloc has 1.2 MiB in use: mapped 238.0 MiB, files 7.0 MiB"; the
 * parts add up. Nothing if malloc explains the memory, or if nobody looked in time.
 */
void hf_memory_account_say(const struct hf_watcher *watcher);

#endif
