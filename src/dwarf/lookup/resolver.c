#include "dwarf/lookup/resolver.h"

#include "base/budget.h"
#include "base/limits.h"
#include "dwarf/lookup/function.h"
#include "dwarf/lookup/line.h"
#include "dwarf/lookup/unit_claims.h"
#include "dwarf/lookup/unit_index.h"
#include "dwarf/name.h"
#include "dwarf/split.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Rounds of giving unanswered addresses to the next unit that claims them. */
#define CLAIM_ROUNDS 8
#define THREADS_MAX 32

/* What of a unit was not readable; each is told once. */
enum { DAMAGED_ROOT = 1, DAMAGED_FUNCTIONS = 2, DAMAGED_LINES = 4, DAMAGED_SPLIT = 8 };

/* What is kept of a unit from one run to the next. */
struct kept_unit {
    struct hf_line_files files;
    struct hf_split_unit *split; /* the rest of a skeleton; NULL: none was found */
    struct hf_unit_index *index; /* NULL: not made yet, or not any more */
    uint32_t last_run;           /* that asked it; 0: none */
    uint8_t damage;
    bool has_files, has_split; /* they were looked for */
    bool is_indexed_thoroughly;
    bool has_no_index; /* there cannot be one */
};

struct hf_resolver {
    struct hf_dwarf_sections sections, supplement; /* with the effort of the run */
    struct hf_dwarf_effort effort;
    struct hf_units units, supplement_units;
    struct kept_unit *kept; /* by unit */
    struct hf_claims claims;
    struct hf_die_names names;
    struct hf_intern texts;         /* names and paths */
    uint32_t generation;            /* of them */
    atomic_size_t index_bytes;      /* of all indexes */
    uint32_t run;                   /* from 1 */
    bool expects_more, has_columns; /* as the run was told */
    struct hf_queries queries;      /* of the run */
    struct hf_dwarf_result *result; /* of the run */
    struct hf_dwarf_damage damage;  /* up to now, but for what the names add */
    unsigned threads;
};

