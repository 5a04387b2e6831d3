#include "profiling.h"

#include <errno.h>
#include <fcntl.h>
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* False stands for "no such name" as well: a jemalloc built without --enable-prof has none of these
 * names, and for every caller here that means the same as "off". */
static bool read_flag(const char *name)
{
    bool value = false;
    size_t size = sizeof value;

    return mallctl(name, &value, &size, NULL, 0) == 0 && value;
}

static int write_flag(const char *name, bool value)
{
    return mallctl(name, NULL, NULL, &value, sizeof value);
}

bool profiling_is_enabled(void)
{
    return read_flag("opt.prof");
}

bool profiling_is_active(void)
{
    return read_flag("prof.active");
}

int profiling_set_active(bool is_active)
{
    return write_flag("prof.active", is_active);
}

bool profiling_gdump_is_active(void)
{
    return read_flag("prof.gdump");
}

int profiling_set_gdump(bool is_active)
{
    return write_flag("prof.gdump", is_active);
}

int profiling_dump(char *out_pattern, size_t pattern_size)
{
    static unsigned manual_dump_count;
    const char *prefix = "";
    size_t prefix_size = sizeof prefix;

    // This one call is the whole of what a service needs to be profiled by hand.
    int error = mallctl("prof.dump", NULL, NULL, NULL, 0);
    if (error != 0)
        return error;

    (void)mallctl("opt.prof_prefix", &prefix, &prefix_size, NULL, 0);
    (void)snprintf(
        out_pattern, pattern_size, "%s.%d.*.m%u.heap", prefix, (int)getpid(), manual_dump_count++);
    return 0;
}

/* jemalloc writes dumps to a path, not to a descriptor. A path below /proc leads it to an unnamed
 * file in memory: nothing on disk to clean up, nothing another user could read or replace. */
int profiling_snapshot(int *out_fd, size_t *out_size)
{
    char path[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    const char *path_argument = path;
    struct stat status;

    int fd = memfd_create("heap-profile", MFD_CLOEXEC);
    if (fd < 0)
        return errno;

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int error = mallctl("prof.dump", NULL, NULL, &path_argument, sizeof path_argument);
    if (error == 0 && fstat(fd, &status) != 0)
        error = errno;
    if (error != 0) {
        close(fd);
        return error;
    }
    *out_fd = fd;
    *out_size = (size_t)status.st_size;
    return 0;
}
