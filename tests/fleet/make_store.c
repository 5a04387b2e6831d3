/*
 * make_store.c: writes a store for tests and benches of `heapflame fleet`.
 *
 *     make-store FILE < lines
 *     make-store FILE NODES STACKS USED HOURS
 *
 * Lines, with tabs between their words:
 *
 *     instance NAME SERVICE BUILD NODE
 *     profile MS STACK BYTES STACK BYTES ...     of the instance; a stack is its place
 *     batch                                      those before it are one batch
 *
 * The second form makes NODES nodes with one instance each and STACKS stacks, of which USED are in
 * use in any hour, with a profile every ten minutes, over HOURS hours. One stack leaks on each.
 */
#include "base/containers/intern.h"
#include "base/containers/vec.h"
#include "base/strings/num.h"
#include "store/sqlite_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES_MAX (1u << 24)
#define START_MS INT64_C(1764374400000) /* 2025-11-29 00:00 UTC */
#define STEP_MS 600000

struct made_store {
    struct hf_sqlite_store *store;
    struct hf_intern names; /* of the stacks, and of instances */
    struct hf_batch batch;
    struct hf_batch_stack *stacks;
    size_t stack_capacity;
    uint64_t *bytes; /* by stack; 0: nothing */
    size_t byte_capacity;
    struct hf_out profiles;
    struct hf_levels before;
    bool has_before;
    struct hf_error err;
};

static void must(struct made_store *made, enum hf_status status)
{
    if (status == HF_OK)
        return;
    (void)fprintf(stderr, "make-store: %s\n", made->err.text);
    exit(1);
}

static void must_be(bool is_so, const char *what)
{
    if (is_so)
        return;
    (void)fprintf(stderr, "make-store: %s\n", what);
    exit(1);
}

static void flush_batch(struct made_store *made)
{
    bool is_new;
    if (made->profiles.size != 0) {
        made->batch.stacks = made->stacks;
        made->batch.stack_count = made->names.count;
        made->batch.profiles = hf_out_view(&made->profiles);
        must(made, hf_sqlite_store_add(made->store, &made->batch, &is_new, &made->err));
    }
    made->profiles.size = 0;
    hf_levels_done(&made->before);
    made->has_before = false;
}

/* The number of a stack; all batches have the same list, which grows. */
static size_t stack_of(struct made_store *made, struct hf_text place)
{
    uint32_t id;
    size_t before = made->names.count;
    must_be(hf_intern_put(&made->names, place.data, place.size, &id), "no memory");
    if (id < before)
        return id;
    must_be(hf_vec_reserve(&made->stacks, &made->stack_capacity, id + 1, sizeof *made->stacks) &&
                hf_vec_reserve(&made->bytes, &made->byte_capacity, id + 1, sizeof *made->bytes),
        "no memory");
    made->bytes[id] = 0;
    struct hf_text name = hf_text_first(place, hf_text_find(place, '|'));
    made->stacks[id] = (struct hf_batch_stack){
        .print = {{id + 1, 77}}, .place = {hf_intern_at(&made->names, id).data, name.size}};
    made->stacks[id].frames = made->stacks[id].place;
    return id;
}

static void end_profile(struct made_store *made, int64_t ms)
{
    struct hf_levels now = {0};
    for (size_t i = 0; i < made->names.count; i++) {
        const struct hf_level level = {.stack = i, .bytes = made->bytes[i], .objects = 1};
        if (level.bytes != 0)
            must(made, hf_levels_add(&now, level, &made->err));
    }
    must(made, hf_batch_put_profile(
                   &made->profiles, ms, made->has_before ? &made->before : NULL, &now, &made->err));
    hf_levels_done(&made->before);
    made->before = now;
    made->has_before = true;
}

static struct hf_text take_word(struct hf_text *line)
{
    struct hf_text word = hf_text_first(*line, hf_text_find(*line, '\t'));
    *line = hf_text_from(*line, word.size + 1);
    return word;
}

