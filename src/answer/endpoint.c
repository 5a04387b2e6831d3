#include "answer/endpoint.h"

#include "formats/format.h"
#include "net/answer.h"
#include "net/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_PATH "/debug/prof/mem"

struct endpoint {
    enum hf_http_method method;
    const char *path; /* NULL: the URL's own */
};

static const struct endpoint known_endpoints[] = {
    {HF_HTTP_POST, CONTROL_PATH},
    {HF_HTTP_GET, "/v1/prof/mem"},
    {HF_HTTP_GET, "/debug/pprof/heap"},
    {HF_HTTP_GET, "/pprof/heap"},
};

static const struct endpoint own_endpoints[] = {{HF_HTTP_GET, NULL}, {HF_HTTP_POST, NULL}};

static const char *method_name(enum hf_http_method method)
{
    return method == HF_HTTP_GET ? "GET" : "POST";
}

/*
 * The error for an answer that is no profile, and whether it explains itself: then no other
 * endpoint would know better.
 */
static enum hf_status endpoint_refuse(const struct hf_http_answer *answer, const char *shown,
    bool *out_explains, struct hf_error *err)
{
    char sentence[HF_ANSWER_TEXT_MAX];
    struct hf_text body = hf_out_view(&answer->body);
    const char *reason = hf_http_reason(answer->status);
    const char *gap = reason[0] != '\0' ? " " : "";
    bool is_json = hf_answer_json_error(body, sentence);
    bool has_sentence = is_json || hf_answer_line(body, sentence);
    enum hf_answer_problem problem = has_sentence ? hf_answer_problem(sentence) : HF_ANSWER_UNKNOWN;
    const char *remedy = hf_answer_remedy(problem);
    *out_explains = is_json || remedy != NULL;
    if (remedy != NULL)
        hf_error_set(err, HF_ERR_NETWORK, "the server says '%s': %s", sentence, remedy);
    else if (has_sentence)
        hf_error_set(err, HF_ERR_NETWORK, "the server answers %d%s%s: '%s'", answer->status, gap,
            reason, sentence);
    else
        hf_error_set(err, HF_ERR_NETWORK, "the server answers %d%s%s", answer->status, gap, reason);
    hf_error_in(err, shown);
    return HF_ERR_NETWORK;
}

static bool is_missing(int status)
{
    return status == 404 || status == 405;
}

/*
 * A page for people, sent for every path; its lines may look like folded stacks. An error in JSON
 * sent with 200 is one too.
 */
static bool is_page(const struct hf_http_answer *answer)
{
    char sentence[HF_ANSWER_TEXT_MAX];
    return hf_text_starts(hf_text_of(answer->content_type), "text/html") ||
           hf_answer_json_error(hf_out_view(&answer->body), sentence);
}

/* Reads the profile of an answer and moves both to `fetched`. */
static enum hf_status take_profile(struct hf_http_answer *answer,
    const struct hf_http_target *target, bool is_tcmalloc_v1, struct hf_endpoint_profile *fetched,
    struct hf_error *err)
{
    struct hf_input input;
    fetched->shown = strdup(target->shown);
    if (fetched->shown == NULL)
        return hf_error_memory(err);
    hf_input_open_memory(&input, hf_out_view(&answer->body), fetched->shown);
    input.is_tcmalloc_v1 = is_tcmalloc_v1;
    enum hf_status status = hf_format_read(&input, &fetched->profile, err);
    hf_input_close(&input);
    if (status != HF_OK) {
        free(fetched->shown);
        fetched->shown = NULL;
        return status;
    }
    fetched->body = answer->body;
    answer->body = (struct hf_out){0};
    return HF_OK;
}

struct endpoint_search {
    struct hf_http *http;
    const char *url;
    const struct hf_loader_options *options;
    struct hf_endpoint_profile *fetched;
    bool is_over;          /* found, or no other endpoint can help */
    enum hf_status status; /* of the best answer so far */
    struct hf_error error; /* of a missing endpoint only if nothing else was heard */
    bool only_missing;
    struct hf_out asked; /* "POST /debug/prof/mem, GET ..." */
};

