#include "os/private_folder.h"

#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Files that are being written. One that is older is of a writer that did not come to its end. */
#define TEMPORARY "."
#define HOUR_SECONDS 3600

static bool is_own(const struct stat *info)
{
    return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Makes a folder, and so many of those it is in. */
static bool make_folder(const char *path, unsigned levels)
{
    char parent[PATH_MAX];
    struct stat info;
    int size = snprintf(parent, sizeof parent, "%s", path);
    if (size < 0 || (size_t)size >= sizeof parent)
        return false;
    const char *above = dirname(parent);
    if (levels != 0 && stat(above, &info) != 0 && !make_folder(above, levels - 1))
        return false;
    if (stat(above, &info) != 0 || info.st_uid != geteuid())
        return false;
    return mkdir(path, S_IRWXU) == 0 || errno == EEXIST;
}

bool hf_private_folder_open(struct hf_private_folder *folder, const char *path, bool makes)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat info;
    folder->fd = open(path, flags);
    if (folder->fd < 0 && errno == ENOENT && makes && make_folder(path, 1))
        folder->fd = open(path, flags);
    if (folder->fd < 0)
        return false;
    if (fstat(folder->fd, &info) == 0 && is_own(&info))
        return true;
    hf_private_folder_close(folder);
    return false;
}

void hf_private_folder_close(struct hf_private_folder *folder)
{
    close(folder->fd);
    folder->fd = -1;
}

bool hf_private_folder_map(
    const struct hf_private_folder *folder, const char *name, struct hf_file_map *map)
{
    struct stat info;
    int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_mapped = fstat(fd, &info) == 0 && is_own(&info) &&
                     hf_file_map_descriptor(map, fd, name, NULL) == HF_OK;
    /* The time of use; of reading the system keeps it only now and then. */
    if (is_mapped && time(NULL) - info.st_mtime > HOUR_SECONDS)
        (void)futimens(fd, NULL);
    close(fd);
    return is_mapped;
}

static bool write_all(int fd, struct hf_text bytes)
{
    while (bytes.size != 0) {
        ssize_t written = write(fd, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR)
            return false;
        bytes = hf_text_from(bytes, written > 0 ? (size_t)written : 0);
    }
    return true;
}

bool hf_private_folder_put(
    const struct hf_private_folder *folder, const char *name, struct hf_text bytes)
{
    char temporary[NAME_MAX + 1];
    int size = snprintf(temporary, sizeof temporary, TEMPORARY "%d.%s", (int)getpid(), name);
    if (size < 0 || (size_t)size >= sizeof temporary)
        return false;
    int fd = openat(folder->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
        (mode_t)(S_IRUSR | S_IWUSR));
    if (fd < 0)
        return false;
    bool is_written = write_all(fd, bytes);
    is_written = close(fd) == 0 && is_written;
    if (is_written && renameat(folder->fd, temporary, folder->fd, name) == 0)
        return true;
    (void)unlinkat(folder->fd, temporary, 0);
    return false;
}

struct file {
    char *name;
    uint64_t size;
    time_t used;
};

struct listing {
    struct file *files;
    size_t count, capacity;
    uint64_t bytes;
};

static int compare_use(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    if (x->used != y->used)
        return x->used < y->used ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void list(struct listing *l, DIR *entries)
{
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        struct stat info;
        if (fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(info.st_mode))
            continue;
        if (strncmp(entry->d_name, TEMPORARY, strlen(TEMPORARY)) == 0) {
            if (time(NULL) - info.st_mtime > HOUR_SECONDS)
                (void)unlinkat(dirfd(entries), entry->d_name, 0);
            continue;
        }
        char *name = strdup(entry->d_name);
        if (name == NULL ||
            !hf_vec_reserve(&l->files, &l->capacity, l->count + 1, sizeof *l->files)) {
            free(name);
            return;
        }
        l->files[l->count++] = (struct file){name, (uint64_t)info.st_size, info.st_mtime};
        l->bytes += (uint64_t)info.st_size;
    }
}

void hf_private_folder_trim(const struct hf_private_folder *folder, uint64_t most_bytes)
{
    struct listing l = {0};
    int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    if (entries == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    list(&l, entries);
    if (l.count != 0)
        qsort(l.files, l.count, sizeof *l.files, compare_use);
    for (size_t i = 0; i < l.count; i++) {
        if (l.bytes > most_bytes && unlinkat(folder->fd, l.files[i].name, 0) == 0)
            l.bytes -= l.files[i].size;
        free(l.files[i].name);
    }
    free(l.files);
    closedir(entries);
}
