#include "cli/looking.h"

#include "capture/found_table.h"
#include "capture/signals.h"
#include "cli/say.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENDING_MS 1000 /* to give back its memory */

struct state {
    const struct hf_looking *how;
    struct hf_loop loop;
    struct hf_loop_source ticking, process;
    uint64_t every_ns, due_ns, until_ns;
    struct hf_live_head head; /* of the table that was there at first */
};

static void stop(void *context, int signal, bool is_of_kernel)
{
    (void)signal;
    (void)is_of_kernel;
    struct hf_loop *loop = context;
    loop->is_over = true;
}

/* False also of one that has ended and is not waited for yet, or does so within that time. */
static bool is_running(const struct state *s, int wait_ms)
{
    struct pollfd process = {.fd = s->process.fd, .events = POLLIN};
    return poll(&process, 1, wait_ms) == 0;
}

static void say(const struct state *s, const char *what)
{
    if (!s->how->is_quiet)
        hf_say("process %u %s", s->how->pid, what);
}

static enum hf_status notice_end(void *context, struct hf_error *err)
{
    (void)err;
    struct state *s = context;
    say(s, "has ended");
    s->loop.is_over = true;
    return HF_OK;
}

static bool has_same_table(const struct state *s)
{
    struct hf_found_table table;
    if (hf_found_table_of(&table, s->how->pid, NULL, NULL) != HF_OK)
        return false;
    hf_found_table_close(&table);
    return table.head.monotonic_ns == s->head.monotonic_ns &&
           table.head.start_ticks == s->head.start_ticks;
}

static enum hf_status tick(void *context, struct hf_error *err)
{
    struct state *s = context;
    enum hf_status status = HF_OK;
    bool is_same = has_same_table(s);
    if (is_same)
        status = s->how->look(s->how->context, err);
    /* What went wrong, if something did, is that: one that ends has no table at first. */
    if (!is_running(s, is_same && status == HF_OK ? 0 : ENDING_MS))
        return notice_end(s, err);
    if (!is_same) {
        say(s, "is another program by now: what is said is of the one before");
        s->loop.is_over = true;
    }
    while (s->due_ns <= hf_loop_now_ns())
        s->due_ns += s->every_ns;
    s->ticking.due_ns = s->due_ns;
    s->loop.is_over = s->loop.is_over || s->due_ns > s->until_ns;
    return status;
}

/* As often as was asked, or at least HF_LOOKING_TIMES. */
static uint64_t interval_of(const struct hf_looking *how)
{
    uint64_t most = how->duration_ns / HF_LOOKING_TIMES;
    if (how->every_ns != 0)
        return how->every_ns;
    return most != 0 && most < HF_LOOKING_EVERY_NS ? most : HF_LOOKING_EVERY_NS;
}

static enum hf_status look_until_over(struct state *s, struct hf_error *err)
{
    uint64_t now = hf_loop_now_ns(), duration = s->how->duration_ns;
    s->every_ns = interval_of(s->how);
    s->due_ns = now + s->every_ns;
    s->until_ns = duration != 0 && duration < HF_LOOP_NEVER - now ? now + duration : HF_LOOP_NEVER;
    s->ticking = (struct hf_loop_source){.fd = -1, .due_ns = s->due_ns, .wake = tick, .context = s};
    s->process.events = POLLIN;
    s->process.due_ns = HF_LOOP_NEVER;
    s->process.wake = notice_end;
    s->process.context = s;
    s->loop.is_over = s->due_ns > s->until_ns;
    hf_loop_add(&s->loop, &s->ticking);
    hf_loop_add(&s->loop, &s->process);
    enum hf_status status = s->how->look(s->how->context, err);
    return status == HF_OK ? hf_loop_run(&s->loop, err) : status;
}

static enum hf_status look_interruptibly(struct state *s, struct hf_error *err)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct hf_signals signals = {.source.fd = -1};
    enum hf_status status =
        hf_signals_open(&signals, stopping, HF_COUNT(stopping), stop, &s->loop, err);
    if (status == HF_OK) {
        if (isatty(STDERR_FILENO))
            say(s, "is looked at until it ends; Ctrl-C gives the verdicts of what was seen");
        hf_loop_add(&s->loop, &signals.source);
        status = look_until_over(s, err);
    }
    hf_signals_close(&signals);
    (void)sigprocmask(SIG_SETMASK, &signals.before, NULL); /* the report is ended as any other */
    return status;
}

enum hf_status hf_looking_run(const struct hf_looking *looking, struct hf_error *err)
{
    struct hf_found_table table;
    struct state s = {.how = looking, .process.fd = -1};
    s.process.fd = (int)syscall(SYS_pidfd_open, looking->pid, 0);
    if (s.process.fd < 0)
        return hf_error_system(err, errno, "cannot look at process %u", looking->pid);
    enum hf_status status = hf_found_table_of(&table, looking->pid, NULL, err);
    if (status == HF_OK) {
        s.head = table.head;
        hf_found_table_close(&table);
        status = look_interruptibly(&s, err);
    }
    close(s.process.fd);
    return status;
}
