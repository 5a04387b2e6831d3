#include "os/process/standby.h"

#include "base/limits.h"
#include "os/process/rights.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define SECOND_MS 1000

/* A worker that looks at something ten times a second all the time would use up the processor time
 * that a reader may have (HF_LIMIT_WORKER_SECONDS); another one starts anew. */
#define AGE_NS (3600 * SECOND_NS)

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

static uint64_t standby_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t hf_standby_spent_ns(const struct hf_standby *standby)
{
    clockid_t clock;
    uint64_t own = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    return standby->worker != 0 && clock_getcpuclockid(standby->worker, &clock) == 0
               ? own + read_clock(clock)
               : own;
}

enum hf_status hf_standby_init(
    struct hf_standby *standby, const struct hf_broker_rules *rules, struct hf_error *err)
{
    *standby = (struct hf_standby){.meanwhile.fd = -1, .channel = -1};
    return hf_sandbox_init(&standby->sandbox, rules, err);
}

/* In their place is memory, so that no other descriptor gets their numbers. */
static void leave_streams(bool keeps_output)
{
    int nothing = memfd_create("nothing", MFD_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        (!keeps_output && dup2(nothing, STDOUT_FILENO) < 0))
        _exit(1);
    close(nothing);
}

/* The worker, until its broker is gone. */
static void stand_by(const struct hf_standby *standby)
{
    char reply[HF_BROKER_TEXT_MAX];
    struct hf_broker_answer answer;
    size_t size = 0;
    leave_streams(standby->keeps_output);
    for (;;) {
        const struct hf_broker_question question = {
            .kind = HF_BROKER_NEXT, .first = {reply, size}, .fd = -1};
        hf_broker_ask(&question, &answer);
        if (answer.error != 0)
            _exit(0);
        const struct hf_standby_order order = {answer.flags, {answer.text, answer.size}, answer.fd};
        size = standby->work(standby->context, &order, reply);
        if (order.fd >= 0)
            close(order.fd);
    }
}

/* Until the worker has something to say; false: it took too long. */
static bool wait_for_it(const struct hf_standby *standby, uint64_t until_ns)
{
    struct pollfd sources[] = {{.fd = standby->channel, .events = POLLIN},
        {.fd = standby->meanwhile.fd, .events = POLLIN}};
    for (;;) {
        uint64_t now = standby_now_ns();
        if (now >= until_ns)
            return false;
        if (poll(sources, HF_COUNT(sources), SECOND_MS) <= 0)
            continue;
        if (sources[1].revents != 0)
            standby->meanwhile.wake(standby->meanwhile.context);
        if (sources[0].revents != 0)
            return true;
    }
}

struct standby_reply {
    void *bytes;
    size_t size;
};

/* Answers what is asked until the next order is. What its broker does for it is not its time. */
static bool standby_serve(struct hf_standby *standby, uint64_t until_ns,
    const struct standby_reply *reply, bool *out_is_late)
{
    char texts[HF_BROKER_TEXT_MAX + 2];
    struct hf_broker_question question;
    for (;;) {
        *out_is_late = !wait_for_it(standby, until_ns);
        if (*out_is_late || !hf_broker_hear(standby->channel, texts, &question))
            return false;
        uint64_t from_ns = standby_now_ns();
        if (question.kind == HF_BROKER_NEXT)
            break;
        if (!hf_broker_answer(&standby->sandbox.broker, standby->channel, &question))
            return false;
        until_ns += standby_now_ns() - from_ns;
    }
    if (question.fd >= 0)
        close(question.fd);
    if (question.first.size != reply->size)
        return false;
    if (reply->size != 0)
        memcpy(reply->bytes, question.first.data, reply->size);
    return true;
}

