#include "dwarf/lookup/unit_answers.h"

#include "dwarf/lookup/function.h"

void hf_unit_answers_note_damage(struct hf_unit_store *store, struct hf_unit_worker *worker,
    uint32_t unit, enum hf_unit_damage part, enum hf_status status, const struct hf_error *err)
{
    struct hf_kept_unit *kept = &store->kept[unit];
    if (status == HF_ERR_MEMORY)
        worker->has_no_memory = true;
    else if (status != HF_OK && (kept->damage & part) == 0 && worker->damaged++ == 0)
        worker->damage = *err;
    if (status != HF_OK)
        kept->damage |= (uint8_t)part;
}

bool hf_unit_answers_lack_functions(const struct hf_unit_questions *questions, uint32_t index)
{
    const struct hf_queries *queries = &questions->queries;
    const struct hf_dwarf_sections *sections = &questions->store->sections;
    const struct hf_unit *unit = &questions->store->units.items[index];
    for (size_t i = 0; i < unit->query_count; i++) {
        const struct hf_answer *answer = &queries->answers[unit->queries[i]];
        if (answer->owner == index && answer->innermost == NULL &&
            !hf_dwarf_is_padding(sections, queries->addresses[unit->queries[i]]))
            return true;
    }
    return false;
}

static void take_back_answers(struct hf_unit_questions *questions, uint32_t index)
{
    const struct hf_unit *unit = &questions->store->units.items[index];
    for (size_t i = 0; i < unit->query_count; i++) {
        struct hf_answer *answer = &questions->queries.answers[unit->queries[i]];
        if (answer->owner == index)
            *answer = (struct hf_answer){.owner = index};
    }
}

/* False: the unit is to be walked. */
static bool answer_by_index(struct hf_unit_questions *questions, uint32_t index)
{
    struct hf_unit_store *store = questions->store;
    struct hf_kept_unit *kept = &store->kept[index];
    const struct hf_unit *unit = &store->units.items[index];
    bool is_asked_again = kept->last_run != 0; /* before, or in this run about what others lack */
    if (kept->index == NULL && hf_unit_store_has_room(store) && !kept->has_no_index &&
        kept->damage == 0 && (is_asked_again || questions->expects_more))
        hf_unit_store_make_index(store, index, false);
    if (kept->index == NULL)
        return false;
    hf_unit_index_answer(kept->index, unit, index, &questions->queries);
    if (!kept->is_indexed_thoroughly && hf_unit_answers_lack_functions(questions, index)) {
        take_back_answers(questions, index); /* whose calls go with the index */
        hf_unit_store_make_index(store, index, true);
        if (kept->index == NULL)
            return false;
        hf_unit_index_answer(kept->index, unit, index, &questions->queries);
    }
    return true;
}

static void walk_unit(
    struct hf_unit_questions *questions, struct hf_unit_worker *worker, uint32_t index)
{
    struct hf_unit_store *store = questions->store;
    struct hf_unit_parts parts = hf_unit_store_parts(store, index);
    struct hf_error err;
    atomic_fetch_add(&store->units_decoded, 1);
    enum hf_status status = hf_unit_find_functions(
        parts.functions, index, parts.function_sections, &questions->queries, &worker->arena, &err);
    hf_unit_answers_note_damage(store, worker, index, HF_UNIT_DAMAGED_FUNCTIONS, status, &err);
    status = hf_unit_find_lines(parts.lines, index, parts.line_sections, &questions->queries, &err);
    hf_unit_answers_note_damage(store, worker, index, HF_UNIT_DAMAGED_LINES, status, &err);
}

void hf_unit_answers_find(
    struct hf_unit_questions *questions, struct hf_unit_worker *worker, uint32_t index)
{
    bool is_answered = answer_by_index(questions, index);
    questions->store->kept[index].last_run = questions->store->run;
    if (!is_answered)
        walk_unit(questions, worker, index);
}
