/* Snapshots in tests. */
#ifndef HF_TESTS_SNAPSHOTS_H
#define HF_TESTS_SNAPSHOTS_H

#include "check.h"
#include "memory/snapshot.h"

/* On a machine so busy that a thread gets no processor for a second there is none. */
static inline void take_snapshot(struct hf_snapshot *snapshot, pid_t pid)
{
    struct hf_error err;
    enum hf_status status = HF_ERR_SYSTEM;
    for (int tries = 0; status != HF_OK && tries < 20; tries++)
        status = hf_snapshot_take(snapshot, pid, &err);
    check_ok(status, &err);
}

#endif
