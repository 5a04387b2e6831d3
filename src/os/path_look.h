/*
 * path_look.h: finds out what a path leads to, without opening it.
 *
 * A path that comes out of data may name anything. To open a device may do something (a watchdog
 * begins to count), to open a FIFO wakes who waits to write to it, and to walk through a folder of
 * autofs mounts what it stands for. So a path is *looked at*: walked with O_PATH, which opens
 * nothing, name by name, and not into a folder of autofs that has nothing mounted there yet. Links
 * are followed as the kernel does, also with its rule for shared folders: in one that anybody may
 * write to and that is sticky (/tmp), a link is followed only if it is ours or the folder's owner's
 * (sysctl fs.protected_symlinks, here also where that is off). What autofs mounts or unmounts
 * between the look at a name and the step to it is not seen.
 */
#ifndef HF_OS_PATH_LOOK_H
#define HF_OS_PATH_LOOK_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

enum hf_path_look_links {
    HF_PATH_LOOK_FOLLOWS_LINKS,
    HF_PATH_LOOK_REFUSES_LINKS
}; /* of the last name only */

struct hf_path_look {
    int fd;                  /* O_PATH, of what is there */
    int folder;              /* O_PATH, of the folder it is in; -1: not known */
    char name[NAME_MAX + 1]; /* in it */
    struct stat info;
};

/* HF_ERR_SYSTEM: nothing is there, or it cannot be looked at. Call done after success. */
HF_MUST_CHECK enum hf_status hf_path_look_at(struct hf_path_look *look, const char *path,
    enum hf_path_look_links links, struct hf_error *err);
void hf_path_look_done(struct hf_path_look *look);

/* True if it is a regular file that is kept somewhere: none of proc, sysfs, tracefs and the like,
 * which are the kernel's to talk to, and where opening or reading may do something. */
bool hf_path_look_is_file(const struct hf_path_look *look);

/* True if this process may read it. */
bool hf_look_is_readable(const struct hf_path_look *look);

/*
 * Opens for reading what was looked at by `path`, if is_file says that it is one; -1, and errno, if
 * it cannot be. That is the very file, whatever the path leads to meanwhile; where /proc is
 * missing, what the path leads to now, if that is still the file.
 */
HF_MUST_CHECK int hf_path_look_open(const struct hf_path_look *look, const char *path);

#endif
