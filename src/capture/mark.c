#include "capture/mark.h"

#include "base/strings/out.h"
#include "os/broker_line.h"
#include "os/file.h"
#include "os/file_writer.h"
#include "os/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING HF_MARK_ENDING
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

/* Where the marks of a table are. */
struct mark_place {
    int folder;
    char stem[NAME_MAX + 1]; /* "4711-e6b9d0a8." of the table "4711-e6b9d0a8.live" */
    char pid[NAME_MAX + 1];  /* "4711-" */
};

/* A worker without rights only reads, and has no way from an open folder to what is in it. */
static bool look_in(int folder, const char *name, const char *path, struct stat *out_info)
{
    if (!hf_broker_is_there())
        return fstatat(folder, name, out_info, AT_SYMLINK_NOFOLLOW) == 0;
    int fd = hf_path_open(path, O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    bool is_there = fd >= 0 && fstat(fd, out_info) == 0;
    if (fd >= 0)
        close(fd);
    return is_there;
}

/* True if the open folder has that very table. */
static bool has_table(int folder, const struct hf_found_table *table, const char *name)
{
    struct stat opened, named;
    return fstat(table->fd, &opened) == 0 && look_in(folder, name, table->path, &named) &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static enum hf_status mark_open_place(
    struct mark_place *place, const struct hf_found_table *table, struct hf_error *err)
{
    char folder[PATH_MAX];
    struct hf_text path = hf_text_of(table->path), name = hf_text_basename(path);
    size_t slash =
        path.size - name.size; /* behind it; a path that ends in one would follow a link */
    place->folder = -1;
    if (hf_text_ends(name, HF_FOUND_TABLE_ENDING) && name.size <= NAME_MAX &&
        hf_path_format(folder, "%.*s", (int)(slash > 1 ? slash - 1 : slash), path.data))
        place->folder = hf_path_open(slash != 0 ? folder : ".", O_DIRECTORY | O_NOFOLLOW);
    if (place->folder < 0 || !has_table(place->folder, table, name.data)) {
        if (place->folder >= 0)
            close(place->folder);
        return hf_error_set(err, HF_ERR_SYSTEM,
            "cannot reach the folder of the live table %s: save a profile with heapflame dump -o "
            "FILE instead",
            table->path);
    }
    int stem_size = (int)(name.size - strlen(HF_FOUND_TABLE_ENDING)) + 1;
    int pid_size = (int)hf_text_find(name, '-') + 1;
    (void)snprintf(place->stem, sizeof place->stem, "%.*s", stem_size, name.data);
    (void)snprintf(place->pid, sizeof place->pid, "%.*s", pid_size, name.data);
    return HF_OK;
}

static enum hf_status check_name(const char *name, struct hf_error *err)
{
    size_t size = strlen(name);
    if (size != 0 && size <= HF_MARK_NAME_MAX && strspn(name, NAME_CHARACTERS) == size)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "expected the name of a mark, up to %d letters, digits, '-' and '_'; found '%.80s'",
        HF_MARK_NAME_MAX, name);
}

enum hf_status hf_mark_write(const char *path, struct hf_text bundle, struct hf_error *err)
{
    struct hf_file_writer writer;
    enum hf_status status = hf_file_writer_open_new(&writer, path, err);
    if (status != HF_OK)
        return status;
    struct hf_out out = hf_file_writer_out(&writer);
    hf_out_text(&out, bundle);
    status = hf_out_finish(&out, err);
    if (status == HF_OK)
        status = hf_file_writer_commit(&writer, err);
    hf_out_done(&out);
    hf_file_writer_close(&writer);
    return status;
}

enum hf_status hf_mark_place_find(struct hf_mark_place *mark, const struct hf_found_table *table,
    const char *name, struct hf_error *err)
{
    struct mark_place place;
    mark->folder = -1;
    enum hf_status status = check_name(name, err);
    if (status == HF_OK)
        status = mark_open_place(&place, table, err);
    if (status != HF_OK)
        return status;
    mark->folder = place.folder;
    /* In the folder that is open, whatever its name leads to now. */
    if (!hf_path_format(mark->path, "/proc/self/fd/%d/%s%s" ENDING, place.folder, place.stem, name))
        status = hf_error_memory(err);
    else if (access(mark->path, F_OK) == 0)
        status = hf_error_set(
            err, HF_ERR_SYSTEM, "the process already has a mark '%s': choose another name", name);
    return status;
}

void hf_mark_place_done(struct hf_mark_place *place)
{
    if (place->folder >= 0)
        close(place->folder);
    place->folder = -1;
}

/* What there is beside a table. */
struct mark_search {
    const struct mark_place *place;
    const char *name;
    bool is_found, is_of_another; /* of a table of the same number */
    struct hf_out names;          /* of the table's marks, each with ", " before it */
};

static void mark_look_at(struct mark_search *search, const char *file)
{
    struct hf_text name = hf_text_of(file);
    if (!hf_text_ends(name, ENDING))
        return;
    name = hf_text_first(name, name.size - strlen(ENDING));
    if (hf_text_take(&name, search->place->stem)) {
        search->is_found = search->is_found || hf_text_is(name, search->name);
        hf_out_string(&search->names, ", ");
        hf_out_text(&search->names, name);
    } else if (hf_text_take(&name, search->place->pid)) {
        name = hf_text_from(name, hf_text_find(name, '.') + 1);
        search->is_of_another = search->is_of_another || hf_text_is(name, search->name);
    }
}

/* In the order of their names. */
static enum hf_status look_around(struct mark_search *search, struct hf_error *err)
{
    struct hf_folder_names names;
    if (!hf_folder_names_read(&names, search->place->folder))
        return errno == ENOMEM ? hf_error_memory(err)
                               : hf_error_system(err, errno, "cannot look for marks");
    for (size_t i = 0; i < names.count; i++)
        mark_look_at(search, names.items[i]);
    hf_folder_names_done(&names);
    return search->names.error.status == HF_OK ? HF_OK : hf_error_memory(err);
}

static enum hf_status mark_refuse(const struct mark_search *search, struct hf_error *err)
{
    if (search->is_of_another)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "the mark '%s' is stale: it belongs to an earlier process with this PID, or to this "
            "process before exec",
            search->name);
    if (search->names.size != 0)
        return hf_error_set(err, HF_ERR_SYSTEM, "the process has no mark '%s'; it has %.*s",
            search->name, (int)search->names.size - 2, search->names.data + 2);
    return hf_error_set(err, HF_ERR_SYSTEM,
        "the process has no mark '%s', and no others: heapflame mark makes one", search->name);
}

