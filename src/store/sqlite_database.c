#include "store/sqlite_database.h"

#include "base/attr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_TEXT_MAX 4200

/* The primary reason; the rest of an extended code says where in SQLite it was met. */
static enum hf_status reason_status(int code)
{
    int reason = code & 0xff;
    if (reason == SQLITE_NOMEM)
        return HF_ERR_MEMORY;
    return reason == SQLITE_CORRUPT || reason == SQLITE_NOTADB ? HF_ERR_INPUT : HF_ERR_SYSTEM;
}

static enum hf_status sqlite_failed(
    const struct hf_sqlite_database *database, int code, const char *what, struct hf_error *err)
{
    int reason = code & 0xff;
    if (reason == SQLITE_BUSY)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "cannot %s the store '%s': another process has been writing to it for %d s", what,
            database->path, HF_SQLITE_WAIT_MS / 1000);
    if (reason == SQLITE_NOTADB)
        return hf_error_set(err, HF_ERR_INPUT,
            "'%s' is not a store; expected a file that heapflame ship made", database->path);
    return hf_error_set(err, reason_status(code), "cannot %s the store '%s': %s", what,
        database->path, database->sqlite.errmsg(database->handle));
}

enum hf_status hf_sqlite_database_run(
    struct hf_sqlite_database *database, const char *statements, struct hf_error *err)
{
    int code = database->sqlite.exec(database->handle, statements, NULL, NULL, NULL);
    return code == SQLITE_OK ? HF_OK : sqlite_failed(database, code, "use", err);
}

void hf_sqlite_database_roll_back(struct hf_sqlite_database *database)
{
    /* Fails where there is no transaction, as after a disk that was full. */
    (void)database->sqlite.exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
}

enum hf_status hf_sqlite_database_open(
    struct hf_sqlite_database *database, const char *path, bool is_writer, struct hf_error *err)
{
    char place[PATH_TEXT_MAX];
    *database = (struct hf_sqlite_database){.path = path};
    enum hf_status status = hf_sqlite_load(&database->sqlite, err);
    if (status != HF_OK)
        return status;
    /* Names such as ":memory:" and "" mean something else to SQLite; with a folder they do not. */
    int size = snprintf(place, sizeof place, "%s%s", path[0] == '/' ? "" : "./", path);
    if (path[0] == '\0' || size < 0 || (size_t)size >= sizeof place)
        return hf_error_set(
            err, HF_ERR_USAGE, "the path of the store is empty, or longer than any file's");
    if (!is_writer && access(place, F_OK) != 0 && errno == ENOENT)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "there is no store '%s'; heapflame ship creates one", path);
    int flags = is_writer ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int code = database->sqlite.open_v2(place, &database->handle, flags, NULL);
    if (database->handle == NULL)
        return hf_error_memory(err);
    if (code != SQLITE_OK)
        return sqlite_failed(database, code, "open", err);
    (void)database->sqlite.busy_timeout(database->handle, HF_SQLITE_WAIT_MS);
    return hf_sqlite_database_run(database,
        "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY", err);
}

void hf_sqlite_database_close(struct hf_sqlite_database *database)
{
    if (database->handle == NULL)
        return;
    for (size_t i = 0; i < database->known_count; i++)
        (void)database->sqlite.finalize(database->known[i].statement);
    (void)database->sqlite.close_v2(database->handle);
    database->handle = NULL;
    database->known_count = 0;
}

static enum hf_status statement_of(struct hf_sqlite_database *database, const char *text,
    sqlite3_stmt **out_statement, struct hf_error *err)
{
    for (size_t i = 0; i < database->known_count; i++) {
        if (database->known[i].text == text) {
            *out_statement = database->known[i].statement;
            return HF_OK;
        }
    }
    if (database->known_count == HF_SQLITE_STATEMENTS_MAX)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "the store has more statements than HF_SQLITE_STATEMENTS_MAX");
    int code = database->sqlite.prepare_v2(database->handle, text, -1, out_statement, NULL);
    if (code != SQLITE_OK)
        return sqlite_failed(database, code, "use", err);
    database->known[database->known_count].text = text;
    database->known[database->known_count++].statement = *out_statement;
    return HF_OK;
}

static int bind_value(const struct hf_sqlite *sqlite, sqlite3_stmt *statement, int at,
    const struct hf_sqlite_value *value)
{
    const char *data = value->text.data != NULL ? value->text.data : "";
    if (value->text.size > INT32_MAX)
        return SQLITE_TOOBIG;
    switch (value->kind) {
    case HF_SQLITE_IS_NUMBER: return sqlite->bind_int64(statement, at, value->number);
    case HF_SQLITE_IS_REAL: return sqlite->bind_double(statement, at, value->real);
    case HF_SQLITE_IS_TEXT:
        return sqlite->bind_text(statement, at, data, (int)value->text.size, SQLITE_STATIC);
    case HF_SQLITE_IS_BYTES:
        return sqlite->bind_blob(statement, at, data, (int)value->text.size, SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

enum hf_status hf_sqlite_database_ask(struct hf_sqlite_database *database,
    const struct hf_sqlite_question *question, hf_sqlite_row_fn *each, void *context,
    struct hf_error *err)
{
    const struct hf_sqlite *sqlite = &database->sqlite;
    struct hf_sqlite_row row = {.sqlite = sqlite};
    enum hf_status status = statement_of(database, question->text, &row.statement, err);
    if (status != HF_OK)
        return status;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < question->count; i++)
        code = bind_value(sqlite, row.statement, (int)i + 1, &question->values[i]);
    if (code == SQLITE_OK)
        code = sqlite->step(row.statement);
    while (status == HF_OK && code == SQLITE_ROW) {
        status = each != NULL ? each(context, &row, err) : HF_OK;
        if (status == HF_OK)
            code = sqlite->step(row.statement);
    }
    if (status == HF_OK && code != SQLITE_DONE)
        status = sqlite_failed(database, code, "use", err);
    (void)sqlite->reset(row.statement); /* says once more what step said */
    return status;
}

int64_t hf_sqlite_row_number(const struct hf_sqlite_row *row, int column)
{
    return row->sqlite->column_int64(row->statement, column);
}

double hf_sqlite_row_real(const struct hf_sqlite_row *row, int column)
{
    return row->sqlite->column_double(row->statement, column);
}

struct hf_text hf_sqlite_row_text(const struct hf_sqlite_row *row, int column)
{
    const char *data = row->sqlite->column_blob(row->statement, column); /* before its size */
    return (struct hf_text){data, (size_t)row->sqlite->column_bytes(row->statement, column)};
}

enum hf_status hf_sqlite_row_keep_number(
    void *number, const struct hf_sqlite_row *row, struct hf_error *err)
{
    (void)err;
    *(int64_t *)number = hf_sqlite_row_number(row, 0);
    return HF_OK;
}
