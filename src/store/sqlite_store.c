#include "store/sqlite_store.h"

#include "base/attr.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "compress/deflate.h"
#include "compress/inflate.h"
#include "store/schema.h"
#include "store/sqlite_database.h"
#include "store/stored_profiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION 0x68666c73 /* "hfls": what file(1) and others tell a store by */
#define PRINT_BYTES 16u
#define ROW_BYTES_MAX (8u << 20) /* of profiles: then another row begins */

struct hf_sqlite_store {
    struct hf_sqlite_database database;
};

/* Brings the tables to this program's version, from whatever they are when none else writes. */
static enum hf_status migrate(struct hf_sqlite_database *database, struct hf_error *err)
{
    int64_t version = 0;
    char last[96];
    enum hf_status status = hf_sqlite_database_run(database, "BEGIN IMMEDIATE", err);
    if (status == HF_OK)
        status = hf_sqlite_database_ask(database,
            &(struct hf_sqlite_question){.text = "PRAGMA user_version"}, hf_sqlite_row_keep_number,
            &version, err);
    for (unsigned i = (unsigned)version + 1; status == HF_OK && i <= HF_SCHEMA_VERSION; i++) {
        size_t count;
        const char *const *statements = hf_schema_migration(i, &count);
        for (size_t j = 0; status == HF_OK && j < count; j++)
            status = hf_sqlite_database_run(database, statements[j], err);
    }
    (void)snprintf(last, sizeof last, "PRAGMA application_id=%d; PRAGMA user_version=%u; COMMIT",
        APPLICATION, HF_SCHEMA_VERSION);
    if (status == HF_OK)
        status = hf_sqlite_database_run(database, last, err);
    if (status != HF_OK)
        hf_sqlite_database_roll_back(database);
    return status;
}

/* What a file says of itself, before anything is read of it. */
static enum hf_status check_store(
    struct hf_sqlite_database *database, bool is_writer, bool *out_is_old, struct hf_error *err)
{
    int64_t application = 0, version = 0, tables = 0, others = 0;
    const struct {
        const char *text;
        int64_t *number;
    } asked[] = {{"PRAGMA application_id", &application}, {"PRAGMA user_version", &version},
        {"SELECT count(*) FROM sqlite_master", &tables},
        {"SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE "
         "'CREATE VIRTUAL%' OR sql LIKE '% AS %'",
            &others}};
    for (size_t i = 0; i < HF_COUNT(asked); i++) {
        const struct hf_sqlite_question question = {.text = asked[i].text};
        enum hf_status status = hf_sqlite_database_ask(
            database, &question, hf_sqlite_row_keep_number, asked[i].number, err);
        if (status != HF_OK)
            return status;
    }
    if (application != APPLICATION && (tables != 0 || !is_writer))
        return hf_error_set(err, HF_ERR_INPUT,
            "'%s' is not a store; expected a file that heapflame ship made", database->path);
    if (version < 0 || version > HF_SCHEMA_VERSION)
        return hf_error_set(err, HF_ERR_INPUT,
            "the store '%s' has version %" PRId64 ", and this heapflame reads up to %u; use a "
            "newer heapflame",
            database->path, version, HF_SCHEMA_VERSION);
    if (others != 0) /* a view in the place of a table can go on for ever */
        return hf_error_set(err, HF_ERR_INPUT,
            "the store '%s' contains views, triggers or tables of another program; expected a file "
            "that heapflame ship made",
            database->path);
    *out_is_old = version < HF_SCHEMA_VERSION;
    if (*out_is_old && !is_writer)
        return hf_error_set(err, HF_ERR_INPUT,
            "the store '%s' has version %" PRId64 ", and this heapflame reads %u; ship to it once, "
            "which brings it up to date",
            database->path, version, HF_SCHEMA_VERSION);
    return HF_OK;
}

