#include "os/file_place.h"

#include "base/strings/num.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as the kernel follows */
#define LOOK (O_PATH | O_CLOEXEC)

/* On the way: `place` has the folder reached, `rest` what is to go from there. */
struct file_place_walk {
    struct hf_file_place *place;
    const char *path; /* for messages */
    char rest[PATH_MAX];
    unsigned links;
    bool is_new, is_over;
};

static enum hf_status file_place_refuse(
    const struct file_place_walk *walk, int reason, struct hf_error *err)
{
    return hf_error_system(err, reason, "cannot write %s", walk->path);
}

static void file_place_enter(struct file_place_walk *walk, int folder)
{
    close(walk->place->folder);
    walk->place->folder = folder;
}

/* Cuts the next name off; false: there is none. */
static bool next_name(struct file_place_walk *walk, bool *out_is_last)
{
    const char *start = walk->rest + strspn(walk->rest, "/");
    size_t size = strcspn(start, "/");
    *out_is_last = start[size] == '\0';
    if (size == 0 || size > NAME_MAX)
        return false;
    memcpy(walk->place->name, start, size);
    walk->place->name[size] = '\0';
    memmove(walk->rest, start + size, strlen(start + size) + 1);
    return true;
}

/* Somebody put it where others put things, and may put another in its place. */
static bool is_of_stranger(const struct file_place_walk *walk, const struct stat *info)
{
    struct stat folder;
    if (fstat(walk->place->folder, &folder) != 0)
        return true;
    return (folder.st_mode & (S_ISVTX | S_IWOTH)) != 0 && info->st_uid != geteuid() &&
           info->st_uid != folder.st_uid;
}

static enum hf_status refuse_stranger(
    const struct file_place_walk *walk, const struct stat *info, struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_SYSTEM,
        "cannot write %s: '%s' is a %s that belongs to user %u, in a folder that others may write "
        "to: choose another name",
        walk->path, walk->place->name,
        S_ISLNK(info->st_mode)    ? "link"
        : S_ISFIFO(info->st_mode) ? "FIFO"
                                  : "file",
        info->st_uid);
}

