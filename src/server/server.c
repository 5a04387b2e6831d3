#include "server/server.h"

#include "base/plural.h"
#include "capture/signals.h"
#include "render/page/page.h"
#include "server/access.h"
#include "server/connections.h"
#include "server/errands.h"
#include "server/listen_address.h"
#include "server/metrics.h"
#include "server/process_page.h"
#include "server/recorded_processes.h"
#include "server/route.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define LOOK_NS (5 * SECOND_NS)
#define LOOK_SHARE 200u /* looking for processes takes at most this part of a processor */

#define PLAIN "text/plain; charset=utf-8"
#define PAGE_POLICY_MAX 512
#define NO_POLICY "default-src 'none'; frame-ancestors 'none'"

struct server {
    const struct hf_server_options *options;
    struct hf_loop loop;
    struct hf_signals signals;
    struct hf_access access;
    struct hf_recorded_processes processes;
    struct hf_loop_source looking;
    struct hf_connections connections;
    struct hf_errands errands;
    char page_policy[PAGE_POLICY_MAX];
};

static uint64_t server_computed_ns(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

static enum hf_status look_for_processes(void *context, struct hf_error *err)
{
    (void)err;
    struct server *server = context;
    uint64_t from_ns = server_computed_ns();
    hf_recorded_processes_look(&server->processes);
    uint64_t rest_ns = (server_computed_ns() - from_ns) * LOOK_SHARE;
    server->looking.due_ns = hf_loop_now_ns() + (rest_ns > LOOK_NS ? rest_ns : LOOK_NS);
    return HF_OK;
}

static void server_stop(void *context, int signal, bool is_of_kernel)
{
    (void)signal;
    (void)is_of_kernel;
    struct server *server = context;
    server->loop.is_over = true;
}

/* A status that is not 200, with a sentence. */
static void reply_sentence(struct hf_visit *visit, unsigned status, const char *sentence,
    const struct hf_reply_header *header)
{
    char line[HF_ERROR_TEXT_MAX + 2];
    (void)snprintf(line, sizeof line, "%s\n", sentence);
    struct hf_reply reply = {.status = status,
        .type = PLAIN,
        .text = hf_text_of(line),
        .fd = -1,
        .headers = {{"Content-Security-Policy", NO_POLICY}}};
    if (header != NULL)
        reply.headers[1] = *header;
    hf_visit_reply(visit, &reply);
}

static void reply_text(
    struct hf_visit *visit, struct hf_out *out, const char *type, const char *policy)
{
    struct hf_error err;
    if (hf_out_finish(out, &err) == HF_OK)
        hf_visit_reply(visit, &(struct hf_reply){.status = 200,
                                  .type = type,
                                  .text = hf_out_view(out),
                                  .fd = -1,
                                  .headers = {{"Content-Security-Policy", policy}}});
    else
        reply_sentence(visit, 500, err.text, NULL);
    hf_out_done(out);
}

static void reply_errand(
    void *context, struct hf_visit *visit, const struct hf_errand_result *result)
{
    const struct server *server = context;
    bool is_page = result->kind == HF_ROUTE_FLAME;
    struct hf_reply reply = {.status = 200,
        .type = is_page ? "text/html; charset=utf-8" : "application/octet-stream",
        .fd = result->fd,
        .size = result->size,
        .headers = {{"Content-Security-Policy", is_page ? server->page_policy : NO_POLICY},
            {is_page ? NULL : "Content-Disposition", "attachment; filename=\"profile.pb.gz\""}}};
    if (result->is_made)
        hf_visit_reply(visit, &reply);
    else
        reply_sentence(visit, 500, result->said, NULL);
}

/* The loopback device is everybody's: who runs on this host must not see what is another user's. */
static bool is_own_user(const struct hf_visit *visit)
{
    return visit->has_peer_user && (visit->peer_user == geteuid() || visit->peer_user == 0);
}

/* False: it is answered already, because it is not one that may be. */
static bool visit_is_allowed(const struct server *server, struct hf_visit *visit)
{
    static const struct hf_reply_header ask = {
        "WWW-Authenticate", "Basic realm=\"heapflame\", charset=\"UTF-8\""};
    static const struct hf_reply_header allow = {"Allow", "GET, HEAD"};
    if (!hf_text_is(visit->method, "GET") && !hf_text_is(visit->method, "HEAD"))
        reply_sentence(visit, 405, "this server answers GET and HEAD only", &allow);
    else if (visit->is_strange)
        reply_sentence(visit, 400, "expected a request without a body, and each header once", NULL);
    else if (!hf_access_allows_host(&server->access, visit->host, hf_text_of(visit->own_address)))
        reply_sentence(visit, 403,
            "this server does not answer by the name in the Host header: see --host-name", NULL);
    else if (!hf_access_allows(&server->access, visit->authorization))
        reply_sentence(visit, 401,
            "expected the token of the server, as a bearer token, or as the password of the user "
            "heapflame",
            &ask);
    else if (!server->access.has_token && !is_own_user(visit))
        reply_sentence(visit, 403,
            "without a token, only the user who started this server and root are answered: see "
            "--token-file",
            NULL);
    else
        return true;
    return false;
}

static void reply_of_process(
    struct server *server, struct hf_visit *visit, const struct hf_route *route)
{
    const struct hf_recorded_process *process =
        hf_recorded_processes_find(&server->processes, route->pid);
    if (process == NULL)
        reply_sentence(visit, 404, "this process has ended, or is not recorded", NULL);
    else
        hf_errands_ask(&server->errands, route->kind, process, visit);
}

static void visit_come(void *context, struct hf_visit *visit)
{
    struct server *server = context;
    struct hf_out out = {0};
    struct hf_route route = hf_route_parse(hf_text_of(visit->target));
    if (!visit_is_allowed(server, visit))
        return;
    switch (route.kind) {
    case HF_ROUTE_NONE: reply_sentence(visit, 404, "there is no such page", NULL); break;
    case HF_ROUTE_REFUSED:
        reply_sentence(
            visit, 400, "the parameters seconds, profile and debug are not supported", NULL);
        break;
    case HF_ROUTE_LIST:
        hf_process_page_write(&out, &server->processes);
        reply_text(visit, &out, "text/html; charset=utf-8", HF_PROCESS_PAGE_POLICY);
        break;
    case HF_ROUTE_METRICS:
        hf_metrics_write(&out, &server->processes);
        reply_text(visit, &out, HF_METRICS_TYPE, NO_POLICY);
        break;
    case HF_ROUTE_FLAME:
    case HF_ROUTE_HEAP:
    case HF_ROUTE_ALLOCS: reply_of_process(server, visit, &route); break;
    }
}

static void visit_gone(void *context, const struct hf_visit *visit)
{
    const struct server *server = context;
    char line[HF_VISIT_TARGET_MAX + INET6_ADDRSTRLEN + 64];
    if (!server->options->is_verbose)
        return;
    (void)snprintf(line, sizeof line, "%s \"%.*s %s\" %u", visit->peer_address,
        (int)hf_text_first(visit->method, 16).size, visit->method.data,
        visit->target[0] != '\0' ? visit->target : "...", visit->status);
    server->options->tell(server->options->context, line);
}

/* Where it listens, and whether it may without a token. */
static enum hf_status open_socket(const struct server *server, int *out_socket,
    struct hf_listen_address *address, struct hf_error *err)
{
    const struct hf_server_options *options = server->options;
    enum hf_status status = hf_listen_address_parse(
        address, hf_text_of(options->listen != NULL ? options->listen : HF_SERVER_LISTEN), err);
    if (status != HF_OK)
        return status;
    if (!address->is_loopback && !server->access.has_token)
        return hf_error_set(err, HF_ERR_USAGE,
            "--listen: other machines can reach this address: give a token with --token-file");
    return hf_listen_address_open(address, out_socket, err);
}

static enum hf_status server_begin(struct server *server, struct hf_error *err)
{
    static const int stopping[] = {SIGINT, SIGTERM};
    const struct hf_server_options *options = server->options;
    struct hf_listen_address address;
    char shown[HF_LISTEN_ADDRESS_MAX], line[HF_LISTEN_ADDRESS_MAX + 96];
    int socket;
    server->access.names = options->host_names;
    enum hf_status status = HF_OK;
    if (options->token_file != NULL)
        status = hf_access_read_token(&server->access, options->token_file, err);
    if (status == HF_OK)
        status = hf_signals_open(
            &server->signals, stopping, HF_COUNT(stopping), server_stop, server, err);
    if (status == HF_OK)
        status = open_socket(server, &socket, &address, err);
    if (status == HF_OK)
        status = hf_connections_begin(&server->connections, socket, &server->loop, err);
    if (status != HF_OK)
        return status;
    hf_errands_begin(&server->errands, &server->loop);
    hf_loop_add(&server->loop, &server->signals.source);
    hf_loop_add(&server->loop, &server->looking);
    status = look_for_processes(server, err);
    hf_listen_address_put(&address, shown);
    (void)snprintf(line, sizeof line, "http://%s/ shows %zu recorded %s", shown,
        server->processes.count, hf_plural(server->processes.count, "process", "processes"));
    options->tell(options->context, line);
    return status;
}

enum hf_status hf_server_run(const struct hf_server_options *options, struct hf_error *err)
{
    struct server server = {
        .options = options,
        .signals = {.source.fd = -1},
    };
    server.looking =
        (struct hf_loop_source){.fd = -1, .wake = look_for_processes, .context = &server};
    server.connections =
        (struct hf_connections){.come = visit_come, .gone = visit_gone, .context = &server};
    server.errands = (struct hf_errands){
        .keeps_rights = options->keeps_rights, .reply = reply_errand, .context = &server};
    struct hf_text policy = hf_page_policy();
    (void)snprintf(server.page_policy, sizeof server.page_policy,
        "%.*s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", (int)policy.size,
        policy.data);
    (void)signal(SIGPIPE, SIG_IGN); /* of a client that goes while it is written to */
    enum hf_status status = server_begin(&server, err);
    if (status == HF_OK)
        status = hf_loop_run(&server.loop, err);
    hf_errands_end(&server.errands);
    hf_connections_end(&server.connections);
    hf_recorded_processes_done(&server.processes);
    hf_signals_close(&server.signals);
    hf_access_done(&server.access);
    return status;
}
