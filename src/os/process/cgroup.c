#include "os/process/cgroup.h"

#include "base/strings/num.h"
#include "os/input.h"
#include "os/path.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A look at each group, outermost first, until one returns true. */
struct cgroup_look {
    bool (*look)(void *context, const char *folder, const char *name);
    void *context;
};

HF_PRINTF(2, 3)
static bool cgroup_path(char out[PATH_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(out, PATH_MAX, format, arguments);
    va_end(arguments);
    return size >= 0 && size < PATH_MAX;
}

/* Links are not followed further in: cgroups have none. */
static bool cgroup_walk(
    const struct cgroup_look *look, const char *folder, const char *name, unsigned depth)
{
    char path[PATH_MAX];
    struct hf_folder_names names;
    int links = depth != 0 ? O_NOFOLLOW : 0;
    int fd = depth < HF_CGROUP_DEPTH ? hf_path_open(folder, O_DIRECTORY | links) : -1;
    if (fd < 0)
        return false; /* most of what is in a group are files */
    bool is_found = look->look(look->context, folder, name);
    bool is_read = !is_found && hf_folder_names_read(&names, fd);
    close(fd);
    if (!is_read)
        return is_found;
    for (size_t i = 0; i < names.count && !is_found; i++)
        is_found = cgroup_path(path, "%s/%s", folder, names.items[i]) &&
                   cgroup_walk(look, path, names.items[i], depth + 1);
    hf_folder_names_done(&names);
    return is_found;
}

/* Those that have processes. Any other ending is part of a name: "php8.2-fpm". */
static bool ends_as_unit(struct hf_text name)
{
    static const char *const endings[] = {
        ".service", ".scope", ".slice", ".socket", ".mount", ".swap"};
    bool ends = false;
    for (size_t i = 0; i < HF_COUNT(endings); i++)
        ends |= hf_text_ends(name, endings[i]);
    return ends;
}

struct cgroup_wanted {
    char name[NAME_MAX + 1];
    char *folder; /* PATH_MAX bytes: the outermost so far */
    char other[PATH_MAX];
    unsigned depth;
    size_t count; /* of those that are as far out */
};

static unsigned cgroup_depth(const char *folder)
{
    unsigned depth = 0;
    for (; *folder != '\0'; folder++)
        depth += *folder == '/';
    return depth;
}

/* systemd puts "_" before a name that could be of a file of the group, as "memory.service". */
static bool is_name_of_unit(const char *name, const char *unit)
{
    bool is_marked = unit[0] == '_' || unit[0] == '.';
    return (!is_marked && strcmp(name, unit) == 0) ||
           (name[0] == '_' && strcmp(name + 1, unit) == 0);
}

/* A container may have a systemd of its own, whose units are further in. */
static bool cgroup_is_wanted(void *context, const char *folder, const char *name)
{
    struct cgroup_wanted *wanted = context;
    unsigned depth = cgroup_depth(folder);
    if (!is_name_of_unit(name, wanted->name) || (wanted->count != 0 && depth > wanted->depth))
        return false;
    bool is_first = wanted->count == 0 || depth < wanted->depth;
    wanted->count = is_first ? 1 : wanted->count + 1;
    wanted->depth = depth;
    return !cgroup_path(is_first ? wanted->folder : wanted->other, "%s", folder);
}

static enum hf_status cgroup_say_several(
    const struct cgroup_wanted *wanted, const char *mount, struct hf_error *err)
{
    size_t skipped = strlen(mount) + 1;
    return hf_error_set(err, HF_ERR_INPUT,
        "%zu units are called %s, e.g. %s and %s: choose one with --cgroup %s/...",
        /* never 1 */ wanted->count, wanted->name, wanted->folder + skipped,
        wanted->other + skipped, mount);
}

enum hf_status hf_cgroup_of_unit(
    const char *mount, const char *unit, char out_folder[PATH_MAX], struct hf_error *err)
{
    static const char *const hierarchies[] = {"/systemd", "/unified", ""};
    struct cgroup_wanted wanted = {.folder = out_folder};
    const struct cgroup_look look = {cgroup_is_wanted, &wanted};
    char folder[PATH_MAX];
    int size = snprintf(wanted.name, sizeof wanted.name, "%s%s", unit,
        ends_as_unit(hf_text_of(unit)) ? "" : ".service");
    if (unit[0] == '\0' || strchr(unit, '/') != NULL || size < 0 || size > NAME_MAX)
        return hf_error_set(
            err, HF_ERR_INPUT, "expected the name of a unit, e.g. nginx.service; found '%s'", unit);
    for (size_t i = 0; i < HF_COUNT(hierarchies) && wanted.count == 0; i++) {
        if (cgroup_path(folder, "%s%s", mount, hierarchies[i]))
            (void)cgroup_walk(&look, folder, "", 0);
    }
    if (wanted.count > 1)
        return cgroup_say_several(&wanted, mount, err);
    if (wanted.count == 1)
        return HF_OK;
    return hf_error_set(err, HF_ERR_INPUT,
        "no running unit is called %s: there is no such folder below %s (systemctl status "
        "shows the names)",
        wanted.name, mount);
}

struct cgroup_reading {
    void (*take)(void *context, uint32_t pid);
    void *context;
    bool is_group;
};

/* Numbers, one a line; 0 is a process that has none here. */
static bool cgroup_read(void *context, const char *folder, const char *name)
{
    struct cgroup_reading *reading = context;
    char path[PATH_MAX];
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    uint64_t pid;
    if (!cgroup_path(path, "%s/cgroup.procs", folder) || hf_input_open(&file, path, NULL) != HF_OK)
        return false;
    reading->is_group |= name[0] == '\0';
    while (hf_input_next(&file, &line, &status, NULL)) {
        if (hf_num_u64(line, &pid) && pid != 0 && pid <= INT32_MAX)
            reading->take(reading->context, (uint32_t)pid);
    }
    hf_input_close(&file);
    return false;
}

enum hf_status hf_cgroup_processes(const char *folder, void (*take)(void *context, uint32_t pid),
    void *context, struct hf_error *err)
{
    struct cgroup_reading reading = {take, context, false};
    const struct cgroup_look look = {cgroup_read, &reading};
    (void)cgroup_walk(&look, folder, "", 0);
    return reading.is_group ? HF_OK
                            : hf_error_set(err, HF_ERR_INPUT,
                                  "%s is not a cgroup: it has no readable cgroup.procs", folder);
}
