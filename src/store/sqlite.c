#include "store/sqlite.h"

#include "base/library.h"

#define OF_SQLITE(name)                                                                            \
    {                                                                                              \
        "sqlite3_" #name, offsetof(struct hf_sqlite, name)                                         \
    }

static const struct hf_library_function sqlite_functions[] = {
    OF_SQLITE(open_v2),
    OF_SQLITE(close_v2),
    OF_SQLITE(busy_timeout),
    OF_SQLITE(exec),
    OF_SQLITE(errmsg),
    OF_SQLITE(prepare_v2),
    OF_SQLITE(finalize),
    OF_SQLITE(step),
    OF_SQLITE(reset),
    OF_SQLITE(bind_int64),
    OF_SQLITE(bind_double),
    OF_SQLITE(bind_blob),
    OF_SQLITE(bind_text),
    OF_SQLITE(column_int64),
    OF_SQLITE(column_double),
    OF_SQLITE(column_blob),
    OF_SQLITE(column_bytes),
};

static const struct hf_library libsqlite3 = {
    .file = "libsqlite3.so.0",
    .package = "libsqlite3-0",
    .purpose = "to open a store",
    .functions = sqlite_functions,
    .function_count = HF_COUNT(sqlite_functions),
};

enum hf_status hf_sqlite_load(struct hf_sqlite *out_sqlite, struct hf_error *err)
{
    return hf_library_load(&libsqlite3, out_sqlite, err);
}
