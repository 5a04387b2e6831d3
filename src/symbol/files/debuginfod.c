#include "symbol/files/debuginfod.h"

#include "base/budget.h"
#include "base/strings/num.h"
#include "base/strings/out.h"
#include "net/debug_servers.h"
#include "os/file.h"
#include "os/path.h"
#include "os/private_folder.h"
#include "symbol/files/debug_parts.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define MISS_SECONDS 600
#define MISS_FILE "cache_miss_s"
#define FOLDERS_MADE 3
#define ALL_FOLDERS 32

bool hf_debuginfod_folder(char out_path[PATH_MAX])
{
    const char *own = getenv("DEBUGINFOD_CACHE_PATH");
    const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool has_home = home != NULL && home[0] == '/';
    if (own != NULL && own[0] != '\0')
        return hf_path_format(out_path, "%s", own);
    if (has_home && hf_path_format(out_path, "%s/.debuginfod_client_cache", home) &&
        hf_file_is_folder(out_path))
        return true;
    if (caches != NULL && caches[0] == '/')
        return hf_path_format(out_path, "%s/debuginfod_client", caches);
    return has_home && hf_path_format(out_path, "%s/.cache/debuginfod_client", home);
}

bool hf_debuginfod_path(struct hf_text build_id, const char *name, char out_path[PATH_MAX])
{
    char folder[PATH_MAX];
    struct hf_out path = {0};
    if (build_id.size == 0 || !hf_debuginfod_folder(folder))
        return false;
    hf_out_printf(&path, "%s/", folder);
    hf_out_hex_bytes(&path, build_id);
    hf_out_printf(&path, "/%s", name);
    bool is_whole =
        path.error.status == HF_OK && hf_path_format(out_path, "%.*s", (int)path.size, path.data);
    hf_out_done(&path);
    return is_whole;
}

/* For how long a miss is believed. */
static int64_t miss_seconds(void)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct hf_file_map map;
    uint64_t seconds = MISS_SECONDS, read = 0;
    if (!hf_debuginfod_folder(folder) || !hf_path_format(path, "%s/" MISS_FILE, folder) ||
        !hf_file_is_readable(path) || hf_file_map_open(&map, path, NULL) != HF_OK)
        return MISS_SECONDS;
    struct hf_text text = {(const char *)map.data, map.size};
    if (hf_num_take_u64(&text, &read) && read < INT32_MAX)
        seconds = read;
    hf_file_map_close(&map);
    return (int64_t)seconds;
}

bool hf_debuginfod_is_missed(const char *path)
{
    struct hf_file_stamp stamp;
    return hf_file_stamp_of(path, &stamp) && stamp.size == 0 &&
           time(NULL) - stamp.modified_ns / NS_PER_SECOND < miss_seconds();
}

static enum hf_status debuginfod_check(
    struct hf_text bytes, struct hf_text build_id, struct hf_error *err)
{
    struct hf_elf elf;
    enum hf_status status = hf_elf_open(&elf, bytes, "the answer", err);
    if (status != HF_OK)
        return status;
    if (!hf_text_equal(elf.build_id, build_id))
        status = hf_error_set(err, HF_ERR_NETWORK, "the answer has another build-id");
    hf_elf_close(&elf);
    return status;
}

/* ~/.cache/debuginfod_client/HEX, but no home; what the user names is made whole. */
static unsigned folders_made(void)
{
    const char *own = getenv("DEBUGINFOD_CACHE_PATH");
    return own != NULL && own[0] != '\0' ? ALL_FOLDERS : FOLDERS_MADE;
}

bool hf_debuginfod_keep(struct hf_text bytes, const char *path, const char *name)
{
    char folder_path[PATH_MAX];
    struct hf_private_folder folder;
    bool is_there = hf_path_format(folder_path, "%s", path) &&
                    hf_private_folder_open(&folder, dirname(folder_path), folders_made());
    bool is_kept = is_there && hf_private_folder_put(&folder, name, bytes);
    if (is_there)
        hf_private_folder_close(&folder);
    return is_kept;
}

static enum hf_status keep_file(struct hf_debuginfod_file *file, const char *name,
    struct hf_text build_id, const char *path, struct hf_error *err)
{
    struct hf_file_map map;
    enum hf_status status = hf_file_map_descriptor(&map, file->fd, "the answer", err);
    if (status != HF_OK)
        return status;
    struct hf_text bytes = {(const char *)map.data, map.size};
    status = debuginfod_check(bytes, build_id, err);
    file->name = name;
    file->is_kept = status == HF_OK && hf_debuginfod_keep(bytes, path, name);
    hf_file_map_close(&map);
    return status;
}

