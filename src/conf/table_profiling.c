#include "conf/table.h"

#include "base/attr.h"

#define V(major, minor, patch) HF_CONF_VERSION(major, minor, patch)

/* In the order in which they are explained. */
static const struct hf_conf_option options[] = {
    {.key = "prof",
        .kind = HF_CONF_BOOL,
        .since = V(2, 0, 0),
        .fallback = "false",
        .meaning = "Switch heap profiling on. The other profiling options do nothing without it.",
        .trap = "It must be set when the program starts: only prof_active can be switched later "
                "(mallctl prof.active). It needs a jemalloc built with --enable-prof."},
    {.key = "prof_active",
        .kind = HF_CONF_BOOL,
        .since = V(2, 0, 0),
        .fallback = "true",
        .meaning = "Sample from the start. With prof:true,prof_active:false profiling is armed and "
                   "costs next to nothing until the program switches it on.",
        .trap = "What was allocated before the switch is in no profile. It does nothing without "
                "prof:true."},
    {.key = "prof_thread_active_init",
        .kind = HF_CONF_BOOL,
        .since = V(4, 0, 0),
        .fallback = "true",
        .meaning =
            "Whether new threads are sampled (mallctl thread.prof.active switches one thread).",
        .trap = "With false nothing is sampled until each thread is switched on."},
    {.key = "lg_prof_sample",
        .kind = HF_CONF_UNSIGNED,
        .since = V(2, 0, 0),
        .max = 63,
        .is_clipped = true,
        .fallback = "19",
        .meaning =
            "Mean number of bytes allocated between two samples, as a power of two: 19 is 512 KiB.",
        .trap = "It is an exponent, not a number of bytes: 524288 becomes 63, and nothing is ever "
                "sampled. 0 records every allocation: exact, and slower by orders of magnitude."},
    {.key = "lg_prof_interval",
        .kind = HF_CONF_SIGNED,
        .since = V(2, 0, 0),
        .min = -1,
        .max = 63,
        .fallback = "-1",
        .meaning = "Write a dump each time this many bytes were allocated, as a power of two: 30 "
                   "is 1 GiB; -1 is never.",
        .trap = "It counts allocation activity, freed or not, and not growth. It is ignored when "
                "profiling is on only because of prof_leak. Each dump stays on the disk."},
    {.key = "prof_gdump",
        .kind = HF_CONF_BOOL,
        .since = V(2, 0, 0),
        .fallback = "false",
        .meaning = "Write a dump each time the total of virtual memory reaches a new maximum.",
        .trap = "Virtual memory, not memory in use: a program writes many dumps at start-up, and "
                "none for a leak that fits into memory that is already mapped."},
    {.key = "prof_final",
        .kind = HF_CONF_BOOL,
        .since = V(3, 0, 0),
        .fallback = "false",
        .meaning = "Write a dump when the program ends (atexit).",
        .trap = "It does not run after _exit, a signal or the OOM killer, just when it would be "
                "needed: add lg_prof_interval. It was on by default before 4.0.0."},
    {.key = "prof_leak",
        .kind = HF_CONF_BOOL,
        .since = V(2, 0, 0),
        .fallback = "false",
        .meaning = "Print a summary of what was not freed when the program ends.",
        .trap = "The summary is part of the final dump, so it needs prof_final:true. By itself it "
                "switches profiling on, but then lg_prof_interval and prof_gdump are ignored."},
    {.key = "prof_leak_error",
        .kind = HF_CONF_BOOL,
        .since = V(5, 3, 0),
        .fallback = "false",
        .meaning =
            "Like prof_leak, and end the program with exit status 1 if something was not freed.",
        .trap = "It needs prof_final:true. Memory that is still in use at the end counts as "
                "leaked, so most programs fail."},
    {.key = "prof_prefix",
        .kind = HF_CONF_TEXT,
        .since = V(2, 0, 0),
        .fallback = "jeprof",
        .meaning =
            "First part of the names of dumps; may begin with a folder: PREFIX.PID.SEQ.KIND.heap.",
        .trap = "The folder must exist, or each dump fails. A prefix without a folder lands in the "
                "working directory of the program. An empty prefix switches interval, gdump and "
                "final dumps off."},
    {.key = "prof_accum",
        .kind = HF_CONF_BOOL,
        .since = V(2, 0, 0),
        .fallback = "false",
        .meaning = "Count also what was allocated in total, not just what is in use.",
        .trap = "It keeps every stack forever, so the memory of the profiler grows."},
    {.key = "prof_bt_max",
        .kind = HF_CONF_UNSIGNED,
        .since = V(5, 3, 1),
        .min = 1,
        .max = 1024,
        .is_clipped = true,
        .fallback = "128",
        .meaning =
            "Frames kept of each stack. Up to 5.3.0 it is 128, fixed when jemalloc is built.",
        .trap = "Deeper stacks lose their root, so that one caller may appear as several."},
    {.key = "prof_log",
        .kind = HF_CONF_BOOL,
        .since = V(5, 2, 0),
        .fallback = "false",
        .meaning = "Log each sampled allocation and its free as JSON, from the start; written when "
                   "the program ends.",
        .trap = "The log is kept in memory until then."},
    {.key = "prof_pid_namespace",
        .kind = HF_CONF_BOOL,
        .since = V(5, 3, 1),
        .fallback = "false",
        .meaning = "Put the number of the pid namespace into the names of dumps."},
    {.key = "prof_recent_alloc_max",
        .kind = HF_CONF_SIGNED,
        .since = V(5, 3, 0),
        .min = -1,
        .max = INT64_MAX,
        .fallback = "0",
        .meaning = "Number of recent sampled allocations that are kept; -1 keeps all.",
        .trap = "-1 lets the memory of the profiler grow forever."},
    {.key = "prof_stats",
        .kind = HF_CONF_BOOL,
        .since = V(5, 3, 0),
        .fallback = "false",
        .meaning = "Keep statistics of requested sizes for each size class."},
    {.key = "prof_sys_thread_name",
        .kind = HF_CONF_BOOL,
        .since = V(5, 3, 0),
        .fallback = "false",
        .meaning = "Take the names of threads from the system."},
    {.key = "prof_time_resolution",
        .kind = HF_CONF_CHOICE,
        .since = V(5, 3, 0),
        .choices = "default,high",
        .fallback = "default",
        .meaning = "Clock of prof_log and of recent allocations."},
    {.key = "prof_unbias",
        .kind = HF_CONF_BOOL,
        .since = V(5, 3, 0),
        .fallback = "true",
        .meaning = "Write dumps so that the usual correction for sampling gives right totals.",
        .trap = "With false, sizes mixed on one stack give wrong totals, as in all versions before "
                "5.3.0."},
};

const struct hf_conf_options hf_conf_profiling = {options, HF_COUNT(options)};
