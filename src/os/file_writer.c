#include "os/file_writer.h"

#include "os/broker_line.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)1 << 20) /* between two looks for a signal */
#define NAMES_TRIED 100
#define OWN_PATH_MAX 32
#define HIDDEN_MAX 32

#define PRIVATE_MODE ((mode_t)(S_IRUSR | S_IWUSR))
#define COMMON_MODE ((mode_t)(PRIVATE_MODE | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH))
#define KEPT_MODE ((mode_t)(S_IRWXU | S_IRWXG | S_IRWXO))

static enum hf_status file_writer_refuse(
    const struct hf_file_writer *writer, int reason, struct hf_error *err)
{
    return hf_error_system(
        err, reason, "cannot write %s", writer->path != NULL ? writer->path : "the output");
}

static void own_path(int fd, char out_path[OWN_PATH_MAX])
{
    (void)snprintf(out_path, OWN_PATH_MAX, "/proc/self/fd/%d", fd);
}

/* What replaces a file gets that one's mode when it is complete. The umask holds for others. */
static mode_t first_mode(const struct hf_file_writer *writer)
{
    return writer->is_private || writer->place.is_there ? PRIVATE_MODE : COMMON_MODE;
}

/* A file without a name, which can be given one. */
static int open_unnamed(struct hf_file_writer *writer)
{
    char path[OWN_PATH_MAX];
    int folder = writer->place.folder;
    int fd = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, first_mode(writer));
    if (fd >= 0) {
        own_path(fd, path);
        if (access(path, F_OK) == 0)
            return fd;
        close(fd); /* no /proc: no name could be given */
    } else if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) {
        return -1;
    }
    if (faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) != 0)
        return -1;
    writer->is_in_memory = true;
    return memfd_create("heapflame output", MFD_CLOEXEC);
}

/* As it was looked at: it may be another one by now. */
static int open_through(const struct hf_file_place *place)
{
    struct stat info;
    int fd;
    do {
        fd = openat(place->folder, place->name,
            O_WRONLY | O_NOCTTY | O_CLOEXEC | (place->is_link ? 0 : O_NOFOLLOW));
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) == 0 && info.st_dev == place->info.st_dev &&
        info.st_ino == place->info.st_ino)
        return fd;
    close(fd);
    errno = EAGAIN;
    return -1;
}

static enum hf_status file_writer_open_place(struct hf_file_writer *writer, struct hf_error *err)
{
    struct hf_file_place *place = &writer->place;
    bool is_through = place->is_there && !S_ISREG(place->info.st_mode);
    if (place->descriptor >= 0)
        writer->fd = fcntl(place->descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else
        writer->fd = is_through ? open_through(place) : open_unnamed(writer);
    enum hf_status status = writer->fd >= 0 ? HF_OK : file_writer_refuse(writer, errno, err);
    if (is_through)
        hf_file_place_close(place);
    return status;
}

static enum hf_status open_path(struct hf_file_writer *writer, const char *path, bool is_private,
    bool is_new, struct hf_error *err)
{
    *writer = (struct hf_file_writer){
        .fd = -1, .is_private = is_private, .is_new = is_new, .place = {.folder = -1}};
    writer->path = strdup(path);
    enum hf_status status = writer->path != NULL
                                ? hf_file_place_find(&writer->place, path, is_new, err)
                                : hf_error_memory(err);
    if (status == HF_OK)
        status = file_writer_open_place(writer, err);
    if (status != HF_OK)
        hf_file_writer_close(writer);
    return status;
}

/* Of a worker (sandbox.h). The sentence is the broker's. */
static enum hf_status file_writer_ask_broker(const struct hf_broker_question *question,
    const char *path, struct hf_broker_answer *out_answer, struct hf_error *err)
{
    hf_broker_reading(NULL); /* it is understood by now */
    hf_broker_ask(question, out_answer);
    if (out_answer->error == 0)
        return HF_OK;
    return out_answer->size != 0 ? hf_error_set(err, HF_ERR_SYSTEM, "%s", out_answer->text)
                                 : hf_error_system(err, out_answer->error, "cannot write %s", path);
}

static enum hf_status open_by_broker(
    struct hf_file_writer *writer, const char *path, uint32_t flags, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_BROKER_OUTPUT_OPEN, .flags = flags, .first = hf_text_of(path), .fd = -1};
    enum hf_status status = file_writer_ask_broker(&question, path, &answer, err);
    if (status != HF_OK)
        return status;
    *writer = (struct hf_file_writer){.fd = answer.fd,
        .path = strdup(path),
        .place = {.folder = -1},
        .is_brokers = true,
        .is_through = answer.flags != 0,
        .number = answer.number};
    if (writer->path != NULL)
        return HF_OK;
    hf_file_writer_close(writer);
    return hf_error_memory(err);
}

