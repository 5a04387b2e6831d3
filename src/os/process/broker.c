#include "os/process/broker.h"

#include "base/strings/num.h"
#include "os/path.h"
#include "os/path_look.h"
#include "os/private_folder.h"
#include "os/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC_MAX 8u
#define SEEN_FLAGS (O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_DIRECTORY)

static bool ends_with(struct hf_text text, struct hf_text end)
{
    return end.size <= text.size && hf_text_equal(hf_text_from(text, text.size - end.size), end);
}

/* A word of the command line is the whole path, or "--option=PATH", "-oPATH", "@PATH". */
static bool word_names(struct hf_text word, struct hf_text path)
{
    if (!ends_with(word, path))
        return false;
    struct hf_text before = hf_text_first(word, word.size - path.size);
    bool is_short = before.size == 2 && before.data[0] == '-' && before.data[1] != '-';
    return before.size == 0 || is_short || hf_text_is(before, "@") ||
           (hf_text_starts(before, "--") && hf_text_ends(before, "="));
}

static bool broker_is_named(const struct hf_broker *broker, struct hf_text path)
{
    for (const char *const *word = broker->rules->words; *word != NULL && path.size != 0; word++) {
        struct hf_text moment, text = hf_text_of(*word);
        if (word_names(text, path) || word_names(hf_path_before_moment(text, &moment), path))
            return true;
    }
    return false;
}

static bool climbs(struct hf_text path)
{
    return hf_text_has(path, "/../") || hf_text_ends(path, "/..") || hf_text_starts(path, "../");
}

/* In a folder that is named, or deeper. */
static bool is_below_named(const struct hf_broker *broker, struct hf_text path)
{
    if (climbs(path))
        return false;
    for (size_t slash = hf_text_find_last(path, '/'); slash != path.size && slash != 0;
         slash = hf_text_find_last(path, '/')) {
        if (broker_is_named(broker, hf_text_first(path, slash)) ||
            broker_is_named(broker, hf_text_first(path, slash + 1)))
            return true;
        path = hf_text_first(path, slash);
    }
    return false;
}

/* What /proc has of a process whose number is named; not what it can reach. */
static bool is_of_named_process(const struct hf_broker *broker, struct hf_text path)
{
    if (!hf_text_take(&path, "/proc/") || climbs(path))
        return false;
    struct hf_text number = hf_text_first(path, hf_text_find(path, '/'));
    struct hf_text rest = hf_text_from(path, number.size + 1);
    uint64_t pid;
    return hf_num_u64(number, &pid) && pid != (uint64_t)getpid() &&
           broker_is_named(broker, number) && !hf_text_starts(rest, "root/") &&
           !hf_text_starts(rest, "cwd/") && !hf_text_starts(rest, "fd/");
}

/* "/tmp/perf-4711.map" or "jit-4711.dump", which their owner may keep to itself. */
static bool has_names_of_jit(struct hf_text path)
{
    uint64_t pid;
    struct hf_text name = hf_text_basename(path);
    bool is_map = hf_text_take(&name, "perf-");
    return (is_map || hf_text_take(&name, "jit-")) && hf_num_take_u64(&name, &pid) &&
           hf_text_is(name, is_map ? ".map" : ".dump");
}

/* Live tables and marks, which are private to who made them. */
static bool is_beside_tables(struct hf_text path)
{
    struct hf_text folder = hf_text_first(path, hf_text_find_last(path, '/'));
    return hf_text_starts(hf_text_basename(folder), "heapflame-");
}

static bool broker_has_magic(const struct hf_broker *broker, int fd)
{
    char head[MAGIC_MAX];
    ssize_t got = pread(fd, head, sizeof head, 0);
    for (const char *const *magic = broker->rules->magics; *magic != NULL; magic++) {
        size_t size = strlen(*magic);
        if (got >= (ssize_t)size && memcmp(head, *magic, size) == 0)
            return true;
    }
    return false;
}

