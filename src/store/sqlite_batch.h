/*
 * sqlite_batch.h: how a batch gets into a store (sqlite_store.h): its instance, its stacks, its
 * profiles behind those of their hour, and its roll-up, in one transaction. For the files of store/
 * only.
 */
#ifndef HF_STORE_SQLITE_BATCH_H
#define HF_STORE_SQLITE_BATCH_H

#include "store/batch.h"
#include "store/sqlite_database.h"

/* As hf_sqlite_store_add. */
HF_MUST_CHECK enum hf_status hf_sqlite_batch_add(struct hf_sqlite_database *database,
    const struct hf_batch *batch, bool *out_is_new, struct hf_error *err);

#endif
