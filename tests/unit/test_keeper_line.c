/* What a reader asks of the keeper of probes arrives there as it was meant, and its answers and
 * errors come back: directly, and through the broker of a worker. The keeper and the broker are
 * this test's own. */
#include "attach/keeper/keeper_line.h"

#include "attach/keeper/stop_price.h"
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was done, in words. */
static char done[512];
static enum hf_status refusal; /* HF_OK: none */
static int broker_error;       /* of the broker itself */
static bool has_program;
static int descriptor = -1;
static struct hf_perf_wish wanted;
static struct hf_bpf_wish wished;

#define DO(...) snprintf(done + strlen(done), sizeof done - strlen(done), __VA_ARGS__)

static void check_done(const char *expected)
{
    assert_string_equal(done, expected);
    done[0] = '\0';
}

static enum hf_status answer_of(struct hf_error *err)
{
    return refusal == HF_OK ? HF_OK : hf_error_set(err, refusal, "the keeper's words");
}

static struct hf_keeper *own_keeper(void)
{
    return (struct hf_keeper *)done;
}

enum hf_status hf_keeper_want(struct hf_keeper *keeper, const struct hf_perf_wish *wish,
    const char *path, struct hf_error *err)
{
    assert_ptr_equal(keeper, own_keeper());
    wanted = *wish;
    DO("want %s;", path);
    return answer_of(err);
}

enum hf_status hf_keeper_open(struct hf_keeper *keeper, struct hf_error *err)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("open;");
    return answer_of(err);
}

static const struct hf_perf_file opened_files[] = {
    {.id = 7, .fd = 8, .kind = 9, .tid = 10}, {.id = 17, .cpu = 3}, {.id = 27, .cpu = 4}};

struct hf_keeper_opened hf_keeper_opened(const struct hf_keeper *keeper)
{
    static struct hf_perf_ring rings[2];
    assert_ptr_equal(keeper, own_keeper());
    rings[0] = (struct hf_perf_ring){.fd = -1, .data_bytes = 4096};
    rings[1] = (struct hf_perf_ring){.fd = descriptor, .data_bytes = 8192};
    return (struct hf_keeper_opened){opened_files, HF_COUNT(opened_files), rings, 2};
}

enum hf_status hf_keeper_begin(struct hf_keeper *keeper, const char *filter, struct hf_error *err)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("begin %s;", filter);
    return answer_of(err);
}

void hf_keeper_end(struct hf_keeper *keeper)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("end;");
}

uint64_t hf_keeper_count(const struct hf_keeper *keeper, uint32_t kind)
{
    assert_ptr_equal(keeper, own_keeper());
    return 100 + (uint64_t)kind;
}

void hf_keeper_close(struct hf_keeper *keeper)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("close;");
}

void hf_keeper_hurry(struct hf_keeper *keeper, pid_t reader, bool is_urgent)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("hurry %d %d;", (int)reader, is_urgent);
}

enum hf_status hf_keeper_load(
    struct hf_keeper *keeper, const struct hf_bpf_wish *wish, struct hf_error *err)
{
    assert_ptr_equal(keeper, own_keeper());
    wished = *wish;
    has_program = refusal == HF_OK;
    DO("load;");
    return answer_of(err);
}

const struct hf_bpf_program *hf_keeper_program(const struct hf_keeper *keeper)
{
    assert_ptr_equal(keeper, own_keeper());
    return has_program ? (const struct hf_bpf_program *)&has_program : NULL;
}

int hf_bpf_program_map(const struct hf_bpf_program *program, enum hf_bpf_map map)
{
    assert_ptr_equal(program, &has_program);
    DO("%d", (int)map);
    return descriptor;
}

uint32_t hf_bpf_program_processors(const struct hf_bpf_program *program)
{
    assert_ptr_equal(program, &has_program);
    return 12;
}

enum hf_status hf_keeper_place(
    struct hf_keeper *keeper, const struct hf_bpf_place *place, struct hf_error *err)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("place %s %u %d %d;", place->path, (unsigned)place->offset, place->returns, place->is_birth);
    return answer_of(err);
}

enum hf_status hf_keeper_attach(struct hf_keeper *keeper, struct hf_error *err)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("attach;");
    return answer_of(err);
}

void hf_keeper_detach(struct hf_keeper *keeper)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("detach;");
}

void hf_keeper_pause(struct hf_keeper *keeper)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("pause;");
}

void hf_keeper_unload(struct hf_keeper *keeper)
{
    assert_ptr_equal(keeper, own_keeper());
    DO("unload;");
}

uint64_t hf_stop_price_ns(void)
{
    return 830;
}

enum hf_status hf_perf_ring_open(
    struct hf_perf_ring *ring, int fd, size_t data_bytes, struct hf_error *err)
{
    struct stat one, other;
    (void)err;
    assert_true(fd != descriptor && fstat(fd, &one) == 0 && fstat(descriptor, &other) == 0);
    assert_int_equal(one.st_ino, other.st_ino);
    close(fd);
    *ring = (struct hf_perf_ring){.fd = -1, .data_bytes = data_bytes};
    return HF_OK;
}

