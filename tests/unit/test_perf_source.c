/* What a process does, as perf records it: page faults, code that is mapped, threads that end,
 * exec(3). No probe is needed for these, but the right to look on. */
#include "attach/perf/perf_source.h"

#include "attach/keeper/keeper_line.h"
#include "attach/perf/cost.h"
#include "base/limits.h"
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096u
#define PAGES 16u
#define NOBODY 4000000u

struct child {
    pid_t pid;
    int orders, answers;
};

static void *end_at_once(void *nothing)
{
    return nothing;
}

/* Does what it is told, a letter each; tells an address when it has done so. */
static _Noreturn void obey(int orders, int answers)
{
    char order;
    while (read(orders, &order, 1) == 1) {
        void *at = NULL;
        pthread_t thread;
        switch (order) {
        case 't': /* touches pages */
            at = mmap(
                NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            (void)madvise(at, PAGES * PAGE, MADV_NOHUGEPAGE);
            for (unsigned i = 0; i < PAGES; i++)
                ((volatile char *)at)[i * PAGE + 100] = 1;
            break;
        case 'm': /* maps code */
            at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, open("/bin/sh", 0), PAGE);
            break;
        case 'e': /* ends a thread */
            if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
                pthread_join(thread, NULL);
            break;
        default: execl("/bin/sleep", "sleep", "60", (char *)NULL);
        }
        (void)!write(answers, &at, sizeof at);
    }
    _exit(0);
}

