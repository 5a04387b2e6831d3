/* What is left to a process that gave up its rights, as the kernel tells it. */
#include "base/limits.h"
#include "base/strings/num.h"
#include "os/process/rights.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* A process that dropped its rights and waits; it ends when `channel` is closed. */
struct dropped {
    pid_t pid;
    int channel;
    struct told {
        unsigned walls;
        struct rlimit processor, core, data;
    } told; /* by itself, when it had none left */
};

static struct dropped start(const struct hf_rights_kept *kept, const struct rlimit *processor)
{
    int pair[2];
    struct dropped dropped = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    dropped.pid = fork();
    if (dropped.pid == 0) {
        char end;
        (void)prctl(PR_SET_DUMPABLE, 1);
        if (processor != NULL && setrlimit(RLIMIT_CPU, processor) != 0)
            _exit(1);
        close(pair[0]);
        struct told told = {.walls = hf_rights_drop(pair[1], kept)};
        bool tells = getrlimit(RLIMIT_CPU, &told.processor) == 0 &&
                     getrlimit(RLIMIT_CORE, &told.core) == 0 &&
                     getrlimit(RLIMIT_DATA, &told.data) == 0 &&
                     write(pair[1], &told, sizeof told) == sizeof told;
        _exit(tells && read(pair[1], &end, 1) == 0 ? 0 : 2);
    }
    assert_true(dropped.pid > 0);
    close(pair[1]);
    dropped.channel = pair[0];
    assert_int_equal(read(pair[0], &dropped.told, sizeof dropped.told), sizeof dropped.told);
    return dropped;
}

static void end(struct dropped *dropped)
{
    int how = -1;
    close(dropped->channel);
    assert_int_equal(waitpid(dropped->pid, &how, 0), dropped->pid);
    assert_int_equal(how, 0);
}

/* The value behind `name` in /proc/PID/status. */
static void status_of(pid_t pid, const char *name, char out[100])
{
    char path[64], line[256];
    size_t size = strlen(name);
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    out[0] = '\0';
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, size) == 0 && line[size] == ':')
            snprintf(out, 100, "%.*s", (int)strcspn(line + size + 2, "\n"), line + size + 2);
    }
    fclose(file);
}

static void skip_rights(void)
{
    print_message("skipped: a worker keeps its rights in this build\n");
    skip();
}

static void check_limit(const struct rlimit *limit, rlim_t soft, rlim_t hard)
{
    assert_int_equal(limit->rlim_cur, soft);
    assert_int_equal(limit->rlim_max, hard);
}

/* Those of HF_LIMIT_WORKER_*; five seconds are from the signal that says why to the one that ends
 * it. A limit that is lower already stays. */
static void test_limits(void **state)
{
    static const struct hf_rights_kept kept = {.seconds = 7};
    const struct rlimit low = {3, 4}, high = {1000000, RLIM_INFINITY};
    const rlim_t most = HF_LIMIT_WORKER_SECONDS;
    struct rlimit before;
    struct sysinfo machine;
    (void)state;
    struct dropped plain = start(NULL, &high);
    if ((plain.told.walls & HF_WALL_LIMITS) == 0) {
        end(&plain);
        skip_rights();
    }
    check_limit(&plain.told.processor, most, most + 5);
    check_limit(&plain.told.core, 0, 0);
    assert_int_equal(sysinfo(&machine), 0);
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    rlim_t data =
        (rlim_t)machine.totalram * machine.mem_unit / 1000 * HF_LIMIT_WORKER_MEMORY_PER_MILLE;
    if (before.rlim_cur > data)
        check_limit(&plain.told.data, data, before.rlim_max > data ? data : before.rlim_max);
    end(&plain);
    struct dropped longer = start(&kept, NULL);
    check_limit(&longer.told.processor, most + 7, most + 12);
    end(&longer);
    struct dropped lower = start(NULL, &low);
    check_limit(&lower.told.processor, 3, 4);
    end(&lower);
}

static void test_identity(void **state)
{
    char value[100];
    (void)state;
    struct dropped dropped = start(NULL, NULL);
    if ((dropped.told.walls & HF_WALL_CAPABILITIES) == 0) {
        end(&dropped);
        skip_rights();
    }
    static const char *const none[] = {"CapPrm", "CapEff", "CapInh", "CapAmb"};
    for (size_t i = 0; i < HF_COUNT(none); i++) {
        status_of(dropped.pid, none[i], value);
        assert_string_equal(value, "0000000000000000");
    }
    status_of(dropped.pid, "NoNewPrivs", value);
    assert_string_equal(value, "1");
    status_of(dropped.pid, "Seccomp", value);
    assert_string_equal(value, (dropped.told.walls & HF_WALL_SECCOMP) != 0 ? "2" : "0");
    assert_int_equal((dropped.told.walls & HF_WALL_USER) != 0, geteuid() == 0);
    status_of(dropped.pid, "Uid", value);
    if (geteuid() == 0) {
        assert_string_equal(value, "65534\t65534\t65534\t65534");
        status_of(dropped.pid, "Gid", value);
        assert_string_equal(value, "65534\t65534\t65534\t65534");
    } else {
        struct hf_text first = hf_text_of(value);
        uint64_t uid;
        assert_true(hf_num_take_u64(&first, &uid));
        assert_int_equal(uid, getuid());
    }
    end(&dropped);
}

