/*
 * planted.c: heapflame-planted is the command with an exploit in the place of its readers: when a
 * profile is to be read, the code below runs instead of hf_format_read (the linker puts it there,
 * by
 * --wrap), as the code of somebody who took over a parser would. It tries what it should not be
 * able to do, and prints a line for each: "WHAT: done", or why not. tests/e2e/sandbox.py reads
 * them.
 *
 * What is tried stands in the environment, PLANTED: "walls", "broker", "streams", "crash", "crash
 * for now" (until there is a file PLANTED_FLAG), "spin", "stall" or "fill"; behind "look: ", it is
 * tried where a live table is added up (hf_table_sums_take). Or "crash of an image": then
 * hf_elf_open crashes of a file whose name has "victim" in it. Or "attach": then what attach's
 * reader has more than others is tried where it reads its first image. Or "crash at names": then
 * who names what attach recorded crashes of each file of the process.
 */
#include "attach/keeper/keeper_line.h"
#include "base/strings/num.h"
#include "capture/reading.h"
#include "elf/image.h"
#include "formats/format.h"
#include "os/broker_line.h"
#include "os/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not in a header: only the linker knows it. */
enum hf_status __wrap_hf_format_read(
    struct hf_input *input, struct hf_profile **out_profile, struct hf_error *err);
enum hf_status __real_hf_format_read(
    struct hf_input *input, struct hf_profile **out_profile, struct hf_error *err);
enum hf_status __wrap_hf_table_sums_take(int fd, const char *name, struct hf_live_start *start,
    struct hf_table_sums *out_sums, struct hf_error *err);
enum hf_status __real_hf_table_sums_take(int fd, const char *name, struct hf_live_start *start,
    struct hf_table_sums *out_sums, struct hf_error *err);
enum hf_status __wrap_hf_elf_open(
    struct hf_elf *elf, struct hf_text bytes, const char *name, struct hf_error *err);
enum hf_status __real_hf_elf_open(
    struct hf_elf *elf, struct hf_text bytes, const char *name, struct hf_error *err);

#define LOOK "look: "

static const char *word_of(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

static uint64_t number_of(const char *name)
{
    uint64_t number;
    return hf_num_u64(hf_text_of(word_of(name)), &number) ? number : 0;
}

static pid_t target(void)
{
    return (pid_t)number_of("PLANTED_PID");
}

static void tell(const char *what, bool is_done)
{
    int reason = errno;
    char line[256];
    int size =
        snprintf(line, sizeof line, "%s: %s\n", what, is_done ? "done" : strerrorname_np(reason));
    (void)!write(STDERR_FILENO, line, (size_t)size);
}

static bool open_path(const char *path, int flags)
{
    int fd = open(path, flags, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool connect_to_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)number_of("PLANTED_PORT")),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
}

static bool start_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static bool write_memory(void)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)target());
    return open_path(path, O_RDWR);
}

static bool read_memory(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)number_of("PLANTED_ADDRESS"), 1};
    return process_vm_readv(target(), &here, 1, &there, 1, 0) == 1;
}

static bool overwrite_memory(void)
{
    char byte = 'x';
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)number_of("PLANTED_ADDRESS"), 1};
    return process_vm_writev(target(), &here, 1, &there, 1, 0) == 1;
}

static bool trace(void)
{
    bool is_done = ptrace(PTRACE_SEIZE, target(), NULL, NULL) == 0;
    if (is_done) {
        (void)ptrace(PTRACE_INTERRUPT, target(), NULL, NULL);
        (void)waitpid(target(), NULL, __WALL);
        (void)ptrace(PTRACE_DETACH, target(), NULL, NULL);
    }
    return is_done;
}

static bool raise_limit(void)
{
    struct rlimit limit = {1 << 20, 1 << 20};
    return setrlimit(RLIMIT_CORE, &limit) == 0;
}

static bool type_into_terminal(void)
{
    char key = 'x';
    return ioctl(STDERR_FILENO, TIOCSTI, &key) == 0;
}

