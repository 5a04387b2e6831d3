#include "os/path_look.h"

#include "base/attr.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40     /* as the kernel's */
#define NOT_MOUNTED (-1) /* in the place of an errno: autofs would have to mount it */

/* Missing from some versions of linux/magic.h. */
#define CONFIGFS 0x62656570
#define FUSECTL 0x65735543
#define MQUEUE 0x19800202

static bool path_look_has_magic(int fd, uint64_t magic)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && (uint64_t)fs.f_type == magic;
}

/* A walk that has come to `at`, and has `rest` before it. */
struct path_look_walk {
    int at, next;            /* next: what `name` is in `at` */
    char name[NAME_MAX + 1]; /* the name walked to last; empty: the start, or the kernel jumped */
    char rest[PATH_MAX];
    struct stat info; /* of next */
    unsigned links;
};

static void replace(int *fd, int by)
{
    if (*fd >= 0)
        close(*fd);
    *fd = by;
}

static int path_look_start(struct path_look_walk *w, const char *path)
{
    w->name[0] = '\0';
    replace(&w->at, open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
    return w->at >= 0 ? 0 : errno;
}

/*
 * In a folder of autofs: true if it has the name already. To ask for one that is not there makes
 * autofs mount it, to list the folder does not.
 */
static bool path_look_is_listed(int folder, const char *name)
{
    bool is_there = false;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    if (entries == NULL) {
        replace(&fd, -1);
        return false;
    }
    while (!is_there && (entry = readdir(entries)) != NULL)
        is_there = strcmp(entry->d_name, name) == 0;
    closedir(entries);
    return is_there;
}

/* The kernel's own rule (fs/namei.c, may_follow_link). */
static bool may_follow(const struct path_look_walk *w)
{
    struct stat folder;
    if (fstat(w->at, &folder) != 0)
        return false;
    bool is_shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
    return !is_shared || w->info.st_uid == geteuid() || w->info.st_uid == folder.st_uid;
}

/* Goes on where the link leads that was come to. */
static int path_look_follow(struct path_look_walk *w)
{
    char target[PATH_MAX], joined[PATH_MAX];
    if (++w->links > LINKS_MAX)
        return ELOOP;
    if (!may_follow(w))
        return EACCES;
    if (path_look_has_magic(
            w->next, PROC_SUPER_MAGIC)) { /* leads where no text says: the kernel knows */
        replace(&w->next, openat(w->at, w->name, O_PATH | O_CLOEXEC));
        w->name[0] = '\0';
        return w->next >= 0 && fstat(w->next, &w->info) == 0 ? 0 : errno;
    }
    ssize_t size = readlinkat(w->next, "", target, sizeof target - 1);
    if (size <= 0)
        return size < 0 ? errno : ENOENT;
    target[size] = '\0';
    int joined_size = snprintf(joined, sizeof joined, "%s/%s", target, w->rest);
    /* Without a rest, the slash that was put behind would ask for a folder. */
    bool has_rest = w->rest[0] != '\0';
    if (joined_size < 0 || (size_t)joined_size >= sizeof joined)
        return ENAMETOOLONG;
    memcpy(w->rest, has_rest ? joined : target, sizeof joined);
    replace(&w->next, -1);
    return w->rest[0] == '/' ? path_look_start(w, "/") : 0;
}

/* Takes the next name off the rest; false at the end. */
static bool take_name(struct path_look_walk *w, size_t *out_size)
{
    size_t slashes = strspn(w->rest, "/");
    size_t size = strcspn(w->rest + slashes, "/");
    *out_size = size;
    if (size == 0)
        return false;
    if (size < sizeof w->name) {
        memcpy(w->name, w->rest + slashes, size);
        w->name[size] = '\0';
    }
    memmove(w->rest, w->rest + slashes + size, strlen(w->rest + slashes + size) + 1);
    return true;
}

static int path_look_step(struct path_look_walk *w, enum hf_path_look_links links)
{
    if (path_look_has_magic(w->at, AUTOFS_SUPER_MAGIC) && strcmp(w->name, "..") != 0 &&
        !path_look_is_listed(w->at, w->name))
        return NOT_MOUNTED;
    replace(&w->next, openat(w->at, w->name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (w->next < 0 || fstat(w->next, &w->info) != 0)
        return errno;
    if (S_ISLNK(w->info.st_mode))
        return w->rest[0] == '\0' && links == HF_PATH_LOOK_REFUSES_LINKS ? ELOOP
                                                                         : path_look_follow(w);
    return 0;
}

static int path_look_walk(struct path_look_walk *w, const char *path, enum hf_path_look_links links)
{
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof w->rest)
        return size == 0 ? ENOENT : ENAMETOOLONG;
    memcpy(w->rest, path, size + 1);
    int error = path_look_start(w, path[0] == '/' ? "/" : ".");
    while (error == 0 && take_name(w, &size)) {
        if (size > NAME_MAX)
            return ENAMETOOLONG;
        if (w->next >= 0) { /* of the name before */
            replace(&w->at, w->next);
            w->next = -1;
        }
        error = path_look_step(w, links);
    }
    if (error == 0 && w->next < 0) { /* a folder alone: "/", ".", or a link to one of these */
        w->next = openat(w->at, ".", O_PATH | O_CLOEXEC);
        w->name[0] = '\0';
        error = w->next >= 0 && fstat(w->next, &w->info) == 0 ? 0 : errno;
    }
    return error == 0 && w->rest[0] != '\0' && !S_ISDIR(w->info.st_mode) ? ENOTDIR : error;
}

/*
 * The kernel alone, by what it has in memory: it makes autofs mount nothing then. Where that does
 * not do, as for links, the walk is ours. False if it did not: errno may say why.
 */
static bool walk_at_once(struct hf_path_look *look, const char *path, enum hf_path_look_links links)
{
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC | (links == HF_PATH_LOOK_REFUSES_LINKS ? O_NOFOLLOW : 0u),
        .resolve = RESOLVE_CACHED | RESOLVE_NO_SYMLINKS,
    };
    *look = (struct hf_path_look){.fd = -1, .folder = -1};
    look->fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (look->fd >= 0 && fstat(look->fd, &look->info) == 0 && !S_ISLNK(look->info.st_mode))
        return true;
    hf_path_look_done(look);
    return false;
}

static int walk_slowly(struct hf_path_look *look, const char *path, enum hf_path_look_links links)
{
    struct path_look_walk w = {.at = -1, .next = -1};
    int error = path_look_walk(&w, path, links);
    if (error != 0) {
        replace(&w.at, -1);
        replace(&w.next, -1);
        return error;
    }
    if (w.name[0] == '\0')
        replace(&w.at, -1);
    *look = (struct hf_path_look){.fd = w.next, .folder = w.at, .info = w.info};
    memcpy(look->name, w.name, sizeof look->name);
    return 0;
}

enum hf_status hf_path_look_at(struct hf_path_look *look, const char *path,
    enum hf_path_look_links links, struct hf_error *err)
{
    if (walk_at_once(look, path, links))
        return HF_OK;
    int error = errno == ENOENT ? ENOENT : walk_slowly(look, path, links);
    if (error == 0)
        return HF_OK;
    *look = (struct hf_path_look){.fd = -1, .folder = -1};
    if (error == NOT_MOUNTED)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "cannot open %s: autofs has not mounted its folder; if you trust the source of that "
            "path, list the folder first",
            path);
    if (error == ELOOP && links == HF_PATH_LOOK_REFUSES_LINKS)
        return hf_error_set(err, HF_ERR_SYSTEM, "%s is a link, not a file", path);
    return hf_error_system(err, error, "cannot open %s", path);
}

