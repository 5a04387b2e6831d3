#include "cli/process/attach/attach_recording.h"

#include "cli/process/attach/attach_report.h"
#include "cli/say.h"
#include "os/broker_line.h"
#include "os/process/shielded_worker.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Signals that end the recording, and the line that says how far it is. */
struct recording_watch {
    int signal_fd;
    bool is_quiet, shows, has_begun, has_shown;
    const struct hf_look *look; /* of several; NULL: the only one */
};

/* The head of several looks is told, and ends them. */
static bool goes_on_as_one_of_many(const struct hf_look *look)
{
    look->recording->stage = HF_RECORDING_BEGUN;
    return !look->recording->shall_end && !hf_look_is_outdated(look);
}

static bool watch_goes_on(void *context, const struct hf_session *session)
{
    struct recording_watch *watch = context;
    struct signalfd_siginfo signal;
    if (!watch->has_begun && !watch->is_quiet)
        hf_say("attached; press Ctrl-C to stop earlier");
    watch->has_begun = true;
    if (watch->shows) {
        hf_attach_say_progress(session);
        watch->has_shown = true;
    }
    if (watch->look != NULL && !goes_on_as_one_of_many(watch->look))
        return false;
    return read(watch->signal_fd, &signal, sizeof signal) != sizeof signal;
}

enum hf_status hf_attach_record(const struct hf_attach_options *options, struct hf_session *session,
    const struct hf_look *look, struct hf_error *err)
{
    sigset_t ending;
    struct recording_watch watch = {
        .is_quiet = options->report.view.common.quiet || look != NULL, .look = look};
    watch.shows = !watch.is_quiet && isatty(STDERR_FILENO);
    hf_broker_trace()->has_input = true; /* what happens now does not happen again */
    hf_shielded_worker_signals(&ending);
    watch.signal_fd = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    enum hf_status status =
        watch.signal_fd >= 0
            ? hf_session_record(session, (struct hf_session_watch){watch_goes_on, &watch}, err)
            : hf_error_system(err, errno, "cannot wait for signals");
    if (watch.has_shown)
        hf_say_status_end();
    if (watch.signal_fd >= 0)
        close(watch.signal_fd);
    hf_shielded_worker_end();
    return status;
}
