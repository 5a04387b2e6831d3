#include "capture/memory_group.h"

#include "base/strings/num.h"
#include "os/input.h"
#include "os/path.h"

#include <unistd.h>

#define MOUNT "/sys/fs/cgroup"
#define V1_UNLIMITED (UINT64_C(1) << 60) /* as printed: the largest multiple of a page */

static bool memory_group_is_readable(const char *path)
{
    struct stat info;
    return hf_path_stat(path, R_OK, &info);
}

/* The folder of a group below the place where its hierarchy is mounted, or that place itself. */
static bool find_folder(
    const char *mount, struct hf_text group, const char *file, char out_folder[PATH_MAX])
{
    char path[PATH_MAX];
    return (hf_path_format(out_folder, "%s%.*s", mount, (int)group.size, group.data) &&
               hf_path_format(path, "%s/%s", out_folder, file) && memory_group_is_readable(path)) ||
           (hf_path_format(out_folder, "%s", mount) &&
               hf_path_format(path, "%s/%s", out_folder, file) && memory_group_is_readable(path));
}

/* "0::/group" is version 2; "4:memory:/group" is version 1, and then memory is counted there. */
static void look_at_line(struct hf_memory_group *group, struct hf_text line)
{
    struct hf_text rest = hf_text_from(line, hf_text_find(line, ':') + 1);
    struct hf_text controllers = hf_text_first(rest, hf_text_find(rest, ':'));
    struct hf_text path = hf_text_from(rest, controllers.size + 1);
    if (hf_text_is(controllers, "memory") &&
        find_folder(MOUNT "/memory", path, "memory.usage_in_bytes", group->folder))
        group->is_v1 = group->is_known = true;
    else if (controllers.size == 0 && !group->is_known)
        group->is_known = find_folder(MOUNT, path, "memory.current", group->folder);
}

struct hf_memory_group hf_memory_group_of(uint32_t pid, const char *folder)
{
    char path[PATH_MAX];
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    struct hf_memory_group group = {0};
    if (folder != NULL) {
        group.is_v1 = find_folder(folder, HF_TEXT(""), "memory.usage_in_bytes", group.folder);
        group.is_known =
            group.is_v1 || find_folder(folder, HF_TEXT(""), "memory.current", group.folder);
        return group;
    }
    if (!hf_path_format(path, "/proc/%u/cgroup", pid) || hf_input_open(&file, path, NULL) != HF_OK)
        return group;
    while (hf_input_next(&file, &line, &status, NULL))
        look_at_line(&group, line);
    hf_input_close(&file);
    return group;
}

/*
 * The number behind `key` in a file of the group ("oom_kill 3", "some ... total=17"), or the number
 * that the file begins with if `key` is "". 0 without one: "max".
 */
static uint64_t memory_group_read_number(
    const struct hf_memory_group *group, const char *name, const char *key)
{
    char path[PATH_MAX];
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    uint64_t number = 0;
    bool is_found = false;
    if (!hf_path_format(path, "%s/%s", group->folder, name) ||
        hf_input_open(&file, path, NULL) != HF_OK)
        return 0;
    while (!is_found && hf_input_next(&file, &line, &status, NULL)) {
        line = hf_text_from(line, hf_text_find_string(line, key));
        is_found = hf_text_take(&line, key) && hf_num_take_u64(&line, &number);
    }
    hf_input_close(&file);
    return is_found ? number : 0;
}

static struct hf_memory_reading read_v1(const struct hf_memory_group *group)
{
    uint64_t limit = memory_group_read_number(group, "memory.limit_in_bytes", "");
    return (struct hf_memory_reading){
        .current_bytes = memory_group_read_number(group, "memory.usage_in_bytes", ""),
        .limit_bytes = limit < V1_UNLIMITED ? limit : 0,
        .refusals = memory_group_read_number(group, "memory.failcnt", ""),
        .kills = memory_group_read_number(group, "memory.oom_control", "oom_kill "),
    };
}

static struct hf_memory_reading read_v2(const struct hf_memory_group *group)
{
    uint64_t limit = memory_group_read_number(group, "memory.max", "");
    uint64_t high = memory_group_read_number(group, "memory.high", "");
    return (struct hf_memory_reading){
        .current_bytes = memory_group_read_number(group, "memory.current", ""),
        .limit_bytes = high != 0 && (limit == 0 || high < limit) ? high : limit,
        .refusals = memory_group_read_number(group, "memory.events", "high ") +
                    memory_group_read_number(group, "memory.events", "max "),
        .kills = memory_group_read_number(group, "memory.events", "oom_kill "),
        .stall_us = memory_group_read_number(group, "memory.pressure", "total="),
    };
}

struct hf_memory_reading hf_memory_read(const struct hf_memory_group *group)
{
    if (!group->is_known)
        return (struct hf_memory_reading){0};
    return group->is_v1 ? read_v1(group) : read_v2(group);
}

bool hf_memory_group_dies_with(const struct hf_memory_group *group, uint32_t pid)
{
    char path[PATH_MAX];
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    uint64_t member = 0;
    if (!group->is_known || group->is_v1 ||
        memory_group_read_number(group, "memory.oom.group", "") == 0 ||
        !hf_path_format(path, "%s/cgroup.procs", group->folder) ||
        hf_input_open(&file, path, NULL) != HF_OK)
        return false;
    while (member != pid && hf_input_next(&file, &line, &status, NULL)) {
        if (!hf_num_u64(line, &member))
            member = 0;
    }
    hf_input_close(&file);
    return member == pid;
}
