/*
 * launcher.h: a program that mostly starts others, as a compiler driver or a shell script does:
 * what they did is not recorded without --follow-fork, so somebody should say that.
 */
#ifndef HF_CLI_LAUNCHER_H
#define HF_CLI_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* All-zero: it started nothing. */
struct hf_launcher {
    uint64_t own_ns;        /* what it computed itself */
    uint64_t all_ns;        /* and with what it started and waited for */
    uint64_t largest_bytes; /* the most that was ever resident in one of them, or in itself */
};

/* Looks at a process that has ended and for which nobody has waited yet. */
void hf_launcher_look(struct hf_launcher *launcher, uint32_t pid);

/* Takes what wait4(2) said of it. */
void hf_launcher_ended(struct hf_launcher *launcher, const struct rusage *usage);

/*
 * True if what it started did most of the work, and could hold much more than `recorded_bytes`, the
 * most that was recorded of it.
 */
bool hf_launcher_is_one(const struct hf_launcher *launcher, uint64_t recorded_bytes);

/* Says so, and what to type. */
void hf_launcher_say(const struct hf_launcher *launcher, const char *program);

#endif
