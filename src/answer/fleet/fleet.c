#include "answer/fleet/fleet.h"

#include "answer/fleet/fleet_time.h"
#include "base/attr.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/regex.h"

#include <stdlib.h>

#define MS_A_SECOND 1000.0
#define DAY_HOURS 24
#define NAMED_SILENT 4 /* nodes that the note names */

/* What is asked of an instance. */
struct fleet_filter {
    const char *option;
    const char *pattern;
    struct hf_regex *regex; /* NULL: none */
};
enum { BY_SERVICE, BY_BUILD, BY_NODE, FILTERS };

/* Instances as they are read. */
struct fleet_reading {
    struct hf_fleet *fleet;
    struct fleet_filter filters[FILTERS];
    int64_t newest_ms; /* of those that were read, in the span if that is known; -1: none */
};

static enum hf_status compile_filters(
    struct fleet_reading *reading, const struct hf_fleet_request *request, struct hf_error *err)
{
    const struct fleet_filter filters[FILTERS] = {{"service", request->service, NULL},
        {"build", request->build, NULL}, {"node", request->node, NULL}};
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < FILTERS; i++) {
        reading->filters[i] = filters[i];
        if (status == HF_OK && filters[i].pattern != NULL) {
            status = hf_regex_new(filters[i].pattern, &reading->filters[i].regex, err);
            if (status != HF_OK)
                hf_error_context(err, "--%s", filters[i].option);
        }
    }
    return status;
}

static void free_filters(struct fleet_reading *reading)
{
    for (size_t i = 0; i < FILTERS; i++) {
        if (reading->filters[i].regex != NULL)
            hf_notes_given_up(
                &reading->fleet->notes, reading->filters[i].option, reading->filters[i].regex);
        hf_regex_free(reading->filters[i].regex);
    }
}

/* Numbers of a store may be any. */
static enum hf_status check_instance(const struct hf_store_instance *instance, struct hf_error *err)
{
    if (instance->first_ms >= 0 && instance->first_ms <= instance->last_ms &&
        instance->last_ms <= HF_FLEET_LAST_MS && instance->profile_count <= INT64_MAX)
        return HF_OK;
    return hf_error_set(err, HF_ERR_INPUT,
        "the store is damaged: the times of the instance '%.*s' cannot be",
        (int)hf_text_first(instance->is.name, 80).size, instance->is.name.data);
}

static bool put_text(struct hf_fleet *fleet, struct hf_text text, uint32_t *out_text)
{
    return hf_intern_put(&fleet->texts, text.data, text.size, out_text);
}

/* Before the span is known, which may be told by the newest of all. */
static enum hf_status see_instance(
    void *context, const struct hf_store_instance *instance, struct hf_error *err)
{
    struct fleet_reading *reading = context;
    enum hf_status status = check_instance(instance, err);
    if (status == HF_OK && instance->last_ms > reading->newest_ms)
        reading->newest_ms = instance->last_ms;
    return status;
}

/* The newest profile is that of all instances; kept are those that match. */
static enum hf_status choose_instance(
    void *context, const struct hf_store_instance *instance, struct hf_error *err)
{
    struct fleet_reading *reading = context;
    struct hf_fleet *fleet = reading->fleet;
    const struct hf_text texts[FILTERS] = {
        instance->is.service, instance->is.build, instance->is.node};
    int64_t last_ms = instance->last_ms < fleet->until_ms ? instance->last_ms : fleet->until_ms - 1;
    if (instance->first_ms >= fleet->until_ms)
        return HF_OK;
    if (last_ms > fleet->newest_ms)
        fleet->newest_ms = last_ms;
    for (size_t i = 0; i < FILTERS; i++) {
        if (reading->filters[i].regex != NULL &&
            !hf_regex_matches(reading->filters[i].regex, texts[i]))
            return HF_OK;
    }
    if (fleet->instance_count == HF_LIMIT_FLEET_INSTANCES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the store has more than %u instances (HF_LIMIT_FLEET_INSTANCES); choose fewer by "
            "--service or --node",
            (unsigned)HF_LIMIT_FLEET_INSTANCES);
    if (!hf_vec_reserve(&fleet->instances, &fleet->instance_capacity, fleet->instance_count + 1,
            sizeof *fleet->instances))
        return hf_error_memory(err);
    struct hf_fleet_instance *added = &fleet->instances[fleet->instance_count];
    *added = (struct hf_fleet_instance){
        .id = instance->id, .first_ms = instance->first_ms, .last_ms = last_ms};
    if (instance->profile_count > 1)
        added->interval_s = (double)(instance->last_ms - instance->first_ms) / MS_A_SECOND /
                            (double)(instance->profile_count - 1);
    if (!put_text(fleet, instance->is.name, &added->name) ||
        !put_text(fleet, instance->is.service, &added->service) ||
        !put_text(fleet, instance->is.build, &added->build) ||
        !put_text(fleet, instance->is.node, &added->node))
        return hf_error_memory(err);
    fleet->instance_count++;
    return HF_OK;
}

