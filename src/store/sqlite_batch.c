#include "store/sqlite_batch.h"

#include "base/attr.h"
#include "compress/deflate.h"
#include "store/rollup.h"
#include "store/stored_profiles.h"

#include <stdlib.h>

#define ROW_BYTES_MAX (8u << 20) /* of profiles: then another row begins */

/* A batch that is being added. */
struct added_batch {
    struct hf_sqlite_database *database;
    const struct hf_batch *batch;
    struct hf_batch_id id;
    int64_t instance;  /* its number; 0: it is not known yet */
    uint32_t *stacks;  /* numbers in the store of those in the batch */
    uint64_t profiles; /* in it */
    struct hf_rollup rollup;
    int64_t row; /* of the profiles that these are put behind; 0: none */
    struct hf_stored_profiles stored;
};

/* The row of an instance, as far as it decides about a batch. */
struct known_instance {
    struct added_batch *added;
    int64_t last_ms;
};

static enum hf_status keep_instance(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    struct known_instance *known = context;
    const struct hf_batch_instance *is = &known->added->batch->instance;
    const struct hf_text texts[] = {is->service, is->build, is->node};
    known->added->instance = hf_sqlite_row_number(row, 0);
    known->last_ms = hf_sqlite_row_number(row, 1);
    for (int i = 0; i < (int)HF_COUNT(texts); i++) {
        struct hf_text was = hf_sqlite_row_text(row, 2 + i);
        if (!hf_text_equal(was, texts[i]))
            return hf_error_set(err, HF_ERR_INPUT,
                "the instance '%.*s' is in the store with '%.*s' where it has '%.*s' now; give "
                "another instance",
                (int)is->name.size, is->name.data, (int)was.size, was.data, (int)texts[i].size,
                texts[i].data);
    }
    return HF_OK;
}

/* Finds or makes the instance. *out_is_there: the batch is in the store. */
static enum hf_status begin_batch(
    struct added_batch *added, bool *out_is_there, struct hf_error *err)
{
    const struct hf_batch_instance *is = &added->batch->instance;
    struct known_instance known = {.added = added};
    int64_t count = 0;
    *out_is_there = false;
    enum hf_status status = hf_sqlite_database_ask(added->database,
        HF_SQLITE_ASK("SELECT id, last_ms, service, build, node FROM instance WHERE name=?1",
            HF_SQLITE_TEXT(is->name)),
        keep_instance, &known, err);
    if (status != HF_OK)
        return status;
    if (added->instance == 0)
        return hf_sqlite_database_ask(added->database,
            HF_SQLITE_ASK("INSERT INTO instance (name, service, build, node, first_ms, last_ms, "
                          "profiles) VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0) RETURNING id",
                HF_SQLITE_TEXT(is->name), HF_SQLITE_TEXT(is->service), HF_SQLITE_TEXT(is->build),
                HF_SQLITE_TEXT(is->node), HF_SQLITE_NUMBER(added->id.first_ms)),
            hf_sqlite_row_keep_number, &added->instance, err);
    status = hf_sqlite_database_ask(added->database,
        HF_SQLITE_ASK("SELECT count(*) FROM batch WHERE instance=?1 AND first_ms=?2 AND last_ms=?3 "
                      "AND checksum=?4",
            HF_SQLITE_NUMBER(added->instance), HF_SQLITE_NUMBER(added->id.first_ms),
            HF_SQLITE_NUMBER(added->id.last_ms), HF_SQLITE_NUMBER(added->id.checksum)),
        hf_sqlite_row_keep_number, &count, err);
    *out_is_there = count != 0;
    if (status == HF_OK && count == 0 && added->id.first_ms <= known.last_ms)
        return hf_error_set(err, HF_ERR_INPUT,
            "the instance '%.*s' has later profiles in the store, and earlier ones cannot be added",
            (int)is->name.size, is->name.data);
    return status;
}

static enum hf_status add_stacks(struct added_batch *added, struct hf_error *err)
{
    const struct hf_batch *batch = added->batch;
    enum hf_status status = HF_OK;
    added->stacks = calloc(batch->stack_count + 1, sizeof *added->stacks);
    if (added->stacks == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < batch->stack_count; i++) {
        const struct hf_batch_stack *stack = &batch->stacks[i];
        struct hf_text print = {(const char *)stack->print.halves, sizeof stack->print.halves};
        int64_t id = 0;
        status = hf_sqlite_database_ask(added->database,
            HF_SQLITE_ASK("SELECT id FROM stack WHERE fingerprint=?1", HF_SQLITE_BYTES(print)),
            hf_sqlite_row_keep_number, &id, err);
        if (status == HF_OK && id == 0)
            status = hf_sqlite_database_ask(added->database,
                HF_SQLITE_ASK("INSERT INTO stack (fingerprint, place, frames) VALUES (?1, ?2, ?3) "
                              "RETURNING id",
                    HF_SQLITE_BYTES(print), HF_SQLITE_TEXT(stack->place),
                    HF_SQLITE_TEXT(stack->frames)),
                hf_sqlite_row_keep_number, &id, err);
        if (status == HF_OK && (id <= 0 || id > UINT32_MAX))
            status = hf_error_set(err, HF_ERR_LIMIT, "the store has more than 2^32 stacks");
        added->stacks[i] = (uint32_t)id;
    }
    return status;
}

