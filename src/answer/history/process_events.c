#include "answer/history/process_events.h"

#include "answer/operand.h"
#include "answer/timeline.h"
#include "base/containers/vec.h"
#include "capture/mark.h"

#include <stdlib.h>

enum hf_status hf_process_events_add(struct hf_process_events *events, const char *kind,
    struct hf_text name, int64_t time_ms, struct hf_error *err)
{
    const char *copy = hf_arena_copy(&events->names, name.data, name.size);
    if (copy == NULL || !hf_vec_reserve(&events->items, &events->capacity, events->count + 1,
                            sizeof *events->items))
        return hf_error_memory(err);
    events->items[events->count++] = (struct hf_process_event){kind, {copy, name.size}, time_ms};
    return HF_OK;
}

enum hf_status hf_process_events_add_file(
    struct hf_process_events *events, const char *path, int64_t time_ms, struct hf_error *err)
{
    struct hf_text name = hf_text_basename(hf_text_of(path));
    if (!hf_text_ends(name, HF_MARK_ENDING) || time_ms == INT64_MIN)
        return HF_OK;
    name = hf_text_first(name, name.size - strlen(HF_MARK_ENDING));
    size_t dot = hf_text_find(name, '.');
    if (dot < name.size)
        name = hf_text_from(name, dot + 1);
    return name.size != 0 ? hf_process_events_add(events, "mark", name, time_ms, err) : HF_OK;
}

struct marks_beside {
    struct hf_process_events *events;
    struct hf_error *err;
};

static enum hf_status add_mark(void *context, const char *path)
{
    struct marks_beside *beside = context;
    return hf_process_events_add_file(beside->events, path, hf_timeline_time_of(path), beside->err);
}

/* A process that has ended has taken its table with it: then nothing is known of its marks. */
enum hf_status hf_process_events_add_marks(
    struct hf_process_events *events, const char *operand, struct hf_error *err)
{
    struct hf_found_table table;
    struct marks_beside beside = {events, err};
    uint32_t pid;
    if (hf_operand_table(&table, operand, NULL, &pid, NULL) != HF_OK)
        return HF_OK;
    enum hf_status status = hf_marks_each(&table, add_mark, &beside);
    hf_found_table_close(&table);
    return status;
}

enum hf_status hf_process_events_add_all(
    struct hf_process_events *events, const struct hf_process_events *others, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < others->count; i++) {
        const struct hf_process_event *event = &others->items[i];
        status = hf_process_events_add(events, event->kind, event->name, event->time_ms, err);
    }
    return status;
}

enum hf_status hf_process_events_date(
    struct hf_process_events *events, int64_t first_ms, struct hf_error *err)
{
    free(events->dated);
    events->dated = calloc(events->count + 1, sizeof *events->dated);
    if (events->dated == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < events->count; i++) {
        const struct hf_process_event *event = &events->items[i];
        events->dated[i] = (struct hf_verdict_event){
            event->kind, event->name, (double)(event->time_ms - first_ms) / 1000};
    }
    return HF_OK;
}

void hf_process_events_done(struct hf_process_events *events)
{
    free(events->items);
    free(events->dated);
    hf_arena_done(&events->names);
    *events = (struct hf_process_events){0};
}
