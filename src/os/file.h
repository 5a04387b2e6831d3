/*
 * file.h: files of the system, opened and written carefully.
 *
 * Reading: a *mapping* of a regular file, for binary images. The size is fixed at open; the file
 * may still be truncated by its owner while mapped, which raises SIGBUS: images are mapped because
 * they are large and rarely truncated; profiles are read (input.h), never mapped.
 * Every descriptor is close-on-exec from birth. FIFOs and devices are never opened by accident:
 * they are opened non-blocking and refused unless regular.
 */
#ifndef HF_OS_FILE_H
#define HF_OS_FILE_H

#include "base/error.h"
#include "base/out.h"
#include "base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What tells one state of a file from another: while it is the same, so are its bytes. */
struct hf_file_stamp {
    uint64_t device, inode, size;
    int64_t modified_ns; /* since 1970 */
};

/* False if `path` names no regular file that may be read. */
bool hf_file_stamp_of(const char *path, struct hf_file_stamp *out_stamp);

bool hf_file_stamp_equal(const struct hf_file_stamp *a, const struct hf_file_stamp *b);

struct hf_file_map {
    const uint8_t *data; /* NULL if size is 0 */
    size_t size;         /* bytes */
    struct hf_file_stamp stamp;
};

/* Maps a regular file read-only. HF_ERR_SYSTEM if it cannot be opened or is no regular file. */
HF_MUST_CHECK enum hf_status hf_file_map_open(
    struct hf_file_map *map, const char *path, struct hf_error *err);

/* The same for an open file, which it leaves open; `name` is for messages. */
HF_MUST_CHECK enum hf_status hf_file_map_descriptor(
    struct hf_file_map *map, int fd, const char *name, struct hf_error *err);
void hf_file_map_close(struct hf_file_map *map);

/* True if `path` names an existing regular file that may be read. */
bool hf_file_is_readable(const char *path);

/* True if `path` names a folder. */
bool hf_file_is_folder(const char *path);

/* When a regular file was written last, in seconds since 1970; 0: unknown, or none. */
int64_t hf_file_time(const char *path);

/* Where a symbolic link leads, as it says itself; false if `path` is none. */
HF_MUST_CHECK bool hf_file_link_target(const char *path, char out_target[PATH_MAX]);

/*
 * A file that appears whole or not at all: written beside its place under a temporary name, then
 * synced and renamed over it. "-" is standard output, written directly.
 */
struct hf_file_writer {
    int fd;
    bool is_stdout;
    char *path, *temporary; /* NULL for standard output */
};

/* `is_private`: for its owner alone, as captured profiles are; else as the umask says. */
HF_MUST_CHECK enum hf_status hf_file_writer_open(
    struct hf_file_writer *writer, const char *path, bool is_private, struct hf_error *err);

/* A buffered writer whose bytes go to `writer`, which must stay where it is. */
struct hf_out hf_file_writer_out(struct hf_file_writer *writer);

/* Puts the finished file in its place. After an error, or without this, nothing appears. */
HF_MUST_CHECK enum hf_status hf_file_writer_commit(
    struct hf_file_writer *writer, struct hf_error *err);

/* The same for a file that replaces nothing: HF_ERR_SYSTEM if there is one of that name. */
HF_MUST_CHECK enum hf_status hf_file_writer_commit_new(
    struct hf_file_writer *writer, struct hf_error *err);

/* Removes what was not committed. Safe to call at any time, also after commit. */
void hf_file_writer_close(struct hf_file_writer *writer);

#endif
