/*
 * guard.h: what of the program's own system calls is the agent's business.
 *
 * Before a seccomp filter comes all must be ready (seal.h), before a limit of the address space the
 * agent must give way (room.h). The calls go on as they are, to whoever
 * stands behind the agent; it sees them where they come through libc: prctl and syscall, which
 * libseccomp uses, setrlimit and prlimit. A call that the program makes by an instruction of its
 * own it does not see.
 */
#ifndef HF_AGENT_GUARD_H
#define HF_AGENT_GUARD_H

/* The next syscall(2) is known from here on. */
typedef long hf_guard_call(long number, ...);
void hf_guard_begin(hf_guard_call *next);

#endif
