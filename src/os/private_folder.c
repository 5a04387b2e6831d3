#include "os/private_folder.h"

#include "base/containers/vec.h"
#include "os/broker_line.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Makes so many folders of the path, from the last one upward. */
static bool make_folder(const char *path, unsigned levels)
{
    char parent[PATH_MAX];
    struct stat info;
    int size = snprintf(parent, sizeof parent, "%s", path);
    if (size < 0 || (size_t)size >= sizeof parent)
        return false;
    const char *above = dirname(parent);
    if (levels > 1 && stat(above, &info) != 0 && !make_folder(above, levels - 1))
        return false;
    if (stat(above, &info) != 0 || (info.st_uid != geteuid() && info.st_uid != 0))
        return false;
    return mkdir(path, S_IRWXU) == 0 || errno == EEXIST;
}

static bool private_folder_ask_broker(uint32_t kind, const char *path, const char *name,
    uint64_t number, int fd, struct hf_broker_answer *out_answer)
{
    const struct hf_broker_question question = {
        .kind = kind,
        .flags = (uint32_t)number,
        .number = number,
        .first = hf_text_of(path),
        .second = hf_text_of(name),
        .fd = fd,
    };
    hf_broker_ask(&question, out_answer);
    return out_answer->error == 0;
}

bool hf_private_folder_open(struct hf_private_folder *folder, const char *path, unsigned makes)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat info;
    struct hf_broker_answer answer;
    *folder = (struct hf_private_folder){.fd = -1};
    if (hf_broker_is_there()) {
        folder->path = private_folder_ask_broker(HF_BROKER_KEEP_OPEN, path, "", makes, -1, &answer)
                           ? strdup(path)
                           : NULL;
        return folder->path != NULL;
    }
    folder->fd = open(path, flags);
    if (folder->fd < 0 && errno == ENOENT && makes != 0 && make_folder(path, makes))
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
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder->path);
    *folder = (struct hf_private_folder){.fd = -1};
}

int hf_private_folder_find(const struct hf_private_folder *folder, const char *name)
{
    struct stat info;
    struct hf_broker_answer answer;
    if (folder->path != NULL)
        return private_folder_ask_broker(HF_BROKER_KEEP_MAP, folder->path, name, 0, -1, &answer)
                   ? answer.fd
                   : -1;
    int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -1;
    bool is_usable = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && is_own(&info);
    if (!is_usable) {
        close(fd);
        return -1;
    }
    /* The time of use; of reading the system keeps it only now and then. */
    if (time(NULL) - info.st_mtime > HOUR_SECONDS)
        (void)futimens(fd, NULL);
    return fd;
}

bool hf_private_folder_map(
    const struct hf_private_folder *folder, const char *name, struct hf_file_map *map)
{
    int fd = hf_private_folder_find(folder, name);
    if (fd < 0)
        return false;
    bool is_mapped = hf_file_map_descriptor(map, fd, name, NULL) == HF_OK;
    close(fd);
    return is_mapped;
}

static bool private_folder_write_all(int fd, struct hf_text bytes)
{
    while (bytes.size != 0) {
        ssize_t written = write(fd, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR)
            return false;
        bytes = hf_text_from(bytes, written > 0 ? (size_t)written : 0);
    }
    return true;
}

static bool put_by_broker(
    const struct hf_private_folder *folder, const char *name, struct hf_text bytes)
{
    struct hf_broker_answer answer;
    int fd = memfd_create("entry", MFD_CLOEXEC);
    bool is_put = fd >= 0 && private_folder_write_all(fd, bytes) &&
                  private_folder_ask_broker(HF_BROKER_KEEP_PUT, folder->path, name, 0, fd, &answer);
    if (fd >= 0)
        close(fd);
    return is_put;
}

bool hf_private_folder_put(
    const struct hf_private_folder *folder, const char *name, struct hf_text bytes)
{
    if (folder->path != NULL)
        return put_by_broker(folder, name, bytes);
    char temporary[NAME_MAX + 1];
    int size = snprintf(temporary, sizeof temporary, TEMPORARY "%d.%s", (int)getpid(), name);
    if (size < 0 || (size_t)size >= sizeof temporary)
        return false;
    int fd = openat(folder->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
        (mode_t)(S_IRUSR | S_IWUSR));
    if (fd < 0)
        return false;
    bool is_written = private_folder_write_all(fd, bytes);
    is_written = close(fd) == 0 && is_written;
    if (is_written && renameat(folder->fd, temporary, folder->fd, name) == 0)
        return true;
    (void)unlinkat(folder->fd, temporary, 0);
    return false;
}

struct private_folder_file {
    char *name;
    uint64_t size;
    time_t used;
};

struct private_folder_listing {
    struct private_folder_file *files;
    size_t count, capacity;
    uint64_t bytes;
};

static int compare_use(const void *a, const void *b)
{
    const struct private_folder_file *x = a, *y = b;
    if (x->used != y->used)
        return x->used < y->used ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void private_folder_list(struct private_folder_listing *l, DIR *entries)
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
        l->files[l->count++] =
            (struct private_folder_file){name, (uint64_t)info.st_size, info.st_mtime};
        l->bytes += (uint64_t)info.st_size;
    }
}

void hf_private_folder_trim(const struct hf_private_folder *folder, uint64_t most_bytes)
{
    struct private_folder_listing l = {0};
    struct hf_broker_answer answer;
    if (folder->path != NULL) {
        (void)private_folder_ask_broker(
            HF_BROKER_KEEP_TRIM, folder->path, "", most_bytes, -1, &answer);
        return;
    }
    int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    if (entries == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    private_folder_list(&l, entries);
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
