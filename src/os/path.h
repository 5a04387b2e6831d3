/*
 * path.h: what stands at a path. The only way from a path to a file: a process with rights goes it
 * itself, a worker without (os/process/sandbox.h) has its broker go it, which decides by the same
 * rules whoever wrote the path: the user, a profile, or somebody who took the worker over.
 *
 * Each sets errno where it fails. Descriptors are close-on-exec.
 *
 * Example:
 *
 *     #include <unistd.h>
 *
 *     struct stat info;
 *     if (hf_path_stat("/usr/bin/env", R_OK, &info) && S_ISREG(info.st_mode))
 *         hf_out_u64(out, (uint64_t)info.st_size);
 */
#ifndef HF_OS_PATH_H
#define HF_OS_PATH_H

#include "base/attr.h"
#include "base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* As open(2), for reading: flags beside O_RDONLY and O_CLOEXEC. -1: it cannot be. */
HF_MUST_CHECK int hf_path_open(const char *path, int flags);

/* As stat(2); and as access(2) of the effective user with `mode` unless that is 0. */
HF_MUST_CHECK bool hf_path_stat(const char *path, int mode, struct stat *out_info);

/* Something is there. */
HF_MUST_CHECK bool hf_path_exists(const char *path);

/* Where a symbolic link leads, as it says itself. */
HF_MUST_CHECK bool hf_path_link(const char *path, char out_target[PATH_MAX]);

/* Names of what is in an open folder but "." and "..", in their order. */
struct hf_folder_names {
    char **items;
    size_t count;
};
HF_MUST_CHECK bool hf_folder_names_read(struct hf_folder_names *names, int folder);
void hf_folder_names_done(struct hf_folder_names *names);

/* Writes a path; false if it is too long to be one. */
bool hf_path_format(char out_path[PATH_MAX], const char *format, ...) HF_PRINTF(2, 3);

/* As realpath(3). */
HF_MUST_CHECK bool hf_path_real(const char *path, char out_real[PATH_MAX]);

/*
 * An operand may name a moment of what is in a file: "server.hfb@start", "@peak" or "@end". What is
 * before that; *out_moment is "peak", "end" or empty: then it is the whole name.
 */
struct hf_text hf_path_before_moment(struct hf_text name, struct hf_text *out_moment);

#endif
