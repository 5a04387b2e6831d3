#include "os/ordered_workers.h"

#include "base/budget.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

struct run {
    struct hf_budget *budget; /* of who started it */
    const struct hf_ordered_workers *ordered;
    pthread_mutex_t taking, applying;
    pthread_cond_t has_turned, are_wanted;
    uint64_t taken;   /* pieces so far; under `taking` */
    uint64_t applied; /* under `applying`, as all below */
    unsigned waiting; /* for being wanted */
    enum hf_status status;
    struct hf_error *err;
    atomic_bool is_over;
};

struct ordered_workers_worker {
    struct run *run;
    void *piece;
    bool is_leader;
};

static bool ordered_workers_take(struct run *run, void *piece, uint64_t *out_number)
{
    pthread_mutex_lock(&run->taking);
    bool is_taken = !atomic_load(&run->is_over) && run->ordered->take(run->ordered->context, piece);
    if (is_taken)
        *out_number = run->taken++;
    else
        atomic_store(&run->is_over, true);
    pthread_mutex_unlock(&run->taking);
    return is_taken;
}

static void ordered_workers_apply(struct run *run, void *piece, uint64_t number)
{
    pthread_mutex_lock(&run->applying);
    while (run->applied != number)
        pthread_cond_wait(&run->has_turned, &run->applying);
    if (run->status == HF_OK)
        run->status = run->ordered->apply(run->ordered->context, piece, run->err);
    if (run->status != HF_OK)
        atomic_store(&run->is_over, true);
    run->applied++;
    pthread_cond_broadcast(&run->has_turned);
    pthread_mutex_unlock(&run->applying);
}

static bool ordered_workers_are_wanted(struct run *run)
{
    return atomic_load(&run->is_over) || run->ordered->is_alone == NULL ||
           !run->ordered->is_alone(run->ordered->context);
}

/* Of those that help; the leader, which never waits here, wakes them. */
static void ordered_workers_wait_until_wanted(struct run *run)
{
    if (ordered_workers_are_wanted(run))
        return;
    pthread_mutex_lock(&run->applying);
    run->waiting++;
    while (!ordered_workers_are_wanted(run))
        pthread_cond_wait(&run->are_wanted, &run->applying);
    run->waiting--;
    pthread_mutex_unlock(&run->applying);
}

static void ordered_workers_wake(struct run *run)
{
    pthread_mutex_lock(&run->applying);
    if (run->waiting != 0 && ordered_workers_are_wanted(run))
        pthread_cond_broadcast(&run->are_wanted);
    pthread_mutex_unlock(&run->applying);
}

static void *ordered_workers_work(void *context)
{
    struct ordered_workers_worker *worker = context;
    struct run *run = worker->run;
    uint64_t number;
    struct hf_budget_scope before = hf_budget_enter(run->budget);
    if (!worker->is_leader)
        ordered_workers_wait_until_wanted(run);
    while (ordered_workers_take(run, worker->piece, &number)) {
        run->ordered->digest(run->ordered->context, worker->piece);
        ordered_workers_apply(run, worker->piece, number);
        if (worker->is_leader)
            ordered_workers_wake(run);
        else
            ordered_workers_wait_until_wanted(run);
    }
    if (worker->is_leader)
        ordered_workers_wake(run);
    hf_budget_leave(before);
    return NULL;
}

enum hf_status hf_ordered_workers_run(const struct hf_ordered_workers *ordered, void *const *pieces,
    unsigned count, struct hf_error *err)
{
    struct run run = {
        .budget = hf_budget_scope.budget,
        .ordered = ordered,
        .taking = PTHREAD_MUTEX_INITIALIZER,
        .applying = PTHREAD_MUTEX_INITIALIZER,
        .has_turned = PTHREAD_COND_INITIALIZER,
        .are_wanted = PTHREAD_COND_INITIALIZER,
        .err = err,
    };
    struct ordered_workers_worker workers[HF_ORDERED_WORKERS_MAX];
    pthread_t threads[HF_ORDERED_WORKERS_MAX];
    unsigned started = 0;
    uint64_t number;
    for (unsigned i = 0; i < count; i++)
        workers[i] = (struct ordered_workers_worker){&run, pieces[i], i == 0};
    /* Most streams are one piece: no thread is started for those. */
    if (ordered_workers_take(&run, pieces[0], &number)) {
        ordered->digest(ordered->context, pieces[0]);
        ordered_workers_apply(&run, pieces[0], number);
    }
    if (ordered_workers_take(&run, pieces[0], &number)) {
        while (started + 1 < count && pthread_create(&threads[started], NULL, ordered_workers_work,
                                          &workers[started + 1]) == 0)
            started++;
        ordered->digest(ordered->context, pieces[0]);
        ordered_workers_apply(&run, pieces[0], number);
        ordered_workers_work(&workers[0]);
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return run.status;
}

unsigned hf_processors(unsigned most)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    unsigned count = (unsigned)CPU_COUNT(&set);
    return count < 1 ? 1 : count > most ? most : count;
}
