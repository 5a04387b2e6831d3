#include "capture/loop.h"

#include "base/containers/vec.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

uint64_t hf_loop_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

void hf_loop_add(struct hf_loop *loop, struct hf_loop_source *source)
{
    source->next = loop->first;
    loop->first = source;
}

void hf_loop_remove(struct hf_loop *loop, const struct hf_loop_source *source)
{
    struct hf_loop_source **at = &loop->first;
    while (*at != NULL && *at != source)
        at = &(*at)->next;
    if (*at == NULL)
        return;
    *at = source->next;
    loop->removals++;
}

/* What is waited for in one round. */
struct round {
    struct hf_loop_source **sources;
    struct pollfd *polls;
    size_t count, source_capacity, poll_capacity;
    uint64_t due_ns;
};

static bool loop_collect(struct round *round, const struct hf_loop *loop)
{
    round->count = 0;
    round->due_ns = HF_LOOP_NEVER;
    for (struct hf_loop_source *source = loop->first; source != NULL; source = source->next) {
        size_t needed = round->count + 1;
        if (!hf_vec_reserve(
                &round->sources, &round->source_capacity, needed, sizeof *round->sources) ||
            !hf_vec_reserve(&round->polls, &round->poll_capacity, needed, sizeof *round->polls))
            return false;
        round->sources[round->count] = source;
        round->polls[round->count++] = (struct pollfd){.fd = source->fd, .events = source->events};
        if (source->due_ns < round->due_ns)
            round->due_ns = source->due_ns;
    }
    return true;
}

static enum hf_status loop_wait_for(const struct round *round, struct hf_error *err)
{
    uint64_t now = hf_loop_now_ns(), left = round->due_ns > now ? round->due_ns - now : 0;
    struct timespec timeout = {(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};
    int ready =
        ppoll(round->polls, round->count, round->due_ns != HF_LOOP_NEVER ? &timeout : NULL, NULL);
    if (ready < 0 && errno != EINTR)
        return hf_error_system(err, errno, "cannot wait for a process");
    for (size_t i = 0; ready < 0 && i < round->count; i++)
        round->polls[i].revents = 0;
    return HF_OK;
}

/* A source that was removed may not exist any more: the rest is for the next round. */
static enum hf_status loop_wake(
    struct hf_loop *loop, const struct round *round, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t removals = loop->removals;
    for (size_t i = 0; status == HF_OK && !loop->is_over && i < round->count; i++) {
        struct hf_loop_source *source = round->sources[i];
        if (round->polls[i].revents == 0 && source->due_ns > hf_loop_now_ns())
            continue;
        source->due_ns = HF_LOOP_NEVER;
        status = source->wake(source->context, err);
        if (loop->removals != removals)
            break;
    }
    return status;
}

enum hf_status hf_loop_run(struct hf_loop *loop, struct hf_error *err)
{
    struct round round = {0};
    enum hf_status status = HF_OK;
    while (status == HF_OK && !loop->is_over) {
        status = loop_collect(&round, loop) ? loop_wait_for(&round, err) : hf_error_memory(err);
        if (status == HF_OK)
            status = loop_wake(loop, &round, err);
    }
    free(round.sources);
    free(round.polls);
    return status;
}
