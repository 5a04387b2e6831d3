#include "dwarf/lookup/resolve.h"

#include "base/budget.h"
#include "base/limits.h"
#include "dwarf/lookup/function.h"
#include "dwarf/lookup/line.h"
#include "dwarf/lookup/unit_claims.h"
#include "dwarf/name.h"
#include "dwarf/split.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Rounds of giving unanswered addresses to the next unit that claims them. */
#define CLAIM_ROUNDS 8
#define THREADS_MAX 32

struct resolve_resolver {
    const struct hf_dwarf_sections *sections;
    struct hf_units units, supplement_units;
    struct hf_queries queries;
    unsigned threads;
    struct hf_dwarf_result *result;
    struct hf_die_names names;
    struct hf_line_files *files; /* by unit */
    bool *has_files;
    struct hf_split_unit **splits; /* by unit, of the rest of skeletons; NULL: none was found */
    bool *has_splits;              /* it was looked for */
};

/* One worker: its part of the memory, and the damage it met. */
struct resolve_worker {
    struct resolve_resolver *r;
    void (*work)(struct resolve_worker *worker, uint32_t unit_index);
    const uint32_t *order; /* unit indices to work on */
    size_t count;
    atomic_size_t *next;
    struct hf_budget *budget; /* of who started it */
    struct hf_arena arena;    /* of the calls */
    uint64_t damaged;
    struct hf_error damage;
    bool has_no_memory;
};

static void meet(struct resolve_worker *worker, enum hf_status status, const struct hf_error *err)
{
    if (status == HF_ERR_MEMORY)
        worker->has_no_memory = true;
    else if (status != HF_OK && worker->damaged++ == 0)
        worker->damage = *err;
}

static void claim_unit(struct resolve_worker *worker, uint32_t index)
{
    struct resolve_resolver *r = worker->r;
    struct hf_error err;
    meet(worker, hf_unit_claim(&r->units.items[index], r->sections, &r->queries, &err), &err);
}

static void walk_unit(struct resolve_worker *worker, uint32_t index)
{
    struct resolve_resolver *r = worker->r;
    struct hf_unit *unit = &r->units.items[index];
    const struct hf_split_unit *split = r->splits[index];
    struct hf_error err;
    meet(worker,
        hf_unit_find_functions(split != NULL ? split->unit : unit, index,
            split != NULL ? &split->sections : r->sections, &r->queries, &worker->arena, &err),
        &err);
    meet(worker, hf_unit_find_lines(unit, index, r->sections, &r->queries, &err), &err);
}

static void *run_worker(void *context)
{
    struct resolve_worker *worker = context;
    struct hf_budget_scope before = hf_budget_enter(worker->budget);
    for (;;) {
        size_t at = atomic_fetch_add(worker->next, 1);
        if (at >= worker->count)
            break;
        worker->work(worker, worker->order[at]);
    }
    hf_budget_leave(before);
    return NULL;
}

