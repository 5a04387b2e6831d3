/*
 * resident.h: which mappings of a process have how much resident: /proc/PID/smaps, proc(5).
 *
 *     smaps   = { mapping { field } }
 *     mapping = a line of maps (map_line.h)
 *     field   = NAME ":" { " " } KILOBYTES " kB"      of these "Rss" and "Anonymous" count
 *
 * Lines of another form are skipped: kernels add fields.
 *
 * Which pages of a mapping are there says /proc/PID/pagemap: bit 63 of eight bytes for each.
 */
#ifndef HF_OS_RESIDENT_H
#define HF_OS_RESIDENT_H

#include "os/input.h"

enum hf_resident_kind {
    HF_RESIDENT_MAPPED, /* of no file: what mmap(2) gave the program, its allocator, libc */
    HF_RESIDENT_SHARED, /* the same, shared with other processes */
    HF_RESIDENT_HEAP,   /* what brk(2) gave */
    HF_RESIDENT_STACK,  /* of the first thread */
    HF_RESIDENT_FILE,   /* a file's, and the data behind it that begin as zeroes */
};

/* A mapped file, as stat(2) has it; all-zero: none. */
struct hf_mapped_file {
    uint64_t device, inode;
};

struct hf_resident_place {
    uint64_t start, end;
    enum hf_resident_kind kind;
    struct hf_mapped_file file;
    bool is_behind_file;  /* of no file, and right behind what is: most likely a library's data */
    bool is_behind_guard; /* right behind a small mapping that nobody may touch, as stacks are */
    uint64_t resident_bytes;
    uint64_t anonymous_bytes; /* of these: of no file, or changed since */
};

/* An error ends the reading. */
typedef enum hf_status hf_resident_visit(
    void *context, const struct hf_resident_place *place, struct hf_error *err);

/* Tells of each mapping of which something is resident. */
HF_MUST_CHECK enum hf_status hf_resident_read(
    struct hf_input *smaps, hf_resident_visit *visit, void *context, struct hf_error *err);

/*
 * Those of process `pid`. HF_ERR_SYSTEM: there is none, or this process may not look at it. The
 * kernel looks at each page for this: some milliseconds for a GiB.
 */
HF_MUST_CHECK enum hf_status hf_resident_read_process(
    uint32_t pid, hf_resident_visit *visit, void *context, struct hf_error *err);

#endif
