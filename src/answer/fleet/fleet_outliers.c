#include "answer/fleet/fleet_outliers.h"

#include "base/containers/vec.h"

#include <math.h>
#include <stdlib.h>

#define NOWHERE UINT32_MAX

/* The units of a service that are compared, one behind the other in `order`. */
struct compared_service {
    uint32_t key;
    size_t first, count;
    bool is_touched; /* by the place that is looked at */
};

struct outlier_search {
    struct hf_fleet_outliers *found;
    struct compared_service *services;
    size_t service_count;
    uint32_t *order;                          /* units */
    uint32_t *service_of_unit;                /* NOWHERE: it was not measured */
    size_t *at_of_unit;                       /* in `order` */
    struct hf_outlier_value *values, *sorted; /* by `order` */
    const struct hf_place_cell **cells;       /* likewise; NULL: it holds nothing of the place */
};

static enum hf_status allocate_search(struct outlier_search *search, struct hf_error *err)
{
    size_t count = search->found->growth.unit_count + 1;
    search->services = calloc(count, sizeof *search->services);
    search->order = calloc(count, sizeof *search->order);
    search->service_of_unit = calloc(count, sizeof *search->service_of_unit);
    search->at_of_unit = calloc(count, sizeof *search->at_of_unit);
    search->values = calloc(count, sizeof *search->values);
    search->sorted = calloc(count, sizeof *search->sorted);
    search->cells = calloc(count, sizeof *search->cells);
    if (search->services == NULL || search->order == NULL || search->service_of_unit == NULL ||
        search->at_of_unit == NULL || search->values == NULL || search->sorted == NULL ||
        search->cells == NULL)
        return hf_error_memory(err);
    return HF_OK;
}

static void free_search(struct outlier_search *search)
{
    free(search->services);
    free(search->order);
    free(search->service_of_unit);
    free(search->at_of_unit);
    free(search->values);
    free(search->sorted);
    free(search->cells);
}

/* Which service each unit is of, and its place among those of the service. */
static enum hf_status group_units(struct outlier_search *search, struct hf_error *err)
{
    const struct hf_place_growth *growth = &search->found->growth;
    struct hf_map known = {0};
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < growth->unit_count; i++) {
        bool is_new = false;
        const uint32_t *service =
            hf_map_put(&known, growth->units[i].key, (uint32_t)search->service_count, &is_new);
        if (service == NULL) {
            status = hf_error_memory(err);
            break;
        }
        if (is_new)
            search->services[search->service_count++].key = growth->units[i].key;
        search->service_of_unit[i] = growth->units[i].ran_s > 0 ? *service : NOWHERE;
        search->services[*service].count += growth->units[i].ran_s > 0;
    }
    hf_map_done(&known);
    for (size_t i = 1; i < search->service_count; i++)
        search->services[i].first = search->services[i - 1].first + search->services[i - 1].count;
    for (size_t i = 0; i < search->service_count; i++) {
        search->found->compared_count += search->services[i].count >= HF_OUTLIER_VALUES_MIN;
        search->services[i].count = 0;
    }
    for (size_t i = 0; status == HF_OK && i < growth->unit_count; i++) {
        if (search->service_of_unit[i] == NOWHERE)
            continue;
        struct compared_service *service = &search->services[search->service_of_unit[i]];
        search->at_of_unit[i] = service->first + service->count++;
        search->order[search->at_of_unit[i]] = (uint32_t)i;
    }
    search->found->service_count = search->service_count;
    return status;
}

static bool is_worth_telling(
    const struct hf_fleet_outliers *found, const struct hf_fleet_outlier *row)
{
    double gained_s = found->growth.units[row->unit].ran_s;
    return fabs(row->slope.slope - row->core.mean) * gained_s >= (double)found->least_bytes;
}

/* The bound falls as comparisons are added, and is applied once more at the end. */
static double bound_of(const struct hf_fleet_outliers *found)
{
    return found->rate / (double)found->comparison_count;
}