/* Runs `work` over the units, on this thread too. A thread that cannot start is done without. */
static enum hf_status run_all(struct resolve_resolver *r, struct resolve_worker *workers,
    const uint32_t *order, size_t count, void (*work)(struct resolve_worker *, uint32_t),
    struct hf_error *err)
{
    pthread_t threads[THREADS_MAX];
    unsigned started = 0;
    atomic_size_t next = 0;
    for (unsigned i = 0; i < r->threads; i++) {
        workers[i].r = r;
        workers[i].work = work;
        workers[i].budget = hf_budget_scope.budget;
        workers[i].order = order;
        workers[i].count = count;
        workers[i].next = &next;
    }
    for (; started + 1 < r->threads && started + 1 < count; started++) {
        if (pthread_create(&threads[started], NULL, run_worker, &workers[started + 1]) != 0)
            break;
    }
    run_worker(&workers[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < r->threads; i++) {
        if (workers[i].has_no_memory)
            return hf_error_memory(err);
    }
    return HF_OK;
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
static size_t order_by_size(const struct resolve_resolver *r, uint32_t *order)
{
    size_t count = 0;
    for (size_t u = 0; u < r->units.count; u++) {
        const struct hf_unit *unit = &r->units.items[u];
        for (size_t i = 0; i < unit->query_count; i++) {
            const struct hf_answer *answer = &r->queries.answers[unit->queries[i]];
            if (answer->owner == u && answer->innermost == NULL) {
                order[count++] = (uint32_t)u;
                break;
            }
        }
    }
    qsort_r(order, count, sizeof *order, resolve_compare_sizes, (void *)(uintptr_t)&r->units);
    return count;
}

/* Finds the rest of one skeleton. Without it, names are those of symbols: that is told, no error.
 */
static enum hf_status find_split(struct resolve_resolver *r, uint32_t index, struct hf_error *err)
{
    struct hf_error fault;
    struct hf_split_source *source = r->sections->split;
    struct hf_split_unit *split = calloc(1, sizeof *split);
    if (split == NULL)
        return hf_error_memory(err);
    uint64_t bytes = source != NULL ? source->bytes : 0;
    enum hf_status status = hf_split_unit_open(split, &r->units.items[index], r->sections, &fault);
    if (status == HF_OK) {
        r->splits[index] = split;
    } else {
        free(split);
        if (r->result->first_split.status == HF_OK)
            r->result->first_split = fault;
    }
    if (source != NULL)
        hf_dwarf_grant(r->sections->effort, source->bytes - bytes);
    return status == HF_ERR_MEMORY ? hf_error_memory(err) : HF_OK;
}

static enum hf_status find_splits(
    struct resolve_resolver *r, const uint32_t *order, size_t count, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        uint32_t index = order[i];
        if (r->has_splits[index] || r->units.items[index].dwo_name.size == 0)
            continue;
        r->has_splits[index] = true;
        status = find_split(r, index, err);
    }
    return status;
}

static enum hf_status resolve_search(struct resolve_resolver *r, struct resolve_worker *workers,
    uint32_t *order, struct hf_error *err)
{
    for (uint32_t i = 0; i < r->units.count; i++)
        order[i] = i;
    enum hf_status status = run_all(r, workers, order, r->units.count, claim_unit, err);
    for (int round = 0; round < CLAIM_ROUNDS && status == HF_OK; round++) {
        if (hf_unit_claims_next(&r->units, &r->queries) == 0)
            break;
        size_t count = order_by_size(r, order);
        status = find_splits(r, order, count, err);
        if (status == HF_OK)
            status = run_all(r, workers, order, count, walk_unit, err);
    }
    return status;
}

/* Something that cannot be read, or a limit: what was read before holds. */
static void count_damage(struct resolve_resolver *r, const struct hf_error *fault)
{
    if (r->result->damaged_units++ == 0)
        r->result->first_damage = *fault;
}

static struct hf_text resolve_path_of(struct resolve_resolver *r, uint32_t unit, uint32_t file)
{
    if (!r->has_files[unit]) {
        r->has_files[unit] = true;
        /* Damage was counted when the lines were read, a limit was not; what came before holds. */
        struct hf_error fault;
        enum hf_status status =
            hf_line_files_read(&r->files[unit], &r->units.items[unit], r->sections, &fault);
        if (status == HF_ERR_LIMIT)
            count_damage(r, &fault);
    }
    return hf_line_files_path(&r->files[unit], file, &r->result->arena);
}

/* Names and paths of the calls at one address. */
static enum hf_status resolve_describe(
    struct resolve_resolver *r, size_t index, struct hf_error *err)
{
    const struct hf_answer *answer = &r->queries.answers[index];
    struct hf_dwarf_place *place = &r->result->places[index];
    if (answer->owner == HF_NO_UNIT)
        return HF_OK;
    struct hf_text file =
        answer->has_line ? resolve_path_of(r, answer->owner, answer->file) : HF_TEXT("");
    uint32_t line = answer->has_line ? answer->line : 0;
    place->file = file;
    place->line = line;
    if (answer->innermost == NULL)
        return HF_OK;
    struct hf_split_unit *split = r->splits[answer->owner];
    struct hf_die_names *names = split != NULL ? &split->names : &r->names;
    place->frames = hf_arena_alloc(&r->result->arena, answer->depth * sizeof *place->frames);
    if (place->frames == NULL)
        return hf_error_memory(err);
    for (const struct hf_inlined_call *call = answer->innermost; call != NULL; call = call->outer) {
        struct hf_die_name name;
        enum hf_status status = hf_die_names_find(names, call->die, &name, err);
        if (status != HF_OK)
            return status;
        place->frames[place->count++] =
            (struct hf_dwarf_frame){name.name, name.linkage, file, line};
        file =
            call->outer != NULL ? resolve_path_of(r, answer->owner, call->call_file) : HF_TEXT("");
        line = call->call_line;
    }
    return HF_OK;
}

static void note_cut_chains(struct resolve_resolver *r)
{
    struct hf_error fault;
    uint64_t cut_chains = r->names.cut_chains;
    for (size_t i = 0; i < r->units.count && r->splits != NULL; i++)
        cut_chains += r->splits[i] != NULL ? r->splits[i]->names.cut_chains : 0;
    if (cut_chains == 0)
        return;
    hf_error_set(&fault, HF_ERR_LIMIT,
        "%llu functions have their names behind more than %d references (HF_LIMIT_ORIGIN_DEPTH)",
        (unsigned long long)cut_chains, HF_LIMIT_ORIGIN_DEPTH);
    count_damage(r, &fault);
}

static bool is_owner_without_functions(const struct resolve_resolver *r, uint32_t index)
{
    const struct hf_unit *unit = &r->units.items[index];
    for (size_t i = 0; i < unit->query_count; i++) {
        const struct hf_answer *answer = &r->queries.answers[unit->queries[i]];
        if (answer->owner == index && answer->innermost == NULL)
            return true;
    }
    return false;
}

static void count_split_units(struct resolve_resolver *r)
{
    for (uint32_t i = 0; i < r->units.count; i++) {
        if (r->has_splits != NULL && r->has_splits[i] && r->splits[i] == NULL)
            r->result->split_units += is_owner_without_functions(r, i);
    }
}

static void collect_damage(
    struct hf_dwarf_result *result, const struct resolve_worker *workers, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (workers[i].damaged != 0 && result->damaged_units == 0)
            result->first_damage = workers[i].damage;
        result->damaged_units += workers[i].damaged;
    }
}

