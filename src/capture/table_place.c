#include "capture/table_place.h"

#include "base/attr.h"
#include "os/input.h"
#include "os/path.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define FIRST_PID_NAMESPACE 0xeffffffcu /* PROC_PID_INIT_INO of the kernel's proc_ns.h */

/* A line of mountinfo. A point with a blank in it is written otherwise, and not found. */
struct mount {
    struct hf_text point, type, options;
};

static struct hf_text table_place_take_word(struct hf_text *line)
{
    struct hf_text word = hf_text_first(*line, hf_text_find(*line, ' '));
    *line = hf_text_from(*line, word.size + 1);
    return word;
}

/* "36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue" */
static struct mount table_place_parse(struct hf_text line)
{
    struct mount mount;
    for (int i = 0; i < 4; i++)
        (void)table_place_take_word(&line);
    mount.point = table_place_take_word(&line);
    mount.options = table_place_take_word(&line);
    line = hf_text_from(line, hf_text_find_string(line, "- ") + 2);
    mount.type = table_place_take_word(&line);
    return mount;
}

static bool is_below(struct hf_text path, struct hf_text folder)
{
    return hf_text_is(folder, "/") ||
           (path.size >= folder.size && hf_text_equal(hf_text_first(path, folder.size), folder) &&
               (path.size == folder.size || path.data[folder.size] == '/'));
}

static bool is_below_any(struct hf_text path, const char *const *folders, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_below(path, hf_text_of(folders[i])))
            return true;
    }
    return false;
}

/* Of the container alone, even where something is mounted. */
static const char *const own_folders[] = {
    "/dev", "/proc", "/sys", "/run", "/tmp", "/var/tmp", "/etc"};

/* A folder that somebody mounted for data, and that can be written to. */
static bool is_volume(const struct mount *mount, uint32_t pid)
{
    static const char *const types[] = {
        "tmpfs", "ext4", "xfs", "btrfs", "ext3", "zfs", "nfs4", "nfs", "virtiofs", "9p", "f2fs"};
    char path[PATH_MAX];
    struct stat info;
    bool is_for_data = false;
    for (size_t i = 0; i < HF_COUNT(types); i++)
        is_for_data = is_for_data || hf_text_is(mount->type, types[i]);
    return is_for_data && hf_text_starts(mount->options, "rw") && !hf_text_is(mount->point, "/") &&
           !is_below_any(mount->point, own_folders, HF_COUNT(own_folders)) &&
           hf_path_format(
               path, "/proc/%u/root%.*s", pid, (int)mount->point.size, mount->point.data) &&
           access(path, W_OK) == 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Where the table is mounted, and which other folder would be better. */
static void look_at_mounts(struct hf_table_place *place, uint32_t pid, struct hf_text path)
{
    char name[PATH_MAX];
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    bool has_tmpfs = false;
    if (!hf_path_format(name, "/proc/%u/mountinfo", pid) ||
        hf_input_open(&file, name, NULL) != HF_OK)
        return;
    while (hf_input_next(&file, &line, &status, NULL)) {
        struct mount mount = table_place_parse(line);
        /* The longest that the path is below; of equal ones the last is on top. */
        if (is_below(path, mount.point) && mount.point.size >= strlen(place->mount))
            (void)hf_path_format(place->mount, "%.*s", (int)mount.point.size, mount.point.data);
        bool is_tmpfs = hf_text_is(mount.type, "tmpfs");
        if ((place->volume[0] != '\0' && (has_tmpfs || !is_tmpfs)) || !is_volume(&mount, pid))
            continue;
        has_tmpfs = is_tmpfs;
        (void)hf_path_format(place->volume, "%.*s", (int)mount.point.size, mount.point.data);
    }
    hf_input_close(&file);
}

static bool is_in_container(uint32_t pid)
{
    char path[PATH_MAX];
    struct stat info;
    return hf_path_format(path, "/proc/%u/ns/pid", pid) && stat(path, &info) == 0 &&
           info.st_ino != FIRST_PID_NAMESPACE;
}

static bool was_chosen(struct hf_text path)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    return folder != NULL && folder[0] != '\0' && is_below(path, hf_text_of(folder));
}

struct hf_table_place hf_table_place_of(
    const struct hf_found_table *table, uint32_t pid, const struct hf_memory_group *group)
{
    char root[PATH_MAX];
    struct statfs system;
    struct hf_text path = hf_text_of(table->path);
    struct hf_table_place place = {
        .is_killed_together = hf_memory_group_dies_with(group, (uint32_t)getpid())};
    if (hf_path_format(root, "/proc/%u/root", pid))
        (void)hf_text_take(&path, root);
    look_at_mounts(&place, pid, path);
    struct hf_text mount = hf_text_of(place.mount);
    place.is_of_container =
        is_in_container(pid) && !was_chosen(path) &&
        (hf_text_is(mount, "/") || is_below_any(mount, own_folders, HF_COUNT(own_folders)));
    if (fstatfs(table->fd, &system) == 0 && system.f_bsize > 0) {
        uint64_t bytes = (uint64_t)system.f_blocks * (uint64_t)system.f_bsize;
        place.room_bytes = bytes < HF_TABLE_PLACE_SMALL_BYTES ? bytes : 0;
    }
    return place;
}
