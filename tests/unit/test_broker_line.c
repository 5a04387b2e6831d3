/* The line between a worker and its broker: what one side says is what the other hears, and what
 * is not a whole message is none. */
#include "os/broker_line.h"

#include "check.h"
#include "os/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int worker, broker; /* the two ends */

/* What the broker hears once and says. */
static struct {
    char buffer[HF_BROKER_TEXT_MAX + 2];
    struct hf_broker_question heard;
    struct hf_broker_answer answer;
    bool is_heard;
} side;

static void *hear_and_tell(void *context)
{
    (void)context;
    side.is_heard = hf_broker_hear(broker, side.buffer, &side.heard);
    if (side.is_heard && !hf_broker_tell(broker, &side.answer))
        side.is_heard = false;
    return NULL;
}

static void ask(const struct hf_broker_question *question, struct hf_broker_answer *out_answer)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, hear_and_tell, NULL), 0);
    hf_broker_ask(question, out_answer);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(side.is_heard);
}

static int file_of(const char *text)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return fd;
}

static void check_same_file(int a, int b)
{
    struct stat one, other;
    assert_int_equal(fstat(a, &one), 0);
    assert_int_equal(fstat(b, &other), 0);
    assert_true(one.st_ino == other.st_ino && one.st_dev == other.st_dev);
    assert_int_not_equal(a, b);
    assert_int_equal(fcntl(b, F_GETFD), FD_CLOEXEC);
}

static void both_sides_have_all_of_it(void **state)
{
    (void)state;
    static struct hf_broker_answer answer;
    int asked_file = file_of("asked"), told_file = file_of("told");
    const struct hf_broker_question question = {.kind = HF_BROKER_KEEP_PUT,
        .flags = 7,
        .number = UINT64_C(1) << 40,
        .first = HF_TEXT("/a folder"),
        .second = HF_TEXT("name"),
        .fd = asked_file};
    side.answer = (struct hf_broker_answer){.error = ENOSPC,
        .flags = 9,
        .number = UINT64_C(1) << 41,
        .info = {.st_size = 12345},
        .fd = told_file,
        .size = 4,
        .text = "text, of which four bytes are told"};
    memset(side.buffer, 'x', sizeof side.buffer);
    ask(&question, &answer);
    assert_int_equal(side.heard.kind, HF_BROKER_KEEP_PUT);
    assert_int_equal(side.heard.flags, 7);
    assert_int_equal(side.heard.number, UINT64_C(1) << 40);
    check_text(side.heard.first, "/a folder");
    check_text(side.heard.second, "name");
    assert_string_equal(side.heard.first.data, "/a folder"); /* with a NUL: it is a path */
    assert_string_equal(side.heard.second.data, "name");
    check_same_file(asked_file, side.heard.fd);
    assert_int_equal(answer.error, ENOSPC);
    assert_int_equal(answer.flags, 9);
    assert_int_equal(answer.number, UINT64_C(1) << 41);
    assert_int_equal(answer.info.st_size, 12345);
    assert_int_equal(answer.size, 4);
    assert_string_equal(answer.text, "text");
    check_same_file(told_file, answer.fd);
    close(side.heard.fd);
    close(answer.fd);
    close(asked_file);
    close(told_file);
}

static void nothing_is_told_of_what_is_not_there(void **state)
{
    (void)state;
    static struct hf_broker_answer answer;
    const struct hf_broker_question question = {.kind = HF_BROKER_STAT, .fd = -1};
    side.answer = (struct hf_broker_answer){.fd = -1};
    memset(&answer, 'x', sizeof answer);
    ask(&question, &answer);
    assert_int_equal(side.heard.fd, -1);
    assert_int_equal(side.heard.first.size, 0);
    assert_int_equal(side.heard.second.size, 0);
    assert_string_equal(side.heard.first.data, "");
    assert_string_equal(side.heard.second.data, "");
    assert_int_equal(answer.error, 0);
    assert_int_equal(answer.fd, -1);
    assert_int_equal(answer.size, 0);
    assert_string_equal(answer.text, "");
}

static void texts_have_a_most(void **state)
{
    (void)state;
    static struct hf_broker_answer answer;
    static char text[HF_BROKER_TEXT_MAX + 1];
    memset(text, 'a', sizeof text);
    struct hf_broker_question question = {.kind = HF_BROKER_LINK,
        .first = {text, 10000},
        .second = {text, HF_BROKER_TEXT_MAX - 10000},
        .fd = -1};
    side.answer = (struct hf_broker_answer){.fd = -1, .size = HF_BROKER_TEXT_MAX - 1};
    memset(side.answer.text, 'b', sizeof side.answer.text);
    ask(&question, &answer);
    assert_int_equal(side.heard.first.size, 10000);
    assert_int_equal(side.heard.second.size, HF_BROKER_TEXT_MAX - 10000);
    assert_int_equal(strlen(side.heard.second.data), HF_BROKER_TEXT_MAX - 10000);
    assert_int_equal(answer.error, 0);
    assert_int_equal(answer.size, HF_BROKER_TEXT_MAX - 1);
    assert_int_equal(strlen(answer.text), HF_BROKER_TEXT_MAX - 1);
    question.second.size++; /* this is not even asked */
    hf_broker_ask(&question, &answer);
    assert_int_equal(answer.error, EPIPE);
    assert_int_equal(answer.fd, -1);
    assert_int_equal(answer.size, 0);
    assert_string_equal(answer.text, "");
    side.answer.size++; /* an answer that has no room is none */
    question.second.size--;
    ask(&question, &answer);
    assert_int_equal(answer.error, EPIPE);
    assert_int_equal(answer.size, 0);
}

