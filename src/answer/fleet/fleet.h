/*
 * fleet.h: which processes of a store a question is about, and which of their nodes are silent.
 *
 * Words: an *instance* is one run of a process, a *node* the host that it ran on, the *span* the
 * hours that are asked about: whole ones, for of those the store keeps sums (store/rollup.h). The
 * *newest* profile is that of all the store, before the end of the span: the time that ages are
 * counted from, for a store may be read long after it was written.
 *
 * An instance is *current* if it sent one of the last profiles of its node: not more than
 * HF_FLEET_SILENT intervals before the last one, or HF_FLEET_FOLLOWED if the same service was
 * started on the node since then. A node is *silent* if its last profile is more than so many
 * intervals before the newest. The interval of a node is the mean one of its last instance with two
 * profiles; if it has none, the median of the other nodes'.
 *
 * The store is read as it was when it was opened, whoever writes meanwhile.
 *
 * Example:
 *
 *     const struct hf_fleet_request request = {.store = "fleet.db", .service = "shop"};
 *     struct hf_fleet fleet;
 *     status = hf_fleet_open(&fleet, &request, err);
 *     for (size_t i = 0; status == HF_OK && i < fleet.node_count; i++)
 *         hf_out_text(out, fleet.nodes[i].name);
 *     hf_fleet_close(&fleet);
 */
#ifndef HF_ANSWER_FLEET_H
#define HF_ANSWER_FLEET_H

#include "base/containers/intern.h"
#include "profile/notes.h"
#include "store/sqlite_store.h"

#define HF_FLEET_SILENT 3 /* intervals without a profile */
#define HF_FLEET_FOLLOWED 1.5

/* Texts are borrowed; NULL: not asked for. */
struct hf_fleet_request {
    const char *store;                  /* its path */
    const char *service, *build, *node; /* regular expressions */
    const char *since, *until;          /* fleet_time.h; a day up to the newest profile */
};

/* Of those that sent anything before the end of the span. */
struct hf_fleet_instance {
    int64_t id;
    uint32_t name, service, build, node; /* in hf_fleet.texts */
    int64_t first_ms, last_ms;           /* of its profiles, in the span or not */
    double interval_s;                   /* 0: it has one profile */
    bool is_current;
};

/* Its instances stand one behind the other, by service and time. */
struct hf_fleet_node {
    struct hf_text name;
    size_t first, count; /* in hf_fleet.instances */
    int64_t last_ms;     /* before the end of the span */
    double interval_s;   /* 0: none is known */
    bool is_silent;
};

struct hf_fleet {
    struct hf_sqlite_store *store;
    struct hf_intern texts;
    struct hf_fleet_instance *instances;
    size_t instance_count, instance_capacity;
    struct hf_fleet_node *nodes; /* by name */
    size_t node_count, silent_count;
    int64_t since_ms, until_ms; /* the span: whole hours */
    int64_t newest_ms;
    struct hf_notes notes; /* a loss: there are silent nodes */
};

/* Opens the store and chooses. HF_ERR_INPUT: nothing in it matches. Close it in any case. */
HF_MUST_CHECK enum hf_status hf_fleet_open(
    struct hf_fleet *fleet, const struct hf_fleet_request *request, struct hf_error *err);
void hf_fleet_close(struct hf_fleet *fleet);

static inline struct hf_text hf_fleet_text(const struct hf_fleet *fleet, uint32_t text)
{
    return hf_intern_at(&fleet->texts, text);
}

#endif
