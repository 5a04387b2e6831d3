/* A store in real files: read back equal, each batch once, nothing lost that was acknowledged. */
#include "store/sqlite_store.h"

#include "check.h"
#include "folder.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACKS 40u
#define STEP_MS 60000
#define BATCH_PROFILES 5u
#define START_MS INT64_C(1764430200000) /* half an hour into an hour */

static char folder[] = "/tmp/hf-unit-store-XXXXXX";
static char path[64];

static int set_up(void **state)
{
    (void)state;
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/store", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(folder);
}

/* What stack `stack` holds in profile `number`: half of them nothing, and another half each time.
 */
static struct hf_level level_of(size_t number, size_t stack)
{
    uint64_t seed = number * STACKS + stack + 1;
    uint64_t dice = check_random(&seed);
    struct hf_level level = {.stack = stack};
    if (dice % 2 == 0) {
        level.bytes = 1000 * stack + number * 64 + dice % 1000;
        level.objects = stack + 1;
    }
    return level;
}

static struct hf_levels levels_of(size_t number)
{
    struct hf_error err;
    struct hf_levels levels = {0};
    for (size_t stack = 0; stack < STACKS; stack++)
        check_ok(hf_levels_add(&levels, level_of(number, stack), &err), &err);
    return levels;
}

/* Profiles from..from + count - 1 of an instance, in `profiles`. */
static void put_profiles(struct hf_out *profiles, size_t from, size_t count)
{
    struct hf_error err;
    struct hf_levels before = {0};
    for (size_t i = from; i < from + count; i++) {
        struct hf_levels now = levels_of(i);
        check_ok(hf_batch_put_profile(profiles, START_MS + (int64_t)i * STEP_MS,
                     i != from ? &before : NULL, &now, &err),
            &err);
        hf_levels_done(&before);
        before = now;
    }
    hf_levels_done(&before);
}

static enum hf_status add_batch(struct hf_sqlite_store *store, const char *instance, size_t from,
    size_t count, bool *out_is_new, struct hf_error *err)
{
    static char names[STACKS][16];
    struct hf_batch_stack stacks[STACKS];
    struct hf_out profiles = {0};
    put_profiles(&profiles, from, count);
    for (size_t i = 0; i < STACKS; i++) {
        (void)snprintf(names[i], sizeof names[i], "function%zu", i);
        stacks[i] =
            (struct hf_batch_stack){{{i + 1, 77}}, hf_text_of(names[i]), HF_TEXT("malloc\nmain")};
    }
    struct hf_batch batch = {
        .instance = {hf_text_of(instance), HF_TEXT("shop"), HF_TEXT("2.4.1"), HF_TEXT("node-1")},
        .stacks = stacks,
        .stack_count = STACKS,
        .profiles = hf_out_view(&profiles)};
    enum hf_status status = hf_sqlite_store_add(store, &batch, out_is_new, err);
    hf_out_done(&profiles);
    return status;
}

static struct hf_sqlite_store *store_of(bool is_writer)
{
    struct hf_error err;
    struct hf_sqlite_store *store = NULL;
    check_ok(hf_sqlite_store_open(path, is_writer, &store, &err), &err);
    return store;
}

static void add_new(struct hf_sqlite_store *store, const char *instance, size_t from, size_t count)
{
    bool is_new = false;
    struct hf_error err;
    check_ok(add_batch(store, instance, from, count, &is_new, &err), &err);
    assert_true(is_new);
}

/* Profiles that are read back, one after the other. */
static enum hf_status check_profile(void *context, int64_t ms, const struct hf_levels *levels,
    const uint32_t *stacks, struct hf_error *err)
{
    size_t *number = context;
    struct hf_levels expected = levels_of(*number);
    (void)err;
    assert_int_equal(ms, START_MS + (int64_t)*number * STEP_MS);
    assert_int_equal(levels->count, expected.count);
    assert_memory_equal(levels->items, expected.items, levels->count * sizeof *levels->items);
    for (size_t i = 0; i < levels->count; i++)
        assert_int_equal(stacks[levels->items[i].stack], levels->items[i].stack + 1);
    hf_levels_done(&expected);
    ++*number;
    return HF_OK;
}