/* One system call; what it fails with, or 0. `file` is a socket, but not the channel. */
static int attempt(unsigned which, int file, int channel)
{
    struct rlimit limit;
    struct termios settings;
    struct winsize size;
    struct stat info;
    char byte = 0;
    struct iovec part = {&byte, 1};
    const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    long result = 0;
    errno = 0;
    switch (which) {
    case 0: result = open("/proc/self/status", O_RDONLY | O_CLOEXEC); break;
    case 1: result = socket(AF_INET, SOCK_STREAM, 0); break;
    case 2: result = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); break;
    case 3: result = kill(getppid(), 0); break;
    case 4: result = unlink("/tmp/heapflame-test-nothing"); break;
    case 5: result = ioctl(file, TIOCSTI, &byte); break;
    case 6: result = fcntl(file, F_SETFL, 0); break;
    case 7: result = syscall(SYS_prlimit64, 0, RLIMIT_CORE, &limit, NULL); break;
    case 8: result = epoll_create1(EPOLL_CLOEXEC); break;
    case 9: result = sendmsg(file, &message, 0); break;
    case 10: result = syscall(SYS_tgkill, 1, 1, 0); break;
    case 11: result = stat("/proc/self/status", &info); break;
    case 12: result = syscall(SYS_bpf, BPF_MAP_CREATE, NULL, 0); break;
    case 13: result = syscall(SYS_bpf, BPF_PROG_LOAD, NULL, 0); break;
    case 14: result = sendmsg(channel, &message, 0); break; /* from here on, it may */
    case 15: result = ioctl(file, TCGETS, &settings); break;
    case 16: result = ioctl(file, TIOCGWINSZ, &size); break;
    case 17: result = fcntl(file, F_GETFL); break;
    case 18: result = getrlimit(RLIMIT_CORE, &limit); break;
    case 19: result = fstat(file, &info); break;
    case 20: result = syscall(SYS_tgkill, getpid(), getpid(), 0); break;
    case 21: result = syscall(SYS_clone3, NULL, 0); break;
    default: result = fcntl(file, F_DUPFD_CLOEXEC, 0); break;
    }
    return result < 0 ? errno : 0;
}

#define ATTEMPTS 23u
#define ALLOWED 14u /* from this one on */

/* What `which` fails with in a process without rights; -1: no filter stands. */
static int outcome_of(unsigned which, const struct hf_rights_kept *kept)
{
    int channel[2], other[2], how = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, channel), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, other), 0);
    pid_t child = fork();
    if (child == 0) {
        unsigned walls = hf_rights_drop(channel[1], kept);
        _exit((walls & HF_WALL_SECCOMP) == 0 ? 255 : attempt(which, other[1], channel[1]));
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &how, 0), child);
    for (size_t i = 0; i < 2; i++) {
        close(channel[i]);
        close(other[i]);
    }
    if (!WIFEXITED(how))
        fail_msg("attempt %u ended it: %#x", which, (unsigned)how);
    return WEXITSTATUS(how) == 255 ? -1 : WEXITSTATUS(how);
}

/* What it tries is refused by an error, and does not end it. */
static void test_refused(void **state)
{
    static const struct hf_rights_kept follows = {.follows = true};
    static const int errors[ATTEMPTS - ALLOWED] = {0, ENOTTY, ENOTTY, 0, 0, 0, 0, ENOSYS, 0};
    (void)state;
    if (outcome_of(0, NULL) < 0)
        skip_rights();
    for (unsigned which = 0; which < ATTEMPTS; which++) {
        int error = which < ALLOWED ? EPERM : errors[which - ALLOWED];
        if (outcome_of(which, NULL) != error)
            fail_msg("attempt %u: error %d", which, outcome_of(which, NULL));
        if (which == 8)
            error = 0; /* it waits for maps of the kernel */
        if (outcome_of(which, &follows) != error)
            fail_msg("attempt %u of who follows: error %d", which, outcome_of(which, &follows));
    }
}

static void test_names(void **state)
{
    static const struct {
        enum hf_right_wall wall;
        const char *name;
    } rows[] = {{HF_WALL_USER, "a user without rights"}, {HF_WALL_CAPABILITIES, "no capabilities"},
        {HF_WALL_NO_NEW, "no_new_privs"}, {HF_WALL_LANDLOCK, "Landlock"},
        {HF_WALL_SECCOMP, "seccomp"}, {HF_WALL_LIMITS, "limits"}, {HF_WALL_ALL, ""}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++)
        assert_string_equal(hf_right_wall_name(rows[i].wall), rows[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("rights", tests, NULL, NULL);
}