/* ---- The span ---- */

static int64_t hour_up(int64_t ms)
{
    return (ms + HF_STORE_HOUR_MS - 1) / HF_STORE_HOUR_MS * HF_STORE_HOUR_MS;
}

static enum hf_status choose_span(struct hf_fleet *fleet, const struct hf_fleet_request *request,
    int64_t newest_ms, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    int64_t until_ms = newest_ms + 1;
    if (request->until != NULL)
        status = hf_fleet_time_read("until", request->until, newest_ms, &until_ms, err);
    if (status != HF_OK)
        return status;
    fleet->until_ms = hour_up(until_ms);
    fleet->since_ms = fleet->until_ms - DAY_HOURS * HF_STORE_HOUR_MS;
    if (request->since != NULL)
        status = hf_fleet_time_read("since", request->since, newest_ms, &fleet->since_ms, err);
    if (status != HF_OK)
        return status;
    fleet->since_ms = fleet->since_ms / HF_STORE_HOUR_MS * HF_STORE_HOUR_MS;
    if (fleet->since_ms >= fleet->until_ms)
        return hf_error_set(err, HF_ERR_USAGE, "--since: expected a time before that of --until");
    return HF_OK;
}

/* ---- Nodes ---- */

/* The texts of hf_fleet, for the order: qsort has no context. One thread asks at a time. */
static _Thread_local const struct hf_fleet *ordered;

static int order_of_texts(uint32_t a, uint32_t b)
{
    return a == b ? 0 : hf_text_compare(hf_fleet_text(ordered, a), hf_fleet_text(ordered, b));
}