/* A question as it is sent, to be changed. */
static size_t raw_question(char *bytes, size_t size)
{
    static struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_BROKER_OPEN, .first = HF_TEXT("abc"), .second = HF_TEXT("de"), .fd = -1};
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    hf_broker_line_begin(pair[0], getuid(), NULL);
    assert_int_equal(shutdown(pair[0], SHUT_RD), 0); /* nobody answers */
    hf_broker_ask(&question, &answer);
    assert_int_equal(answer.error, EPIPE);
    ssize_t got = recv(pair[1], bytes, size, 0);
    assert_true(got > 5);
    close(pair[0]);
    close(pair[1]);
    hf_broker_line_begin(worker, getuid(), NULL);
    return (size_t)got;
}

static unsigned open_files(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Sends bytes with a descriptor; true if they are a question. Nothing stays open of one that is
 * not.
 */
static bool is_question(const char *bytes, size_t size)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    int fd = file_of("with it");
    *head = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    unsigned before = open_files();
    assert_int_equal(sendmsg(worker, &message, 0), size);
    bool is_heard = hf_broker_hear(broker, side.buffer, &side.heard);
    assert_int_equal(open_files(), before + is_heard);
    if (is_heard)
        close(side.heard.fd);
    close(fd);
    return is_heard;
}

static void what_is_no_whole_question_is_none(void **state)
{
    (void)state;
    char bytes[256] = {0};
    size_t size = raw_question(bytes, sizeof bytes);
    uint32_t *sizes = (uint32_t *)(void *)(bytes + size - 5) - 2; /* of its texts, before them */
    assert_int_equal(sizes[0], 3);
    assert_int_equal(sizes[1], 2);
    assert_true(is_question(bytes, size));
    for (size_t cut = 1; cut < size; cut++)
        assert_false(is_question(bytes, size - cut));
    assert_false(is_question(bytes, size + 1));
    sizes[0] = 2; /* the sum is not what came */
    assert_false(is_question(bytes, size));
    sizes[1] = 3; /* another split of the same bytes is a question */
    assert_true(is_question(bytes, size));
    check_text(side.heard.first, "ab");
    check_text(side.heard.second, "cde");
    sizes[0] = 6; /* more than came, though the sum overflows to what did */
    sizes[1] = UINT32_MAX;
    assert_false(is_question(bytes, size));
    sizes[0] = 5;
    sizes[1] = 0;
    assert_true(is_question(bytes, size));
    check_text(side.heard.first, "abcde");
    check_text(side.heard.second, "");
}

static void a_broker_that_is_gone_answers_nothing(void **state)
{
    (void)state;
    static struct hf_broker_answer answer;
    const struct hf_broker_question question = {.kind = HF_BROKER_OPEN, .fd = -1};
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    hf_broker_line_begin(pair[0], getuid(), NULL);
    close(pair[1]);
    memset(&answer, 'x', sizeof answer);
    hf_broker_ask(&question, &answer);
    assert_int_equal(answer.error, EPIPE);
    assert_int_equal(answer.fd, -1);
    assert_int_equal(answer.size, 0);
    assert_string_equal(answer.text, "");
    assert_false(hf_broker_tell(pair[0], &answer));
    assert_false(hf_broker_hear(pair[0], side.buffer, &side.heard));
    close(pair[0]);
    hf_broker_line_begin(worker, getuid(), NULL);
}

static void *draw(void *context)
{
    (void)context;
    char text[16] = "";
    side.is_heard = hf_broker_hear(broker, side.buffer, &side.heard) &&
                    side.heard.kind == HF_BROKER_DRAW &&
                    pread(side.heard.fd, text, sizeof text, 0) == 5 && strcmp(text, "graph") == 0 &&
                    hf_broker_tell(broker, &side.answer);
    return NULL;
}

static enum hf_status run_by_broker(struct hf_out *out, struct hf_error *err)
{
    static const char *const argv[] = {"false", NULL}; /* the broker knows better */
    pthread_t thread;
    unsigned before = open_files();
    assert_int_equal(pthread_create(&thread, NULL, draw, NULL), 0);
    enum hf_status status = hf_process_run(argv, HF_TEXT("graph"), out, err);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(side.is_heard);
    close(side.heard.fd);
    assert_int_equal(open_files(), before);
    return status;
}

/* In a worker, it is the broker that runs a program. */
static void the_broker_runs_a_workers_program(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_out out = {0};
    int drawn = file_of("picture");
    side.answer = (struct hf_broker_answer){.fd = drawn};
    check_ok(run_by_broker(&out, &err), &err);
    check_out(&out, "picture");
    close(drawn);
    side.answer = (struct hf_broker_answer){.error = EIO, .fd = -1, .size = 3, .text = "why"};
    assert_int_equal(run_by_broker(&out, &err), HF_ERR_SYSTEM);
    check_error(&err, "why");
    side.answer = (struct hf_broker_answer){.error = ENOENT, .fd = -1};
    assert_int_equal(run_by_broker(&out, &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot run the program: No such file or directory");
    check_out(&out, "");
    hf_out_done(&out);
}

static int begin_line(void **state)
{
    (void)state;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return 1;
    worker = pair[0];
    broker = pair[1];
    hf_broker_line_begin(worker, getuid(), NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_have_all_of_it),
        cmocka_unit_test(nothing_is_told_of_what_is_not_there),
        cmocka_unit_test(texts_have_a_most),
        cmocka_unit_test(what_is_no_whole_question_is_none),
        cmocka_unit_test(a_broker_that_is_gone_answers_nothing),
        cmocka_unit_test(the_broker_runs_a_workers_program),
    };
    return cmocka_run_group_tests(tests, begin_line, NULL);
}
