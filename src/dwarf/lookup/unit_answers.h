/*
 * unit_answers.h: the answers of a unit to the addresses that it owns, by its index or by a walk.
 *
 * The first addresses are found by walking their units, which passes over most of them; a unit that
 * is asked again gets an index. Both say the same.
 */
#ifndef HF_DWARF_UNIT_ANSWERS_H
#define HF_DWARF_UNIT_ANSWERS_H

#include "dwarf/lookup/unit_store.h"
#include "dwarf/lookup/unit_workers.h"

/* One run of a resolver. */
struct hf_unit_questions {
    struct hf_unit_store *store;
    struct hf_queries queries;
    bool expects_more; /* as the run was told */
};

/* Answers; damage and lack of memory are the worker's. Units may be asked in parallel. */
void hf_unit_answers_find(
    struct hf_unit_questions *questions, struct hf_unit_worker *worker, uint32_t unit);

/* Notes what came of reading a part of a unit. */
void hf_unit_answers_note_damage(struct hf_unit_store *store, struct hf_unit_worker *worker,
    uint32_t unit, enum hf_unit_damage part, enum hf_status status, const struct hf_error *err);

/* True if an address of the unit may be in a function of it, and none was found. */
bool hf_unit_answers_lack_functions(const struct hf_unit_questions *questions, uint32_t unit);

#endif
