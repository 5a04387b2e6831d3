/* What a broker gives out of what a worker asks for: by the words of the command line. */
#include "os/process/broker.h"

#include "check.h"
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char home[] = "/tmp/heapflame-broker-XXXXXX";
static const char *words[8];
static const char *const no_words[] = {NULL};
static const char *const magics[] = {"MAGIC", NULL};
static const struct hf_broker_rules rules = {.words = words, .outputs = no_words, .magics = magics};
static struct hf_broker broker;

struct operand_row {
    const char *word, *path;
    bool is_operand;
};

static const struct operand_row operand_rows[] = {
    {"/data/a.heap", "/data/a.heap", true},
    {"--base=/data/a.heap", "/data/a.heap", true},
    {"-o/data/a.heap", "/data/a.heap", true},
    {"@/data/a.heap", "/data/a.heap", true},
    {"x/data/a.heap", "/data/a.heap", false},
    {"/data/a.heap", "/data/b.heap", false},
    {"/data/a.heap", "/data", false},
    {"/data/a.heap", "", false},
    {"/data", "/data/a.heap", true},
    {"/data/", "/data/a.heap", true},
    {"/data", "/data/deep/er/a.heap", true},
    {"--symdir=/data", "/data/deep/a.debug", true},
    {"/data", "/database/a.heap", false},
    {"/data", "/other/data/a.heap", false},
    {"/", "/a.heap", false}, /* the root would be everything */
    {"/", "/data/a.heap", false},
    {"data", "data/a.heap", true},
    {"data", "a.heap", false},
    {"/data", "/data/../etc/shadow", false},
    {"/data", "/data/..", false},
    {"data", "../data/a.heap", false},
    {"/data", "/data/..a.heap", true},
};

static void tells_operands(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(operand_rows); i++) {
        const struct operand_row *row = &operand_rows[i];
        words[0] = row->word;
        words[1] = NULL;
        if (hf_broker_is_operand(&broker, row->path) != row->is_operand)
            fail_msg("%s of %s", row->path, row->word);
    }
}

/* 0 if it is given, else the number of the error. Who asks is a child, as a worker is. */
static int broker_asked(const char *path, uint32_t flags)
{
    static struct hf_broker_answer answer;
    const struct hf_broker_question question = {
        .kind = HF_BROKER_OPEN, .first = hf_text_of(path), .flags = flags, .fd = -1};
    int line[2], how = -1;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line), 0);
    pid_t child = fork();
    if (child == 0) {
        hf_broker_line_begin(line[0], getuid(), NULL);
        hf_broker_ask(&question, &answer);
        _exit((answer.fd >= 0) == (answer.error == 0) ? answer.error : 255);
    }
    assert_true(child > 0);
    assert_true(hf_broker_answer_one(&broker, line[1]));
    close(line[0]);
    close(line[1]);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

struct open_row {
    const char *word, *path;
    uint32_t flags;
    int error;
};

static const struct open_row open_rows[] = {
    {"none", "private", 0, EACCES},
    {"private", "private", 0, 0},
    {"none", "public", 0, 0},
    {"none", "begins", 0, 0}, /* as rules.magics has it */
    {"none", "folder/private", 0, EACCES},
    {"folder", "folder/private", 0, 0},
    {"folder", "folder/deep/private", 0, 0},
    {"folder", "private", 0, EACCES},
    {"none", "fifo", 0, EACCES},
    {"none", "folder", O_DIRECTORY, 0},
    {"none", "folder", 0, EACCES}, /* as a file, it is none */
    {"none", "missing", 0, ENOENT},
};

static void opens_what_it_may(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(open_rows); i++) {
        const struct open_row *row = &open_rows[i];
        char word[128], path[128];
        (void)snprintf(word, sizeof word, "%s/%s", home, row->word);
        (void)snprintf(path, sizeof path, "%s/%s", home, row->path);
        words[0] = word;
        words[1] = NULL;
        int error = broker_asked(path, row->flags);
        words[0] = NULL;
        if (error != row->error)
            fail_msg("%s of %s: %s", row->path, row->word, strerror(error));
    }
}

static int put_file(const char *name, const char *text, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
    if (fd < 0 || fchmod(fd, mode) != 0 || write(fd, text, strlen(text)) < 0)
        return -1;
    return close(fd);
}

static int begin(void **state)
{
    (void)state;
    hf_broker_init(&broker, &rules);
    if (mkdtemp(home) == NULL || chdir(home) != 0 || mkdir("folder", 0700) != 0 ||
        mkdir("folder/deep", 0700) != 0 || mkfifo("fifo", 0644) != 0 ||
        put_file("private", "x", 0600) != 0 || put_file("public", "x", 0644) != 0 ||
        put_file("begins", "MAGIC and more", 0600) != 0 ||
        put_file("folder/private", "x", 0600) != 0 ||
        put_file("folder/deep/private", "x", 0600) != 0)
        return -1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    hf_broker_done(&broker);
    return folder_remove(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_operands),
        cmocka_unit_test(opens_what_it_may),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
