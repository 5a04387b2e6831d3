/*
 * fleet_words.h: what the answers about a fleet have in common: their first line, slopes, times,
 * and the first members of their documents (docs/json).
 */
#ifndef HF_CLI_FLEET_WORDS_H
#define HF_CLI_FLEET_WORDS_H

#include "answer/fleet/fleet_places.h"

/* "8 nodes, 9 instances, 2026-11-28 14:00:00 to 2026-11-29 15:00:00 UTC", and an empty line. */
void hf_fleet_put_head(const struct hf_fleet *fleet, struct hf_out *out);

/* "+2.1 MiB/min (+1.9 MiB to +2.3 MiB)", with "rough" behind it; "?" if it is not known. */
void hf_fleet_put_slope(const struct hf_rollup_slope *slope, struct hf_out *out);

/* What "rough" means, behind an empty line; nothing if it was not said. */
void hf_fleet_put_rough(bool is_rough, struct hf_out *out);

/* How many of the rows are shown, at most `wanted`; 0: all. */
size_t hf_fleet_rows(size_t count, uint64_t wanted);

/* "and 12 more rows" below them; nothing if all are shown. */
void hf_fleet_put_more(size_t count, uint64_t wanted, struct hf_out *out);

/* Its name, for a terminal; "?" if it has none. */
void hf_fleet_put_place(const struct hf_fleet_places *places, uint32_t place, struct hf_out *out);

/* {"schema", "since", "until", "newest", "nodes", "instances", "silent" */
void hf_fleet_json_head(const struct hf_fleet *fleet, const char *schema, struct hf_out *out);

/* , "per_second", "per_second_95", "rough" */
void hf_fleet_json_slope(const struct hf_rollup_slope *slope, struct hf_out *out);

/* before 1764424800.000 */
void hf_fleet_json_time(struct hf_out *out, const char *before, int64_t ms);

#endif