static bool load_code(void)
{
    char *const arguments[] = {(char *)(uintptr_t) "true", NULL};
    pid_t child = vfork();
    if (child == 0) {
        execv("/bin/true", arguments);
        _exit(1);
    }
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static void try_walls(void)
{
    tell("read a file", open_path(word_of("PLANTED_FILE"), O_RDONLY));
    tell("write a file", open_path(word_of("PLANTED_FILE"), O_WRONLY));
    tell("make a file", open_path(word_of("PLANTED_NEW"), O_WRONLY | O_CREAT | O_EXCL));
    tell("remove a file", unlink(word_of("PLANTED_GONE")) == 0);
    tell("change a mode", chmod(word_of("PLANTED_FILE"), 0644) == 0);
    tell("link", symlink("x", word_of("PLANTED_LINK")) == 0);
    tell("connect", connect_to_port());
    tell("local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    tell("fork", start_process());
    tell("exec", load_code());
    tell("signal", kill(target(), SIGCONT) == 0);
    tell("ptrace", trace());
    tell("read memory", read_memory());
    tell("write memory", overwrite_memory());
    tell("open memory", write_memory());
    tell("raise a limit", raise_limit());
    tell("become root", setresuid(0, 0, 0) == 0);
    tell("namespace", unshare(CLONE_NEWUSER) == 0);
    tell("type", type_into_terminal());
}

static bool asks(uint32_t kind, const char *first, const char *second, int fd)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {.kind = kind,
        .flags = 0,
        .first = hf_text_of(first),
        .second = hf_text_of(second),
        .fd = fd};
    hf_broker_ask(&question, &answer);
    errno = answer.error;
    return answer.error == 0;
}

/* What a worker may be told to ask by whoever took it over. */
static void try_broker(void)
{
    char memory[64], environment[64];
    (void)snprintf(memory, sizeof memory, "/proc/%d/mem", (int)target());
    (void)snprintf(environment, sizeof environment, "/proc/%d/environ", (int)target());
    int fd = memfd_create("entry", 0);
    (void)!write(fd, "nonsense", 8);
    tell("a secret", asks(HF_BROKER_OPEN, word_of("PLANTED_FILE"), "", -1));
    tell("a secret as a file", asks(HF_BROKER_FILE, word_of("PLANTED_FILE"), "", -1));
    tell("a secret by a link", asks(HF_BROKER_FILE, word_of("PLANTED_DISGUISED"), "", -1));
    tell("a fifo", asks(HF_BROKER_OPEN, word_of("PLANTED_FIFO"), "", -1));
    tell("a device", asks(HF_BROKER_OPEN, word_of("PLANTED_DEVICE"), "", -1));
    tell("memory", asks(HF_BROKER_OPEN, memory, "", -1));
    tell("an environment", asks(HF_BROKER_OPEN, environment, "", -1));
    tell("another output", asks(HF_BROKER_OUTPUT_OPEN, word_of("PLANTED_NEW"), "", -1));
    tell("the input as output", asks(HF_BROKER_OUTPUT_OPEN, "input.folded", "", -1));
    tell("another folder", asks(HF_BROKER_KEEP_PUT, word_of("PLANTED_FOLDER"), "entry", fd));
    tell("out of the folder", asks(HF_BROKER_KEEP_PUT, word_of("PLANTED_CACHE"), "../entry", fd));
    tell("a false entry",
        asks(HF_BROKER_KEEP_PUT, word_of("PLANTED_CACHE"), "00-0123456789abcdef", fd));
    tell("a server", asks(HF_BROKER_SERVICES + 1, word_of("PLANTED_URL"), "", -1));
    tell("a mark", asks(HF_BROKER_OPEN, word_of("PLANTED_MARK"), "", -1)); /* of a reader's own */
    tell("a program", asks(HF_BROKER_OPEN, word_of("PLANTED_PROGRAM"), "", -1)); /* it may */
}

/* What is the recorded program's: its input, and what it writes. */
static void try_streams(void)
{
    char byte;
    tell("read its input", read(STDIN_FILENO, &byte, 1) == 1);
    (void)!write(STDOUT_FILENO, "INTRUDER", 8);
}

static enum hf_status fill_memory(struct hf_error *err)
{
    for (;;) {
        char *more = malloc((size_t)64 << 20);
        if (more == NULL)
            return hf_error_memory(err);
        memset(more, 1, (size_t)64 << 20);
    }
}

/* False: it is not to be tried now, and the reader reads. */
static bool run_exploit(const char *what, enum hf_status *out_status, struct hf_error *err)
{
    bool is_over = strcmp(what, "crash for now") == 0 && hf_path_exists(word_of("PLANTED_FLAG"));
    if (what[0] == '\0' || is_over || strcmp(what, "crash of an image") == 0)
        return false;
    *out_status = HF_ERR_INPUT;
    if (strcmp(what, "walls") == 0)
        try_walls();
    else if (strcmp(what, "broker") == 0)
        try_broker();
    else if (strcmp(what, "streams") == 0)
        try_streams();
    else if (strncmp(what, "crash", strlen("crash")) == 0)
        (void)raise(SIGSEGV);
    else if (strcmp(what, "spin") == 0)
        for (volatile uint64_t i = 0;; i++)
            continue;
    else if (strcmp(what, "stall") == 0)
        (void)sleep(1000);
    else if (strcmp(what, "fill") == 0)
        *out_status = fill_memory(err);
    if (*out_status == HF_ERR_INPUT)
        (void)hf_error_set(err, HF_ERR_INPUT, "the exploit has run");
    return true;
}

enum hf_status __wrap_hf_format_read(
    struct hf_input *input, struct hf_profile **out_profile, struct hf_error *err)
{
    enum hf_status status;
    const char *what = word_of("PLANTED");
    if (strncmp(what, LOOK, strlen(LOOK)) != 0 && run_exploit(what, &status, err))
        return status;
    return __real_hf_format_read(input, out_profile, err);
}

enum hf_status __wrap_hf_table_sums_take(int fd, const char *name, struct hf_live_start *start,
    struct hf_table_sums *out_sums, struct hf_error *err)
{
    enum hf_status status;
    const char *what = word_of("PLANTED");
    if (strncmp(what, LOOK, strlen(LOOK)) == 0 && run_exploit(what + strlen(LOOK), &status, err))
        return status;
    return __real_hf_table_sums_take(fd, name, start, out_sums, err);
}

static void path_in(char out[PATH_MAX], const char *folder, const char *path)
{
    (void)snprintf(out, PATH_MAX, "/proc/%d/%s%s", (int)target(), folder, path);
}

static bool calls_bpf(int command)
{
    union bpf_attr attributes = {0};
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = attributes.value_size = 4;
    attributes.max_entries = 1;
    return syscall(SYS_bpf, command, &attributes, sizeof attributes) >= 0;
}

/* To load nothing is refused even to root, but then as nonsense. */
static bool may_load(void)
{
    union bpf_attr nothing = {0};
    return syscall(SYS_bpf, BPF_PROG_LOAD, &nothing, sizeof nothing) >= 0 || errno != EPERM;
}

static bool watches_itself(void)
{
    struct perf_event_attr event = {.size = sizeof event, .type = PERF_TYPE_SOFTWARE};
    return syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0;
}

static bool writes_memory_of_target(void)
{
    char path[PATH_MAX], byte = 'x';
    path_in(path, "mem", "");
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_BROKER_OPEN, .first = hf_text_of(path), .second = HF_TEXT(""), .fd = -1};
    hf_broker_ask(&question, &answer);
    return answer.error == 0 &&
           pwrite(answer.fd, &byte, 1, (off_t)number_of("PLANTED_ADDRESS")) == 1;
}