static bool is_refused(const struct hf_broker *broker, const char *path)
{
    for (size_t i = 0; i < broker->refused_count; i++) {
        if (strcmp(broker->refused[i].path, path) == 0)
            return true;
    }
    return false;
}

/* The same by another path: a process has its files mapped, and in folders. */
static void take_back_refused(const struct hf_broker *broker, struct hf_broker_answer *answer)
{
    struct stat info;
    if (answer->fd < 0 || broker->refused_count == 0 || fstat(answer->fd, &info) != 0)
        return;
    for (size_t i = 0; i < broker->refused_count; i++) {
        if (broker->refused[i].inode != info.st_ino || broker->refused[i].device != info.st_dev)
            continue;
        close(answer->fd);
        answer->fd = -1;
        answer->error = EIO;
        return;
    }
}

/* By the place that links led to, not by the one that was asked for. */
static bool has_known_place(const struct hf_broker *broker, int fd)
{
    char link[64], place[PATH_MAX];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return hf_path_link(link, place) &&
           (has_names_of_jit(hf_text_of(place)) ||
               (broker->rules->gives_tables && is_beside_tables(hf_text_of(place))));
}

/* By the rules, of a file that is open. */
static bool may_have(const struct hf_broker *broker, const char *path, int fd)
{
    struct stat info;
    struct hf_text text = hf_text_of(path);
    return broker_is_named(broker, text) ||
           (fstat(fd, &info) == 0 && (info.st_mode & S_IROTH) != 0) ||
           is_below_named(broker, text) || is_of_named_process(broker, text) ||
           broker_has_magic(broker, fd) || has_known_place(broker, fd);
}

/* What is no folder and no regular file is not touched. */
static int open_looked_at(const struct hf_broker *broker, const char *path, int flags)
{
    struct hf_path_look look;
    enum hf_path_look_links links =
        (flags & O_NOFOLLOW) != 0 ? HF_PATH_LOOK_REFUSES_LINKS : HF_PATH_LOOK_FOLLOWS_LINKS;
    int fd = -1;
    if (hf_path_look_at(&look, path, links, NULL) != HF_OK)
        return -1;
    bool is_folder = S_ISDIR(look.info.st_mode) && (flags & O_DIRECTORY) != 0;
    errno = EACCES;
    if (is_folder || S_ISREG(look.info.st_mode))
        fd = hf_path_look_open(&look, path);
    hf_path_look_done(&look);
    if (fd < 0 || is_folder || may_have(broker, path, fd))
        return fd;
    close(fd);
    errno = EACCES;
    return -1;
}

static void broker_open_any(const struct hf_broker *broker, const char *path, uint32_t flags,
    struct hf_broker_answer *answer)
{
    int allowed = (int)flags & SEEN_FLAGS;
    errno = EACCES;
    answer->fd = broker_is_named(broker, hf_text_of(path))
                     ? open(path, O_RDONLY | O_CLOEXEC | allowed)
                     : open_looked_at(broker, path, allowed);
    answer->error = answer->fd < 0 ? errno : 0;
}

static void broker_put_text(struct hf_broker_answer *answer, const char *text)
{
    answer->size = strlen(text);
    if (answer->size >= sizeof answer->text)
        answer->size = sizeof answer->text - 1;
    memcpy(answer->text, text, answer->size);
}

/* The sentence goes to the worker, which adds where it happened. */
static void broker_put_error(struct hf_broker_answer *answer, const struct hf_error *error)
{
    answer->error = EIO;
    broker_put_text(answer, error->text);
}

static void broker_open_file(const struct hf_broker *broker, const char *path, uint32_t flags,
    struct hf_broker_answer *answer)
{
    struct hf_error error;
    enum hf_status status = flags != 0 ? hf_file_open_regular_itself(path, &answer->fd, &error)
                                       : hf_file_open_regular(path, &answer->fd, &error);
    if (status != HF_OK) {
        broker_put_error(answer, &error);
        return;
    }
    if (may_have(broker, path, answer->fd))
        return;
    close(answer->fd);
    answer->fd = -1;
    answer->error = EACCES;
}

