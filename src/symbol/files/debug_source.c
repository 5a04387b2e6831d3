#include "symbol/files/debug_source.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/strings/out.h"
#include "net/debug_servers.h"
#include "os/file.h"
#include "os/path.h"
#include "os/private_folder.h"
#include "symbol/files/debuginfod.h"

#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Where the cache has it; false if nowhere. */
static bool place_of(
    struct hf_text build_id, struct hf_text path, struct hf_out *name, char out_path[PATH_MAX])
{
    hf_out_string(name, HF_DEBUG_SOURCE_NAME);
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] == '/' || path.data[i] == '#')
            hf_out_string(name, path.data[i] == '/' ? "##" : "#_");
        else
            hf_out_char(name, path.data[i]);
    }
    hf_out_bytes(name, "", 1);
    return name->error.status == HF_OK && name->size <= NAME_MAX &&
           hf_debuginfod_path(build_id, name->data, out_path);
}

/* What is kept there; -1: nothing. */
static int find_kept(const char *place, const char *name)
{
    char folder_path[PATH_MAX];
    struct hf_private_folder folder;
    struct hf_file_stamp stamp;
    if (!hf_file_stamp_of(place, &stamp) || stamp.size == 0 ||
        !hf_path_format(folder_path, "%s", place) ||
        !hf_private_folder_open(&folder, dirname(folder_path), 0))
        return -1;
    int fd = hf_private_folder_find(&folder, name);
    hf_private_folder_close(&folder);
    return fd;
}

/* What a URL may not have as it is, is written as %XX. */
static void put_escaped(struct hf_out *out, struct hf_text path)
{
    for (size_t i = 0; i < path.size; i++) {
        char c = path.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (is_plain || (c != '\0' && strchr("-._~/", c) != NULL))
            hf_out_char(out, c);
        else
            hf_out_printf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

/* Asks all servers; the file, or -1. */
static int ask(struct hf_text build_id, struct hf_text path, bool *out_is_absent)
{
    struct hf_debug_servers_answer answer = {.outcome = HF_DEBUG_SERVERS_FAILED, .fd = -1};
    struct hf_out asked = {0}, what = {0};
    struct hf_error ignored;
    hf_out_string(&asked, "buildid/");
    hf_out_hex_bytes(&asked, build_id);
    hf_out_string(&asked, "/source/");
    put_escaped(&asked, path);
    hf_out_bytes(&asked, "", 1);
    hf_out_string(&what, "the source ");
    hf_out_text(&what, hf_text_basename(path));
    hf_out_bytes(&what, "", 1);
    struct hf_debug_servers_question question = {
        .path = asked.data, .what = what.data, .most_bytes = HF_LIMIT_SOURCE_FILE_BYTES};
    if (asked.error.status != HF_OK || what.error.status != HF_OK ||
        !hf_debug_servers_is_path(hf_text_of(asked.data)) ||
        hf_debug_servers_ask(&question, &answer, &ignored) != HF_OK)
        answer = (struct hf_debug_servers_answer){.outcome = HF_DEBUG_SERVERS_FAILED, .fd = -1};
    *out_is_absent = answer.outcome == HF_DEBUG_SERVERS_ABSENT;
    hf_out_done(&asked);
    hf_out_done(&what);
    return answer.outcome == HF_DEBUG_SERVERS_FOUND ? answer.fd : -1;
}

static void keep_source(int fd, const char *place, const char *name)
{
    struct hf_file_map map;
    struct hf_error ignored;
    if (fd < 0) {
        (void)!hf_debuginfod_keep(HF_TEXT(""), place, name);
    } else if (hf_file_map_descriptor(&map, fd, name, &ignored) == HF_OK) {
        struct hf_text bytes = {(const char *)map.data, map.size};
        (void)!hf_debuginfod_keep(bytes, place, name);
        hf_file_map_close(&map);
    }
}

bool hf_debug_source_open(struct hf_text build_id, struct hf_text path, int *out_fd)
{
    char place[PATH_MAX];
    struct hf_out name = {0};
    struct hf_budget_scope before = hf_budget_enter(NULL); /* a file has a limit of its own */
    bool has_place = place_of(build_id, path, &name, place);
    *out_fd = has_place ? find_kept(place, name.data) : -1;
    bool is_absent = *out_fd < 0 && has_place && hf_debuginfod_is_missed(place);
    if (*out_fd < 0 && !is_absent && build_id.size != 0 && hf_debug_servers_urls()[0] != '\0') {
        *out_fd = ask(build_id, path, &is_absent);
        if (has_place && (*out_fd >= 0 || is_absent))
            keep_source(*out_fd, place, name.data);
    }
    hf_out_done(&name);
    hf_budget_leave(before);
    return *out_fd >= 0;
}