/* As the broker of a worker hands questions on: copies, each with a NUL behind it. */
void hf_broker_ask(const struct hf_broker_question *question, struct hf_broker_answer *answer)
{
    static char first[HF_BROKER_TEXT_MAX + 1], second[HF_BROKER_TEXT_MAX + 1];
    struct hf_broker_question copy = *question;
    memset(answer, 0, sizeof *answer);
    answer->fd = -1;
    answer->error = broker_error;
    if (broker_error != 0)
        return;
    memcpy(first, question->first.data, question->first.size);
    first[question->first.size] = '\0';
    memcpy(second, question->second.data, question->second.size);
    second[question->second.size] = '\0';
    copy.first.data = first;
    copy.second.data = second;
    copy.asker = 4711;
    hf_keeper_serve(own_keeper(), &copy, answer);
}

/* The keeper itself, and through the broker. */
static struct hf_keeper *way(int number)
{
    return number == 0 ? own_keeper() : NULL;
}

static void test_orders(void **state)
{
    struct hf_error err;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct hf_keeper *own = way(i);
        const struct hf_perf_wish wish = {.what = 1, .period = 31, .offset = 0x1234567890};
        memset(&wanted, 0, sizeof wanted);
        check_ok(hf_keeper_line_want(own, &wish, "/bin/sh", &err), &err);
        assert_memory_equal(&wanted, &wish, sizeof wish);
        check_ok(hf_keeper_line_begin(own, "arg1 == 5", &err), &err);
        hf_keeper_line_end(own);
        hf_keeper_line_close(own);
        check_done("want /bin/sh;begin arg1 == 5;end;close;");
        for (int flags = 0; flags < 4; flags++) {
            const struct hf_bpf_place place = {"/x", 77, (flags & 1) != 0, (flags & 2) != 0};
            check_ok(hf_keeper_line_place(own, &place, &err), &err);
        }
        check_done("place /x 77 0 0;place /x 77 1 0;place /x 77 0 1;place /x 77 1 1;");
        check_ok(hf_keeper_line_attach(own, &err), &err);
        hf_keeper_line_pause(own);
        hf_keeper_line_detach(own);
        hf_keeper_line_unload(own);
        check_done("attach;pause;detach;unload;");
        hf_keeper_line_hurry(own, true);
        hf_keeper_line_hurry(own, false);
        check_done(i == 0 ? "hurry 0 1;hurry 0 0;" : "hurry 4711 1;hurry 4711 0;");
        assert_int_equal(hf_keeper_line_count(own, 0), 100);
        assert_int_equal(hf_keeper_line_count(own, 8), 108);
        assert_int_equal(hf_keeper_line_stop_ns(own), 830);
        check_done("");
    }
}

static void test_events(void **state)
{
    struct hf_error err;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct hf_perf_file *files = NULL;
        struct hf_perf_ring ring;
        size_t count = 0, rings = 0;
        check_ok(hf_keeper_line_open(way(i), &files, &count, &rings, &err), &err);
        assert_int_equal(count, HF_COUNT(opened_files));
        assert_int_equal(rings, 2);
        assert_memory_equal(files, opened_files, sizeof opened_files);
        free(files);
        check_ok(hf_keeper_line_ring(way(i), 1, &ring, &err), &err);
        assert_int_equal(ring.data_bytes, 8192);
        assert_int_equal(hf_keeper_line_ring(way(i), 0, &ring, &err), HF_ERR_SYSTEM);
        check_error(&err, "cannot copy a descriptor: Bad file descriptor");
        assert_int_equal(hf_keeper_line_ring(way(i), 2, &ring, &err), HF_ERR_INPUT);
        check_error(&err, "there is no such ring buffer");
        check_done("open;");
    }
}

static void test_maps(void **state)
{
    static const struct hf_bpf_wish wish = {.period_bytes = 5, .context_count = 6, .is_session = 1};
    struct hf_error err;
    struct stat info, file;
    int maps[HF_BPF_MAPS];
    (void)state;
    assert_int_equal(fstat(descriptor, &file), 0);
    for (int i = 0; i < 2; i++) {
        uint32_t processors = 0;
        has_program = false;
        assert_int_equal(hf_keeper_line_maps(way(i), maps, &processors, &err), HF_ERR_INPUT);
        check_error(&err, "no program is loaded");
        memset(&wished, 0, sizeof wished);
        check_ok(hf_keeper_line_load(way(i), &wish, maps, &processors, &err), &err);
        assert_memory_equal(&wished, &wish, sizeof wish);
        assert_int_equal(processors, 12);
        check_done("load;0123456789");
        for (int again = 0; again < 2; again++) {
            for (size_t m = 0; m < HF_BPF_MAPS; m++) {
                assert_int_equal(fstat(maps[m], &info), 0);
                assert_int_equal(info.st_ino, file.st_ino);
                assert_true(maps[m] != descriptor && (m == 0 || maps[m] != maps[m - 1]));
                close(maps[m]);
            }
            processors = 0;
            if (again == 0)
                check_ok(hf_keeper_line_maps(way(i), maps, &processors, &err), &err);
            assert_int_equal(processors, again == 0 ? 12 : 0);
        }
        check_done("0123456789");
        int kept = descriptor;
        descriptor = -1;
        assert_int_equal(hf_keeper_line_maps(way(i), maps, &processors, &err), HF_ERR_SYSTEM);
        check_error(&err, "cannot copy a descriptor: Bad file descriptor");
        check_done("0"); /* the others are not asked for */
        descriptor = kept;
    }
}

