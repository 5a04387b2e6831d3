#include "server/metrics.h"

#include "base/strings/escape.h"
#include "config.h"
#include "os/process/proc.h"

#include <inttypes.h>
#include <stdlib.h>

#define SECOND_NS 1e9

/* One process, as it is now. */
struct metrics_line {
    const struct hf_recorded_process *process;
    struct hf_recorded_usage usage;
    bool is_read;
    uint64_t resident_bytes; /* 0: not known */
};

/* False: this process has none. */
typedef bool metrics_value(const struct metrics_line *line, double *out_value);

static bool value_in_use(const struct metrics_line *line, double *out_value)
{
    *out_value = (double)line->usage.in_use_bytes;
    return line->is_read && line->usage.has_usage;
}

static bool value_peak(const struct metrics_line *line, double *out_value)
{
    *out_value = (double)line->usage.peak_bytes;
    return line->is_read && line->usage.has_usage;
}

static bool value_allocated(const struct metrics_line *line, double *out_value)
{
    *out_value = (double)line->usage.allocated_bytes;
    return line->is_read && line->usage.has_usage;
}

static bool value_lost(const struct metrics_line *line, double *out_value)
{
    *out_value = (double)line->usage.lost_objects + (double)line->usage.lost_mappings;
    return line->is_read;
}

static bool value_lost_bytes(const struct metrics_line *line, double *out_value)
{
    *out_value = (double)line->usage.lost_bytes;
    return line->is_read;
}

static bool value_resident(const struct metrics_line *line, double *out_value)
{
    *out_value = (double)line->resident_bytes;
    return line->resident_bytes != 0;
}

static bool value_since(const struct metrics_line *line, double *out_value)
{
    *out_value = (double)line->process->table.head.realtime_ns / SECOND_NS;
    return true;
}

static const struct {
    const char *name, *type, *help;
    metrics_value *value;
} metrics[] = {
    {"heapflame_in_use_bytes", "gauge",
        "Bytes allocated and not freed yet, estimated from the recorded allocations.",
        value_in_use},
    {"heapflame_peak_bytes", "gauge", "The most bytes that were in use at one time.", value_peak},
    {"heapflame_allocated_bytes_total", "counter", "Bytes ever allocated, freed or not.",
        value_allocated},
    {"heapflame_lost_allocations_total", "counter",
        "Recorded allocations and mappings that the live table had no room or time for.",
        value_lost},
    {"heapflame_lost_bytes_total", "counter", "Bytes of the lost allocations.", value_lost_bytes},
    {"heapflame_resident_bytes", "gauge", "Memory of the process that is resident.",
        value_resident},
    {"heapflame_recorded_since_seconds", "gauge",
        "When the recording of the process began, in seconds since 1970.", value_since},
};

static void metrics_head(struct hf_out *out, const char *name, const char *type, const char *help)
{
    hf_out_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A label is escaped as a string of DOT is: \ and ", and nothing that hides is left in it. */
static void metrics_put(
    struct hf_out *out, const char *name, const struct metrics_line *line, double value)
{
    hf_out_printf(out, "%s{pid=\"%" PRIu32 "\",program=\"", name, line->process->pid);
    hf_escape_dot(out, hf_text_of(line->process->program));
    hf_out_printf(out, "\"} %.17g\n", value);
}

static void metrics_put_all(struct hf_out *out, const struct metrics_line *lines, size_t count)
{
    for (size_t m = 0; m < HF_COUNT(metrics); m++) {
        metrics_head(out, metrics[m].name, metrics[m].type, metrics[m].help);
        for (size_t i = 0; i < count; i++) {
            double value;
            if (metrics[m].value(&lines[i], &value))
                metrics_put(out, metrics[m].name, &lines[i], value);
        }
    }
}

void hf_metrics_write(struct hf_out *out, const struct hf_recorded_processes *processes)
{
    struct metrics_line *lines = calloc(processes->count + 1, sizeof *lines);
    if (lines == NULL) {
        (void)hf_error_memory(&out->error);
        return;
    }
    for (size_t i = 0; i < processes->count; i++) {
        struct hf_proc_memory memory;
        lines[i].process = processes->items[i];
        lines[i].is_read = hf_recorded_process_usage(processes->items[i], &lines[i].usage);
        if (hf_proc_memory(processes->items[i]->pid, &memory))
            lines[i].resident_bytes = memory.resident_bytes;
    }
    metrics_put_all(out, lines, processes->count);
    metrics_head(out, "heapflame_processes", "gauge", "Recorded processes on this host.");
    hf_out_printf(out, "heapflame_processes %zu\n", processes->count);
    metrics_head(out, "heapflame_left_out_processes", "gauge",
        "Recorded processes that are not served, because there are too many.");
    hf_out_printf(out, "heapflame_left_out_processes %zu\n", processes->left_out);
    metrics_head(out, "heapflame_build_info", "gauge", "The version of heapflame.");
    hf_out_string(out, "heapflame_build_info{version=\"" HF_VERSION "\"} 1\n");
    free(lines);
}
