#include "os/file.h"

#include "base/budget.h"
#include "os/broker_line.h"
#include "os/map_guard.h"
#include "os/path.h"
#include "os/path_look.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAT_BLOCK_BYTES 512 /* of st_blocks */
static struct hf_file_stamp stamp_from(const struct stat *info)
{
    return (struct hf_file_stamp){
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .size = (uint64_t)info->st_size,
        .modified_ns = (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec,
    };
}

static bool ask_stamp(const char *path, struct hf_file_stamp *out_stamp)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_BROKER_STAMP, .first = hf_text_of(path), .fd = -1};
    hf_broker_ask(&question, &answer);
    if (answer.error != 0 || answer.size != sizeof *out_stamp)
        return false;
    memcpy(out_stamp, answer.text, sizeof *out_stamp);
    return true;
}

bool hf_file_stamp_of(const char *path, struct hf_file_stamp *out_stamp)
{
    struct hf_path_look look;
    if (hf_broker_is_there())
        return ask_stamp(path, out_stamp);
    if (hf_path_look_at(&look, path, HF_PATH_LOOK_FOLLOWS_LINKS, NULL) != HF_OK)
        return false;
    bool is_readable = hf_path_look_is_file(&look) && hf_look_is_readable(&look);
    if (is_readable)
        *out_stamp = stamp_from(&look.info);
    hf_path_look_done(&look);
    return is_readable;
}

bool hf_file_stamp_equal(const struct hf_file_stamp *a, const struct hf_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified_ns == b->modified_ns;
}

static enum hf_status ask_file(
    const char *path, enum hf_path_look_links links, int *out_fd, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {.kind = HF_BROKER_FILE,
        .flags = links == HF_PATH_LOOK_REFUSES_LINKS,
        .first = hf_text_of(path),
        .fd = -1};
    hf_broker_ask(&question, &answer);
    if (answer.error == 0 && answer.fd >= 0) {
        hf_broker_reading(path);
        *out_fd = answer.fd;
        return HF_OK;
    }
    return answer.size != 0 ? hf_error_set(err, HF_ERR_SYSTEM, "%s", answer.text)
                            : hf_error_system(err, answer.error != 0 ? answer.error : EMFILE,
                                  "cannot open %s", path);
}

static enum hf_status open_regular(
    const char *path, enum hf_path_look_links links, int *out_fd, struct hf_error *err)
{
    struct hf_path_look look;
    if (hf_broker_is_there())
        return ask_file(path, links, out_fd, err);
    enum hf_status status = hf_path_look_at(&look, path, links, err);
    if (status != HF_OK)
        return status;
    if (!S_ISREG(look.info.st_mode))
        status = hf_error_set(err, HF_ERR_SYSTEM, "%s is not a regular file", path);
    else if (!hf_path_look_is_file(&look))
        status = hf_error_set(err, HF_ERR_SYSTEM,
            "%s is not a stored file, but one that the kernel makes when it is read (as in /proc "
            "and /sys)",
            path);
    else if ((*out_fd = hf_path_look_open(&look, path)) < 0)
        status = hf_error_system(err, errno, "cannot open %s", path);
    hf_path_look_done(&look);
    return status;
}

enum hf_status hf_file_open_regular(const char *path, int *out_fd, struct hf_error *err)
{
    return open_regular(path, HF_PATH_LOOK_FOLLOWS_LINKS, out_fd, err);
}

enum hf_status hf_file_open_regular_itself(const char *path, int *out_fd, struct hf_error *err)
{
    return open_regular(path, HF_PATH_LOOK_REFUSES_LINKS, out_fd, err);
}

enum hf_status hf_file_map_descriptor(
    struct hf_file_map *map, int fd, const char *name, struct hf_error *err)
{
    *map = (struct hf_file_map){0};
    struct stat info;
    if (fstat(fd, &info) != 0)
        return hf_error_system(err, errno, "cannot look at %s", name);
    if (!S_ISREG(info.st_mode))
        return hf_error_set(err, HF_ERR_SYSTEM, "%s is not a regular file", name);
    if (info.st_size > 0) {
        void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
            return hf_error_system(err, errno, "cannot map %s", name);
        map->guard = hf_map_guard_add(data, (size_t)info.st_size);
        if (map->guard == NULL) {
            (void)munmap(data, (size_t)info.st_size);
            return hf_error_memory(err);
        }
        map->data = data;
        map->size = (size_t)info.st_size;
    }
    map->stamp = stamp_from(&info);
    uint64_t solid = (uint64_t)info.st_blocks * STAT_BLOCK_BYTES;
    hf_budget_give(solid < map->size ? solid : map->size);
    return HF_OK;
}

enum hf_status hf_file_map_open(struct hf_file_map *map, const char *path, struct hf_error *err)
{
    *map = (struct hf_file_map){0};
    int fd;
    enum hf_status status = hf_file_open_regular(path, &fd, err);
    if (status != HF_OK)
        return status;
    status = hf_file_map_descriptor(map, fd, path, err);
    close(fd);
    return status;
}

bool hf_file_map_is_whole(const struct hf_file_map *map)
{
    return map->guard == NULL || !hf_map_guard_is_broken(map->guard);
}

bool hf_file_map_is_sound(const struct hf_file_map *map, const char *path)
{
    struct hf_file_stamp now;
    if (map->guard == NULL)
        return true;
    if (!hf_file_map_is_whole(map))
        return false;
    /* Another file by now: what was mapped is out of reach there, but for who has it open. */
    return !hf_file_stamp_of(path, &now) || now.device != map->stamp.device ||
           now.inode != map->stamp.inode || hf_file_stamp_equal(&now, &map->stamp);
}

enum hf_status hf_file_map_check(
    const struct hf_file_map *map, const char *path, enum hf_status status, struct hf_error *err)
{
    if (hf_file_map_is_sound(map, path))
        return status;
    return hf_error_set(err, HF_ERR_SYSTEM,
        "%s was cut short or written to while it was read, so nothing of it is used; try again "
        "when no process writes to it",
        path);
}

void hf_file_map_close(struct hf_file_map *map)
{
    if (map->guard != NULL)
        hf_map_guard_remove(map->guard);
    if (map->data != NULL)
        munmap((void *)(uintptr_t)map->data, map->size);
    *map = (struct hf_file_map){0};
}

void hf_file_map_trim(const struct hf_file_map *map)
{
    if (map->data != NULL)
        (void)madvise((void *)(uintptr_t)map->data, map->size, MADV_DONTNEED);
}

bool hf_file_is_readable(const char *path)
{
    struct hf_file_stamp stamp;
    return hf_file_stamp_of(path, &stamp);
}

bool hf_file_is_folder(const char *path)
{
    struct stat info;
    return hf_path_stat(path, 0, &info) && S_ISDIR(info.st_mode);
}

int64_t hf_file_time(const char *path)
{
    struct stat info;
    return hf_path_stat(path, 0, &info) && S_ISREG(info.st_mode) ? (int64_t)info.st_mtim.tv_sec : 0;
}
