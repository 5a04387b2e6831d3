/*
 * file.h: checks and reads files carefully; file_writer.h writes them.
 *
 * A *mapping* of a regular file, for binary images. Its size is fixed at open. Its owner may cut
 * it or write to it meanwhile, and its disk or server may fail: that ends nothing (map_guard.h),
 * but what was read is worth nothing then. So whoever has read a mapping asks whether it is sound
 * before anything that was read is believed, shown or kept. Profiles are read (input.h), never
 * mapped. Every descriptor is close-on-exec from birth. What is to be mapped is looked at before it
 * is opened (path_look.h): FIFOs, devices and files of the kernel are refused, and never opened.
 *
 * Example:
 *
 *     struct hf_file_map map;
 *     status = hf_file_map_open(&map, "/usr/bin/env", err);
 *     if (status != HF_OK)
 *         return status;
 *     bool is_elf = map.size >= 4 && memcmp(map.data, "\177ELF", 4) == 0;
 *     status = hf_file_map_check(&map, "/usr/bin/env", HF_OK, err);
 *     if (status == HF_OK)
 *         hf_out_string(out, is_elf ? "ELF" : "something else");
 *     hf_file_map_close(&map);
 */
#ifndef HF_OS_FILE_H
#define HF_OS_FILE_H

#include "base/error.h"
#include "base/text.h"

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

/*
 * Opens for reading what `path`, which may come out of data, leads to, if that is a regular file:
 * nothing else is ever opened (path_look.h). HF_ERR_SYSTEM: it is not, or cannot be read. Every
 * path out of a profile, of an image or of what another process says goes through this function.
 * `_itself`: not if its last name is a link.
 */
HF_MUST_CHECK enum hf_status hf_file_open_regular(
    const char *path, int *out_fd, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_file_open_regular_itself(
    const char *path, int *out_fd, struct hf_error *err);

struct hf_file_map {
    const uint8_t *data; /* NULL if size is 0 */
    size_t size;         /* bytes */
    struct hf_file_stamp stamp;
    struct hf_map_guard *guard; /* NULL if size is 0 */
};

/* Maps a regular file read-only. HF_ERR_SYSTEM if it cannot be opened or is no regular file. */
HF_MUST_CHECK enum hf_status hf_file_map_open(
    struct hf_file_map *map, const char *path, struct hf_error *err);

/* The same for an open file, which it leaves open; `name` is for messages. */
HF_MUST_CHECK enum hf_status hf_file_map_descriptor(
    struct hf_file_map *map, int fd, const char *name, struct hf_error *err);

/* True if every byte that was read so far came from the file. */
bool hf_file_map_is_whole(const struct hf_file_map *map);

/* The same, and the file at `path`, if it still is the one that is mapped, was not written to. */
bool hf_file_map_is_sound(const struct hf_file_map *map, const char *path);

/*
 * HF_ERR_SYSTEM, with a sentence on `path`, if the mapping is not sound; else `status`, what it was
 * read with.
 */
HF_MUST_CHECK enum hf_status hf_file_map_check(
    const struct hf_file_map *map, const char *path, enum hf_status status, struct hf_error *err);
void hf_file_map_close(struct hf_file_map *map);

/* Gives back the memory of what was read so far; it is read from the file again when needed. */
void hf_file_map_trim(const struct hf_file_map *map);

/* True if `path` names an existing regular file that may be read. */
bool hf_file_is_readable(const char *path);

/* True if `path` names a folder. */
bool hf_file_is_folder(const char *path);

/* When a regular file was written last, in seconds since 1970; 0: unknown, or none. */
int64_t hf_file_time(const char *path);

#endif
