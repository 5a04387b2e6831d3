/*
 * looking.h: a process that runs is looked at again and again, at even intervals, until it has
 * ended, the time is over, or somebody interrupts: who looks then says what was seen.
 */
#ifndef HF_CLI_LOOKING_H
#define HF_CLI_LOOKING_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* How often, unless somebody says so; and the least number of times, if there is a duration. */
#define HF_LOOKING_EVERY_NS UINT64_C(5000000000)
#define HF_LOOKING_TIMES 12u

struct hf_looking {
    uint32_t pid;
    uint64_t every_ns;    /* 0: as above */
    uint64_t duration_ns; /* 0: until it has ended */
    bool is_quiet;
    enum hf_status (*look)(void *context, struct hf_error *err);
    void *context;
};

/*
 * Looks at once, and then whenever it is time. HF_ERR_SYSTEM: there is no such process, or it has
 * no live table. It is over, too, when the process becomes another program, with another table.
 */
HF_MUST_CHECK enum hf_status hf_looking_run(const struct hf_looking *looking, struct hf_error *err);

#endif
