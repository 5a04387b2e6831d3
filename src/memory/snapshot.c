#include "memory/snapshot.h"

#include "memory/guardian.h"
#include "memory/leftovers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* All of it, or false: the guardian is gone. */
static bool snapshot_receive(int channel, void *out, size_t size)
{
    for (size_t done = 0; done != size;) {
        ssize_t got = read(channel, (char *)out + done, size - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0)
            done += (size_t)got;
    }
    return true;
}

static bool snapshot_receive_reply(int channel, struct hf_guardian_reply *out_reply, int fds[3])
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(3 * sizeof(int))];
    } control;
    struct iovec part = {out_reply, sizeof *out_reply};
    struct msghdr message = {.msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    for (size_t i = 0; i < 3; i++)
        fds[i] = -1;
    if (head != NULL && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(3 * sizeof(int)))
        memcpy(fds, CMSG_DATA(head), 3 * sizeof(int));
    return got == (ssize_t)sizeof *out_reply;
}

static enum hf_status hear(struct hf_snapshot *snapshot, struct hf_error *err)
{
    struct hf_guardian_reply reply;
    int fds[3];
    if (!snapshot_receive_reply(snapshot->channel, &reply, fds))
        return hf_error_set(err, HF_ERR_SYSTEM, "the process that takes the snapshot was killed");
    snapshot->memory = fds[0];
    snapshot->maps = fds[1];
    snapshot->pages = fds[2];
    if (reply.error.status != HF_OK) {
        if (err != NULL)
            *err = reply.error;
        return reply.error.status;
    }
    snapshot->copy = reply.copy;
    snapshot->stopped_ns = reply.stopped_ns;
    snapshot->threads = calloc(reply.thread_count, sizeof *snapshot->threads);
    if (snapshot->threads == NULL)
        return hf_error_memory(err);
    snapshot->thread_count = reply.thread_count;
    return snapshot_receive(snapshot->channel, snapshot->threads,
               snapshot->thread_count * sizeof *snapshot->threads)
               ? HF_OK
               : hf_error_set(err, HF_ERR_SYSTEM, "the process that takes the snapshot was killed");
}

enum hf_status hf_snapshot_take(struct hf_snapshot *snapshot, pid_t pid, struct hf_error *err)
{
    int channel[2];
    *snapshot = (struct hf_snapshot){.memory = -1, .maps = -1, .pages = -1, .channel = -1};
    /* Of one that was killed together with its guardian; else they would add up. If they cannot be
     * removed, they are in nobody's way. */
    enum hf_status status = hf_leftovers_remove(pid, NULL);
    (void)status;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        return hf_error_system(err, errno, "cannot make a socket");
    snapshot->channel = channel[0];
    snapshot->guardian = fork();
    if (snapshot->guardian == 0) {
        (void)close(channel[0]);
        hf_guardian_work(pid, channel[1]);
        _exit(0);
    }
    int why = errno;
    (void)close(channel[1]);
    status = snapshot->guardian > 0 ? hear(snapshot, err)
                                    : hf_error_system(err, why, "cannot start a process");
    if (status != HF_OK)
        hf_snapshot_end(snapshot);
    return status;
}

void hf_snapshot_end(struct hf_snapshot *snapshot)
{
    int fds[] = {snapshot->memory, snapshot->maps, snapshot->pages, snapshot->channel};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        if (fds[i] >= 0)
            (void)close(fds[i]);
    }
    if (snapshot->guardian > 0) {
        while (waitpid(snapshot->guardian, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    free(snapshot->threads);
    *snapshot = (struct hf_snapshot){.memory = -1, .maps = -1, .pages = -1, .channel = -1};
}
