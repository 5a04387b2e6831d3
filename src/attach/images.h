/*
 * images.h: which file's code is at which address of another process, and how to unwind it.
 *
 * /proc/PID/maps is read at the start, and again when an address lies in no known segment. Of each
 * file that is executed here the build-id and the call frame information are kept. A file is opened
 * as /proc/PID/map_files/START-END, which is the very mapping, also where the path was replaced or
 * lies in a container; where that is not allowed as /proc/PID/root/PATH, if it is the same by
 * device and inode. The vdso is read from the process's memory, which is opened with the first map:
 * of what the process becomes by exec(3) nothing is read.
 *
 * An *image* is such a file; its number stays. A process that maps code all the time does not make
 * us read all the time: at most every HF_IMAGES_PAUSE_NS.
 */
#ifndef HF_ATTACH_IMAGES_H
#define HF_ATTACH_IMAGES_H

#include "base/error.h"
#include "dwarf/callframe.h"
#include "elf/go_table.h"
#include "elf/image.h"
#include "live/writer.h"
#include "os/file.h"
#include "os/process/map_line.h"
#include "os/process/process_memory.h"
#include "unwind/walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_IMAGES_PAUSE_NS UINT64_C(20000000)
#define HF_IMAGES_GONE 256u
#define HF_IMAGES_JITS 4096u /* what comes later is not known as a JIT's */

struct hf_code_image {
    char *path; /* as the process has it */
    uint64_t device, inode;
    struct hf_file_map file; /* empty if it could not be read */
    char *copy;              /* of the vdso instead */
    struct hf_elf elf;       /* all-zero likewise */
    char *build_id;          /* a copy of its bytes */
    struct hf_callframes callframes;
    struct hf_go_table go; /* opened when it is asked for */
    bool is_go_known, has_go;
    uint32_t module; /* 1 + its number in the live table; 0: not there yet, or no room */
};

struct hf_jit_range {
    uint64_t start, end;
};

/* Addresses [start, end) execute the file of `image` from file_offset on. */
struct hf_code_segment {
    uint64_t start, end, file_offset;
    uint32_t image;
    bool is_told; /* to the live table */
};

struct hf_images {
    uint32_t pid;
    int memory_fd;           /* of the process; -1: it may not be read */
    struct hf_memory memory; /* through it, so that images must stay where they are */
    struct hf_code_image *images;
    size_t image_count, image_capacity;
    struct hf_code_segment *segments; /* those of now, sorted */
    size_t segment_count, segment_capacity;
    struct hf_jit_range *jits; /* executable memory of no file, now or before: sorted, disjoint */
    size_t jit_count, jit_capacity;
    uint32_t jit_module; /* as that of an image */
    /* Of those that are not mapped any more, the last HF_IMAGES_GONE; where nothing else lies. */
    struct hf_code_segment *gone;
    size_t gone_count, gone_capacity;
    uint32_t replaced_count;             /* how often code came to lie where other code was */
    uint64_t trampoline, trampoline_end; /* [uprobes]: where probed functions return to */
    uint64_t read_ns;                    /* when the map was read last, CLOCK_MONOTONIC */
    struct hf_unwind_cache *cache;       /* of rules; forgotten when code changes */
};

/* Reads the map of a process. HF_ERR_SYSTEM if it may not be read. */
HF_MUST_CHECK enum hf_status hf_images_open(
    struct hf_images *images, uint32_t pid, struct hf_error *err);
void hf_images_close(struct hf_images *images);

/* Reads the map again now. */
HF_MUST_CHECK enum hf_status hf_images_refresh(struct hf_images *images, struct hf_error *err);

/*
 * A part of a file was mapped as `line` says: who closes a library at once is told by its name,
 * too. The rest is as above: it is of now, or gone, whatever the next reading finds.
 */
HF_MUST_CHECK enum hf_status hf_images_add(
    struct hf_images *images, const struct hf_map_line *line, struct hf_error *err);

/*
 * False if the file was cut short while it was read: its process, or another, changes it. Then
 * nothing that it said is believed: its code has no rules and no functions.
 */
bool hf_code_image_is_whole(const struct hf_code_image *image);

/* The segment of an address as the map was when it was read last, valid until that is read again;
 * else what lay there before; NULL if no file is executed there. */
struct hf_code_segment *hf_images_at(const struct hf_images *images, uint64_t address);

/* True if code of no file is executed there, or was. */
bool hf_images_is_jit(const struct hf_images *images, uint64_t address);

/* The segment of an address, valid until the next call; NULL if no file is executed there. */
const struct hf_code_segment *hf_images_find(struct hf_images *images, uint64_t address);

/* `find` of a struct hf_unwind_code with the images. */
struct hf_unwind_rule hf_images_rule(void *images, uint64_t address, bool is_guess);

/* Where the function starts that a return address is in, by its call frame information; 0: unknown.
 */
uint64_t hf_images_function(struct hf_images *images, uint64_t pc);

/* Whether some of the code was made by Go's compiler. */
bool hf_images_have_go(struct hf_images *images);

/* The name of the function of Go that a return address is in, as text of its file; empty: none. */
struct hf_text hf_images_go_function(struct hf_images *images, uint64_t pc);

/*
 * The frame of a return address in a live table: module and file offset of the byte before it; of
 * code in no file the module HF_JIT and that byte's address, or the address alone. Modules and
 * segments are added to the table as they are met.
 */
uint64_t hf_images_frame(struct hf_images *images, struct hf_live_table *table, uint64_t pc);

#endif