static void read_profile(struct made_store *made, struct hf_text line)
{
    uint64_t ms, bytes;
    must_be(hf_num_u64(take_word(&line), &ms), "expected a time");
    for (size_t i = 0; i < made->names.count; i++)
        made->bytes[i] = 0;
    while (line.size != 0) {
        size_t stack = stack_of(made, take_word(&line));
        must_be(hf_num_u64(take_word(&line), &bytes), "expected bytes");
        made->bytes[stack] = bytes;
    }
    end_profile(made, (int64_t)ms);
}

static void read_line(struct made_store *made, struct hf_text line)
{
    static char kept[4096]; /* the names of an instance */
    struct hf_text kind = take_word(&line);
    if (hf_text_is(kind, "profile")) {
        read_profile(made, line);
        return;
    }
    flush_batch(made);
    if (!hf_text_is(kind, "instance"))
        return;
    must_be(line.size < sizeof kept, "too long");
    if (line.size != 0)
        memcpy(kept, line.data, line.size);
    line.data = kept;
    struct hf_batch_instance *is = &made->batch.instance;
    is->name = take_word(&line);
    is->service = take_word(&line);
    is->build = take_word(&line);
    is->node = take_word(&line);
}

static void read_lines(struct made_store *made)
{
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t size; (size = getline(&line, &capacity, stdin)) > 0;) {
        struct hf_text text = {line, (size_t)size};
        read_line(made, hf_text_trim_end(text, "\n"));
    }
    free(line);
    flush_batch(made);
}

static uint64_t number_of(const char *word)
{
    uint64_t number = 0;
    must_be(hf_num_u64(hf_text_of(word), &number) && number != 0 && number <= BYTES_MAX,
        "expected a number");
    return number;
}

/* One in twenty stacks changes from profile to profile; those in use move on by the hour. */
static void make_node(
    struct made_store *made, size_t node, uint64_t stacks, uint64_t used, uint64_t hours)
{
    char name[32], place[32];
    uint64_t seed = node + 1;
    (void)snprintf(name, sizeof name, "node-%04zu", node);
    made->batch.instance = (struct hf_batch_instance){
        hf_text_of(name), HF_TEXT("shop"), HF_TEXT("2.4.1"), hf_text_of(name)};
    for (uint64_t at = 0; at < hours * (HF_STORE_HOUR_MS / STEP_MS); at++) {
        uint64_t hour = at / (HF_STORE_HOUR_MS / STEP_MS);
        for (uint64_t i = 0; i < stacks; i++) {
            (void)snprintf(place, sizeof place, "function_%" PRIu64, i);
            size_t stack = stack_of(made, hf_text_of(place));
            bool is_used = (i + stacks - hour * 7 % stacks) % stacks < used;
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            if (!is_used)
                made->bytes[stack] = 0;
            else if (made->bytes[stack] == 0 || seed >> 40 < (1u << 24) / 20)
                made->bytes[stack] = 4096 + (seed >> 44) % 65536;
        }
        made->bytes[0] = 1000000 + 4096 * at;
        end_profile(made, START_MS + (int64_t)at * STEP_MS + (int64_t)node);
        if ((at + 1) % (HF_STORE_HOUR_MS / STEP_MS) == 0)
            flush_batch(made);
    }
    for (size_t i = 0; i < made->names.count; i++)
        made->bytes[i] = 0;
}

int main(int argc, char **argv)
{
    struct made_store made = {0};
    must_be(argc == 2 || argc == 6, "expected FILE, or FILE NODES STACKS USED HOURS");
    must(&made, hf_sqlite_store_open(argv[1], true, &made.store, &made.err));
    if (argc == 2)
        read_lines(&made);
    for (size_t i = 0; argc == 6 && i < number_of(argv[2]); i++)
        make_node(&made, i, number_of(argv[3]), number_of(argv[4]), number_of(argv[5]));
    hf_sqlite_store_close(made.store);
    hf_out_done(&made.profiles);
    hf_intern_done(&made.names);
    free(made.stacks);
    free(made.bytes);
    return 0;
}
