/*
 * resident.h: where the resident memory of a process lies: /proc/PID/smaps, proc(5).
 *
 *     smaps   = { mapping { field } }
 *     mapping = a line of maps (map_line.h)
 *     field   = NAME ":" { " " } KILOBYTES " kB"      of these "Rss" and "Anonymous" count
 *
 * Each resident page is in exactly one part, so the parts add up to the total. Lines of another
 * form are skipped: kernels add fields.
 */
#ifndef HF_OS_RESIDENT_H
#define HF_OS_RESIDENT_H

#include "os/input.h"

enum hf_resident_part {
    HF_RESIDENT_MAPPED, /* of no file: what mmap(2) gave the program, its allocator, its threads */
    HF_RESIDENT_HEAP,   /* what brk(2) gave */
    HF_RESIDENT_DATA,   /* pages of mapped files that the process changed; zeroed data */
    HF_RESIDENT_STACK,  /* of the first thread */
    HF_RESIDENT_FILES,  /* pages as their files have them; memory shared with other processes */
    HF_RESIDENT_TABLE,  /* the live table */
    HF_RESIDENT_PARTS
};

struct hf_resident {
    uint64_t total_bytes;
    uint64_t parts[HF_RESIDENT_PARTS]; /* bytes */
};

/* A mapped file, as stat(2) has it; all-zero: none. */
struct hf_mapped_file {
    uint64_t device, inode;
};

/* Adds up smaps. `table`: the file that is HF_RESIDENT_TABLE. */
HF_MUST_CHECK enum hf_status hf_resident_read(struct hf_input *smaps, struct hf_mapped_file table,
    struct hf_resident *out_resident, struct hf_error *err);

/*
 * That of process `pid`. False if there is none, or if this process may not look at it, or if it
 * has nothing resident because it ends. The kernel looks at each page for this: some milliseconds
 * for a GiB.
 */
HF_MUST_CHECK bool hf_resident_of(
    uint32_t pid, struct hf_mapped_file table, struct hf_resident *out_resident);

#endif
