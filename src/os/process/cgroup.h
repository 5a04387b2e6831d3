/*
 * cgroup.h: which processes are in a control group: cgroups(7).
 *
 * A group is a folder, and those in it are folders in that; each lists its processes in a file
 * "cgroup.procs", in both versions. A unit of systemd is a group of its name: in version 2
 * somewhere below the place where cgroups are mounted, in version 1 below "systemd" there, a
 * hierarchy of systemd's own, which of both versions together is "systemd" or "unified".
 */
#ifndef HF_OS_CGROUP_H
#define HF_OS_CGROUP_H

#include "base/attr.h"
#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define HF_CGROUP_MOUNT "/sys/fs/cgroup"

/* Groups within groups are looked at so far. */
#define HF_CGROUP_DEPTH 32u

/*
 * The folder of a unit below `mount`; "a" is "a.service". Of several the outermost: those further
 * in are a container's. HF_ERR_INPUT: there is none, several are as far out, as of two users, or
 * the name is not one.
 */
HF_MUST_CHECK enum hf_status hf_cgroup_of_unit(
    const char *mount, const char *unit, char out_folder[PATH_MAX], struct hf_error *err);

/*
 * Calls `take` with each process of the group and of those in it, as this process sees its number.
 * HF_ERR_INPUT: the folder is not a group.
 */
HF_MUST_CHECK enum hf_status hf_cgroup_processes(const char *folder,
    void (*take)(void *context, uint32_t pid), void *context, struct hf_error *err);

#endif
