/*
 * unit_index.h: all that a unit says of its addresses, made once, for who asks again and again.
 *
 * Walking a unit for the addresses of one batch (function.h, line.h) is cheapest once: most of the
 * unit is passed over. An index costs about as much as a walk that finds everything; then an answer
 * is two binary searches. It says what the walk would say.
 *
 * Read-only once made: any thread.
 */
#ifndef HF_DWARF_UNIT_INDEX_H
#define HF_DWARF_UNIT_INDEX_H

#include "dwarf/queries.h"
#include "dwarf/unit.h"

struct hf_unit_index;

/* Where the two halves of a unit are: one and the same, or a skeleton and its rest (split.h). */
struct hf_unit_parts {
    struct hf_unit *functions;
    const struct hf_dwarf_sections *function_sections;
    const struct hf_unit *lines;
    const struct hf_dwarf_sections *line_sections;
    bool has_columns; /* of the lines */
};

/*
 * `is_thorough`: with the functions inside of types and functions, too. Any error, damage too:
 * there is no index, and the unit is to be walked.
 */
HF_MUST_CHECK enum hf_status hf_unit_index_new(const struct hf_unit_parts *parts, bool is_thorough,
    struct hf_unit_index **out_index, struct hf_error *err);
void hf_unit_index_free(struct hf_unit_index *index);

/*
 * Answers the queries of the unit that it owns and that have no answer yet. The calls belong to the
 * index.
 */
void hf_unit_index_answer(const struct hf_unit_index *index, const struct hf_unit *unit,
    uint32_t unit_index, struct hf_queries *queries);

/* What it takes. */
size_t hf_unit_index_bytes(const struct hf_unit_index *index);

#endif
