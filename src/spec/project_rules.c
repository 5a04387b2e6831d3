#include "spec/project_rules.h"

#include "base/limits.h"
#include "os/file.h"
#include "os/input.h"
#include "os/path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool project_is_there(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && hf_path_stat(path, 0, &info);
}

/* True if the project, or all that is this user's, begins here. */
static bool project_is_top(const char *folder)
{
    const char *home = getenv("HOME");
    return project_is_there(folder, ".git") || (home != NULL && strcmp(folder, home) == 0);
}

/* Makes a folder the one that it is in; false: it is in none. */
static bool project_climb(char *folder)
{
    char *last = strrchr(folder, '/');
    if (last == NULL || last == folder)
        return false;
    *last = '\0';
    return true;
}

/* The folder with the nearest file, from the working folder up; false: there is none. */
static bool project_find(char folder[PATH_MAX])
{
    char top[PATH_MAX];
    if (getcwd(folder, PATH_MAX) == NULL || folder[0] != '/')
        return false;
    memcpy(top, folder, PATH_MAX);
    while (!project_is_top(top)) {
        if (!project_climb(top))
            return project_is_there(folder, HF_PROJECT_RULES_FILE);
    }
    while (!project_is_there(folder, HF_PROJECT_RULES_FILE)) {
        if (strcmp(folder, top) == 0 || !project_climb(folder))
            return false;
    }
    return true;
}

static enum hf_status project_open(struct hf_input *input, const char *path, struct hf_error *err)
{
    struct stat info;
    enum hf_status status = hf_input_open_trusted(input, path, err);
    bool is_shared =
        status == HF_OK && (fstat(input->fd, &info) != 0 || (info.st_mode & S_IWOTH) != 0);
    if (status == HF_ERR_SYSTEM || is_shared)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "%s must be a regular file that belongs to you or root and is not writable by "
            "everybody",
            path);
    return status;
}

enum hf_status hf_project_rules_add(
    struct hf_owner_rules *rules, bool *out_is_refused, struct hf_error *err)
{
    char folder[PATH_MAX], path[PATH_MAX + sizeof "/" HF_PROJECT_RULES_FILE];
    struct hf_input input;
    struct hf_text bytes;
    *out_is_refused = false;
    if (!project_find(folder))
        return HF_OK;
    (void)snprintf(path, sizeof path, "%s/%s", folder, HF_PROJECT_RULES_FILE);
    enum hf_status status = project_open(&input, path, err);
    *out_is_refused = status == HF_ERR_SYSTEM;
    if (status == HF_OK)
        status = hf_input_peek(&input, HF_LIMIT_SPEC_BYTES + 1, &bytes, err);
    if (status == HF_OK)
        status = hf_owner_rules_parse(rules, bytes, path, err);
    hf_input_close(&input);
    return *out_is_refused ? HF_OK : status;
}
