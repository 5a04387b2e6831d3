#include "net/debug_servers.h"

#include "base/limits.h"
#include "base/strings/num.h"
#include "base/strings/out.h"
#include "base/strings/units.h"
#include "net/curl.h"
#include "net/debug_race.h"
#include "net/http_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define GIVEN_UP_SECONDS 600 /* as long as a miss is believed */
#define SILENT_SECONDS 90
#define RETRIES 2
#define BLANKS " \t\n"
#define BUILD_ID "buildid"
#define IMA "ima:"
#define SOURCE_PATH_BYTES 2048u
#define ID_BYTES 128u     /* 20 of a SHA-1 are 40 */
#define SECTION_BYTES 64u /* of a name */
#define SOURCE "/source/"

/* Until when a server of DEBUGINFOD_URLS is not asked: of this process, whoever asks. */
static int64_t given_up_until[HF_DEBUG_SERVERS_MAX];

static int64_t now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

const char *hf_debug_servers_urls(void)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    return urls != NULL ? urls : "";
}

/* True if a folder of a path leads elsewhere: "", "." or "..", also as "%2E". */
static bool has_dots(struct hf_text path)
{
    while (path.size != 0) {
        struct hf_text name = hf_text_first(path, hf_text_find(path, '/'));
        struct hf_text rest = name;
        while (hf_text_take(&rest, ".") || hf_text_take(&rest, "%2E")) {
        }
        if (rest.size == 0)
            return true;
        path = hf_text_from(path, name.size + 1);
    }
    return false;
}

/* Of a source file, as a URL has it: letters, digits, "-._~/" and %XX. */
static bool is_source_path(struct hf_text path)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    if (path.size == 0 || path.size > SOURCE_PATH_BYTES || has_dots(path))
        return false;
    for (size_t i = 0; i < path.size; i++) {
        bool is_code = path.data[i] == '%' && path.size - i > 2 && path.data[i + 1] != '\0' &&
                       path.data[i + 2] != '\0' && strchr(digits, path.data[i + 1]) != NULL &&
                       strchr(digits, path.data[i + 2]) != NULL;
        if (path.data[i] == '\0' || (!is_code && strchr(letters, path.data[i]) == NULL))
            return false;
        i += is_code ? 2 : 0;
    }
    return true;
}

bool hf_debug_servers_is_path(struct hf_text path)
{
    if (!hf_text_take(&path, BUILD_ID "/"))
        return false;
    struct hf_text id = hf_text_first(path, hf_text_find(path, '/'));
    struct hf_text rest = hf_text_from(path, id.size);
    bool is_section = hf_text_take(&rest, "/section/.");
    bool is_source = !is_section && hf_text_take(&rest, SOURCE) && is_source_path(rest);
    if (id.size == 0 || id.size > ID_BYTES || (is_section && rest.size > SECTION_BYTES) ||
        (!is_section && !is_source && !hf_text_is(rest, "/debuginfo")))
        return false;
    for (size_t i = 0; i < id.size; i++) {
        if (id.data[i] == '\0' || strchr("0123456789abcdef", id.data[i]) == NULL)
            return false;
    }
    for (size_t i = 0; i < rest.size && is_section; i++) {
        if (rest.data[i] == '\0' || strchr("abcdefghijklmnopqrstuvwxyz_", rest.data[i]) == NULL)
            return false;
    }
    return true;
}

/* Whole numbers of the environment, as elfutils' client takes them: 0 and less is "no end". */
static enum hf_status read_number(
    const char *name, const char *what, uint64_t missing, uint64_t *out, struct hf_error *err)
{
    const char *value = getenv(name);
    *out = missing;
    if (value == NULL || value[0] == '\0')
        return HF_OK;
    struct hf_text text = hf_text_of(value);
    bool is_negative = hf_text_take(&text, "-");
    if (!hf_num_u64(text, out))
        return hf_error_set(err, HF_ERR_NETWORK, "%s: expected %s, found '%s'", name, what, value);
    if (is_negative)
        *out = 0;
    return HF_OK;
}

uint64_t hf_debug_servers_most_bytes(void)
{
    uint64_t most;
    if (read_number("DEBUGINFOD_MAXSIZE", "", 0, &most, NULL) != HF_OK || most == 0)
        return HF_LIMIT_HTTP_BODY;
    return most < HF_LIMIT_HTTP_BODY ? most : HF_LIMIT_HTTP_BODY;
}

bool hf_debug_servers_has_most_bytes(void)
{
    return hf_debug_servers_most_bytes() != HF_LIMIT_HTTP_BODY;
}

static bool add_header(const struct hf_http *http, struct curl_slist **headers, const char *line)
{
    struct curl_slist *longer = http->curl.slist_append(*headers, line);
    if (longer != NULL)
        *headers = longer;
    return longer != NULL;
}