enum hf_status hf_sqlite_store_open(
    const char *path, bool is_writer, struct hf_sqlite_store **out_store, struct hf_error *err)
{
    bool is_old = false;
    struct hf_sqlite_store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return hf_error_memory(err);
    enum hf_status status = hf_sqlite_database_open(&store->database, path, is_writer, err);
    if (status == HF_OK)
        status = check_store(&store->database, is_writer, &is_old, err);
    if (status == HF_OK && is_writer) /* not before it is known to be a store */
        status = hf_sqlite_database_run(
            &store->database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL", err);
    if (status == HF_OK && is_old)
        status = migrate(&store->database, err);
    if (status == HF_OK && !is_writer) /* all that it reads is of one moment */
        status = hf_sqlite_database_run(&store->database, "BEGIN", err);
    if (status == HF_OK)
        *out_store = store;
    else
        hf_sqlite_store_close(store);
    return status;
}

void hf_sqlite_store_close(struct hf_sqlite_store *store)
{
    if (store == NULL)
        return;
    hf_sqlite_database_close(&store->database);
    free(store);
}

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
        struct hf_text print = {(const char *)stack->print.halves, PRINT_BYTES};
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

/* The list of stacks of a row of profiles, which the caller frees. */
static enum hf_status read_stack_list(
    struct hf_text packed, int64_t count, uint32_t **out_stacks, struct hf_error *err)
{
    char *stacks;
    if (count < 0 || count > (int64_t)HF_LIMIT_LEVELS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "profiles in the store have more than %u stacks (HF_LIMIT_LEVELS)",
            (unsigned)HF_LIMIT_LEVELS);
    enum hf_status status = hf_inflate(
        HF_COMPRESSION_ZLIB, packed, (uint64_t)count * sizeof **out_stacks, &stacks, err);
    if (status == HF_OK)
        *out_stacks = (uint32_t *)(void *)stacks;
    return status;
}

/* The last row of an instance, if the batch goes on with its hour. */
static enum hf_status keep_row(void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    struct added_batch *added = context;
    struct hf_stored_profiles *stored = &added->stored;
    int64_t count = hf_sqlite_row_number(row, 2), size = hf_sqlite_row_number(row, 4);
    char *profiles = NULL;
    if (hf_change_needs_keyframe(hf_sqlite_row_number(row, 1), added->id.first_ms) ||
        size > (int64_t)ROW_BYTES_MAX)
        return HF_OK;
    enum hf_status status =
        read_stack_list(hf_sqlite_row_text(row, 3), count, &stored->stacks, err);
    if (status == HF_OK)
        status = hf_inflate(
            HF_COMPRESSION_ZLIB, hf_sqlite_row_text(row, 5), (uint64_t)size, &profiles, err);
    if (status != HF_OK)
        return status;
    stored->stack_count = stored->stack_capacity = (size_t)count;
    hf_out_bytes(&stored->profiles, profiles, (size_t)size);
    free(profiles);
    added->row = hf_sqlite_row_number(row, 0);
    return hf_out_finish(&stored->profiles, err);
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

enum hf_status hf_sqlite_store_add(struct hf_sqlite_store *store, const struct hf_batch *batch,
    bool *out_is_new, struct hf_error *err)
{
    bool is_there = false;
    struct added_batch added = {
        .database = &store->database, .batch = batch, .id = hf_batch_id_of(batch)};
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

/* Who is called for each row of an answer, with what the row says. */
struct called {
    hf_store_instance_fn *instance;
    hf_store_stack_fn *stack;
    hf_store_profile_fn *profile;
    void *context;
};

static enum hf_status call_for_instance(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    const struct called *called = context;
    const struct hf_store_instance instance = {
        .id = hf_sqlite_row_number(row, 0),
        .is = {hf_sqlite_row_text(row, 1), hf_sqlite_row_text(row, 2), hf_sqlite_row_text(row, 3),
            hf_sqlite_row_text(row, 4)},
        .first_ms = hf_sqlite_row_number(row, 5),
        .last_ms = hf_sqlite_row_number(row, 6),
        .profile_count = (uint64_t)hf_sqlite_row_number(row, 7),
    };
    return called->instance(called->context, &instance, err);
}

enum hf_status hf_sqlite_store_read_instances(
    struct hf_sqlite_store *store, hf_store_instance_fn *each, void *context, struct hf_error *err)
{
    struct called called = {.instance = each, .context = context};
    const struct hf_sqlite_question question = {
        .text = "SELECT id, name, service, build, node, first_ms, last_ms, profiles FROM instance "
                "ORDER BY service, node, first_ms, name"};
    return hf_sqlite_database_ask(&store->database, &question, call_for_instance, &called, err);
}

enum hf_status hf_sqlite_store_find_last(
    struct hf_sqlite_store *store, struct hf_text instance, int64_t *out_ms, struct hf_error *err)
{
    *out_ms = INT64_MIN;
    return hf_sqlite_database_ask(&store->database,
        HF_SQLITE_ASK("SELECT last_ms FROM instance WHERE name=?1", HF_SQLITE_TEXT(instance)),
        hf_sqlite_row_keep_number, out_ms, err);
}

/* A file that is damaged, or made to, can have one page in many places. */
static enum hf_status check_rows(size_t count, struct hf_error *err)
{
    if (count < HF_LIMIT_ROLLUP_ROWS)
        return HF_OK;
    return hf_error_set(err, HF_ERR_LIMIT,
        "an instance has more than %u rows in the store for these hours (HF_LIMIT_ROLLUP_ROWS); "
        "ask about fewer hours",
        (unsigned)HF_LIMIT_ROLLUP_ROWS);
}

/* Any number may stand in a file. */
static bool are_sound(const struct hf_sqlite_row *row, int first_real, int real_end)
{
    for (int i = first_real; i < real_end; i++) {
        if (!isfinite(hf_sqlite_row_real(row, i)))
            return false;
    }
    return true;
}

static enum hf_status row_is_damaged(struct hf_error *err)
{
    return hf_error_set(
        err, HF_ERR_INPUT, "the store is damaged: an hour of it has numbers that cannot be");
}

static enum hf_status add_read_hour(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    struct hf_rollup *rollup = context;
    const struct hf_rollup_hour hour = {
        .hour_ms = hf_sqlite_row_number(row, 0) * HF_STORE_HOUR_MS,
        .first_ms = hf_sqlite_row_number(row, 1),
        .last_ms = hf_sqlite_row_number(row, 2),
        .times = {hf_sqlite_row_real(row, 3), hf_sqlite_row_real(row, 4),
            hf_sqlite_row_real(row, 5)},
        .values = {hf_sqlite_row_real(row, 6), hf_sqlite_row_real(row, 7),
            hf_sqlite_row_real(row, 8)},
        .most = (uint64_t)hf_sqlite_row_number(row, 9),
        .last = (uint64_t)hf_sqlite_row_number(row, 10),
    };
    enum hf_status status = check_rows(rollup->hour_count, err);
    if (status != HF_OK)
        return status;
    if (!are_sound(row, 3, 9) || hour.times.n < 1 || hour.first_ms < hour.hour_ms ||
        hour.last_ms < hour.first_ms || hour.last_ms - hour.hour_ms >= HF_STORE_HOUR_MS ||
        hour.last > hour.most || hour.most > INT64_MAX)
        return row_is_damaged(err);
    if (!hf_vec_reserve(
            &rollup->hours, &rollup->hour_capacity, rollup->hour_count + 1, sizeof *rollup->hours))
        return hf_error_memory(err);
    rollup->hours[rollup->hour_count++] = hour;
    return HF_OK;
}

static enum hf_status add_read_stack(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    struct hf_rollup *rollup = context;
    enum hf_status status = check_rows(rollup->stack_count, err);
    if (status != HF_OK)
        return status;
    if (!are_sound(row, 2, 5))
        return row_is_damaged(err);
    if (!hf_vec_reserve(&rollup->stacks, &rollup->stack_capacity, rollup->stack_count + 1,
            sizeof *rollup->stacks))
        return hf_error_memory(err);
    rollup->stacks[rollup->stack_count++] = (struct hf_rollup_stack){
        .hour_ms = hf_sqlite_row_number(row, 0) * HF_STORE_HOUR_MS,
        .stack = (uint64_t)hf_sqlite_row_number(row, 1),
        .values = {hf_sqlite_row_real(row, 2), hf_sqlite_row_real(row, 3),
            hf_sqlite_row_real(row, 4)},
        .most = (uint64_t)hf_sqlite_row_number(row, 5),
        .first = (uint64_t)hf_sqlite_row_number(row, 6),
        .last = (uint64_t)hf_sqlite_row_number(row, 7),
    };
    return HF_OK;
}

/* The first hour that begins at `ms` or later. */
static int64_t hour_from(int64_t ms)
{
    int64_t hour = ms / HF_STORE_HOUR_MS;
    return hour + (ms % HF_STORE_HOUR_MS > 0);
}

enum hf_status hf_sqlite_store_read_hours(struct hf_sqlite_store *store, int64_t id,
    int64_t since_ms, int64_t until_ms, struct hf_rollup *out_rollup, struct hf_error *err)
{
    struct hf_rollup rollup = {0};
    enum hf_status status = hf_sqlite_database_ask(&store->database,
        HF_SQLITE_ASK("SELECT hour, first_ms, last_ms, n, t, tt, y, ty, yy, most, last FROM hour "
                      "WHERE instance=?1 AND hour>=?2 AND hour<?3 ORDER BY hour",
            HF_SQLITE_NUMBER(id), HF_SQLITE_NUMBER(hour_from(since_ms)),
            HF_SQLITE_NUMBER(hour_from(until_ms))),
        add_read_hour, &rollup, err);
    if (status == HF_OK)
        *out_rollup = rollup;
    else
        hf_rollup_done(&rollup);
    return status;
}

enum hf_status hf_sqlite_store_read_rollup(struct hf_sqlite_store *store, int64_t id,
    int64_t since_ms, int64_t until_ms, struct hf_rollup *out_rollup, struct hf_error *err)
{
    struct hf_rollup rollup = {0};
    enum hf_status status = hf_sqlite_store_read_hours(store, id, since_ms, until_ms, &rollup, err);
    if (status == HF_OK)
        status = hf_sqlite_database_ask(&store->database,
            HF_SQLITE_ASK("SELECT h.hour, r.stack, r.y, r.ty, r.yy, r.most, r.first, r.last FROM "
                          "hour AS h CROSS JOIN rollup AS r ON r.hour=h.id WHERE h.instance=?1 AND "
                          "h.hour>=?2 AND h.hour<?3 ORDER BY h.hour, r.stack",
                HF_SQLITE_NUMBER(id), HF_SQLITE_NUMBER(hour_from(since_ms)),
                HF_SQLITE_NUMBER(hour_from(until_ms))),
            add_read_stack, &rollup, err);
    if (status == HF_OK)
        *out_rollup = rollup;
    else
        hf_rollup_done(&rollup);
    return status;
}

static enum hf_status call_for_stack(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    const struct called *called = context;
    struct hf_text print = hf_sqlite_row_text(row, 1);
    struct hf_batch_stack stack = {
        .place = hf_sqlite_row_text(row, 2), .frames = hf_sqlite_row_text(row, 3)};
    if (print.size != PRINT_BYTES)
        return hf_error_set(
            err, HF_ERR_INPUT, "the fingerprint of a stack in the store is damaged");
    memcpy(stack.print.halves, print.data, PRINT_BYTES);
    return called->stack(called->context, hf_sqlite_row_number(row, 0), &stack, err);
}

enum hf_status hf_sqlite_store_read_stacks(
    struct hf_sqlite_store *store, hf_store_stack_fn *each, void *context, struct hf_error *err)
{
    struct called called = {.stack = each, .context = context};
    const struct hf_sqlite_question question = {
        .text = "SELECT id, fingerprint, place, frames FROM stack ORDER BY id"};
    return hf_sqlite_database_ask(&store->database, &question, call_for_stack, &called, err);
}

static enum hf_status call_for_place(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    const struct called *called = context;
    const struct hf_batch_stack stack = {.place = hf_sqlite_row_text(row, 1)};
    return called->stack(called->context, hf_sqlite_row_number(row, 0), &stack, err);
}

enum hf_status hf_sqlite_store_read_places(
    struct hf_sqlite_store *store, hf_store_stack_fn *each, void *context, struct hf_error *err)
{
    struct called called = {.stack = each, .context = context};
    const struct hf_sqlite_question question = {.text = "SELECT id, place FROM stack ORDER BY id"};
    return hf_sqlite_database_ask(&store->database, &question, call_for_place, &called, err);
}

static enum hf_status call_for_profiles(const struct called *called, struct hf_text profiles,
    struct hf_text stacks, struct hf_error *err)
{
    struct hf_batch_reader reader = {.cursor = hf_batch_cursor_of(profiles)};
    bool is_one = true;
    enum hf_status status = HF_OK;
    while (status == HF_OK && is_one) {
        status = hf_batch_next_profile(&reader, stacks.size / sizeof(uint32_t), &is_one, err);
        if (status == HF_OK && is_one)
            status = called->profile(called->context, reader.ms, &reader.levels,
                (const uint32_t *)(const void *)stacks.data, err);
    }
    hf_levels_done(&reader.levels);
    return status;
}

static enum hf_status call_for_row(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    uint32_t *stacks = NULL;
    char *profiles = NULL;
    int64_t count = hf_sqlite_row_number(row, 0), size = hf_sqlite_row_number(row, 2);
    enum hf_status status = read_stack_list(hf_sqlite_row_text(row, 1), count, &stacks, err);
    if (status == HF_OK)
        status = hf_inflate(
            HF_COMPRESSION_ZLIB, hf_sqlite_row_text(row, 3), (uint64_t)size, &profiles, err);
    if (status == HF_OK)
        status = call_for_profiles(context, (struct hf_text){profiles, (size_t)size},
            (struct hf_text){(const char *)stacks, (size_t)count * sizeof *stacks}, err);
    free(stacks);
    free(profiles);
    return status;
}

enum hf_status hf_sqlite_store_read_profiles(struct hf_sqlite_store *store, int64_t id,
    hf_store_profile_fn *each, void *context, struct hf_error *err)
{
    struct called called = {.profile = each, .context = context};
    return hf_sqlite_database_ask(&store->database,
        HF_SQLITE_ASK(
            "SELECT stack_count, stacks, size, profiles FROM profiles WHERE instance=?1 ORDER "
            "BY first_ms",
            HF_SQLITE_NUMBER(id)),
        call_for_row, &called, err);
}

enum hf_status hf_sqlite_store_read_last_profiles(struct hf_sqlite_store *store, int64_t id,
    int64_t until_ms, hf_store_profile_fn *each, void *context, struct hf_error *err)
{
    struct called called = {.profile = each, .context = context};
    return hf_sqlite_database_ask(&store->database,
        HF_SQLITE_ASK(
            "SELECT stack_count, stacks, size, profiles FROM profiles WHERE instance=?1 AND "
            "first_ms<?2 ORDER BY first_ms DESC LIMIT 1",
            HF_SQLITE_NUMBER(id), HF_SQLITE_NUMBER(until_ms)),
        call_for_row, &called, err);
}
