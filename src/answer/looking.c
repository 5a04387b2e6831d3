#include "answer/looking.h"

#include "capture/found_table.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENDING_MS 1000 /* to give back its memory */

/* False also of one that has ended and is not waited for yet, or does so within that time. */
static bool is_running(const struct hf_looking *looking, int wait_ms)
{
    struct pollfd process = {.fd = looking->process.fd, .events = POLLIN};
    return poll(&process, 1, wait_ms) == 0;
}

static void tell(const struct hf_looking *looking, enum hf_looking_event event)
{
    if (looking->tell != NULL)
        looking->tell(looking->teller, event);
}

static enum hf_status notice_end(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_looking *looking = context;
    tell(looking, HF_LOOKING_ENDED);
    looking->loop->is_over = true;
    return HF_OK;
}

static bool has_same_table(const struct hf_looking *looking)
{
    struct hf_found_table table;
    if (hf_found_table_of(&table, looking->pid, NULL, NULL) != HF_OK)
        return false;
    hf_found_table_close(&table);
    return table.head.monotonic_ns == looking->head.monotonic_ns &&
           table.head.start_ticks == looking->head.start_ticks;
}

static enum hf_status tick(void *context, struct hf_error *err)
{
    struct hf_looking *looking = context;
    struct hf_loop *loop = looking->loop;
    enum hf_status status = HF_OK;
    bool is_same = has_same_table(looking);
    if (is_same)
        status = looking->look(looking->context, err);
    /* What went wrong, if something did, is that: one that ends has no table at first. */
    if (!is_running(looking, is_same && status == HF_OK ? 0 : ENDING_MS))
        return notice_end(looking, err);
    if (!is_same) {
        tell(looking, HF_LOOKING_ANOTHER);
        loop->is_over = true;
    }
    while (looking->due_ns <= hf_loop_now_ns())
        looking->due_ns += looking->every_ns;
    looking->ticking.due_ns = looking->due_ns;
    loop->is_over = loop->is_over || looking->due_ns > looking->until_ns;
    return status;
}

/* As often as was asked, or at least HF_LOOKING_TIMES. */
static uint64_t interval_of(const struct hf_looking *looking)
{
    uint64_t most = looking->duration_ns / HF_LOOKING_TIMES;
    if (looking->every_ns != 0)
        return looking->every_ns;
    return most != 0 && most < HF_LOOKING_EVERY_NS ? most : HF_LOOKING_EVERY_NS;
}

static enum hf_status enter_loop(struct hf_looking *looking, struct hf_error *err)
{
    uint64_t now = hf_loop_now_ns(), duration = looking->duration_ns;
    looking->every_ns = interval_of(looking);
    looking->due_ns = now + looking->every_ns;
    looking->until_ns =
        duration != 0 && duration < HF_LOOP_NEVER - now ? now + duration : HF_LOOP_NEVER;
    looking->ticking = (struct hf_loop_source){
        .fd = -1, .due_ns = looking->due_ns, .wake = tick, .context = looking};
    looking->process.events = POLLIN;
    looking->process.due_ns = HF_LOOP_NEVER;
    looking->process.wake = notice_end;
    looking->process.context = looking;
    looking->loop->is_over |= looking->due_ns > looking->until_ns;
    hf_loop_add(looking->loop, &looking->ticking);
    hf_loop_add(looking->loop, &looking->process);
    return looking->look(looking->context, err);
}

enum hf_status hf_looking_begin(
    struct hf_looking *looking, struct hf_loop *loop, struct hf_error *err)
{
    struct hf_found_table table;
    looking->loop = loop;
    looking->process.fd = (int)syscall(SYS_pidfd_open, looking->pid, 0);
    if (looking->process.fd < 0)
        return hf_error_system(err, errno, "cannot look at process %u", looking->pid);
    enum hf_status status = hf_found_table_of(&table, looking->pid, NULL, err);
    if (status != HF_OK)
        return status;
    looking->head = table.head;
    hf_found_table_close(&table);
    tell(looking, HF_LOOKING_BEGINS);
    return enter_loop(looking, err);
}

void hf_looking_end(struct hf_looking *looking)
{
    hf_loop_remove(looking->loop, &looking->ticking);
    hf_loop_remove(looking->loop, &looking->process);
    if (looking->process.fd >= 0)
        close(looking->process.fd);
}