/* One worker: its part of the memory, and the damage it met. */
struct resolve_worker {
    struct hf_resolver *r;
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

static void meet(struct resolve_worker *worker, uint32_t unit, uint8_t part, enum hf_status status,
    const struct hf_error *err)
{
    struct kept_unit *kept = &worker->r->kept[unit];
    if (status == HF_ERR_MEMORY)
        worker->has_no_memory = true;
    else if (status != HF_OK && (kept->damage & part) == 0 && worker->damaged++ == 0)
        worker->damage = *err;
    if (status != HF_OK)
        kept->damage |= part;
}

static void claim_unit(struct resolve_worker *worker, uint32_t index)
{
    struct hf_resolver *r = worker->r;
    struct hf_error err;
    enum hf_status status = hf_unit_claim(&r->units.items[index], &r->sections, &r->queries, &err);
    meet(worker, index, DAMAGED_ROOT, status, &err);
}

/* The unit has the functions of its split part, whose queries are lent to that. */
static struct hf_unit_parts parts_of(struct hf_resolver *r, uint32_t index)
{
    struct hf_unit *unit = &r->units.items[index];
    struct hf_split_unit *split = r->kept[index].split;
    if (split == NULL)
        return (struct hf_unit_parts){unit, &r->sections, unit, &r->sections, r->has_columns};
    split->unit->queries = unit->queries;
    split->unit->query_count = unit->query_count;
    split->sections.effort = &r->effort;
    return (struct hf_unit_parts){
        split->unit, &split->sections, unit, &r->sections, r->has_columns};
}

/* True if an address of the unit may be in a function of it, and none was found. */
static bool lacks_functions(const struct hf_resolver *r, uint32_t index)
{
    const struct hf_unit *unit = &r->units.items[index];
    for (size_t i = 0; i < unit->query_count; i++) {
        const struct hf_answer *answer = &r->queries.answers[unit->queries[i]];
        if (answer->owner == index && answer->innermost == NULL &&
            !hf_dwarf_is_padding(&r->sections, r->queries.addresses[unit->queries[i]]))
            return true;
    }
    return false;
}

static void drop_index(struct hf_resolver *r, struct kept_unit *kept)
{
    if (kept->index != NULL)
        atomic_fetch_sub(&r->index_bytes, hf_unit_index_bytes(kept->index));
    hf_unit_index_free(kept->index);
    kept->index = NULL;
}

/* What cannot be indexed is walked each time, which tells why. */
static void resolver_make_index(struct hf_resolver *r, uint32_t index, bool is_thorough)
{
    struct kept_unit *kept = &r->kept[index];
    struct hf_unit_parts parts = parts_of(r, index);
    drop_index(r, kept);
    kept->has_no_index = hf_unit_index_make(&parts, is_thorough, &kept->index, NULL) != HF_OK;
    kept->is_indexed_thoroughly = is_thorough;
    if (kept->index != NULL)
        atomic_fetch_add(&r->index_bytes, hf_unit_index_bytes(kept->index));
}

static void take_back_answers(struct hf_resolver *r, uint32_t index)
{
    const struct hf_unit *unit = &r->units.items[index];
    for (size_t i = 0; i < unit->query_count; i++) {
        struct hf_answer *answer = &r->queries.answers[unit->queries[i]];
        if (answer->owner == index)
            *answer = (struct hf_answer){.owner = index};
    }
}

/* False: the unit is to be walked. */
static bool answer_by_index(struct hf_resolver *r, uint32_t index)
{
    struct kept_unit *kept = &r->kept[index];
    const struct hf_unit *unit = &r->units.items[index];
    bool is_asked_again = kept->last_run != 0 && kept->last_run != r->run;
    bool has_room = atomic_load(&r->index_bytes) < HF_LIMIT_RESIDENT_BYTES / 4 * 3;
    if (kept->index == NULL && has_room && !kept->has_no_index && kept->damage == 0 &&
        (is_asked_again || r->expects_more))
        resolver_make_index(r, index, false);
    if (kept->index == NULL)
        return false;
    hf_unit_index_answer(kept->index, unit, index, &r->queries);
    if (!kept->is_indexed_thoroughly && lacks_functions(r, index)) {
        take_back_answers(r, index); /* whose calls go with the index */
        resolver_make_index(r, index, true);
        if (kept->index == NULL)
            return false;
        hf_unit_index_answer(kept->index, unit, index, &r->queries);
    }
    return true;
}

static void walk_unit(struct resolve_worker *worker, uint32_t index)
{
    struct hf_resolver *r = worker->r;
    struct hf_error err;
    bool is_answered = answer_by_index(r, index);
    r->kept[index].last_run = r->run;
    if (is_answered)
        return;
    struct hf_unit_parts parts = parts_of(r, index);
    meet(worker, index, DAMAGED_FUNCTIONS,
        hf_unit_find_functions(
            parts.functions, index, parts.function_sections, &r->queries, &worker->arena, &err),
        &err);
    meet(worker, index, DAMAGED_LINES,
        hf_unit_find_lines(parts.lines, index, parts.line_sections, &r->queries, &err), &err);
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
static enum hf_status run_all(struct hf_resolver *r, struct resolve_worker *workers,
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
static size_t order_by_size(const struct hf_resolver *r, uint32_t *order)
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
static enum hf_status find_split(struct hf_resolver *r, uint32_t index, struct hf_error *err)
{
    struct hf_error fault;
    struct hf_split_source *source = r->sections.split;
    struct hf_split_unit *split = calloc(1, sizeof *split);
    if (split == NULL)
        return hf_error_memory(err);
    uint64_t bytes = source != NULL ? source->bytes : 0;
    enum hf_status status =
        hf_split_unit_open(split, &r->units.items[index], &r->sections, &r->texts, &fault);
    if (status == HF_OK) {
        r->kept[index].split = split;
    } else {
        free(split);
        if (r->damage.first_split.status == HF_OK)
            r->damage.first_split = fault;
    }
    if (source != NULL)
        hf_dwarf_grant(&r->effort, source->bytes - bytes);
    return status == HF_ERR_MEMORY ? hf_error_memory(err) : HF_OK;
}

static enum hf_status find_splits(
    struct hf_resolver *r, const uint32_t *order, size_t count, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        uint32_t index = order[i];
        if (r->kept[index].has_split || r->units.items[index].dwo_name.size == 0)
            continue;
        r->kept[index].has_split = true;
        status = find_split(r, index, err);
    }
    return status;
}

static enum hf_status resolve_search(
    struct hf_resolver *r, struct resolve_worker *workers, uint32_t *order, struct hf_error *err)
{
    for (uint32_t i = 0; i < r->units.count; i++)
        order[i] = i;
    enum hf_status status = HF_OK;
    if (r->run == 1) {
        status = run_all(r, workers, order, r->units.count, claim_unit, err);
    } else {
        if (!r->claims.is_listed)
            status = hf_claims_list(&r->claims, &r->units, &r->sections, err);
        if (status == HF_OK)
            status = hf_claims_give(&r->claims, &r->units, &r->sections, &r->queries, err);
    }
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
static void count_damage(struct hf_resolver *r, const struct hf_error *fault)
{
    if (r->damage.units++ == 0)
        r->damage.first = *fault;
}

static struct hf_line_file resolve_file_of(struct hf_resolver *r, uint32_t unit, uint32_t file)
{
    struct kept_unit *kept = &r->kept[unit];
    if (!kept->has_files) {
        kept->has_files = true;
        /* Damage was counted when the lines were read, a limit was not; what came before holds. */
        struct hf_error fault;
        enum hf_status status =
            hf_line_files_read(&kept->files, &r->units.items[unit], &r->sections, &fault);
        if (status == HF_ERR_LIMIT)
            count_damage(r, &fault);
    }
    return hf_line_files_find(&kept->files, file, &r->texts);
}

/* The place in the source of the address itself. */
static struct hf_dwarf_frame resolve_line_of(struct hf_resolver *r, const struct hf_answer *answer)
{
    if (!answer->has_line)
        return (struct hf_dwarf_frame){.file = HF_TEXT("")};
    struct hf_line_file file = resolve_file_of(r, answer->owner, answer->file);
    return (struct hf_dwarf_frame){.file = file.path,
        .line = answer->line,
        .detail = {.column = r->has_columns ? answer->column : 0,
            .folder_bytes = file.unit_folder_bytes & HF_FOLDER_BYTES_MAX,
            .is_near = answer->is_near}};
}

/* Where a call was inlined into what is around it. */
static struct hf_dwarf_frame resolve_call_of(
    struct hf_resolver *r, const struct hf_answer *answer, const struct hf_inlined_call *call)
{
    struct hf_line_file file = {.path = HF_TEXT("")};
    if (call->outer != NULL)
        file = resolve_file_of(r, answer->owner, call->call_file);
    return (struct hf_dwarf_frame){.file = file.path,
        .line = call->call_line,
        .detail = {.column = r->has_columns ? call->call_column : 0,
            .folder_bytes = file.unit_folder_bytes & HF_FOLDER_BYTES_MAX}};
}

/* Names and paths of the calls at one address. */
static enum hf_status resolve_describe(struct hf_resolver *r, size_t index, struct hf_error *err)
{
    const struct hf_answer *answer = &r->queries.answers[index];
    struct hf_dwarf_place *place = &r->result->places[index];
    if (answer->owner == HF_NO_UNIT)
        return HF_OK;
    struct hf_dwarf_frame at = resolve_line_of(r, answer);
    place->file = at.file;
    place->line = at.line;
    place->detail = at.detail;
    if (answer->innermost == NULL)
        return HF_OK;
    struct hf_split_unit *split = r->kept[answer->owner].split;
    struct hf_die_names *names = split != NULL ? &split->names : &r->names;
    place->frames = hf_arena_alloc(&r->result->arena, answer->depth * sizeof *place->frames);
    if (place->frames == NULL)
        return hf_error_memory(err);
    for (const struct hf_inlined_call *call = answer->innermost; call != NULL; call = call->outer) {
        struct hf_die_name name;
        enum hf_status status = hf_die_names_find(names, call->die, &name, err);
        if (status != HF_OK)
            return status;
        at.name = name.name;
        at.linkage = name.linkage;
        place->frames[place->count++] = at;
        at = resolve_call_of(r, answer, call);
    }
    return HF_OK;
}

/* Of a split unit that was not found, addresses have the names of their symbols. */
static void count_split_units(struct hf_resolver *r)
{
    for (uint32_t i = 0; i < r->units.count; i++) {
        struct kept_unit *kept = &r->kept[i];
        if (kept->has_split && kept->split == NULL && (kept->damage & DAMAGED_SPLIT) == 0 &&
            r->units.items[i].query_count != 0 && lacks_functions(r, i)) {
            kept->damage |= DAMAGED_SPLIT;
            r->damage.split_units++;
        }
    }
}

/* What has been found to be missing up to now. */
static struct hf_dwarf_damage sum_damage(const struct hf_resolver *r)
{
    struct hf_dwarf_damage damage = r->damage;
    uint64_t cut_chains = r->names.cut_chains;
    for (size_t i = 0; i < r->units.count; i++)
        cut_chains += r->kept[i].split != NULL ? r->kept[i].split->names.cut_chains : 0;
    damage.missing_names = r->names.missing_count;
    if (cut_chains != 0 && damage.units++ == 0)
        hf_error_set(&damage.first, HF_ERR_LIMIT,
            "%llu functions have their names behind more than %d references "
            "(HF_LIMIT_ORIGIN_DEPTH)",
            (unsigned long long)cut_chains, HF_LIMIT_ORIGIN_DEPTH);
    return damage;
}

static void collect_damage(struct hf_resolver *r, const struct resolve_worker *workers)
{
    for (unsigned i = 0; i < r->threads; i++) {
        if (workers[i].damaged != 0 && r->damage.units == 0)
            r->damage.first = workers[i].damage;
        r->damage.units += workers[i].damaged;
    }
}

/* Lists the units of a file; damage is counted. */
static enum hf_status resolve_scan(struct hf_resolver *r, struct hf_units *units,
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

static enum hf_status scan_all(struct hf_resolver *r, struct hf_error *err)
{
    enum hf_status status = resolve_scan(r, &r->units, &r->sections, err);
    if (status == HF_OK && r->sections.supplement != NULL)
        status = resolve_scan(r, &r->supplement_units, &r->supplement, err);
    if (status != HF_OK)
        return status;
    r->kept = hf_budget_calloc(r->units.count + 1, sizeof *r->kept);
    return r->kept != NULL ? HF_OK : hf_error_memory(err);
}

static enum hf_status resolve_run(
    struct hf_resolver *r, const uint64_t *addresses, size_t count, struct hf_error *err)
{
    struct hf_dwarf_result *result = r->result;
    struct resolve_worker workers[THREADS_MAX] = {0};
    uint32_t *order = NULL;
    result->places = hf_arena_alloc(&result->arena, (count + 1) * sizeof *result->places);
    enum hf_status status = result->places != NULL
                                ? hf_queries_init(&r->queries, addresses, count, err)
                                : hf_error_memory(err);
    if (status == HF_OK && r->run == 1)
        status = scan_all(r, err);
    if (status == HF_OK) {
        order = calloc(r->units.count + 1, sizeof *order);
        status = order != NULL ? resolve_search(r, workers, order, err) : hf_error_memory(err);
    }
    collect_damage(r, workers);
    for (size_t i = 0; i < count && status == HF_OK; i++)
        status = resolve_describe(r, i, err);
    if (status == HF_OK)
        count_split_units(r);
    result->damage = sum_damage(r);
    result->generation = r->generation;
    for (unsigned i = 0; i < r->threads; i++)
        hf_arena_done(&workers[i].arena);
    free(order);
    return status;
}

/* Drops names and paths when they are a quarter of what may be kept. */
static void forget_names(struct hf_resolver *r)
{
    size_t bytes = hf_die_names_bytes(&r->names) + r->texts.arena.total_bytes +
                   r->texts.entries_capacity * sizeof *r->texts.entries +
                   r->texts.slots_capacity * sizeof *r->texts.slots;
    if (bytes < HF_LIMIT_RESIDENT_BYTES / 4)
        return;
    hf_die_names_forget(&r->names);
    for (size_t i = 0; i < r->units.count; i++) {
        hf_line_files_done(&r->kept[i].files);
        r->kept[i].has_files = false;
        if (r->kept[i].split != NULL)
            hf_die_names_forget(&r->kept[i].split->names);
    }
    hf_intern_done(&r->texts);
    r->generation++;
}

/*
 * When indexes fill the other three quarters, an eighth of them goes, those that were asked longest
 * ago: so that addresses all over a file that is too large make few of them anew.
 */
static void forget_indexes(struct hf_resolver *r)
{
    static const size_t most = HF_LIMIT_RESIDENT_BYTES / 4 * 3;
    if (atomic_load(&r->index_bytes) < most)
        return;
    while (atomic_load(&r->index_bytes) > most / 8 * 7) {
        struct kept_unit *oldest = NULL;
        for (size_t i = 0; i < r->units.count; i++) {
            struct kept_unit *kept = &r->kept[i];
            if (kept->index != NULL && (oldest == NULL || kept->last_run < oldest->last_run))
                oldest = kept;
        }
        drop_index(r, oldest);
        oldest->last_run = 0;
    }
}

/* What the run before has left of itself, and what it may not leave. */
static void tidy(struct hf_resolver *r)
{
    for (size_t i = 0; i < r->units.count; i++)
        r->units.items[i].query_count = 0;
    if (r->kept != NULL) {
        forget_names(r);
        forget_indexes(r);
    }
}

static void grant_effort(struct hf_resolver *r)
{
    hf_dwarf_effort_init(&r->effort, &r->sections);
    if (r->sections.supplement != NULL)
        hf_dwarf_grant(&r->effort, hf_dwarf_bytes(&r->supplement));
    if (r->sections.split != NULL)
        hf_dwarf_grant(&r->effort, r->sections.split->bytes);
}

enum hf_status hf_resolver_new(const struct hf_dwarf_sections *sections,
    struct hf_resolver **out_resolver, struct hf_error *err)
{
    struct hf_resolver *r = calloc(1, sizeof *r);
    if (r == NULL)
        return hf_error_memory(err);
    r->sections = *sections;
    r->sections.effort = &r->effort;
    if (sections->supplement != NULL) {
        r->supplement = *sections->supplement;
        r->supplement.effort = &r->effort;
        r->supplement.supplement = NULL;
        r->sections.supplement = &r->supplement;
    }
    r->names = (struct hf_die_names){.sections = &r->sections,
        .units = &r->units,
        .supplement_units = &r->supplement_units,
        .texts = &r->texts};
    *out_resolver = r;
    return HF_OK;
}

enum hf_status hf_resolver_run(struct hf_resolver *r, const uint64_t *addresses, size_t count,
    const struct hf_resolver_run *how, struct hf_dwarf_result *result, struct hf_error *err)
{
    *result = (struct hf_dwarf_result){0};
    grant_effort(r);
    tidy(r);
    unsigned threads = how->threads;
    r->threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
    r->expects_more = how->expects_more;
    r->has_columns = how->has_columns;
    r->result = result;
    r->run++;
    enum hf_status status = resolve_run(r, addresses, count, err);
    hf_queries_done(&r->queries);
    return status;
}

void hf_resolver_free(struct hf_resolver *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->units.count && r->kept != NULL; i++) {
        struct kept_unit *kept = &r->kept[i];
        hf_line_files_done(&kept->files);
        hf_unit_index_free(kept->index);
        if (kept->split != NULL)
            hf_split_unit_done(kept->split);
        free(kept->split);
    }
    hf_budget_free(r->kept);
    hf_claims_done(&r->claims);
    hf_die_names_done(&r->names);
    hf_intern_done(&r->texts);
    hf_units_done(&r->units);
    hf_units_done(&r->supplement_units);
    free(r);
}

void hf_dwarf_result_done(struct hf_dwarf_result *result)
{
    hf_arena_done(&result->arena);
    *result = (struct hf_dwarf_result){0};
}
