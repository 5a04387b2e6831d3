#include "symbol/lookup/live_process.h"

#include "os/file.h"
#include "os/input.h"
#include "os/path.h"
#include "os/process/proc.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define DELETED " (deleted)"

/* The start of the line that a mapping has in /proc/PID/maps, which is also its name in map_files.
 */
static bool put_range(char out[64], const struct hf_segment *segment)
{
    int size = snprintf(out, 64, "%" PRIx64 "-%" PRIx64, segment->start, segment->end);
    return size > 0 && size < 64;
}

static const struct hf_segment *find_vdso(const struct hf_profile *profile)
{
    for (size_t i = 1; i < profile->module_count; i++) {
        const struct hf_module *module = &profile->modules[i];
        if (module->segment_count == 1 &&
            hf_text_is(hf_profile_text(profile, module->path), HF_VDSO))
            return &module->segments[0];
    }
    return NULL;
}

/* True if the process has [vdso] where `range` says. */
static bool has_vdso_at(uint32_t id, const char *range)
{
    char path[PATH_MAX];
    struct hf_input maps;
    struct hf_text line;
    enum hf_status status = HF_OK;
    bool is_there = false;
    if (!hf_path_format(path, "/proc/%u/maps", id) || hf_input_open(&maps, path, NULL) != HF_OK)
        return false;
    while (!is_there && hf_input_next(&maps, &line, &status, NULL))
        is_there =
            hf_text_take(&line, range) && hf_text_starts(line, " ") && hf_text_ends(line, HF_VDSO);
    hf_input_close(&maps);
    return is_there;
}

/* INT64_MAX: not known. */
static int64_t time_of_ticks(uint64_t ticks)
{
    struct timespec now, uptime;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0 || clock_gettime(CLOCK_BOOTTIME, &uptime) != 0)
        return INT64_MAX;
    return (now.tv_sec - uptime.tv_sec - 1) * 1000000000 + (now.tv_nsec - uptime.tv_nsec) +
           (int64_t)(ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK)));
}

static int64_t started_ns(uint32_t id)
{
    uint64_t ticks;
    return hf_proc_start_ticks(id, &ticks) ? time_of_ticks(ticks) : INT64_MAX;
}

static struct hf_live_process just_ended(const struct hf_profile *profile)
{
    const struct hf_capture_facts *capture = &profile->capture;
    if (!capture->has_just_ended || capture->process_start == 0)
        return (struct hf_live_process){0};
    return (struct hf_live_process){
        .has_just_ended = true, .started_ns = time_of_ticks(capture->process_start)};
}

struct hf_live_process hf_live_process_of(const struct hf_profile *profile)
{
    char range[64];
    const struct hf_segment *vdso = find_vdso(profile);
    uint64_t start;
    bool is_live = profile->capture.process_id != 0 && vdso != NULL && put_range(range, vdso) &&
                   has_vdso_at(profile->capture.process_id, range);
    if (profile->capture.process_id != 0 && profile->capture.process_start != 0)
        is_live = hf_proc_start_ticks(profile->capture.process_id, &start) &&
                  start == profile->capture.process_start;
    if (!is_live)
        return just_ended(profile);
    return (struct hf_live_process){.id = profile->capture.process_id,
        .has_just_ended = profile->capture.has_just_ended,
        .started_ns = started_ns(profile->capture.process_id)};
}

/* Its section headers come last; a page is mapped whole. */
struct hf_text hf_live_vdso(void)
{
    const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
    Elf64_Ehdr header;
    if (image == NULL)
        return HF_TEXT("");
    memcpy(&header, image, sizeof header);
    return (struct hf_text){image, header.e_shoff + (size_t)header.e_shnum * header.e_shentsize};
}

/* True if the link leads to `path`, or did so before that was deleted. */
static bool leads_to(const char *link, struct hf_text path)
{
    char target[PATH_MAX];
    if (!hf_path_link(link, target))
        return false;
    struct hf_text found = hf_text_of(target);
    return hf_text_equal(found, path) ||
           (hf_text_take(&found, path.data) && hf_text_is(found, DELETED));
}

/* As map_files has it: of the first executable mapping. */
static bool format_mapping(
    const struct hf_live_process *process, const struct hf_module *module, char out_path[PATH_MAX])
{
    char range[64];
    for (size_t i = 0; i < module->segment_count; i++) {
        if (module->segments[i].is_executable && put_range(range, &module->segments[i]))
            return hf_path_format(out_path, "/proc/%u/map_files/%s", process->id, range);
    }
    return false;
}

size_t hf_live_process_files(const struct hf_live_process *process, const struct hf_module *module,
    struct hf_text path, char out_paths[HF_LIVE_FILES][PATH_MAX])
{
    size_t count = 0;
    if (process->id == 0)
        return 0;
    if (format_mapping(process, module, out_paths[count]) && leads_to(out_paths[count], path))
        count++;
    if (hf_path_format(out_paths[count], "/proc/%u/exe", process->id) &&
        leads_to(out_paths[count], path))
        count++;
    if (!module->is_deleted &&
        hf_path_format(out_paths[count], "/proc/%u/root%s", process->id, path.data))
        count++;
    return count;
}