static void put_stamp(const char *path, struct hf_broker_answer *answer)
{
    struct hf_file_stamp stamp;
    answer->error = ENOENT;
    if (!hf_file_stamp_of(path, &stamp))
        return;
    answer->error = 0;
    answer->size = sizeof stamp;
    memcpy(answer->text, &stamp, sizeof stamp);
}

static void broker_look_at(const char *path, uint32_t mode, struct hf_broker_answer *answer)
{
    answer->error = hf_path_stat(path, (int)mode, &answer->info) ? 0 : errno;
}

static void find_path(uint32_t kind, const char *path, struct hf_broker_answer *answer)
{
    char found[PATH_MAX];
    bool is_there = kind == HF_BROKER_LINK ? hf_path_link(path, found) : hf_path_real(path, found);
    answer->error = is_there ? 0 : errno;
    if (is_there)
        broker_put_text(answer, found);
}

static bool is_output(const struct hf_broker *broker, struct hf_text path)
{
    for (const char *const *name = broker->rules->outputs; *name != NULL; name++) {
        if (hf_text_is(path, *name))
            return true;
    }
    return false;
}

static void broker_open_output(struct hf_broker *broker, const struct hf_broker_question *question,
    struct hf_broker_answer *answer)
{
    size_t i = 0;
    struct hf_error error;
    while (i < HF_BROKER_OUTPUTS_MAX && broker->is_open[i])
        i++;
    answer->error = EACCES;
    if (i == HF_BROKER_OUTPUTS_MAX || !is_output(broker, question->first))
        return;
    answer->error = 0;
    answer->number = i;
    enum hf_status status =
        (question->flags & HF_BROKER_IS_NEW) != 0
            ? hf_file_writer_open_new(&broker->outputs[i], question->first.data, &error)
            : hf_file_writer_open(&broker->outputs[i], question->first.data,
                  (question->flags & HF_BROKER_IS_PRIVATE) != 0, &error);
    broker->is_open[i] = status == HF_OK;
    if (!broker->is_open[i]) {
        broker_put_error(answer, &error);
        return;
    }
    answer->flags = broker->outputs[i].place.folder < 0;
    answer->fd = fcntl(broker->outputs[i].fd, F_DUPFD_CLOEXEC, 0);
}

static void end_output(struct hf_broker *broker, const struct hf_broker_question *question,
    struct hf_broker_answer *answer)
{
    struct hf_error error;
    if (question->number >= HF_BROKER_OUTPUTS_MAX || !broker->is_open[question->number]) {
        answer->error = EBADF;
        return;
    }
    struct hf_file_writer *writer = &broker->outputs[question->number];
    enum hf_status status = HF_OK;
    if (question->kind == HF_BROKER_OUTPUT_COMMIT)
        status = hf_file_writer_commit(writer, &error);
    if (status != HF_OK)
        broker_put_error(answer, &error);
    if (question->kind == HF_BROKER_OUTPUT_CLOSE) {
        hf_file_writer_close(writer);
        broker->is_open[question->number] = false;
    }
}

void hf_broker_abandon_outputs(struct hf_broker *broker)
{
    for (size_t i = 0; i < HF_BROKER_OUTPUTS_MAX; i++) {
        if (broker->is_open[i])
            hf_file_writer_close(&broker->outputs[i]);
        broker->is_open[i] = false;
    }
}

/* One of the folders that are listed, or a folder in it; else -1. */
static int folder_of(const struct hf_broker *broker, struct hf_text path)
{
    for (int i = 0; i < HF_BROKER_FOLDERS_MAX; i++) {
        const char *folder = broker->rules->folders[i].path;
        struct hf_text rest = path;
        if (folder != NULL && hf_text_take(&rest, folder) && !climbs(path) &&
            (rest.size == 0 || (rest.data[0] == '/' && hf_text_find_last(rest, '/') == 0)))
            return i;
    }
    return -1;
}

