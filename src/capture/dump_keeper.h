/*
 * dump_keeper.h: passes on the dumps of one process as they come, and removes those that are not
 * kept.
 *
 * What is handed on are bytes that nobody has looked into yet: a live table, or a file that an
 * allocator wrote. The program wrote them, and may have rights that are less than ours.
 */
#ifndef HF_CAPTURE_DUMP_KEEPER_H
#define HF_CAPTURE_DUMP_KEEPER_H

#include "base/error.h"
#include "capture/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All is borrowed. */
struct hf_dump_source {
    int fd;              /* open for reading */
    const char *path;    /* for messages */
    uint32_t pid;        /* whose it is, as this process numbers it */
    const char *program; /* its command, if the bytes do not say; else NULL */
};

/* What became of a dump. */
struct hf_dump_taken {
    bool is_there; /* false: it was lost, which was said */
    uint64_t in_use_bytes;
};

/* What becomes of the dumps: src/capture writes no files. */
struct hf_dump_sink {
    enum hf_status (*take)(void *context, uint64_t number, enum hf_dump_reason reason,
        const struct hf_dump_source *source, struct hf_dump_taken *out_taken, struct hf_error *err);
    void (*drop)(void *context, uint64_t number); /* a dump that is not kept */
    void *context;
};

struct hf_dump_keeper {
    struct hf_dump_sink sink;
    size_t last; /* dumps beside the first, the peak and the pairs; 0: all */
    /* Its own. */
    struct hf_kept_dump *dumps;
    size_t count, capacity;
    uint64_t next_number, last_in_use;
};

/*
 * Hands a dump to the sink, and has one dropped if there are too many now. *out_is_there: false if
 * it was lost.
 */
HF_MUST_CHECK enum hf_status hf_dump_keeper_take(struct hf_dump_keeper *keeper,
    enum hf_dump_reason reason, const struct hf_dump_source *source, bool *out_is_there,
    struct hf_error *err);

/* The same, for a dump that is never dropped. */
HF_MUST_CHECK enum hf_status hf_dump_keeper_take_for_good(struct hf_dump_keeper *keeper,
    enum hf_dump_reason reason, const struct hf_dump_source *source, struct hf_error *err);
void hf_dump_keeper_done(struct hf_dump_keeper *keeper);

#endif
