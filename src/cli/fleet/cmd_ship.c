/*
 * cmd_ship.c: puts profiles into a store: a worker without rights reads and names them, the command
 * alone opens the store.
 */
#include "answer/fleet/shipment.h"
#include "answer/loader.h"
#include "answer/operand.h"
#include "base/plural.h"
#include "cli/history_options.h"
#include "cli/reader.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

extern const struct hf_command hf_cmd_ship; /* below */

struct ship_options {
    struct hf_history_options history;
    const char *store;
    struct hf_shipping_terms terms;
    char host[HOST_NAME_MAX + 1];
};

#define AT(field) struct ship_options, field

static const struct hf_option ship_options[] = {
    {"store", 0, HF_OPT_TEXT(AT(store), "FILE"),
        "add the profiles to this store, which is created if needed"},
    {"service", 's', HF_OPT_TEXT(AT(terms.service), "NAME"),
        "the service that the processes belong to, e.g. shop (default: the program's name)"},
    {"build", 0, HF_OPT_TEXT(AT(terms.build), "NAME"),
        "the build of the service (default: its version, or the start of its build-id)"},
    {"node", 0, HF_OPT_TEXT(AT(terms.node), "NAME"),
        "the machine that the processes ran on (default: this one's name)"},
    {"value", 0, HF_OPT_TEXT(AT(history.view.request.fold.value), "NAME"),
        "the value that holds the bytes in use (default: inuse_space)"},
    {"instance", 0, HF_OPT_TEXT(AT(terms.instance), "NAME"),
        "name this run of the process, if its profiles do not identify it"},
    {0},
};

static const struct hf_option watch_options[] = {
    {"every", 0, HF_OPT_WAIT(AT(history.every_ns), "TIME"),
        "read a running process every TIME until it ends, instead of once"},
    {"duration", 'd', HF_OPT_WAIT(AT(history.duration_ns), "TIME"),
        "the same for TIME at most (default: until it ends, or Ctrl-C)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Store", ship_options},
    {"Process", watch_options},
    {"", hf_input_budget_options},
    HF_NAMING_GROUPS,
    {0},
};

static enum hf_status ship_say(
    struct ship_options *options, const struct hf_shipment *shipment, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    if (shipment->added != 0 || shipment->known == 0)
        hf_out_printf(&output.out, "%" PRIu64 " %s added to %s\n", shipment->added,
            hf_plural(shipment->added, "profile was", "profiles were"), options->store);
    if (shipment->known != 0)
        hf_out_printf(&output.out, "%" PRIu64 " %s there already\n", shipment->known,
            hf_plural(shipment->known, "profile was", "profiles were"));
    return hf_output_close(&output, status, err);
}

/* What is read of a process again and again. */
struct ship_look {
    struct hf_shipment *shipment;
    const char *name;
};

/* Each look is acknowledged before the next. */
static enum hf_status ship_look(void *context, struct hf_error *err)
{
    const struct ship_look *look = context;
    const struct hf_dated_profile now = {look->name, hf_timeline_now()};
    struct hf_profile *profile;
    struct hf_loader_options load = look->shipment->request->input;
    load.listener = NULL;
    enum hf_status status = hf_loader_read(&now.name, 1, &load, &profile, err);
    if (status == HF_OK)
        status = hf_shipment_add(look->shipment, &now, profile, err);
    return status == HF_OK ? hf_shipment_send(look->shipment, err) : status;
}

static enum hf_status ship_poll(
    void *context, struct hf_poller *poller, struct hf_loop *loop, struct hf_error *err)
{
    poller->look = ship_look;
    poller->context = context;
    poller->tell = NULL; /* it tells of a report */
    enum hf_status status = hf_poller_begin(poller, loop, err);
    if (status == HF_OK)
        status = hf_loop_run(loop, err);
    hf_poller_end(poller);
    return status;
}

static enum hf_status ship_read(struct ship_options *options, struct hf_shipment *shipment,
    const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_poller poller = {0};
    struct ship_look look = {shipment, operands->items[0]};
    const struct hf_history_options *history = &options->history;
    if (history->every_ns == 0 && history->duration_ns == 0)
        return hf_shipment_read(shipment, operands->items, operands->count, err);
    if (operands->count != 1 || !hf_operand_is_process(operands->items[0], &poller.pid))
        return hf_error_set(err, HF_ERR_USAGE, "%s: expected one PID and no other profile",
            history->every_ns != 0 ? "--every" : "--duration");
    return hf_history_options_watch(history, &poller, ship_poll, &look, err);
}

/* In the worker, or, with `own`, where the store is. */
static enum hf_status ship_work(struct ship_options *options, const struct hf_operands *operands,
    struct hf_store_host *own, struct hf_error *err)
{
    struct hf_shipment shipment = {.request = hf_view_options_request(&options->history.view),
        .terms = options->terms,
        .own = own};
    hf_budget_prefer_large_heap();
    enum hf_status status = ship_read(options, &shipment, operands, err);
    if (status == HF_OK)
        status = ship_say(options, &shipment, err);
    hf_report_notes(&options->history.view.common, &shipment.notes);
    hf_shipment_done(&shipment);
    return status;
}

static void ship_worker_ended(void *host)
{
    hf_store_host_done(host); /* before the next one is forked */
}

static enum hf_status ship_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct ship_options *options = all;
    struct hf_common *common = &options->history.view.common;
    struct hf_store_host host = {.path = options->store};
    const struct hf_reader_service service = {.first = HF_STORE_LINE_LAST,
        .serve = hf_store_line_serve,
        .worker_ended = ship_worker_ended,
        .context = &host};
    bool is_worker = common->no_sandbox;
    enum hf_status status = hf_view_options_need_profile(operands, err);
    if (status == HF_OK && options->store == NULL)
        status = hf_error_set(err, HF_ERR_USAGE, "give the store: --store FILE");
    if (options->terms.node == NULL && gethostname(options->host, sizeof options->host - 1) == 0)
        options->terms.node = options->host;
    if (status == HF_OK && !is_worker)
        status = hf_reader_begin(
            &hf_cmd_ship, common, operands->words, &service, &is_worker, &common->code, err);
    common->has_code = status == HF_OK && !is_worker;
    if (status == HF_OK && is_worker)
        status = ship_work(options, operands, common->no_sandbox ? &host : NULL, err);
    hf_store_host_done(&host);
    return status;
}

const struct hf_command hf_cmd_ship = {
    .name = "ship",
    .summary = "Put profiles of many processes and nodes into a store.",
    .operands = "PROFILE...|DIR|PID --store FILE",
    .details =
        "Adds profiles to a store, which keeps what each stack held at each time; heapflame fleet\n"
        "answers questions about it. The time of a profile is the one in its file's name, or else "
        "that\n"
        "of its last change. Shipping the same profiles again adds nothing. A PID is read once, "
        "or,\n"
        "with --every, until the process ends.",
    .groups = groups,
    .options_size = sizeof(struct ship_options),
    .run = ship_run,
};
