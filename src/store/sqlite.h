/*
 * sqlite.h: the parts of SQLite that are used; it is loaded when the first store is opened. For the
 * files of store/ only.
 */
#ifndef HF_STORE_SQLITE_H
#define HF_STORE_SQLITE_H

#include "base/attr.h"
#include "base/error.h"

#include <sqlite3.h>

/* By its own names less "sqlite3_". */
struct hf_sqlite {
    int (*open_v2)(const char *, sqlite3 **, int, const char *);
    int (*close_v2)(sqlite3 *);
    int (*busy_timeout)(sqlite3 *, int);
    int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
    const char *(*errmsg)(sqlite3 *);
    int (*prepare_v2)(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
    int (*finalize)(sqlite3_stmt *);
    int (*step)(sqlite3_stmt *);
    int (*reset)(sqlite3_stmt *);
    int (*bind_int64)(sqlite3_stmt *, int, sqlite3_int64);
    int (*bind_double)(sqlite3_stmt *, int, double);
    int (*bind_blob)(sqlite3_stmt *, int, const void *, int, void (*)(void *));
    int (*bind_text)(sqlite3_stmt *, int, const char *, int, void (*)(void *));
    sqlite3_int64 (*column_int64)(sqlite3_stmt *, int);
    double (*column_double)(sqlite3_stmt *, int);
    const void *(*column_blob)(sqlite3_stmt *, int);
    int (*column_bytes)(sqlite3_stmt *, int);
};

/* HF_ERR_SYSTEM, naming the package, if libsqlite3 is missing. */
HF_MUST_CHECK enum hf_status hf_sqlite_load(struct hf_sqlite *out_sqlite, struct hf_error *err);

#endif