/* All the bytes, which nobody else can change any more: free with free(). */
static bool copy_of(int fd, struct hf_text *out_bytes)
{
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < 0)
        return false;
    size_t size = (size_t)info.st_size, done = 0;
    char *bytes = malloc(size + 1);
    while (bytes != NULL && done != size) {
        ssize_t got = pread(fd, bytes + done, size - done, (off_t)done);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    *out_bytes = (struct hf_text){bytes, done};
    if (bytes == NULL || done == size)
        return bytes != NULL;
    free(bytes);
    return false;
}

static bool put_entry(const struct hf_private_folder *folder,
    bool (*is_entry)(struct hf_text name, struct hf_text bytes), struct hf_text name, int fd)
{
    struct hf_text bytes;
    if (name.size == 0 || name.data[0] == '.' || hf_text_find(name, '/') != name.size ||
        !copy_of(fd, &bytes))
        return false;
    bool is_put = is_entry(name, bytes) && hf_private_folder_put(folder, name.data, bytes);
    free((char *)(uintptr_t)bytes.data);
    return is_put;
}

static void broker_keep(const struct hf_broker *broker, const struct hf_broker_question *question,
    struct hf_broker_answer *answer)
{
    struct hf_private_folder folder;
    int listed = folder_of(broker, question->first);
    answer->error = EACCES;
    unsigned makes = question->kind == HF_BROKER_KEEP_PUT    ? 1
                     : question->kind == HF_BROKER_KEEP_OPEN ? question->flags
                                                             : 0;
    if (listed < 0 || !hf_private_folder_open(&folder, question->first.data, makes))
        return;
    bool is_done = true;
    if (question->kind == HF_BROKER_KEEP_MAP) {
        answer->fd = hf_private_folder_find(&folder, question->second.data);
        is_done = answer->fd >= 0;
    } else if (question->kind == HF_BROKER_KEEP_PUT) {
        is_done = put_entry(
            &folder, broker->rules->folders[listed].is_entry, question->second, question->fd);
    } else if (question->kind == HF_BROKER_KEEP_TRIM) {
        hf_private_folder_trim(&folder, question->number);
    }
    answer->error = is_done ? 0 : EACCES;
    hf_private_folder_close(&folder);
}

static void broker_draw(const struct hf_broker *broker, int input, struct hf_broker_answer *answer)
{
    struct hf_error error;
    answer->error = EACCES;
    if (broker->rules->drawing == NULL || input < 0)
        return;
    enum hf_status status =
        hf_process_run_files(broker->rules->drawing, true, input, &answer->fd, &error);
    answer->error = 0;
    if (status != HF_OK)
        broker_put_error(answer, &error);
}

static bool is_path(struct hf_text text)
{
    return text.size < PATH_MAX && text.size == strlen(text.data);
}

static void answer_question(struct hf_broker *broker, const struct hf_broker_question *question,
    struct hf_broker_answer *answer)
{
    const char *path = question->first.data;
    answer->error = EINVAL;
    if (question->kind < HF_BROKER_SERVICES &&
        (!is_path(question->first) || !is_path(question->second)))
        return;
    answer->error = 0;
    if ((question->kind == HF_BROKER_OPEN || question->kind == HF_BROKER_FILE) &&
        is_refused(broker, path)) {
        answer->error = EIO;
        return;
    }
    switch (question->kind) {
    case HF_BROKER_OPEN:
        broker_open_any(broker, path, question->flags, answer);
        take_back_refused(broker, answer);
        break;
    case HF_BROKER_FILE:
        broker_open_file(broker, path, question->flags, answer);
        take_back_refused(broker, answer);
        break;
    case HF_BROKER_STAMP: put_stamp(path, answer); break;
    case HF_BROKER_STAT: broker_look_at(path, question->flags, answer); break;
    case HF_BROKER_LINK:
    case HF_BROKER_REAL: find_path(question->kind, path, answer); break;
    case HF_BROKER_OUTPUT_OPEN: broker_open_output(broker, question, answer); break;
    case HF_BROKER_OUTPUT_COMMIT:
    case HF_BROKER_OUTPUT_CLOSE: end_output(broker, question, answer); break;
    case HF_BROKER_KEEP_OPEN:
    case HF_BROKER_KEEP_MAP:
    case HF_BROKER_KEEP_PUT:
    case HF_BROKER_KEEP_TRIM: broker_keep(broker, question, answer); break;
    case HF_BROKER_DRAW: broker_draw(broker, question->fd, answer); break;
    case HF_BROKER_NEXT: answer->error = ENOSYS; break;
    default:
        if (broker->rules->service != NULL)
            broker->rules->service(broker->rules->service_context, question, answer);
        else
            answer->error = ENOSYS;
    }
}

