#include "symbol/sightings.h"

#include "base/containers/vec.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The clocks of file systems tick every 4 milliseconds to 2 seconds. */
#define TICK_NS INT64_C(2000000000)

void hf_sightings_add(
    struct hf_sightings *sightings, const char *path, const struct hf_file_stamp *stamp)
{
    struct hf_sighting sighting = {.path = strdup(path), .is_there = stamp != NULL};
    if (sighting.path == NULL || !hf_vec_reserve(&sightings->items, &sightings->capacity,
                                     sightings->count + 1, sizeof *sightings->items)) {
        free(sighting.path);
        sightings->is_incomplete = true;
        return;
    }
    if (stamp != NULL)
        sighting.stamp = *stamp;
    sightings->items[sightings->count++] = sighting;
}

void hf_sightings_done(struct hf_sightings *sightings)
{
    for (size_t i = 0; i < sightings->count; i++)
        free(sightings->items[i].path);
    free(sightings->items);
    *sightings = (struct hf_sightings){0};
}

static int compare_paths(const void *a, const void *b)
{
    const struct hf_sighting *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static bool sightings_is_same(const struct hf_sighting *a, const struct hf_sighting *b)
{
    return a->is_there == b->is_there && hf_file_stamp_equal(&a->stamp, &b->stamp);
}

bool hf_sightings_unite(struct hf_sightings *sightings)
{
    struct hf_sighting *items = sightings->items;
    size_t kept = 0;
    bool is_one = true;
    if (sightings->count != 0)
        qsort(items, sightings->count, sizeof *items, compare_paths);
    for (size_t i = 0; i < sightings->count; i++) {
        bool is_again = kept != 0 && compare_paths(&items[kept - 1], &items[i]) == 0;
        is_one = is_one && (!is_again || sightings_is_same(&items[kept - 1], &items[i]));
        if (is_again)
            free(items[i].path);
        else
            items[kept++] = items[i];
    }
    sightings->count = kept;
    return is_one;
}

bool hf_sighting_holds(const char *path, const struct hf_file_stamp *stamp, bool is_there)
{
    struct hf_file_stamp now;
    if (!hf_file_stamp_of(path, &now))
        return !is_there;
    return is_there && hf_file_stamp_equal(stamp, &now);
}

bool hf_sightings_are_settled(const struct hf_sightings *sightings)
{
    struct timespec now;
    if (sightings->is_incomplete || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return false;
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    for (size_t i = 0; i < sightings->count; i++) {
        if (sightings->items[i].is_there &&
            now_ns - sightings->items[i].stamp.modified_ns < TICK_NS)
            return false;
    }
    return true;
}
