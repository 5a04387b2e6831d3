/* A stream in pieces: lines taken off an input, and several workers that act as one. */
#include "os/ordered_workers.h"

#include "base/limits.h"
#include "check.h"
#include "os/input.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define PIECES 2000u

struct stream {
    unsigned taken, applied, fails_at;
    unsigned alone_from, alone_to; /* pieces that one thread should work on */
    atomic_uint digested, seen;    /* seen: as applied, for any thread */
    pthread_t leader;
    unsigned by_others; /* of pieces well within those */
};

struct piece {
    unsigned number, square;
};

static bool take(void *context, void *item)
{
    struct stream *stream = context;
    struct piece *piece = item;
    if (stream->taken == PIECES)
        return false;
    piece->number = stream->taken++;
    return true;
}

static void digest(const void *context, void *item)
{
    struct stream *stream = (struct stream *)(uintptr_t)context;
    struct piece *piece = item;
    piece->square = piece->number * piece->number;
    atomic_fetch_add(&stream->digested, 1);
}

static enum hf_status apply(void *context, void *item, struct hf_error *err)
{
    struct stream *stream = context;
    const struct piece *piece = item;
    if (piece->number != stream->applied || piece->square != piece->number * piece->number)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "piece %u came as %u", piece->number, stream->applied);
    if (piece->number == stream->fails_at)
        return hf_error_set(err, HF_ERR_INPUT, "piece %u is bad", piece->number);
    /* What the others had taken before they knew is applied by them. */
    if (stream->applied >= stream->alone_from + HF_ORDERED_WORKERS_MAX &&
        stream->applied < stream->alone_to)
        stream->by_others += pthread_equal(pthread_self(), stream->leader) == 0;
    stream->applied++;
    atomic_store(&stream->seen, stream->applied);
    return HF_OK;
}

static bool is_alone(const void *context)
{
    const struct stream *stream = context;
    unsigned seen = atomic_load(&((struct stream *)(uintptr_t)stream)->seen);
    return seen >= stream->alone_from && seen < stream->alone_to;
}

static enum hf_status run(struct stream *stream, unsigned workers, struct hf_error *err)
{
    const struct hf_ordered_workers turns = {stream, take, digest, apply, is_alone};
    struct piece pieces[HF_ORDERED_WORKERS_MAX];
    void *items[HF_ORDERED_WORKERS_MAX];
    for (size_t i = 0; i < HF_COUNT(items); i++)
        items[i] = &pieces[i];
    stream->leader = pthread_self();
    return hf_ordered_workers_run(&turns, items, workers, err);
}

static void keeps_the_order(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= HF_ORDERED_WORKERS_MAX; workers++) {
        struct hf_error err;
        struct stream stream = {.fails_at = PIECES};
        check_ok(run(&stream, workers, &err), &err);
        assert_int_equal(stream.applied, PIECES);
        assert_int_equal(atomic_load(&stream.digested), PIECES);
    }
}

/* The others wait meanwhile, and are woken when it is over, or the stream. */
static void works_alone(void **state)
{
    (void)state;
    const unsigned ends[] = {PIECES / 2, PIECES, PIECES + 10};
    for (unsigned workers = 1; workers <= HF_ORDERED_WORKERS_MAX; workers++) {
        for (size_t i = 0; i < HF_COUNT(ends) * 2; i++) {
            struct hf_error err;
            struct stream stream = {.fails_at = i < HF_COUNT(ends) ? PIECES : PIECES / 3,
                .alone_from = PIECES / 4,
                .alone_to = ends[i % HF_COUNT(ends)]};
            enum hf_status status = run(&stream, workers, &err);
            assert_int_equal(status, i < HF_COUNT(ends) ? HF_OK : HF_ERR_INPUT);
            assert_int_equal(stream.applied, stream.fails_at);
            assert_int_equal(stream.by_others, 0);
        }
    }
}

