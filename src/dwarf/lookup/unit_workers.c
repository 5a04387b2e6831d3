#include "dwarf/lookup/unit_workers.h"

#include "base/budget.h"

#include <pthread.h>
#include <stdatomic.h>

/* What all of them do. */
struct unit_task {
    hf_unit_work_fn *work;
    void *context;
    const uint32_t *units;
    size_t count;
    atomic_size_t next;
    struct hf_budget *budget; /* of who started it */
};

struct unit_thread {
    struct unit_task *task;
    struct hf_unit_worker *worker;
};

static void *run_unit_thread(void *thread)
{
    struct unit_task *task = ((struct unit_thread *)thread)->task;
    struct hf_unit_worker *worker = ((struct unit_thread *)thread)->worker;
    struct hf_budget_scope before = hf_budget_enter(task->budget);
    for (;;) {
        size_t at = atomic_fetch_add(&task->next, 1);
        if (at >= task->count)
            break;
        task->work(task->context, worker, task->units[at]);
    }
    hf_budget_leave(before);
    return NULL;
}

enum hf_status hf_unit_workers_run(struct hf_unit_workers *workers, const uint32_t *units,
    size_t count, hf_unit_work_fn *work, void *context, struct hf_error *err)
{
    pthread_t ids[HF_UNIT_WORKERS_MAX];
    struct unit_thread threads[HF_UNIT_WORKERS_MAX];
    struct unit_task task = {.work = work,
        .context = context,
        .units = units,
        .count = count,
        .budget = hf_budget_scope.budget};
    unsigned started = 0;
    for (unsigned i = 0; i < workers->count; i++)
        threads[i] = (struct unit_thread){&task, &workers->items[i]};
    for (; started + 1 < workers->count && started + 1 < count; started++) {
        if (pthread_create(&ids[started], NULL, run_unit_thread, &threads[started + 1]) != 0)
            break;
    }
    run_unit_thread(&threads[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    for (unsigned i = 0; i < workers->count; i++) {
        if (workers->items[i].has_no_memory)
            return hf_error_memory(err);
    }
    return HF_OK;
}

void hf_unit_workers_done(struct hf_unit_workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        hf_arena_done(&workers->items[i].arena);
}
