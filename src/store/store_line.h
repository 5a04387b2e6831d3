/*
 * store_line.h: how who makes batches asks who has the store: a worker without rights its broker
 * (os/process/broker.h), everybody else the store itself. It is opened at the first question.
 *
 * Questions (os/broker_line.h), both sides of which are this program:
 *
 *   LAST    first: name of an instance -> number: ms, flags: 1 there is one
 *   ADD     fd: a batch (batch_coding.h) -> flags: 1 it is new
 *   All     -> error, flags: enum hf_status, text: the sentence
 *
 * Example:
 *
 *     struct hf_store_host host = {.path = "fleet.db"};
 *     int64_t last_ms;
 *     status = hf_store_line_find_last(&host, HF_TEXT("shop-1"), &last_ms, err);
 *     hf_store_host_done(&host);
 */
#ifndef HF_STORE_STORE_LINE_H
#define HF_STORE_STORE_LINE_H

#include "os/broker_line.h"
#include "store/batch.h"

enum {
    HF_STORE_LINE_LAST = HF_BROKER_SERVICES + 48, /* behind those of attach/keeper/keeper_line.h */
    HF_STORE_LINE_ADD,
};

struct hf_sqlite_store;

/* Who has the store. It is never open while a process is forked. */
struct hf_store_host {
    const char *path;
    struct hf_sqlite_store *store; /* its own; NULL: nobody has asked yet */
};

void hf_store_host_done(struct hf_store_host *host);

/* The broker's side: a hf_broker_service (os/process/broker.h), its context a struct hf_store_host.
 */
void hf_store_line_serve(
    void *host, const struct hf_broker_question *question, struct hf_broker_answer *answer);

/*
 * The other side, as the functions of sqlite_store.h. `own` is NULL in a worker, which has no store
 * but its broker's.
 */
HF_MUST_CHECK enum hf_status hf_store_line_find_last(
    struct hf_store_host *own, struct hf_text instance, int64_t *out_ms, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_store_line_add(struct hf_store_host *own,
    const struct hf_batch *batch, bool *out_is_new, struct hf_error *err);

#endif