static enum hf_status roll_up_batch(struct added_batch *added, struct hf_error *err)
{
    struct hf_batch_reader reader = {.cursor = hf_batch_cursor_of(added->batch->profiles)};
    bool is_one = true;
    enum hf_status status = HF_OK;
    while (status == HF_OK && is_one) {
        status = hf_batch_next_profile(&reader, added->batch->stack_count, &is_one, err);
        if (status == HF_OK && is_one) {
            status = hf_rollup_add(&added->rollup, reader.ms, &reader.levels, err);
            added->profiles++;
        }
    }
    hf_levels_done(&reader.levels);
    if (status == HF_OK && added->profiles == 0)
        return hf_error_set(err, HF_ERR_INPUT, "a batch holds no profile");
    return status;
}

/* Numbers of a store have 63 bits; no process holds more. */
static uint64_t as_stored(uint64_t bytes)
{
    return bytes < INT64_MAX ? bytes : INT64_MAX;
}

static enum hf_status add_rollup_stack(struct added_batch *added, int64_t hour,
    const struct hf_rollup_stack *row, struct hf_error *err)
{
    return hf_sqlite_database_ask(added->database,
        HF_SQLITE_ASK("INSERT INTO rollup (hour, stack, y, ty, yy, most, first, last) VALUES (?1, "
                      "?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (hour, stack) DO UPDATE SET "
                      "y=y+?3, ty=ty+?4, yy=yy+?5, most=max(most, ?6), last=?8",
            HF_SQLITE_NUMBER(hour), HF_SQLITE_NUMBER(added->stacks[row->stack]),
            HF_SQLITE_REAL(row->values.y), HF_SQLITE_REAL(row->values.ty),
            HF_SQLITE_REAL(row->values.yy), HF_SQLITE_NUMBER(as_stored(row->most)),
            HF_SQLITE_NUMBER(as_stored(row->first)), HF_SQLITE_NUMBER(as_stored(row->last))),
        NULL, NULL, err);
}

static enum hf_status add_rollup(struct added_batch *added, struct hf_error *err)
{
    const struct hf_rollup *rollup = &added->rollup;
    enum hf_status status = HF_OK;
    for (size_t i = 0, j = 0; status == HF_OK && i < rollup->hour_count; i++) {
        const struct hf_rollup_hour *hour = &rollup->hours[i];
        int64_t id = 0;
        status = hf_sqlite_database_ask(added->database,
            HF_SQLITE_ASK(
                "INSERT INTO hour (instance, hour, first_ms, last_ms, n, t, tt, y, ty, yy, most, "
                "last) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT "
                "(instance, hour) DO UPDATE SET last_ms=?4, n=n+?5, t=t+?6, tt=tt+?7, y=y+?8, "
                "ty=ty+?9, yy=yy+?10, most=max(most, ?11), last=?12 RETURNING id",
                HF_SQLITE_NUMBER(added->instance),
                HF_SQLITE_NUMBER(hour->hour_ms / HF_STORE_HOUR_MS),
                HF_SQLITE_NUMBER(hour->first_ms), HF_SQLITE_NUMBER(hour->last_ms),
                HF_SQLITE_REAL(hour->times.n), HF_SQLITE_REAL(hour->times.t),
                HF_SQLITE_REAL(hour->times.tt), HF_SQLITE_REAL(hour->values.y),
                HF_SQLITE_REAL(hour->values.ty), HF_SQLITE_REAL(hour->values.yy),
                HF_SQLITE_NUMBER(as_stored(hour->most)), HF_SQLITE_NUMBER(as_stored(hour->last))),
            hf_sqlite_row_keep_number, &id, err);
        for (; status == HF_OK && j < rollup->stack_count &&
               rollup->stacks[j].hour_ms == hour->hour_ms;
             j++)
            status = add_rollup_stack(added, id, &rollup->stacks[j], err);
    }
    return status;
}

/* The last row of an instance, if the batch goes on with its hour. */
static enum hf_status keep_row(void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    struct added_batch *added = context;
    int64_t size = hf_sqlite_row_number(row, 4);
    if (hf_change_needs_keyframe(hf_sqlite_row_number(row, 1), added->id.first_ms) ||
        size > (int64_t)ROW_BYTES_MAX)
        return HF_OK;
    added->row = hf_sqlite_row_number(row, 0);
    return hf_stored_profiles_unpack(&added->stored, hf_sqlite_row_number(row, 2),
        hf_sqlite_row_text(row, 3), size, hf_sqlite_row_text(row, 5), err);
}

