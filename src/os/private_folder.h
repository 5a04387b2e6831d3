/*
 * private_folder.h: a folder that only this user can read, for files that can be made again.
 *
 * Only a folder that belongs to the effective user, that no other may write to and that is no
 * symbolic link is used; so are the files in it. With sudo and the HOME of somebody else there is
 * thus none. Everything is asked of the open folder, so nothing can be put in its place meanwhile.
 * Nothing here is worth an error: what cannot be had is simply not there.
 *
 * Example:
 *
 *     struct hf_private_folder folder;
 *     if (hf_private_folder_open(&folder, "/home/bob/.cache/heapflame", 2)) {
 *         (void)!hf_private_folder_put(&folder, "entry", HF_TEXT("bytes"));
 *         hf_private_folder_close(&folder);
 *     }
 */
#ifndef HF_OS_PRIVATE_FOLDER_H
#define HF_OS_PRIVATE_FOLDER_H

#include "os/file.h"

struct hf_private_folder {
    int fd;     /* -1 in a worker (sandbox.h), which has its broker do all this */
    char *path; /* in a worker; else NULL */
};

/*
 * `makes`: how many folders of the path are made, with mode 0700, if they are missing, from the
 * last one upward, as far as they will be in a folder of the user or of root. False: there is none
 * to be used, nor to be closed.
 */
HF_MUST_CHECK bool hf_private_folder_open(
    struct hf_private_folder *folder, const char *path, unsigned makes);
void hf_private_folder_close(struct hf_private_folder *folder);

/* Opens a file of it, for the caller to close; -1: there is none to be used. */
int hf_private_folder_find(const struct hf_private_folder *folder, const char *name);

/* Maps a file of it, and counts as a use for hf_private_folder_trim. */
HF_MUST_CHECK bool hf_private_folder_map(
    const struct hf_private_folder *folder, const char *name, struct hf_file_map *map);

/*
 * Makes or replaces a file, with mode 0600, which then appears whole or not at all. It is not
 * synced: after a crash of the machine it may be damaged, so its format needs a checksum.
 */
bool hf_private_folder_put(
    const struct hf_private_folder *folder, const char *name, struct hf_text bytes);

/* Removes the files used longest ago until the rest is not larger; and what writers left behind. */
void hf_private_folder_trim(const struct hf_private_folder *folder, uint64_t most_bytes);

#endif
