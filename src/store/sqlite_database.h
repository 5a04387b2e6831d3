/*
 * sqlite_database.h: a file of SQLite, and statements with values in them. libsqlite3 is loaded
 * when the first one is opened. For the files of store/ only.
 *
 * Of two writers one waits for the other, up to HF_SQLITE_WAIT_MS.
 *
 * Statements are texts of the program, never made of data; what is known of one is kept for the
 * next time by where its text lies, so a text is a constant.
 *
 * Safety: one thread, and never in a process that was forked after it was opened.
 */
#ifndef HF_STORE_SQLITE_DATABASE_H
#define HF_STORE_SQLITE_DATABASE_H

#include "base/error.h"
#include "base/text.h"
#include "store/sqlite.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_SQLITE_STATEMENTS_MAX 24
#define HF_SQLITE_WAIT_MS 10000

struct hf_sqlite_database {
    struct hf_sqlite sqlite;
    sqlite3 *handle; /* NULL: it is not open */
    const char *path;
    struct {
        const char *text;
        sqlite3_stmt *statement;
    } known[HF_SQLITE_STATEMENTS_MAX];
    size_t known_count;
};

struct hf_sqlite_value {
    enum { HF_SQLITE_IS_NUMBER, HF_SQLITE_IS_REAL, HF_SQLITE_IS_TEXT, HF_SQLITE_IS_BYTES } kind;
    int64_t number;
    double real;
    struct hf_text text;
};

#define HF_SQLITE_NUMBER(value)                                                                    \
    ((struct hf_sqlite_value){.kind = HF_SQLITE_IS_NUMBER, .number = (int64_t)(value)})
#define HF_SQLITE_REAL(value) ((struct hf_sqlite_value){.kind = HF_SQLITE_IS_REAL, .real = (value)})
#define HF_SQLITE_TEXT(value) ((struct hf_sqlite_value){.kind = HF_SQLITE_IS_TEXT, .text = (value)})
#define HF_SQLITE_BYTES(value)                                                                     \
    ((struct hf_sqlite_value){.kind = HF_SQLITE_IS_BYTES, .text = (value)})

/* A question: a statement, and what stands for its marks ?1, ?2 ... */
struct hf_sqlite_question {
    const char *text;
    const struct hf_sqlite_value *values;
    size_t count;
};

#define HF_SQLITE_ASK(text, ...)                                                                   \
    (&(const struct hf_sqlite_question){text, (const struct hf_sqlite_value[]){__VA_ARGS__},       \
        sizeof((const struct hf_sqlite_value[]){__VA_ARGS__}) / sizeof(struct hf_sqlite_value)})

/*
 * Opens `path`, which is borrowed; close it also after an error. `is_writer`: it is made if it is
 * not there. HF_ERR_SYSTEM: it cannot be opened, libsqlite3 is missing. HF_ERR_INPUT: it is no file
 * of SQLite.
 */
HF_MUST_CHECK enum hf_status hf_sqlite_database_open(
    struct hf_sqlite_database *database, const char *path, bool is_writer, struct hf_error *err);
void hf_sqlite_database_close(struct hf_sqlite_database *database);

/* Runs statements without values and rows, e.g. BEGIN. */
HF_MUST_CHECK enum hf_status hf_sqlite_database_run(
    struct hf_sqlite_database *database, const char *statements, struct hf_error *err);

/* Takes back what was not committed; does nothing if all was. */
void hf_sqlite_database_roll_back(struct hf_sqlite_database *database);

/* A row of an answer. Its texts are borrowed until the next row. */
struct hf_sqlite_row {
    const struct hf_sqlite *sqlite;
    sqlite3_stmt *statement;
};

typedef enum hf_status hf_sqlite_row_fn(
    void *context, const struct hf_sqlite_row *row, struct hf_error *err);

/* Asks, and has `each` called for every row; NULL: there are none. */
HF_MUST_CHECK enum hf_status hf_sqlite_database_ask(struct hf_sqlite_database *database,
    const struct hf_sqlite_question *question, hf_sqlite_row_fn *each, void *context,
    struct hf_error *err);

int64_t hf_sqlite_row_number(const struct hf_sqlite_row *row, int column);
double hf_sqlite_row_real(const struct hf_sqlite_row *row, int column);
struct hf_text hf_sqlite_row_text(const struct hf_sqlite_row *row, int column);

/* For `each`: the number in the first column, into an int64_t. */
enum hf_status hf_sqlite_row_keep_number(
    void *number, const struct hf_sqlite_row *row, struct hf_error *err);

#endif
