#include "symbol/files/debuginfod.h"

#include "base/budget.h"
#include "base/strings/out.h"
#include "elf/image.h"
#include "net/http.h"
#include "os/private_folder.h"
#include "symbol/debug_paths.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>

#define HTTP_FOUND 200

const char *hf_debuginfod_servers(void)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    return urls != NULL ? urls : "";
}

bool hf_debuginfod_folder(char out_path[PATH_MAX])
{
    const char *own = getenv("DEBUGINFOD_CACHE_PATH");
    const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own != NULL && own[0] != '\0')
        return hf_path_format(out_path, "%s", own);
    if (caches != NULL && caches[0] == '/')
        return hf_path_format(out_path, "%s/debuginfod_client", caches);
    return home != NULL && home[0] == '/' &&
           hf_path_format(out_path, "%s/.cache/debuginfod_client", home);
}

bool hf_debuginfod_path(struct hf_text build_id, char out_path[PATH_MAX])
{
    char folder[PATH_MAX];
    struct hf_out path = {0};
    if (build_id.size == 0 || !hf_debuginfod_folder(folder))
        return false;
    hf_out_printf(&path, "%s/", folder);
    hf_out_hex_bytes(&path, build_id);
    hf_out_string(&path, "/" HF_DEBUGINFOD_NAME);
    bool is_whole =
        path.error.status == HF_OK && hf_path_format(out_path, "%.*s", (int)path.size, path.data);
    hf_out_done(&path);
    return is_whole;
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
    hf_elf_done(&elf);
    return status;
}

static enum hf_status debuginfod_keep(struct hf_text bytes, const char *path, struct hf_error *err)
{
    char folder_path[PATH_MAX];
    struct hf_private_folder folder;
    bool is_there = hf_path_format(folder_path, "%s", path) &&
                    hf_private_folder_open(&folder, dirname(folder_path), true);
    bool is_kept = is_there && hf_private_folder_put(&folder, HF_DEBUGINFOD_NAME, bytes);
    if (is_there)
        hf_private_folder_close(&folder);
    return is_kept ? HF_OK : hf_error_set(err, HF_ERR_SYSTEM, "cannot write %s", path);
}

static enum hf_status debuginfod_ask(struct hf_http *http, const char *url, struct hf_text build_id,
    const char *path, struct hf_error *err)
{
    struct hf_http_target target;
    struct hf_http_answer answer;
    struct hf_budget_scope before = hf_budget_enter(NULL); /* HF_LIMIT_HTTP_BODY is its limit */
    enum hf_status status = hf_http_target_init(http, &target, url, NULL, err);
    if (status != HF_OK)
        return status;
    const struct hf_http_request request = {.method = HF_HTTP_GET, .target = &target};
    status = hf_http_ask(http, &request, &answer, err);
    if (status == HF_OK) {
        if (answer.status != HTTP_FOUND)
            status = hf_error_set(err, HF_ERR_NETWORK, "the server answers %d %s", answer.status,
                hf_http_reason(answer.status));
        if (status == HF_OK)
            status = debuginfod_check(hf_out_view(&answer.body), build_id, err);
        if (status == HF_OK)
            status = debuginfod_keep(hf_out_view(&answer.body), path, err);
        hf_http_answer_done(&answer);
    }
    hf_error_in(err, target.shown);
    hf_http_target_done(&target);
    hf_budget_leave(before);
    return status;
}

enum hf_status hf_debuginfod_fetch(struct hf_text build_id, const char *path, struct hf_error *err)
{
    struct hf_http *http;
    struct hf_text rest = hf_text_of(hf_debuginfod_servers());
    enum hf_status status = hf_http_new(&http, err);
    if (status != HF_OK)
        return status;
    status = hf_error_set(err, HF_ERR_NETWORK, "DEBUGINFOD_URLS names no server");
    while (status != HF_OK && status != HF_ERR_MEMORY) {
        rest = hf_text_trim_start(rest, " \t\n");
        struct hf_text server = hf_text_first(rest, hf_text_find(rest, ' '));
        rest = hf_text_from(rest, server.size);
        if (server.size == 0)
            break;
        struct hf_out url = {0};
        hf_out_text(&url, hf_text_trim_end(server, "/"));
        hf_out_string(&url, "/buildid/");
        hf_out_hex_bytes(&url, build_id);
        hf_out_bytes(
            &url, "/" HF_DEBUGINFOD_NAME, sizeof "/" HF_DEBUGINFOD_NAME); /* with its NUL */
        status = hf_out_finish(&url, err);
        if (status == HF_OK)
            status = debuginfod_ask(http, url.data, build_id, path, err);
        hf_out_done(&url);
    }
    hf_http_free(http);
    return status;
}
