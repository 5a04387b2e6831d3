/*
 * map_line.h: one line of /proc/PID/maps, proc(5):
 *
 *     start-end perms offset major:minor inode   path
 *
 * Hexadecimal but for the inode. The path may hold blanks and has newlines as \012; a file that is
 * gone has " (deleted)" behind it, which is taken off. Memory that its program gave a name,
 * "[anon:v8]", has no path.
 *
 * No allocation: part of the agent, too.
 *
 * Example:
 *
 *     struct hf_map_line map;
 *     struct hf_text line = HF_TEXT("00400000-00401000 r-xp 00000000 fe:01 12  /usr/bin/env");
 *     if (hf_map_line_parse(line, &map) && map.is_executable)
 *         hf_out_text(out, map.path);
 */
#ifndef HF_OS_MAP_LINE_H
#define HF_OS_MAP_LINE_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_map_line {
    uint64_t start, end, file_offset;
    uint64_t device, inode; /* as stat(2) has them */
    bool is_writable, is_executable, is_shared, is_deleted;
    bool is_guard;       /* nobody may read, write or execute it */
    struct hf_text path; /* borrowed; newlines are still escaped */
};

/* False if the line has another form. */
HF_MUST_CHECK bool hf_map_line_parse(struct hf_text line, struct hf_map_line *out);

/* Makes newlines of the "\012" in a path, in place; returns its new size. */
size_t hf_map_line_unescape(char *path, size_t size);

#endif