/* A FIFO that nobody writes to, a server, a program. */
static bool may_take_long(const struct hf_broker *broker, const struct hf_broker_question *question)
{
    return question->kind >= HF_BROKER_SERVICES || question->kind == HF_BROKER_DRAW ||
           question->kind == HF_BROKER_OUTPUT_OPEN ||
           (question->kind == HF_BROKER_OPEN && broker_is_named(broker, question->first));
}

/* What would end the command ends it then, too, and the worker with it. */
static void answer_impatiently(struct hf_broker *broker, const struct hf_broker_question *question,
    struct hf_broker_answer *answer)
{
    sigset_t before;
    (void)pthread_sigmask(SIG_SETMASK, broker->impatient, &before);
    answer_question(broker, question, answer);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* But for the text, of which `size` bytes count. */
void hf_broker_answer_clear(struct hf_broker_answer *answer)
{
    answer->error = 0;
    answer->flags = 0;
    answer->number = 0;
    answer->fd = -1;
    answer->size = 0;
    memset(&answer->info, 0, sizeof answer->info);
}

bool hf_broker_answer(struct hf_broker *broker, int fd, const struct hf_broker_question *question)
{
    struct hf_broker_answer answer;
    hf_broker_answer_clear(&answer);
    if (broker->impatient != NULL && may_take_long(broker, question))
        answer_impatiently(broker, question, &answer);
    else
        answer_question(broker, question, &answer);
    bool is_told = hf_broker_tell(fd, &answer);
    if (question->fd >= 0)
        close(question->fd);
    if (answer.fd >= 0)
        close(answer.fd);
    return is_told;
}

bool hf_broker_answer_one(struct hf_broker *broker, int fd)
{
    char texts[HF_BROKER_TEXT_MAX + 2];
    struct hf_broker_question question;
    if (!hf_broker_hear(fd, texts, &question))
        return false;
    question.asker = broker->worker;
    return hf_broker_answer(broker, fd, &question);
}

void hf_broker_init(struct hf_broker *broker, const struct hf_broker_rules *rules)
{
    *broker = (struct hf_broker){.rules = rules};
}

bool hf_broker_is_operand(const struct hf_broker *broker, const char *path)
{
    return broker_is_named(broker, hf_text_of(path)) || is_below_named(broker, hf_text_of(path));
}

bool hf_broker_refuse(struct hf_broker *broker, const char *path)
{
    if (is_refused(broker, path) || broker->refused_count == HF_BROKER_REFUSED_MAX)
        return false;
    struct stat info;
    char *copy = strdup(path);
    if (copy == NULL)
        return false;
    bool is_known = hf_path_stat(path, 0, &info);
    broker->refused[broker->refused_count].path = copy;
    broker->refused[broker->refused_count].device = is_known ? info.st_dev : 0;
    broker->refused[broker->refused_count++].inode = is_known ? info.st_ino : 0;
    return true;
}

void hf_broker_done(struct hf_broker *broker)
{
    hf_broker_abandon_outputs(broker);
    for (size_t i = 0; i < broker->refused_count; i++)
        free(broker->refused[i].path);
    broker->refused_count = 0;
}
