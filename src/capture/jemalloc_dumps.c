#include "capture/jemalloc_dumps.h"

#include "base/strings/num.h"
#include "os/file.h"
#include "os/path.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#define PREFIX "heap"

enum hf_status hf_jemalloc_dumps_open(
    struct hf_jemalloc_dumps *dumps, const char *place, struct hf_error *err)
{
    char path[PATH_MAX];
    dumps->folder_changes.fd = -1;
    if (!hf_path_format(path, "%s/heapflame-jemalloc-XXXXXX", place))
        return hf_error_set(err, HF_ERR_USAGE, "the path of the folder is too long: %s", place);
    if (mkdtemp(path) == NULL)
        return hf_error_system(err, errno, "cannot make a folder in %s", place);
    if (realpath(path, dumps->folder) == NULL) /* the program may change its directory */
        return hf_error_system(err, errno, "cannot find %s", path);
    if (strchr(dumps->folder, ',') != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected a path without a comma, as a setting of jemalloc, found '%s'", dumps->folder);
    dumps->folder_changes.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (dumps->folder_changes.fd < 0 ||
        inotify_add_watch(dumps->folder_changes.fd, dumps->folder, IN_CLOSE_WRITE) < 0)
        return hf_error_system(err, errno, "cannot watch %s", dumps->folder);
    return HF_OK;
}

void hf_jemalloc_dumps_close(struct hf_jemalloc_dumps *dumps)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *folder = dumps->folder[0] != '\0' ? opendir(dumps->folder) : NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (hf_path_format(path, "%s/%s", dumps->folder, entry->d_name))
            (void)unlink(path); /* not "." and "..", which are folders */
    }
    if (folder != NULL) {
        closedir(folder);
        (void)rmdir(dumps->folder);
    }
    if (dumps->folder_changes.fd >= 0)
        close(dumps->folder_changes.fd);
    hf_dump_keeper_done(&dumps->keeper);
}

static unsigned jemalloc_dumps_log2_of(uint64_t bytes)
{
    return 63 - (unsigned)__builtin_clzll(bytes);
}

void hf_jemalloc_dumps_put_settings(const struct hf_jemalloc_dumps *dumps, uint64_t period_bytes,
    uint64_t interval_bytes, bool with_last, struct hf_out *out)
{
    hf_out_printf(out,
        "prof:true,prof_active:true,prof_thread_active_init:true,prof_accum:true,prof_final:%s,"
        "prof_prefix:%s/" PREFIX,
        with_last ? "true" : "false", dumps->folder);
    if (period_bytes != 0)
        hf_out_printf(out, ",lg_prof_sample:%u", jemalloc_dumps_log2_of(period_bytes));
    if (interval_bytes != 0)
        hf_out_printf(out, ",lg_prof_interval:%u", jemalloc_dumps_log2_of(interval_bytes));
}

/* The kind of a dump of this process; '\0' for another file. */
static char jemalloc_dumps_kind_of(const struct hf_jemalloc_dumps *dumps, struct hf_text name)
{
    uint64_t pid, number;
    bool is_named = hf_text_take(&name, PREFIX ".") && hf_num_take_u64(&name, &pid) &&
                    pid == dumps->pid && hf_text_take(&name, ".") &&
                    hf_num_take_u64(&name, &number) && hf_text_take(&name, ".");
    return is_named && name.size != 0 ? name.data[0] : '\0';
}

static enum hf_status hand_on(
    struct hf_jemalloc_dumps *dumps, const char *name, struct hf_error *err)
{
    char path[PATH_MAX], kind = jemalloc_dumps_kind_of(dumps, hf_text_of(name));
    bool is_there;
    if (kind == '\0' || !hf_path_format(path, "%s/%s", dumps->folder, name))
        return HF_OK;
    struct hf_dump_source source = {.path = path, .pid = dumps->pid, .program = dumps->program};
    enum hf_status status = hf_file_open_regular_itself(path, &source.fd, err);
    if (status != HF_OK)
        return status;
    status = hf_dump_keeper_take(
        &dumps->keeper, kind == 'f' ? HF_DUMP_FINAL : HF_DUMP_INTERVAL, &source, &is_there, err);
    dumps->has_last = kind == 'f' && (status != HF_OK || is_there);
    close(source.fd);
    (void)unlink(path);
    return status;
}

enum hf_status hf_jemalloc_dumps_finish(struct hf_jemalloc_dumps *dumps, struct hf_error *err)
{
    _Alignas(struct inotify_event) char events[4096];
    enum hf_status status = HF_OK;
    ssize_t size;
    while (status == HF_OK && (size = read(dumps->folder_changes.fd, events, sizeof events)) > 0) {
        const struct inotify_event *event;
        for (const char *at = events; status == HF_OK && at < events + size;
             at += sizeof *event + event->len) {
            event = (const struct inotify_event *)(const void *)at;
            if (event->len != 0)
                status = hand_on(dumps, event->name, err);
        }
    }
    return status;
}

static enum hf_status take_changes(void *context, struct hf_error *err)
{
    return hf_jemalloc_dumps_finish(context, err);
}

void hf_jemalloc_dumps_begin(struct hf_jemalloc_dumps *dumps, struct hf_loop *loop)
{
    dumps->folder_changes.events = POLLIN;
    dumps->folder_changes.due_ns = HF_LOOP_NEVER;
    dumps->folder_changes.wake = take_changes;
    dumps->folder_changes.context = dumps;
    hf_loop_add(loop, &dumps->folder_changes);
}
