/* What of two profiles says that they are of one process, and what that they are not. */
#include "analysis/process_identity.h"
#include "base/containers/hash.h"
#include "stacks.h"

struct identity_row {
    const char *name;
    struct hf_process_identity a, b;
    bool fits;
};

static const struct identity_row identities[] = {
    {"nothing known", {0}, {0}, true},
    {"one number", {.pid = 7}, {.pid = 7}, true},
    {"two numbers", {.pid = 7}, {.pid = 8}, false},
    {"a number on one side", {.pid = 7}, {0}, true},
    {"a number on the other side", {0}, {.pid = 8}, true},
    {"one start", {.pid = 7, .start = 100}, {.pid = 7, .start = 100}, true},
    {"two starts", {.pid = 7, .start = 100}, {.pid = 7, .start = 101}, false},
    {"two starts alone", {.start = 100}, {.start = 101}, false},
    {"a start on one side", {.start = 100}, {0}, true},
    {"a start on the other side", {0}, {.start = 100}, true},
    {"two commands", {.command = "a"}, {.command = "b"}, false},
    {"a command on one side", {.command = "a"}, {0}, true},
    {"a command on the other side", {0}, {.command = "b"}, true},
    {"one command", {.command = "a"}, {.command = "a"}, true},
    {"two commands of one number", {.pid = 7, .command = "a"}, {.pid = 7, .command = "b"}, true},
    {"two commands, one number", {.pid = 7, .command = "a"}, {.command = "b"}, false},
    {"two files of one number", {.pid = 7, .file = "a"}, {.pid = 7, .file = "b"}, false},
    {"a file on one side", {.file = "a"}, {0}, true},
    {"one build-id", {.build_id = "ab", .build_id_size = 2}, {.build_id = "ab", .build_id_size = 2},
        true},
    {"two build-ids", {.build_id = "ab", .build_id_size = 2},
        {.build_id = "ac", .build_id_size = 2}, false},
    {"a longer build-id", {.build_id = "ab", .build_id_size = 2},
        {.build_id = "abc", .build_id_size = 3}, false},
    {"a build-id on one side", {.build_id = "ab", .build_id_size = 2}, {0}, true},
    {"a build-id on the other side", {0}, {.build_id = "ab", .build_id_size = 2}, true},
};

static void compares_what_both_know(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(identities); i++) {
        const struct identity_row *row = &identities[i];
        if (hf_process_identity_fits(&row->a, &row->b) != row->fits)
            fail_msg("%s", row->name);
    }
}

struct moved_row {
    const char *name;
    struct hf_module_place a[3], b[3];
    size_t a_count, b_count;
    bool fits;
};

/* By path and address. */
static const struct moved_row moves[] = {
    {"no file", {{0}}, {{0}}, 0, 0, true},
    {"none in common", {{1, 10}, {3, 30}}, {{2, 20}, {4, 40}}, 2, 2, true},
    {"the same", {{1, 10}, {3, 30}}, {{1, 10}, {3, 30}}, 2, 2, true},
    {"one moved of one", {{1, 10}}, {{1, 11}}, 1, 1, false},
    {"one moved of two", {{1, 10}, {2, 20}}, {{1, 10}, {2, 21}}, 2, 2, false},
    {"one moved of three", {{1, 10}, {2, 20}, {3, 30}}, {{1, 10}, {2, 21}, {3, 30}}, 3, 3, true},
    {"two moved of three", {{1, 10}, {2, 20}, {3, 30}}, {{1, 10}, {2, 21}, {3, 31}}, 3, 3, false},
    {"the one in common moved", {{1, 10}, {2, 20}}, {{2, 21}, {3, 30}}, 2, 2, false},
    {"the one in common stayed", {{1, 10}, {2, 20}}, {{2, 20}, {3, 31}}, 2, 2, true},
    {"the last in common moved", {{3, 10}}, {{1, 10}, {2, 20}, {3, 11}}, 1, 3, false},
};