static bool is_proc(int folder)
{
    struct statfs info;
    return fstatfs(folder, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

static bool is_same_folder(int folder, const char *path)
{
    struct stat a, b;
    return fstat(folder, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* /proc/self/fd/1 leads to what is open, and has its position; not to a name. */
static bool is_descriptor(const struct hf_file_place *place, int *out_descriptor)
{
    uint64_t number;
    if (!hf_num_u64(hf_text_of(place->name), &number) || number > INT_MAX ||
        (!is_same_folder(place->folder, "/proc/self/fd") &&
            !is_same_folder(place->folder, "/proc/thread-self/fd")))
        return false;
    *out_descriptor = (int)number;
    return true;
}

/* The kernel makes these links, and some cannot be followed by what they say. */
static enum hf_status follow_proc(struct file_place_walk *walk, bool is_last, struct hf_error *err)
{
    struct hf_file_place *place = walk->place;
    if (!is_last) {
        int folder = openat(place->folder, place->name, LOOK | O_DIRECTORY);
        if (folder < 0)
            return file_place_refuse(walk, errno, err);
        file_place_enter(walk, folder);
        return HF_OK;
    }
    walk->is_over = place->is_there = true;
    if (is_descriptor(place, &place->descriptor)) {
        file_place_enter(walk, -1);
        return HF_OK;
    }
    place->is_link = true;
    if (fstatat(place->folder, place->name, &place->info, 0) != 0)
        return file_place_refuse(walk, errno, err);
    if (S_ISREG(place->info.st_mode) || S_ISDIR(place->info.st_mode))
        return hf_error_set(err, HF_ERR_SYSTEM,
            "cannot write %s: it is a link to an open file of another process; give the path of "
            "the file itself",
            walk->path);
    return HF_OK;
}

/* `link` is open, so that what is read is of what was looked at. */
static enum hf_status file_place_follow(struct file_place_walk *walk, int link,
    const struct stat *info, bool is_last, struct hf_error *err)
{
    char target[PATH_MAX], rest[PATH_MAX];
    if (is_proc(walk->place->folder))
        return follow_proc(walk, is_last, err);
    if (is_of_stranger(walk, info))
        return refuse_stranger(walk, info, err);
    if (++walk->links > LINKS_MAX)
        return file_place_refuse(walk, ELOOP, err);
    ssize_t size = readlinkat(link, "", target, sizeof target - 1);
    if (size < 0)
        return file_place_refuse(walk, errno, err);
    target[size] = '\0';
    int length = snprintf(rest, sizeof rest, "%s%s", target, walk->rest);
    if (length < 0 || (size_t)length >= sizeof rest)
        return file_place_refuse(walk, ENAMETOOLONG, err);
    memcpy(walk->rest, rest, (size_t)length + 1);
    if (target[0] == '/') {
        int root = open("/", LOOK | O_DIRECTORY);
        if (root < 0)
            return file_place_refuse(walk, errno, err);
        file_place_enter(walk, root);
    }
    return HF_OK;
}

static enum hf_status arrive(
    struct file_place_walk *walk, const struct stat *info, struct hf_error *err)
{
    if (S_ISDIR(info->st_mode))
        return file_place_refuse(walk, EISDIR, err);
    if (is_of_stranger(walk, info))
        return refuse_stranger(walk, info, err);
    walk->is_over = walk->place->is_there = true;
    walk->place->info = *info;
    return HF_OK;
}

static enum hf_status file_place_step(struct file_place_walk *walk, struct hf_error *err)
{
    bool is_last;
    struct stat info;
    struct hf_file_place *place = walk->place;
    if (!next_name(walk, &is_last))
        return file_place_refuse(
            walk, strspn(walk->rest, "/") == strlen(walk->rest) ? EISDIR : ENAMETOOLONG, err);
    int found = is_last ? -1 : openat(place->folder, place->name, LOOK | O_DIRECTORY | O_NOFOLLOW);
    if (found >= 0) {
        file_place_enter(walk, found);
        return HF_OK;
    }
    found = openat(place->folder, place->name, LOOK | O_NOFOLLOW);
    if (found < 0 && errno == ENOENT && is_last) {
        walk->is_over = true;
        return HF_OK;
    }
    if (found < 0)
        return file_place_refuse(walk, errno, err);
    enum hf_status status = HF_OK;
    if (is_last && walk->is_new)
        status = file_place_refuse(walk, EEXIST, err);
    else if (fstat(found, &info) != 0)
        status = file_place_refuse(walk, errno, err);
    else if (S_ISLNK(info.st_mode))
        status = file_place_follow(walk, found, &info, is_last, err);
    else
        status = is_last ? arrive(walk, &info, err) : file_place_refuse(walk, ENOTDIR, err);
    close(found);
    return status;
}

enum hf_status hf_file_place_find(
    struct hf_file_place *place, const char *path, bool is_new, struct hf_error *err)
{
    struct file_place_walk walk = {.place = place, .path = path, .is_new = is_new};
    *place = (struct hf_file_place){.folder = -1, .descriptor = -1};
    if (path[0] == '\0')
        return file_place_refuse(&walk, ENOENT, err);
    if (strlen(path) >= sizeof walk.rest)
        return file_place_refuse(&walk, ENAMETOOLONG, err);
    memcpy(walk.rest, path, strlen(path) + 1);
    place->folder = open(path[0] == '/' ? "/" : ".", LOOK | O_DIRECTORY);
    enum hf_status status = place->folder >= 0 ? HF_OK : file_place_refuse(&walk, errno, err);
    while (status == HF_OK && !walk.is_over)
        status = file_place_step(&walk, err);
    if (status != HF_OK)
        hf_file_place_close(place);
    return status;
}

void hf_file_place_close(struct hf_file_place *place)
{
    if (place->folder >= 0)
        close(place->folder);
    place->folder = -1;
}