/* The hours alone are those of the roll-up, and what they say of all stacks is the stacks' sum. */
static void check_hours(struct hf_sqlite_store *store, int64_t id, const struct hf_rollup *rollup)
{
    struct hf_error err;
    struct hf_rollup got = {0};
    check_ok(
        hf_sqlite_store_read_hours(store, id, 0, INT64_MAX - HF_STORE_HOUR_MS, &got, &err), &err);
    assert_int_equal(got.hour_count, rollup->hour_count);
    assert_int_equal(got.stack_count, 0);
    for (size_t i = 0, j = 0; i < got.hour_count; i++) {
        double y = 0, ty = 0;
        assert_memory_equal(&got.hours[i], &rollup->hours[i], sizeof got.hours[i]);
        for (; j < rollup->stack_count && rollup->stacks[j].hour_ms == got.hours[i].hour_ms; j++) {
            y += rollup->stacks[j].values.y;
            ty += rollup->stacks[j].values.ty;
        }
        assert_true(fabs(got.hours[i].values.y - y) <= 1e-12 * y);
        assert_true(fabs(got.hours[i].values.ty - ty) <= 1e-12 * ty);
        assert_true(got.hours[i].most >= got.hours[i].last);
    }
    hf_rollup_done(&got);
}

/* The roll-up of an instance is that of the `count` profiles which are all that it has. */
static void check_rollup(struct hf_sqlite_store *store, int64_t id, size_t count)
{
    struct hf_error err;
    struct hf_rollup got = {0};
    check_ok(
        hf_sqlite_store_read_rollup(store, id, 0, INT64_MAX - HF_STORE_HOUR_MS, &got, &err), &err);
    double n = 0, y = 0, yy = 0, expected_y = 0, expected_yy = 0;
    for (size_t i = 0; i < got.hour_count; i++) {
        assert_true(i == 0 || got.hours[i].hour_ms > got.hours[i - 1].hour_ms);
        n += got.hours[i].times.n;
    }
    check_hours(store, id, &got);
    for (size_t i = 0; i < got.stack_count; i++) {
        y += got.stacks[i].values.y;
        yy += got.stacks[i].values.yy;
        assert_true(got.stacks[i].most >= got.stacks[i].first);
        assert_true(got.stacks[i].most >= got.stacks[i].last);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t stack = 0; stack < STACKS; stack++) {
            double bytes = (double)level_of(i, stack).bytes;
            expected_y += bytes;
            expected_yy += bytes * bytes;
        }
    }
    assert_true(n == (double)count && y == expected_y);
    assert_true(fabs(yy - expected_yy) <= 1e-12 * expected_yy);
    hf_rollup_done(&got);
}

/* The instances, which are one: how many profiles it has, and its number. */
struct found_instance {
    size_t count;
    int64_t id;
    uint64_t profiles;
};

static enum hf_status keep_found_instance(
    void *context, const struct hf_store_instance *instance, struct hf_error *err)
{
    struct found_instance *found = context;
    (void)err;
    check_text(instance->is.service, "shop");
    check_text(instance->is.build, "2.4.1");
    check_text(instance->is.node, "node-1");
    found->count++;
    found->id = instance->id;
    found->profiles = instance->profile_count;
    return HF_OK;
}

/* All that is in the store is the first profiles of one instance, each once; how many. */
static size_t check_all(struct hf_sqlite_store *store)
{
    struct hf_error err;
    struct found_instance found = {0};
    size_t number = 0;
    check_ok(hf_sqlite_store_read_instances(store, keep_found_instance, &found, &err), &err);
    if (found.count == 0)
        return 0;
    assert_int_equal(found.count, 1);
    check_ok(hf_sqlite_store_read_profiles(store, found.id, check_profile, &number, &err), &err);
    assert_int_equal(number, found.profiles);
    check_rollup(store, found.id, number);
    return number;
}