/* Lists the units of a file; damage is counted. */
static enum hf_status resolve_scan(struct resolve_resolver *r, struct hf_units *units,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_error damage;
    enum hf_status status = hf_units_scan(units, sections, &damage);
    if (status == HF_ERR_MEMORY)
        return hf_error_memory(err);
    if (status != HF_OK)
        count_damage(r, &damage);
    return HF_OK;
}

static enum hf_status resolve_run(
    struct resolve_resolver *r, const uint64_t *addresses, size_t count, struct hf_error *err)
{
    struct hf_dwarf_result *result = r->result;
    struct resolve_worker workers[THREADS_MAX] = {0};
    uint32_t *order = NULL;
    result->places = hf_arena_alloc(&result->arena, (count + 1) * sizeof *result->places);
    enum hf_status status = result->places != NULL
                                ? hf_queries_init(&r->queries, addresses, count, err)
                                : hf_error_memory(err);
    if (status == HF_OK)
        status = resolve_scan(r, &r->units, r->sections, err);
    if (status == HF_OK && r->sections->supplement != NULL)
        status = resolve_scan(r, &r->supplement_units, r->sections->supplement, err);
    if (status == HF_OK) {
        order = calloc(r->units.count + 1, sizeof *order);
        r->files = calloc(r->units.count + 1, sizeof *r->files);
        r->has_files = calloc(r->units.count + 1, sizeof *r->has_files);
        r->splits = calloc(r->units.count + 1, sizeof(*r->splits));
        r->has_splits = calloc(r->units.count + 1, sizeof *r->has_splits);
        bool has_memory = order != NULL && r->files != NULL && r->has_files != NULL &&
                          r->splits != NULL && r->has_splits != NULL;
        status = has_memory ? resolve_search(r, workers, order, err) : hf_error_memory(err);
    }
    for (size_t i = 0; i < count && status == HF_OK; i++)
        status = resolve_describe(r, i, err);
    note_cut_chains(r);
    count_split_units(r);
    result->missing_names = r->names.missing_count;
    collect_damage(result, workers, r->threads);
    for (unsigned i = 0; i < r->threads; i++)
        hf_arena_done(&workers[i].arena);
    free(order);
    return status;
}

enum hf_status hf_dwarf_resolve(const struct hf_dwarf_sections *sections, const uint64_t *addresses,
    size_t count, unsigned threads, struct hf_dwarf_result *result, struct hf_error *err)
{
    struct hf_dwarf_effort effort;
    hf_dwarf_effort_init(&effort, sections);
    struct hf_dwarf_sections bounded = *sections, supplement;
    bounded.effort = &effort;
    if (sections->supplement != NULL) {
        supplement = *sections->supplement;
        supplement.effort = &effort;
        supplement.supplement = NULL;
        bounded.supplement = &supplement;
        hf_dwarf_grant(&effort, hf_dwarf_bytes(&supplement));
    }
    if (sections->split != NULL)
        hf_dwarf_grant(&effort, sections->split->bytes);
    struct resolve_resolver r = {.sections = &bounded, .result = result};
    r.names = (struct hf_die_names){
        .sections = &bounded, .units = &r.units, .supplement_units = &r.supplement_units};
    r.threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
    *result = (struct hf_dwarf_result){0};
    enum hf_status status = resolve_run(&r, addresses, count, err);
    for (size_t i = 0; i < r.units.count && r.files != NULL; i++)
        hf_line_files_done(&r.files[i]);
    free(r.files);
    free(r.has_files);
    for (size_t i = 0; i < r.units.count && r.splits != NULL; i++) {
        if (r.splits[i] != NULL)
            hf_split_unit_done(r.splits[i]);
        free(r.splits[i]);
    }
    free(r.splits);
    free(r.has_splits);
    hf_die_names_done(&r.names);
    hf_queries_done(&r.queries);
    hf_units_done(&r.units);
    hf_units_done(&r.supplement_units);
    return status;
}

void hf_dwarf_result_done(struct hf_dwarf_result *result)
{
    hf_arena_done(&result->arena);
    *result = (struct hf_dwarf_result){0};
}