static enum hf_status read_headers_file(
    const struct hf_http *http, struct curl_slist **headers, struct hf_error *err)
{
    const char *path = getenv("DEBUGINFOD_HEADERS_FILE");
    FILE *file = path != NULL && path[0] != '\0' ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t capacity = 0;
    bool is_whole = true;
    if (path == NULL || path[0] == '\0')
        return HF_OK;
    if (file == NULL)
        return hf_error_system(err, errno, "DEBUGINFOD_HEADERS_FILE: %s", path);
    while (is_whole && getline(&line, &capacity, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strspn(line, " \t") != strlen(line))
            is_whole = add_header(http, headers, line);
    }
    free(line);
    (void)fclose(file);
    return is_whole ? HF_OK : hf_error_memory(err);
}

static enum hf_status read_rules(const struct hf_http *http,
    const struct hf_debug_servers_question *question, struct hf_debug_rules *rules,
    struct hf_error *err)
{
    static const char seconds[] = "a number of seconds";
    char line[64];
    uint64_t most = 0;
    const char *verbose = getenv("DEBUGINFOD_VERBOSE"), *progress = getenv("DEBUGINFOD_PROGRESS");
    *rules =
        (struct hf_debug_rules){.is_verbose = verbose != NULL, .tells_files = progress != NULL};
    enum hf_status status =
        read_number("DEBUGINFOD_TIMEOUT", seconds, SILENT_SECONDS, &rules->silent_seconds, err);
    if (status == HF_OK)
        status = read_number("DEBUGINFOD_MAXTIME", seconds, 0, &rules->most_seconds, err);
    if (status == HF_OK)
        status = read_number("DEBUGINFOD_RETRY_LIMIT", "a number", RETRIES, &rules->retries, err);
    if (status == HF_OK)
        status = read_number("DEBUGINFOD_MAXSIZE", "a number of bytes", 0, &most, err);
    if (status == HF_OK)
        status = read_headers_file(http, &rules->headers, err);
    /* Any text is source: a server must not make us fetch one from elsewhere. */
    rules->follows = rules->headers == NULL && strstr(question->path, SOURCE) == NULL;
    bool is_section = question->most_bytes != 0; /* servers differ in whose size that is there */
    if (status == HF_OK && most != 0 && !is_section) {
        (void)snprintf(line, sizeof line, "X-DEBUGINFOD-MAXSIZE: %llu", (unsigned long long)most);
        status = add_header(http, &rules->headers, line) ? HF_OK : hf_error_memory(err);
    }
    if (question->most_bytes != 0 && (most == 0 || question->most_bytes < most))
        most = question->most_bytes;
    rules->most_bytes = most != 0 && most < HF_LIMIT_HTTP_BODY ? most : HF_LIMIT_HTTP_BODY;
    if (rules->most_seconds == 0 || rules->most_seconds > HF_LIMIT_HTTP_SECONDS)
        rules->most_seconds = HF_LIMIT_HTTP_SECONDS;
    return status;
}

/* "http://a:8002", ".../", ".../buildid": where to ask for `path`. */
static enum hf_status lane_aim(struct hf_debug_lane *lane, struct hf_http *http,
    struct hf_text server, const char *path, struct hf_error *err)
{
    struct hf_out url = {0};
    server = hf_text_trim_end(server, "/");
    if (hf_text_ends(server, "/" BUILD_ID))
        server = hf_text_first(server, server.size - strlen("/" BUILD_ID));
    hf_out_text(&url, server);
    hf_out_string(&url, "/");
    hf_out_bytes(&url, path, strlen(path) + 1);
    enum hf_status status = hf_out_finish(&url, err);
    if (status == HF_OK)
        status = hf_http_target_init(http, &lane->target, url.data, NULL, err);
    hf_out_done(&url);
    return status;
}

/* One sentence of several: "; " between. What does not fit is left out. */
static void servers_say(struct hf_debug_servers_answer *answer, const char *url, const char *why)
{
    size_t size = strlen(answer->said);
    (void)snprintf(answer->said + size, sizeof answer->said - size, "%s%s%s%s",
        size != 0 ? "; " : "", url, url[0] != '\0' ? ": " : "", why);
}