static void judge(
    struct endpoint_search *s, struct hf_http_answer *answer, const struct hf_http_target *target)
{
    struct hf_error error = {0};
    bool explains = false;
    enum hf_status status;
    if (answer->status == 200 && !is_page(answer))
        status = take_profile(answer, target, s->options->is_tcmalloc_v1, s->fetched, &error);
    else
        status = endpoint_refuse(answer, target->shown, &explains, &error);
    bool missing = is_missing(answer->status);
    if (status == HF_OK || status == HF_ERR_MEMORY || (explains && !missing))
        s->is_over = true;
    if (s->is_over || s->only_missing) {
        s->status = status;
        s->error = error;
    }
    s->only_missing = s->only_missing && missing;
}

static void ask_endpoint(struct endpoint_search *s, const struct endpoint *endpoint)
{
    struct hf_http_target target;
    struct hf_http_answer answer;
    enum hf_status status =
        hf_http_target_init(s->http, &target, s->url, endpoint->path, &s->error);
    if (status == HF_OK) {
        const struct hf_listener *listener = s->options->listener;
        struct hf_http_request request = {.method = endpoint->method,
            .target = &target,
            .watch = hf_listener_begin(listener, "fetching", target.host_port)};
        status = hf_http_ask(s->http, &request, &answer, &s->error);
        hf_listener_end(listener);
        if (status == HF_OK) {
            hf_out_printf(&s->asked, "%s%s %s", s->asked.size != 0 ? ", " : "",
                method_name(endpoint->method), endpoint->path != NULL ? endpoint->path : "");
            judge(s, &answer, &target);
            hf_http_answer_done(&answer);
        } else {
            s->is_over = true; /* nobody there, or too much: no path changes that */
            s->status = status;
        }
        hf_http_target_done(&target);
    } else {
        s->is_over = true;
        s->status = status;
    }
}

static enum hf_status endpoint_search(
    struct endpoint_search *s, const struct hf_http_target *target, struct hf_error *err)
{
    const struct endpoint *endpoints = target->has_path ? own_endpoints : known_endpoints;
    size_t count = target->has_path ? HF_COUNT(own_endpoints) : HF_COUNT(known_endpoints);
    s->only_missing = true;
    for (size_t i = 0; i < count && !s->is_over; i++) {
        /* A path that GET knows is not tried again. */
        if (!target->has_path || s->only_missing)
            ask_endpoint(s, &endpoints[i]);
    }
    if (s->status != HF_OK && !s->is_over && s->only_missing && !target->has_path) {
        hf_out_char(&s->asked, '\0');
        hf_error_set(&s->error, s->status,
            "found none of the known endpoints for heap profiles (%s): give the full URL of the "
            "profile",
            s->asked.error.status == HF_OK ? s->asked.data : "");
        hf_error_in(&s->error, target->shown);
    }
    if (s->status != HF_OK && err != NULL)
        *err = s->error;
    return s->status;
}

enum hf_status hf_endpoint_fetch(const char *url, const struct hf_loader_options *options,
    struct hf_endpoint_profile *out_fetched, struct hf_error *err)
{
    struct hf_endpoint_profile fetched = {0};
    struct endpoint_search s = {.url = url, .options = options, .fetched = &fetched};
    struct hf_http_target target;
    enum hf_status status = hf_http_new(&s.http, err);
    if (status != HF_OK)
        return status;
    status = hf_http_target_init(s.http, &target, url, NULL, err);
    if (status == HF_OK) {
        status = endpoint_search(&s, &target, err);
        hf_http_target_done(&target);
    }
    hf_out_done(&s.asked);
    hf_http_free(s.http);
    if (status == HF_OK)
        *out_fetched = fetched;
    return status;
}

void hf_endpoint_profile_done(struct hf_endpoint_profile *fetched)
{
    hf_out_done(&fetched->body);
    hf_profile_free(fetched->profile);
    free(fetched->shown);
    *fetched = (struct hf_endpoint_profile){0};
}

/* The path of a switch: below what the URL's path leads to, so that a server behind a proxy's
 * prefix is reached too. */