static enum hf_status compare_service(struct outlier_search *search,
    const struct compared_service *service, uint32_t place, struct hf_error *err)
{
    struct hf_fleet_outliers *found = search->found;
    struct hf_outlier_core core;
    memcpy(
        search->sorted, search->values + service->first, service->count * sizeof *search->sorted);
    if (!hf_outlier_core_of(search->sorted, service->count, &core))
        return HF_OK;
    found->comparison_count += service->count;
    for (size_t i = service->first; i < service->first + service->count; i++) {
        static const struct hf_rollup_slope nothing = {.is_known = true};
        struct hf_fleet_outlier row = {.unit = search->order[i],
            .place = place,
            .slope = search->cells[i] != NULL ? search->cells[i]->slope : nothing,
            .node_count = service->count,
            .core = core,
            .probability = hf_outlier_probability(&core, &search->values[i])};
        if (row.probability > bound_of(found) || !is_worth_telling(found, &row))
            continue;
        if (!hf_vec_reserve(
                &found->rows, &found->row_capacity, found->row_count + 1, sizeof *found->rows))
            return hf_error_memory(err);
        found->rows[found->row_count++] = row;
    }
    return HF_OK;
}

/* What the units of a service held of a place: nothing, but for the cells. */
static void clear_service(struct outlier_search *search, struct compared_service *service)
{
    service->is_touched = true;
    for (size_t i = service->first; i < service->first + service->count; i++) {
        search->values[i] = (struct hf_outlier_value){0};
        search->cells[i] = NULL;
    }
}

static enum hf_status compare_place(
    struct outlier_search *search, uint32_t place, struct hf_error *err)
{
    const struct hf_place_growth *growth = &search->found->growth;
    size_t first = growth->first_cells[place], end = growth->first_cells[place + 1];
    enum hf_status status = HF_OK;
    for (size_t i = first; i < end; i++) {
        const struct hf_place_cell *cell = &growth->cells[i];
        if (search->service_of_unit[cell->unit] == NOWHERE)
            continue;
        struct compared_service *service = &search->services[search->service_of_unit[cell->unit]];
        if (!service->is_touched)
            clear_service(search, service);
        size_t at = search->at_of_unit[cell->unit];
        search->values[at] = (struct hf_outlier_value){cell->slope.slope, cell->slope.variance};
        search->cells[at] = cell;
    }
    for (size_t i = first; status == HF_OK && i < end; i++) {
        uint32_t number = search->service_of_unit[growth->cells[i].unit];
        if (number == NOWHERE || !search->services[number].is_touched)
            continue;
        search->services[number].is_touched = false;
        status = compare_service(search, &search->services[number], place, err);
    }
    return status;
}

static double distance_of(const struct hf_fleet_outlier *row)
{
    return fabs(row->slope.slope - row->core.mean);
}

static int order_outliers(const void *left, const void *right)
{
    const struct hf_fleet_outlier *a = left, *b = right;
    double one = distance_of(a), other = distance_of(b);
    if (one > other || one < other)
        return one > other ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static void keep_sure(struct hf_fleet_outliers *found)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->row_count; i++) {
        if (found->rows[i].probability <= bound_of(found))
            found->rows[kept++] = found->rows[i];
    }
    found->row_count = kept;
    if (kept != 0)
        qsort(found->rows, kept, sizeof *found->rows, order_outliers);
}

enum hf_status hf_fleet_outliers_find(
    struct hf_fleet_outliers *outliers, const struct hf_fleet *fleet, struct hf_error *err)
{
    struct outlier_search search = {.found = outliers};
    *outliers =
        (struct hf_fleet_outliers){.rate = outliers->rate, .least_bytes = outliers->least_bytes};
    enum hf_status status =
        hf_place_growth_find(&outliers->growth, fleet, HF_UNIT_SERVICE, true, err);
    if (status == HF_OK)
        status = allocate_search(&search, err);
    if (status == HF_OK)
        status = group_units(&search, err);
    for (uint32_t i = 0; status == HF_OK && i < outliers->growth.places.names.count; i++)
        status = compare_place(&search, i, err);
    keep_sure(outliers);
    free_search(&search);
    return status;
}

void hf_fleet_outliers_done(struct hf_fleet_outliers *outliers)
{
    hf_place_growth_done(&outliers->growth);
    free(outliers->rows);
    *outliers = (struct hf_fleet_outliers){0};
}