static void compares_places_of_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(moves); i++) {
        struct moved_row row = moves[i];
        const struct hf_process_identity a = {.places = row.a, .place_count = row.a_count},
                                         b = {.places = row.b, .place_count = row.b_count};
        if (hf_process_identity_fits(&a, &b) != row.fits ||
            hf_process_identity_fits(&b, &a) != row.fits)
            fail_msg("%s", row.name);
    }
}

static void identity_add_module(
    struct hf_profile *profile, const char *path, const char *build_id, uint64_t start)
{
    struct hf_error err;
    uint32_t module;
    const struct hf_segment segment = {.start = start, .end = start + 0x1000};
    check_ok(
        hf_profile_module(profile, hf_text_of(path), hf_text_of(build_id), &module, &err), &err);
    if (start != 0)
        check_ok(hf_profile_add_segment(profile, module, &segment, &err), &err);
}

static void takes_what_a_profile_knows(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_process_identity identity;
    struct hf_profile *p = stacks_new("bytes", false);
    p->capture.process_id = 7;
    p->capture.process_start = 100;
    check_ok(
        hf_profile_string(p, HF_TEXT("/usr/bin/server --port 1"), &p->capture.command, &err), &err);
    identity_add_module(p, "/usr/bin/server.bin", "\1\2\3", 0x1000);
    identity_add_module(p, "/usr/lib/libc.so.6", "", 0x7000);
    identity_add_module(p, "/usr/lib/never.so", "", 0);
    identity_add_module(p, "[vdso]", "", 0x9000);
    check_ok(hf_process_identity_of(p, &identity, &err), &err);
    assert_int_equal(identity.pid, 7);
    assert_int_equal(identity.start, 100);
    assert_string_equal(identity.command, "server");
    assert_string_equal(identity.file, "server.bin");
    assert_string_equal(hf_process_identity_program(&identity), "server");
    assert_int_equal(identity.build_id_size, 3);
    assert_memory_equal(identity.build_id, "\1\2\3", 3);
    assert_int_equal(identity.place_count, 2);
    assert_true(identity.places[0].path < identity.places[1].path);
    uint64_t libc = hf_hash_bytes("/usr/lib/libc.so.6", 18);
    size_t at = identity.places[0].path == libc ? 0 : 1;
    assert_int_equal(identity.places[at].path, libc);
    assert_int_equal(identity.places[at].start, 0x7000);
    assert_int_equal(identity.places[1 - at].start, 0x1000);
    identity.command[0] = '\0';
    assert_string_equal(hf_process_identity_program(&identity), "server.bin");
    hf_process_identity_done(&identity);
    assert_int_equal(identity.place_count, 0);
    hf_profile_free(p);
}

/* 32 bytes of a build-id are kept; a longer one is none. */
/* What the path of a program says of its version, and what of the name is left. */
static void finds_versions(void **state)
{
    static const struct {
        const char *path, *command, *version;
    } rows[] = {
        {"/opt/server-2.4.1/bin/server", "server", "2.4.1"},
        {"/opt/server/v2.4/server", "server", "2.4"},
        {"/opt/server_2.4.1", "server", "2.4.1"},
        {"/opt/server-v10.0.3", "server", "10.0.3"},
        {"/opt/1.0/server-2.4.1", "server", "2.4.1"},
        {"/usr/bin/python3.11", "python3.11", ""},
        {"/usr/lib/jvm/java-17/bin/java", "java", ""},
        {"/opt/server-2.4.1rc", "server-2.4.1rc", ""},
        {"/opt/server-2..4", "server-2..4", ""},
        {"-1.0", "", "1.0"},
        {"-", "-", ""},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_profile *p;
        struct hf_process_identity identity;
        char build[HF_BUILD_NAME_MAX];
        check_ok(hf_profile_new(&p, &err), &err);
        check_ok(hf_profile_string(p, hf_text_of(rows[i].path), &p->capture.command, &err), &err);
        check_ok(hf_process_identity_of(p, &identity, &err), &err);
        hf_process_identity_build(&identity, build);
        assert_string_equal(identity.command, rows[i].command);
        assert_string_equal(build, rows[i].version);
        hf_process_identity_done(&identity);
        hf_profile_free(p);
    }
}