static bool standby_tell(const struct hf_standby *standby, const struct hf_standby_order *order)
{
    struct hf_broker_answer answer;
    hf_broker_answer_clear(&answer);
    answer.flags = order->kind;
    answer.fd = order->fd;
    answer.size = order->bytes.size;
    memcpy(answer.text, order->bytes.data, order->bytes.size);
    *standby->sandbox.trace = (struct hf_worker_trace){0};
    return hf_broker_tell(standby->channel, &answer);
}

static void standby_end(struct hf_standby *standby, struct hf_worker_ending *out_ending)
{
    (void)kill(standby->worker, SIGKILL); /* unless it is dead already */
    hf_sandbox_wait(&standby->sandbox, standby->worker, out_ending);
    close(standby->channel);
    standby->channel = -1;
    standby->worker = 0;
}

void hf_standby_rest(struct hf_standby *standby)
{
    struct hf_worker_ending ending;
    if (standby->worker != 0)
        standby_end(standby, &ending);
}

void hf_standby_done(struct hf_standby *standby)
{
    hf_standby_rest(standby);
    hf_sandbox_done(&standby->sandbox);
}

static enum hf_status standby_start(struct hf_standby *standby, struct hf_error *err)
{
    bool is_old = standby_now_ns() - standby->started_ns > AGE_NS;
    if (standby->worker != 0 && is_old && !standby->keeps_state)
        hf_standby_rest(standby);
    if (standby->worker != 0)
        return HF_OK;
    enum hf_status status =
        hf_sandbox_start(&standby->sandbox, &standby->channel, &standby->worker, err);
    if (status != HF_OK)
        standby->worker = 0;
    else if (standby->worker == 0)
        stand_by(standby);
    standby->started_ns = standby_now_ns();
    standby->is_waiting = false;
    return status;
}

static bool standby_carry_out(struct hf_standby *standby, const struct hf_standby_order *order,
    const struct standby_reply *reply, bool *out_is_late)
{
    uint64_t until_ns = standby_now_ns() + HF_LIMIT_ORDER_SECONDS * SECOND_NS;
    const struct standby_reply none = {NULL, 0};
    standby->is_waiting =
        standby->is_waiting || standby_serve(standby, until_ns, &none, out_is_late);
    return standby->is_waiting && standby_tell(standby, order) &&
           standby_serve(standby, until_ns, reply, out_is_late);
}

bool hf_standby_do(struct hf_standby *standby, const struct hf_standby_order *order,
    void *out_reply, size_t size, struct hf_standby_ending *out_ending)
{
    const struct standby_reply reply = {out_reply, size};
    char here[HF_BROKER_TEXT_MAX];
    *out_ending = (struct hf_standby_ending){0};
    if (standby->is_inside) {
        bool is_whole = standby->work(standby->context, order, here) == size;
        if (is_whole)
            memcpy(out_reply, here, size);
        return is_whole;
    }
    out_ending->was_not_started = standby_start(standby, &out_ending->error) != HF_OK;
    if (out_ending->was_not_started)
        return false;
    if (standby_carry_out(standby, order, &reply, &out_ending->is_late))
        return true;
    standby_end(standby, &out_ending->worker);
    return false;
}

void hf_standby_put_cause(const struct hf_standby_ending *ending, char *out, size_t size)
{
    const struct hf_worker_ending *worker = &ending->worker;
    if (ending->was_not_started)
        (void)snprintf(out, size, "could not be started: %s", ending->error.text);
    else if (ending->is_late)
        (void)snprintf(out, size, "took more than %u seconds (HF_LIMIT_ORDER_SECONDS)",
            HF_LIMIT_ORDER_SECONDS);
    else if (worker->signal != 0)
        (void)snprintf(
            out, size, "%s (signal %d)", hf_worker_cause(worker->signal), worker->signal);
    else if (worker->code == HF_RIGHTS_NOT_DROPPED)
        (void)snprintf(out, size,
            "cannot give up its rights on this system: use --no-sandbox to read with all rights");
    else
        (void)snprintf(out, size, "ended with status %d", worker->code);
}
