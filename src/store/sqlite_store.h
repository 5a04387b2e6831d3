/*
 * sqlite_store.h: a store in one file of SQLite (its tables: schema.h), which needs no server.
 *
 * A batch (batch.h) is one transaction: all of it is in the store when it is acknowledged, or
 * nothing. The log is written ahead (WAL), so readers do not wait for writers, and a commit waits
 * until it is on the disk (synchronous=FULL), so what was acknowledged stays. Profiles of an
 * instance come in the order of their times: a batch that begins before the last profile of its
 * instance is refused, unless it is in the store already. So none counts twice, however the same
 * files are divided into batches. Those of an hour are kept together (stored_profiles.h), so small
 * batches take no more room than large ones. The store makes the roll-ups itself, of the profiles
 * as they will be read.
 *
 * Safety: one thread for each store that is open; several processes may have the same file open.
 */
#ifndef HF_STORE_SQLITE_STORE_H
#define HF_STORE_SQLITE_STORE_H

#include "store/batch.h"
#include "store/rollup.h"

struct hf_sqlite_store;

/* A reader sees the store as it was when it read first. `is_writer`: it is made if it is not there,
 * and brought to this program's version. HF_ERR_INPUT: it is no store, or a newer one.
 * HF_ERR_SYSTEM: libsqlite3 is missing, the disk is full. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_open(
    const char *path, bool is_writer, struct hf_sqlite_store **out_store, struct hf_error *err);
void hf_sqlite_store_close(struct hf_sqlite_store *store);

/* Adds a batch; when it returns HF_OK, the batch is on the disk. *out_is_new: it was not there. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_add(struct hf_sqlite_store *store,
    const struct hf_batch *batch, bool *out_is_new, struct hf_error *err);

/* An instance in the store. Its texts are borrowed while it is looked at. */
struct hf_store_instance {
    int64_t id;
    struct hf_batch_instance is;
    int64_t first_ms, last_ms; /* of its profiles */
    uint64_t profile_count;
};

typedef enum hf_status hf_store_instance_fn(
    void *context, const struct hf_store_instance *instance, struct hf_error *err);

/* All instances, by service, node, and time. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_read_instances(
    struct hf_sqlite_store *store, hf_store_instance_fn *each, void *context, struct hf_error *err);

/* The time of the last profile of an instance; INT64_MIN: there is none. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_find_last(
    struct hf_sqlite_store *store, struct hf_text instance, int64_t *out_ms, struct hf_error *err);

/*
 * The hours of an instance that begin from `since_ms` to before `until_ms`, and their stacks, by
 * the numbers that the store has for them. The caller frees the roll-up.
 */
HF_MUST_CHECK enum hf_status hf_sqlite_store_read_rollup(struct hf_sqlite_store *store, int64_t id,
    int64_t since_ms, int64_t until_ms, struct hf_rollup *out_rollup, struct hf_error *err);

/* The same of the hours alone: what all stacks held together. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_read_hours(struct hf_sqlite_store *store, int64_t id,
    int64_t since_ms, int64_t until_ms, struct hf_rollup *out_rollup, struct hf_error *err);

typedef enum hf_status hf_store_stack_fn(
    void *context, int64_t id, const struct hf_batch_stack *stack, struct hf_error *err);

/* All stacks in the store, by their numbers, which begin with 1. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_read_stacks(
    struct hf_sqlite_store *store, hf_store_stack_fn *each, void *context, struct hf_error *err);

/* The same with nothing known of a stack but its place: who adds up places reads no frames. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_read_places(
    struct hf_sqlite_store *store, hf_store_stack_fn *each, void *context, struct hf_error *err);

/* A profile: the stack of a level is stacks[level.stack], its number in the store. */
typedef enum hf_status hf_store_profile_fn(void *context, int64_t ms,
    const struct hf_levels *levels, const uint32_t *stacks, struct hf_error *err);

/* All profiles of an instance, the oldest first. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_read_profiles(struct hf_sqlite_store *store,
    int64_t id, hf_store_profile_fn *each, void *context, struct hf_error *err);

/* Those of the last hour with any that begins before `until_ms`; the last of them may be later. */
HF_MUST_CHECK enum hf_status hf_sqlite_store_read_last_profiles(struct hf_sqlite_store *store,
    int64_t id, int64_t until_ms, hf_store_profile_fn *each, void *context, struct hf_error *err);

#endif