static void names_builds(void **state)
{
    struct hf_process_identity a = {.build_id = "\x3f\x2a\x91\xc0\x55", .build_id_size = 5},
                               b = {.build_id = "\x3f\x2a\x91\xc1\x55", .build_id_size = 5},
                               c = {.version = "2.4"}, none = {.pid = 1};
    char build[HF_BUILD_NAME_MAX];
    (void)state;
    hf_process_identity_build(&a, build);
    assert_string_equal(build, "3f2a91c0");
    hf_process_identity_build(&none, build);
    assert_string_equal(build, "");
    assert_true(hf_process_identity_same_build(&a, &a));
    assert_false(hf_process_identity_same_build(&a, &b));
    assert_false(hf_process_identity_same_build(&c, &none));
}

static void keeps_build_ids_that_fit(void **state)
{
    (void)state;
    static const char id[] = "0123456789abcdef0123456789abcdef+";
    for (size_t more = 0; more <= 1; more++) {
        struct hf_error err;
        struct hf_process_identity identity;
        struct hf_profile *p = stacks_new("bytes", false);
        char text[64];
        (void)snprintf(text, sizeof text, "%.*s", (int)(HF_BUILD_ID_KEPT + more), id);
        identity_add_module(p, "/usr/bin/server", text, 0x1000);
        check_ok(hf_process_identity_of(p, &identity, &err), &err);
        assert_int_equal(identity.build_id_size, more == 0 ? HF_BUILD_ID_KEPT : 0);
        hf_process_identity_done(&identity);
        hf_profile_free(p);
    }
}

static struct hf_module_place *place_at(uint64_t start)
{
    struct hf_module_place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    *place = (struct hf_module_place){1, start};
    return place;
}

/* The later profile is believed; what it does not know stays. */
static void learns(void **state)
{
    (void)state;
    struct hf_process_identity known = {.pid = 7,
        .start = 100,
        .command = "a",
        .file = "f",
        .build_id = "id",
        .build_id_size = 2,
        .places = place_at(10),
        .place_count = 1};
    struct hf_process_identity nothing = {0};
    hf_process_identity_learn(&known, &nothing);
    assert_int_equal(known.pid, 7);
    assert_int_equal(known.start, 100);
    assert_string_equal(known.command, "a");
    assert_string_equal(known.file, "f");
    assert_int_equal(known.build_id_size, 2);
    assert_memory_equal(known.build_id, "id", 2);
    assert_int_equal(known.place_count, 1);
    assert_int_equal(known.places[0].start, 10);
    struct hf_process_identity later = {.pid = 8,
        .start = 101,
        .command = "b",
        .file = "g",
        .build_id = "new",
        .build_id_size = 3,
        .places = place_at(11),
        .place_count = 1};
    hf_process_identity_learn(&known, &later);
    assert_int_equal(known.pid, 8);
    assert_int_equal(known.start, 101);
    assert_string_equal(known.command, "b");
    assert_string_equal(known.file, "g");
    assert_int_equal(known.build_id_size, 3);
    assert_memory_equal(known.build_id, "new", 3);
    assert_int_equal(known.places[0].start, 11);
    assert_null(later.places);
    hf_process_identity_done(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_what_both_know),
        cmocka_unit_test(compares_places_of_files),
        cmocka_unit_test(takes_what_a_profile_knows),
        cmocka_unit_test(finds_versions),
        cmocka_unit_test(names_builds),
        cmocka_unit_test(keeps_build_ids_that_fit),
        cmocka_unit_test(learns),
    };
    return cmocka_run_group_tests_name("process_identity", tests, NULL, NULL);
}
