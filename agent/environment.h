/*
 * environment.h: without `follow_fork` the agent's variables are this process's own business.
 *
 * `heapflame run` says by `pid:` which process is meant. The variables that it put into the
 * environment are taken out at the start, LD_PRELOAD but for what else it names: neither the
 * program nor what it starts sees them, and a child is as if nobody recorded its parent. Programs
 * that this very process becomes are recorded on: exec(3) in it puts the two variables back.
 *
 * What the program has for LD_PRELOAD itself by then goes behind the agent. No memory of the
 * program's allocator is used, and a vfork child changes nothing of its parent's.
 */
#ifndef HF_AGENT_ENVIRONMENT_H
#define HF_AGENT_ENVIRONMENT_H

#include "base/text.h"

#include <stdint.h>

/* `conf`: the value of HEAPFLAME_CONF, which means the process `pid`. */
void hf_environment_hide(struct hf_text conf, uint64_t pid);

/* Before a seccomp filter (seal.h). */
void hf_environment_reserve(void);

/*
 * What an exec of this process gets for `variables`: those, or others that must be given back when
 * it fails. Until then the live table says that `program` takes its place; NULL: an open file.
 */
char *const *hf_environment_for_exec(const char *program, char *const *variables);
void hf_environment_give_back(char *const *given, char *const *variables);

#endif
