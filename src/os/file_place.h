/*
 * file_place.h: where an output goes: the path is walked once, by open folders, and what stands at
 * its end is looked at before anything is opened.
 *
 * Links are followed, but never one that somebody else may have put there: in a folder that is
 * sticky or that all may write to, a link must be of the user who follows it or of the folder's
 * owner. That is the kernel's fs.protected_symlinks, of the whole path, and also where it is off.
 * What stands at the end, a file or a FIFO, is held to the same (fs.protected_regular and _fifos).
 */
#ifndef HF_OS_FILE_PLACE_H
#define HF_OS_FILE_PLACE_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct hf_file_place {
    int folder;              /* only to name things in (O_PATH); -1 with `descriptor` */
    char name[NAME_MAX + 1]; /* in `folder`; no link, or one of /proc that leads to no file */
    bool is_link;            /* of /proc: the kernel alone can follow it */
    bool is_there;           /* `info` says what; never a folder */
    struct stat info;
    int descriptor; /* of this process, by a link such as /dev/stdout; -1: none. Borrowed */
};

/* `is_new`: HF_ERR_SYSTEM if anything has that name, also a link that leads nowhere. HF_ERR_SYSTEM:
 * there can be no such file, or it is not safe to write to. */
HF_MUST_CHECK enum hf_status hf_file_place_find(
    struct hf_file_place *place, const char *path, bool is_new, struct hf_error *err);

/* Also of one that was not found. */
void hf_file_place_close(struct hf_file_place *place);

#endif