enum hf_status hf_mark_find(const struct hf_found_table *table, const char *name,
    char out_path[PATH_MAX], struct hf_error *err)
{
    struct mark_place place;
    struct hf_text path = hf_text_of(table->path);
    size_t stem_end = path.size - strlen(HF_FOUND_TABLE_ENDING);
    enum hf_status status = check_name(name, err);
    if (status == HF_OK)
        status = mark_open_place(&place, table, err);
    if (status != HF_OK)
        return status;
    struct mark_search search = {.place = &place, .name = name};
    status = look_around(&search, err);
    if (status == HF_OK && !search.is_found)
        status = mark_refuse(&search, err);
    else if (status == HF_OK &&
             !hf_path_format(out_path, "%.*s.%s" ENDING, (int)stem_end, path.data, name))
        status = hf_error_set(err, HF_ERR_SYSTEM, "the path of the mark is too long");
    if (status == HF_OK &&
        !hf_file_is_readable(out_path)) /* who owns the folder may put any there */
        status = hf_error_set(
            err, HF_ERR_SYSTEM, "%s is not a regular file that you may read", out_path);
    hf_out_done(&search.names);
    close(place.folder);
    return status;
}

enum hf_status hf_marks_each(const struct hf_found_table *table,
    enum hf_status (*each)(void *context, const char *path), void *context)
{
    struct mark_place place;
    struct hf_folder_names names;
    char path[PATH_MAX];
    struct hf_text of_table = hf_text_of(table->path);
    size_t folder_size = of_table.size - hf_text_basename(of_table).size;
    enum hf_status status = HF_OK;
    if (mark_open_place(&place, table, NULL) != HF_OK)
        return HF_OK;
    if (hf_folder_names_read(&names, place.folder)) {
        for (size_t i = 0; status == HF_OK && i < names.count; i++) {
            struct hf_text name = hf_text_of(names.items[i]);
            if (hf_text_take(&name, place.stem) && hf_text_ends(name, ENDING) &&
                hf_path_format(path, "%.*s%s", (int)folder_size, table->path, names.items[i]))
                status = each(context, path);
        }
        hf_folder_names_done(&names);
    }
    close(place.folder);
    return status;
}

void hf_marks_remove(const struct hf_found_table *table)
{
    struct mark_place place;
    struct hf_folder_names names;
    if (mark_open_place(&place, table, NULL) != HF_OK)
        return;
    (void)!hf_folder_names_read(&names, place.folder);
    for (size_t i = 0; i < names.count; i++) {
        struct hf_text name = hf_text_of(names.items[i]);
        /* Also what is half-written. */
        if (hf_text_take(&name, place.stem) && hf_text_has(name, ENDING))
            (void)unlinkat(place.folder, names.items[i], 0);
    }
    hf_folder_names_done(&names);
    close(place.folder);
}
