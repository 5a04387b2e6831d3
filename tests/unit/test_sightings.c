/* What was seen where debug files may be: what is one sighting, what holds, what is too new. */
#include "check.h"
#include "symbol/sightings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static int64_t now_ns(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    return now.tv_sec * SECOND + now.tv_nsec;
}

static void unites_what_was_seen_twice(void **state)
{
    (void)state;
    const struct hf_file_stamp old = {.modified_ns = 1}, other = {.modified_ns = 2};
    struct hf_sightings sightings = {0};
    assert_true(hf_sightings_unite(&sightings));
    hf_sightings_add(&sightings, "/b", NULL);
    hf_sightings_add(&sightings, "/a", &old);
    hf_sightings_add(&sightings, "/b", NULL);
    hf_sightings_add(&sightings, "/a", &old);
    hf_sightings_add(&sightings, "/a", &old);
    assert_true(hf_sightings_unite(&sightings));
    assert_int_equal(sightings.count, 2);
    assert_string_equal(sightings.items[0].path, "/a");
    assert_true(sightings.items[0].is_there && !sightings.items[1].is_there);
    assert_int_equal(sightings.items[0].stamp.modified_ns, 1);
    hf_sightings_add(&sightings, "/b", &old);
    assert_false(hf_sightings_unite(&sightings));
    assert_int_equal(sightings.count, 2);
    hf_sightings_add(&sightings, "/a", &other);
    hf_sightings_add(&sightings, "/c", &other);
    assert_false(hf_sightings_unite(&sightings));
    assert_int_equal(sightings.count, 3);
    hf_sightings_done(&sightings);
    assert_int_equal(sightings.count, 0);
}

static void knows_what_is_still_there(void **state)
{
    (void)state;
    struct hf_file_stamp stamp, none = {0};
    char path[] = "/tmp/heapflame-test-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(hf_file_stamp_of(path, &stamp));
    assert_true(hf_sighting_holds(path, &stamp, true));
    assert_false(hf_sighting_holds(path, &stamp, false));
    assert_int_equal(ftruncate(fd, 7), 0);
    assert_false(hf_sighting_holds(path, &stamp, true));
    close(fd);
    unlink(path);
    assert_false(hf_sighting_holds(path, &stamp, true));
    assert_true(hf_sighting_holds(path, &none, false));
}

/* What changed less than two seconds ago may change once more without a sign. */
static void waits_for_clocks_of_files(void **state)
{
    (void)state;
    const struct hf_file_stamp old = {.modified_ns = now_ns() - 2 * SECOND};
    const struct hf_file_stamp new = {.modified_ns = now_ns() + 600 * SECOND};
    struct hf_sightings sightings = {0};
    assert_true(hf_sightings_are_settled(&sightings));
    hf_sightings_add(&sightings, "/a", &old);
    hf_sightings_add(&sightings, "/b", NULL);
    assert_true(hf_sightings_are_settled(&sightings));
    sightings.is_incomplete = true;
    assert_false(hf_sightings_are_settled(&sightings));
    sightings.is_incomplete = false;
    hf_sightings_add(&sightings, "/c", &new);
    assert_false(hf_sightings_are_settled(&sightings));
    hf_sightings_done(&sightings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unites_what_was_seen_twice),
        cmocka_unit_test(knows_what_is_still_there),
        cmocka_unit_test(waits_for_clocks_of_files),
    };
    return cmocka_run_group_tests_name("sightings", tests, NULL, NULL);
}
