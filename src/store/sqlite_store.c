#include "store/sqlite_store.h"

#include "base/attr.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "store/schema.h"
#include "store/sqlite_batch.h"
#include "store/stored_profiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION 0x68666c73 /* "hfls": what file(1) and others tell a store by */

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

enum hf_status hf_sqlite_store_add(struct hf_sqlite_store *store, const struct hf_batch *batch,
    bool *out_is_new, struct hf_error *err)
{
    return hf_sqlite_batch_add(&store->database, batch, out_is_new, err);
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
    if (print.size != sizeof stack.print.halves)
        return hf_error_set(
            err, HF_ERR_INPUT, "the fingerprint of a stack in the store is damaged");
    memcpy(stack.print.halves, print.data, sizeof stack.print.halves);
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

static enum hf_status call_for_profiles(
    const struct called *called, const struct hf_stored_profiles *stored, struct hf_error *err)
{
    struct hf_batch_reader reader = {.cursor = hf_batch_cursor_of(hf_out_view(&stored->profiles))};
    bool is_one = true;
    enum hf_status status = HF_OK;
    while (status == HF_OK && is_one) {
        status = hf_batch_next_profile(&reader, stored->stack_count, &is_one, err);
        if (status == HF_OK && is_one)
            status =
                called->profile(called->context, reader.ms, &reader.levels, stored->stacks, err);
    }
    hf_levels_done(&reader.levels);
    return status;
}

static enum hf_status call_for_row(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err)
{
    struct hf_stored_profiles stored = {0};
    enum hf_status status = hf_stored_profiles_unpack(&stored, hf_sqlite_row_number(row, 0),
        hf_sqlite_row_text(row, 1), hf_sqlite_row_number(row, 2), hf_sqlite_row_text(row, 3), err);
    if (status == HF_OK)
        status = call_for_profiles(context, &stored, err);
    hf_stored_profiles_done(&stored);
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
