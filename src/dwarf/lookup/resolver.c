#include "dwarf/lookup/resolver.h"

#include "dwarf/lookup/call_names.h"
#include "dwarf/lookup/unit_answers.h"
#include "dwarf/lookup/unit_claims.h"

#include <stdlib.h>

/* Rounds of giving unanswered addresses to the next unit that claims them. */
#define CLAIM_ROUNDS 8

struct hf_resolver {
    struct hf_unit_store store;
    struct hf_claims claims;
    struct hf_unit_questions questions; /* of the run */
    struct hf_unit_workers workers;     /* of the run */
    struct hf_dwarf_result *result;     /* of the run */
};

static void work_on_claims(void *resolver, struct hf_unit_worker *worker, uint32_t unit)
{
    struct hf_resolver *r = resolver;
    struct hf_error err;
    enum hf_status status =
        hf_unit_claim(&r->store.units.items[unit], &r->store.sections, &r->questions.queries, &err);
    hf_unit_answers_note_damage(&r->store, worker, unit, HF_UNIT_DAMAGED_ROOT, status, &err);
}

static void work_on_answers(void *resolver, struct hf_unit_worker *worker, uint32_t unit)
{
    struct hf_resolver *r = resolver;
    hf_unit_answers_find(&r->questions, worker, unit);
}

/* Larger units first; of equal ones the first. */
static int resolve_compare_sizes(const void *a, const void *b, void *context)
{
    const struct hf_units *units = context;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    uint64_t x_size = units->items[x].end - units->items[x].offset;
    uint64_t y_size = units->items[y].end - units->items[y].offset;
    if (x_size != y_size)
        return x_size > y_size ? -1 : 1;
    return (x > y) - (x < y);
}

/* Units that own an address without an answer, the largest first: the long ones must not be last.
 */
static size_t order_by_size(const struct hf_resolver *r, uint32_t *order)
{
    size_t count = 0;
    const struct hf_units *units = &r->store.units;
    for (size_t u = 0; u < units->count; u++) {
        const struct hf_unit *unit = &units->items[u];
        for (size_t i = 0; i < unit->query_count; i++) {
            const struct hf_answer *answer = &r->questions.queries.answers[unit->queries[i]];
            if (answer->owner == u && answer->innermost == NULL) {
                order[count++] = (uint32_t)u;
                break;
            }
        }
    }
    qsort_r(order, count, sizeof *order, resolve_compare_sizes, (void *)(uintptr_t)units);
    return count;
}

/* Lists for each unit the addresses that it claims. */
static enum hf_status resolve_claims(struct hf_resolver *r, uint32_t *order, struct hf_error *err)
{
    struct hf_unit_store *store = &r->store;
    enum hf_status status = HF_OK;
    for (uint32_t i = 0; i < store->units.count; i++)
        order[i] = i;
    if (store->run == 1)
        return hf_unit_workers_run(&r->workers, order, store->units.count, work_on_claims, r, err);
    if (!r->claims.is_listed)
        status = hf_claims_list(&r->claims, &store->units, &store->sections, err);
    if (status == HF_OK)
        status =
            hf_claims_give(&r->claims, &store->units, &store->sections, &r->questions.queries, err);
    return status;
}

static enum hf_status resolve_search(struct hf_resolver *r, uint32_t *order, struct hf_error *err)
{
    struct hf_unit_store *store = &r->store;
    enum hf_status status = resolve_claims(r, order, err);
    for (int round = 0; round < CLAIM_ROUNDS && status == HF_OK; round++) {
        size_t given;
        status = hf_unit_claims_next(&store->units, &r->questions.queries, &given, err);
        if (status != HF_OK || given == 0)
            break;
        size_t count = order_by_size(r, order);
        for (size_t i = 0; i < count && status == HF_OK; i++)
            status = hf_unit_store_find_split(store, order[i], err);
        if (status == HF_OK)
            status = hf_unit_workers_run(&r->workers, order, count, work_on_answers, r, err);
    }
    return status;
}