void hf_path_look_done(struct hf_path_look *look)
{
    int error = errno;
    replace(&look->fd, -1);
    replace(&look->folder, -1);
    errno = error;
}

bool hf_path_look_is_file(const struct hf_path_look *look)
{
    static const uint64_t kernels[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, DEBUGFS_MAGIC,
        CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC, SECURITYFS_MAGIC, SELINUX_MAGIC,
        SMACK_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC, BINFMTFS_MAGIC, NSFS_MAGIC, XENFS_SUPER_MAGIC,
        RDTGROUP_SUPER_MAGIC, AUTOFS_SUPER_MAGIC, CONFIGFS, FUSECTL, MQUEUE};
    struct statfs fs;
    if (!S_ISREG(look->info.st_mode) || fstatfs(look->fd, &fs) != 0)
        return false;
    for (size_t i = 0; i < HF_COUNT(kernels); i++) {
        if ((uint64_t)fs.f_type == kernels[i])
            return false;
    }
    return true;
}

bool hf_look_is_readable(const struct hf_path_look *look)
{
    char path[64];
    if (faccessat(look->fd, "", R_OK, AT_EMPTY_PATH) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS) /* Linux before 5.8 */
        return false;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", look->fd);
    return access(path, R_OK) == 0;
}

static bool path_look_is_same(int fd, const struct hf_path_look *look)
{
    struct stat info;
    return fstat(fd, &info) == 0 && info.st_dev == look->info.st_dev &&
           info.st_ino == look->info.st_ino;
}

/* Without /proc, a file has no other name than the one it was found by. */
static int open_by_name(const char *path, int flags)
{
    struct hf_path_look again;
    int error = walk_slowly(&again, path, HF_PATH_LOOK_FOLLOWS_LINKS);
    if (error != 0) {
        errno = error > 0 ? error : ENOENT;
        return -1;
    }
    int fd = again.folder >= 0 ? openat(again.folder, again.name, flags | O_NOFOLLOW) : -1;
    hf_path_look_done(&again);
    return fd;
}

int hf_path_look_open(const struct hf_path_look *look, const char *path)
{
    char link[64];
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", look->fd);
    int fd = open(link, flags);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        fd = open_by_name(path, flags);
    if (fd >= 0 && !path_look_is_same(fd, look)) {
        close(fd);
        fd = -1;
        errno = ESTALE;
    }
    return fd;
}