static enum hf_status check_stack(
    void *context, int64_t id, const struct hf_batch_stack *stack, struct hf_error *err)
{
    char name[32];
    (void)err;
    ++*(int64_t *)context;
    assert_int_equal(id, *(int64_t *)context);
    assert_int_equal(stack->print.halves[0], id);
    assert_int_equal(stack->print.halves[1], 77);
    (void)snprintf(name, sizeof name, "function%d", (int)id - 1);
    check_text(stack->place, name);
    check_text(stack->frames, "malloc\nmain");
    return HF_OK;
}

static enum hf_status check_place(
    void *context, int64_t id, const struct hf_batch_stack *stack, struct hf_error *err)
{
    char name[32];
    (void)err;
    ++*(int64_t *)context;
    (void)snprintf(name, sizeof name, "function%d", (int)id - 1);
    check_text(stack->place, name);
    assert_int_equal(stack->frames.size, 0);
    return HF_OK;
}

/* Over the border of an hour, in batches of any size. */
static void test_written_is_read(void **state)
{
    (void)state;
    struct hf_error err;
    int64_t stacks = 0, last_ms;
    struct hf_sqlite_store *store = store_of(true);
    for (size_t i = 0, count = 1; i < 55; i += count, count = count % 9 + 1)
        add_new(store, "shop-1", i, count);
    size_t all = check_all(store);
    assert_true(all >= 55);
    check_ok(hf_sqlite_store_find_last(store, HF_TEXT("shop-1"), &last_ms, &err), &err);
    assert_int_equal(last_ms, START_MS + ((int64_t)all - 1) * STEP_MS);
    check_ok(hf_sqlite_store_find_last(store, HF_TEXT("shop-2"), &last_ms, &err), &err);
    assert_int_equal(last_ms, INT64_MIN);
    check_ok(hf_sqlite_store_read_stacks(store, check_stack, &stacks, &err), &err);
    assert_int_equal(stacks, STACKS);
    stacks = 0;
    check_ok(hf_sqlite_store_read_places(store, check_place, &stacks, &err), &err);
    assert_int_equal(stacks, STACKS);
    struct hf_sqlite_store *reader = store_of(false); /* while the other is open */
    assert_int_equal(check_all(reader), all);
    hf_sqlite_store_close(reader);
    hf_sqlite_store_close(store);
}

static void test_a_span_is_of_whole_hours(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_rollup rollup = {0};
    struct hf_sqlite_store *store = store_of(true);
    add_new(store, "shop-1", 0, 40);
    int64_t hour_ms = START_MS + HF_STORE_HOUR_MS / 2;
    check_ok(hf_sqlite_store_read_rollup(
                 store, 1, hour_ms - 1, hour_ms + HF_STORE_HOUR_MS, &rollup, &err),
        &err);
    assert_int_equal(rollup.hour_count, 1);
    assert_int_equal(rollup.hours[0].hour_ms, hour_ms);
    assert_int_equal(rollup.hours[0].first_ms, hour_ms);
    assert_int_equal(rollup.hours[0].last_ms, START_MS + 39 * STEP_MS);
    assert_true(rollup.hours[0].times.n == 10);
    hf_rollup_done(&rollup);
    check_ok(hf_sqlite_store_read_rollup(store, 1, START_MS, hour_ms, &rollup, &err), &err);
    assert_int_equal(rollup.hour_count, 0); /* that of START_MS began before it */
    hf_rollup_done(&rollup);
    hf_sqlite_store_close(store);
}