/* Asks all servers, and those that are left if an answer is none. */
static enum hf_status debuginfod_ask(struct hf_debug_servers_question *question,
    struct hf_text build_id, const char *path, struct hf_debuginfod_file *file,
    struct hf_debug_servers_answer *answer, struct hf_error *err)
{
    struct hf_out refused = {0};
    struct hf_error error = {0};
    enum hf_status status;
    do {
        status = hf_debug_servers_ask(question, answer, err);
        if (status != HF_OK || answer->outcome != HF_DEBUG_SERVERS_FOUND)
            break;
        file->fd = answer->fd;
        if (keep_file(file, HF_DEBUGINFOD_NAME, build_id, path, &error) == HF_OK)
            break;
        close(file->fd);
        file->fd = -1;
        answer->outcome = HF_DEBUG_SERVERS_FAILED;
        hf_out_printf(
            &refused, "%s%s: %s", refused.size != 0 ? "; " : "", answer->said, error.text);
        answer->said[0] = '\0';
        question->refused |= (uint32_t)1 << answer->server;
    } while (error.status != HF_ERR_MEMORY);
    if (status == HF_OK && file->fd < 0 && refused.size != 0) {
        if (answer->outcome == HF_DEBUG_SERVERS_ABSENT)
            answer->outcome = HF_DEBUG_SERVERS_FAILED;
        hf_out_printf(&refused, "%s%s", answer->said[0] != '\0' ? "; " : "", answer->said);
        (void)snprintf(answer->said, sizeof answer->said, "%.*s", (int)refused.size, refused.data);
    }
    hf_out_done(&refused);
    return status;
}

/* Of a file that is more than is wanted. */
static enum hf_status fetch_parts(const struct hf_elf *image, const char *what, const char *path,
    struct hf_debuginfod_file *file, struct hf_error *err)
{
    char parts_path[PATH_MAX];
    enum hf_status status = hf_debug_parts_fetch(image, what, &file->fd, file->why, err);
    if (status != HF_OK || file->fd < 0)
        return status;
    (void)path;
    if (!hf_debuginfod_path(image->build_id, HF_DEBUGINFOD_PARTS, parts_path))
        return HF_OK;
    return keep_file(file, HF_DEBUGINFOD_PARTS, image->build_id, parts_path, err);
}

enum hf_status hf_debuginfod_fetch(const struct hf_elf *image, const char *path,
    struct hf_debuginfod_file *out_file, bool *out_is_absent, struct hf_error *err)
{
    struct hf_debug_servers_answer answer = {.outcome = HF_DEBUG_SERVERS_FAILED};
    struct hf_out asked = {0}, what = {0};
    struct hf_budget_scope before = hf_budget_enter(NULL); /* HF_LIMIT_HTTP_BODY is its limit */
    *out_file = (struct hf_debuginfod_file){.fd = -1};
    *out_is_absent = false;
    hf_out_string(&asked, "buildid/");
    hf_out_hex_bytes(&asked, image->build_id);
    hf_out_bytes(&asked, "/" HF_DEBUGINFOD_NAME, sizeof "/" HF_DEBUGINFOD_NAME); /* and NUL */
    hf_out_string(&what, "the debug file of ");
    hf_out_text(&what, hf_text_basename(hf_text_of(image->name)));
    hf_out_bytes(&what, "", 1);
    enum hf_status status = hf_out_finish(&asked, err);
    if (status == HF_OK)
        status = hf_out_finish(&what, err);
    struct hf_debug_servers_question question = {.path = asked.data, .what = what.data};
    if (status == HF_OK)
        status = debuginfod_ask(&question, image->build_id, path, out_file, &answer, err);
    if (status == HF_OK && answer.outcome == HF_DEBUG_SERVERS_TOO_LARGE)
        status = fetch_parts(image, what.data, path, out_file, err);
    *out_is_absent = status == HF_OK && answer.outcome == HF_DEBUG_SERVERS_ABSENT;
    if (*out_is_absent)
        (void)!hf_debuginfod_keep(HF_TEXT(""), path, HF_DEBUGINFOD_NAME);
    if (status == HF_OK && out_file->fd < 0)
        status = hf_error_set(err, HF_ERR_NETWORK, "%s",
            answer.said[0] != '\0' ? answer.said : "DEBUGINFOD_URLS names no server");
    hf_out_done(&asked);
    hf_out_done(&what);
    hf_budget_leave(before);
    return status;
}
