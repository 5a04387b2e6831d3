#include "os/path.h"

#include "base/containers/vec.h"
#include "os/broker_line.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* False, with errno, if the answer is no. */
static bool path_ask(
    uint32_t kind, const char *path, uint32_t flags, struct hf_broker_answer *out_answer)
{
    const struct hf_broker_question question = {
        .kind = kind, .flags = flags, .first = hf_text_of(path), .fd = -1};
    hf_broker_ask(&question, out_answer);
    errno = out_answer->error;
    return out_answer->error == 0;
}

static bool take_text(const struct hf_broker_answer *answer, char out[PATH_MAX])
{
    if (answer->size >= PATH_MAX)
        return false;
    memcpy(out, answer->text, answer->size + 1);
    return true;
}

int hf_path_open(const char *path, int flags)
{
    struct hf_broker_answer answer;
    if (!hf_broker_is_there())
        return open(path, flags | O_RDONLY | O_CLOEXEC);
    if (!path_ask(HF_BROKER_OPEN, path, (uint32_t)flags, &answer))
        return -1;
    if (answer.fd < 0)
        errno = EMFILE; /* it came, and there was no room for it */
    return answer.fd;
}

bool hf_path_stat(const char *path, int mode, struct stat *out_info)
{
    struct hf_broker_answer answer;
    if (!hf_broker_is_there())
        return stat(path, out_info) == 0 &&
               (mode == 0 || faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0);
    if (!path_ask(HF_BROKER_STAT, path, (uint32_t)mode, &answer))
        return false;
    *out_info = answer.info;
    return true;
}

bool hf_path_exists(const char *path)
{
    struct stat info;
    return hf_path_stat(path, 0, &info);
}

bool hf_path_link(const char *path, char out_target[PATH_MAX])
{
    struct hf_broker_answer answer;
    if (hf_broker_is_there())
        return path_ask(HF_BROKER_LINK, path, 0, &answer) && take_text(&answer, out_target);
    ssize_t size = readlink(path, out_target, PATH_MAX - 1);
    if (size < 0)
        return false;
    out_target[size] = '\0';
    return true;
}

bool hf_path_real(const char *path, char out_real[PATH_MAX])
{
    struct hf_broker_answer answer;
    if (hf_broker_is_there())
        return path_ask(HF_BROKER_REAL, path, 0, &answer) && take_text(&answer, out_real);
    return realpath(path, out_real) != NULL;
}

static int path_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool path_add_name(struct hf_folder_names *names, size_t *capacity, const char *name)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return true;
    if (!hf_vec_reserve(&names->items, capacity, names->count + 1, sizeof *names->items))
        return false;
    names->items[names->count] = strdup(name);
    return names->items[names->count] != NULL && ++names->count != 0;
}

bool hf_folder_names_read(struct hf_folder_names *names, int folder)
{
    size_t capacity = 0;
    *names = (struct hf_folder_names){0};
    int copy = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    if (entries == NULL) {
        if (copy >= 0)
            close(copy);
        return false;
    }
    rewinddir(entries);
    const struct dirent *entry;
    bool is_whole = true;
    while (is_whole && (entry = readdir(entries)) != NULL)
        is_whole = path_add_name(names, &capacity, entry->d_name);
    closedir(entries);
    if (names->count != 0)
        qsort(names->items, names->count, sizeof *names->items, path_compare);
    if (!is_whole)
        hf_folder_names_done(names);
    return is_whole;
}

void hf_folder_names_done(struct hf_folder_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct hf_folder_names){0};
}

bool hf_path_format(char out_path[PATH_MAX], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int needed = vsnprintf(out_path, PATH_MAX, format, args);
    va_end(args);
    return needed >= 0 && needed < PATH_MAX;
}

struct hf_text hf_path_before_moment(struct hf_text name, struct hf_text *out_moment)
{
    size_t at = hf_text_find_last(name, '@');
    *out_moment = hf_text_from(name, at + 1);
    if (at != 0 && (hf_text_is(*out_moment, "start") || hf_text_is(*out_moment, "peak") ||
                       hf_text_is(*out_moment, "end")))
        return hf_text_first(name, at);
    *out_moment = (struct hf_text){0};
    return name;
}