/* A lane for each server that may be asked, and why the others may not. */
static enum hf_status line_up(struct hf_debug_race *race, struct hf_debug_servers_answer *answer,
    bool *out_is_complete, struct hf_error *err)
{
    const struct hf_debug_servers_question *question = race->question;
    struct hf_text rest = hf_text_of(hf_debug_servers_urls());
    bool is_checked = false;
    *out_is_complete = true;
    for (unsigned number = 0;;) {
        rest = hf_text_trim_start(rest, BLANKS);
        size_t end = rest.data != NULL ? strcspn(rest.data, BLANKS) : 0;
        struct hf_text word = hf_text_first(rest, end);
        struct hf_error error = {0};
        if (word.size == 0)
            return HF_OK;
        rest = hf_text_from(rest, word.size);
        if (hf_text_starts(word, IMA)) {
            is_checked = !hf_text_is(word, IMA "ignore");
            continue;
        }
        unsigned server = number++;
        struct hf_debug_lane *lane = &race->lanes[race->count];
        if (server >= HF_DEBUG_SERVERS_MAX) {
            servers_say(answer, "", "DEBUGINFOD_URLS names more than 32 servers");
            *out_is_complete = false;
            return HF_OK;
        }
        if ((question->refused & (uint32_t)1 << server) != 0)
            continue;
        enum hf_status status = lane_aim(lane, race->http, word, question->path, &error);
        if (status == HF_ERR_MEMORY) {
            *err = error;
            return status;
        }
        lane->race = race;
        lane->server = server;
        if (status == HF_OK && !is_checked && now_seconds() >= given_up_until[server]) {
            race->count++;
            continue;
        }
        *out_is_complete = false;
        servers_say(answer, status == HF_OK ? lane->target.shown : "DEBUGINFOD_URLS",
            status != HF_OK ? error.text
            : is_checked    ? "not asked: 'ima:enforcing' needs a check of IMA signatures, which "
                              "heapflame does not do"
                            : "not asked, because it was unreachable or silent before");
        hf_http_target_done(&lane->target);
        lane->target = (struct hf_http_target){0};
    }
}

static void tell_file(const struct hf_debug_race *race, const struct hf_debug_lane *lane)
{
    const struct hf_debug_servers_question *question = race->question;
    char line[1024], size[HF_UNITS_MAX];
    if (question->listener.tell == NULL || !race->rules->tells_files)
        return;
    (void)snprintf(line, sizeof line, "fetched %s from %s: %s", question->what,
        lane->target.host_port, hf_units_bytes(race->size, size));
    question->listener.tell(question->listener.context, line);
}

static void conclude_race(
    const struct hf_debug_race *race, bool is_complete, struct hf_debug_servers_answer *answer)
{
    bool is_absent = is_complete && race->count != 0, is_too_large = false;
    for (size_t i = 0; i < race->count; i++) {
        const struct hf_debug_lane *lane = &race->lanes[i];
        if (lane->is_given_up)
            given_up_until[lane->server] = now_seconds() + GIVEN_UP_SECONDS;
        if (lane->state == HF_DEBUG_LANE_WON) {
            answer->outcome = HF_DEBUG_SERVERS_FOUND;
            answer->server = lane->server;
            answer->fd = race->fd;
            (void)snprintf(answer->said, sizeof answer->said, "%s", lane->target.shown);
            tell_file(race, lane);
            return;
        }
        is_absent = is_absent && lane->state == HF_DEBUG_LANE_ABSENT;
        is_too_large = is_too_large || lane->state == HF_DEBUG_LANE_TOO_LARGE;
        servers_say(answer, lane->target.shown, lane->why);
    }
    answer->outcome = is_too_large ? HF_DEBUG_SERVERS_TOO_LARGE
                      : is_absent  ? HF_DEBUG_SERVERS_ABSENT
                                   : HF_DEBUG_SERVERS_FAILED;
}

static enum hf_status servers_race(struct hf_http *http,
    const struct hf_debug_servers_question *question, const struct hf_debug_rules *rules,
    struct hf_debug_servers_answer *answer, struct hf_error *err)
{
    struct hf_debug_race *race = calloc(1, sizeof *race);
    bool is_complete = false;
    if (race == NULL)
        return hf_error_memory(err);
    race->http = http;
    race->question = question;
    race->rules = rules;
    race->fd = memfd_create("debug", MFD_CLOEXEC);
    enum hf_status status = race->fd >= 0 ? line_up(race, answer, &is_complete, err)
                                          : hf_error_system(err, errno, "no memory for a file");
    if (status == HF_OK && race->count != 0)
        status = hf_debug_race_run(race, err);
    if (status == HF_OK)
        conclude_race(race, is_complete, answer);
    if (answer->fd < 0 && race->fd >= 0)
        close(race->fd);
    for (size_t i = 0; i < race->count; i++)
        hf_http_target_done(&race->lanes[i].target);
    free(race);
    return status;
}

static enum hf_status ask_them(const struct hf_debug_servers_question *question,
    struct hf_debug_servers_answer *answer, struct hf_error *err)
{
    struct hf_http *http;
    struct hf_debug_rules rules = {0};
    struct hf_error error = {0};
    enum hf_status status = hf_http_new(&http, err);
    if (status != HF_OK)
        return status;
    if (read_rules(http, question, &rules, &error) == HF_OK)
        status = servers_race(http, question, &rules, answer, err);
    else
        servers_say(answer, "", error.text);
    http->curl.slist_free_all(rules.headers);
    hf_http_free(http);
    return status;
}

enum hf_status hf_debug_servers_ask(const struct hf_debug_servers_question *question,
    struct hf_debug_servers_answer *out_answer, struct hf_error *err)
{
    *out_answer = (struct hf_debug_servers_answer){.outcome = HF_DEBUG_SERVERS_FAILED, .fd = -1};
    if (hf_broker_is_there())
        return hf_http_line_debug_servers(question, out_answer, err);
    return ask_them(question, out_answer, err);
}
