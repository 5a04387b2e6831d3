/*
 * map_file.h: /proc/self/maps line by line, by system calls alone: no stdio, no cancellation point.
 */
#ifndef HF_AGENT_MAP_FILE_H
#define HF_AGENT_MAP_FILE_H

#include "base/attr.h"
#include "os/process/map_line.h"

#include <stdbool.h>
#include <stddef.h>

/* A line of a path as long as paths may be, each of its bytes escaped. */
#define HF_MAP_FILE_BUFFER (20u << 10)

/* All-zero: not open. */
struct hf_map_file {
    int fd;
    bool is_open;
    size_t at, end;   /* what was read and not handed out yet */
    bool is_skipping; /* the rest of a line that is too long */
    char buffer[HF_MAP_FILE_BUFFER];
};

HF_MUST_CHECK bool hf_map_file_open(struct hf_map_file *file, const char *path);
void hf_map_file_close(struct hf_map_file *file); /* if it is open */

/* The next line that is a mapping, valid until the one after; its path may be changed in place. */
HF_MUST_CHECK bool hf_map_file_next(struct hf_map_file *file, struct hf_map_line *out_line);

#endif
