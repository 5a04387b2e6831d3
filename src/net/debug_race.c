#include "net/debug_race.h"

#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_EVERY_MS 100
#define MS_PER_SECOND 1000
#define SILENT_BYTES ((uint64_t)100 << 10) /* debuginfod-client-config(7), DEBUGINFOD_TIMEOUT */

enum {
    HTTP_OK = 200,
    HTTP_REDIRECT = 300,
    HTTP_BAD = 400,
    HTTP_ABSENT = 404,
    HTTP_TOO_LARGE = 406,
    HTTP_GONE = 410,
    HTTP_FAILED = 500
};

static uint64_t race_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * MS_PER_SECOND + (uint64_t)now.tv_nsec / 1000000;
}

static bool write_whole(int fd, const char *data, size_t size)
{
    while (size != 0) {
        ssize_t written = write(fd, data, size);
        if (written < 0 && errno != EINTR)
            return false;
        data += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* Who sends the first byte of the file leads; whoever comes later is stopped. */
static size_t lane_receive(char *data, size_t unit, size_t count, void *context)
{
    struct hf_debug_lane *lane = context;
    struct hf_debug_race *race = lane->race;
    size_t size = unit * count;
    if (hf_transfer_status(&lane->transfer) != HTTP_OK)
        return size; /* a page that says why */
    if (race->leader == NULL)
        race->leader = lane;
    if (race->leader != lane)
        return 0;
    lane->is_too_large = size > race->rules->most_bytes - race->size;
    if (lane->is_too_large)
        return 0;
    lane->is_unwritten = !write_whole(race->fd, data, size);
    race->size += size;
    return lane->is_unwritten ? 0 : size;
}

static uint64_t lane_bytes(const struct hf_debug_lane *lane)
{
    curl_off_t done = 0;
    (void)lane->transfer.http->curl.easy_getinfo(
        lane->transfer.easy, CURLINFO_SIZE_DOWNLOAD_T, &done);
    return done > 0 ? (uint64_t)done : 0;
}

static uint64_t lane_all_bytes(const struct hf_debug_lane *lane)
{
    curl_off_t all = 0;
    (void)lane->transfer.http->curl.easy_getinfo(
        lane->transfer.easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &all);
    return all > 0 ? (uint64_t)all : 0;
}

static enum hf_status lane_start(struct hf_debug_lane *lane, struct hf_error *err)
{
    struct hf_debug_race *race = lane->race;
    const struct hf_debug_rules *rules = race->rules;
    enum hf_status status = hf_transfer_init(&lane->transfer, race->http, &lane->target, err);
    if (status != HF_OK)
        return status;
    const struct hf_transfer *t = &lane->transfer;
    bool ok =
        hf_transfer_point(t, CURLOPT_PRIVATE, lane) &&
        hf_transfer_point(t, CURLOPT_WRITEDATA, lane) &&
        race->http->curl.easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, lane_receive) == CURLE_OK &&
        hf_transfer_point(t, CURLOPT_HTTPHEADER, rules->headers) &&
        hf_transfer_set(t, CURLOPT_FOLLOWLOCATION, rules->follows) &&
        race->http->curl.multi_add_handle(race->multi, t->easy) == CURLM_OK;
    if (!ok) {
        hf_transfer_done(&lane->transfer);
        return hf_transfer_lacks(err);
    }
    lane->tries++;
    lane->mark_ms = race_now_ms();
    lane->marked = 0;
    lane->is_too_large = false;
    lane->state = HF_DEBUG_LANE_RUNS;
    return HF_OK;
}

/* It does not run any more. */
static void lane_stop(struct hf_debug_lane *lane, enum hf_debug_lane_state state)
{
    struct hf_debug_race *race = lane->race;
    (void)race->http->curl.multi_remove_handle(race->multi, lane->transfer.easy);
    hf_transfer_done(&lane->transfer);
    lane->state = state;
    if (state == HF_DEBUG_LANE_WON || race->leader != lane)
        return;
    race->leader = NULL;
    race->size = 0;
    lane->is_unwritten =
        lane->is_unwritten || ftruncate(race->fd, 0) != 0 || lseek(race->fd, 0, SEEK_SET) != 0;
}

static void race_tell(const struct hf_debug_lane *lane, const char *sentence)
{
    const struct hf_debug_servers_listener *listener = &lane->race->question->listener;
    char line[sizeof lane->why + 1024];
    if (listener->tell == NULL || !lane->race->rules->is_verbose)
        return;
    (void)snprintf(line, sizeof line, "debuginfod: %s: %s", lane->target.shown, sentence);
    listener->tell(listener->context, line);
}

static void lane_fail(struct hf_debug_lane *lane, const char *why, bool is_given_up)
{
    (void)snprintf(lane->why, sizeof lane->why, "%s", why);
    lane->is_given_up = is_given_up;
    race_tell(lane, lane->why);
    lane_stop(lane, HF_DEBUG_LANE_FAILED);
}

static void lane_refuse_size(struct hf_debug_lane *lane)
{
    char size[HF_UNITS_MAX];
    uint64_t most = lane->race->rules->most_bytes;
    (void)snprintf(lane->why, sizeof lane->why, "the file is larger than %s (%s)",
        hf_units_bytes(most, size),
        most < HF_LIMIT_HTTP_BODY ? "DEBUGINFOD_MAXSIZE" : "HF_LIMIT_HTTP_BODY");
    race_tell(lane, lane->why);
    lane_stop(lane, HF_DEBUG_LANE_TOO_LARGE);
}

/* Once more, if that may help and may be done. */
static void lane_fail_or_repeat(struct hf_debug_lane *lane, const char *why)
{
    bool repeats = lane->tries <= lane->race->rules->retries;
    lane_fail(lane, why, false);
    if (repeats)
        lane->state = HF_DEBUG_LANE_WAITS;
}

/* An answer is there, from the first to the last byte. */
static void lane_take_answer(struct hf_debug_lane *lane)
{
    char line[128], size[HF_UNITS_MAX];
    int status = (int)hf_transfer_status(&lane->transfer);
    const char *name = hf_http_reason(status);
    (void)snprintf(
        line, sizeof line, "the server answers %d%s%s", status, name[0] != '\0' ? " " : "", name);
    if (status == HTTP_OK && lane->race->leader == lane) {
        (void)snprintf(line, sizeof line, "%d, %s", status, hf_units_bytes(lane->race->size, size));
        race_tell(lane, line);
        lane_stop(lane, HF_DEBUG_LANE_WON);
    } else if (status == HTTP_TOO_LARGE) {
        lane_refuse_size(lane);
    } else if (status == HTTP_ABSENT || status == HTTP_GONE) {
        lane_fail(lane, line, false);
        lane->state = HF_DEBUG_LANE_ABSENT;
    } else if (status == HTTP_OK) {
        lane_fail(lane, "the answer is empty", false);
    } else if (status >= HTTP_REDIRECT && status < HTTP_BAD) {
        lane_fail(lane,
            "the server redirects, but redirects are not followed with DEBUGINFOD_HEADERS_FILE",
            false);
    } else if (status >= HTTP_FAILED) {
        lane_fail_or_repeat(lane, line);
    } else {
        lane_fail(lane, line, false);
    }
}

/* True for what is another time perhaps not so: a server that broke off. */
static bool may_pass(CURLcode code)
{
    return code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR ||
           code == CURLE_SEND_ERROR || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

static void lane_take_failure(struct hf_debug_lane *lane, CURLcode code)
{
    struct hf_error error = {0};
    if (lane->is_too_large) {
        lane_refuse_size(lane);
    } else if (lane->is_unwritten) {
        lane_fail(lane, "no memory for the answer", false);
    } else if (lane->race->leader != NULL && lane->race->leader != lane) {
        lane_stop(lane, HF_DEBUG_LANE_WAITS);
    } else if (hf_transfer_explain(&lane->transfer, code, &error) != HF_OK && may_pass(code)) {
        lane_fail_or_repeat(lane, error.text);
    } else {
        lane_fail(lane, error.text, true);
    }
}

static void take_ended(struct hf_debug_race *race)
{
    int left;
    const CURLMsg *message;
    while ((message = race->http->curl.multi_info_read(race->multi, &left)) != NULL) {
        char *lane = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        (void)race->http->curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &lane);
        if (code == CURLE_OK)
            lane_take_answer((struct hf_debug_lane *)(void *)lane);
        else
            lane_take_failure((struct hf_debug_lane *)(void *)lane, code);
    }
}

/* By the times that are set; false if it goes on. */
static void look_at_time(struct hf_debug_lane *lane, uint64_t now_ms)
{
    struct hf_debug_race *race = lane->race;
    const struct hf_debug_rules *rules = race->rules;
    char why[200];
    uint64_t bytes = lane_bytes(lane), silent = rules->silent_seconds;
    uint64_t most = rules->most_seconds;
    if (now_ms - race->begun_ms >= most * MS_PER_SECOND) {
        const char *host = lane->target.host_port;
        if (most < HF_LIMIT_HTTP_SECONDS)
            (void)snprintf(why, sizeof why,
                "the file from %s was not complete after %llu %s (DEBUGINFOD_MAXTIME)", host,
                (unsigned long long)most, hf_plural(most, "second", "seconds"));
        else
            (void)snprintf(why, sizeof why,
                "%s did not finish its answer within %llu seconds (HF_LIMIT_HTTP_SECONDS)", host,
                (unsigned long long)most);
        lane_fail(lane, why, true);
    } else if (silent != 0 && now_ms - lane->mark_ms >= silent * MS_PER_SECOND) {
        if (bytes - lane->marked < SILENT_BYTES) {
            (void)snprintf(why, sizeof why,
                "%s sent less than 100 KiB in %llu %s (DEBUGINFOD_TIMEOUT)", lane->target.host_port,
                (unsigned long long)silent, hf_plural(silent, "second", "seconds"));
            lane_fail(lane, why, true);
            return;
        }
        lane->mark_ms = now_ms;
        lane->marked = bytes;
    }
}

/* Stops those that are too late, and while one leads all others; starts who waits if none does. */
static enum hf_status race_arrange(struct hf_debug_race *race, bool *out_runs, struct hf_error *err)
{
    uint64_t now_ms = race_now_ms();
    enum hf_status status = HF_OK;
    bool is_won = false;
    *out_runs = false;
    for (size_t i = 0; i < race->count; i++) {
        struct hf_debug_lane *lane = &race->lanes[i];
        if (lane->state == HF_DEBUG_LANE_RUNS && race->leader != NULL && race->leader != lane)
            lane_stop(lane, HF_DEBUG_LANE_WAITS);
        if (lane->state == HF_DEBUG_LANE_RUNS)
            look_at_time(lane, now_ms);
        is_won = is_won || lane->state == HF_DEBUG_LANE_WON;
        *out_runs = *out_runs || lane->state == HF_DEBUG_LANE_RUNS;
    }
    for (size_t i = 0; i < race->count && race->leader == NULL && !is_won && status == HF_OK; i++) {
        if (race->lanes[i].state == HF_DEBUG_LANE_WAITS) {
            status = lane_start(&race->lanes[i], err);
            *out_runs = true;
        }
    }
    return status;
}

enum hf_status hf_debug_race_run(struct hf_debug_race *race, struct hf_error *err)
{
    const struct hf_curl *curl = &race->http->curl;
    bool runs = true;
    int running;
    race->begun_ms = race_now_ms();
    race->multi = curl->multi_init();
    enum hf_status status = race->multi != NULL ? HF_OK : hf_error_memory(err);
    while (status == HF_OK) {
        status = race_arrange(race, &runs, err);
        if (status != HF_OK || !runs)
            break;
        (void)curl->multi_perform(race->multi, &running);
        take_ended(race);
        hf_watch_update(&race->question->watch, race->size,
            race->leader != NULL && race->leader->state == HF_DEBUG_LANE_RUNS
                ? lane_all_bytes(race->leader)
                : 0);
        if (race->leader == NULL || race->leader->state == HF_DEBUG_LANE_RUNS)
            (void)curl->multi_poll(race->multi, NULL, 0, LOOK_EVERY_MS, NULL);
    }
    for (size_t i = 0; i < race->count; i++) {
        if (race->lanes[i].state == HF_DEBUG_LANE_RUNS)
            lane_stop(&race->lanes[i], HF_DEBUG_LANE_WAITS);
    }
    if (race->multi != NULL)
        (void)curl->multi_cleanup(race->multi);
    return status;
}