static int order_instances(const void *left, const void *right)
{
    const struct hf_fleet_instance *a = left, *b = right;
    int order = order_of_texts(a->node, b->node);
    if (order == 0)
        order = order_of_texts(a->service, b->service);
    if (order == 0)
        order = (a->first_ms > b->first_ms) - (a->first_ms < b->first_ms);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static void sort_instances(struct hf_fleet *fleet)
{
    ordered = fleet;
    if (fleet->instance_count != 0)
        qsort(fleet->instances, fleet->instance_count, sizeof *fleet->instances, order_instances);
}

static bool sent_lately(int64_t last_ms, int64_t newest_ms, double within_s)
{
    return (double)(newest_ms - last_ms) / MS_A_SECOND <= within_s;
}

/* From the last start of each service to the first. */
static void mark_current(struct hf_fleet *fleet, const struct hf_fleet_node *node)
{
    int64_t started_ms = 0; /* the last one of the service */
    for (size_t i = node->first + node->count; i-- > node->first;) {
        struct hf_fleet_instance *instance = &fleet->instances[i];
        double interval_s = instance->interval_s > 0 ? instance->interval_s : node->interval_s;
        if (i + 1 == node->first + node->count || instance->service != instance[1].service)
            started_ms = instance->first_ms;
        bool is_followed = started_ms > instance->last_ms;
        instance->is_current = sent_lately(instance->last_ms, node->last_ms,
            (is_followed ? HF_FLEET_FOLLOWED : HF_FLEET_SILENT) * interval_s);
    }
}

static void describe_node(struct hf_fleet *fleet, struct hf_fleet_node *node)
{
    int64_t known_ms = -1; /* of the instance whose interval is taken */
    for (size_t i = node->first; i < node->first + node->count; i++) {
        const struct hf_fleet_instance *instance = &fleet->instances[i];
        if (instance->last_ms > node->last_ms)
            node->last_ms = instance->last_ms;
        if (instance->interval_s > 0 && instance->last_ms > known_ms) {
            known_ms = instance->last_ms;
            node->interval_s = instance->interval_s;
        }
    }
}

static int order_reals(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The median of those that are known; 0: of none. */
static enum hf_status usual_interval(
    const struct hf_fleet *fleet, double *out_interval_s, struct hf_error *err)
{
    size_t count = 0;
    double *known = calloc(fleet->node_count + 1, sizeof *known);
    if (known == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < fleet->node_count; i++) {
        if (fleet->nodes[i].interval_s > 0)
            known[count++] = fleet->nodes[i].interval_s;
    }
    qsort(known, count, sizeof *known, order_reals);
    *out_interval_s = known[count / 2]; /* there is one more, which is 0 */
    free(known);
    return HF_OK;
}

static enum hf_status find_nodes(struct hf_fleet *fleet, struct hf_error *err)
{
    double usual_s = 0;
    fleet->nodes = calloc(fleet->instance_count + 1, sizeof *fleet->nodes);
    if (fleet->nodes == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < fleet->instance_count; i++) {
        if (i == 0 || fleet->instances[i].node != fleet->instances[i - 1].node)
            fleet->nodes[fleet->node_count++] = (struct hf_fleet_node){
                .name = hf_fleet_text(fleet, fleet->instances[i].node), .first = i};
        fleet->nodes[fleet->node_count - 1].count++;
    }
    for (size_t i = 0; i < fleet->node_count; i++)
        describe_node(fleet, &fleet->nodes[i]);
    enum hf_status status = usual_interval(fleet, &usual_s, err);
    for (size_t i = 0; status == HF_OK && i < fleet->node_count; i++) {
        struct hf_fleet_node *node = &fleet->nodes[i];
        if (node->interval_s <= 0)
            node->interval_s = usual_s;
        node->is_silent = node->interval_s > 0 && !sent_lately(node->last_ms, fleet->newest_ms,
                                                      HF_FLEET_SILENT * node->interval_s);
        fleet->silent_count += node->is_silent;
        mark_current(fleet, node);
    }
    return status;
}

/* "3 of 8 nodes have sent nothing: shop-1 since 2026-11-29 14:02:00, ..." */
static void note_silent(struct hf_fleet *fleet)
{
    struct hf_out names = {0};
    size_t named = 0;
    for (size_t i = 0; i < fleet->node_count && named < NAMED_SILENT; i++) {
        const struct hf_fleet_node *node = &fleet->nodes[i];
        if (!node->is_silent)
            continue;
        hf_out_string(&names, named++ == 0 ? ": " : ", ");
        hf_out_text(&names, hf_text_first(node->name, 80));
        hf_out_string(&names, " since ");
        hf_fleet_time_put(node->last_ms, &names);
    }
    if (named < fleet->silent_count)
        hf_out_printf(&names, ", and %zu more", fleet->silent_count - named);
    if (fleet->silent_count != 0)
        hf_notes_add(&fleet->notes, HF_NOTE_LOSS, "%zu of %zu %s sent nothing%.*s",
            fleet->silent_count, fleet->node_count, hf_plural(fleet->node_count, "node", "nodes"),
            (int)names.size, names.data != NULL ? names.data : "");
    hf_out_done(&names);
}

static enum hf_status fleet_choose(
    struct fleet_reading *reading, const struct hf_fleet_request *request, struct hf_error *err)
{
    struct hf_fleet *fleet = reading->fleet;
    enum hf_status status =
        hf_sqlite_store_read_instances(fleet->store, see_instance, reading, err);
    if (status == HF_OK && reading->newest_ms < 0)
        return hf_error_set(
            err, HF_ERR_INPUT, "there is no profile in the store '%s'", request->store);
    if (status == HF_OK)
        status = choose_span(fleet, request, reading->newest_ms, err);
    if (status == HF_OK)
        status = hf_sqlite_store_read_instances(fleet->store, choose_instance, reading, err);
    if (status != HF_OK)
        return status;
    sort_instances(fleet);
    if (fleet->instance_count == 0)
        return hf_error_set(err, HF_ERR_INPUT,
            "no profile in the store '%s' is of the asked time, service, build and node",
            request->store);
    status = find_nodes(fleet, err);
    if (status == HF_OK)
        note_silent(fleet);
    return status;
}

enum hf_status hf_fleet_open(
    struct hf_fleet *fleet, const struct hf_fleet_request *request, struct hf_error *err)
{
    struct fleet_reading reading = {.fleet = fleet, .newest_ms = -1};
    *fleet = (struct hf_fleet){0};
    enum hf_status status = compile_filters(&reading, request, err);
    if (status == HF_OK)
        status = hf_sqlite_store_open(request->store, false, &fleet->store, err);
    if (status == HF_OK)
        status = fleet_choose(&reading, request, err);
    free_filters(&reading);
    return status;
}

void hf_fleet_close(struct hf_fleet *fleet)
{
    hf_sqlite_store_close(fleet->store);
    hf_intern_done(&fleet->texts);
    free(fleet->instances);
    free(fleet->nodes);
    hf_notes_done(&fleet->notes);
    *fleet = (struct hf_fleet){0};
}