static bool wants(const struct hf_perf_wish *wish, const char *folder, const char *path)
{
    char whole[PATH_MAX];
    path_in(whole, folder, path);
    errno = EPROTO;
    return hf_keeper_line_want(NULL, wish, whole, NULL) == HF_OK;
}

static bool places(uint64_t offset, const char *path)
{
    const struct hf_bpf_place place = {.path = path, .offset = offset};
    errno = EPROTO;
    return hf_keeper_line_place(NULL, &place, NULL) == HF_OK;
}

/* What the keeper of the probes may be asked. */
static void try_keeper(void)
{
    const char *program = word_of("PLANTED_PROGRAM");
    const struct hf_perf_wish entry = {.what = HF_PERF_ENTRY, .period = 1, .offset = 0x1000};
    struct hf_perf_wish far = entry, greedy = entry, strange = entry;
    far.offset = UINT64_C(1) << 40;
    greedy.registers = UINT64_C(1) << 33;
    strange.what = 99;
    errno = EPROTO;
    tell("a file by its path", hf_keeper_line_want(NULL, &entry, program, NULL) == HF_OK);
    tell("out of the root", wants(&entry, "root/../../", program));
    tell("through what it has open", wants(&entry, "fd/", "0"));
    tell("no file", wants(&entry, "root", word_of("PLANTED_DEVICE")));
    tell("two lines", wants(&entry, "root", "/x:0x10\np:planted/evil /bin/true"));
    tell("behind the end", wants(&far, "root", program));
    tell("other registers", wants(&greedy, "root", program));
    tell("a strange kind", wants(&strange, "root", program));
    tell("a place by its path", places(0x1000, program));
    tell("to begin", hf_keeper_line_begin(NULL, "", NULL) == HF_OK);
    tell("a program unloaded", hf_keeper_line_attach(NULL, NULL) == HF_OK);
    tell("another question", asks(HF_KEEPER_QUESTIONS, "", "", -1));
    tell("a probe", wants(&entry, "root", program)); /* it may */
    tell("to open it", asks(HF_KEEPER_OPEN, "", "", -1));
    errno = EPROTO;
    tell("a filter", hf_keeper_line_begin(NULL, "common_pid!=0", NULL) == HF_OK);
}

static void try_attach(void)
{
    tell("a map", calls_bpf(BPF_MAP_CREATE));
    tell("a program for the kernel", may_load());
    tell("an event", watches_itself());
    tell("priority", setpriority(PRIO_PROCESS, 0, -20) == 0);
    tell("memory of others", asks(HF_BROKER_OPEN, "/proc/1/mem", "", -1));
    tell("to write memory", writes_memory_of_target());
    try_keeper();
    if (strcmp(word_of("PLANTED_END"), "crash") == 0)
        (void)raise(SIGSEGV);
    _exit(3);
}

enum hf_status __wrap_hf_elf_open(
    struct hf_elf *elf, struct hf_text bytes, const char *name, struct hf_error *err)
{
    if (strcmp(word_of("PLANTED"), "attach") == 0)
        try_attach();
    if (strcmp(word_of("PLANTED"), "crash at names") == 0 && strstr(name, "/map_files/") != NULL)
        (void)raise(SIGSEGV);
    if (strcmp(word_of("PLANTED"), "crash of an image") == 0 && bytes.size != 0 &&
        strstr(name, "victim") != NULL)
        (void)raise(SIGSEGV);
    return __real_hf_elf_open(elf, bytes, name, err);
}
