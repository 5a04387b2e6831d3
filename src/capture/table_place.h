/*
 * table_place.h: what a live table will not survive in the folder where it is.
 *
 * The mounts are those that the process sees, by /proc/PID/mountinfo (proc(5)). Private to a
 * container is what has no mount of its own in it, and the folders that are made for each
 * container, /dev/shm and /tmp; whoever sets $XDG_RUNTIME_DIR is taken to have chosen.
 */
#ifndef HF_CAPTURE_TABLE_PLACE_H
#define HF_CAPTURE_TABLE_PLACE_H

#include "capture/found_table.h"
#include "capture/memory_group.h"

struct hf_table_place {
    bool is_killed_together; /* the kernel kills this process with the other (memory.oom.group) */
    bool is_of_container;    /* it goes when the container ends */
    uint64_t room_bytes;     /* of its whole file system if that is small, else 0 */
    char mount[PATH_MAX];    /* where that is mounted; "" unknown */
    char volume[PATH_MAX];   /* one in the container that outlives it, on tmpfs if there is; "" */
};

#define HF_TABLE_PLACE_SMALL_BYTES (UINT64_C(128) << 20)

struct hf_table_place hf_table_place_of(
    const struct hf_found_table *table, uint32_t pid, const struct hf_memory_group *group);

#endif
