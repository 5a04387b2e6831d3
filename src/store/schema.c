#include "store/schema.h"

#include "base/attr.h"

/* Rows that are found by their key alone stand in its order (WITHOUT ROWID): half of the bytes. An
 * hour has a number of its own because its many rows in the roll-up name it. */
static const char *const first_tables[] = {
    "CREATE TABLE instance (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, service TEXT NOT "
    "NULL, build TEXT NOT NULL, node TEXT NOT NULL, first_ms INTEGER NOT NULL, last_ms INTEGER NOT "
    "NULL, profiles INTEGER NOT NULL)",
    "CREATE TABLE stack (id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL UNIQUE, place TEXT NOT "
    "NULL, frames TEXT NOT NULL)",
    "CREATE TABLE batch (instance INTEGER NOT NULL, first_ms INTEGER NOT NULL, last_ms INTEGER NOT "
    "NULL, checksum INTEGER NOT NULL, PRIMARY KEY (instance, first_ms)) WITHOUT ROWID",
    "CREATE TABLE profiles (id INTEGER PRIMARY KEY, instance INTEGER NOT NULL, first_ms INTEGER "
    "NOT NULL, last_ms INTEGER NOT NULL, stack_count INTEGER NOT NULL, stacks BLOB NOT NULL, size "
    "INTEGER NOT NULL, profiles BLOB NOT NULL, UNIQUE (instance, first_ms))",
    "CREATE TABLE hour (id INTEGER PRIMARY KEY, instance INTEGER NOT NULL, hour INTEGER NOT NULL, "
    "first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL, n REAL NOT NULL, t REAL NOT NULL, tt "
    "REAL NOT NULL, y REAL NOT NULL, ty REAL NOT NULL, yy REAL NOT NULL, most INTEGER NOT NULL, "
    "last INTEGER NOT NULL, UNIQUE (instance, hour))",
    "CREATE TABLE rollup (hour INTEGER NOT NULL, stack INTEGER NOT NULL, y REAL NOT NULL, ty REAL "
    "NOT NULL, yy REAL NOT NULL, most INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT "
    "NULL, PRIMARY KEY (hour, stack)) WITHOUT ROWID",
};

static const struct {
    const char *const *statements;
    size_t count;
} migrations[] = {
    {first_tables, HF_COUNT(first_tables)},
};
_Static_assert(HF_COUNT(migrations) == HF_SCHEMA_VERSION, "each version has its migration");

const char *const *hf_schema_migration(unsigned number, size_t *out_count)
{
    *out_count = migrations[number - 1].count;
    return migrations[number - 1].statements;
}
