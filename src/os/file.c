#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct hf_file_stamp stamp_from(const struct stat *info)
{
    return (struct hf_file_stamp){
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .size = (uint64_t)info->st_size,
        .modified_ns = (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec,
    };
}

bool hf_file_stamp_of(const char *path, struct hf_file_stamp *out_stamp)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || access(path, R_OK) != 0)
        return false;
    *out_stamp = stamp_from(&info);
    return true;
}

bool hf_file_stamp_equal(const struct hf_file_stamp *a, const struct hf_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified_ns == b->modified_ns;
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
        map->data = data;
        map->size = (size_t)info.st_size;
    }
    map->stamp = stamp_from(&info);
    return HF_OK;
}

enum hf_status hf_file_map_open(struct hf_file_map *map, const char *path, struct hf_error *err)
{
    *map = (struct hf_file_map){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return hf_error_system(err, errno, "cannot open %s", path);
    enum hf_status status = hf_file_map_descriptor(map, fd, path, err);
    close(fd);
    return status;
}

void hf_file_map_close(struct hf_file_map *map)
{
    if (map->data != NULL)
        munmap((void *)(uintptr_t)map->data, map->size);
    *map = (struct hf_file_map){0};
}

bool hf_file_is_readable(const char *path)
{
    struct hf_file_stamp stamp;
    return hf_file_stamp_of(path, &stamp);
}

bool hf_file_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int64_t hf_file_time(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (int64_t)info.st_mtim.tv_sec : 0;
}

bool hf_file_link_target(const char *path, char out_target[PATH_MAX])
{
    ssize_t size = readlink(path, out_target, PATH_MAX - 1);
    if (size < 0)
        return false;
    out_target[size] = '\0';
    return true;
}

/* mkostemp makes the file for its owner alone. The umask can only be read by setting it. */
static void open_to_others(int fd)
{
    mode_t mask = umask(077);
    umask(mask);
    (void)fchmod(fd, 0666 & ~mask); /* a file that only its owner can read is better than none */
}

enum hf_status hf_file_writer_open(
    struct hf_file_writer *writer, const char *path, bool is_private, struct hf_error *err)
{
    *writer = (struct hf_file_writer){.fd = -1};
    if (strcmp(path, "-") == 0) {
        writer->fd = STDOUT_FILENO;
        writer->is_stdout = true;
        return HF_OK;
    }
    writer->path = strdup(path);
    if (writer->path == NULL || asprintf(&writer->temporary, "%s.XXXXXX", path) < 0) {
        writer->temporary = NULL;
        hf_file_writer_close(writer);
        return hf_error_memory(err);
    }
    writer->fd = mkostemp(writer->temporary, O_CLOEXEC);
    if (writer->fd < 0) {
        int reason = errno;
        free(writer->temporary); /* nothing was made: nothing to remove */
        writer->temporary = NULL;
        hf_file_writer_close(writer);
        return hf_error_system(err, reason, "cannot write %s", path);
    }
    if (!is_private)
        open_to_others(writer->fd);
    return HF_OK;
}

static enum hf_status write_all(void *context, const char *data, size_t size, struct hf_error *err)
{
    struct hf_file_writer *writer = context;
    while (size != 0) {
        ssize_t written = write(writer->fd, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return hf_error_system(
                err, errno, "cannot write %s", writer->is_stdout ? "the output" : writer->path);
        data += written;
        size -= (size_t)written;
    }
    return HF_OK;
}

struct hf_out hf_file_writer_out(struct hf_file_writer *writer)
{
    return (struct hf_out){.flush = write_all, .context = writer};
}

enum hf_status hf_file_writer_commit(struct hf_file_writer *writer, struct hf_error *err)
{
    if (writer->is_stdout)
        return HF_OK;
    if (fsync(writer->fd) != 0 || rename(writer->temporary, writer->path) != 0)
        return hf_error_system(err, errno, "cannot write %s", writer->path);
    free(writer->temporary);
    writer->temporary = NULL;
    return HF_OK;
}

enum hf_status hf_file_writer_commit_new(struct hf_file_writer *writer, struct hf_error *err)
{
    if (writer->is_stdout)
        return HF_OK;
    if (fsync(writer->fd) != 0 || link(writer->temporary, writer->path) != 0)
        return hf_error_system(err, errno, "cannot write %s", writer->path);
    return HF_OK;
}

void hf_file_writer_close(struct hf_file_writer *writer)
{
    if (writer->fd >= 0 && !writer->is_stdout)
        close(writer->fd);
    if (writer->temporary != NULL)
        unlink(writer->temporary);
    free(writer->temporary);
    free(writer->path);
    *writer = (struct hf_file_writer){.fd = -1};
}