/* Small batches are one row with the others of their hour. */
static void test_the_last_profiles(void **state)
{
    (void)state;
    struct hf_error err;
    size_t number = 30;
    struct hf_sqlite_store *store = store_of(true);
    add_new(store, "shop-1", 0, 20);
    add_new(store, "shop-1", 20, 10);
    add_new(store, "shop-1", 30, 3);
    add_new(store, "shop-1", 33, 2);
    const int64_t until_ms = START_MS + 30 * STEP_MS;
    check_ok(
        hf_sqlite_store_read_last_profiles(store, 1, until_ms + 1, check_profile, &number, &err),
        &err);
    assert_int_equal(number, 35);
    number = 0; /* the second hour has not begun */
    check_ok(
        hf_sqlite_store_read_last_profiles(store, 1, until_ms, check_profile, &number, &err), &err);
    assert_int_equal(number, 30);
    check_ok(
        hf_sqlite_store_read_last_profiles(store, 1, START_MS, check_profile, &number, &err), &err);
    assert_int_equal(number, 30); /* none */
    hf_sqlite_store_close(store);
}

static void test_a_batch_counts_once(void **state)
{
    (void)state;
    bool is_new = true;
    struct hf_error err;
    struct hf_sqlite_store *store = store_of(true);
    add_new(store, "shop-1", 0, 5);
    add_new(store, "shop-1", 5, 5);
    check_ok(add_batch(store, "shop-1", 0, 5, &is_new, &err), &err);
    assert_false(is_new);
    assert_int_equal(add_batch(store, "shop-1", 0, 6, &is_new, &err), HF_ERR_INPUT);
    check_error(&err, "the instance 'shop-1' has later profiles in the store, and earlier ones "
                      "cannot be added");
    assert_int_equal(add_batch(store, "shop-1", 9, 3, &is_new, &err), HF_ERR_INPUT);
    assert_int_equal(check_all(store), 10);
    add_new(store, "shop-1", 10, 1);
    assert_int_equal(check_all(store), 11);
    hf_sqlite_store_close(store);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    bool is_new;
    struct hf_error err;
    struct hf_sqlite_store *store = store_of(true);
    struct hf_out profiles = {0};
    struct hf_batch batch = {
        .instance = {HF_TEXT("shop-1"), HF_TEXT("shop"), HF_TEXT("2.4.2"), HF_TEXT("node-1")}};
    assert_int_equal(hf_sqlite_store_add(store, &batch, &is_new, &err), HF_ERR_INPUT);
    check_error(&err, "a batch holds no profile");
    put_profiles(&profiles, 0, 2);
    batch.profiles = hf_out_view(&profiles);
    assert_int_equal(hf_sqlite_store_add(store, &batch, &is_new, &err), HF_ERR_INPUT);
    check_error(&err, "a batch of profiles holds a stack that is not in its list");
    batch.profiles.size--;
    assert_int_equal(hf_sqlite_store_add(store, &batch, &is_new, &err), HF_ERR_INPUT);
    assert_int_equal(check_all(store), 0);
    add_new(store, "shop-1", 0, 1);
    struct hf_out later = {0};
    struct hf_levels nothing = {0};
    check_ok(hf_batch_put_profile(&later, START_MS + STEP_MS, NULL, &nothing, &err), &err);
    batch.profiles = hf_out_view(&later);
    assert_int_equal(hf_sqlite_store_add(store, &batch, &is_new, &err), HF_ERR_INPUT);
    check_error(&err, "the instance 'shop-1' is in the store with '2.4.1' where it has '2.4.2' "
                      "now; give another instance");
    batch.instance.build = HF_TEXT("2.4.1");
    check_ok(hf_sqlite_store_add(store, &batch, &is_new, &err), &err); /* nothing is in use */
    hf_out_done(&profiles);
    hf_out_done(&later);
    hf_sqlite_store_close(store);
}

