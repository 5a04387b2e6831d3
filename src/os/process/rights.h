/*
 * rights.h: gives up, permanently, every right that is not needed to read bytes and write an
 * answer.
 *
 * What remains to a process that called hf_rights_drop: memory, threads of its own, time, and the
 * descriptors that it has or is handed. It opens no file and no socket, starts no process, and
 * signals, traces and looks into none. Several walls stand one behind the other, since not every
 * kernel has each:
 *
 *   user      uid and gid of nobody, no groups            where it is root's to change
 *   caps      no capability, none to be gained            capabilities(7)
 *   no_new    exec(2) gives no right                      prctl(2), Linux 3.5
 *   landlock  no path, no TCP port, no signal outside     landlock(7), Linux 5.13
 *   seccomp   only the system calls of the list           seccomp(2), Linux 3.17
 *   limits    memory, processor time, no core file        setrlimit(2)
 *
 * A worker that follows a process needs somewhat more, of descriptors that it is handed: to read
 * and write maps of eBPF (not to make any, nor to load programs), and to wait for them by epoll(7).
 *
 * A refused system call fails with EPERM: it does not kill, so that a libc that tries something new
 * at worst does without it.
 *
 * A build with AddressSanitizer keeps its rights: LeakSanitizer traces its own process.
 */
#ifndef HF_OS_RIGHTS_H
#define HF_OS_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The walls, as bits. */
enum hf_right_wall {
    HF_WALL_USER = 1,
    HF_WALL_CAPABILITIES = 2,
    HF_WALL_NO_NEW = 4,
    HF_WALL_LANDLOCK = 8,
    HF_WALL_SECCOMP = 16,
    HF_WALL_LIMITS = 32,
    HF_WALL_ALL = 63,
};

/* How a process ends that could not give up its capabilities. */
#define HF_RIGHTS_NOT_DROPPED 126

/* What a worker keeps of that more than others do. */
struct hf_rights_kept {
    bool follows;     /* a process: as above */
    uint64_t seconds; /* of processor time, above HF_LIMIT_WORKER_SECONDS */
};

/*
 * Call it with one thread. `channel` is the one socket on which messages may be sent. Returns the
 * walls that stand; what is impossible here is left out. Ends the process rather than to go on with
 * a capability that could not be given up. `kept` may be NULL: nothing.
 */
unsigned hf_rights_drop(int channel, const struct hf_rights_kept *kept);

/* The first two walls and the third alone: for another program that is started to draw. */
void hf_rights_drop_before_exec(void);

/* What a wall is called, for `doctor`. */
const char *hf_right_wall_name(enum hf_right_wall wall);

#endif
