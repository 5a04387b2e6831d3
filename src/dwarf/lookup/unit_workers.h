/*
 * unit_workers.h: threads that read many units of one file at the same time.
 */
#ifndef HF_DWARF_UNIT_WORKERS_H
#define HF_DWARF_UNIT_WORKERS_H

#include "base/containers/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_UNIT_WORKERS_MAX 32

/* What one of them has made and met; its own until all have ended. */
struct hf_unit_worker {
    struct hf_arena arena;  /* of the calls that it has found */
    uint64_t damaged;       /* parts of units that could not be read */
    struct hf_error damage; /* the first of them */
    bool has_no_memory;
};

/* Set `count`, from 1 to HF_UNIT_WORKERS_MAX; the rest is all-zero. */
struct hf_unit_workers {
    struct hf_unit_worker items[HF_UNIT_WORKERS_MAX];
    unsigned count;
};

typedef void hf_unit_work_fn(void *context, struct hf_unit_worker *worker, uint32_t unit);

/*
 * Does `work` for each of `count` units, in the order given, and waits until all is done. The
 * calling thread works, too, and all of them for its budget; a thread that cannot start is done
 * without.
 */
HF_MUST_CHECK enum hf_status hf_unit_workers_run(struct hf_unit_workers *workers,
    const uint32_t *units, size_t count, hf_unit_work_fn *work, void *context,
    struct hf_error *err);
void hf_unit_workers_done(struct hf_unit_workers *workers);

#endif