static enum hf_status commit_by_broker(const struct hf_file_writer *writer, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_BROKER_OUTPUT_COMMIT, .number = writer->number, .fd = -1};
    return file_writer_ask_broker(&question, writer->path, &answer, err);
}

static void close_by_broker(const struct hf_file_writer *writer)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_BROKER_OUTPUT_CLOSE, .number = writer->number, .fd = -1};
    hf_broker_ask(&question, &answer);
}

enum hf_status hf_file_writer_open(
    struct hf_file_writer *writer, const char *path, bool is_private, struct hf_error *err)
{
    if (strcmp(path, "-") != 0)
        return hf_broker_is_there()
                   ? open_by_broker(writer, path, is_private ? HF_BROKER_IS_PRIVATE : 0, err)
                   : open_path(writer, path, is_private, false, err);
    *writer = (struct hf_file_writer){.fd = STDOUT_FILENO, .place = {.folder = -1}};
    return HF_OK;
}

enum hf_status hf_file_writer_open_new(
    struct hf_file_writer *writer, const char *path, struct hf_error *err)
{
    return hf_broker_is_there()
               ? open_by_broker(writer, path, HF_BROKER_IS_PRIVATE | HF_BROKER_IS_NEW, err)
               : open_path(writer, path, true, true, err);
}

static enum hf_status file_writer_write_all(
    void *context, const char *data, size_t size, struct hf_error *err)
{
    const struct hf_file_writer *writer = context;
    if (writer->fd == STDOUT_FILENO || writer->is_through)
        hf_broker_trace()->has_output = true;
    while (size != 0) {
        ssize_t written = write(writer->fd, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return file_writer_refuse(writer, errno, err);
        data += written;
        size -= (size_t)written;
    }
    return HF_OK;
}

struct hf_out hf_file_writer_out(struct hf_file_writer *writer)
{
    return (struct hf_out){.flush = file_writer_write_all, .context = writer};
}

/* A signal waits that would end the process now, were it not held up. */
static bool is_told_to_end(const sigset_t *blocked_before)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t waiting;
    if (sigpending(&waiting) != 0)
        return false;
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        if (sigismember(&waiting, ending[i]) == 1 && sigismember(blocked_before, ending[i]) == 0)
            return true;
    }
    return false;
}

static bool file_writer_copy(
    const struct hf_file_writer *writer, int to, const sigset_t *blocked_before)
{
    off_t at = 0;
    ssize_t copied;
    do {
        copied = sendfile(to, writer->fd, &at, COPY_BYTES);
        if (is_told_to_end(blocked_before)) {
            errno = EINTR;
            return false;
        }
    } while (copied > 0);
    return copied == 0 && fsync(to) == 0;
}