static void ends_at_the_first_error(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= HF_ORDERED_WORKERS_MAX; workers++) {
        for (unsigned at = 0; at < PIECES; at += 97) {
            struct hf_error err;
            struct stream stream = {.fails_at = at};
            char expected[64];
            snprintf(expected, sizeof expected, "piece %u is bad", at);
            assert_int_equal(run(&stream, workers, &err), HF_ERR_INPUT);
            check_error(&err, expected);
            assert_int_equal(stream.applied, at);
        }
    }
}

static void knows_its_processors(void **state)
{
    (void)state;
    assert_int_equal(hf_processors(1), 1);
    assert_in_range(hf_processors(64), 1, 64);
}

/* Lines of 1 to 1,000 bytes, some MB of them, and one that is longer than a piece. */
static char *make_text(size_t *out_size)
{
    enum { LINES = 4000, LONG_BYTES = 700000 };
    char *text = malloc((size_t)LINES * 1001 + LONG_BYTES);
    assert_non_null(text);
    uint64_t random = 7;
    size_t size = 0;
    for (unsigned i = 0; i < LINES; i++) {
        size_t line = i == LINES / 2 ? LONG_BYTES : 1 + check_random(&random) % 1000;
        memset(text + size, 'a' + (int)(i % 26), line - 1);
        text[size + line - 1] = '\n';
        size += line;
    }
    *out_size = size - 1; /* the last line ends without LF */
    return text;
}

/* Takes everything with two pieces in turns; what was given away stays as it is meanwhile. */
static void check_lines(struct hf_input *input, struct hf_text text)
{
    struct hf_input_lines lines[2] = {0};
    struct hf_error err;
    size_t at = 0, pieces = 0;
    struct hf_text before = {NULL, 0};
    for (;; pieces++) {
        struct hf_input_lines *piece = &lines[pieces % 2];
        check_ok(hf_input_take_lines(input, piece, &err), &err);
        if (pieces != 0)
            assert_memory_equal(before.data, text.data + at - before.size, before.size);
        if (piece->bytes.size == 0)
            break;
        assert_true(piece->bytes.size <= text.size - at);
        assert_memory_equal(piece->bytes.data, text.data + at, piece->bytes.size);
        at += piece->bytes.size;
        assert_true(at == text.size || text.data[at - 1] == '\n');
        before = piece->bytes;
    }
    assert_int_equal(at, text.size);
    assert_in_range(pieces, 6, 14);
    hf_input_lines_done(&lines[0]);
    hf_input_lines_done(&lines[1]);
}

static void takes_lines(void **state)
{
    struct hf_text text;
    struct hf_input input;
    struct hf_error err;
    char path[] = "lines-XXXXXX";
    (void)state;
    text.data = make_text(&text.size);
    hf_input_open_memory(&input, text, "memory");
    check_lines(&input, text);
    hf_input_close(&input);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.data, text.size), text.size);
    close(fd);
    check_ok(hf_input_open(&input, path, &err), &err);
    check_lines(&input, text);
    hf_input_close(&input);
    unlink(path);
    free((char *)(uintptr_t)text.data);
}

static void refuses_long_lines(void **state)
{
    struct hf_input input;
    struct hf_input_lines lines = {0};
    struct hf_error err;
    (void)state;
    struct hf_text text = {calloc(1, HF_LIMIT_LINE_BYTES + (1u << 20)), 0};
    assert_non_null(text.data);
    text.size = HF_LIMIT_LINE_BYTES + (1u << 20);
    hf_input_open_memory(&input, text, "memory");
    assert_int_equal(hf_input_take_lines(&input, &lines, &err), HF_ERR_LIMIT);
    check_error(&err, "longer than 67108864 bytes (HF_LIMIT_LINE_BYTES)");
    hf_input_lines_done(&lines);
    hf_input_close(&input);
    free((char *)(uintptr_t)text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_order),
        cmocka_unit_test(works_alone),
        cmocka_unit_test(ends_at_the_first_error),
        cmocka_unit_test(knows_its_processors),
        cmocka_unit_test(takes_lines),
        cmocka_unit_test(refuses_long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