static enum hf_status put_profiles_row(struct added_batch *added, struct hf_text stacks,
    size_t stack_count, struct hf_text profiles, size_t size, struct hf_error *err)
{
    const struct hf_sqlite_value values[] = {
        HF_SQLITE_NUMBER(added->row != 0 ? added->row : added->instance),
        HF_SQLITE_NUMBER(added->id.last_ms), HF_SQLITE_NUMBER(stack_count), HF_SQLITE_BYTES(stacks),
        HF_SQLITE_NUMBER(size), HF_SQLITE_BYTES(profiles), HF_SQLITE_NUMBER(added->id.first_ms)};
    const struct hf_sqlite_question behind = {
        "UPDATE profiles SET last_ms=?2, stack_count=?3, stacks=?4, size=?5, profiles=?6 WHERE "
        "id=?1",
        values, HF_COUNT(values) - 1};
    const struct hf_sqlite_question first = {
        "INSERT INTO profiles (instance, first_ms, last_ms, stack_count, stacks, size, profiles) "
        "VALUES (?1, ?7, ?2, ?3, ?4, ?5, ?6)",
        values, HF_COUNT(values)};
    return hf_sqlite_database_ask(
        added->database, added->row != 0 ? &behind : &first, NULL, NULL, err);
}

static enum hf_status put_profiles_in_row(struct added_batch *added, struct hf_error *err)
{
    const struct hf_batch *batch = added->batch;
    struct hf_stored_profiles *stored = &added->stored;
    struct hf_out packed_list = {0}, packed = {0};
    struct hf_text list = {(const char *)added->stacks, batch->stack_count * sizeof(uint32_t)};
    struct hf_text profiles = batch->profiles;
    enum hf_status status = HF_OK;
    if (added->row != 0) {
        status = hf_stored_profiles_add(stored, added->stacks, batch->stack_count, profiles, err);
        list = (struct hf_text){
            (const char *)stored->stacks, stored->stack_count * sizeof *stored->stacks};
        profiles = hf_out_view(&stored->profiles);
    }
    if (status == HF_OK)
        status = hf_deflate(list, &packed_list, err);
    if (status == HF_OK)
        status = hf_deflate(profiles, &packed, err);
    if (status == HF_OK)
        status = put_profiles_row(added, hf_out_view(&packed_list), list.size / sizeof(uint32_t),
            hf_out_view(&packed), profiles.size, err);
    hf_out_done(&packed_list);
    hf_out_done(&packed);
    return status;
}

static enum hf_status add_profiles(struct added_batch *added, struct hf_error *err)
{
    enum hf_status status = hf_sqlite_database_ask(added->database,
        HF_SQLITE_ASK(
            "SELECT id, first_ms, stack_count, stacks, size, profiles FROM profiles WHERE "
            "instance=?1 ORDER BY first_ms DESC LIMIT 1",
            HF_SQLITE_NUMBER(added->instance)),
        keep_row, added, err);
    if (status == HF_OK)
        status = put_profiles_in_row(added, err);
    if (status == HF_OK)
        status = hf_sqlite_database_ask(added->database,
            HF_SQLITE_ASK("INSERT INTO batch (instance, first_ms, last_ms, checksum) VALUES (?1, "
                          "?2, ?3, ?4)",
                HF_SQLITE_NUMBER(added->instance), HF_SQLITE_NUMBER(added->id.first_ms),
                HF_SQLITE_NUMBER(added->id.last_ms), HF_SQLITE_NUMBER(added->id.checksum)),
            NULL, NULL, err);
    if (status == HF_OK)
        status = hf_sqlite_database_ask(added->database,
            HF_SQLITE_ASK("UPDATE instance SET last_ms=?2, profiles=profiles+?3 WHERE id=?1",
                HF_SQLITE_NUMBER(added->instance), HF_SQLITE_NUMBER(added->id.last_ms),
                HF_SQLITE_NUMBER(added->profiles)),
            NULL, NULL, err);
    return status;
}

enum hf_status hf_sqlite_batch_add(struct hf_sqlite_database *database,
    const struct hf_batch *batch, bool *out_is_new, struct hf_error *err)
{
    bool is_there = false;
    struct added_batch added = {.database = database, .batch = batch, .id = hf_batch_id_of(batch)};
    enum hf_status status = roll_up_batch(&added, err);
    if (status == HF_OK)
        status = hf_sqlite_database_run(added.database, "BEGIN IMMEDIATE", err);
    if (status == HF_OK)
        status = begin_batch(&added, &is_there, err);
    if (status == HF_OK && !is_there)
        status = add_stacks(&added, err);
    if (status == HF_OK && !is_there)
        status = add_profiles(&added, err);
    if (status == HF_OK && !is_there)
        status = add_rollup(&added, err);
    if (status == HF_OK)
        status = hf_sqlite_database_run(added.database, "COMMIT", err);
    if (status == HF_OK)
        *out_is_new = !is_there;
    else
        hf_sqlite_database_roll_back(added.database);
    if (status == HF_ERR_SYSTEM) /* a full disk, a writer that does not end */
        hf_error_context(err, "nothing of this batch was stored; ship it again");
    hf_rollup_done(&added.rollup);
    hf_stored_profiles_done(&added.stored);
    free(added.stacks);
    return status;
}
