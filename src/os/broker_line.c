#include "os/broker_line.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* The same on both sides, which are one program. */
struct question_head {
    uint32_t kind, flags;
    uint64_t number;
    uint32_t first_size, second_size;
};

struct answer_head {
    int32_t error;
    uint32_t flags;
    uint64_t number;
    struct stat info;
    uint32_t size;
};

/*
 * The one thing in this program that belongs to the process and not to a caller, as its user and
 * its rights do: whether it has them, and else who does.
 */
static struct {
    int fd;
    uid_t user;
    struct hf_worker_trace *trace;
    struct hf_worker_trace own;
    pthread_mutex_t turn;
    bool is_there;
} line = {.fd = -1, .turn = PTHREAD_MUTEX_INITIALIZER};

bool hf_broker_is_there(void)
{
    return line.is_there;
}

uid_t hf_broker_user(void)
{
    return line.is_there ? line.user : geteuid();
}

struct hf_worker_trace *hf_broker_trace(void)
{
    return line.trace != NULL ? line.trace : &line.own;
}

void hf_broker_reading(const char *path)
{
    struct hf_worker_trace *trace = hf_broker_trace();
    (void)snprintf(trace->reading, sizeof trace->reading, "%s", path != NULL ? path : "");
}

void hf_broker_line_begin(int fd, uid_t user, struct hf_worker_trace *trace)
{
    line.fd = fd;
    line.user = user;
    line.trace = trace;
    line.is_there = true;
}

/* One message, with a descriptor or without. */
static bool send_message(int to, struct iovec *parts, size_t count, int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &fd, sizeof fd);
    }
    ssize_t sent;
    do
        sent = sendmsg(to, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent >= 0;
}

/* *out_size is 0 when the other side is gone; *out_fd is -1 if none came. */
static bool receive_message(
    int from, struct iovec *parts, size_t count, size_t *out_size, int *out_fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr message = {.msg_iov = parts,
        .msg_iovlen = count,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    *out_fd = -1;
    struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(out_fd, CMSG_DATA(head), sizeof *out_fd);
    *out_size = got > 0 ? (size_t)got : 0;
    return got > 0 && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
}

static bool broker_line_ask(const struct hf_broker_question *q, struct hf_broker_answer *answer)
{
    struct question_head asked = {
        q->kind, q->flags, q->number, (uint32_t)q->first.size, (uint32_t)q->second.size};
    struct answer_head head;
    struct iovec question[] = {{&asked, sizeof asked},
        {(void *)(uintptr_t)q->first.data, q->first.size},
        {(void *)(uintptr_t)q->second.data, q->second.size}};
    struct iovec parts[] = {{&head, sizeof head}, {answer->text, sizeof answer->text - 1}};
    size_t size;
    if (q->first.size + q->second.size > HF_BROKER_TEXT_MAX ||
        !send_message(line.fd, question, 3, q->fd) ||
        !receive_message(line.fd, parts, 2, &size, &answer->fd) || size < sizeof head)
        return false;
    answer->error = head.error;
    answer->flags = head.flags;
    answer->number = head.number;
    answer->info = head.info;
    answer->size = size - sizeof head;
    answer->text[answer->size] = '\0';
    return true;
}

void hf_broker_ask(const struct hf_broker_question *question, struct hf_broker_answer *out_answer)
{
    out_answer->fd = -1;
    (void)pthread_mutex_lock(&line.turn);
    bool is_answered = broker_line_ask(question, out_answer);
    (void)pthread_mutex_unlock(&line.turn);
    if (is_answered)
        return;
    out_answer->error = EPIPE;
    out_answer->fd = -1;
    out_answer->size = 0;
    out_answer->text[0] = '\0';
}

bool hf_broker_hear(
    int fd, char buffer[HF_BROKER_TEXT_MAX + 2], struct hf_broker_question *out_question)
{
    struct question_head head;
    struct iovec parts[] = {{&head, sizeof head}, {buffer, HF_BROKER_TEXT_MAX}};
    size_t size;
    int came;
    if (!receive_message(fd, parts, 2, &size, &came))
        return false;
    size_t texts = size - (size < sizeof head ? size : sizeof head);
    if (size < sizeof head || head.first_size > texts ||
        head.second_size != texts - head.first_size) {
        if (came >= 0)
            close(came);
        return false;
    }
    /* Each with a NUL behind it, for who needs a path. */
    memmove(buffer + head.first_size + 1, buffer + head.first_size, head.second_size);
    buffer[head.first_size] = '\0';
    buffer[texts + 1] = '\0';
    *out_question = (struct hf_broker_question){
        .kind = head.kind,
        .flags = head.flags,
        .number = head.number,
        .first = {buffer, head.first_size},
        .second = {buffer + head.first_size + 1, head.second_size},
        .fd = came,
    };
    return true;
}

bool hf_broker_tell(int fd, const struct hf_broker_answer *answer)
{
    struct answer_head head;
    memset(&head, 0, sizeof head); /* gaps of the struct, too: the other side may read them */
    head.error = answer->error;
    head.flags = answer->flags;
    head.number = answer->number;
    head.info = answer->info;
    head.size = (uint32_t)answer->size;
    struct iovec parts[] = {{&head, sizeof head}, {(void *)(uintptr_t)answer->text, answer->size}};
    return send_message(fd, parts, 2, answer->fd);
}