static struct child start_child(void)
{
    int orders[2], answers[2];
    assert_int_equal(pipe(orders) | pipe(answers), 0);
    struct child child = {fork(), orders[1], answers[0]};
    if (child.pid == 0) {
        close(orders[1]);
        obey(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    return child;
}

static uint64_t tell(const struct child *child, char order)
{
    void *at = NULL;
    assert_int_equal(write(child->orders, &order, 1), 1);
    if (order != 'x')
        assert_int_equal(read(child->answers, &at, sizeof at), sizeof at);
    return (uint64_t)(uintptr_t)at;
}

static void end_child(struct child *child)
{
    close(child->orders);
    close(child->answers);
    kill(child->pid, SIGKILL);
    assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
}

struct heard {
    uint64_t faults[256];
    uint32_t tids[256];
    size_t fault_count, with_stack, exits, execs, lost;
    uint64_t last_ns, first_ns;
    uint32_t exit_tid;
    struct hf_map_line mapped;
    char path[256];
    size_t maps;
};

static enum hf_status hear(void *context, const struct hf_half *half, struct hf_error *err)
{
    struct heard *h = context;
    (void)err;
    assert_true(half->time_ns >= h->last_ns);
    h->last_ns = half->time_ns;
    h->first_ns = h->first_ns == 0 ? half->time_ns : h->first_ns;
    if (half->kind == HF_HALF_FAULT && h->fault_count < HF_COUNT(h->faults)) {
        h->tids[h->fault_count] = half->tid;
        h->faults[h->fault_count++] = half->address;
        h->with_stack +=
            half->stack_size >= 64 && half->registers.sp != 0 && half->registers.ip != 0;
    }
    h->exits += half->kind == HF_HALF_EXIT;
    h->exit_tid = half->kind == HF_HALF_EXIT ? half->tid : h->exit_tid;
    h->execs += half->kind == HF_HALF_EXEC;
    h->lost += half->kind == HF_HALF_LOST ? half->count : 0;
    if (half->kind == HF_HALF_MAP && half->mapped->path.size < sizeof h->path &&
        hf_text_ends(half->mapped->path, "sh")) {
        h->maps++;
        h->mapped = *half->mapped;
        memcpy(h->path, half->mapped->path.data, half->mapped->path.size);
        h->mapped.path.data = h->path;
    }
    return HF_OK;
}

static struct hf_perf_source *open_source(struct hf_keeper *keeper, pid_t pid)
{
    struct hf_error err;
    struct hf_perf_source *source = NULL;
    const struct hf_perf_source_options options = {.keeper = keeper,
        .pid = (uint32_t)pid,
        .with_faults = true,
        .with_chains = true,
        .stack_bytes = 2048};
    if (hf_perf_source_open(&options, &source, &err) == HF_OK)
        return source;
    print_message("skipped: %s\n", err.text);
    return NULL;
}

static void test_what_happens(void **state)
{
    (void)state;
    static struct heard heard;
    struct hf_error err;
    struct child child = start_child();
    struct hf_keeper *keeper = hf_keeper_new((uint32_t)child.pid);
    tell(&child, 'e'); /* what happened before is nobody's affair */
    struct hf_perf_source *source = open_source(keeper, child.pid);
    if (source == NULL) {
        end_child(&child);
        hf_keeper_free(keeper);
        skip();
    }
    assert_int_equal(
        hf_keeper_want(keeper, &(struct hf_perf_wish){.period = 1}, "", &err), HF_ERR_INPUT);
    check_error(&err, "events are open already");
    uint64_t pages = tell(&child, 't'), code = tell(&child, 'm');
    tell(&child, 'e');
    check_ok(hf_perf_source_poll(source, 0, (struct hf_half_sink){hear, &heard}, &err), &err);
    check_ok(hf_perf_source_stop(source, (struct hf_half_sink){hear, &heard}, &err), &err);
    tell(&child, 't');
    size_t in_pages = 0;
    for (size_t i = 0; i < heard.fault_count; i++) {
        bool is_in_pages = heard.faults[i] - pages < PAGES * PAGE;
        in_pages += is_in_pages;
        assert_true(!is_in_pages || heard.tids[i] == (uint32_t)child.pid);
    }
    assert_int_equal(in_pages, PAGES);
    assert_int_equal(heard.with_stack, heard.fault_count);
    assert_int_equal(heard.exits, 1);
    assert_true(heard.exit_tid != (uint32_t)child.pid);
    assert_int_equal(heard.execs, 0);
    assert_int_equal(heard.lost, 0);
    assert_true(heard.first_ns >= hf_perf_source_begin(source));
    assert_true(heard.maps >= 1);
    assert_int_equal(heard.mapped.start, code);
    assert_int_equal(heard.mapped.end, code + PAGE);
    assert_int_equal(heard.mapped.file_offset, PAGE);
    struct stat info;
    assert_int_equal(stat("/bin/sh", &info), 0);
    assert_int_equal(heard.mapped.inode, info.st_ino);
    assert_int_equal(heard.mapped.device, info.st_dev);
    hf_perf_source_close(source);
    end_child(&child);
    hf_keeper_free(keeper);
}

/* Nothing of the program that comes after exec(3). */
static void test_another_program(void **state)
{
    (void)state;
    static struct heard heard;
    struct hf_error err;
    struct child child = start_child();
    struct hf_keeper *keeper = hf_keeper_new((uint32_t)child.pid);
    tell(&child, 'e');
    struct hf_perf_source *source = open_source(keeper, child.pid);
    if (source != NULL) {
        tell(&child, 'x');
        for (int i = 0; i < 500 && heard.execs == 0; i++)
            check_ok(
                hf_perf_source_poll(source, 20, (struct hf_half_sink){hear, &heard}, &err), &err);
        assert_int_equal(heard.execs, 1);
        size_t before = heard.fault_count;
        check_ok(hf_perf_source_stop(source, (struct hf_half_sink){hear, &heard}, &err), &err);
        assert_int_equal(heard.fault_count, before);
        assert_int_equal(heard.execs, 1);
    }
    hf_perf_source_close(source);
    end_child(&child);
    hf_keeper_free(keeper);
}

/* Faults are counted for what they cost. */
static void test_count(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_cost cost;
    struct child child = start_child();
    struct hf_keeper *keeper = hf_keeper_new((uint32_t)child.pid);
    tell(&child, 'e');
    enum hf_status status =
        hf_cost_count(keeper, (uint32_t)child.pid, NULL, 0, true, 20, &cost, &err);
    if (status == HF_OK) {
        assert_int_equal(cost.births.stepped + cost.ends.emulated + cost.births.emulated, 0);
        assert_true(cost.wall_ns >= 20000000);
        assert_true(cost.computed_ns < 2000000); /* it only waited */
        assert_true(cost.machine_ratio >= 200 && cost.machine_ratio <= 8000);
    }
    end_child(&child);
    hf_keeper_free(keeper);
}

static void test_order_of_things(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_keeper *keeper = hf_keeper_new((uint32_t)getpid());
    const struct hf_perf_wish fault = {.what = HF_PERF_FAULT, .period = 1};
    char path[64];
    assert_int_equal(hf_keeper_open(keeper, &err), HF_ERR_INPUT);
    check_error(&err, "there are no events to open");
    assert_int_equal(hf_keeper_begin(keeper, "", &err), HF_ERR_INPUT);
    check_error(&err, "there is nothing to start");
    assert_int_equal(hf_keeper_count(keeper, 0), 0);
    assert_int_equal(hf_keeper_attach(keeper, &err), HF_ERR_INPUT);
    check_error(&err, "no program is loaded");
    assert_int_equal(
        hf_keeper_want(keeper, &(struct hf_perf_wish){.period = 0}, "", &err), HF_ERR_INPUT);
    static const char *const paths[] = {"/bin/sh", "/proc/1/root/bin/sh", "root/bin/sh",
        "/proc/%d/maps", "/proc/%d/root/../x", "/proc/%d/root/a b", "/proc/%d/root/a\tb",
        "/proc/%d/root/x/../../y"};
    for (size_t i = 0; i < HF_COUNT(paths); i++) {
        struct hf_bpf_place place = {path, 0, false, false};
        char said[200];
        if (i < 3)
            (void)snprintf(path, sizeof path, "%s", paths[i]);
        else
            (void)snprintf(path, sizeof path, "/proc/%d%s", (int)getpid(), paths[i] + 8);
        assert_int_equal(hf_keeper_place(keeper, &place, &err), HF_ERR_INPUT);
        (void)snprintf(said, sizeof said, "%s is not a file of process %d, so it gets no probe",
            path, (int)getpid());
        check_error(&err, said);
    }
    (void)snprintf(path, sizeof path, "/proc/%d/root/none", (int)getpid());
    struct hf_bpf_place place = {path, 0, false, false};
    assert_int_equal(hf_keeper_place(keeper, &place, &err), HF_ERR_INPUT);
    assert_non_null(strstr(err.text, " cannot be read, so it gets no probe"));
    (void)snprintf(path, sizeof path, "/proc/%d/root/bin/sh", (int)getpid());
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    place.offset = (uint64_t)info.st_size;
    assert_int_equal(hf_keeper_place(keeper, &place, &err), HF_ERR_INPUT);
    assert_non_null(strstr(err.text, " is too short for a probe at offset "));
    place.offset--;
    for (int i = 0; i < HF_BPF_PROBES_MAX; i++)
        check_ok(hf_keeper_place(keeper, &place, &err), &err);
    assert_int_equal(hf_keeper_place(keeper, &place, &err), HF_ERR_LIMIT);
    hf_keeper_unload(keeper);
    check_ok(hf_keeper_place(keeper, &place, &err), &err);
    for (unsigned i = 0; i < HF_LIMIT_PROBES; i++)
        check_ok(hf_keeper_want(keeper, &fault, "", &err), &err);
    assert_int_equal(hf_keeper_want(keeper, &fault, "", &err), HF_ERR_LIMIT);
    hf_keeper_close(keeper);
    check_ok(hf_keeper_want(keeper, &fault, "", &err), &err);
    hf_keeper_free(keeper);
    hf_keeper_free(NULL);
}

/* Questions of who was taken over. */
static void test_questions(void **state)
{
    (void)state;
    struct hf_keeper *keeper = hf_keeper_new(NOBODY);
    for (uint32_t kind = HF_KEEPER_WANT; kind <= HF_KEEPER_QUESTIONS; kind++) {
        struct hf_broker_answer answer = {.fd = -1};
        const struct hf_broker_question question = {.kind = kind,
            .number = UINT64_MAX,
            .flags = UINT32_MAX,
            .first = HF_TEXT("/etc/passwd"),
            .second = HF_TEXT("short"),
            .fd = -1};
        if (kind == HF_KEEPER_PRICE || kind == HF_KEEPER_HURRY)
            continue;
        hf_keeper_serve(keeper, &question, &answer);
        bool is_harmless = kind == HF_KEEPER_END || kind == HF_KEEPER_COUNT ||
                           kind == HF_KEEPER_CLOSE || kind == HF_KEEPER_DETACH ||
                           kind == HF_KEEPER_PAUSE || kind == HF_KEEPER_UNLOAD;
        assert_int_equal(answer.error == 0, is_harmless);
        assert_int_equal(answer.fd, -1);
        if (kind == HF_KEEPER_COUNT)
            assert_int_equal(answer.number, 0);
    }
    hf_keeper_free(keeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_happens),
        cmocka_unit_test(test_another_program),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_order_of_things),
        cmocka_unit_test(test_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