/* An owner that cannot be kept is no reason to lose the file; nor to show it to another group. */
static bool take_over(int fd, const struct stat *before)
{
    mode_t mode = before->st_mode & KEPT_MODE;
    struct stat info;
    if (fstat(fd, &info) != 0)
        return false;
    if ((info.st_uid != before->st_uid || info.st_gid != before->st_gid) &&
        fchown(fd, before->st_uid, before->st_gid) != 0 && info.st_gid != before->st_gid &&
        fchown(fd, (uid_t)-1, before->st_gid) != 0)
        mode &= ~(mode_t)S_IRWXG;
    return fchmod(fd, mode) == 0;
}

/* Gives the finished file a name that is not in use. */
static bool name_it(
    const struct hf_file_writer *writer, const char *name, const sigset_t *blocked_before)
{
    char path[OWN_PATH_MAX];
    int folder = writer->place.folder;
    if (!writer->is_in_memory) {
        own_path(writer->fd, path);
        return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) == 0;
    }
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(writer));
    if (fd < 0)
        return false;
    bool is_done = file_writer_copy(writer, fd, blocked_before) &&
                   (!writer->place.is_there || take_over(fd, &writer->place.info));
    int reason = errno;
    if (close(fd) != 0 && is_done) {
        reason = errno;
        is_done = false;
    }
    if (!is_done)
        (void)unlinkat(folder, name, 0);
    errno = reason;
    return is_done;
}

static bool name_hidden(
    const struct hf_file_writer *writer, char out_name[HIDDEN_MAX], const sigset_t *blocked_before)
{
    for (unsigned i = 0; i < NAMES_TRIED; i++) {
        unsigned number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            return false;
        (void)snprintf(out_name, HIDDEN_MAX, ".heapflame-%08x", number);
        if (name_it(writer, out_name, blocked_before))
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static bool put_in_place(const struct hf_file_writer *writer, const sigset_t *blocked_before)
{
    char hidden[HIDDEN_MAX];
    struct stat now;
    const char *name = writer->place.name;
    int folder = writer->place.folder;
    if (!writer->place.is_there && !writer->is_in_memory) {
        if (name_it(writer, name, blocked_before))
            return true;
        if (errno != EEXIST || writer->is_new)
            return false;
    }
    /* It may have become a FIFO meanwhile, say. */
    if (!writer->is_new && fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
        !S_ISREG(now.st_mode)) {
        errno = EEXIST;
        return false;
    }
    if (!name_hidden(writer, hidden, blocked_before))
        return false;
    bool is_there = writer->is_new ? linkat(folder, hidden, folder, name, 0) == 0
                                   : renameat(folder, hidden, folder, name) == 0;
    int reason = errno;
    if (!is_there || writer->is_new)
        (void)unlinkat(folder, hidden, 0);
    errno = reason;
    return is_there;
}

/* A failed close tells, of files of the network, that the bytes did not get there. */
static enum hf_status end_through(struct hf_file_writer *writer, struct hf_error *err)
{
    int fd = writer->fd;
    if (fd == STDOUT_FILENO)
        return HF_OK;
    writer->fd = -1;
    return close(fd) == 0 ? HF_OK : file_writer_refuse(writer, errno, err);
}

enum hf_status hf_file_writer_commit(struct hf_file_writer *writer, struct hf_error *err)
{
    sigset_t all, before;
    if (writer->is_brokers)
        return commit_by_broker(writer, err);
    if (writer->place.folder < 0)
        return end_through(writer, err);
    if (!writer->is_in_memory &&
        ((writer->place.is_there && !take_over(writer->fd, &writer->place.info)) ||
            fsync(writer->fd) != 0))
        return file_writer_refuse(writer, errno, err);
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_done = put_in_place(writer, &before);
    int reason = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_done ? HF_OK : file_writer_refuse(writer, reason, err);
}

void hf_file_writer_close(struct hf_file_writer *writer)
{
    if (writer->fd >= 0 && writer->fd != STDOUT_FILENO)
        close(writer->fd);
    hf_file_place_close(&writer->place);
    if (writer->is_brokers)
        close_by_broker(writer);
    free(writer->path);
    *writer = (struct hf_file_writer){.fd = -1, .place = {.folder = -1}};
}