static void test_refused(void **state)
{
    const struct hf_perf_wish wish = {.period = 1};
    const struct hf_bpf_wish load = {.period_bytes = 1};
    const struct hf_bpf_place place = {"/x", 0, false, false};
    int maps[HF_BPF_MAPS];
    uint32_t processors;
    size_t count, rings;
    struct hf_perf_file *files;
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct hf_error err;
        struct hf_keeper *own = way(i != 0);
        refusal = i < 2 ? HF_ERR_USAGE : HF_OK;
        broker_error = i == 2 ? EPIPE : i == 3 ? EPROTO : 0; /* without a status, it is broken */
        enum hf_status expected = i < 2 ? HF_ERR_USAGE : HF_ERR_SYSTEM;
        const char *words = i < 2 ? "the keeper's words"
                            : i == 2
                                ? "the process that keeps the probes has ended: Broken pipe"
                                : "the process that keeps the probes has ended: Protocol error";
        assert_int_equal(hf_keeper_line_want(own, &wish, "/x", &err), expected);
        check_error(&err, words);
        assert_int_equal(hf_keeper_line_open(own, &files, &count, &rings, &err), expected);
        check_error(&err, words);
        assert_int_equal(hf_keeper_line_begin(own, "", &err), expected);
        check_error(&err, words);
        assert_int_equal(hf_keeper_line_load(own, &load, maps, &processors, &err), expected);
        check_error(&err, words);
        assert_int_equal(hf_keeper_line_place(own, &place, &err), expected);
        check_error(&err, words);
        assert_int_equal(hf_keeper_line_attach(own, &err), expected);
        check_error(&err, words);
        if (i >= 2) {
            assert_int_equal(hf_keeper_line_count(own, 1), 0);
            assert_int_equal(hf_keeper_line_stop_ns(own), 0);
        }
    }
    refusal = HF_OK;
    broker_error = 0;
    done[0] = '\0';
}

/* A worker that was taken over may ask anything. */
static void test_damaged(void **state)
{
    const struct hf_perf_wish wish = {.period = 1};
    const struct hf_text whole = {(const char *)&wish, sizeof wish},
                         cut = {(const char *)&wish, sizeof wish - 1}, split = {"a\0b", 3};
    const struct {
        struct hf_broker_question question;
        const char *words;
    } rows[] = {
        {{.kind = HF_KEEPER_WANT, .first = HF_TEXT("/x"), .second = cut},
            "the keeper received a damaged request"},
        {{.kind = HF_KEEPER_WANT, .first = split, .second = whole},
            "the keeper received a damaged request"},
        {{.kind = HF_KEEPER_LOAD, .first = HF_TEXT(""), .second = cut},
            "the keeper received a damaged request"},
        {{.kind = HF_KEEPER_MAP, .number = HF_BPF_MAPS}, "there is no BPF map with number 10"},
        {{.kind = HF_KEEPER_RING, .number = UINT64_MAX}, "there is no such ring buffer"},
        {{.kind = HF_KEEPER_QUESTIONS}, "the keeper received an unknown request"},
    };
    struct hf_broker_answer answer;
    (void)state;
    has_program = true;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        memset(&answer, 0, sizeof answer);
        answer.fd = -1;
        hf_keeper_serve(own_keeper(), &rows[i].question, &answer);
        assert_int_equal(answer.error, EPROTO);
        assert_int_equal(answer.flags, HF_ERR_INPUT);
        assert_string_equal(answer.text, rows[i].words);
        assert_int_equal(answer.size, strlen(rows[i].words));
        assert_int_equal(answer.fd, -1);
    }
    has_program = false;
    struct hf_broker_question none = {.kind = HF_KEEPER_MAP};
    memset(&answer, 0, sizeof answer);
    hf_keeper_serve(own_keeper(), &none, &answer);
    assert_string_equal(answer.text, "there is no BPF map with number 0");
    none = (struct hf_broker_question){.kind = HF_KEEPER_COUNT, .number = UINT32_MAX};
    memset(&answer, 0, sizeof answer);
    hf_keeper_serve(own_keeper(), &none, &answer);
    assert_int_equal(answer.error, 0);
    assert_int_equal(answer.number, 0); /* no kind has that number */
    check_done("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damaged),
    };
    descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int failed = cmocka_run_group_tests_name("keeper_line", tests, NULL, NULL);
    close(descriptor);
    return failed;
}