/* Of a split unit that was not found, addresses have the names of their symbols. */
static void count_split_units(struct hf_resolver *r)
{
    struct hf_unit_store *store = &r->store;
    for (uint32_t i = 0; i < store->units.count; i++) {
        struct hf_kept_unit *kept = &store->kept[i];
        if (kept->has_split && kept->split == NULL && (kept->damage & HF_UNIT_DAMAGED_SPLIT) == 0 &&
            store->units.items[i].query_count != 0 &&
            hf_unit_answers_lack_functions(&r->questions, i)) {
            kept->damage |= HF_UNIT_DAMAGED_SPLIT;
            store->damage.split_units++;
        }
    }
}

static void collect_damage(struct hf_resolver *r)
{
    struct hf_dwarf_damage *damage = &r->store.damage;
    for (unsigned i = 0; i < r->workers.count; i++) {
        const struct hf_unit_worker *worker = &r->workers.items[i];
        if (worker->damaged != 0 && damage->units == 0)
            damage->first = worker->damage;
        damage->units += worker->damaged;
    }
}

static enum hf_status resolve_run(
    struct hf_resolver *r, const uint64_t *addresses, size_t count, struct hf_error *err)
{
    struct hf_dwarf_result *result = r->result;
    struct hf_queries *queries = &r->questions.queries;
    uint32_t *order = NULL;
    result->places = hf_arena_alloc(&result->arena, (count + 1) * sizeof *result->places);
    enum hf_status status = result->places != NULL ? hf_queries_init(queries, addresses, count, err)
                                                   : hf_error_memory(err);
    if (status == HF_OK && r->store.run == 1)
        status = hf_unit_store_scan(&r->store, err);
    if (status == HF_OK) {
        order = calloc(r->store.units.count + 1, sizeof *order);
        status = order != NULL ? resolve_search(r, order, err) : hf_error_memory(err);
    }
    collect_damage(r);
    for (size_t i = 0; i < count && status == HF_OK; i++)
        status = hf_call_names_read(
            &r->store, &queries->answers[i], &result->arena, &result->places[i], err);
    if (status == HF_OK)
        count_split_units(r);
    result->damage = hf_unit_store_damage(&r->store);
    result->generation = r->store.generation;
    hf_unit_workers_done(&r->workers);
    free(order);
    return status;
}

enum hf_status hf_resolver_new(const struct hf_dwarf_sections *sections,
    struct hf_resolver **out_resolver, struct hf_error *err)
{
    struct hf_resolver *r = calloc(1, sizeof *r);
    if (r == NULL)
        return hf_error_memory(err);
    hf_unit_store_init(&r->store, sections);
    r->questions.store = &r->store;
    *out_resolver = r;
    return HF_OK;
}

enum hf_status hf_resolver_run(struct hf_resolver *r, const uint64_t *addresses, size_t count,
    const struct hf_resolver_run *how, struct hf_dwarf_result *result, struct hf_error *err)
{
    unsigned threads = how->threads < 1 ? 1 : how->threads;
    *result = (struct hf_dwarf_result){0};
    hf_unit_store_begin_run(&r->store);
    r->store.has_columns = how->has_columns;
    r->questions.expects_more = how->expects_more;
    r->workers = (struct hf_unit_workers){
        .count = threads < HF_UNIT_WORKERS_MAX ? threads : HF_UNIT_WORKERS_MAX};
    r->result = result;
    enum hf_status status = resolve_run(r, addresses, count, err);
    hf_queries_done(&r->questions.queries);
    return status;
}

size_t hf_resolver_bytes(struct hf_resolver *r)
{
    return hf_unit_store_bytes(&r->store);
}

size_t hf_resolver_units_decoded(struct hf_resolver *r)
{
    return atomic_load(&r->store.units_decoded);
}

void hf_resolver_free(struct hf_resolver *r)
{
    if (r == NULL)
        return;
    hf_unit_store_done(&r->store);
    hf_claims_done(&r->claims);
    free(r);
}

void hf_dwarf_result_done(struct hf_dwarf_result *result)
{
    hf_arena_done(&result->arena);
    *result = (struct hf_dwarf_result){0};
}
