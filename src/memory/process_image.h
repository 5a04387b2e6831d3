/*
 * process_image.h: the memory of a process, to read: its mappings, the registers of its threads,
 * and its bytes. It looks the same wherever they come from: a snapshot (snapshot.h), the process
 * itself while it runs, or a model in a test.
 *
 * The process decides what all of this contains, so code that follows a pointer must expect
 * anything there.
 *
 * Example:
 *
 *     struct hf_process_image image = {0};
 *     struct hf_text maps = HF_TEXT("00400000-00401000 rw-p 00000000 00:00 0 [heap]\n");
 *     struct hf_process_reader reader = {.image = &image};
 *     uint64_t word;
 *     status = hf_process_image_add_maps(&image, maps, err);
 *     if (status == HF_OK && hf_process_word(&reader, 0x400008, &word))
 *         hf_out_hex(out, word);
 *     hf_process_image_done(&image);
 */
#ifndef HF_MEMORY_PROCESS_IMAGE_H
#define HF_MEMORY_PROCESS_IMAGE_H

#include "memory/snapshot.h"
#include "os/process/process_memory.h"

#include <string.h>

struct hf_process_mapping {
    uint64_t start, end, file_offset;
    uint64_t device, inode; /* as stat(2) has them */
    bool is_writable, is_executable, is_shared;
    const char *path; /* of the image; also "[heap]", "[stack]"; "" */
};

struct hf_process_range {
    uint64_t start, end;
};

struct hf_process_image {
    struct hf_memory memory; /* all-zero: nothing can be read */
    struct hf_process_mapping *mappings;
    size_t count, capacity;
    const int *pages; /* /proc/PID/pagemap, borrowed; NULL: all pages may be there */
    const struct hf_stopped_thread *threads; /* borrowed; NULL: not known */
    size_t thread_count;
    const struct hf_process_range *recorder; /* borrowed; memory of the agent that records it */
    size_t recorder_count;                   /* sorted, without overlaps; 0: not known */
    bool is_running;                         /* it changes while it is read (race.h) */
};

/*
 * The file in /proc/PID that says which mappings there are: maps, or smaps where the kernel cannot
 * tell at once what is touched (before Linux 6.7, os/process/page_map.h). To read the page map of
 * a sanitizer's shadow takes a minute there: 14 TB and more, of which little is touched. smaps says
 * which they are, by "dd": the program wants them in no core file (madvise(2), MADV_DONTDUMP).
 * There is nothing in a shadow that points anywhere.
 */
const char *hf_process_image_maps_file(void);

/* Adds the lines of /proc/PID/maps; of smaps without what is in no core file and has 1 TiB or more.
 * HF_ERR_LIMIT: there are more than HF_LIMIT_MAPPINGS. */
HF_MUST_CHECK enum hf_status hf_process_image_add_maps(
    struct hf_process_image *image, struct hf_text maps, struct hf_error *err);

/* The same, from an open file. */
HF_MUST_CHECK enum hf_status hf_process_image_read_maps(
    struct hf_process_image *image, int maps, struct hf_error *err);

/* Fills an empty image, which borrows the snapshot. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_process_image_of_snapshot(
    struct hf_process_image *image, const struct hf_snapshot *snapshot, struct hf_error *err);
void hf_process_image_done(struct hf_process_image *image);

/* The mapping that contains this address, or NULL. */
const struct hf_process_mapping *hf_process_image_find(
    const struct hf_process_image *image, uint64_t address);

/* Reads words; those near one another are read fast. At first, all but `image` is zero. */
struct hf_process_reader {
    const struct hf_process_image *image;
    uint64_t start;
    size_t size;
    uint8_t bytes[65536];
    uint64_t first_page; /* of the entries in `pages` */
    size_t page_count;
    uint64_t pages[512]; /* Documentation/admin-guide/mm/pagemap.rst of the kernel */
};

/* Free with free(3). NULL: no memory. */
HF_MUST_CHECK struct hf_process_reader *hf_process_reader_new(const struct hf_process_image *image);

/*
 * The first address from `address` on whose page was ever written or read; `end` if there is none
 * before it. So if a program reserves a hundred GiB and uses one, only that one is read.
 */
uint64_t hf_process_next_page(struct hf_process_reader *reader, uint64_t address, uint64_t end);

/*
 * The same, without reading on: `address` itself where the kernel cannot tell at once (before Linux
 * 6.7, os/process/page_map.h). For who has other ways to go on, e.g. to where something may begin.
 */
uint64_t hf_process_skip(const struct hf_process_image *image, uint64_t address, uint64_t end);

/* Whether the page of this address is in memory, not swapped out. True if `pages` does not say. */
HF_MUST_CHECK bool hf_process_page_is_resident(struct hf_process_reader *reader, uint64_t address);

/* Copies bytes. False: they are not all there. */
HF_MUST_CHECK bool hf_process_copy(
    struct hf_process_reader *reader, uint64_t address, void *out, size_t size);
/* Most words lie near the previous one: these cost a few instructions. */
HF_MUST_CHECK static inline bool hf_process_word(
    struct hf_process_reader *reader, uint64_t address, uint64_t *out_word)
{
    uint64_t offset = address - reader->start;
    if (offset < reader->size && reader->size - offset >= sizeof *out_word) {
        memcpy(out_word, reader->bytes + offset, sizeof *out_word);
        return true;
    }
    return hf_process_copy(reader, address, out_word, sizeof *out_word);
}

/*
 * Finds the first word that is there, at `*address` or at the start of a later page, and sets
 * `*address` to its place. False: there is none before `end`. To go through all words:
 *
 *     for (uint64_t at = start; hf_process_next_word(reader, &at, end, &word); at += sizeof word)
 */
HF_MUST_CHECK bool hf_process_next_word(
    struct hf_process_reader *reader, uint64_t *address, uint64_t end, uint64_t *out_word);

#endif
