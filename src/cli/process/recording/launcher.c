#include "cli/process/recording/launcher.h"

#include "base/strings/units.h"
#include "cli/say.h"
#include "os/process/proc.h"

#define NS_PER_S UINT64_C(1000000000)
#define WORK_NS UINT64_C(5000000) /* what is less is no work: echo, cat */

void hf_launcher_look(struct hf_launcher *launcher, uint32_t pid)
{
    if (!hf_proc_computed_ns(pid, &launcher->own_ns))
        launcher->own_ns = UINT64_MAX;
}

static uint64_t launcher_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000;
}

void hf_launcher_ended(struct hf_launcher *launcher, const struct rusage *usage)
{
    launcher->all_ns = launcher_ns(usage->ru_utime) + launcher_ns(usage->ru_stime);
    launcher->largest_bytes = (uint64_t)usage->ru_maxrss * 1024;
}

static uint64_t launcher_others_ns(const struct hf_launcher *launcher)
{
    return launcher->all_ns > launcher->own_ns ? launcher->all_ns - launcher->own_ns : 0;
}

bool hf_launcher_is_one(const struct hf_launcher *launcher, uint64_t recorded_bytes)
{
    uint64_t others_ns = launcher_others_ns(launcher);
    return others_ns >= WORK_NS && others_ns > launcher->own_ns &&
           recorded_bytes < launcher->largest_bytes / 2;
}

void hf_launcher_say(const struct hf_launcher *launcher, const char *program)
{
    char most[HF_UNITS_MAX];
    double share = 100 * (double)launcher_others_ns(launcher) / (double)launcher->all_ns;
    hf_say("%s leaves %.0f %% of the work to processes that it starts, one of which used %s: to "
           "record these, too, type heapflame run --follow-fork %s ...",
        program, share, hf_units_bytes(launcher->largest_bytes, most), program);
}
