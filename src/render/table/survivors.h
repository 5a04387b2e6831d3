/*
 * survivors.h: what was allocated while a process was watched and is still there, with its births:
 * the heaviest stacks, for people.
 *
 *         in use  per second      blocks  first birth  last birth      age  stack
 *        8.3 MiB   653.9 KiB      65,000        0.1 s      12.9 s   12.9 s  psprintf < f in [Top]
 *
 * Of memory contexts "held" comes first: what was given for what is asked for ("in use"), with
 * heads and room; it is what makes a process grow, the order, and what comes per second of the time
 * that the process was watched. Births are counted from the start, the age is that of the oldest
 * block at the end. What was born all the time leaks rather
 * than what was born at once. Of samples there is a column with the 95 % interval
 * (profile/interval.h). A stack is shown by the functions next to its leaf, and by the memory
 * context it begins with.
 *
 * Stacks are chosen before a writer cuts them, and shown when they have names; those that then read
 * alike are one row.
 */
#ifndef HF_RENDER_SURVIVORS_H
#define HF_RENDER_SURVIVORS_H

#include "base/strings/out.h"
#include "formats/heap/live.h"

#define HF_SURVIVOR_STACKS 16u
#define HF_SURVIVOR_FRAMES 16u

struct hf_survivor {
    struct hf_live_age age;
    uint32_t frames[HF_SURVIVOR_FRAMES]; /* leaf first */
    size_t frame_count;
    uint32_t context; /* string of the profile; HF_NO_STRING: none */
};

struct hf_survivors {
    struct hf_survivor stacks[HF_SURVIVOR_STACKS]; /* the heaviest first */
    size_t count;
    uint64_t other, other_bytes; /* stacks that were not chosen, and what they hold */
    bool has_held;               /* more is held than is asked for */
};

/* Sorts the ages. */
void hf_survivors_choose(
    struct hf_survivors *out, const struct hf_profile *profile, struct hf_live_ages *ages);

/* Writes nothing if there are none. Names are escaped for a terminal. */
void hf_survivors_text(const struct hf_survivors *survivors, const struct hf_profile *profile,
    uint64_t begin_ns, uint64_t end_ns, struct hf_out *out);

#endif