static char *control_path(const char *url, const char *name)
{
    struct hf_text path = hf_text_of(strstr(url, "://") + strlen("://"));
    path = hf_text_first(path, strcspn(path.data, "?#"));
    path = hf_text_from(path, hf_text_find(path, '/'));
    while (hf_text_ends(path, "/"))
        path.size--;
    if (hf_text_ends(path, CONTROL_PATH))
        path.size -= strlen(CONTROL_PATH);
    char *whole;
    int size = asprintf(
        &whole, "%.*s" CONTROL_PATH "/%s", (int)path.size, path.size != 0 ? path.data : "", name);
    return size >= 0 ? whole : NULL;
}

/* Asks a switch; any status but 200 is an error that says what to do. Free the answer. */
static enum hf_status ask_control(struct hf_http *http, const char *url, const char *name,
    struct hf_http_request *request, struct hf_http_answer *out_answer, struct hf_error *err)
{
    struct hf_http_target target;
    if (!hf_http_is_url(url)) /* control_path relies on it */
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a URL 'http://HOST:PORT', found '%s'", url);
    char *path = control_path(url, name);
    if (path == NULL)
        return hf_error_memory(err);
    enum hf_status status = hf_http_target_init(http, &target, url, path, err);
    free(path);
    if (status != HF_OK)
        return status;
    request->target = &target;
    struct hf_http_answer answer;
    status = hf_http_ask(http, request, &answer, err);
    if (status == HF_OK && answer.status == 200) {
        *out_answer = answer;
    } else if (status == HF_OK) {
        bool explains;
        status = endpoint_refuse(&answer, target.shown, &explains, err);
        if (is_missing(answer.status) && !explains) {
            hf_error_set(err, HF_ERR_NETWORK,
                "the server has no such switch (%d %s): expected a server with "
                "GreptimeDB's switches",
                answer.status, hf_http_reason(answer.status));
            hf_error_in(err, target.shown);
        }
        hf_http_answer_done(&answer);
    }
    hf_http_target_done(&target);
    return status;
}

enum hf_status hf_endpoint_turn(const char *url, enum hf_endpoint_switch what, struct hf_error *err)
{
    static const struct {
        const char *name, *form;
    } switches[] = {
        [HF_ENDPOINT_ACTIVATE] = {"activate", NULL},
        [HF_ENDPOINT_DEACTIVATE] = {"deactivate", NULL},
        [HF_ENDPOINT_GDUMP_ON] = {"gdump", "activate=true"},
        [HF_ENDPOINT_GDUMP_OFF] = {"gdump", "activate=false"},
    };
    struct hf_http *http;
    struct hf_http_answer answer;
    struct hf_http_request request = {.method = HF_HTTP_POST, .form = switches[what].form};
    enum hf_status status = hf_http_new(&http, err);
    if (status != HF_OK)
        return status;
    status = ask_control(http, url, switches[what].name, &request, &answer, err);
    if (status == HF_OK)
        hf_http_answer_done(&answer);
    hf_http_free(http);
    return status;
}

static enum hf_status ask_state(struct hf_http *http, const char *url, const char *name,
    bool *out_is_active, struct hf_error *err)
{
    struct hf_http_answer answer;
    struct hf_http_request request = {.method = HF_HTTP_GET};
    enum hf_status status = ask_control(http, url, name, &request, &answer, err);
    if (status != HF_OK)
        return status;
    if (!hf_answer_active(hf_out_view(&answer.body), out_is_active))
        status = hf_error_set(err, HF_ERR_INPUT,
            "expected {\"active\": true} or {\"active\": false} as the answer to '%s'; found "
            "something else",
            name);
    hf_http_answer_done(&answer);
    return status;
}

enum hf_status hf_endpoint_ask_state(
    const char *url, struct hf_endpoint_state *out_state, struct hf_error *err)
{
    struct hf_http *http;
    struct hf_endpoint_state state = {0};
    enum hf_status status = hf_http_new(&http, err);
    if (status != HF_OK)
        return status;
    status = ask_state(http, url, "status", &state.is_active, err);
    if (status == HF_OK) {
        /* Servers had the first switch before they had this one. */
        state.knows_gdump = ask_state(http, url, "gdump", &state.gdump_is_active, NULL) == HF_OK;
        *out_state = state;
    }
    hf_http_free(http);
    return status;
}
