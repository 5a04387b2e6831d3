/*
 * input.h: a profile as a stream: a file, standard input ("-") or bytes in memory.
 *
 * Reads forward in blocks, so memory does not grow with the file and pipes work. The first bytes
 * can be looked at without consuming them, which is how formats are recognised. Lines end at LF;
 * a CR before it is dropped; the last line may lack its LF.
 *
 * Example:
 *
 *     struct hf_input input;
 *     struct hf_text line;
 *     status = hf_input_open(&input, "stacks.folded", err);
 *     if (status != HF_OK)
 *         return status;
 *     while (hf_input_next(&input, &line, &status, err))
 *         hf_out_u64(out, line.size);
 *     hf_input_close(&input);
 */
#ifndef HF_OS_INPUT_H
#define HF_OS_INPUT_H

#include "base/error.h"
#include "base/text.h"
#include "base/watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes made by somebody else: up to `room` at `out`; *out_got is 0 at the end only. */
struct hf_input_source {
    enum hf_status (*read)(
        void *context, char *out, size_t room, size_t *out_got, struct hf_error *err);
    void *context;
};

struct hf_lifetimes;
struct hf_live_resident_memory;
struct hf_live_start;

/* Of samples of several processes: which have one root frame. */
enum hf_tasks_by {
    HF_TASKS_BY_COMMAND, /* "java" */
    HF_TASKS_BY_PROCESS, /* "java-12688" */
    HF_TASKS_BY_THREAD,  /* "java-12688/12764" */
};

struct hf_input {
    const char *name; /* for messages; borrowed */
    int fd;           /* -1: memory, or a source */
    struct hf_input_source source;
    bool owns_fd, is_at_end;
    char *buffer;    /* bytes [from, to) are read but not consumed */
    size_t capacity; /* 0 when the buffer is borrowed memory */
    size_t from, to;
    uint64_t line;                     /* number of the line that was returned last, from 1 */
    bool last_line_is_cut;             /* the line returned last had no LF */
    bool is_tcmalloc_v1;               /* what the user says of it: see formats/heap/gperftools.c */
    int tasks_by;                      /* enum hf_tasks_by: likewise */
    struct hf_lifetimes *lifetimes;    /* to be filled, if the format can: profile/lifetimes.h */
    const struct hf_live_start *start; /* of the live table that is read; NULL: not known */
    uint64_t now_ns;                   /* monotonic, if that table is of now; 0: not known */
    /* What is resident of the process, if that is known better than the table says; or NULL. */
    const struct hf_live_resident_memory *resident;
    uint64_t size_bytes;  /* of a regular file, as it was opened; else 0 */
    uint64_t solid_bytes; /* of those, what is on the disk, if there are holes */
    bool has_holes;
    uint64_t read_bytes;   /* so far */
    struct hf_watch watch; /* told of each block; set by whoever opened the input */
};

/* Whole lines taken off an input, for who works on some while others are read. All-zero: none. */
struct hf_input_lines {
    struct hf_text bytes; /* ends with LF, but for a last line without one */
    char *buffer;         /* where they are, unless the input's memory is borrowed */
    size_t capacity;
};

HF_MUST_CHECK enum hf_status hf_input_open(
    struct hf_input *input, const char *path, struct hf_error *err);

/* The same for a path that comes out of data: of a regular file only (hf_file_open_regular). */
HF_MUST_CHECK enum hf_status hf_input_open_regular(
    struct hf_input *input, const char *path, struct hf_error *err);

/*
 * The same for a file in a place where anybody may put one, as /tmp: HF_ERR_SYSTEM unless it is a
 * regular file, no link to one, of this user or of root.
 */
HF_MUST_CHECK enum hf_status hf_input_open_trusted(
    struct hf_input *input, const char *path, struct hf_error *err);

/* Reads a regular file that is open, from its start; the caller closes it afterwards. */
void hf_input_open_descriptor(struct hf_input *input, int fd, const char *name);

/* Reads from borrowed bytes. */
void hf_input_open_memory(struct hf_input *input, struct hf_text bytes, const char *name);

/* Reads what `source` makes; its context outlives the input. */
void hf_input_open_source(struct hf_input *input, struct hf_input_source source, const char *name);
void hf_input_close(struct hf_input *input);

/* Bytes of a regular file that are no holes; 0 for other inputs. */
uint64_t hf_input_solid_bytes(const struct hf_input *input);

/* Up to `size` bytes that come next, not consumed; fewer only at the end. Borrowed until the next
 * call. */
HF_MUST_CHECK enum hf_status hf_input_peek(
    struct hf_input *input, size_t size, struct hf_text *out_bytes, struct hf_error *err);

/* Consumes bytes that a peek showed. */
void hf_input_skip(struct hf_input *input, size_t size);

/*
 * The next line without its end. *out_has_line is false at the end of the input. Borrowed until
 * the next call. HF_ERR_LIMIT: longer than HF_LIMIT_LINE_BYTES.
 */
HF_MUST_CHECK enum hf_status hf_input_line(
    struct hf_input *input, struct hf_text *out_line, bool *out_has_line, struct hf_error *err);

/* The same for a loop over all lines: false at the end, and when *status is or becomes an error. */
static inline bool hf_input_next(
    struct hf_input *input, struct hf_text *out_line, enum hf_status *status, struct hf_error *err)
{
    bool has_line = false;
    if (*status == HF_OK)
        *status = hf_input_line(input, out_line, &has_line, err);
    return *status == HF_OK && has_line;
}

/*
 * Takes the next lines, some 256 KiB of them or a single longer one; none at the end. They stay
 * until `lines` is given again, whatever the input does, and their ends and `line` are left to the
 * caller. HF_ERR_LIMIT: hf_input_refuse_line, of the next line.
 */
HF_MUST_CHECK enum hf_status hf_input_take_lines(
    struct hf_input *input, struct hf_input_lines *lines, struct hf_error *err);
void hf_input_lines_done(struct hf_input_lines *lines);

/* Says that a line is longer than HF_LIMIT_LINE_BYTES; returns HF_ERR_LIMIT. */
enum hf_status hf_input_refuse_line(struct hf_error *err);

/*
 * True if the next line, or the end, can be had without waiting for whoever writes it. For answers
 * to be given before more is asked.
 */
bool hf_input_line_is_ready(struct hf_input *input);

#endif
