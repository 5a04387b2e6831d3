/*
 * live_process.h: the files of a module through the process that was profiled, while it runs.
 *
 * A file that was deleted or replaced after it was mapped is still there, as
 *
 *     /proc/PID/map_files/START-END    what the mapping shows; asks for CAP_CHECKPOINT_RESTORE
 *     /proc/PID/exe                    the program itself
 *     /proc/PID/root/PATH              a file that is there, but only as the process sees it: in a
 * container
 *
 * Source: proc(5). That the process of that number is still the same one is told by its start, if
 * the profile knows that, or by its map: the kernel's [vdso] lies where the profile says, at an
 * address that is drawn anew for each program.
 */
#ifndef HF_SYMBOL_LIVE_PROCESS_H
#define HF_SYMBOL_LIVE_PROCESS_H

#include "profile/profile.h"

#include <limits.h>

#define HF_VDSO "[vdso]"

struct hf_live_process {
    uint32_t id;         /* 0: it does not run any more, or is not known */
    bool has_just_ended; /* what it wrote is still there, and nobody has its number yet */
    int64_t started_ns;  /* since 1970; a second early, since clocks differ by some ticks */
};

/* Finds the process of `profile`. */
struct hf_live_process hf_live_process_of(const struct hf_profile *profile);

/*
 * The code that the kernel gives to each process, [vdso]: of the kernel that runs, so also of that
 * process. Empty if there is none.
 */
struct hf_text hf_live_vdso(void);

#define HF_LIVE_FILES 3

/*
 * Writes where the file of a module that is mapped from `path` may be opened, best first; returns
 * how many places that are. It may not be readable there.
 */
size_t hf_live_process_files(const struct hf_live_process *process, const struct hf_module *module,
    struct hf_text path, char out_paths[HF_LIVE_FILES][PATH_MAX]);

#endif
