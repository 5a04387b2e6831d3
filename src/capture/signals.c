#include "capture/signals.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static enum hf_status signals_wake(void *context, struct hf_error *err)
{
    (void)err;
    const struct hf_signals *signals = context;
    struct signalfd_siginfo info;
    if (read(signals->source.fd, &info, sizeof info) == sizeof info)
        signals->take(signals->context, (int)info.ssi_signo, info.ssi_code > 0);
    return HF_OK;
}

enum hf_status hf_signals_open(struct hf_signals *signals, const int *numbers, size_t count,
    hf_signals_take *take, void *context, struct hf_error *err)
{
    sigset_t taken;
    sigemptyset(&taken);
    for (size_t i = 0; i < count; i++)
        sigaddset(&taken, numbers[i]);
    signals->take = take;
    signals->context = context;
    (void)sigprocmask(SIG_BLOCK, &taken, &signals->before);
    signals->source = (struct hf_loop_source){
        .fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK),
        .events = POLLIN,
        .due_ns = HF_LOOP_NEVER,
        .wake = signals_wake,
        .context = signals,
    };
    if (signals->source.fd < 0)
        return hf_error_system(err, errno, "cannot wait for signals");
    return HF_OK;
}

void hf_signals_close(struct hf_signals *signals)
{
    if (signals->source.fd >= 0)
        close(signals->source.fd);
}
