#include "attach/session/mending.h"

#include "attach/keeper/keeper_line.h"
#include "attach/probes/breakpoint.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/process/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct mender {
    const struct hf_images *images;
    struct hf_keeper *keeper;
    bool mends; /* else only counts */
    struct hf_mending *mending;
    size_t count;
    enum hf_status status;
    struct hf_error *err;
};

static void see_breakpoint(
    void *context, const struct hf_code_segment *segment, uint64_t file_offset)
{
    struct mender *m = context;
    char path[128];
    const struct hf_perf_wish entry = {.what = HF_PERF_ENTRY, .period = 1, .offset = file_offset};
    if (m->count++ == 0) {
        struct hf_text file = hf_text_basename(hf_text_of(m->images->images[segment->image].path));
        (void)snprintf(m->mending->first, sizeof m->mending->first, "%.*s+0x%" PRIx64,
            (int)file.size, file.data, file_offset);
    }
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
        m->images->pid, segment->start, segment->end);
    if (m->mends && m->status == HF_OK)
        m->status = hf_keeper_line_want(m->keeper, &entry, path, m->err);
}

static size_t count_breakpoints(struct mender m)
{
    m.mends = false;
    hf_breakpoints_each(m.images, see_breakpoint, &m);
    return m.count;
}

static enum hf_status mending_remove(struct mender *m)
{
    struct hf_perf_file *files = NULL;
    size_t file_count, ring_count;
    uint32_t tracer = hf_proc_tracer(m->images->pid);
    if (tracer != 0)
        return hf_error_set(m->err, HF_ERR_INPUT,
            "process %" PRIu32 " is traced by process %" PRIu32
            ", and the breakpoints may belong to that: nothing was removed",
            m->images->pid, tracer);
    hf_breakpoints_each(m->images, see_breakpoint, m);
    if (m->status == HF_OK)
        m->status = hf_keeper_line_open(m->keeper, &files, &file_count, &ring_count, m->err);
    hf_keeper_line_close(m->keeper);
    free(files);
    return m->status;
}

enum hf_status hf_mending_do(uint32_t pid, struct hf_keeper *keeper, bool mends,
    struct hf_mending *out_mending, struct hf_error *err)
{
    struct hf_images images = {0};
    struct mender m = {
        .images = &images, .keeper = keeper, .mends = mends, .mending = out_mending, .err = err};
    *out_mending = (struct hf_mending){0};
    enum hf_status status = hf_images_open(&images, pid, err);
    if (status == HF_OK)
        out_mending->found = out_mending->left = count_breakpoints(m);
    if (status == HF_OK && mends && out_mending->found != 0) {
        status = mending_remove(&m);
        m.count = 1; /* the first is known */
        out_mending->left = count_breakpoints(m) - 1;
    }
    hf_images_close(&images);
    return status;
}
