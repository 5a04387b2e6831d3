/*
 * schema.h: the tables of a store, and how one of an older version becomes one of this.
 *
 *     instance   one run of a process: its service, build and node
 *     stack      each stack once, by its fingerprint (stack_fingerprint.h), with its named frames
 *     batch      which batches (batch.h) were acknowledged: their ids
 *     profiles   those of an hour of an instance (stored_profiles.h), and which stacks theirs are
 *     hour       n, sum t, sum t^2 of an instance's profiles in an hour (rollup.h); sum y, sum t y,
 *                sum y^2, most and last of all its bytes in use
 *     rollup     sum y, sum t y, sum y^2, most, first and last of a stack in such an hour
 *
 * A *migration* is a list of statements that leads from one version to the next; it has the number
 * of that version. Migrations that were released never change: a new one is added. A store says
 * its version itself, and one that is newer than the program is refused, unread.
 *
 * In `profiles`, both lists are compressed as zlib has it (RFC 1950), each as one; `size` is that
 * of the profiles before. Hours are counted since 1970. Numbers are INTEGER of 64 bits; sums are
 * REAL.
 *
 * Example:
 *
 *     size_t count;
 *     const char *const *statements = hf_schema_migration(1, &count);
 *     for (size_t i = 0; i < count; i++)
 *         hf_out_string(out, statements[i]);
 */
#ifndef HF_STORE_SCHEMA_H
#define HF_STORE_SCHEMA_H

#include <stddef.h>

#define HF_SCHEMA_VERSION 1u /* that of this program; a new store has 0 */

/* The statements that make version `number`, from 1 to HF_SCHEMA_VERSION, of the one before. */
const char *const *hf_schema_migration(unsigned number, size_t *out_count);

#endif
