/*
 * cmd_serve.c: shows the recorded processes of this host over HTTP (server/server.h).
 */
#include "server/server.h"

#include "cli/command.h"
#include "cli/say.h"

struct serve_options {
    struct hf_common common;
    struct hf_server_options server;
};

#define AT(field) struct serve_options, field

static const struct hf_option address_options[] = {
    {"listen", 0, HF_OPT_TEXT(AT(server.listen), "ADDRESS:PORT"),
        "answer at this address (default: " HF_SERVER_LISTEN ")"},
    {"host-name", 0, HF_OPT_LIST(AT(server.host_names), "NAME"),
        "answer by this name of the host, too; may be repeated"},
    {"token-file", 0, HF_OPT_TEXT(AT(server.token_file), "FILE"),
        "answer only requests that have the token in this file"},
    {0},
};

static const struct hf_option log_options[] = {
    {"verbose", 0, HF_OPT_FLAG(AT(server.is_verbose)), "print a line for each request"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Address", address_options},
    {"Log", log_options},
    {"Help", hf_common_options},
    {0},
};

static void serve_tell(void *context, const char *sentence)
{
    const struct serve_options *options = context;
    if (!options->common.quiet)
        hf_say("%s", sentence);
}

static enum hf_status serve_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct serve_options *options = all;
    if (operands->count != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "serve shows all recorded processes: expected no operand, found '%s'",
            operands->items[0]);
    options->server.tell = serve_tell;
    options->server.context = options;
    options->server.keeps_rights = options->common.no_sandbox;
    return hf_server_run(&options->server, err);
}

const struct hf_command hf_cmd_serve = {
    .name = "serve",
    .summary = "Show the recorded processes of this host over HTTP.",
    .operands = "",
    .details =
        "Finds every process with a live table that the user may read, and shows each as a flame\n"
        "graph, as a profile for Go's pprof, and in numbers for Prometheus:\n\n"
        "  /                                  the processes\n"
        "  /process/PID/flame                 the flame graph of one\n"
        "  /process/PID/debug/pprof/heap      its profile; allocs: by bytes ever allocated\n"
        "  /metrics                           all of them in numbers\n\n"
        "It answers on this host only, unless --listen says otherwise; then it needs a token.",
    .groups = groups,
    .options_size = sizeof(struct serve_options),
    .run = serve_run,
};
