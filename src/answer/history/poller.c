#include "answer/history/poller.h"

#include "capture/found_table.h"
#include "os/process/proc.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENDING_MS 1000 /* to give back its memory */

/* False also of one that has ended and is not waited for yet, or does so within that time. */
static bool poller_is_running(const struct hf_poller *poller, int wait_ms)
{
    struct pollfd process = {.fd = poller->process.fd, .events = POLLIN};
    return poll(&process, 1, wait_ms) == 0;
}

static void poller_tell(const struct hf_poller *poller, enum hf_poller_event event)
{
    if (poller->tell != NULL)
        poller->tell(poller->teller, event);
}

static enum hf_status poller_notice_end(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_poller *poller = context;
    poller_tell(poller, HF_POLLER_ENDED);
    poller->loop->is_over = true;
    return HF_OK;
}

bool hf_poller_is_same(const struct hf_poller *poller)
{
    struct hf_found_table table;
    uint64_t start;
    if (!hf_proc_start_ticks(poller->pid, &start) ||
        hf_found_table_of(&table, poller->pid, NULL, NULL) != HF_OK)
        return false;
    hf_found_table_close(&table);
    return table.head.monotonic_ns == poller->head.monotonic_ns &&
           table.head.start_ticks == poller->head.start_ticks;
}

static enum hf_status poller_tick(void *context, struct hf_error *err)
{
    struct hf_poller *poller = context;
    struct hf_loop *loop = poller->loop;
    enum hf_status status = HF_OK;
    bool is_same = hf_poller_is_same(poller);
    if (is_same)
        status = poller->look(poller->context, err);
    /* What went wrong, if something did, is that: one that ends has no table at first. */
    if (!poller_is_running(poller, is_same && status == HF_OK ? 0 : ENDING_MS))
        return poller_notice_end(poller, err);
    if (!is_same) {
        poller_tell(poller, HF_POLLER_ANOTHER);
        loop->is_over = true;
    }
    while (poller->due_ns <= hf_loop_now_ns())
        poller->due_ns += poller->every_ns;
    poller->ticking.due_ns = poller->due_ns;
    loop->is_over = loop->is_over || poller->due_ns > poller->until_ns;
    return status;
}

/* As often as was asked, or at least HF_POLLER_TIMES. */
static uint64_t poller_interval_of(const struct hf_poller *poller)
{
    uint64_t most = poller->duration_ns / HF_POLLER_TIMES;
    if (poller->every_ns != 0)
        return poller->every_ns;
    return most != 0 && most < HF_POLLER_EVERY_NS ? most : HF_POLLER_EVERY_NS;
}

static enum hf_status enter_loop(struct hf_poller *poller, struct hf_error *err)
{
    uint64_t now = hf_loop_now_ns(), duration = poller->duration_ns;
    poller->every_ns = poller_interval_of(poller);
    poller->due_ns = now + poller->every_ns;
    poller->until_ns =
        duration != 0 && duration < HF_LOOP_NEVER - now ? now + duration : HF_LOOP_NEVER;
    poller->ticking = (struct hf_loop_source){
        .fd = -1, .due_ns = poller->due_ns, .wake = poller_tick, .context = poller};
    poller->process.events = POLLIN;
    poller->process.due_ns = HF_LOOP_NEVER;
    poller->process.wake = poller_notice_end;
    poller->process.context = poller;
    poller->loop->is_over |= poller->due_ns > poller->until_ns;
    hf_loop_add(poller->loop, &poller->ticking);
    hf_loop_add(poller->loop, &poller->process);
    return poller->look(poller->context, err);
}

enum hf_status hf_poller_begin(struct hf_poller *poller, struct hf_loop *loop, struct hf_error *err)
{
    struct hf_found_table table;
    poller->loop = loop;
    poller->process.fd = (int)syscall(SYS_pidfd_open, poller->pid, 0);
    if (poller->process.fd < 0)
        return hf_error_system(err, errno, "cannot watch process %u", poller->pid);
    enum hf_status status = hf_found_table_of(&table, poller->pid, NULL, err);
    if (status != HF_OK)
        return status;
    poller->head = table.head;
    hf_found_table_close(&table);
    poller_tell(poller, HF_POLLER_BEGINS);
    return enter_loop(poller, err);
}

void hf_poller_end(struct hf_poller *poller)
{
    hf_loop_remove(poller->loop, &poller->ticking);
    hf_loop_remove(poller->loop, &poller->process);
    if (poller->process.fd >= 0)
        close(poller->process.fd);
}