static void test_what_is_no_store(void **state)
{
    (void)state;
    char expected[512];
    struct hf_error err;
    struct hf_sqlite_store *store = NULL;
    assert_int_equal(hf_sqlite_store_open(path, false, &store, &err), HF_ERR_SYSTEM);
    (void)snprintf(
        expected, sizeof expected, "there is no store '%s'; heapflame ship creates one", path);
    check_error(&err, expected);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++)
        (void)fputs("no database\n", file);
    (void)fclose(file);
    (void)snprintf(expected, sizeof expected,
        "'%s' is not a store; expected a file that heapflame ship made", path);
    assert_int_equal(hf_sqlite_store_open(path, false, &store, &err), HF_ERR_INPUT);
    check_error(&err, expected);
    assert_int_equal(hf_sqlite_store_open(path, true, &store, &err), HF_ERR_INPUT);
    check_error(&err, expected);
    assert_int_equal(hf_sqlite_store_open("", true, &store, &err), HF_ERR_USAGE);
}

/* Adds batches until it is killed, and says which number is in the store after each. */
static void write_until_killed(int acknowledge, size_t from)
{
    struct hf_sqlite_store *store = store_of(true);
    for (;; from += BATCH_PROFILES) {
        bool is_new;
        struct hf_error err;
        size_t in_store = from + BATCH_PROFILES;
        if (add_batch(store, "shop-1", from, BATCH_PROFILES, &is_new, &err) != HF_OK ||
            write(acknowledge, &in_store, sizeof in_store) != sizeof in_store)
            _exit(1);
    }
}

/* The last number that it said, or `before`. */
static size_t acknowledged_of(int from, size_t before)
{
    size_t number;
    while (read(from, &number, sizeof number) == sizeof number)
        before = number;
    return before;
}

static void test_killed_at_any_instant(void **state)
{
    (void)state;
    uint64_t seed = 1, rounds = check_count_of("HEAPFLAME_STORE_ROUNDS", 20);
    for (uint64_t round = 0; round < rounds; round++) {
        size_t there = 0;
        if (round != 0) {
            struct hf_sqlite_store *store = store_of(true);
            there = check_all(store);
            hf_sqlite_store_close(store);
        }
        if (there > 400) { /* what is checked is all that is there */
            assert_int_equal(remove(path), 0);
            there = 0;
        }
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0)
            write_until_killed(ends[1], there);
        close(ends[1]);
        usleep(check_random(&seed) % 100000);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        size_t acknowledged = acknowledged_of(ends[0], there);
        close(ends[0]);
        struct hf_sqlite_store *store = store_of(true);
        size_t found = check_all(store);
        hf_sqlite_store_close(store);
        /* Killed after the commit and before the word of it, one more is there: it is known. */
        assert_true(found == acknowledged || found == acknowledged + BATCH_PROFILES);
    }
}

/* In a child, which cannot write more than 256 KiB into a file. */
static void test_disk_is_full(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        bool is_new;
        size_t from = 0;
        struct hf_error err;
        enum hf_status status = HF_OK;
        const struct rlimit limit = {256 << 10, 256 << 10};
        (void)signal(SIGXFSZ, SIG_IGN);
        struct hf_sqlite_store *store = store_of(true);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        for (; status == HF_OK && from < 2000; from += status == HF_OK)
            status = add_batch(store, "shop-1", from, 1, &is_new, &err);
        assert_int_equal(status, HF_ERR_SYSTEM);
        assert_non_null(strstr(err.text, "nothing of this batch was stored; ship it again"));
        assert_int_equal(check_all(store), from);
        _exit(0);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    struct hf_sqlite_store *store = store_of(true);
    size_t there = check_all(store);
    add_new(store, "shop-1", there, 100); /* there is room again */
    assert_int_equal(check_all(store), there + 100);
    hf_sqlite_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_written_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_span_is_of_whole_hours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_last_profiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_batch_counts_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_store, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_killed_at_any_instant, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_disk_is_full, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
